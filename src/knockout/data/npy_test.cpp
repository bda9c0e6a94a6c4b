// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "knockout/base/error.h"
#include "knockout/base/test_raw_bytes.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

/// A .npy file as its specification describes it.
std::string npy_bytes(int version, const std::string& dictionary, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const std::string header = dictionary + "   \n";
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  }
  return bytes + header + data;
}

std::string dictionary(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

class NpyTest : public ::testing::Test {
 protected:
  ~NpyTest() override { fs::remove(path_); }

  Table read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_npy(path_, "v");
  }

  std::string path_ =
      (fs::temp_directory_path() / ("knockout_npy_" + std::to_string(::getpid()) + ".npy"))
          .string();
};

template <typename T>
std::vector<T> one_to_six() {
  return {1, 2, 3, 4, 5, 6};
}

void expect_two_by_three(const Table& table) {
  ASSERT_EQ(table.names(), (std::vector<std::string>{"v_0", "v_1", "v_2"}));
  EXPECT_EQ(listed(table.column(0).numbers()), (std::vector<double>{1, 4}));
  EXPECT_EQ(listed(table.column(1).numbers()), (std::vector<double>{2, 5}));
  EXPECT_EQ(listed(table.column(2).numbers()), (std::vector<double>{3, 6}));
}

TEST_F(NpyTest, ReadsEveryTypeInEitherByteOrder) {
  const std::string shape = "(2, 3)";
  const auto check = [&]<typename T>(const std::string& type, T) {
    expect_two_by_three(read(npy_bytes(1, dictionary("<" + type, shape), raw(one_to_six<T>()))));
    expect_two_by_three(
        read(npy_bytes(1, dictionary(">" + type, shape), raw(one_to_six<T>(), true))));
  };
  check("f8", double{});
  check("f4", float{});
  check("i1", std::int8_t{});
  check("i2", std::int16_t{});
  check("i4", std::int32_t{});
  check("i8", std::int64_t{});
  check("u1", std::uint8_t{});
  check("u2", std::uint16_t{});
  check("u4", std::uint32_t{});
  check("u8", std::uint64_t{});
}

TEST_F(NpyTest, ReadsEveryVersionOfTheFormat) {
  for (const int version : {1, 2, 3}) {
    expect_two_by_three(
        read(npy_bytes(version, dictionary("<f8", "(2, 3)"), raw(one_to_six<double>()))));
  }
  EXPECT_THROW(read(npy_bytes(4, dictionary("<f8", "(2, 3)"), raw(one_to_six<double>()))),
               DataError);
}

TEST_F(NpyTest, ReadsFortranOrder) {
  expect_two_by_three(read(
      npy_bytes(1, dictionary("<f4", "(2, 3)", true), raw(std::vector<float>{1, 4, 2, 5, 3, 6}))));
}

TEST_F(NpyTest, ReadsAVectorAsOneColumn) {
  const Table table =
      read(npy_bytes(1, dictionary("|b1", "(3,)"), raw(std::vector<std::uint8_t>{1, 0, 1})));
  ASSERT_EQ(table.names(), (std::vector<std::string>{"v_0"}));
  EXPECT_EQ(listed(table.column(0).numbers()), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(table.where(1), path_ + ", row 2");
}

TEST_F(NpyTest, TakesNanAsMissingAndInfinityAsBeyondALimit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Table table = read(npy_bytes(
      1, dictionary("<f8", "(4, 1)"),
      raw(std::vector<double>{std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 2})));
  EXPECT_EQ(listed(table.column(0).states()),
            (std::vector<CellState>{CellState::kMissing, CellState::kAboveLimit,
                                    CellState::kBelowLimit, CellState::kObserved}));
  EXPECT_EQ(listed(table.column(0).numbers()), (std::vector<double>{0, 0, 0, 2}));
}

TEST_F(NpyTest, KeepsTheSignOfIntegers) {
  const Table table = read(
      npy_bytes(1, dictionary(">i2", "(2,)"), raw(std::vector<std::int16_t>{-300, 300}, true)));
  EXPECT_EQ(listed(table.column(0).numbers()), (std::vector<double>{-300, 300}));
}

TEST_F(NpyTest, RefusesWhatIsNoMatrixOfNumbers) {
  const std::string six = raw(one_to_six<double>());
  EXPECT_THROW(read("x,y\n1,2\n"), DataError);
  EXPECT_THROW(read(""), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(1, 2, 3)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "()"), raw(std::vector<double>{1}))), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("|O", "(6,)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<c16", "(3,)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(0, 3)"), "")), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(3, 0)"), "")), DataError);
  EXPECT_THROW(
      read(npy_bytes(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,), }", six)),
      DataError);
}

TEST_F(NpyTest, RefusesAFileOfAnotherSizeThanItsShape) {
  const std::string six = raw(one_to_six<double>());
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(2, 4)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(2, 2)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(2, 3)"), six.substr(0, 47))), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(4294967296, 4294967296)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(99999999999999999999, 1)"), six)), DataError);
  EXPECT_THROW(read(npy_bytes(1, dictionary("<f8", "(-2, 3)"), six)), DataError);
}

TEST_F(NpyTest, RefusesAFileThatIsCutOffAnywhere) {
  const std::string whole = npy_bytes(2, dictionary("<f8", "(2, 3)"), raw(one_to_six<double>()));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read(whole.substr(0, length)), DataError) << length;
  }
}

}  // namespace
}  // namespace knockout
