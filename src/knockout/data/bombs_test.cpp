// SPDX-License-Identifier: Apache-2.0
// Small files that are made to take all of the machine's memory, forged here.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/npy.h"
#include "knockout/data/text_file.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

class Bomb : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "knockout_bomb_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A gzip file of `start` and then `count` times `repeated`.
  std::string packed(const std::string& start, const std::string& repeated, std::size_t count) {
    const std::string path = (folder_ / "bomb.gz").string();
    const gzFile file = gzopen(path.c_str(), "wb9");
    const auto put = [&](const std::string& bytes) {
      EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
                static_cast<int>(bytes.size()));
    };
    put(start);
    std::string piece;
    while (piece.size() < (1U << 20) && count > 0) piece += repeated, --count;
    const std::size_t per_piece = piece.size() / repeated.size();
    put(piece);
    for (; count >= per_piece; count -= per_piece) put(piece);
    for (; count > 0; --count) put(repeated);
    gzclose(file);
    return path;
  }

  fs::path folder_;
};

template <typename Action>
std::string refused(const Action& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

std::string npy_header(const std::string& shape) {
  std::string text = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size());
  bytes += '\0';
  return bytes + text;
}

TEST_F(Bomb, OfZerosUnpacksNoFurtherThanAllowed) {
  const std::string path = packed("a\n", std::string(1, '1'), 50'000'000);
  EXPECT_LT(fs::file_size(path), 100'000U);
  const Limits limits{.max_unpacked = 0.01};
  const std::string message = refused([&] { load_text(path, limits); });
  EXPECT_TRUE(says(message, "unpacks to more than 10 MB")) << message;
  EXPECT_TRUE(says(message, "`max_unpacked = ")) << message;
  EXPECT_TRUE(says(refused([&] { CsvText::load(path, 0, limits); }), "unpacks to"));
  EXPECT_TRUE(says(refused([&] { read_csv(path, {.limits = limits}); }), "unpacks to"));
  EXPECT_TRUE(says(refused([&] { read_npy(path, "x", limits); }), "unpacks to"));
  EXPECT_EQ(load_text(path, {.max_unpacked = 0.06}).view().size(), 50'000'002U);
}

TEST_F(Bomb, OfManyColumnsInAMatrixIsRefusedByTheirNumber) {
  // 20 kB; as columns its 20 million numbers would take gigabytes.
  const std::string path = packed(npy_header("(1, 20000000)"), std::string(1, '\0'), 20'000'000);
  EXPECT_LT(fs::file_size(path), 30'000U);
  const std::string message = refused([&] { read_npy(path, "x"); });
  EXPECT_TRUE(says(message, "20,000,000 columns")) << message;
  EXPECT_TRUE(says(message, "`max_columns = 20000000`")) << message;
  const Table few =
      read_npy(packed(npy_header("(1, 40)"), std::string(1, '\2'), 40), "x", {.max_columns = 40});
  EXPECT_EQ(few.column_count(), 40U);
}

TEST_F(Bomb, OfManyCellsInAMatrixIsRefusedByTheirNumber) {
  const std::string path = packed(npy_header("(1000, 100)"), std::string(1, '\0'), 100'000);
  EXPECT_TRUE(says(refused([&] { read_npy(path, "x", {.max_cells = 99'999}); }), "`max_cells"));
  EXPECT_EQ(read_npy(path, "x", {.max_cells = 100'000}).rows(), 1000U);
}

TEST_F(Bomb, OfManyColumnsInATableIsRefusedWhateverSeparatesThem) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const std::string path = packed("a", std::string(1, delimiter), 20'000'000);
    EXPECT_LT(fs::file_size(path), 30'000U);
    const std::string message = refused([&] { read_csv(path); });
    EXPECT_TRUE(says(message, "20,000,001 columns")) << message;
    EXPECT_TRUE(says(refused([&] { CsvText::load(path).names(); }), "columns"));
  }
}

TEST_F(Bomb, OfDelimitersWithinQuotesIsNone) {
  const std::string cell = '"' + std::string(3000, ',') + '"';
  const Table table =
      read_csv_text("a,b\n1," + cell + "\n", "t.csv", {.limits = {.max_columns = 2}});
  EXPECT_EQ(table.column_count(), 2U);
  EXPECT_TRUE(says(
      refused([&] { read_csv_text("a,b,c\n1,2,3\n", "t.csv", {.limits = {.max_columns = 2}}); }),
      "3 columns where at most 2"));
}

TEST_F(Bomb, OfManyCellsInATableIsRefusedByTheirNumber) {
  std::string text = "a,b,c\n";
  for (int row = 0; row < 1000; ++row) text += "1,2,3\n";
  const auto read = [&](double most, std::vector<std::string> skip) {
    return read_csv_text(text, "t.csv",
                         {.skip_columns = std::move(skip), .limits = {.max_cells = most}});
  };
  const std::string message = refused([&] { read(2000, {}); });
  EXPECT_TRUE(says(message, "x 3 cells")) << message;
  EXPECT_TRUE(says(message, "`max_cells = ")) << message;
  EXPECT_EQ(read(1500, {"a", "b"}).rows(), 1000U) << "what is not read does not count";
}

TEST_F(Bomb, ThatNeverEndsIsCutOff) {
  const std::string message = refused([&] { load_text("/dev/zero", {.max_memory = 0.01}); });
  EXPECT_TRUE(says(message, "holds more than 10 MB")) << message;
  EXPECT_TRUE(says(message, "`max_memory = ")) << message;
}

}  // namespace
}  // namespace knockout
