// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::message_of;

using Places = std::vector<std::size_t>;

TEST(ColumnMatcher, TakesANameBeforeAPatternAndAllBeforeNone) {
  const std::vector<std::string> names = {"a1", "a*", "b", "a2"};
  const ColumnMatcher matcher(names);
  EXPECT_EQ(matcher.match("a*", "ignore").columns, Places{1});
  EXPECT_TRUE(matcher.match("a*", "ignore").by_name);
  EXPECT_EQ(matcher.match("*2", "ignore").columns, Places{3});
  EXPECT_FALSE(matcher.match("*2", "ignore").by_name);
  EXPECT_EQ(matcher.match("all", "ignore").columns, (Places{0, 1, 2, 3}));
  EXPECT_EQ(message_of<ConfigError>([&] { matcher.match("B", "ignore"); }),
            "`ignore = B`: no column is called that. Did you mean \"b\"?");
  EXPECT_TRUE(contains(message_of<ConfigError>([&] { matcher.match("z*", "ignore"); }), "z*"));
}

TEST(ReadRequests, FindsEachOfVeryManyNames) {
  // Looked for one by one, the names alone are compared 10^10 times.
  constexpr std::size_t kColumns = 50'000;
  std::vector<Column> columns;
  SchemaOptions options;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::string name = "measure_" + std::to_string(i);
    columns.push_back(test::numbers(name, {1, 2}));
    (i % 2 == 0 ? options.categorical : options.continuous).push_back(name);
    options.ranges.push_back({.column = name, .lower = static_cast<double>(i), .upper = {}});
    if (i % 5 == 0) options.never_missing.push_back(name);
  }
  const auto requests = read_requests(Table(std::move(columns), "d.csv"), options);
  ASSERT_EQ(requests.size(), kColumns);
  for (std::size_t i = 0; i < kColumns; ++i) {
    ASSERT_EQ(requests[i].kind->name(), i % 2 == 0 ? "categorical" : "continuous");
    ASSERT_EQ(requests[i].lower, static_cast<double>(i));
    ASSERT_TRUE(requests[i].range_by_name);
    ASSERT_EQ(requests[i].never_missing, i % 5 == 0);
  }
}

}  // namespace
}  // namespace knockout
