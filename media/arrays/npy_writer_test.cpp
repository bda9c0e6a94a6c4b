// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/npy_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/data/npy.h"

namespace knockout {
namespace {

std::string path_of(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(NpyWriter, WritesTheBytesOfTheFormat) {
  const std::string path = path_of("npy_writer_bytes.npy");
  write_npy(path, std::vector<float>{1.0F, -2.0F}, 1, 2);
  // By NumPy's description of format 1.0: magic, version, length of the header, header, numbers.
  std::string expected = "\x93NUMPY";
  expected += std::string("\x01\x00\x76\x00", 4);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  header.resize(0x76 - 1, ' ');
  expected += header + "\n" + std::string("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);
  EXPECT_EQ(read_bytes(path, "the matrix"), expected);
}

TEST(NpyWriter, WritesMatricesThatTheReaderReads) {
  const std::string path = path_of("npy_writer_matrix.npy");
  write_npy(path, std::vector<float>{0.5F, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F}, 3, 2);
  const Table table = read_npy(path, "x");
  ASSERT_EQ(table.column_count(), 2U);
  EXPECT_EQ(table.column(0).numbers, (std::vector<double>{0.5, 2.5, 4.5}));
  EXPECT_EQ(table.column(1).numbers, (std::vector<double>{1.5, 3.5, 5.5}));
}

TEST(NpyWriter, WritesIntegersAsAVector) {
  const std::string path = path_of("npy_writer_vector.npy");
  write_npy(path, std::vector<std::int64_t>{7, -1, 1LL << 40});
  const Table table = read_npy(path, "x");
  ASSERT_EQ(table.column_count(), 1U);
  EXPECT_EQ(table.column(0).numbers, (std::vector<double>{7, -1, 1099511627776.0}));
}

TEST(NpyWriter, NamesAPathThatCannotBeWritten) {
  const std::string path = path_of("npy_writer_no_such_folder/x.npy");
  try {
    write_npy(path, std::vector<float>{1.0F}, 1, 1);
    FAIL() << "nothing was thrown";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("npy_writer_no_such_folder"), std::string::npos);
  }
}

}  // namespace
}  // namespace knockout
