// SPDX-License-Identifier: Apache-2.0
#include "media/text/byte_pair_encoding.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/strict_json.h"
#include "media/text/byte_alphabet.h"
#include "media/text/special_tokens.h"
#include "media/text/split_words.h"

namespace knockout {
namespace {

constexpr std::string_view kTakeBoth =
    "vocab.json and merges.txt must be the two files of one RoBERTa model.";

[[noreturn]] void throw_bad(const std::string& path, const std::string& what) {
  throw DataError(fmt::format("{}: {}.\n  {}", path, what, kTakeBoth));
}

std::uint64_t pair_key(int left, int right) {
  return (static_cast<std::uint64_t>(left) << 32) | static_cast<std::uint32_t>(right);
}

nlohmann::json parse_object(const std::string& path) {
  const std::string text = read_bytes(path, "the vocabulary");
  nlohmann::json vocabulary;
  try {
    vocabulary = parse_strict_json(text);
  } catch (const ModelFileError& reason) {
    throw_bad(path, reason.what());
  }
  if (!vocabulary.is_object()) throw_bad(path, "a JSON object of tokens and ids is expected");
  return vocabulary;
}

/// A symbol of a word while its neighbours are merged; a list in one vector.
struct Symbol {
  int id;  ///< -1 when it was merged into the one before.
  int previous;
  int next;
};

/// A pair of neighbours as it was when it was found; the symbols may have changed since.
struct Candidate {
  int rank;
  int left;  ///< Index of the symbol.
  int right;
  std::uint64_t key;

  bool operator>(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

}  // namespace

BytePairTokenizer BytePairTokenizer::read(const std::string& vocab_path,
                                          const std::string& merges_path) {
  BytePairTokenizer tokenizer;
  tokenizer.read_vocabulary(vocab_path);
  tokenizer.read_merges(merges_path, vocab_path);
  return tokenizer;
}

void BytePairTokenizer::read_vocabulary(const std::string& path) {
  const nlohmann::json vocabulary = parse_object(path);
  std::vector<const std::string*> token_of(vocabulary.size(), nullptr);
  bytes_of_.resize(vocabulary.size());
  for (const auto& [token, value] : vocabulary.items()) {
    const auto last = static_cast<std::int64_t>(vocabulary.size()) - 1;
    const std::optional<std::int64_t> found = whole_number(value, 0, last);
    if (!found) {
      throw_bad(path,
                fmt::format("token \"{}\" has the id {}; {} tokens have the ids 0 to {}, each "
                            "once",
                            token, value.dump().substr(0, 50), vocabulary.size(), last));
    }
    const auto id = static_cast<std::size_t>(*found);
    const auto [known, is_new] = ids_.emplace(token, static_cast<int>(id));
    if (token_of[id] != nullptr) {
      throw_bad(path, fmt::format("tokens \"{}\" and \"{}\" have the same id {}", *token_of[id],
                                  token, id));
    }
    token_of[id] = &known->first;
    if (is_special(token)) continue;
    std::optional<std::string> bytes = characters_to_bytes(token);
    if (!bytes || bytes->empty()) {
      throw_bad(
          path,
          fmt::format("token \"{}\" is not in the characters of a byte-level vocabulary", token));
    }
    bytes_of_[id] = std::move(*bytes);
  }
  const auto id_of = [&](std::string_view token) {
    const auto found = ids_.find(std::string(token));
    if (found == ids_.end()) throw_bad(path, fmt::format("the token \"{}\" is missing", token));
    return found->second;
  };
  begin_id_ = id_of(kBeginToken);
  pad_id_ = id_of(kPadToken);
  end_id_ = id_of(kEndToken);
  id_of(kUnknownToken);
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    byte_ids_[byte] = id_of(bytes_to_characters(std::string(1, static_cast<char>(byte))));
  }
}

void BytePairTokenizer::read_merges(const std::string& path, const std::string& vocab_path) {
  const std::string text = read_bytes(path, "the merges");
  int line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_header = line_number == 1 && line.starts_with("#version");
    if (is_header || (line.empty() && at >= text.size())) continue;

    const std::string where = fmt::format("{}:{}", path, line_number);
    const std::size_t blank = line.find(' ');
    const bool is_pair = blank != std::string_view::npos && blank > 0 && blank + 1 < line.size() &&
                         line.find(' ', blank + 1) == std::string_view::npos;
    if (!is_pair) throw_bad(where, "two tokens with a blank between them are expected");
    const auto id_of = [&](std::string_view token) {
      const auto found = ids_.find(std::string(token));
      if (found == ids_.end()) {
        throw_bad(where, fmt::format("\"{}\" is missing in {}", token, vocab_path));
      }
      return found->second;
    };
    const int left = id_of(line.substr(0, blank));
    const int right = id_of(line.substr(blank + 1));
    const int merged = id_of(fmt::format("{}{}", line.substr(0, blank), line.substr(blank + 1)));
    if (!merges_.try_emplace(pair_key(left, right), Merge{line_number, merged}).second) {
      throw_bad(where, fmt::format("\"{}\" occurs a second time", line));
    }
  }
}

const BytePairTokenizer::Merge* BytePairTokenizer::merge_of(int left, int right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BytePairTokenizer::append_word(std::string_view word, std::vector<int>& ids) const {
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  for (const char byte : word) {
    const int index = static_cast<int>(symbols.size());
    symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], index - 1, index + 1});
  }
  symbols.back().next = -1;
  const auto symbol = [&](int index) -> Symbol& {
    return symbols[static_cast<std::size_t>(index)];
  };

  // A heap rather than a search for the lowest rank each time: a hostile text is one long word.
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](int left, int right) {
    if (left < 0 || right < 0) return;
    if (const Merge* merge = merge_of(symbol(left).id, symbol(right).id)) {
      candidates.push({merge->rank, left, right, pair_key(symbol(left).id, symbol(right).id)});
    }
  };
  for (int i = 0; i + 1 < static_cast<int>(symbols.size()); ++i) consider(i, i + 1);

  std::vector<int> merged;
  while (!candidates.empty()) {
    // All places of the lowest rank from left to right come first, even if what they make could be
    // merged earlier in the order.
    const int rank = candidates.top().rank;
    merged.clear();
    for (; !candidates.empty() && candidates.top().rank == rank; candidates.pop()) {
      const Candidate pair = candidates.top();
      Symbol& left = symbol(pair.left);
      Symbol& right = symbol(pair.right);
      const bool is_current = left.id >= 0 && right.id >= 0 && left.next == pair.right &&
                              pair_key(left.id, right.id) == pair.key;
      if (!is_current) continue;
      left.id = merge_of(left.id, right.id)->merged;
      right.id = -1;
      left.next = right.next;
      if (left.next >= 0) symbol(left.next).previous = pair.left;
      merged.push_back(pair.left);
    }
    for (const int index : merged) {
      consider(symbol(index).previous, index);
      consider(index, symbol(index).next);
    }
  }
  for (const Symbol& each : symbols) {
    if (each.id >= 0) ids.push_back(each.id);
  }
}

