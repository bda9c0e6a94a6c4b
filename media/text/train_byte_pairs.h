// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace knockout {

/// Learns byte pair merges from texts and writes a tokenizer in RoBERTa's format: <s>, <pad>, </s>,
/// <unk>, the 256 bytes, what the merges make in their order, <mask>. The most frequent pair is
/// merged first, of equally frequent ones the one with the lowest ids; pairs that occur once are
/// left alone, so a small text gives fewer tokens than asked for. The same texts give the same
/// files. The time grows with (different words) x (merges): meant for made-up data sets. Throws
/// ConfigError below 261 tokens.
void write_tokenizer(const std::vector<std::string>& texts, int vocabulary_size,
                     const std::string& vocab_path, const std::string& merges_path);

}  // namespace knockout
