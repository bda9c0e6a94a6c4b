// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/json_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"

namespace knockout {
namespace {

/// Whether a character steers a terminal or turns the direction of writing. The controls below a
/// blank are escaped already.
bool is_steering(unsigned code) {
  return code == 0x7F || (code >= 0x80 && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Such characters stand only within strings, where an escape means the same.
std::string without_steering(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(json[i + k]); };
    // All of them are of one, two or three bytes; the text is valid UTF-8.
    const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    unsigned code = byte(0);
    if (length == 2) code = (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    if (length == 3) {
      code = (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    }
    if (length < 4 && is_steering(code)) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += json.substr(i, length);
    }
    i += length;
  }
  return out;
}

std::string quoted(const std::string& text) { return json_text(text, -1); }

/// One column with its name and its words already quoted.
struct JsonColumn {
  const Column* column = nullptr;
  std::string key;
  std::vector<std::string> words;
};

void append_cell(std::string& out, const JsonColumn& ready, std::size_t row) {
  const Column& column = *ready.column;
  if (!column.observed(row)) {
    out += "null";
  } else if (column.is_text()) {
    out += ready.words[static_cast<std::size_t>(column.codes()[row])];
  } else {
    out += nlohmann::json(column.number(row)).dump();
  }
}

void write_all(const Table& table, const std::function<void(std::string_view)>& sink) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  std::vector<JsonColumn> ready;
  for (const Column& column : table.columns()) {
    ready.push_back({&column, quoted(column.name()), {}});
    for (const std::string& word : column.words()) ready.back().words.push_back(quoted(word));
  }
  std::string out = "[";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    out += row == 0 ? "\n{" : ",\n{";
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (i > 0) out += ',';
      out += ready[i].key;
      out += ':';
      append_cell(out, ready[i], row);
    }
    out += '}';
    if (out.size() >= kPiece) {
      sink(out);
      out.clear();
    }
  }
  out += "\n]\n";
  sink(out);
}

void write_to_standard_output(const Table& table) {
  const auto fail = [] {
    throw FileError(
        fmt::format("cannot write to standard output: {}.\n"
                    "  Free some space, or write to a file instead.",
                    std::generic_category().message(errno)));
  };
  write_all(table, [&](std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail();
  });
  if (std::fflush(stdout) != 0) fail();
}

}  // namespace

void write_json(const Table& table, const std::string& path) {
  if (path == "-") {
    write_to_standard_output(table);
    return;
  }
  AtomicFile file(path);
  write_all(table, [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return without_steering(json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string write_json_text(const Table& table) {
  std::string text;
  write_all(table, [&](std::string_view bytes) { text += bytes; });
  return text;
}

}  // namespace knockout
