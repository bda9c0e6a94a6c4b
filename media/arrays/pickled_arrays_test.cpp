// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/pickled_arrays.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/data/csv_reader.h"
#include "media/arrays/unpickler.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// pickle.dumps({'a': np.array([1, -2, 300]), 'b': np.array([1, 255], np.uint8), 'c': [7, 70000,
// -1], 'd': np.array([258, -3], '>i2'), 'e': [np.int64(5), np.int64(-6)]}, protocol) by Python 3.11
// with NumPy 1.24.2, protocols 2, 3 and 4.
constexpr const char* kPickles[] = {
    "80027d7100285801000000617101636e756d70792e636f72652e6d756c746961727261790a5f7265636f6e7374"
    "727563740a7102636e756d70790a6e6461727261790a71034b00857104635f636f646563730a656e636f64650a"
    "7105580100000062710658060000006c6174696e31710786710852710987710a52710b284b014b0385710c636e"
    "756d70790a64747970650a710d58020000006938710e898887710f527110284b0358010000003c71114e4e4e4a"
    "ffffffff4affffffff4b007471126289680558200000000100000000000000c3bec3bfc3bfc3bfc3bfc3bfc3bf"
    "c3bf2c0100000000000071136807867114527115747116625801000000627117680268034b0085711868098771"
    "1952711a284b014b0285711b680d58020000007531711c898887711d52711e284b0358010000007c711f4e4e4e"
    "4affffffff4affffffff4b0074712062896805580300000001c3bf712168078671225271237471246258010000"
    "006371255d7126284b074a701101004affffffff655801000000647127680268034b0085712868098771295271"
    "2a284b014b0285712b680d58020000006932712c898887712d52712e284b0358010000003e712f4e4e4e4affff"
    "ffff4affffffff4b007471306289680558060000000102c3bfc3bd713168078671325271337471346258010000"
    "006571355d713628636e756d70792e636f72652e6d756c746961727261790a7363616c61720a71376810680558"
    "0800000005000000000000007138680786713952713a86713b52713c6837681068055810000000c3bac3bfc3bf"
    "c3bfc3bfc3bfc3bfc3bf713d680786713e52713f86714052714165752e",
    "80037d7100285801000000617101636e756d70792e636f72652e6d756c746961727261790a5f7265636f6e7374"
    "727563740a7102636e756d70790a6e6461727261790a71034b008571044301627105877106527107284b014b03"
    "857108636e756d70790a64747970650a710958020000006938710a898887710b52710c284b0358010000003c71"
    "0d4e4e4e4affffffff4affffffff4b0074710e628943180100000000000000feffffffffffffff2c0100000000"
    "0000710f747110625801000000627111680268034b008571126805877113527114284b014b0285711568095802"
    "000000753171168988877117527118284b0358010000007c71194e4e4e4affffffff4affffffff4b0074711a62"
    "89430201ff711b74711c62580100000063711d5d711e284b074a701101004affffffff65580100000064711f68"
    "0268034b008571206805877121527122284b014b0285712368095802000000693271248988877125527126284b"
    "0358010000003e71274e4e4e4affffffff4affffffff4b00747128628943040102fffd712974712a6258010000"
    "0065712b5d712c28636e756d70792e636f72652e6d756c746961727261790a7363616c61720a712d680c430805"
    "00000000000000712e86712f527130682d680c4308faffffffffffffff713186713252713365752e",
    "80049587010000000000007d94288c0161948c156e756d70792e636f72652e6d756c74696172726179948c0c5f"
    "7265636f6e7374727563749493948c056e756d7079948c076e6461727261799493944b00859443016294879452"
    "94284b014b03859468058c0564747970659493948c02693894898887945294284b038c013c944e4e4e4affffff"
    "ff4affffffff4b007494628943180100000000000000feffffffffffffff2c01000000000000947494628c0162"
    "94680468074b008594680987945294284b014b028594680e8c02753194898887945294284b038c017c944e4e4e"
    "4affffffff4affffffff4b0074946289430201ff947494628c0163945d94284b074a701101004affffffff658c"
    "016494680468074b008594680987945294284b014b028594680e8c02693294898887945294284b038c013e944e"
    "4e4e4affffffff4affffffff4b007494628943040102fffd947494628c0165945d942868028c067363616c6172"
    "9493946811430805000000000000009486945294683368114308faffffffffffffff948694529465752e"};

