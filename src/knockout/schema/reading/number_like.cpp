// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_like.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "knockout/schema/reading/number_shape.h"
#include "knockout/schema/reading/plain_marks.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestForm = 48;
constexpr std::size_t kLongestFigures = 7;  ///< Longer numbers in a form are codes.
constexpr std::size_t kMostUnits = 4;       ///< More are the streets of addresses.
constexpr std::size_t kFewForms = 20;       ///< Different words; so few are good categories.
constexpr std::size_t kManyNumbers = 10;    ///< Different ones; fewer may be codes.
constexpr std::size_t kSampledForms = 64;

bool is_figure_of_form(char c) { return c >= '0' && c <= '9'; }
bool is_letter_of_form(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Letters that may stand between or after numbers.
bool is_word_of_form(std::string_view letters) {
  constexpr std::array<std::string_view, 39> kWords = {
      "x",   "X",  "w",   "y",    "yr",    "yrs",   "year",   "years", "m",    "mo",
      "mos", "d",  "day", "days", "h",     "hr",    "hrs",    "min",   "mins", "s",
      "sec", "wk", "wks", "week", "weeks", "month", "months", "to",    "bis",  "ft",
      "in",  "lb", "lbs", "oz",   "kg",    "g",     "cm",     "mm",    "of"};
  return std::find(kWords.begin(), kWords.end(), letters) != kWords.end();
}

bool is_side_of_the_world(std::string_view letters) {
  return letters.size() == 1 && std::string_view("NSEWO").find(letters[0]) != letters.npos;
}

/// Goes through a word from number to number.
class FormReader {
 public:
  explicit FormReader(std::string_view text) : text_(text) {}

  bool is_form() {
    if (text_.starts_with('-') || text_.starts_with('+')) ++at_;
    if (at_ >= text_.size() || !is_figure_of_form(text_[at_])) return false;
    while (at_ < text_.size()) {
      const bool known = is_figure_of_form(text_[at_])   ? take_figures()
                         : is_letter_of_form(text_[at_]) ? take_word()
                                                         : take_sign_between();
      if (!known) return false;
    }
    // Digits with points, dashes and blanks alone are versions, telephone numbers and codes; but
    // 21-14 is a score.
    return (form_ || is_score(text_)) && slashes_ <= 1;
  }

 private:
  static bool is_score(std::string_view text) {
    constexpr std::size_t kLongestScore = 2;  // 718-7 is a code
    const std::size_t dash = text.find('-');
    if (dash == 0 || dash > kLongestScore || dash + 1 == text.size()) return false;
    return text.size() - dash - 1 <= kLongestScore &&
           std::count_if(text.begin(), text.end(), is_figure_of_form) + 1 ==
               static_cast<std::ptrdiff_t>(text.size());
  }

  bool take_figures() {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_figure_of_form(text_[at_])) ++at_;
    const std::size_t figures = at_ - first;
    const char before = first == 0 ? '\0' : text_[first - 1];
    const bool sixtieths = before == ':' || before == '\'' || before == '\xB0' || before == '.' ||
                           before == ',' || before == ' ';
    if (figures > 1 && text_[first] == '0' && !sixtieths) return false;  // 2021/0045
    if (slashes_ == 1 && figures == 4) return false;                     // 12/2020
    return figures <= kLongestFigures;
  }

  bool take_word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_letter_of_form(text_[at_])) ++at_;
    const std::string_view letters = text_.substr(first, at_ - first);
    const bool ends = at_ == text_.size() || !is_figure_of_form(text_[at_]);
    form_ = true;
    return is_word_of_form(letters) || (ends && is_side_of_the_world(letters));
  }

  bool take_sign_between() {
    const char c = text_[at_];
    if (c == '(' || c == '[') return take_parentheses();
    // In UTF-8: ± and ° and × and · begin with C2 or C3, primes with E2 80.
    for (const std::string_view sign : {"±", "°", "×", "·", "′", "″", "º"}) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      form_ = true;
      return true;
    }
    if (std::string_view("/^'\":;*").find(c) != std::string_view::npos) form_ = true;
    if (c == '/') ++slashes_;
    ++at_;
    return std::string_view(" /^'\":;*.,-+%").find(c) != std::string_view::npos;
  }

  /// "1.4 (0.9, 16.9)", "0 (not detected)": after a number and a blank.
  bool take_parentheses() {
    const bool apart = at_ > 0 && text_[at_ - 1] == ' ';
    const bool closed = text_.back() == (text_[at_] == '(' ? ')' : ']');
    at_ = text_.size();
    form_ = true;
    return apart && closed;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t slashes_ = 0;
  bool form_ = false;  ///< Something beside digits, points, dashes and blanks was there.
};

