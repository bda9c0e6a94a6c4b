// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/text_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// After blanks and blank lines, in upper or lower case.
bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(first);
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) {
    return text.size() >= start.size() &&
           std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 0x20) : b);
           });
  });
}

/// An object on each line: a header that starts with {" and ends with } is none.
bool begins_with_json_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.starts_with("{\"") && line.ends_with('}') && line.find("\":") != line.npos;
}

bool begins_with_json(std::string_view text) {
  return text.starts_with('[') && begins_with_any(text.substr(1), {"{\"", "{\n", "{ "});
}

bool begins_with_sql(std::string_view text) {
  return begins_with_any(text, {"insert into ", "create table ", "drop table ", "-- mysql dump",
                                "-- postgresql database dump", "--\n-- postgresql database dump"});
}

bool begins_with_html(std::string_view text) {
  return begins_with_any(text, {"<!doctype html", "<html"});
}

bool begins_with_arff(std::string_view text) { return begins_with_any(text, {"@relation "}); }

struct TextFormat {
  bool (*begins)(std::string_view text);
  std::string_view what;
  std::string_view fix;
};

constexpr std::array kTextFormats = {
    TextFormat{begins_with_html, "a web page",
               "Download the file itself, not the page that shows it."},
    TextFormat{begins_with_json_line, "a file of JSON objects, one on each line",
               "Convert it:  pandas.read_json(FILE, lines=True).to_csv(NEW_FILE, index=False)"},
    TextFormat{begins_with_json, "a JSON document",
               "Convert it:  pandas.read_json(FILE).to_csv(NEW_FILE, index=False)"},
    TextFormat{begins_with_sql, "a file of SQL statements",
               "Run them in a database and export the table as CSV."},
    TextFormat{begins_with_arff, "an ARFF file of Weka", "Export it as CSV."},
};

}  // namespace

void refuse_other_formats(std::string_view bytes, const std::string& source) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (const TextFormat& format : kTextFormats) {
    if (!format.begins(bytes)) continue;
    throw DataError(
        fmt::format("{}: this is {}, not a CSV file.\n  {}", source, format.what, format.fix));
  }
}

}  // namespace knockout
