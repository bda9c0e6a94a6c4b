// SPDX-License-Identifier: Apache-2.0
//
// How long fit() needs to return once it is asked to stop, at 24 moments from 1 ms to 2.1 s after
// its start: the preparation, the first steps and the training. Two made-up tables, or a table of
// one's own:
//
//   cancel_bench [FILE TARGET]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"

namespace {

using namespace knockout;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kMoments = 24;
constexpr double kLastMoment = 2100;  ///< Milliseconds; the first is 1.

Table made_up_table(std::uint32_t rows, std::uint32_t columns) {
  const Random random(1, Stream::kSimulation);
  std::vector<Column> made;
  std::vector<double> sum(rows, 0.0);
  for (std::uint32_t c = 0; c < columns; ++c) {
    std::vector<double> numbers(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      numbers[row] = random.normal(0, row, c);
      sum[row] += numbers[row];
    }
    made.push_back(Column::numbers(fmt::format("x{}", c), std::move(numbers)));
  }
  made.push_back(Column::numbers("y", std::move(sum)));
  return Table(std::move(made), fmt::format("{} x {} made up", rows, columns));
}

/// From the request to the end of fit(), which has no other reason to end.
Milliseconds time_to_stop(const Table& table, const std::string& target, Milliseconds moment) {
  std::stop_source source;
  FitOptions options;
  options.train.steps = options.train.patience = 1'000'000'000;
  options.train.stop = source.get_token();
  std::optional<Clock::time_point> asked;
  std::jthread person([&] {
    std::this_thread::sleep_for(moment);
    asked = Clock::now();
    source.request_stop();
  });
  try {
    fit(table, target, options);
  } catch (const Cancelled&) {
  }
  const Clock::time_point ended = Clock::now();
  person.join();
  return ended - *asked;
}

void measure(const Table& table, const std::string& target) {
  std::vector<double> times;
  double slowest_moment = 0;
  for (int i = 0; i < kMoments; ++i) {
    const double moment = std::pow(kLastMoment, i / (kMoments - 1.0));
    times.push_back(time_to_stop(table, target, Milliseconds(moment)).count());
    if (times.back() == *std::max_element(times.begin(), times.end())) slowest_moment = moment;
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<28} {} rows: median {:.1f} ms, worst {:.1f} ms (asked after {:.0f} ms)\n",
             table.source(), table.rows(), times[times.size() / 2], times.back(), slowest_moment);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    measure(read_csv(argv[1]), argv[2]);
    return 0;
  }
  measure(made_up_table(2'000, 10), "y");
  measure(made_up_table(150'000, 20), "y");
}
