// SPDX-License-Identifier: Apache-2.0
//
// Prediction end to end, as `knockout predict` does it: read a CSV file with gaps, encode, five
// networks of 128-128 units, write a CSV file. Rows per second with one thread and with two, and
// how the time is spent.
#include <fmt/format.h>

#include <unistd.h>
#include <chrono>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "knockout/base/clock.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/csv_writer.h"
#include "knockout/fit/fit.h"
#include "knockout/model/predictor.h"

namespace {

using namespace knockout;
using Clock = std::chrono::steady_clock;

std::string make_csv(int rows) {
  const Random random(3, Stream::kSimulation);
  std::string text = "a,b,c,d,e,f,g,h,i,kind,y\n";
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < 9; ++c) {
      const double value = random.normal(0, r, c);
      sum += value;
      if (random.uniform(1, r, c) > 0.1) text += fmt::format("{:.4f}", value);
      text += ',';
    }
    text += fmt::format("{},{:.4f}\n", r % 3 == 0 ? "red" : "blue", sum);
  }
  return text;
}

}  // namespace

int main() {
  constexpr int kRows = 300'000;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / fmt::format("predict_bench_{}.csv", ::getpid())).string();
  std::ofstream(path) << make_csv(kRows);
  FitOptions options;
  options.schema.targets = {"y"};
  options.train.steps = 100;
  const Model model = fit(read_csv_text(make_csv(2000), "train"), options).model;
  fmt::print("{} rows of 10 inputs, {:.0f} MB\n", kRows,
             static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  for (const int threads : {1, 2}) {
    for (int run = 0; run < 4; ++run) {
      const auto start = Clock::now();
      CsvOptions csv;
      csv.threads = threads;
      const Table table = read_csv(path, csv);
      const double read = seconds_since(start);
      const auto predictions = model.predict(table, {}, threads);
      const double predicted = seconds_since(start);
      write_csv(predictions_to_table(predictions), "/dev/null");
      const double all = seconds_since(start);
      if (run == 0) continue;  // warm-up
      fmt::print("{} thread{}: {:>9.0f} rows/s (read {:.2f} s, predict {:.2f} s, write {:.2f} s)\n",
                 threads, threads == 1 ? " " : "s", kRows / all, read, predicted - read,
                 all - predicted);
    }
  }
  std::filesystem::remove(path);
}
