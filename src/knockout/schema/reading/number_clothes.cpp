// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_clothes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "knockout/base/seeded_hash.h"
#include "knockout/schema/reading/clock_hours.h"
#include "knockout/schema/reading/compound_numbers.h"
#include "knockout/schema/reading/durations.h"
#include "knockout/schema/reading/number_flags.h"
#include "knockout/schema/reading/number_multiples.h"

namespace knockout {
namespace {

/// So many different numbers without a flag are no steps of a scale, of which some have a star.
constexpr std::size_t kWordsBesideFlags = 8;
/// The same where the flags are no letters, and the numbers have decimals.
constexpr std::size_t kWordsBesideStars = 3;
constexpr std::size_t kMostFlags = 8;

struct Marks {
  char decimal, thousands;
};
constexpr std::array<Marks, 8> kPossibleMarks = {{{'.', '\0'},
                                                  {'.', ','},
                                                  {'.', '\''},
                                                  {'.', ' '},
                                                  {',', '\0'},
                                                  {',', '.'},
                                                  {',', '\''},
                                                  {',', ' '}}};

bool has_mark(const NumberShape& shape) {
  return shape.body.find_first_not_of("0123456789") != std::string::npos;
}

/// Letters that are units even if every cell is a whole number; 4B may be a flat.
bool is_letter_of_unit(std::string_view key) {
  return std::string_view("gmshdlyxkLMK").find(key[0]) != std::string_view::npos;
}

/// Looks at all words of one column together.
class FormatChooser {
 public:
  explicit FormatChooser(const ShapedWords& column)
      : words_(column.words), shapes_(column.shapes), shape_cells_(column.shape_cells) {}

  NumberFormat choose(char file_mark) const {
    NumberFormat format;
    format.clock = is_clock() || are_durations();
    if (format.clock) return format;
    format.compound = find_compound(words_);
    if (format.compound != CompoundNumber::kNone) return format;
    choose_clothes(format);
    choose_multiples(format);
    choose_flags(format);
    choose_marks(format, file_mark);
    return format;
  }

 private:
  bool is_clock() const {
    std::size_t cells = 0;
    bool ratios = true;  // 1:10, 1:20: a titre
    for (const WordCount& word : words_) {
      if (word.word.find(':') == std::string_view::npos || !read_clock(word.word)) continue;
      cells += word.cells;
      ratios = ratios && word.word.starts_with("1:");
    }
    return cells > shape_cells_ && !ratios;
  }

  /// Hours and minutes in words, if there is more than one unit: "45 min" alone is a number of
  /// minutes.
  bool are_durations() const {
    std::set<double> units;
    std::size_t cells = 0;
    bool several = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::optional<NumberShape>& shape = shapes_[i];
      if (shape && shape->suffix.empty()) return false;
      const std::string_view word = words_[i].word;
      if (word.find(':') != std::string_view::npos || !read_clock(word)) continue;  // 14:30
      cells += words_[i].cells;
      if (shape) units.insert(seconds_of_unit(unit_key(shape->suffix)));
      several = several || !shape;  // 1h 20min
    }
    return (several || units.size() >= 2) && 2 * cells > cells_of(words_);
  }