std::vector<int> BytePairTokenizer::encode_at_least(std::string_view text,
                                                    std::size_t count) const {
  std::vector<int> ids;
  while (!text.empty() && ids.size() < count) {
    const std::size_t length = first_word_length(text);
    append_word(text.substr(0, length), ids);
    text.remove_prefix(length);
  }
  return ids;
}

std::vector<int> BytePairTokenizer::encode(std::string_view text) const {
  return encode_at_least(text, text.size());  // a token has at least one byte
}

RobertaInput BytePairTokenizer::encode_for_roberta(std::string_view text,
                                                   const RobertaOptions& options) const {
  if (options.max_length < 2) {
    throw ConfigError(fmt::format(
        "a text of at most {} tokens has no room for <s> and </s>; at least 2 are expected.",
        options.max_length));
  }
  const auto room = static_cast<std::size_t>(options.max_length) - 2;
  std::vector<int> ids = encode_at_least(text, room);
  ids.resize(std::min(ids.size(), room));
  ids.insert(ids.begin(), begin_id_);
  ids.push_back(end_id_);
  std::vector<int> attention_mask(ids.size(), 1);
  if (options.pad) {
    ids.resize(room + 2, pad_id_);
    attention_mask.resize(room + 2, 0);
  }
  return {std::move(ids), std::move(attention_mask)};
}

std::string BytePairTokenizer::decode(const std::vector<int>& ids) const {
  std::string text;
  for (const int id : ids) {
    if (id < 0 || id >= vocabulary_size()) {
      throw DataError(fmt::format("token {} is out of range; the vocabulary has the ids 0 to {}.",
                                  id, vocabulary_size() - 1));
    }
    text += bytes_of_[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace knockout
