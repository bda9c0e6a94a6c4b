// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/safetensors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "knockout/base/error.h"
#include "knockout/model/test_safetensors.h"

namespace knockout {
namespace {

constexpr std::array<std::string_view, 3> kTypes = {"F32", "I64", "BOOL"};

/// Two numbers, three truths and nothing.
SafetensorsBlocks sample(const std::string& data) {
  const std::string_view view = data;
  return {{"a", {"I64", {2}, view.substr(0, 16)}},
          {"b", {"BOOL", {3, 1}, view.substr(16, 3)}},
          {"none", {"F32", {0, 4}, {}}}};
}

std::string block_refusal(const std::string& bytes) {
  try {
    read_safetensors_blocks(read_safetensors_header(bytes), kTypes);
  } catch (const ModelFileError& error) {
    return error.what();
  }
  return "";
}

TEST(Safetensors, LiesAsTheFormatSays) {
  const std::string data = "0123456789abcdefXYZ";
  const std::string bytes = safetensors_to_bytes(sample(data), {{"key", "text"}});
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0);
  EXPECT_EQ(bytes.substr(8 + length), data);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header, nlohmann::json::parse(R"({
      "__metadata__": {"key": "text"},
      "a": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]},
      "b": {"dtype": "BOOL", "shape": [3, 1], "data_offsets": [16, 19]},
      "none": {"dtype": "F32", "shape": [0, 4], "data_offsets": [19, 19]}})"));
}

TEST(Safetensors, ReadsBackWhatItWrote) {
  const std::string data = "0123456789abcdefXYZ";
  const std::string bytes = safetensors_to_bytes(sample(data), {{"key", "text"}});
  const SafetensorsHeader header = read_safetensors_header(bytes);
  EXPECT_EQ(header.metadata, (std::map<std::string, std::string>{{"key", "text"}}));
  EXPECT_EQ(header.entries, safetensors_entries(sample(data)));
  const SafetensorsBlocks blocks = read_safetensors_blocks(header, kTypes);
  ASSERT_EQ(blocks.size(), 3);
  for (const auto& [name, block] : sample(data)) {
    EXPECT_EQ(blocks.at(name).type, block.type);
    EXPECT_EQ(blocks.at(name).shape, block.shape);
    EXPECT_EQ(blocks.at(name).bytes, block.bytes);
  }
}

TEST(Safetensors, RefusesEveryTruncationAndExtension) {
  const std::string bytes = safetensors_to_bytes(sample("0123456789abcdefXYZ"), {});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(block_refusal(bytes.substr(0, length)), "") << length;
  }
  EXPECT_NE(block_refusal(bytes + '\0'), "");
  EXPECT_EQ(block_refusal(bytes), "");
}

TEST(Safetensors, RefusesTensorsThatDoNotFitTheirPlaceOrType) {
  const auto refusal_of = [](const std::string& entry) {
    return block_refusal(file_of(R"({"t":)" + entry + "}", "01234567"));
  };
  EXPECT_EQ(refusal_of(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), "");
  EXPECT_EQ(refusal_of(R"({"dtype":"I64","shape":[],"data_offsets":[0,8]})"), "");
  for (const char* entry : {
           R"({"dtype":"F64","shape":[1],"data_offsets":[0,8]})",   // not asked for
           R"({"dtype":"F99","shape":[1],"data_offsets":[0,8]})",   // unknown
           R"({"dtype":"I64","shape":[2],"data_offsets":[0,8]})",   // too large
           R"({"dtype":"BOOL","shape":[7],"data_offsets":[0,8]})",  // too small
           R"({"dtype":"BOOL","shape":[7],"data_offsets":[0,7]})",  // a byte too many
           R"({"dtype":"BOOL","shape":[7],"data_offsets":[1,8]})",  // a gap
           R"({"dtype":"BOOL","shape":[9],"data_offsets":[0,9]})",  // beyond the end
           R"({"dtype":"BOOL","shape":[-8],"data_offsets":[0,8]})",
           R"({"dtype":"I64","shape":[2305843009213693953],"data_offsets":[0,8]})",  // wraps to 8
           R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1})",
           R"({"dtype":"F32","shape":[2]})",
           R"([])",
       }) {
    EXPECT_NE(refusal_of(entry), "") << entry;
  }
  EXPECT_NE(block_refusal(file_of(R"({"__metadata__":{"a":1}})", "")), "");
  EXPECT_NE(block_refusal(file_of(R"({"__metadata__":[]})", "")), "");
}

TEST(Crc32, IsTheUsualOneWhateverThePieces) {
  Crc32 crc;
  for (const char* piece : {"1234", "", "56789"}) crc.add(piece);
  EXPECT_EQ(crc.text(), "crc32:cbf43926");  // the check value of every description of it
}

TEST(Safetensors, RefusesToWriteWhatItCouldNotRead) {
  const std::string four_bytes(4, 'x');
  EXPECT_NO_THROW(safetensors_entries({{"a", {"F32", {1}, four_bytes}}}));
  EXPECT_THROW(safetensors_entries({{"a", {"F32", {2}, four_bytes}}}), ConfigError);
  EXPECT_THROW(safetensors_entries({{"__metadata__", {"F32", {1}, four_bytes}}}), ConfigError);
}

}  // namespace
}  // namespace knockout
