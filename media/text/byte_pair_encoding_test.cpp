// SPDX-License-Identifier: Apache-2.0
#include "media/text/byte_pair_encoding.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "media/text/byte_alphabet.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;
using Merges = std::vector<std::pair<std::string, std::string>>;

constexpr int kFirstByte = 4;
constexpr int kFirstMerge = kFirstByte + 256;

/// <s>, <pad>, </s>, <unk>, the bytes in their order, then these.
nlohmann::json vocabulary_with(const std::vector<std::string>& tokens) {
  nlohmann::json ids = {{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}};
  for (int byte = 0; byte < 256; ++byte) {
    ids[bytes_to_characters(std::string(1, static_cast<char>(byte)))] = kFirstByte + byte;
  }
  for (const std::string& token : tokens) {
    const std::size_t next = ids.size();
    if (!ids.contains(token)) ids[token] = next;
  }
  return ids;
}

class BytePairs : public ::testing::Test {
 protected:
  ~BytePairs() override { fs::remove_all(folder_); }

  BytePairTokenizer read(const std::string& vocabulary, const std::string& merges) const {
    std::ofstream(vocab_path_, std::ios::binary) << vocabulary;
    std::ofstream(merges_path_, std::ios::binary) << merges;
    return BytePairTokenizer::read(vocab_path_, merges_path_);
  }

  BytePairTokenizer read(const Merges& merges) const {
    std::vector<std::string> tokens;
    std::string lines = "#version: 0.2\n";
    for (const auto& [left, right] : merges) {
      tokens.push_back(left + right);
      lines += left + " " + right + "\n";
    }
    return read(vocabulary_with(tokens).dump(), lines);
  }

  std::string refusal(const std::string& vocabulary, const std::string& merges) const {
    try {
      read(vocabulary, merges);
    } catch (const DataError& error) {
      const std::string message = error.what();
      return message.substr(message.find(folder_.string()) == 0 ? folder_.string().size() + 1 : 0);
    }
    return "it was accepted";
  }

  fs::path folder_ = make_folder();
  std::string vocab_path_ = folder_ / "vocab.json";
  std::string merges_path_ = folder_ / "merges.txt";

 private:
  static fs::path make_folder() {
    const fs::path folder =
        fs::temp_directory_path() / ("knockout_byte_pairs_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    return folder;
  }
};

/// What the tokens stand for, one string each.
std::vector<std::string> pieces(const BytePairTokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> each;
  for (const int id : tokenizer.encode(text)) each.push_back(tokenizer.decode({id}));
  return each;
}

using Pieces = std::vector<std::string>;

TEST_F(BytePairs, MergeInTheOrderOfTheFile) {
  const BytePairTokenizer tokenizer =
      read({{"l", "o"}, {"lo", "w"}, {"e", "r"}, {"Ġ", "low"}, {"low", "er"}});
  // l o w e r, lo w e r, low e r, low er, lower
  EXPECT_EQ(pieces(tokenizer, "lower"), Pieces{"lower"});
  // With a blank, "Ġ low" comes before "low er".
  EXPECT_EQ(pieces(tokenizer, " lower"), (Pieces{" low", "er"}));
  EXPECT_EQ(pieces(tokenizer, "slow lo"), (Pieces{"s", "low", " ", "lo"}));
  EXPECT_EQ(tokenizer.encode("low!"), (std::vector<int>{kFirstMerge + 1, kFirstByte + '!'}));
  EXPECT_TRUE(tokenizer.encode("").empty());
}

TEST_F(BytePairs, MergeOverlapsFromTheLeft) {
  const BytePairTokenizer tokenizer = read({{"a", "a"}, {"aa", "aa"}});
  EXPECT_EQ(pieces(tokenizer, "aaa"), (Pieces{"aa", "a"}));
  EXPECT_EQ(pieces(tokenizer, "aaaaaaa"), (Pieces{"aaaa", "aa", "a"}));
}

TEST_F(BytePairs, MergeAllPlacesOfAPairBeforeTheNext) {
  // Merging the first "a bc" and then at once "abc a", which is earlier in the file, would leave
  // "abca bc".
  const BytePairTokenizer tokenizer = read({{"b", "c"}, {"abc", "a"}, {"a", "bc"}});
  EXPECT_EQ(pieces(tokenizer, "abcabc"), (Pieces{"abc", "abc"}));
}

TEST_F(BytePairs, NeverMergeAcrossWords) {
  const BytePairTokenizer tokenizer = read({{"a", "1"}, {"a", "Ġ"}, {"a", "b"}});
  EXPECT_EQ(pieces(tokenizer, "a1 ab a "), (Pieces{"a", "1", " ", "ab", " ", "a", " "}));
}

/// GPT-2's loop as it is described: as long as there is one, merge the pair of the lowest rank
/// everywhere.
Pieces merge_naively(const std::string& word, const Merges& merges) {
  Pieces symbols;
  for (const char c : word) symbols.push_back(std::string(1, c));
  while (true) {
    std::size_t lowest = merges.size();
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      for (std::size_t rank = 0; rank < lowest; ++rank) {
        if (merges[rank] == std::pair(symbols[i], symbols[i + 1])) lowest = rank;
      }
    }
    if (lowest == merges.size()) return symbols;
    Pieces next;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (i + 1 < symbols.size() && merges[lowest] == std::pair(symbols[i], symbols[i + 1])) {
        next.push_back(symbols[i] + symbols[i + 1]);
        ++i;
      } else {
        next.push_back(symbols[i]);
      }
    }
    symbols = next;
  }
}

