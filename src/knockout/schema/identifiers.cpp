// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/identifiers.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/seeded_hash.h"
#include "knockout/schema/column_names.h"
#include "knockout/schema/reading/number_like.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {
namespace {

constexpr std::size_t kRowsOfNames = 20;  ///< Fewer words are all different by chance.
/// The same for P-0001, P-0002 and for names that tell.
constexpr std::size_t kRowsOfPatterns = 10;
constexpr std::size_t kManyWords = 50;  ///< So many may be mostly different, and names.
constexpr std::size_t kRowsOfText = 10;
constexpr std::size_t kFewTexts = 5;
constexpr std::size_t kWordsOfText = 3;

constexpr std::size_t kRowsOfNumbered = 8;  ///< For a column called id that counts from 1.
constexpr std::size_t kFewSubjects = 10;    ///< Fewer that repeat are groups.

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_letter(char c) {
  return is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// "P-0001" is "A-9": runs of letters and of digits.
std::string pattern_of(std::string_view word) {
  std::string pattern;
  for (const char c : word) {
    const char kind = is_decimal_digit(c) ? '9' : is_word_letter(c) ? 'A' : c;
    const bool run = !pattern.empty() && pattern.back() == kind && (kind == '9' || kind == 'A');
    if (!run) pattern += kind;
  }
  return pattern;
}

bool is_uuid(std::string_view word) {
  if (word.size() != 36) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char lower = static_cast<char>(word[i] | 0x20);
    const bool hex = is_decimal_digit(word[i]) || (lower >= 'a' && lower <= 'f');
    if (dash ? word[i] != '-' : !hex) return false;
  }
  return true;
}

std::size_t blank_separated(std::string_view text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && (i == 0 || text[i - 1] == ' ')) ++words;
  }
  return words;
}

/// Calls `is` for the words in use until it says no.
template <typename Predicate>
bool all_words(const Column& column, Predicate is) {
  for (const std::int32_t code : column.codes()) {
    if (code >= 0 && !is(column.words()[static_cast<std::size_t>(code)])) return false;
  }
  return true;
}

bool have_one_pattern(const Column& column) {
  std::string pattern;
  const bool one = all_words(column, [&](const std::string& word) {
    std::string found = pattern_of(word);
    if (pattern.empty()) pattern = found;
    return found == pattern;
  });
  const bool has_figures = pattern.find('9') != std::string::npos;
  const bool telephone = pattern.starts_with("(9)") || pattern.starts_with("+9");
  return one && has_figures && (telephone || pattern.find('A') != std::string::npos);
}

bool all_numbers_differ(const Column& column, const ColumnProfile& profile) {
  if (profile.strictly_monotone) return true;
  std::vector<double> sorted;
  sorted.reserve(profile.observed);
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.observed(row)) sorted.push_back(column.number(row));
  }
  // Most columns repeat a number soon: do not sort all of them to find out.
  constexpr std::size_t kSample = 1000;
  const auto differ = [](auto begin, auto end) {
    std::sort(begin, end);
    return std::adjacent_find(begin, end) == end;
  };
  const auto some = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(kSample, sorted.size()));
  return differ(sorted.begin(), some) && differ(sorted.begin(), sorted.end());
}

/// A patient's number in each row of the patient's visits.
bool are_repeated_subjects(const Column& column, const ColumnProfile& profile) {
  const bool named = name_says_subject_id(column.name());
  if (!named && !name_says_subject(column.name())) return false;
  if (column.is_text()) {
    // "Subject" may also be what is taught.
    return profile.distinct_words >= kFewSubjects && (named || have_one_pattern(column));
  }
  HashSet<double> different;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.observed(row)) different.insert(column.number(row));
    if (different.size() >= kFewSubjects) return true;
  }
  return false;
}

RowNames identifier(std::string_view why) {
  return {"identifier", fmt::format("looks like an identifier ({})", why)};
}

RowNames subjects() { return identifier("names what a row is about, which may have several rows"); }

std::optional<RowNames> names_by_look(const Column& column, const ColumnProfile& profile) {
  const std::size_t words = profile.distinct_words, cells = profile.observed;
  if (words >= 2 && all_words(column, is_uuid)) return identifier("UUIDs");
  if (2 * words <= cells) {
    return are_repeated_subjects(column, profile) ? std::optional(subjects()) : std::nullopt;
  }
  // A remark is rare: the table may be long where the texts are few.
  const bool few_texts = cells >= kFewTexts && words == cells && profile.rows >= kRowsOfNames;
  if ((cells >= kRowsOfText || few_texts) && all_words(column, [](const std::string& text) {
        return blank_separated(text) >= kWordsOfText;
      })) {
    return RowNames{
        "free_text",
        fmt::format("looks like free text ({} different texts in {} cells)", words, cells)};
  }
  const std::string count = fmt::format("{} different words in {} cells", words, cells);
  if (counts_like_names(words, cells)) return identifier(count);
  const bool digits = profile.first_non_number == kNoRow;
  if (digits && cells >= kRowsOfNames && 20 * words >= 19 * cells) return identifier(count);
  const bool tells = name_says_identifier(column.name()) || have_one_pattern(column);
  if (words == cells && cells >= kRowsOfPatterns && tells) return identifier(count);
  return are_repeated_subjects(column, profile) ? std::optional(subjects()) : std::nullopt;
}

}  // namespace

bool counts_like_names(std::size_t words, std::size_t cells) {
  if (2 * words <= cells) return false;
  return words > kManyWords || (words == cells && cells >= kRowsOfNames);
}

std::optional<RowNames> row_names_of_words(const Column& column, const ColumnProfile& profile) {
  std::optional<RowNames> names = names_by_look(column, profile);
  if (!names || 2 * profile.distinct_words <= profile.observed) return names;
  if (const std::string why = why_no_numbers(count_words(column)); !why.empty()) {
    // Of fewer words it was said when the table was read, and they are categories.
    if (!counts_like_names(profile.distinct_words, profile.observed)) return std::nullopt;
    return RowNames{"number_like", why + " (write them as plain numbers, or split them)"};
  }
  return names;
}

std::optional<RowNames> row_names_of_numbers(const Column& column, const ColumnProfile& profile) {
  if (!profile.all_integers || name_says_time(column.name())) return std::nullopt;
  const bool named = name_says_identifier(column.name());
  const double range = profile.high - profile.low + 1.0;
  const bool counted = named && (profile.low == 0.0 || profile.low == 1.0) &&
                       range == static_cast<double>(profile.observed);
  const std::size_t least = counted ? kRowsOfNumbered : named ? kRowsOfPatterns : kRowsOfNames;
  if (profile.observed < least) return std::nullopt;
  const bool years = profile.low >= 1800.0 && profile.high <= 2100.0;
  if (years && !named) return std::nullopt;
  const bool dense = range <= 1.5 * static_cast<double>(profile.observed) && !profile.has_gaps();
  // As today, numbers in order are an index however far apart they are, if there are many.
  const bool index =
      profile.strictly_monotone && !profile.has_gaps() && profile.observed >= kManyWords;
  if ((dense || named || index) && all_numbers_differ(column, profile)) {
    return identifier(profile.strictly_monotone ? "whole numbers in order, no two alike"
                                                : "whole numbers, no two alike");
  }
  return are_repeated_subjects(column, profile) ? std::optional(subjects()) : std::nullopt;
}

}  // namespace knockout
