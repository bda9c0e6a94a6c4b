// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/missing_words.h"
#include "knockout/schema/reading/clock_hours.h"
#include "knockout/schema/reading/limits.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

constexpr std::size_t kSomeValues = 10;
constexpr std::size_t kGroupedCodes = 5;  ///< So many cells of one length are no chance.

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
class NumberColumn {
 public:
  NumberColumn(const std::vector<WordCount>& words, char file_mark)
      : words_(words), file_mark_(file_mark), shapes_(words.size()) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      shapes_[i] = take_apart(words[i].word);
      if (shapes_[i]) shape_cells_ += words[i].cells;
    }
  }

  NumbersFound find(bool usual_gaps) {
    NumbersFound found;
    if (is_clock()) {
      found.format.clock = true;
    } else {
      choose_clothes(found.format);
      choose_marks(found.format);
      find_codes(found);
    }
    sort_words(usual_gaps, found);
    if (are_grouped_codes(found.format)) found.some_values.clear();
    return found;
  }

 private:
  // --- format ---

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
    if (is_doubtful_letter(format.suffix)) format.suffix.clear();
    std::size_t parentheses = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (shapes_[i] && shapes_[i]->parentheses) parentheses += words_[i].cells;
    }
    format.parentheses = parentheses > 0 && parentheses < shape_cells_;  // (1), (2), (3) is a list
  }

  bool is_doubtful_letter(std::string_view suffix) const {
    const bool letter = suffix.size() == 1 && suffix[0] != '%';
    if (!letter || is_letter_of_unit(suffix)) return false;
    return std::none_of(shapes_.begin(), shapes_.end(),
                        [](const auto& shape) { return shape && has_mark(*shape); });
  }

  void choose_marks(NumberFormat& format) const {
    std::array<std::size_t, kPossibleMarks.size()> cells = {};
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!shapes_[i] || !has_mark(*shapes_[i])) continue;
      for (std::size_t m = 0; m < kPossibleMarks.size(); ++m) {
        const auto [decimal, thousands] = kPossibleMarks[m];
        if (fits_marks(shapes_[i]->body, decimal, thousands)) cells[m] += words_[i].cells;
      }
    }
    // Where two fit equally well, the file's own decimal mark decides.
    const std::size_t first = file_mark_ == ',' ? kPossibleMarks.size() / 2 : 0;
    std::size_t best = first;
    for (std::size_t i = 0; i < kPossibleMarks.size(); ++i) {
      const std::size_t m = (first + i) % kPossibleMarks.size();
      if (cells[m] > cells[best]) best = m;
    }
    format.decimal_mark = kPossibleMarks[best].decimal;
    format.thousands_mark = kPossibleMarks[best].thousands;
  }

  // --- what is no amount ---

  void find_codes(NumbersFound& found) const {
    const std::size_t all_cells = cells_of(words_);
    if (2 * shape_cells_ < all_cells) return;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!shapes_[i] || !is_code(*shapes_[i])) continue;
      found.codes = true;
      found.code_word = words_[i].word;
      return;
    }
  }

  /// Telephone numbers such as 612 345 678: all are of one length, and none is below a million.
  bool are_grouped_codes(const NumberFormat& format) const {
    if (format.thousands_mark == '\0' || format.thousands_mark == ',') return false;
    std::size_t length = 0, grouped = 0;
    for (const std::optional<NumberShape>& shape : shapes_) {
      if (!shape) continue;
      const std::string& body = shape->body;
      const bool whole_groups = body.size() >= 11 && body.size() % 4 == 3 &&
                                body[3] == format.thousands_mark && shape->prefix.empty() &&
                                shape->suffix.empty();
      if (!whole_groups || (grouped > 0 && body.size() != length)) return false;
      length = body.size();
      ++grouped;
    }
    return grouped >= kGroupedCodes;
  }

  // --- words ---

  void sort_words(bool usual_gaps, NumbersFound& found) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const WordCount& word = words_[i];
      if (const std::optional<double> value = read(i, found.format)) {
        found.words.readable_cells += word.cells;
        keep_value(*value, found);
        if (found.clothed_word.empty() && !is_plain(word.word)) found.clothed_word = word.word;
      } else if (usual_gaps && says_missing(word.word)) {
        found.words.gaps.push_back(word);
      } else if (is_limit(word.word, found.format) ||
                 parse_number(word.word, '.').kind == NumberKind::kInfinity) {
        found.words.limits.push_back(word);
      } else {
        found.words.others.push_back(word);
      }
    }
    found.words.readable_words = found.some_values.size();
  }

  /// As read_number(), without taking the word apart again.
  std::optional<double> read(std::size_t i, const NumberFormat& format) const {
    if (format.clock) return read_clock(words_[i].word);
    const std::optional<NumberShape>& shape = shapes_[i];
    if (!shape || (!shape->prefix.empty() && shape->prefix != format.prefix)) return std::nullopt;
    if (!shape->suffix.empty() && shape->suffix != format.suffix &&
        unit_key(shape->suffix) != unit_key(format.suffix)) {
      return std::nullopt;
    }
    if (shape->parentheses && !format.parentheses) return std::nullopt;
    return read_body(*shape, format.decimal_mark, format.thousands_mark);
  }

  static bool is_plain(std::string_view word) {
    return parse_number(word, '.').kind == NumberKind::kNumber;
  }

  static void keep_value(double value, NumbersFound& found) {
    std::vector<double>& some = found.some_values;
    if (some.size() >= kSomeValues) return;
    if (std::find(some.begin(), some.end(), value) == some.end()) some.push_back(value);
  }

  const std::vector<WordCount>& words_;
  const char file_mark_;
  std::vector<std::optional<NumberShape>> shapes_;
  std::size_t shape_cells_ = 0;  ///< Of all words that have one.
};

}  // namespace

NumbersFound find_numbers(const std::vector<WordCount>& words, char file_mark, bool usual_gaps) {
  return NumberColumn(words, file_mark).find(usual_gaps);
}

bool are_category_codes(const NumbersFound& found, bool labels) {
  constexpr double kLargestCode = 20.0;
  if (found.some_values.size() >= kSomeValues || !found.format.is_plain()) return false;
  const auto is_small_code = [](double value) {
    return value >= 0.0 && value <= kLargestCode && value == std::trunc(value);
  };
  const auto is_category = [&](const WordCount& word) {
    const char lower = static_cast<char>(word.word[0] | 0x20);
    const bool letter = word.word.size() == 1 && lower >= 'a' && lower <= 'z';
    return word.cells >= 2 && (letter || labels);
  };
  return std::all_of(found.some_values.begin(), found.some_values.end(), is_small_code) &&
         std::any_of(found.words.others.begin(), found.words.others.end(), is_category);
}

}  // namespace knockout
