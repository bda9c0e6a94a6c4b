// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/seeded_hash.h"

namespace knockout {

struct RobertaOptions {
  int max_length = 512;  ///< Tokens, <s> and </s> among them; the text is cut to fit. At least 2.
  bool pad = false;      ///< Fill up with <pad> to max_length.
};

/// What RoBERTa reads, both of one length.
struct RobertaInput {
  std::vector<int> ids;
  std::vector<int> attention_mask;  ///< 1 for a token, 0 for <pad>.
};

/// The byte-level byte pair encoding of GPT-2 and RoBERTa (Sennrich et al. 2016, Radford et al.
/// 2019): words are cut by split_words(), then neighbours are merged in the order of merges.txt.
/// Any bytes can be encoded, and "<s>" in a text is three characters, never a special token.
/// Nothing changes after read(): safe to share between threads.
///   const auto tokenizer = BytePairTokenizer::read("vocab.json", "merges.txt");
///   RobertaInput input = tokenizer.encode_for_roberta("apple pie", {.max_length = 128});
class BytePairTokenizer {
 public:
  /// Throws FileError when a file cannot be read, DataError when the vocabulary is not one: ids
  /// 0..n-1, each once, for the 256 bytes, what the merges make, <s>, <pad>, </s> and <unk>.
  static BytePairTokenizer read(const std::string& vocab_path, const std::string& merges_path);

  /// The tokens of a text, without special ones.
  std::vector<int> encode(std::string_view text) const;

  /// <s>, the tokens of the text, </s>. Throws ConfigError when max_length is below 2.
  RobertaInput encode_for_roberta(std::string_view text, const RobertaOptions& options) const;

  /// The bytes of tokens; special tokens have none. Throws DataError for an id out of range.
  std::string decode(const std::vector<int>& ids) const;

  int vocabulary_size() const { return static_cast<int>(bytes_of_.size()); }

 private:
  struct Merge {
    int rank;    ///< The lowest comes first.
    int merged;  ///< The id of both together.
  };

  BytePairTokenizer() = default;
  void read_vocabulary(const std::string& path);
  void read_merges(const std::string& path, const std::string& vocab_path);
  const Merge* merge_of(int left, int right) const;
  void append_word(std::string_view word, std::vector<int>& ids) const;
  std::vector<int> encode_at_least(std::string_view text, std::size_t count) const;

  HashMap<std::string, int> ids_;      ///< By the text in the vocabulary.
  std::vector<std::string> bytes_of_;  ///< By id; nothing for a special token.
  std::array<int, 256> byte_ids_{};
  HashMap<std::uint64_t, Merge> merges_;  ///< By pair_key().
  int begin_id_ = 0;
  int end_id_ = 0;
  int pad_id_ = 0;
};

}  // namespace knockout
