// SPDX-License-Identifier: Apache-2.0
//
// A program of its own, since it counts every allocation of the process.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"

namespace {

std::atomic<long> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
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

  const EncodedRows rows = model.encoder().encode(table);
  const std::vector<double> expected = model.predict(table)[0].values;
  Model::Workspace workspace(model, 1);
  double answer[2];
  double* const answers[] = {answer};
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const EncodedBlock block{.rows = 1,
                             .values = rows.values.data() + row * rows.width,
                             .codes = rows.codes.data() + row * rows.code_count};
    const long before = allocations;
    model.answer(block, workspace, answers);
    const long taken = allocations - before;
    ASSERT_TRUE(taken == 0 || row == 0) << taken << ", row " << row;  // a thread may warm up once
    ASSERT_EQ(answer[0], expected[2 * row]);
    ASSERT_EQ(answer[1], expected[2 * row + 1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, OneRow,
                         testing::Values(Architecture::kMlp, Architecture::kResidual));

}  // namespace
}  // namespace knockout