const NamedIntegers& truth() {
  static const NamedIntegers named = {{"a", {1, -2, 300}},
                                      {"b", {1, 255}},
                                      {"c", {7, 70000, -1}},
                                      {"d", {258, -3}},
                                      {"e", {5, -6}}};
  return named;
}

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string pickle_error_of(const std::string& pickle) {
  try {
    unpickle_arrays(pickle, "labels.pt");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

class PickledArraysTest : public ::testing::Test {
 protected:
  ~PickledArraysTest() override { fs::remove(path_); }

  NamedIntegers read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_pickled_arrays(path_);
  }

  std::string path_ =
      (fs::temp_directory_path() / ("knockout_pickle_" + std::to_string(::getpid()) + ".pt"))
          .string();
};

TEST_F(PickledArraysTest, ReadsWhatNumPyPickledByEveryProtocol) {
  for (const char* const hex : kPickles) {
    EXPECT_EQ(unpickle_arrays(bytes_of_hex(hex), "here"), truth());
  }
}

TEST_F(PickledArraysTest, ReadsADictionaryInANumPyFile) {
  // numpy.save(file, {'noisy_label': np.array([3, 1], np.int8)}), NumPy 1.24.2
  const NamedIntegers expected = {{"noisy_label", {3, 1}}};
  EXPECT_EQ(read(bytes_of_hex(
                "934e554d5059010076007b276465736372273a20277c4f272c2027666f727472616e5f6f72646572"
                "273a2046616c73652c20277368617065273a2028292c207d20202020202020202020202020202020"
                "20202020202020202020202020202020202020202020202020202020202020202020202020202020"
                "202020202020200a8003636e756d70792e636f72652e6d756c746961727261790a5f7265636f6e73"
                "74727563740a7100636e756d70790a6e6461727261790a71014b0085710243016271038771045271"
                "05284b0129636e756d70790a64747970650a710658020000004f3871078988877108527109284b03"
                "58010000007c710a4e4e4e4affffffff4affffffff4b3f74710b62895d710c7d710d580b0000006e"
                "6f6973795f6c6162656c710e680068014b0085710f6803877110527111284b014b02857112680658"
                "02000000693171138988877114527115284b03680a4e4e4e4affffffff4affffffff4b0074711662"
                "89430203017117747118627361747119622e")),
            expected);
}

TEST_F(PickledArraysTest, ReadsBackWhatItWrote) {
  const NamedIntegers named = {{"worse_label", {0, 9, 127, 128, 255, 256, -1}},
                               {"none", {}},
                               {"ends", {INT64_MIN, INT64_MAX}}};
  write_pickled_arrays(named, path_);
  EXPECT_EQ(read_pickled_arrays(path_), named);
}

TEST_F(PickledArraysTest, RefusesToNameAnythingThatCouldBeExecuted) {
  EXPECT_NE(pickle_error_of("\x80\x02"s + "cos\nsystem\nX\x02\0\0\0ls\x85R."s).find("os.system"),
            std::string::npos);
  EXPECT_NE(pickle_error_of("\x80\x04\x8c\x08"s + "builtins\x8c\x04"s + "eval\x93."s)
                .find("builtins.eval"),
            std::string::npos);
}

TEST_F(PickledArraysTest, RefusesDictionariesOfOtherThings) {
  const std::string start = "\x80\x02}X\1\0\0\0a"s;
  EXPECT_NE(pickle_error_of(start + "Ns.").find("\"a\" is no vector"), std::string::npos);
  EXPECT_NE(pickle_error_of(start + "](Nes.").find("\"a\" holds something else"),
            std::string::npos);
  EXPECT_NE(pickle_error_of(start + "]sX\1\0\0\0a]s."s).find("\"a\" is there twice"),
            std::string::npos);
  EXPECT_NE(pickle_error_of("\x80\x02K\1."s).find("no dictionary"), std::string::npos);
  EXPECT_NE(pickle_error_of("\x80\x05}."s).find("protocol 5"), std::string::npos);
  EXPECT_NE(pickle_error_of("\x80\x02(](a."s).find("more than it has"), std::string::npos);
}

TEST_F(PickledArraysTest, RefusesEveryTruncationAndSurvivesEveryFlip) {
  for (const char* const hex : kPickles) {
    const std::string whole = bytes_of_hex(hex);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW(unpickle_arrays(std::string_view(whole).substr(0, size), "here"), DataError);
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
        try {
          unpickle_arrays(flipped, "here");  // other numbers and names are still a dictionary
        } catch (const DataError&) {
        }
      }
    }
  }
}