  /// The prefix or suffix that most cells have, as most of those write it; "" if none has most.
  template <typename KeyOf>
  std::string common(std::string NumberShape::*part, KeyOf key_of) const {
    HashMap<std::string, std::size_t> cells_of_spelling;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!shapes_[i] || ((*shapes_[i]).*part).empty()) continue;
      cells_of_spelling[(*shapes_[i]).*part] += words_[i].cells;
    }
    std::map<std::string, std::map<std::string, std::size_t>> spellings;
    std::map<std::string, std::size_t> cells;
    for (const auto& [spelling, count] : cells_of_spelling) {
      const std::string key = key_of(spelling);
      spellings[key][spelling] += count;
      cells[key] += count;
    }
    const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto best = std::max_element(cells.begin(), cells.end(), more);
    if (best == cells.end() || 2 * best->second <= shape_cells_) return "";
    const auto& written = spellings[best->first];
    return std::max_element(written.begin(), written.end(), more)->first;
  }

  void choose_clothes(NumberFormat& format) const {
    format.prefix = common(&NumberShape::prefix, [](const std::string& text) { return text; });
    format.suffix =
        common(&NumberShape::suffix, [](const std::string& text) { return unit_key(text); });
    if (is_doubtful_letter(format.suffix) || is_high_mark(format.suffix)) format.suffix.clear();
    std::size_t parentheses = 0;
    bool amounts = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!shapes_[i] || !shapes_[i]->parentheses) continue;
      parentheses += words_[i].cells;
      amounts = amounts || has_mark(*shapes_[i]) || !shapes_[i]->prefix.empty();
    }
    // (1), (2), (3) is a list.
    format.parentheses = parentheses > 0 && (parentheses < shape_cells_ || amounts);
  }

  /// Beside plain numbers, "H" is what laboratories write, even if most values are high.
  bool is_high_mark(std::string_view suffix) const {
    return (suffix == "H" || suffix == "HH" || suffix == "(H)") &&
           std::any_of(shapes_.begin(), shapes_.end(),
                       [](const auto& shape) { return shape && shape->suffix.empty(); });
  }

  bool is_doubtful_letter(std::string_view suffix) const {
    const bool letter = suffix.size() == 1 && suffix[0] != '%';
    if (!letter || is_letter_of_unit(suffix)) return false;
    return std::none_of(shapes_.begin(), shapes_.end(),
                        [](const auto& shape) { return shape && has_mark(*shape); });
  }

  /// K and M side by side, or one of them beside plain numbers. All K may be Kelvin, 12K a house.
  void choose_multiples(NumberFormat& format) const {
    std::set<int> powers;
    bool plain = false, amounts = false, doubtful = true;
    for (const std::optional<NumberShape>& shape : shapes_) {
      if (!shape) continue;
      if (shape->suffix.empty()) {
        plain = true;
        continue;
      }
      const int power = power_of_multiple(shape->suffix);
      if (power == 0 || (shape->spaced && shape->suffix.size() == 1)) return;
      powers.insert(power);
      amounts = amounts || has_mark(*shape) || !shape->prefix.empty();
      doubtful = doubtful && is_doubtful_multiple(shape->suffix);
    }
    const bool several = powers.size() >= 2 || (plain && powers.size() == 1);
    if (!several || !amounts || doubtful) return;
    format.multiples = true;
    format.suffix.clear();
  }

  /// The flag of a shape, "" if it has none.
  std::string_view flag_of(const NumberShape& shape, const NumberFormat& format) const {
    if (!shape.flag.empty()) return shape.flag;
    const std::string& letters = shape.suffix;
    if (letters.empty() || unit_key(letters) == unit_key(format.suffix)) return {};
    // 12H may be a flat, 5.6H is none.
    const bool apart = shape.spaced || has_mark(shape);
    return apart && !format.multiples && is_letter_flag(letters) ? letters : std::string_view();
  }

  /// Remarks beside a minority of the numbers. If some letters are no flags, none are.
  void choose_flags(NumberFormat& format) const {
    std::set<std::string> flags;
    std::vector<std::string> letters;
    std::size_t flagged_cells = 0, words_without = 0;
    bool decimals = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!shapes_[i]) continue;
      decimals = decimals || has_mark(*shapes_[i]);
      const std::string_view flag = flag_of(*shapes_[i], format);
      if (flag.empty()) {
        ++words_without;
        continue;
      }
      flagged_cells += words_[i].cells;
      flags.emplace(flag);
      if (is_letter_flag(flag)) letters.emplace_back(flag);
    }
    const bool stars = letters.empty() && decimals;
    const std::size_t least_without = stars ? kWordsBesideStars : kWordsBesideFlags;
    if (flags.empty() || flags.size() > kMostFlags || words_without < least_without) return;
    // A star is no unit, however many have one; a letter that most have is.
    const bool laboratory = flags.contains("H") || flags.contains("(H)");
    if (!stars && !laboratory && 2 * flagged_cells > shape_cells_) return;
    if (!letters.empty() && !are_letter_flags(letters)) return;
    const bool undecided = std::any_of(letters.begin(), letters.end(),
                                       [](const auto& letter) { return needs_decimals(letter); });
    if (undecided && !decimals) return;
    format.flags.assign(flags.begin(), flags.end());
  }

  void choose_marks(NumberFormat& format, char file_mark) const {
    std::array<std::size_t, kPossibleMarks.size()> cells = {};
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!shapes_[i] || !has_mark(*shapes_[i])) continue;
      for (std::size_t m = 0; m < kPossibleMarks.size(); ++m) {
        const auto [decimal, thousands] = kPossibleMarks[m];
        if (fits_marks(shapes_[i]->body, decimal, thousands)) cells[m] += words_[i].cells;
      }
    }
    // Where two fit equally well, the file's own decimal mark decides.
    const std::size_t first = file_mark == ',' ? kPossibleMarks.size() / 2 : 0;
    std::size_t best = first;
    for (std::size_t i = 0; i < kPossibleMarks.size(); ++i) {
      const std::size_t m = (first + i) % kPossibleMarks.size();
      if (cells[m] > cells[best]) best = m;
    }
    format.decimal_mark = kPossibleMarks[best].decimal;
    format.thousands_mark = kPossibleMarks[best].thousands;
  }

  const std::vector<WordCount>& words_;
  const std::vector<std::optional<NumberShape>>& shapes_;
  const std::size_t shape_cells_;
};

}  // namespace

ShapedWords::ShapedWords(const std::vector<WordCount>& all) : words(all), shapes(all.size()) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    shapes[i] = take_apart(all[i].word);
    if (shapes[i]) shape_cells += all[i].cells;
  }
}

NumberFormat choose_format(const ShapedWords& column, char file_mark) {
  return FormatChooser(column).choose(file_mark);
}

}  // namespace knockout
