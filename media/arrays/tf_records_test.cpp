// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/tf_records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "media/arrays/crc32c.h"
#include "media/arrays/tf_example.h"

namespace knockout {
namespace {

using namespace std::string_literals;
using Bytes = std::vector<std::string_view>;
using Floats = std::vector<float>;
using Wholes = std::vector<std::int64_t>;

// As tf_records_golden.py prints it, which knows the formats' descriptions and nothing of this
// code.
constexpr std::string_view kGolden =
    "a4000000000000004113b8280aa1010a210a0e61657269616c2f656e636f646564120f0a0d0a0b89504e472d61"
    "657269616c0a230a137374726565746c6576656c2f656e636f646564120c0a0a0a08ffd87374726565740a190a"
    "10747265652f67656e75732f6c6162656c12051a030a01110a170a076e756d62657273120c120a0a080000c03f"
    "000080be0a230a0577686f6c65121a1a1808ffffffffffffffffff0108ac02088080808080808080407c4d7133"
    "220000000000000078113dfd0a200a090a05656d70747912000a130a05776f726473120a0a080a000a04616365"
    "7211ea57e2000000000000000029039807d8ea82a2";

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

class TfRecords : public testing::Test {
 protected:
  ~TfRecords() override { std::filesystem::remove(path_); }
  TfRecordReader reader_of(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    return TfRecordReader(path_);
  }
  /// What reading all of it complains about; "" = nothing.
  std::string complaint_about(const std::string& bytes) const {
    TfRecordReader reader = reader_of(bytes);
    try {
      while (reader.next()) {
      }
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

  const std::string golden_ = from_hex(kGolden);
  const std::string path_ = testing::TempDir() + fmt::format("tf_records_{}", ::getpid());
};

/// Parses; "" = it can be, else what is wrong.
std::string complaint_about_example(const std::string& bytes) {
  try {
    parse_tf_example(bytes, "here");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Crc32c, HasTheValuesOfTheStandard) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);            // the check value of CRC-32/ISCSI
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4, and the next two
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
}

TEST_F(TfRecords, GivesTheRecordsOfAFileThatAnotherProgramWrote) {
  TfRecordReader reader = reader_of(golden_);
  const std::optional<TfRecord> first = reader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->begin, 12U);
  EXPECT_EQ(golden_.substr(12, first->bytes.size()), first->bytes);
  const TfExample example = parse_tf_example(first->bytes, reader.where());
  EXPECT_EQ(example.size(), 5U);
  EXPECT_EQ(std::get<Bytes>(example.at("aerial/encoded")), Bytes{"\x89PNG-aerial"});
  EXPECT_EQ(std::get<Bytes>(example.at("streetlevel/encoded")), Bytes{"\xff\xd8street"});
  EXPECT_EQ(std::get<Wholes>(example.at("tree/genus/label")), Wholes{17});
  EXPECT_EQ(std::get<Floats>(example.at("numbers")), (Floats{1.5F, -0.25F}));
  EXPECT_EQ(std::get<Wholes>(example.at("whole")), (Wholes{-1, 300, std::int64_t{1} << 62}));