TEST_F(PickledArraysTest, RefusesEveryTruncationOfAnArchiveAndEveryFlipInIt) {
  write_pickled_arrays({{"clean_label", {3, 1, 4, 1, 5}}}, path_);
  const std::string whole = read_bytes(path_, "the labels");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(read(whole.substr(0, size)), DataError) << size;
  }
  const std::size_t start = whole.find("data.pkl") + 8;
  const std::size_t end = whole.find("PK", start);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    if (at >= start && at < end) {
      EXPECT_THROW(read(flipped), DataError) << at;
      continue;
    }
    try {
      read(flipped);  // names, dates and what nobody needs
    } catch (const DataError&) {
    }
  }
}

TEST(Unpickler, CountsWhatAPickleMakes) {
  // A byte each: lists, marks, empty tuples, None, and the same list recalled again and again.
  for (const std::string& made : {"]"s, "("s, ")"s, "N"s, "h\0"s}) {
    std::string bomb = "\x80\x02]q\0"s;
    for (int i = 0; i < 2000; ++i) bomb += made;
    std::string message;
    try {
      unpickle_arrays(bomb + ".", "labels.pt", {.max_objects = 1000});
    } catch (const DataError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("more than 1,000 objects"), std::string::npos) << message;
    EXPECT_NE(message.find("`max_objects = "), std::string::npos) << message;
  }
  EXPECT_EQ(unpickle_arrays(bytes_of_hex(kPickles[0]), "labels.pt", {.max_objects = 1000}),
            truth());
}

TEST_F(PickledArraysTest, SaysThatAFileIsSomethingElse) {
  EXPECT_THROW(read("clean_label,noisy_label\n1,2\n"), DataError);
  EXPECT_THROW(read("\x93NUMPY\1\0\x0a\0{'<i8'}   "s), DataError);
  EXPECT_THROW(read_pickled_arrays("no/such/file.pt"), FileError);
}

TEST_F(PickledArraysTest, ReadsTheLabelsThatTheOwnersOfCifarNShip) {
  const char* const given = std::getenv("KNOCKOUT_SHARED_DATA");
  const fs::path root = given != nullptr
                            ? fs::path(given)
                            : fs::path(__FILE__).parent_path() / "../../../shared/data";
  const fs::path folder = root / "cifar_n";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no CIFAR-N labels in " << folder;
  for (const auto& [pickle, csv] : {std::pair("CIFAR-10_human.pt", "cifar10n_labels.csv"),
                                    std::pair("CIFAR-100_human.pt", "cifar100n_labels.csv")}) {
    const NamedIntegers named = read_pickled_arrays(folder / pickle);
    const Table table = read_csv(folder / csv);
    ASSERT_EQ(named.size(), table.column_count() - 1) << pickle;  // without train_index
    for (const auto& [name, values] : named) {
      ASSERT_EQ(values.size(), 50'000U);
      EXPECT_TRUE(std::equal(values.begin(), values.end(), table.at(name).numbers().begin(),
                             [](std::int64_t a, double b) { return static_cast<double>(a) == b; }))
          << name;
    }
  }
  // In the order of another library, and as lists of NumPy's own numbers.
  const NamedIntegers ordered = read_pickled_arrays(folder / "CIFAR-100_human_ordered.npy");
  EXPECT_EQ(ordered.at("clean_label").size(), 50'000U);
}

}  // namespace
}  // namespace knockout
