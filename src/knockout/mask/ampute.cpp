// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/ampute.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

/// How steeply the chance of a gap rises with a standardised value: from 12 % to 88 % between one
/// standard deviation below the middle and one above it.
constexpr double kLogisticSlope = 2.0;

/// What a number is drawn for: the `step` of its counter. The counter's row is a column of the
/// table, its unit what the comment says.
enum Purpose : std::uint64_t {
  kCellDraw = 0,    ///< row of the table
  kTieDraw = 1,     ///< row of the table
  kWordDraw = 2,    ///< word of the column
  kSignDraw = 3,    ///< driver column
  kDriverDraw = 4,  ///< none
};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

std::vector<std::size_t> observed_rows(const Column& column) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.observed(row)) rows.push_back(row);
  }
  return rows;
}

/// Makes the numbers of the given rows have mean 0 and standard deviation 1, and all others 0.
/// False when they do not vary; then all become 0.
bool standardise(std::vector<double>& numbers, const std::vector<std::size_t>& rows) {
  const auto count = static_cast<double>(rows.size());
  double largest = 0;
  for (const std::size_t row : rows) largest = std::max(largest, std::abs(numbers[row]));
  std::vector<double> scores(numbers.size(), 0.0);
  numbers.swap(scores);
  if (largest == 0) return false;
  double sum = 0, squares = 0;
  // In units of the largest, so that no square can overflow.
  for (const std::size_t row : rows) sum += scores[row] / largest;
  for (const std::size_t row : rows) {
    scores[row] = scores[row] / largest - sum / count;
    squares += scores[row] * scores[row];
  }
  const double stddev = std::sqrt(squares / count);
  if (stddev < 1e-12) return false;
  for (const std::size_t row : rows) numbers[row] = scores[row] / stddev;
  return true;
}

/// The intercept at which the mean of logistic(intercept + slope * score) over the rows is `rate`:
/// Newton's method, with bisection where it would leave the bracket.
double solve_intercept(const std::vector<double>& scores, const std::vector<std::size_t>& rows,
                       double rate) {
  double largest = 0;
  for (const std::size_t row : rows) largest = std::max(largest, std::abs(scores[row]));
  double intercept = std::log(rate / (1 - rate));
  double low = intercept - kLogisticSlope * largest;  // here no cell is above the rate
  double high = intercept + kLogisticSlope * largest;
  for (int i = 0; i < 100 && high - low > 1e-10; ++i) {
    double sum = 0, derivative = 0;
    for (const std::size_t row : rows) {
      const double probability = logistic(intercept + kLogisticSlope * scores[row]);
      sum += probability;
      derivative += probability * (1 - probability);
    }
    const double excess = sum - rate * static_cast<double>(rows.size());
    (excess < 0 ? low : high) = intercept;
    const double newton = intercept - excess / derivative;
    const double next = newton > low && newton < high ? newton : (low + high) / 2;
    if (std::abs(next - intercept) < 1e-10) return next;
    intercept = next;
  }
  return intercept;
}

class Amputer {
 public:
  Amputer(const Table& table, const AmputeOptions& options)
      : table_(table),
        options_(options),
        random_(options.seed, Stream::kAmpute),
        mechanism_(options.mechanism_seed.value_or(options.seed), Stream::kAmpute),
        result_(table) {}

  Table run() {
    choose_columns();
    for (const std::size_t column : driver_columns_) {
      std::vector<double> numbers = numbers_of(column);
      if (standardise(numbers, observed_rows(table_.column(column)))) {
        drivers_.push_back({column, std::move(numbers)});
      }
    }
    if (options_.mechanism == Mechanism::kMar && drivers_.empty() && options_.rate > 0) {
      throw DataError(fmt::format(
          "{}: no column that could drive the gaps varies, so none can depend on another.\n"
          "  Name other drivers, or remove cells completely at random (mcar).",
          table_.source()));
    }
    for (const std::size_t column : amputed_columns_) ampute_column(column);
    return std::move(result_);
  }

 private:
  struct Driver {
    std::size_t column;
    std::vector<double> scores;  ///< Standardised, one per row.
  };

  void choose_columns() {
    check_ranges(options_);
    const bool is_mar = options_.mechanism == Mechanism::kMar;
    if (!is_mar && !options_.drivers.empty()) {
      throw ConfigError("Only under mar do other columns drive the gaps: leave the drivers out.");
    }
    const std::vector<bool> kept = chosen(options_.keep, "keep");
    const std::vector<bool> asked = chosen(options_.columns, "columns");
    const std::vector<bool> driving = chosen(options_.drivers, "drivers");
    std::vector<std::size_t> free;  // neither asked for nor kept
    for (std::size_t column = 0; column < table_.column_count(); ++column) {
      const std::string& name = table_.column(column).name();
      if (driving[column]) {
        if (asked[column]) {
          throw ConfigError(fmt::format(
              "\"{}\" cannot lose cells and drive the gaps of others at once: under mar the gaps"
              " depend on values that stay.",
              name));
        }
        driver_columns_.push_back(column);
      } else if (options_.columns.empty() ? !kept[column] : asked[column]) {
        if (kept[column]) {
          throw ConfigError(fmt::format("\"{}\" is to lose cells and to be kept whole.", name));
        }
        amputed_columns_.push_back(column);
      } else if (!kept[column]) {
        free.push_back(column);
      }
    }
    if (is_mar && options_.drivers.empty()) {
      if (options_.columns.empty()) {
        split_off_drivers();
      } else {
        driver_columns_ = free;
      }
      if (driver_columns_.empty()) {
        throw ConfigError(
            "Under mar the gaps depend on columns that stay whole, and none is left for that.\n"
            "  Let fewer columns lose cells, or name the drivers.");
      }
    }
    if (amputed_columns_.empty()) throw ConfigError("No column is left that could lose cells.");
  }