bool has_figure_in(std::string_view word) {
  return std::any_of(word.begin(), word.end(), is_figure_of_form);
}

/// Words that have the shape of a number, in whatever clothes.
class NumberLikeWords {
 public:
  explicit NumberLikeWords(const std::vector<WordCount>& words) {
    for (const WordCount& word : words) add(word);
  }

  std::size_t cells() const { return units_.size() <= kMostUnits ? cells_ : unknown_cells_; }
  /// 12b, V27: where there are such, the others may be names as well.
  std::size_t name_cells() const { return name_cells_; }

 private:
  void add(const WordCount& word) {
    if (is_unknown_number(word.word)) {
      cells_ += word.cells;
      unknown_cells_ += word.cells;
      return;
    }
    const std::optional<NumberShape> shape = take_apart(word.word);
    const bool house = shape && shape->suffix.size() == 1 && shape->suffix != "%" &&
                       !shape->spaced && all_figures(shape->body);
    if (shape && !house && !is_code(*shape) && is_one_number(shape->body)) {
      cells_ += word.cells;
      if (!shape->suffix.empty()) units_.insert(unit_key(shape->suffix));
    } else if (has_figure_in(word.word)) {
      name_cells_ += word.cells;
    }
  }

  static bool all_figures(std::string_view body) {
    return std::all_of(body.begin(), body.end(), is_figure_of_form);
  }

  static bool is_one_number(std::string_view body) {
    return fits_marks(body, '.', ',') || fits_marks(body, ',', '.') ||
           fits_marks(body, '.', '\'') || fits_marks(body, '.', ' ') || fits_marks(body, ',', ' ');
  }

  std::size_t cells_ = 0, unknown_cells_ = 0, name_cells_ = 0;
  std::set<std::string> units_;
};

/// The most frequent of the words that are none of the column's numbers.
std::string_view example_of(const std::vector<WordCount>& others) {
  const auto more = [](const WordCount& a, const WordCount& b) { return a.cells < b.cells; };
  return std::max_element(others.begin(), others.end(), more)->word;
}

}  // namespace

bool is_unknown_number(std::string_view word) {
  if (word.size() < 3 || word.size() > kLongestForm) return false;
  const std::string plain = plain_marks(word);
  return FormReader(plain).is_form();
}

std::string why_no_numbers(const std::vector<WordCount>& words, const NumbersFound& found) {
  const std::vector<WordCount>& others = found.words.others;
  if (found.codes || others.empty()) return "";
  const NumberLikeWords like(others);
  const std::size_t judged = found.words.observed() - cells_of(found.words.gaps);
  const std::size_t readable = found.words.readable_cells + cells_of(found.words.limits);
  if (20 * like.name_cells() > judged) return "";
  const bool different = words.size() >= kManyNumbers && 2 * words.size() >= cells_of(words);
  if (2 * readable >= judged && (different || found.some_values.size() >= kManyNumbers)) {
    return fmt::format("looks like numbers, but {} {} not", listed_words(others),
                       others.size() == 1 ? "is" : "are");
  }
  if (10 * (readable + like.cells()) < 8 * judged || 2 * readable >= judged) return "";
  // So few are good categories, unless there is one for every other cell.
  if (words.size() <= kFewForms && !different) return "";
  return fmt::format("holds numbers in a form that is not known, such as \"{}\"",
                     example_of(others));
}

std::string why_no_numbers(const std::vector<WordCount>& words) {
  const std::size_t step = std::max<std::size_t>(1, words.size() / kSampledForms);
  std::size_t sampled = 0, numbers = 0;
  for (std::size_t i = 0; i < words.size(); i += step) {
    ++sampled;
    numbers += is_unknown_number(words[i].word) || take_apart(words[i].word) ? 1U : 0U;
  }
  if (2 * numbers < sampled) return "";
  return why_no_numbers(words, find_numbers(words, '.', true));
}

}  // namespace knockout
