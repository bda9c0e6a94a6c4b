// SPDX-License-Identifier: Apache-2.0
// Real tables with gaps, with nothing said but the target (the last column of each file).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "knockout/data/csv_reader.h"
#include "knockout/data/split.h"
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

std::filesystem::path tables_folder() {
  const char* const said = std::getenv("KNOCKOUT_SHARED_DATA");
  const std::filesystem::path data =
      said != nullptr ? said : std::string(KNOCKOUT_SOURCE_DIR) + "/../shared/data";
  return data / "tabular";
}

std::vector<std::filesystem::path> table_paths() {
  std::vector<std::filesystem::path> paths;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(tables_folder(), absent)) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A fit to four rows in five. A category that only the others show counts as missing.
struct Held {
  Table train, test;
  Model model;
};

constexpr int kFolds = 5;

Held fit_without(const Table& table, int held_out) {
  const std::vector<int> fold = assign_folds(table.rows(), kFolds, 1);
  std::vector<std::size_t> train_rows, test_rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    (fold[row] == held_out ? test_rows : train_rows).push_back(row);
  }
  FitOptions options;
  options.schema.targets = {table.names().back()};
  options.schema.unseen_category = UnseenCategory::kMissing;
  options.train.steps = 300;
  const Table train = table.take_rows(train_rows);
  return {train, table.take_rows(test_rows), fit(train, options).model};
}

int class_of(const Target& target, const Column& column, std::size_t row) {
  return find_label(target.classes,
                    column.is_text() ? column.word(row) : label_of_number(column.number(row)));
}

/// Squared error, or log loss, of the model and of what the training labels say without any input.
struct Losses {
  double model = 0, base = 0;
};

Losses losses_on_test(const Held& held) {
  const TargetPrediction prediction = held.model.predict(held.test)[0];
  const Target& target = prediction.target;
  const Column& train = held.train.at(target.name);
  const Column& test = held.test.at(target.name);
  Losses losses;
  if (target.task == Task::kRegression) {
    double mean = 0;
    for (const double value : train.numbers()) mean += value / static_cast<double>(train.size());
    for (std::size_t row = 0; row < test.size(); ++row) {
      losses.model += std::pow(prediction.values[row] - test.number(row), 2);
      losses.base += std::pow(mean - test.number(row), 2);
    }
    return losses;
  }
  std::vector<double> share(target.classes.size(), 0.0);
  for (std::size_t row = 0; row < train.size(); ++row) {
    share[class_of(target, train, row)] += 1.0 / static_cast<double>(train.size());
  }
  for (std::size_t row = 0; row < test.size(); ++row) {
    const int label = class_of(target, test, row);
    if (label < 0) continue;  // a class that only the held-out rows show
    losses.model -= std::log(prediction.values[row * prediction.width() + label]);
    losses.base -= std::log(share[label]);
  }
  return losses;
}

/// Finite, probabilities that add up, and numbers not far outside what training saw.
void expect_sensible(const TargetPrediction& prediction, const Column& train, std::size_t rows) {
  ASSERT_EQ(prediction.rows(), rows);
  if (prediction.target.task == Task::kRegression) {
    const auto [low, high] = std::minmax_element(train.numbers().begin(), train.numbers().end());
    const double margin = *high - *low;
    for (const double value : prediction.values) {
      ASSERT_TRUE(value > *low - margin && value < *high + margin) << value;
    }
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t c = 0; c < prediction.width(); ++c) {
      const double probability = prediction.values[row * prediction.width() + c];
      ASSERT_TRUE(probability >= 0 && probability <= 1) << probability;
      sum += probability;
    }
    ASSERT_NEAR(sum, 1.0, 1e-6);
  }
}

class RealTables : public testing::Test {
 protected:
  void SetUp() override {
    if (table_paths().empty()) {
      GTEST_SKIP() << "no tables in " << tables_folder()
                   << "; KNOCKOUT_SHARED_DATA names the folder that holds tabular/";
    }
  }
};

TEST_F(RealTables, AreLearntBetterThanTheirMeanOrBaseRateAndPredictedWithAnyColumnRemoved) {
  for (const auto& path : table_paths()) {
    SCOPED_TRACE(path.filename().string());
    const Table table = read_csv(path.string());
    if (table.rows() < 100) continue;  // too few to hold any out; the test below reads them
    const Held held = fit_without(table, 0);
    Losses losses = losses_on_test(held);
    // A fifth of a small table is too few rows to tell luck from skill.
    for (int fold = 1; fold < kFolds && table.rows() < 500; ++fold) {
      const Losses more = losses_on_test(fit_without(table, fold));
      losses.model += more.model;
      losses.base += more.base;
    }
    EXPECT_LT(losses.model, 0.97 * losses.base);
    std::printf("  %-28s loss %.3f of the base rate's\n", path.stem().c_str(),
                losses.model / losses.base);

    const Column& labels = held.train.at(table.names().back());
    for (const std::string& name : held.model.schema().feature_names()) {
      Table without = held.test;
      without.remove_column(name);
      expect_sensible(held.model.predict(without)[0], labels, held.test.rows());
    }
    const Table nothing({}, path.string(), held.test.rows());
    const TargetPrediction prior = held.model.predict(nothing)[0];
    expect_sensible(prior, labels, held.test.rows());
    for (std::size_t i = prior.width(); i < prior.values.size(); ++i) {
      const double same = prior.values[i - prior.width()];
      ASSERT_NEAR(prior.values[i], same, 1e-5 * std::abs(same)) << "one answer for all rows";
    }
  }
}

TEST_F(RealTables, AreFittedWholeAndSavedAndLoaded) {
  const std::string file =
      (std::filesystem::temp_directory_path() / "knockout_real_table.safetensors").string();
  for (const auto& path : table_paths()) {
    SCOPED_TRACE(path.filename().string());
    const Table table = read_csv(path.string());
    FitOptions options;
    options.schema.targets = {table.names().back()};
    options.train.steps = 20;
    options.train.networks = 1;
    const Model model = fit(table, options).model;
    model.save(file);
    const TargetPrediction before = model.predict(table)[0];
    const TargetPrediction after = load_model(file).predict(table)[0];
    EXPECT_EQ(before.rows(), table.rows());
    EXPECT_EQ(before.values, after.values);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace knockout
