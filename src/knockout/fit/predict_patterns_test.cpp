// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"

namespace knockout {
namespace {

/// A number with gaps, a lone number, words of two kinds, a date, a group `scan` of 20 numbers with
/// gaps that come together, a small group `pair`, a number that is always there, two targets.
std::string mixed_csv(int rows) {
  const Random random(31, Stream::kSimulation);
  std::ostringstream csv;
  csv << "gappy,plain,colour,town,day,always";
  for (int c = 0; c < 20; ++c) csv << ",scan_" << c;
  csv << ",pair_1,pair_2,price,kind\n";
  for (int r = 0; r < rows; ++r) {
    const double x = random.normal(0, r, 0);
    csv << (r % 7 == 0 ? "" : std::to_string(x)) << "," << random.normal(0, r, 1) << ","
        << (r % 11 == 0  ? ""
            : r % 3 == 0 ? "red"
                         : "blue")
        << ",town" << r % 5 << ",2020-0" << 1 + r % 9 << "-01," << random.normal(0, r, 2);
    for (int c = 0; c < 20; ++c) {
      csv << ",";
      if (r % 4 != 0) csv << random.normal(1, r, c);
    }
    csv << "," << random.normal(0, r, 3) << "," << (r % 5 == 0 ? "" : "1.5") << "," << x + 0.1 * r
        << ","
        << (x > 0.5    ? "high"
            : x < -0.5 ? "low"
                       : "middle")
        << "\n";
  }
  return csv.str();
}

FitOptions mixed_options() {
  FitOptions options;
  options.schema.targets = {"price", "kind"};
  options.schema.groups = {{"scan", {"scan_*"}}, {"pair", {"pair_*"}}};
  options.schema.never_missing = {"always"};
  options.schema.continuous = {"pair_2"};
  options.train.hidden = std::vector{12};
  options.train.networks = 2;
  options.train.steps = 30;
  return options;
}

std::vector<MissingPattern> mixed_patterns() {
  std::vector<std::string> scan;
  for (int c = 0; c < 20; ++c) scan.push_back("scan_" + std::to_string(c));
  std::vector<std::string> most = {"gappy", "plain", "colour", "town", "day"};
  most.insert(most.end(), scan.begin(), scan.end());
  return {{},         {{"gappy"}},         {{"plain", "colour"}},
          {{"town"}}, {{"scan_3", "day"}},  // part of a group with a flag
          {scan},     {{"pair_1"}},         // part of a group without one
          {most},     {{"gappy", "town"}}};
}

/// Both ways agree bit for bit, and what a pattern hides shows.
void expect_same_as_one_by_one(const Model& model, const Table& table,
                               const GapOverrides& overrides = {}) {
  const std::vector<MissingPattern> patterns = mixed_patterns();
  std::vector<std::vector<TargetPrediction>> expected;
  model.Predictor::predict_patterns(
      table, patterns,
      [&](std::size_t, const auto& predictions) { expected.push_back(predictions); }, overrides);
  for (const int threads : {1, 3}) {
    std::size_t received = 0;
    model.predict_patterns(
        table, patterns,
        [&](std::size_t p, const std::vector<TargetPrediction>& predictions) {
          EXPECT_EQ(p, received++);
          ASSERT_EQ(predictions.size(), expected[p].size());
          for (std::size_t t = 0; t < predictions.size(); ++t) {
            ASSERT_EQ(predictions[t].values.size(), expected[p][t].values.size());
            for (std::size_t i = 0; i < predictions[t].values.size(); ++i) {
              ASSERT_EQ(predictions[t].values[i], expected[p][t].values[i])
                  << "pattern " << p << ", target " << t << ", value " << i;
            }
          }
        },
        overrides, threads);
    EXPECT_EQ(received, patterns.size());
  }
  const std::size_t rows = table.rows();
  if (rows == 0) return;
  double difference = 0;
  for (std::size_t row = 0; row < rows; ++row)
    difference += std::abs(expected[0][0].values[row] - expected[7][0].values[row]);
  EXPECT_GT(difference, 1e-3) << "hiding most columns changes the predictions";
}

TEST(PredictPatterns, EqualsOnePredictionAfterTheOther) {
  const Table table = read_csv_text(mixed_csv(150), "mixed.csv");
  const Model model = fit(table, mixed_options()).model;
  const auto& units = model.encoder().units();
  EXPECT_TRUE(std::any_of(units.begin(), units.end(), [](const KnockoutUnit& unit) {
    return unit.reason_flag >= 0;
  })) << "the flag of a group takes part in the test";
  expect_same_as_one_by_one(model, table);
}

TEST(PredictPatterns, EqualsOnePredictionAfterTheOtherWithEmbeddedCategories) {
  const Table table = read_csv_text(mixed_csv(150), "mixed.csv");
  FitOptions options = mixed_options();
  options.encode.max_one_hot = 2;
  const Model model = fit(table, options).model;
  ASSERT_FALSE(model.encoder().embedded().empty());
  expect_same_as_one_by_one(model, table);
}

TEST(PredictPatterns, EqualsOnePredictionAfterTheOtherWithInlinePlaceholders) {
  const Table table = read_csv_text(mixed_csv(150), "mixed.csv");
  FitOptions options = mixed_options();
  options.encode.inline_placeholders = true;
  expect_same_as_one_by_one(fit(table, options).model, table);
}

TEST(PredictPatterns, EqualsOnePredictionAfterTheOtherWhenGapsAreSaidToBeAtRandom) {
  const Table table = read_csv_text(mixed_csv(150), "mixed.csv");
  FitOptions options = mixed_options();
  const Model model = fit(table, options).model;
  expect_same_as_one_by_one(model, table, {.missing_at_random = {"all"}});
  expect_same_as_one_by_one(model, table, {.missing_for_a_reason = {"scan_*"}});
}

TEST(PredictPatterns, EqualsOnePredictionAfterTheOtherWhenColumnsAreAbsent) {
  Table table = read_csv_text(mixed_csv(150), "mixed.csv");
  const Model model = fit(table, mixed_options()).model;
  table.remove_column("gappy");
  table.remove_column("scan_7");
  expect_same_as_one_by_one(model, table);
}

TEST(PredictPatterns, TakesRowsOfSeveralPatternsThroughTheNetworksTogether) {
  // More rows than a block holds, and blocks that end within a pattern.
  const Model model = fit(read_csv_text(mixed_csv(150), "mixed.csv"), mixed_options()).model;
  expect_same_as_one_by_one(model, read_csv_text(mixed_csv(1500), "mixed.csv"));
  expect_same_as_one_by_one(model, read_csv_text(mixed_csv(0), "mixed.csv"));
}

TEST(PredictPatterns, RefusesToHideWhatIsNeverMissing) {
  const Table table = read_csv_text(mixed_csv(100), "mixed.csv");
  const Model model = fit(table, mixed_options()).model;
  const std::vector<MissingPattern> patterns = {{{"always"}}};
  EXPECT_THROW(model.predict_patterns(table, patterns, [](std::size_t, const auto&) {}),
               ConfigError);
}

}  // namespace
}  // namespace knockout
