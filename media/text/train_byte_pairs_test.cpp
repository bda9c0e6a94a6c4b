// SPDX-License-Identifier: Apache-2.0
#include "media/text/train_byte_pairs.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "media/text/byte_pair_encoding.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

class WriteTokenizer : public ::testing::Test {
 protected:
  ~WriteTokenizer() override {
    fs::remove(vocab_path_);
    fs::remove(merges_path_);
  }

  std::string learn(const std::vector<std::string>& texts, int vocabulary_size) const {
    write_tokenizer(texts, vocabulary_size, vocab_path_, merges_path_);
    return read_bytes(merges_path_, "the merges");
  }

  std::string stem_ =
      (fs::temp_directory_path() / ("knockout_train_" + std::to_string(::getpid()))).string();
  std::string vocab_path_ = stem_ + "_vocab.json";
  std::string merges_path_ = stem_ + "_merges.txt";
};

// Words: "hug" once, " hug" and " pug" twice, " hugs" once. By hand: u g (6), h ug (4), Ġ hug (3),
// then Ġ p and p ug (2 each, the blank has the lower id), Ġp ug (2); Ġhug s occurs once.
constexpr const char* kText = "hug hug hug pug pug hugs";

TEST_F(WriteTokenizer, MergesTheMostFrequentPairFirst) {
  EXPECT_EQ(learn({kText}, 1000), "#version: 0.2\nu g\nh ug\nĠ hug\nĠ p\nĠp ug\n");
}

TEST_F(WriteTokenizer, StopsAtTheSizeAskedFor) {
  EXPECT_EQ(learn({kText}, 263), "#version: 0.2\nu g\nh ug\n");
  const auto vocabulary = nlohmann::json::parse(read_bytes(vocab_path_, "the vocabulary"));
  EXPECT_EQ(vocabulary.size(), 263U);
}

TEST_F(WriteTokenizer, PutsSpecialTokensWhereRobertaHasThem) {
  learn({kText}, 263);
  const auto vocabulary = nlohmann::json::parse(read_bytes(vocab_path_, "the vocabulary"));
  EXPECT_EQ(vocabulary["<s>"], 0);
  EXPECT_EQ(vocabulary["<pad>"], 1);
  EXPECT_EQ(vocabulary["</s>"], 2);
  EXPECT_EQ(vocabulary["<unk>"], 3);
  EXPECT_EQ(vocabulary["ug"], 260);
  EXPECT_EQ(vocabulary["hug"], 261);
  EXPECT_EQ(vocabulary["<mask>"], 262);
}

TEST_F(WriteTokenizer, WritesWhatTheTokenizerReads) {
  learn({kText, "\"quoted\\\" \xff\x01 quoted quoted"}, 400);
  const auto tokenizer = BytePairTokenizer::read(vocab_path_, merges_path_);
  EXPECT_EQ(tokenizer.encode("hug pug").size(), 2U);
  const std::string text = "a hug, \"quoted\\\" \xff";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST_F(WriteTokenizer, LearnsNothingFromNoText) { EXPECT_EQ(learn({}, 300), "#version: 0.2\n"); }

TEST_F(WriteTokenizer, RefusesASizeBelowBytesAndSpecialTokens) {
  EXPECT_THROW(learn({kText}, 260), ConfigError);
  EXPECT_EQ(learn({kText}, 261), "#version: 0.2\n");
}

}  // namespace
}  // namespace knockout
