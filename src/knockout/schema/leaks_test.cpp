// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/leaks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::numbers;
using test::words;

Leak leak_of(const Column& input, const Column& target, Task task) {
  return find_leak(input, profile_column(input), target, task);
}

TEST(FindLeak, FindsNumbersThatOrderTheTarget) {
  std::vector<double> y, cube, noisy;
  for (int i = 0; i < 1000; ++i) {
    y.push_back((i * 37) % 1000);
    cube.push_back(std::pow(y.back() - 300.0, 3.0) + (i % 10 == 0 ? 1e3 : 0.0));
    noisy.push_back(y.back() + (i % 2 == 0 ? 60.0 : -60.0));
  }
  const Column target = numbers("y", y);
  EXPECT_EQ(leak_of(numbers("line", y), target, Task::kRegression), Leak::kExact);
  EXPECT_EQ(leak_of(numbers("cube", cube), target, Task::kRegression), Leak::kAlmost);
  EXPECT_EQ(leak_of(numbers("noisy", noisy), target, Task::kRegression), Leak::kNone);
}

TEST(FindLeak, FindsValuesThatTellClasses) {
  std::vector<std::string> label, codes, weak, names;
  std::vector<double> delay, age;
  for (int i = 0; i < 2000; ++i) {
    const bool yes = i % 4 == 0;
    label.push_back(yes ? "yes" : "no");
    codes.push_back(yes != (i == 77) ? (i % 8 == 0 ? "A" : "B") : "C");  // wrong once
    weak.push_back(yes != (i % 50 == 0) ? "A" : "B");
    names.push_back("n" + std::to_string(i));
    delay.push_back(yes ? 100.0 + i : -1.0 * i);
    age.push_back((i * 31) % 90);
  }
  const Column target = words("y", label);
  EXPECT_EQ(leak_of(words("codes", codes), target, Task::kClassification), Leak::kAlmost);
  EXPECT_EQ(leak_of(words("weak", weak), target, Task::kClassification), Leak::kNone);
  EXPECT_EQ(leak_of(words("names", names), target, Task::kClassification), Leak::kNone);
  EXPECT_EQ(leak_of(numbers("delay", delay), target, Task::kClassification), Leak::kAlmost);
  EXPECT_EQ(leak_of(numbers("age", age), target, Task::kClassification), Leak::kNone);
}

TEST(FindLeak, IsNotImpressedByARareClass) {
  std::vector<std::string> label, sex;
  for (int i = 0; i < 4000; ++i) {
    label.push_back(i % 2000 == 3 ? "yes" : "no");
    sex.push_back(i % 2 == 0 ? "f" : "m");
  }
  EXPECT_EQ(leak_of(words("sex", sex), words("y", label), Task::kClassification), Leak::kNone);
}

TEST(FindLeak, NeedsThirtyRows) {
  std::vector<double> x, y;
  for (int i = 0; i < 29; ++i) x.push_back(i * i), y.push_back(i);
  EXPECT_EQ(leak_of(numbers("x", x), numbers("y", y), Task::kRegression), Leak::kNone);
  x.push_back(1000), y.push_back(100);
  EXPECT_EQ(leak_of(numbers("x", x), numbers("y", y), Task::kRegression), Leak::kAlmost);
}

TEST(FindLeak, FindsGapsThatTellClasses) {
  // Every fourth leaves; the date of leaving is known of them alone.
  const auto leak_of_rows = [](int rows, int slips, const std::string& date) {
    std::vector<std::string> outcome, left_on;
    for (int i = 0; i < rows; ++i) {
      const bool left = i % 4 == 0;
      outcome.push_back(left ? "left" : "stayed");
      left_on.push_back(left != (i < slips) ? date + std::to_string(date.empty() ? i : i % 7) : "");
    }
    return leak_of(words("left_on", left_on), words("y", outcome), Task::kClassification);
  };
  EXPECT_EQ(leak_of_rows(40, 0, "day"), Leak::kGaps);
  EXPECT_EQ(leak_of_rows(28, 0, "day"), Leak::kNone);  // few rows
  EXPECT_EQ(leak_of_rows(40, 1, "day"), Leak::kNone);
  EXPECT_EQ(leak_of_rows(4000, 1, "day"), Leak::kGaps);
  // One value and gaps.
  std::vector<std::string> outcome, cancelled;
  for (int i = 0; i < 60; ++i) {
    outcome.push_back(i % 3 == 0 ? "left" : i % 3 == 1 ? "stayed" : "new");
    cancelled.push_back(i % 3 == 0 ? "yes" : "");
  }
  EXPECT_EQ(leak_of(words("c", cancelled), words("y", outcome), Task::kClassification),
            Leak::kGaps);
  // Some classes have gaps, others not, and no class is told from all others.
  std::vector<std::string> disease, roots;
  for (int i = 0; i < 80; ++i) {
    disease.push_back(std::string(1, static_cast<char>('a' + i % 4)));
    roots.push_back(i % 4 < 2 ? "rotted" : "");
  }
  EXPECT_EQ(leak_of(words("roots", roots), words("y", disease), Task::kClassification),
            Leak::kNone);
  // Gaps here and there.
  for (int i = 0; i < 60; ++i) cancelled[static_cast<std::size_t>(i)] = i % 5 == 0 ? "yes" : "";
  EXPECT_EQ(leak_of(words("c", cancelled), words("y", outcome), Task::kClassification),
            Leak::kNone);
}

}  // namespace
}  // namespace knockout
