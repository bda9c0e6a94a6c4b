// SPDX-License-Identifier: Apache-2.0
//
// A program of its own, since it counts every allocation of the process.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/model/row_predictor.h"

namespace {

std::atomic<long> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort() asks this way, and gives back as everybody does.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace knockout {
namespace {

class OneRow : public testing::TestWithParam<Architecture> {};

TEST_P(OneRow, IsAnsweredWithoutAllocatingAndAsPredictDoes) {
  const Table table = read_csv(std::string(KNOCKOUT_SOURCE_DIR) + "/examples/patients.csv");
  FitOptions options;
  options.schema.targets = {"risk"};
  options.encode.max_one_hot = 2;  // so that a column is embedded
  options.train.architecture = GetParam();
  options.train.networks = 2;
  options.train.steps = 20;
  const Model model = fit(table, options).model;
  ASSERT_FALSE(model.encoder().embedded().empty());
  const std::vector<std::string> names = model.schema().feature_names();
  std::vector<const Column*> columns;
  for (const std::string& name : names) columns.push_back(&table.at(name));

  const std::vector<double> expected = model.predict(table)[0].values;
  RowPredictor predictor(model);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const long before = allocations;
    predictor.clear();
    for (std::size_t f = 0; f < model.schema().features.size(); ++f) {
      const Column& column = *columns[f];
      if (column.is_text() && column.observed(row)) {
        predictor.set(names[f], std::string_view(column.word(row)));
      } else if (column.observed(row)) {
        predictor.set(names[f], column.number(row));
      } else {
        predictor.set_missing(names[f], column.state(row));
      }
    }
    const TargetPrediction& answer = predictor.predict().front();
    const long taken = allocations - before;
    ASSERT_TRUE(taken == 0 || row == 0) << taken << ", row " << row;  // a thread may warm up once
    ASSERT_EQ(answer.rows(), 1U);
    ASSERT_EQ(answer.values[0], expected[2 * row]);
    ASSERT_EQ(answer.values[1], expected[2 * row + 1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, OneRow,
                         testing::Values(Architecture::kMlp, Architecture::kResidual));

}  // namespace
}  // namespace knockout
