// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/compound_numbers.h"

#include <algorithm>
#include <array>
#include <string>

#include "knockout/data/csv_number.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestCompound = 32;

struct CompoundForm {
  CompoundNumber form;
  std::string_view name, text;
};
constexpr std::array<CompoundForm, 3> kForms = {
    {{CompoundNumber::kFeet, "feet", "feet and inches, as inches"},
     {CompoundNumber::kDegrees, "degrees",
      "degrees, minutes and seconds, as degrees (south and west are negative)"},
     {CompoundNumber::kFractions, "fractions", "fractions"}}};

struct VulgarFraction {
  std::string_view sign;
  double value;
};
constexpr std::array<VulgarFraction, 9> kVulgar = {{{"½", 0.5},
                                                    {"¼", 0.25},
                                                    {"¾", 0.75},
                                                    {"⅓", 1.0 / 3.0},
                                                    {"⅔", 2.0 / 3.0},
                                                    {"⅛", 0.125},
                                                    {"⅜", 0.375},
                                                    {"⅝", 0.625},
                                                    {"⅞", 0.875}}};

/// Reads a cell from left to right.
class CompoundCursor {
 public:
  explicit CompoundCursor(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  void skip_blanks() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  /// Drops the first of the signs that is next, and blanks before and after it.
  template <std::size_t Size>
  bool take(const std::array<std::string_view, Size>& signs) {
    skip_blanks();
    for (const std::string_view sign : signs) {
      if (!rest_.starts_with(sign)) continue;
      rest_.remove_prefix(sign.size());
      skip_blanks();
      return true;
    }
    return false;
  }
  /// Digits with at most one point.
  std::optional<double> number() {
    std::size_t end = 0;
    while (end < rest_.size() && ((rest_[end] >= '0' && rest_[end] <= '9') || rest_[end] == '.')) {
      ++end;
    }
    if (end == 0 || end > 9 || rest_[0] == '.') return std::nullopt;
    std::string digits(rest_.substr(0, end));
    while (digits.size() > 1 && digits[0] == '0' && digits[1] != '.') digits.erase(0, 1);  // 05'
    const ParsedNumber parsed = parse_number(digits, '.');
    if (parsed.kind != NumberKind::kNumber) return std::nullopt;
    rest_.remove_prefix(end);
    return parsed.value;
  }
  std::optional<int> whole() {
    const std::optional<double> found = number();
    if (!found || *found != static_cast<int>(*found)) return std::nullopt;
    return static_cast<int>(*found);
  }
  char peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  void drop() { rest_.remove_prefix(1); }

 private:
  std::string_view rest_;
};

constexpr std::array<std::string_view, 7> kFootSigns = {"'", "′", "feet", "foot", "ft.", "ft", "`"};
constexpr std::array<std::string_view, 7> kInchSigns = {"\"",     "″",    "''", "”",
                                                        "inches", "inch", "in."};
constexpr std::array<std::string_view, 1> kShortInch = {"in"};
constexpr std::array<std::string_view, 2> kDegreeSigns = {"°", "º"};
constexpr std::array<std::string_view, 2> kMinuteSigns = {"'", "′"};
constexpr std::array<std::string_view, 4> kSecondSigns = {"\"", "″", "''", "”"};

bool take_inch_sign(CompoundCursor& text) { return text.take(kInchSigns) || text.take(kShortInch); }

std::optional<double> read_feet(CompoundCursor text, bool must_have_inches = false) {
  const std::optional<int> feet = text.whole();
  if (!feet || !text.take(kFootSigns)) return std::nullopt;
  if (text.at_end()) return must_have_inches ? std::nullopt : std::optional(12.0 * *feet);
  const std::optional<double> inches = text.number();
  if (!inches || *inches >= 12.0) return std::nullopt;
  take_inch_sign(text);
  return text.at_end() ? std::optional(12.0 * *feet + *inches) : std::nullopt;
}

/// Minutes or seconds of arc, if there are any; false where they are no such thing.
template <std::size_t Size>
bool take_sixtieth(CompoundCursor& text, const std::array<std::string_view, Size>& signs,
                   std::optional<double>& value) {
  if (text.peek() < '0' || text.peek() > '9') return true;
  value = text.number();
  return value && *value < 60.0 && text.take(signs);
}

std::optional<double> read_degrees(CompoundCursor text) {
  const bool minus = text.peek() == '-';
  if (minus) text.drop();
  const std::optional<double> degrees = text.number();
  if (!degrees || *degrees > 360.0 || !text.take(kDegreeSigns)) return std::nullopt;
  std::optional<double> minutes, seconds;
  if (!take_sixtieth(text, kMinuteSigns, minutes)) return std::nullopt;
  if (minutes && !take_sixtieth(text, kSecondSigns, seconds)) return std::nullopt;
  const char side = text.peek();
  const bool has_side = side == 'N' || side == 'S' || side == 'E' || side == 'W';
  if (has_side) text.drop();
  // 23° alone is a temperature or an angle: a number with a unit.
  if (!text.at_end() || (!has_side && !minutes) || (has_side && minus)) return std::nullopt;
  const double size = *degrees + minutes.value_or(0.0) / 60.0 + seconds.value_or(0.0) / 3600.0;
  return minus || side == 'S' || side == 'W' ? -size : size;
}

bool is_usual_denominator(int number) {
  constexpr std::array<int, 11> kUsual = {2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64};
  return std::find(kUsual.begin(), kUsual.end(), number) != kUsual.end();
}

struct Fraction {
  double value = 0.0;
  bool sure = false;  ///< 3/8 alone may also be a day, odds or marks; 1 3/8, ½ and 3/8" are not.
};

std::optional<Fraction> read_fraction_parts(std::string_view cell) {
  for (const VulgarFraction& vulgar : kVulgar) {
    if (!cell.ends_with(vulgar.sign)) continue;
    CompoundCursor whole(cell.substr(0, cell.size() - vulgar.sign.size()));
    if (whole.at_end()) return Fraction{vulgar.value, true};
    const std::optional<int> number = whole.whole();
    whole.skip_blanks();
    if (!number || !whole.at_end()) return std::nullopt;
    return Fraction{*number + vulgar.value, true};
  }
  CompoundCursor text(cell);
  std::optional<int> numerator = text.whole();
  int whole = 0;
  const bool mixed = numerator && (text.peek() == ' ' || text.peek() == '-');
  if (mixed) {
    text.drop();
    text.skip_blanks();
    whole = *numerator;
    numerator = text.whole();
  }
  if (!numerator || text.peek() != '/') return std::nullopt;
  text.drop();
  const std::optional<int> denominator = text.whole();
  if (!denominator || !is_usual_denominator(*denominator) || *numerator < 1 ||
      *numerator >= *denominator) {
    return std::nullopt;
  }
  const bool inches = take_inch_sign(text);
  if (!text.at_end()) return std::nullopt;
  return Fraction{whole + static_cast<double>(*numerator) / *denominator, mixed || inches};
}

std::optional<double> read_fraction(std::string_view cell) {
  const std::optional<Fraction> fraction = read_fraction_parts(cell);
  return fraction ? std::optional(fraction->value) : std::nullopt;
}

std::optional<double> read_plain(std::string_view cell) {
  if (cell.ends_with('"')) cell.remove_suffix(1);
  const ParsedNumber number = parse_number(cell, '.');
  return number.kind == NumberKind::kNumber ? std::optional(number.value) : std::nullopt;
}

bool are_fractions(const std::vector<WordCount>& words) {
  const auto may_be_one = [](const WordCount& word) {
    return word.word.find_first_of("/\xC2\xE2") != std::string_view::npos;
  };
  if (std::none_of(words.begin(), words.end(), may_be_one)) return false;  // most columns
  std::size_t sure = 0, readable = 0;
  for (const WordCount& word : words) {
    if (word.word.size() > kLongestCompound) continue;
    const std::string plain = plain_marks(word.word);
    const std::optional<Fraction> fraction = read_fraction_parts(plain);
    sure += fraction && fraction->sure ? word.cells : 0;
    readable += fraction || read_plain(plain) ? word.cells : 0;
  }
  return sure >= 2 && 5 * readable >= 4 * cells_of(words);
}

}  // namespace