  const std::optional<TfRecord> second = reader.next();
  ASSERT_TRUE(second);
  EXPECT_TRUE(reader.where().ends_with(", record 2"));
  const TfExample words = parse_tf_example(second->bytes, "second");
  EXPECT_EQ(std::get<Bytes>(words.at("words")), (Bytes{"", "acer"}));
  EXPECT_TRUE(std::get<Bytes>(words.at("empty")).empty());
  EXPECT_EQ(reader.next()->bytes, "");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next()) << "the end is the end";
}

TEST_F(TfRecords, SayWhereAFileIsCutOff) {
  TfRecordReader whole = reader_of(golden_);
  std::vector<std::size_t> ends = {0};
  while (const auto record = whole.next()) ends.push_back(record->begin + record->bytes.size() + 4);
  ASSERT_EQ(ends.back(), golden_.size());
  for (std::size_t length = 0; length < golden_.size(); ++length) {
    const std::string message = complaint_about(golden_.substr(0, length));
    const bool at_an_end = std::find(ends.begin(), ends.end(), length) != ends.end();
    EXPECT_EQ(message.empty(), at_an_end) << length << ": " << message;
    EXPECT_EQ(message.find("is cut off") == std::string::npos, at_an_end) << message;
  }
}

TEST_F(TfRecords, NoticeEveryByteThatIsAnother) {
  for (std::size_t at = 0; at < golden_.size(); ++at) {
    std::string bytes = golden_;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_NE(complaint_about(bytes), "") << at;
  }
}

TEST_F(TfRecords, RefuseWhatIsNoSuchFile) {
  EXPECT_EQ(complaint_about(""), "") << "a file without records is one";
  EXPECT_NE(complaint_about("<!DOCTYPE html>").find("no file of records"), std::string::npos);
  EXPECT_NE(complaint_about("\x1f\x8b\x08 and so on"s).find("gunzip"), std::string::npos);
  // 2^40 bytes with the right checksum, worked out by tf_records_golden.py's masked().
  const std::string huge = from_hex("0000000000010000aa3d6be4");
  EXPECT_NE(complaint_about(huge).find("at most 67,108,864"), std::string::npos)
      << complaint_about(huge);
  EXPECT_THROW(TfRecordReader("not/there"), FileError);
  EXPECT_THROW(TfRecordReader{testing::TempDir()}, FileError);
}

TEST(TfExampleMessage, TakesTheLastOfTwoListsAndPassesOverWhatItDoesNotKnow) {
  // entry: key "k", value int64_list {value: 5}, written three times: as 5, as 6 with an unknown
  // field 9 of each kind before it, and as another name without a value.
  const std::string five = "\x0a\x0a\x0a\x01k\x12\x05\x1a\x03\x0a\x01\x05"s;
  const std::string six =
      "\x0a\x1d\x48\x01\x4d\1\2\3\4\x49\1\2\3\4\5\6\7\x08\x4a\x01x\x0a\x01k\x12\x05\x1a\x03\x0a\x01\x06"s;
  const std::string bare = "\x0a\x03\x0a\x01z"s;
  const std::string all = five + six + bare;
  const std::string message = "\x0a"s + static_cast<char>(all.size()) + all;
  const TfExample example = parse_tf_example(message, "here");
  EXPECT_EQ(example.size(), 2U);
  EXPECT_EQ(std::get<Wholes>(example.at("k")), Wholes{6});
  EXPECT_TRUE(std::get<Bytes>(example.at("z")).empty());
  EXPECT_TRUE(parse_tf_example("", "here").empty());
}

TEST(TfExampleMessage, RefusesHostileBytes) {
  EXPECT_NE(complaint_about_example("\x0a\x05x"s).find("5 bytes are expected where 1"),
            std::string::npos);
  EXPECT_NE(complaint_about_example("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s), "");
  EXPECT_NE(complaint_about_example("\x08"s + std::string(9, '\xff') + "\x02"), "") << "65 bits";
  EXPECT_EQ(complaint_about_example("\x08"s + std::string(9, '\xff') + "\x01"), "");
  EXPECT_NE(complaint_about_example("\x08"s + std::string(30, '\x80')), "") << "no end";
  EXPECT_NE(complaint_about_example("\x02\x00"s), "") << "field 0";
  EXPECT_NE(complaint_about_example("\x0b\x0c"s), "") << "groups";
  EXPECT_NE(complaint_about_example("\x0f"s), "") << "a kind that does not exist";
  // three bytes where packed floats take four each
  EXPECT_NE(complaint_about_example("\x0a\x0b\x0a\x09\x12\x07\x12\x05\x0a\x03\1\2\3"s), "");
  for (const std::string& bytes : {"plain text"s, std::string(64, '\xff')}) {
    EXPECT_TRUE(complaint_about_example(bytes).starts_with("here: is no tf.train.Example"));
  }
}

}  // namespace
}  // namespace knockout
