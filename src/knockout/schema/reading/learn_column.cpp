// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/learn_column.h"

#include <algorithm>
#include <map>

#include "knockout/data/missing_words.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/reading/calendar_date.h"
#include "knockout/schema/reading/clock_hours.h"
#include "knockout/schema/reading/code_numbers.h"
#include "knockout/schema/reading/date_sentinels.h"
#include "knockout/schema/reading/note_numbers.h"
#include "knockout/schema/reading/number_column.h"
#include "knockout/schema/reading/number_like.h"
#include "knockout/schema/reading/number_shape.h"
#include "knockout/schema/reading/reading_notes.h"

namespace knockout {
namespace {

using ReadForm = ColumnReading::Form;

constexpr std::size_t kSampledWords = 256;
constexpr std::string_view kNone = "None";

bool is_date_word(std::string_view word) {
  return parse_calendar(word, DateOrder::kDayFirst) ||
         parse_calendar(word, DateOrder::kMonthFirst) ||
         parse_calendar(word, DateOrder::kYearFirst);
}

/// Whether most of a sample of the words, or one of few, is such a word.
template <typename Predicate>
bool sample_says(const std::vector<WordCount>& words, Predicate is_such) {
  const std::size_t step = std::max<std::size_t>(1, words.size() / kSampledWords);
  std::size_t sampled = 0, such = 0;
  for (std::size_t i = 0; i < words.size(); i += step) {
    ++sampled;
    such += is_such(words[i].word) ? 1U : 0U;
  }
  // Among few, most may be ways to say missing. Many different ones are not.
  return words.size() > kSampledWords ? 2 * such >= sampled : such > 0;
}

/// Those that a person should hear of: not the words that every reader takes as missing.
std::vector<WordCount> worth_telling(const SortedWords& words) {
  std::vector<WordCount> told;
  for (const std::vector<WordCount>* const list : {&words.gaps, &words.others}) {
    for (const WordCount& word : *list) {
      if (!is_reader_word(word.word)) told.push_back(word);
    }
  }
  return told;
}

std::vector<std::string> texts_of_words(const std::vector<WordCount>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const WordCount& word : words) texts.emplace_back(word.word);
  return texts;
}

/// One number per observed cell of a text column that can be read.
std::vector<double> numbers_of(const Column& column, const NumberFormat& format,
                               const SaidWords& said) {
  std::vector<std::optional<double>> values;
  for (const std::string& word : column.words()) {
    values.push_back(said.state_of(word) ? std::nullopt : read_number(word, format));
    if (values.back() && said.state_of(*values.back())) values.back() = std::nullopt;
  }
  std::vector<double> numbers;
  for (const std::int32_t code : column.codes()) {
    if (code < 0) continue;
    if (const auto& value = values[static_cast<std::size_t>(code)]) numbers.push_back(*value);
  }
  return numbers;
}

/// The format of numbers that are dates, with a note that shows one of them.
DateFormat number_dates(const std::string& name, DateFormat::Form form,
                        const std::vector<double>& numbers, std::vector<Note>& notes) {
  DateFormat format{.form = form};
  format.pattern = date_pattern("", format);
  for (const double number : numbers) {
    const std::optional<std::string> iso = read_date(number, format);
    if (!iso) continue;
    notes.push_back(date_format_note(name, label_of_number(number), *iso, format));
    break;
  }
  return format;
}

/// Numbers among dates that are none: 0, 99999999.
void set_strays_aside(const std::vector<double>& numbers, ColumnReading& reading,
                      std::vector<Note>& notes) {
  std::map<std::string, std::size_t> strays;
  for (const double number : numbers) {
    if (!read_date(number, reading.dates)) ++strays[label_of_number(number)];
  }
  if (strays.empty()) return;
  std::vector<WordCount> counts;
  counts.reserve(strays.size());
  for (const auto& [word, cells] : strays) counts.push_back({word, cells});
  reading.gap_words = texts_of_words(counts);
  notes.push_back(stray_words_note(reading.column, "dates", counts));
}

/// Reads one text column; knows what to tell.
class TextColumn {
 public:
  TextColumn(const Column& column, const ColumnWords& words, const ColumnFacts& facts,
             const SaidWords& said, std::vector<Note>& notes)
      : column_(column),
        name_(column.name()),
        words_(words),
        facts_(facts),
        said_(said),
        notes_(notes) {
    reading_.column = name_;
  }

  ColumnReading learn() {
    if (!facts_.said_words && !words_.words.empty() && !are_plain_words(words_.words)) {
      if (facts_.may_be_dates && learn_dates()) return reading_;
      if (learn_numbers()) return reading_;
    }
    learn_words();
    return reading_;
  }

 private:
  bool learn_dates() {
    const DatesFound found = find_dates(words_.words, facts_.date_order, facts_.usual_gaps);
    if (!found.is_column()) return false;
    reading_.form = ReadForm::kDates;
    reading_.dates = found.format;
    reading_.gap_words = texts_of_words(found.words.others);
    if (!found.all_iso) note_dates(found);
    const std::vector<WordCount> sentinels = find_date_sentinels(words_.words, found.format);
    if (!sentinels.empty()) notes_.push_back(date_sentinel_note(name_, sentinels));
    note_strays("dates", found.words);
    return true;
  }

  void note_dates(const DatesFound& found) {
    const std::string example(found.example);
    const std::string iso = read_date(found.example, found.format).value_or("");
    notes_.push_back(facts_.order_assumed   ? ambiguous_date_note(name_, example, iso, found.format)
                     : facts_.order_by_rows ? sorted_date_note(name_, example, iso, found.format)
                                            : date_format_note(name_, example, iso, found.format));
  }