TEST_F(BytePairs, EqualANaiveLoopOnRandomMergesInRandomOrder) {
  const Random random(1, Stream::kSimulation);
  for (std::uint32_t trial = 0; trial < 20; ++trial) {
    Pieces tokens = {"a", "b", "c"};
    Merges merges;
    for (std::uint32_t i = 0; i < 25; ++i) {
      const auto count = static_cast<std::uint32_t>(tokens.size());
      const std::pair pair(tokens[random.below(count, trial, i, 0)],
                           tokens[random.below(count, trial, i, 1)]);
      if (std::find(merges.begin(), merges.end(), pair) != merges.end()) continue;
      // Half of the trials have merges before those that make their parts.
      const auto at =
          trial % 2 == 0 ? merges.size()
                         : random.below(static_cast<std::uint32_t>(merges.size() + 1), trial, i, 2);
      merges.insert(merges.begin() + static_cast<std::ptrdiff_t>(at), pair);
      tokens.push_back(pair.first + pair.second);
    }
    const BytePairTokenizer tokenizer = read(merges);
    for (std::uint32_t w = 0; w < 100; ++w) {
      std::string word;
      for (std::uint32_t i = 0; i < 1 + w / 3; ++i) {
        word += "abc"[random.below(3, trial, 1000 + w, i)];
      }
      ASSERT_EQ(pieces(tokenizer, word), merge_naively(word, merges)) << word;
    }
  }
}

TEST_F(BytePairs, DecodeWhatTheyEncodeForAnyBytes) {
  const BytePairTokenizer tokenizer = read({{"Ã", "©"}, {"Ġ", "Ġ"}, {"a", "Ã©"}});
  const Random random(2, Stream::kSimulation);
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    std::string bytes = "aé  ";
    for (std::uint32_t i = 0; i < trial; ++i) {
      bytes += static_cast<char>(random.below(256, 0, trial, i));
    }
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(bytes)), bytes) << trial;
  }
}

