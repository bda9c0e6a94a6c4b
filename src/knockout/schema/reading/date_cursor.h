// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// Reads a date off the front of a text, and notes how it is written.
class DateCursor {
 public:
  struct Digits {
    int value = 0, count = 0;
  };

  explicit DateCursor(std::string_view text) : rest_(text) {}

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || static_cast<unsigned char>(c) >= 0x80;
  }

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  /// The character at a place from here; '\0' beyond the end.
  char peek(std::size_t place = 0) const { return place < rest_.size() ? rest_[place] : '\0'; }
  std::string_view peek_letters() const {
    std::size_t end = 0;
    while (end < rest_.size() && is_letter(rest_[end])) ++end;
    return rest_.substr(0, end);
  }

  void drop(std::size_t characters) { rest_.remove_prefix(characters); }
  /// Drops a character if it is next, without a trace in the pattern.
  bool drop_if(char expected) {
    if (at_end() || peek() != expected) return false;
    drop(1);
    return true;
  }
  /// The same, and it is part of the pattern.
  bool skip(char expected) {
    if (!drop_if(expected)) return false;
    pattern_ += expected;
    return true;
  }
  bool skip_blanks() {
    bool any = false;
    while (skip(' ')) any = true;
    return any;
  }
  /// A run of digits; none when there are more than eight.
  Digits digits() {
    Digits run;
    std::size_t end = 0;
    while (is_digit(peek(end))) ++end;
    if (end > 8) return run;
    for (std::size_t i = 0; i < end; ++i) run.value = 10 * run.value + (rest_[i] - '0');
    run.count = static_cast<int>(end);
    drop(end);
    return run;
  }

  const std::string& pattern() const { return pattern_; }
  void write(std::string_view field) { pattern_ += field; }

 private:
  std::string_view rest_;
  std::string pattern_;
};

}  // namespace knockout