  bool learn_numbers() {
    NumbersFound found = find_numbers(words_.words, facts_.file_mark, facts_.usual_gaps);
    if (found.codes && !facts_.said_numbers) {
      notes_.push_back(code_note(name_, found.code_word));
      reading_.codes = true;
      return false;
    }
    found.codes = false;
    if (!found.is_column()) {
      note_number_like(name_, words_.words, found, notes_);
      return false;
    }
    if (!facts_.said_numbers && are_category_codes(found, facts_.is_target)) return false;
    const std::vector<double> numbers = numbers_of(column_, found.format, said_);
    if (!facts_.said_numbers && found.format.is_plain()) {
      if (learn_number_dates(numbers)) return true;
      if (!facts_.is_target && are_code_numbers(name_, numbers)) {
        notes_.push_back(code_note(name_, label_of_number(numbers.front())));
        reading_.codes = true;
        return false;
      }
    }
    reading_.form = ReadForm::kNumbers;
    reading_.numbers = found.format;
    reading_.gap_words = texts_of_words(found.words.others);
    note_numbers(name_, found, numbers, notes_);
    note_strays("numbers", found.words);
    return true;
  }

  /// 20201231 and seconds since 1970, with a stray word among them.
  bool learn_number_dates(const std::vector<double>& numbers) {
    const auto form = date_form_of_numbers(name_, numbers);
    if (!form) return false;
    reading_.form = ReadForm::kDates;
    reading_.dates = number_dates(name_, *form, numbers, notes_);
    SortedWords sorted;
    for (const WordCount& word : words_.words) {
      if (read_date(word.word, reading_.dates)) continue;
      (facts_.usual_gaps && says_missing(word.word) ? sorted.gaps : sorted.others).push_back(word);
    }
    reading_.gap_words = texts_of_words(sorted.others);
    note_strays("dates", sorted);
    return true;
  }

  void note_strays(std::string_view what, const SortedWords& words) {
    const std::vector<WordCount> told = worth_telling(words);
    if (told.empty()) return;
    notes_.push_back(stray_words_note(name_, what, told));
    for (std::string& word : texts_of_words(told)) {  // so that the model can tell of them too
      std::vector<std::string>& known = reading_.gap_words;
      if (std::find(known.begin(), known.end(), word) == known.end()) known.push_back(word);
    }
  }

  void learn_words() {
    reading_.form = ReadForm::kWords;
    if (words_.none_cells > 0) {
      reading_.none_is_a_word = facts_.is_target && !words_.words.empty();
      if (!reading_.none_is_a_word) notes_.push_back(none_note(name_, words_.none_cells));
    }
    if (!facts_.usual_gaps) return;
    std::vector<WordCount> gaps;
    for (const WordCount& word : words_.words) {
      if (is_plus_or_minus(word.word)) return;  // there, "-" is a result
      if (says_missing_among_words(word.word)) gaps.push_back(word);
    }
    if (gaps.empty() || gaps.size() == words_.words.size()) return;
    reading_.gap_words = texts_of_words(gaps);
    notes_.push_back(stray_words_note(name_, "words", gaps));
  }

  const Column& column_;
  const std::string& name_;
  const ColumnWords& words_;
  const ColumnFacts& facts_;
  const SaidWords& said_;
  std::vector<Note>& notes_;
  ColumnReading reading_;
};

}  // namespace

ColumnWords words_to_read(const Column& column, const SaidWords& said, bool usual_gaps) {
  ColumnWords found;
  found.words = count_words(column);
  std::erase_if(found.words, [&](const WordCount& word) {
    const bool none = usual_gaps && word.word == kNone;
    if (none) found.none_cells = word.cells;
    return none || (!said.empty() && said.state_of(word.word));
  });
  return found;
}

bool are_plain_words(const std::vector<WordCount>& words) {
  return !sample_says(words, [](std::string_view word) {
    return take_apart(word) || read_clock(word) || is_unknown_number(word) || is_date_word(word);
  });
}

bool may_be_dates(const std::vector<WordCount>& words) { return sample_says(words, is_date_word); }

ColumnReading learn_text_column(const Column& column, const ColumnWords& words,
                                const ColumnFacts& facts, const SaidWords& said,
                                std::vector<Note>& notes) {
  return TextColumn(column, words, facts, said, notes).learn();
}

ColumnReading learn_number_column(const Column& column, const ColumnFacts& facts,
                                  const SaidWords& said, std::vector<Note>& notes) {
  ColumnReading reading;
  reading.column = column.name();
  if (facts.said_words) return reading;
  reading.form = ReadForm::kNumbers;
  // In a later file they are words if a stray word is among them.
  reading.numbers.decimal_mark = facts.file_mark;
  std::vector<double> numbers;
  numbers.reserve(column.size());
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const double number = column.number(row);
    if (!said.has_numbers() || !said.state_of(number)) numbers.push_back(number);
  }
  if (!facts.said_numbers) {
    if (const auto form = date_form_of_numbers(column.name(), numbers)) {
      reading.form = ReadForm::kDates;
      reading.numbers = {};
      reading.dates = number_dates(column.name(), *form, numbers, notes);
      set_strays_aside(numbers, reading, notes);
      return reading;
    }
    if (!facts.is_target && are_code_numbers(column.name(), numbers)) {
      notes.push_back(code_note(column.name(), label_of_number(numbers.front())));
      return {.column = column.name(), .form = ReadForm::kWords, .codes = true};
    }
  }
  note_plain_numbers(column, numbers, said, notes);
  return reading;
}

}  // namespace knockout
