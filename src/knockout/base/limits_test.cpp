// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/limits.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/base/machine_memory.h"

namespace knockout {
namespace {

template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Limits, AreSharesOfTheMachineUnlessSaid) {
  const Limits unsaid;
  EXPECT_NEAR(static_cast<double>(unsaid.memory_bytes()),
              0.8 * static_cast<double>(machine_memory()), 1.0);
  const Limits said{.max_memory = 9};
  EXPECT_EQ(said.memory_bytes(), 9'000'000'000U);
  EXPECT_EQ(said.unpacked_bytes(), 2'250'000'000U);
  EXPECT_EQ(said.cells(), 500'000'000U);  // half of it, 9 bytes each
  EXPECT_EQ((Limits{.max_memory = 9, .max_unpacked = 0.5}.unpacked_bytes()), 500'000'000U);
  EXPECT_EQ((Limits{.max_cells = 1000}.cells()), 1000U);
}

TEST(Limits, NameTheFigureAndTheOptionThatAllowsIt) {
  EXPECT_EQ(refusal([] { check_columns({.max_columns = 3}, 3, "t.csv"); }), "");
  EXPECT_EQ(refusal([] { check_columns({.max_columns = 1000}, 20'000'000, "t.csv"); }),
            "t.csv: 20,000,000 columns where at most 1,000 are read.\n"
            "  If that is meant:  `max_columns = 20000000`");
  EXPECT_EQ(refusal([] { check_cells({.max_cells = 6}, 2, 3, "t.csv"); }), "");
  const std::string cells = refusal([] { check_cells({.max_cells = 5}, 2000, 3000, "t.csv"); });
  EXPECT_NE(cells.find("2,000 x 3,000 cells would take about 54 MB"), std::string::npos) << cells;
  EXPECT_NE(cells.find("`max_cells = 6000000`"), std::string::npos) << cells;
}

TEST(Limits, CountsThatOverflowAreRefusedToo) {
  const std::uint64_t huge = std::uint64_t{1} << 40;
  EXPECT_NE(refusal([&] { check_cells({}, huge, huge, "t.csv"); }), "");
}

TEST(Bytes, AreToldAsPeopleSayThem) {
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1500), "1.5 kB");
  EXPECT_EQ(bytes_text(20'480'000), "20 MB");
  EXPECT_EQ(bytes_text(1.49e9), "1.5 GB");
  EXPECT_EQ(bytes_text(2.5e12), "2,500 GB");
  EXPECT_EQ(gigabytes_for(1.41e9), "1.5");
  EXPECT_EQ(gigabytes_for(10.2e9), "11");
}

}  // namespace
}  // namespace knockout
