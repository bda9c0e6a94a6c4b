// SPDX-License-Identifier: Apache-2.0
#include "media/text/train_byte_pairs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "media/text/byte_alphabet.h"
#include "media/text/special_tokens.h"
#include "media/text/split_words.h"

namespace knockout {
namespace {

using Pair = std::pair<int, int>;

struct Word {
  std::vector<int> ids;
  std::int64_t count = 0;
};

/// The tokens so far, as the vocabulary writes them; the index is the id.
struct Vocabulary {
  std::vector<std::string> tokens;
  std::map<std::string, int> ids;

  int id_of(const std::string& token) {
    const auto [known, is_new] = ids.emplace(token, static_cast<int>(tokens.size()));
    if (is_new) tokens.push_back(token);
    return known->second;
  }
  std::string merged(const Pair& pair) const {
    return tokens[static_cast<std::size_t>(pair.first)] +
           tokens[static_cast<std::size_t>(pair.second)];
  }
};

Vocabulary special_tokens_and_bytes() {
  Vocabulary vocabulary;
  for (const std::string_view token : kSpecialTokens) {
    if (token != kMaskToken) vocabulary.id_of(std::string(token));
  }
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.id_of(bytes_to_characters(std::string(1, static_cast<char>(byte))));
  }
  return vocabulary;
}

std::vector<Word> count_words(const std::vector<std::string>& texts, Vocabulary& vocabulary) {
  std::map<std::string_view, std::int64_t> counts;
  for (const std::string& text : texts) {
    for (const std::string_view word : split_words(text)) ++counts[word];
  }
  std::vector<Word> words;
  for (const auto& [bytes, count] : counts) {
    Word word{{}, count};
    for (const char byte : bytes) {
      word.ids.push_back(vocabulary.id_of(bytes_to_characters(std::string(1, byte))));
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::optional<Pair> most_frequent_pair(const std::vector<Word>& words) {
  std::map<Pair, std::int64_t> counts;
  for (const Word& word : words) {
    for (std::size_t i = 0; i + 1 < word.ids.size(); ++i) {
      counts[{word.ids[i], word.ids[i + 1]}] += word.count;
    }
  }
  std::optional<Pair> best;
  std::int64_t most = 1;
  for (const auto& [pair, count] : counts) {
    if (count > most) {
      best = pair;
      most = count;
    }
  }
  return best;
}

void merge(const Pair& pair, int merged, std::vector<int>& ids) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < ids.size(); ++out) {
    const bool found = i + 1 < ids.size() && Pair{ids[i], ids[i + 1]} == pair;
    ids[out] = found ? merged : ids[i];
    i += found ? 2 : 1;
  }
  ids.resize(out);
}

}  // namespace

void write_tokenizer(const std::vector<std::string>& texts, int vocabulary_size,
                     const std::string& vocab_path, const std::string& merges_path) {
  Vocabulary vocabulary = special_tokens_and_bytes();
  const std::size_t fewest = vocabulary.tokens.size() + 1;  // <mask> comes last
  if (vocabulary_size < static_cast<int>(fewest)) {
    throw ConfigError(
        fmt::format("a byte-level vocabulary of {} tokens cannot be; at least {} are "
                    "needed: 256 bytes and {} special tokens.",
                    vocabulary_size, fewest, kSpecialTokens.size()));
  }
  std::vector<Word> words = count_words(texts, vocabulary);
  std::string merges = "#version: 0.2\n";
  while (vocabulary.tokens.size() + 1 < static_cast<std::size_t>(vocabulary_size)) {
    const std::optional<Pair> pair = most_frequent_pair(words);
    if (!pair) break;
    merges += fmt::format("{} {}\n", vocabulary.tokens[static_cast<std::size_t>(pair->first)],
                          vocabulary.tokens[static_cast<std::size_t>(pair->second)]);
    const int merged = vocabulary.id_of(vocabulary.merged(*pair));
    for (Word& word : words) merge(*pair, merged, word.ids);
  }
  vocabulary.id_of(std::string(kMaskToken));

  std::string ids;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    ids += fmt::format("{}{}: {}", id == 0 ? "{" : ", ",
                       nlohmann::json(vocabulary.tokens[id]).dump(), id);
  }
  write_atomically(vocab_path, ids + "}\n");
  write_atomically(merges_path, merges);
}

}  // namespace knockout