TEST_F(BytePairs, TakeOneLongWordWithoutQuadraticTime) {
  const BytePairTokenizer tokenizer = read({{"a", "b"}, {"ab", "ab"}, {"abab", "abab"}});
  std::string word;
  for (int i = 0; i < 200'000; ++i) word += "ab";
  EXPECT_EQ(tokenizer.encode(word).size(), 50'000U);  // quadratic: minutes
}

TEST_F(BytePairs, FrameATextForRoberta) {
  const BytePairTokenizer tokenizer = read({{"a", "b"}});
  const int ab = kFirstMerge;
  const int x = kFirstByte + 'x';
  const RobertaInput plain = tokenizer.encode_for_roberta("abx", {.max_length = 6});
  EXPECT_EQ(plain.ids, (std::vector<int>{0, ab, x, 2}));
  EXPECT_EQ(plain.attention_mask, (std::vector<int>{1, 1, 1, 1}));
  const RobertaInput padded = tokenizer.encode_for_roberta("abx", {.max_length = 6, .pad = true});
  EXPECT_EQ(padded.ids, (std::vector<int>{0, ab, x, 2, 1, 1}));
  EXPECT_EQ(padded.attention_mask, (std::vector<int>{1, 1, 1, 1, 0, 0}));
  const RobertaInput cut = tokenizer.encode_for_roberta("abxxab ab", {.max_length = 4});
  EXPECT_EQ(cut.ids, (std::vector<int>{0, ab, x, 2}));
  EXPECT_EQ(tokenizer.encode_for_roberta("abx", {.max_length = 2}).ids, (std::vector<int>{0, 2}));
  EXPECT_EQ(tokenizer.decode(padded.ids), "abx");
  EXPECT_THROW(tokenizer.encode_for_roberta("abx", {.max_length = 1}), ConfigError);
}

TEST_F(BytePairs, TakeTheNameOfASpecialTokenAsText) {
  const BytePairTokenizer tokenizer = read(Merges{});
  EXPECT_EQ(tokenizer.encode("<s>"),
            (std::vector<int>{kFirstByte + '<', kFirstByte + 's', kFirstByte + '>'}));
}

TEST_F(BytePairs, RefuseAnIdOutOfRange) {
  const BytePairTokenizer tokenizer = read(Merges{});
  EXPECT_EQ(tokenizer.vocabulary_size(), 260);
  EXPECT_THROW(tokenizer.decode({260}), DataError);
  EXPECT_THROW(tokenizer.decode({-1}), DataError);
}

TEST_F(BytePairs, NameTheLineOfABadMerge) {
  const std::string vocabulary = vocabulary_with({"ab"}).dump();
  const std::pair<std::string, std::string> cases[] = {
      {"#version: 0.2\na b\na\n", "merges.txt:3: two tokens"},
      {"a b c\n", "merges.txt:1: two tokens"},
      {"a b\n\na c\n", "merges.txt:2: two tokens"},
      {" a\n", "merges.txt:1: two tokens"},
      {"a b\nab c\n", "merges.txt:2: \"abc\" is missing in "},
      {"xy b\n", "merges.txt:1: \"xy\" is missing in "},
      {"a b\na b\n", "merges.txt:2: \"a b\" occurs a second time"},
  };
  for (const auto& [merges, expected] : cases) {
    const std::string message = refusal(vocabulary, merges);
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
  EXPECT_EQ(refusal(vocabulary, "#version: 0.2\r\na b\r\n"), "it was accepted");
  EXPECT_EQ(refusal(vocabulary, "a b"), "it was accepted");
}

TEST_F(BytePairs, SayWhatIsWrongWithAVocabulary) {
  const auto expect_refusal = [&](const std::string& vocabulary, const std::string& expected) {
    const std::string message = refusal(vocabulary, "");
    EXPECT_TRUE(message.starts_with("vocab.json: " + expected)) << message;
  };
  expect_refusal("", "its JSON cannot be read");
  expect_refusal("{\"a\": 0", "its JSON cannot be read");
  expect_refusal("<html>", "its JSON cannot be read");
  expect_refusal("[1, 2]", "a JSON object");
  // A file that the parser takes but whoever walks the result would not survive.
  const std::string deep(100000, '[');
  expect_refusal("{\"a\": " + deep + std::string(deep.size(), ']') + "}", "its JSON is nested");
  expect_refusal("{\"a\": 1e999}", "its JSON cannot be read at /a");
  expect_refusal("{\"a\": 0, \"a\": 0}", "its JSON holds this key twice at /a");
  expect_refusal("{\"a\": 1e300}", "token \"a\" has the id 1e+300");
  expect_refusal("{\"a\": 0.0}", "token \"a\" has the id 0.0");
  expect_refusal("{\"a\": \"0\"}", "token \"a\" has the id \"0\"");
  expect_refusal("{\"a\": -1}", "token \"a\" has the id -1");
  expect_refusal("{\"a\": 0.5}", "token \"a\" has the id 0.5");
  expect_refusal("{\"a\": 1000000000000}", "token \"a\" has the id 1000000000000; 1 tokens");
  expect_refusal("{\"a\": 0, \"b\": 0}", "tokens \"a\" and \"b\" have the same id 0");
  expect_refusal("{\"▁the\": 0}", "token \"▁the\" is not in the characters");
  expect_refusal("{\"\": 0}", "token \"\" is not in the characters");
  expect_refusal("{}", "the token \"<s>\" is missing");
  for (const std::string token : {"<s>", "<pad>", "</s>", "<unk>", "Ġ", "z"}) {
    nlohmann::json vocabulary = vocabulary_with({});
    const int id = vocabulary[token];
    vocabulary.erase(token);
    vocabulary["instead"] = id;
    expect_refusal(vocabulary.dump(), "the token \"" + token + "\" is missing");
  }
}

TEST_F(BytePairs, NameAFileThatIsNotThere) {
  EXPECT_THROW(BytePairTokenizer::read(folder_ / "none.json", merges_path_), FileError);
}

}  // namespace
}  // namespace knockout
