// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/reading_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/option.h"
#include "knockout/base/wording.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/reading/limits.h"

namespace knockout {
namespace {

bool is_single(const std::vector<WordCount>& words) { return words.size() == 1; }

/// What is to be said of years with two digits; "" where dates have four.
std::string short_years_text(const DateFormat& format) {
  const std::string& pattern = format.pattern;
  if (pattern.find("YY") == std::string::npos || pattern.find("YYYY") != std::string::npos) {
    return "";
  }
  return fmt::format(" Years up to {:02} are 20xx, later ones 19xx.", format.last_short_year);
}

}  // namespace

Note stray_words_note(const std::string& column, std::string_view what,
                      const std::vector<WordCount>& strays) {
  return {"stray_words", column,
          fmt::format(
              "\"{}\" holds {} but for {}, which {} taken as missing. If {}:  {}", column, what,
              listed_words(strays), is_single(strays) ? "is" : "are",
              what == "words" ? "only other words mean missing" : "the column holds categories",
              what == "words" ? field("only_missing_words", "NA") : field("categorical", column))};
}

Note detection_limit_note(const std::string& column, const NumbersFound& found,
                          const std::vector<WordCount>& limits) {
  bool below = false, above = false;
  for (const WordCount& limit : limits) {
    const bool low = find_limit(limit.word, found.format) == CellState::kBelowLimit;
    (low ? below : above) = true;
  }
  return {
      "detection_limit", column,
      fmt::format("\"{}\": {} {} beyond a limit of detection and {} taken as missing for a "
                  "reason{}. If nothing is known about why:  {}",
                  column, listed_words(limits), is_single(limits) ? "lies" : "lie",
                  is_single(limits) ? "is" : "are", below && above ? ", below and above apart" : "",
                  field("missing_words", limits.front().word))};
}

Note flags_note(const std::string& column, const NumbersFound& found) {
  const std::string_view example = found.flagged.front().word;
  const double value = read_number(example, found.format).value_or(0.0);
  return {"flags", column,
          fmt::format("\"{}\" holds numbers with remarks ({} in {}), which are dropped: \"{}\" is "
                      "{}. If it holds names:  {}",
                      column, fmt::join(found.format.flags, ", "),
                      plural(cells_of(found.flagged), "cell"), example, label_of_number(value),
                      field("categorical", column))};
}

Note percent_mix_note(const std::string& column, const NumbersFound& found) {
  const std::string_view example = found.without_percent.front().word;
  return {"percent_mix", column,
          fmt::format("\"{}\" holds percent and {} without a percent sign, all between 0 and 1. "
                      "They are taken as they are, \"{}\" as {} and \"{}\" as {}: if they are "
                      "shares of 1, write all in one way. If it holds names:  {}",
                      column, plural(cells_of(found.without_percent), "number"), found.clothed_word,
                      label_of_number(read_number(found.clothed_word, found.format).value_or(0.0)),
                      example, label_of_number(read_number(example, found.format).value_or(0.0)),
                      field("categorical", column))};
}

Note number_like_note(const std::string& column, const std::string& why) {
  return {
      "number_like", column,
      fmt::format("\"{}\" {}: it is taken as words. Write them as plain numbers, or split them. "
                  "If they are words:  {}",
                  column, why, field("categorical", column))};
}

Note infinite_note(const std::string& column, std::size_t cells) {
  return {"infinite", column,
          fmt::format("\"{}\" holds infinite numbers ({}), which are no amounts and are taken as "
                      "missing for a reason. If nothing is known about why:  {}",
                      column, plural(cells, "cell"), field("missing_words", "inf,-inf,Inf,-Inf"))};
}

Note number_format_note(const std::string& column, const NumbersFound& found) {
  const std::string how = format_text(found.format);
  const double value = read_number(found.clothed_word, found.format).value_or(0.0);
  return {"number_format", column,
          fmt::format("\"{}\" is read as numbers{}{}: \"{}\" is {}. If it holds names:  {}", column,
                      how.empty() ? "" : " with ", how, found.clothed_word, shown_number(value),
                      field("categorical", column))};
}

Note decimal_comma_note(const NumbersFound& found) {
  const double value = read_number(found.clothed_word, found.format).value_or(0.0);
  return {"decimal_comma", "",
          fmt::format("Numbers have a decimal comma: \"{}\" is {}. If not:  {}", found.clothed_word,
                      shown_number(value), field("decimal_mark", "."))};
}

Note code_note(const std::string& column, std::string_view example) {
  return {"code", column,
          fmt::format("\"{}\" holds digits that are names rather than amounts, such as \"{}\". If "
                      "they are amounts:  {}",
                      column, example, field("continuous", column))};
}

Note date_format_note(const std::string& column, const std::string& example, const std::string& iso,
                      const DateFormat& format) {
  return {"date_format", column,
          fmt::format("\"{}\" holds dates ({}): \"{}\" is {}.{} If it holds names:  {}", column,
                      format.pattern, example, iso, short_years_text(format),
                      field("categorical", column))};
}

Note ambiguous_date_note(const std::string& column, const std::string& example,
                         const std::string& iso, const DateFormat& format) {
  const bool day_first = format.order == DateOrder::kDayFirst;
  return {"ambiguous_date", column,
          fmt::format("\"{}\" holds dates in which day and month could be swapped; the {} is taken "
                      "to come first: \"{}\" is {}.{} If the {} does:  {}",
                      column, day_first ? "day" : "month", example, iso, short_years_text(format),
                      day_first ? "month" : "day", field("date_order", day_first ? "mdy" : "dmy"))};
}

Note sorted_date_note(const std::string& column, const std::string& example, const std::string& iso,
                      const DateFormat& format) {
  const bool day_first = format.order == DateOrder::kDayFirst;
  return {
      "date_format", column,
      fmt::format("\"{}\" holds dates ({}), by which the rows are in order only if the {} comes "
                  "first: \"{}\" is {}.{} If the {} does:  {}",
                  column, format.pattern, day_first ? "day" : "month", example, iso,
                  short_years_text(format), day_first ? "month" : "day",
                  field("date_order", day_first ? "mdy" : "dmy"))};
}

Note none_note(const std::string& column, std::size_t cells) {
  return {"none_is_missing", column,
          fmt::format("\"{}\": \"None\" ({}) is taken as missing. If it is a category, list "
                      "the words that do mean missing:  {}",
                      column, plural(cells, "cell"), field("only_missing_words", "NA"))};
}

Note sentinel_note(const std::string& column, const std::vector<Sentinel>& sentinels) {
  std::vector<std::string> values, counted;
  for (const Sentinel& sentinel : sentinels) {
    values.push_back(label_of_number(sentinel.value));
    counted.push_back(fmt::format("{} ({})", values.back(), plural(sentinel.cells, "cell")));
  }
  return {"sentinel", column,
          fmt::format("\"{}\" holds {}, far from all other values. If {} missing:  {}", column,
                      fmt::join(counted, ", "), values.size() == 1 ? "it means" : "they mean",
                      field("missing_in", fmt::format("{}={}", column, fmt::join(values, ","))))};
}

Note date_sentinel_note(const std::string& column, const std::vector<WordCount>& dates) {
  std::vector<std::string_view> words;
  words.reserve(dates.size());
  for (const WordCount& date : dates) words.push_back(date.word);
  return {"sentinel", column,
          fmt::format("\"{}\" holds {}, far from all other dates. If {} missing:  {}", column,
                      listed_words(dates), is_single(dates) ? "it means" : "they mean",
                      field("missing_in", fmt::format("{}={}", column, fmt::join(words, ","))))};
}

Note unreadable_note(const std::string& column, std::string_view what,
                     const std::vector<WordCount>& words) {
  return {"unreadable", column,
          fmt::format("\"{}\": {} cannot be read as {} and {} taken as missing.", column,
                      listed_words(words), what, is_single(words) ? "is" : "are")};
}

}  // namespace knockout