std::optional<double> read_compound(std::string_view cell, CompoundNumber form) {
  if (cell.empty() || cell.size() > kLongestCompound) return std::nullopt;
  const std::string plain = plain_marks(cell);
  const std::optional<double> value =
      form == CompoundNumber::kFeet      ? read_feet(CompoundCursor(plain))
      : form == CompoundNumber::kDegrees ? read_degrees(CompoundCursor(plain))
                                         : read_fraction(plain);
  return value ? value : read_plain(plain);
}

CompoundNumber find_compound(const std::vector<WordCount>& words) {
  std::size_t feet = 0, degrees = 0;
  for (const WordCount& word : words) {
    const bool has_sign = word.word.find_first_of("'\"f`\xC2\xE2") != std::string_view::npos;
    if (!has_sign || word.word.size() > kLongestCompound) continue;  // most words
    const std::string plain = plain_marks(word.word);
    // 5 ft and 6 ft, without inches anywhere, are a number with a unit.
    feet += read_feet(CompoundCursor(plain), true) ? word.cells : 0;
    degrees += read_degrees(CompoundCursor(plain)) ? word.cells : 0;
  }
  const std::size_t cells = cells_of(words);
  if (2 * feet > cells) return CompoundNumber::kFeet;
  if (2 * degrees > cells) return CompoundNumber::kDegrees;
  return are_fractions(words) ? CompoundNumber::kFractions : CompoundNumber::kNone;
}

std::string_view text_of(CompoundNumber form) {
  for (const CompoundForm& known : kForms) {
    if (known.form == form) return known.text;
  }
  return "";
}

std::string_view name_of(CompoundNumber form) {
  for (const CompoundForm& known : kForms) {
    if (known.form == form) return known.name;
  }
  return "";
}

std::optional<CompoundNumber> find_compound_name(std::string_view name) {
  for (const CompoundForm& known : kForms) {
    if (known.name == name) return known.form;
  }
  return std::nullopt;
}

}  // namespace knockout
