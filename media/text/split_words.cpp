// SPDX-License-Identifier: Apache-2.0
#include "media/text/split_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace knockout {
namespace {

enum class Kind { kLetter, kNumber, kSpace, kOther };

struct Character {
  Kind kind;
  std::size_t end;  ///< Where the next one starts.
};

Kind kind_of(UChar32 number) {
  if (number < 0) return Kind::kOther;  // not UTF-8
  if (u_isUWhiteSpace(number)) return Kind::kSpace;
  const auto category = U_GET_GC_MASK(number);
  if (category & U_GC_L_MASK) return Kind::kLetter;
  if (category & U_GC_N_MASK) return Kind::kNumber;
  return Kind::kOther;
}

Character character_at(std::string_view text, std::size_t at) {
  UChar32 number = 0;
  U8_NEXT(text.data(), at, text.size(), number);
  return {kind_of(number), at};
}

std::size_t contraction_length(std::string_view text) {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

/// Where the run of one kind that starts at `at` ends.
std::size_t run_end(std::string_view text, std::size_t at, Kind kind) {
  while (at < text.size()) {
    const Character next = character_at(text, at);
    if (next.kind != kind) break;
    at = next.end;
  }
  return at;
}

std::size_t white_space_length(std::string_view text) {
  std::size_t last = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character next = character_at(text, end);
    // The last character of several goes to the word after it.
    if (next.kind != Kind::kSpace) return last > 0 ? last : end;
    last = end;
    end = next.end;
  }
  return end;
}

}  // namespace

std::size_t first_word_length(std::string_view text) {
  if (const std::size_t length = contraction_length(text)) return length;
  Character first = character_at(text, 0);
  if (text.front() == ' ' && text.size() > 1) {
    const Character second = character_at(text, 1);
    if (second.kind != Kind::kSpace) first = second;
  }
  if (first.kind == Kind::kSpace) return white_space_length(text);
  return run_end(text, first.end, first.kind);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t length = first_word_length(text);
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

}  // namespace knockout
