// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace knockout {

/// Cuts text where GPT-2 and RoBERTa do before they merge bytes; no token crosses a cut. A word is
/// the first of these that matches:
///   's 't 're 've 'm 'll 'd
///   an optional blank, then letters; or then numbers; or then anything else that is not white
///   space white space, without its last character when something follows
/// Letters and numbers are those of Unicode (general categories L and N), white space is its
/// property White_Space. A byte that is not part of valid UTF-8 counts as anything else. The words
/// together are the text.
std::vector<std::string_view> split_words(std::string_view text);

/// How many bytes the first word has. REQUIRES: text is not empty.
std::size_t first_word_length(std::string_view text);

}  // namespace knockout
