// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace knockout {

inline constexpr std::string_view kBeginToken = "<s>";
inline constexpr std::string_view kPadToken = "<pad>";
inline constexpr std::string_view kEndToken = "</s>";
inline constexpr std::string_view kUnknownToken = "<unk>";
inline constexpr std::string_view kMaskToken = "<mask>";

/// Tokens that stand for no text. In RoBERTa's vocabulary the first four are 0..3 and the fifth is
/// the last.
inline constexpr std::array kSpecialTokens = {kBeginToken, kPadToken, kEndToken, kUnknownToken,
                                              kMaskToken};

inline bool is_special(std::string_view token) {
  return std::find(kSpecialTokens.begin(), kSpecialTokens.end(), token) != kSpecialTokens.end();
}

}  // namespace knockout
