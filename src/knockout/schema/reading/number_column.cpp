// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_column.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/missing_words.h"
#include "knockout/schema/reading/clock_hours.h"
#include "knockout/schema/reading/compound_numbers.h"
#include "knockout/schema/reading/limits.h"
#include "knockout/schema/reading/number_clothes.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

constexpr std::size_t kSomeValues = 10;
constexpr std::size_t kGroupedCodes = 5;  ///< So many cells of one length are no chance.

/// Looks at all words of one column together.
class NumberColumn {
 public:
  NumberColumn(const std::vector<WordCount>& words, char file_mark)
      : words_(words), column_(words), file_mark_(file_mark) {}

  NumbersFound find(bool usual_gaps) {
    NumbersFound found;
    found.format = choose_format(column_, file_mark_);
    const bool parts = found.format.clock || found.format.compound != CompoundNumber::kNone;
    if (!parts) find_codes(found);
    sort_words(usual_gaps, found);
    if (are_grouped_codes(found.format)) found.some_values.clear();
    return found;
  }

 private:
  // --- what is no amount ---

  void find_codes(NumbersFound& found) const {
    const std::size_t all_cells = cells_of(words_);
    if (2 * column_.shape_cells < all_cells) return;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!column_.shapes[i] || !is_code(*column_.shapes[i])) continue;
      found.codes = true;
      found.code_word = words_[i].word;
      return;
    }
  }

  /// Telephone numbers such as 612 345 678: all are of one length, and none is below a million.
  bool are_grouped_codes(const NumberFormat& format) const {
    if (format.thousands_mark == '\0' || format.thousands_mark == ',') return false;
    std::size_t length = 0, grouped = 0;
    for (const std::optional<NumberShape>& shape : column_.shapes) {
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
        look_at_clothes(i, *value, found);
      } else if (usual_gaps && says_missing(word.word)) {
        found.words.gaps.push_back(word);
      } else if (find_limit(word.word, found.format)) {
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
    const CompoundNumber compound = format.compound;
    if (compound != CompoundNumber::kNone) return read_compound(words_[i].word, compound);
    const std::optional<NumberShape>& shape = column_.shapes[i];
    return shape ? read_shape(*shape, format) : std::nullopt;
  }

  /// What there is to tell about the way in which a number is written.
  void look_at_clothes(std::size_t i, double value, NumbersFound& found) const {
    const WordCount& word = words_[i];
    const bool plain = is_plain(word.word);
    const std::optional<NumberShape>& shape = column_.shapes[i];
    if (shape && is_flagged(*shape, found.format)) {
      found.flagged.push_back(word);
      return;
    }
    if (!plain && found.clothed_word.empty()) found.clothed_word = word.word;
    if (found.format.suffix != "%" || !shape || shape->suffix == "%") return;
    found.without_percent.push_back(word);
    found.only_shares = found.only_shares && value >= 0.0 && value <= 1.0;
  }

  static bool is_flagged(const NumberShape& shape, const NumberFormat& format) {
    const std::vector<std::string>& flags = format.flags;
    return !shape.flag.empty() ||
           std::find(flags.begin(), flags.end(), shape.suffix) != flags.end();
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
  const ShapedWords column_;
  const char file_mark_;
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
