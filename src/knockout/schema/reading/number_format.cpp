// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/data/csv_number.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/reading/clock_hours.h"
#include "knockout/schema/reading/compound_numbers.h"
#include "knockout/schema/reading/number_multiples.h"
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

bool is_known_flag(const NumberFormat& format, std::string_view flag) {
  return std::find(format.flags.begin(), format.flags.end(), flag) != format.flags.end();
}

/// Whether the body's marks say by themselves what they are, other than the training file's did:
/// then `format` gets them.
bool take_clear_marks(std::string_view body, NumberFormat& format) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t last = body.find_last_not_of(kDigits);
  if (last == std::string_view::npos) return false;
  const char mark = body[last];
  if (mark == '\'' || mark == ' ') {  // these never separate decimals
    format.thousands_mark = mark;
    return true;
  }
  const std::size_t first = body.find_first_not_of(kDigits);
  if (first != last && body[first] == mark) {  // 1,234,567
    format.thousands_mark = mark;
    format.decimal_mark = mark == '.' ? ',' : '.';
    return true;
  }
  const bool may_be_thousand = first == last && body.size() - last == 4 && body.find('0') != 0;
  if (may_be_thousand) return false;
  format.thousands_mark = first == last ? '\0' : body[first];
  format.decimal_mark = mark;
  return true;
}

/// Whether two cells name one currency, on whichever side.
bool have_same_currency(const NumberShape& shape, const NumberFormat& format) {
  const std::string& found = shape.prefix.empty() ? shape.suffix : shape.prefix;
  const std::string& known = format.prefix.empty() ? format.suffix : format.prefix;
  const std::string_view key = currency_key(found);
  return !key.empty() && key == currency_key(known) &&
         (shape.prefix.empty() || shape.suffix.empty());
}

}  // namespace

std::optional<double> read_shape(const NumberShape& shape, const NumberFormat& format) {
  if (!shape.prefix.empty() && shape.prefix != format.prefix) return std::nullopt;
  if (!shape.flag.empty() && !is_known_flag(format, shape.flag)) return std::nullopt;
  if (shape.parentheses && !format.parentheses) return std::nullopt;
  const int power = format.multiples ? power_of_multiple(shape.suffix) : 0;
  const bool known = shape.suffix.empty() || power != 0 || shape.suffix == format.suffix ||
                     is_known_flag(format, shape.suffix) ||
                     unit_key(shape.suffix) == unit_key(format.suffix);
  if (!known) return std::nullopt;
  return read_body(shape, format.decimal_mark, format.thousands_mark, power);
}

std::optional<double> read_number(std::string_view cell, const NumberFormat& format) {
  if (format.clock) return read_clock(cell);
  if (format.compound != CompoundNumber::kNone) return read_compound(cell, format.compound);
  if (format.decimal_mark == '.' && format.thousands_mark != '.') {  // most cells have no clothes
    const ParsedNumber plain = parse_number(cell, '.');
    if (plain.kind == NumberKind::kNumber) return plain.value;
  }
  const std::optional<NumberShape> shape = take_apart(cell);
  return shape ? read_shape(*shape, format) : std::nullopt;
}

std::optional<double> read_new_number(std::string_view cell, const NumberFormat& format) {
  const std::optional<double> number = read_number(cell, format);
  if (number || format.clock || format.compound != CompoundNumber::kNone) return number;
  std::optional<NumberShape> shape = take_apart(cell);
  if (!shape) return std::nullopt;
  NumberFormat other = format;
  other.parentheses = true;
  if (have_same_currency(*shape, format)) shape->prefix = shape->suffix = {};
  if (const auto otherwise_dressed = read_shape(*shape, other)) return otherwise_dressed;
  return take_clear_marks(shape->body, other) ? read_shape(*shape, other) : std::nullopt;
}

std::string format_text(const NumberFormat& format) {
  if (format.clock) return "hours and minutes, as hours";
  if (format.compound != CompoundNumber::kNone) return std::string(text_of(format.compound));
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
  if (format.multiples) parts.emplace_back("letters for thousands and millions");
  if (format.parentheses) parts.emplace_back("parentheses for negative numbers");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string in_its_clothes(double number, std::string digits, const NumberFormat& format) {
  if (format.clock) {
    const auto minutes = std::llround(60.0 * number);
    return fmt::format("{}:{:02}", minutes / 60, std::abs(minutes % 60));
  }
  if (format.compound == CompoundNumber::kDegrees) return digits + "°";
  if (format.compound == CompoundNumber::kFeet) return digits + " in";
  const bool is_word = !format.suffix.empty() && format.suffix != "%";
  return fmt::format("{}{}{}{}", format.prefix, digits, is_word ? " " : "", format.suffix);
}

nlohmann::json number_format_to_json(const NumberFormat& format) {
  nlohmann::json json = {{"decimal_mark", mark_text(format.decimal_mark)},
                         {"thousands_mark", mark_text(format.thousands_mark)},
                         {"prefix", format.prefix},
                         {"suffix", format.suffix},
                         {"parentheses", format.parentheses},
                         {"clock", format.clock},
                         {"multiples", format.multiples},
                         {"flags", format.flags}};
  // Absent in older files, and where there is none.
  if (format.compound != CompoundNumber::kNone) json["compound"] = name_of(format.compound);
  return json;
}

NumberFormat number_format_from_json(const nlohmann::json& json, const std::string& where) {
  const JsonFields fields(
      json, where, {"decimal_mark", "thousands_mark", "prefix", "suffix", "parentheses", "clock"},
      {"multiples", "flags", "compound"});
  NumberFormat format;
  format.decimal_mark = mark_of(fields, "decimal_mark", ".,");
  format.thousands_mark = mark_of(fields, "thousands_mark", ",.' ");
  format.prefix = fields.text("prefix");
  format.suffix = fields.text("suffix");
  format.parentheses = fields.boolean("parentheses");
  format.clock = fields.boolean("clock");
  if (fields.has("multiples")) format.multiples = fields.boolean("multiples");
  if (fields.has("flags")) format.flags = fields.texts("flags");
  if (fields.has("compound")) {
    const std::optional<CompoundNumber> compound = find_compound_name(fields.text("compound"));
    if (!compound) fields.fail("\"compound\" is no known form of numbers");
    format.compound = *compound;
  }
  if (format.decimal_mark == '\0') fields.fail("there is no decimal mark");
  if (format.decimal_mark == format.thousands_mark) {
    fields.fail("one mark cannot separate both thousands and decimals");
  }
  return format;
}

}  // namespace knockout
