// SPDX-License-Identifier: Apache-2.0
// Beside fit(), which makes the models; tests/e2e/one_row_test.cpp counts allocations.
#include "knockout/model/row_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"

namespace knockout {
namespace {

/// Numbers, categories, numbers used as names, dates, and gaps for a reason.
Table visits() {
  std::ostringstream csv;
  csv << "age,sex,ward,day,lab,dose\n";
  for (int r = 0; r < 150; ++r) {
    csv << (r % 9 == 0 ? std::string() : std::to_string(20 + r % 50)) << ','
        << (r % 3 == 0 ? "f" : "m") << ',' << 1 + r % 4 << ",2020-0" << 1 + r % 9 << "-1" << r % 7
        << ',' << (r % 5 == 0 ? std::string("<LOD") : std::to_string(0.5 * (r % 11))) << ','
        << 10 + 0.2 * (r % 50) << '\n';
  }
  return read_csv_text(csv.str(), "visits.csv", {.reason_words = {"<LOD"}});
}

class RowPredictorTest : public testing::Test {
 protected:
  static Model fitted(UnseenCategory unseen = UnseenCategory::kMissing,
                      std::vector<std::string> never_missing = {}) {
    FitOptions options;
    options.schema.targets = {"dose"};
    options.schema.categorical = {"ward"};
    options.schema.unseen_category = unseen;
    options.schema.never_missing = std::move(never_missing);
    options.train = {.hidden = {{8}}, .networks = 2, .steps = 20};
    return fit(visits(), options).model;
  }

  /// What the model says of a table of one row.
  double of_table(const std::string& cells) const {
    const Table table = read_csv_text("age,sex,ward,day,lab\n" + cells + "\n", "row",
                                      {.reason_words = {"<LOD"}, .text_columns = {"day", "sex"}});
    return model_.predict(table)[0].number(0);
  }
  double answer() { return predictor_.predict().front().number(0); }

  Model model_ = fitted();
  RowPredictor predictor_{model_};
};

TEST_F(RowPredictorTest, SaysWhatTheModelSaysOfATableOfThatRow) {
  EXPECT_EQ(answer(), of_table(",,,,"));
  predictor_.set("age", 44);
  EXPECT_EQ(answer(), of_table("44,,,,"));
  predictor_.set("sex", "f");
  predictor_.set("ward", 3);
  EXPECT_EQ(answer(), of_table("44,f,3,,"));
  predictor_.set("ward", "2.0");
  predictor_.set("day", "2020-05-13");
  EXPECT_EQ(answer(), of_table("44,f,2,2020-05-13,"));
  predictor_.set("day", "2020-06-01");
  predictor_.set("lab", -std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer(), of_table("44,f,2,2020-06-01,<LOD"));
  predictor_.set_missing("lab", CellState::kMissingForAReason);
  EXPECT_EQ(answer(), of_table("44,f,2,2020-06-01,<LOD"));
  predictor_.set("age", "51.5");  // text, as in a column of words
  predictor_.set_missing("sex");
  EXPECT_EQ(answer(), of_table("51.5,,2,2020-06-01,<LOD"));
  predictor_.set("age", NAN);
  predictor_.set("lab", 2.5);
  EXPECT_EQ(answer(), of_table(",,2,2020-06-01,2.5"));
  predictor_.clear();
  EXPECT_EQ(answer(), of_table(",,,,"));
}

TEST_F(RowPredictorTest, TakesPositionsToo) {
  predictor_.set(predictor_.position_of("age"), 30.0);
  predictor_.set(predictor_.position_of("sex"), "m");
  predictor_.set(predictor_.position_of("lab"), 1.0);
  predictor_.set_missing(predictor_.position_of("lab"));
  EXPECT_EQ(answer(), of_table("30,m,,,"));
}

TEST_F(RowPredictorTest, TreatsUnseenCategoriesAsTheModelDoes) {
  predictor_.set("sex", "x");
  predictor_.set("ward", 9);
  EXPECT_EQ(answer(), of_table(",x,9,,"));
  predictor_.set("sex", "m");  // after a word that it did not know
  predictor_.set("ward", 1);
  EXPECT_EQ(answer(), of_table(",m,1,,"));

  RowPredictor strict(fitted(UnseenCategory::kError));
  strict.set("sex", "x");
  EXPECT_THROW(strict.predict(), DataError);
  strict.set("sex", "f");
  EXPECT_NO_THROW(strict.predict());
}

TEST_F(RowPredictorTest, SaysWhatIsWrong) {
  EXPECT_THROW(predictor_.set("agee", 3), ConfigError);
  EXPECT_THROW(predictor_.set(99, 3.0), ConfigError);
  EXPECT_THROW(predictor_.set("dose", 3), ConfigError);  // the target
  predictor_.set("day", 3);
  EXPECT_THROW(predictor_.predict(), DataError);
  predictor_.set("day", "yesterday");
  EXPECT_THROW(predictor_.predict(), DataError);
  predictor_.clear();
  EXPECT_NO_THROW(predictor_.predict());

  RowPredictor needs_age(fitted(UnseenCategory::kMissing, {"sex"}));
  EXPECT_THROW(needs_age.predict(), DataError);
  needs_age.set("sex", "f");
  EXPECT_NO_THROW(needs_age.predict());
}

TEST_F(RowPredictorTest, OutlivesTheModelAndMoves) {
  const double expected = of_table("30,f,,,");
  RowPredictor first{Model(model_)};  // of a model that is gone
  first.set("age", 30);
  RowPredictor second = std::move(first);
  second.set("sex", "f");
  EXPECT_EQ(second.predict().front().number(0), expected);
  EXPECT_THROW(first.predict(), ConfigError);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace knockout
