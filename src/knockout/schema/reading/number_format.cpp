// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_format.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/data/csv_number.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/reading/clock_hours.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

std::string mark_text(char mark) { return mark == '\0' ? std::string() : std::string(1, mark); }

char mark_of(const JsonFields& fields, const char* key, std::string_view possible) {
  const std::string text = fields.text(key);
  if (text.empty()) return '\0';
  if (text.size() > 1 || possible.find(text[0]) == std::string_view::npos) {
    fields.fail(fmt::format("\"{}\" is no mark that numbers have there", key));
  }
  return text[0];
}

std::string thousands_text(char mark) {
  switch (mark) {
    case ',':
      return "commas";
    case '.':
      return "points";
    case '\'':
      return "apostrophes";
    default:
      return "blanks";
  }
}

}  // namespace

std::optional<double> read_number(std::string_view cell, const NumberFormat& format) {
  if (format.clock) return read_clock(cell);
  if (format.decimal_mark == '.' && format.thousands_mark != '.') {  // most cells have no clothes
    const ParsedNumber plain = parse_number(cell, '.');
    if (plain.kind == NumberKind::kNumber) return plain.value;
  }
  const std::optional<NumberShape> shape = take_apart(cell);
  if (!shape) return std::nullopt;
  if (!shape->prefix.empty() && shape->prefix != format.prefix) return std::nullopt;
  if (!shape->suffix.empty() && shape->suffix != format.suffix &&
      unit_key(shape->suffix) != unit_key(format.suffix)) {
    return std::nullopt;
  }
  if (shape->parentheses && !format.parentheses) return std::nullopt;
  return read_body(*shape, format.decimal_mark, format.thousands_mark);
}

std::optional<double> read_new_number(std::string_view cell, const NumberFormat& format) {
  const std::optional<double> number = read_number(cell, format);
  if (number || format.clock || format.thousands_mark != '\0') return number;
  NumberFormat other = format;
  other.decimal_mark = format.decimal_mark == '.' ? ',' : '.';
  const std::size_t mark = cell.find(other.decimal_mark);
  if (mark == std::string_view::npos) return std::nullopt;
  std::size_t digits = 0;
  while (mark + 1 + digits < cell.size() && cell[mark + 1 + digits] >= '0' &&
         cell[mark + 1 + digits] <= '9') {
    ++digits;
  }
  return digits == 3 ? std::nullopt : read_number(cell, other);
}

std::string format_text(const NumberFormat& format) {
  if (format.clock) return "hours and minutes, as hours";
  std::vector<std::string> parts;
  if (format.thousands_mark != '\0') {
    parts.push_back(thousands_text(format.thousands_mark) + " between thousands");
  }
  if (format.decimal_mark == ',') parts.emplace_back("a decimal comma");
  if (!format.prefix.empty()) parts.push_back(fmt::format("the currency {}", format.prefix));
  if (format.suffix == "%") {
    parts.emplace_back("percent");
  } else if (!format.suffix.empty()) {
    parts.push_back(fmt::format("the unit {}", format.suffix));
  }
  if (format.parentheses) parts.emplace_back("parentheses for negative numbers");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string in_its_clothes(double number, std::string digits, const NumberFormat& format) {
  if (format.clock) {
    const auto minutes = std::llround(60.0 * number);
    return fmt::format("{}:{:02}", minutes / 60, std::abs(minutes % 60));
  }
  const bool is_word = !format.suffix.empty() && format.suffix != "%";
  return fmt::format("{}{}{}{}", format.prefix, digits, is_word ? " " : "", format.suffix);
}

nlohmann::json number_format_to_json(const NumberFormat& format) {
  return {{"decimal_mark", mark_text(format.decimal_mark)},
          {"thousands_mark", mark_text(format.thousands_mark)},
          {"prefix", format.prefix},
          {"suffix", format.suffix},
          {"parentheses", format.parentheses},
          {"clock", format.clock}};
}

NumberFormat number_format_from_json(const nlohmann::json& json, const std::string& where) {
  const JsonFields fields(
      json, where, {"decimal_mark", "thousands_mark", "prefix", "suffix", "parentheses", "clock"});
  NumberFormat format;
  format.decimal_mark = mark_of(fields, "decimal_mark", ".,");
  format.thousands_mark = mark_of(fields, "thousands_mark", ",.' ");
  format.prefix = fields.text("prefix");
  format.suffix = fields.text("suffix");
  format.parentheses = fields.boolean("parentheses");
  format.clock = fields.boolean("clock");
  if (format.decimal_mark == '\0') fields.fail("there is no decimal mark");
  if (format.decimal_mark == format.thousands_mark) {
    fields.fail("one mark cannot separate both thousands and decimals");
  }
  return format;
}

}  // namespace knockout