  /// Moves a random half of the amputed columns to the drivers.
  void split_off_drivers() {
    std::vector<std::size_t> shuffled = amputed_columns_;
    std::ranges::sort(shuffled, {}, [&](std::size_t column) {
      return mechanism_.uniform(kDriverDraw, static_cast<std::uint32_t>(column), 0);
    });
    const auto half = static_cast<std::ptrdiff_t>(shuffled.size() / 2);
    driver_columns_.assign(shuffled.begin(), shuffled.begin() + half);
    amputed_columns_.assign(shuffled.begin() + half, shuffled.end());
    std::ranges::sort(driver_columns_);
    std::ranges::sort(amputed_columns_);
  }

  std::vector<bool> chosen(const std::vector<std::string>& patterns, const char* option) const {
    const std::vector<std::string> names = table_.names();
    const std::vector<std::string> expanded = expand_columns(patterns, names, option);
    std::vector<bool> is_chosen;
    std::size_t next = 0;  // expand_columns keeps the table's order
    for (const std::string& name : names) {
      is_chosen.push_back(next < expanded.size() && expanded[next] == name);
      next += is_chosen.back();
    }
    return is_chosen;
  }

  /// The column as numbers; each word gets one drawn for it.
  std::vector<double> numbers_of(std::size_t index) const {
    const Column& column = table_.column(index);
    if (!column.is_text()) return {column.numbers().begin(), column.numbers().end()};
    std::vector<double> number_of_word(column.words().size());
    for (std::size_t word = 0; word < number_of_word.size(); ++word) {
      number_of_word[word] = mechanism_.normal(kWordDraw, static_cast<std::uint32_t>(index),
                                               static_cast<std::uint32_t>(word));
    }
    std::vector<double> numbers(column.size(), 0.0);
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column.observed(row)) numbers[row] = number_of_word[column.codes()[row]];
    }
    return numbers;
  }

  void ampute_column(std::size_t index) {
    const std::vector<std::size_t> rows = observed_rows(table_.column(index));
    if (rows.empty() || options_.rate == 0.0) return;
    if (options_.mechanism == Mechanism::kMcar) {
      remove_with_probability(index, rows, [&](std::size_t) { return options_.rate; });
      return;
    }
    if (options_.mechanism == Mechanism::kMnar && !options_.smooth) {
      remove_largest(index, rows);
      return;
    }
    std::vector<double> scores =
        options_.mechanism == Mechanism::kMar ? signed_sum_of_drivers(index) : numbers_of(index);
    standardise(scores, rows);
    const double intercept = solve_intercept(scores, rows, options_.rate);
    remove_with_probability(index, rows, [&](std::size_t row) {
      return logistic(intercept + kLogisticSlope * scores[row]);
    });
  }

  std::vector<double> signed_sum_of_drivers(std::size_t index) const {
    std::vector<double> sum(table_.rows(), 0.0);
    for (const Driver& driver : drivers_) {
      const bool negative = mechanism_.bits(kSignDraw, static_cast<std::uint32_t>(index),
                                            static_cast<std::uint32_t>(driver.column)) >>
                            31;
      for (std::size_t row = 0; row < sum.size(); ++row) {
        sum[row] += negative ? -driver.scores[row] : driver.scores[row];
      }
    }
    return sum;
  }

  template <typename Probability>
  void remove_with_probability(std::size_t index, const std::vector<std::size_t>& rows,
                               const Probability& probability) {
    const std::vector<std::uint32_t> draws = draw_rows(kCellDraw, index);
    for (const std::size_t row : rows) {
      if (draws[row] < threshold_of_rate(probability(row))) remove(index, row);
    }
  }

  void remove_largest(std::size_t index, std::vector<std::size_t> rows) {
    const std::vector<double> numbers = numbers_of(index);
    const std::vector<std::uint32_t> ties = draw_rows(kTieDraw, index);
    // The quantile lies at this position among the sorted values, counted from 0, or between it
    // and the next. The tolerance keeps a position such as 0.9 * 10 from falling short of 9.
    const double last = static_cast<double>(rows.size() - 1);
    const auto position = static_cast<std::size_t>(std::floor(last * (1 - options_.rate) + 1e-9));
    const auto removed = static_cast<std::ptrdiff_t>(rows.size() - 1 - position);
    std::ranges::nth_element(rows, rows.begin() + removed, [&](std::size_t a, std::size_t b) {
      if (numbers[a] != numbers[b]) return numbers[a] > numbers[b];
      return ties[a] != ties[b] ? ties[a] < ties[b] : a < b;
    });
    for (auto row = rows.begin(); row != rows.begin() + removed; ++row) remove(index, *row);
  }

  std::vector<std::uint32_t> draw_rows(Purpose purpose, std::size_t index) const {
    std::vector<std::uint32_t> draws(table_.rows());
    random_.fill_bits(purpose, static_cast<std::uint32_t>(index), draws);
    return draws;
  }

  void remove(std::size_t index, std::size_t row) { result_.set_missing(row, index); }

  const Table& table_;
  const AmputeOptions& options_;
  const Random random_;     ///< Which cells go.
  const Random mechanism_;  ///< What makes them go.
  Table result_;
  std::vector<std::size_t> amputed_columns_;
  std::vector<std::size_t> driver_columns_;
  std::vector<Driver> drivers_;
};

}  // namespace

Table ampute(const Table& table, const AmputeOptions& options) {
  return Amputer(table, options).run();
}

}  // namespace knockout
