// SPDX-License-Identifier: Apache-2.0
//
// Our imputers against scikit-learn's, on the same tables in the same run: seconds to learn from a
// table and fill it (the median of several runs after a warm-up), and the error of the filled cells
// in standard deviations. Then what evaluation asks for: a fitted imputer that fills whole columns.
//
//   impute_bench [impute_rivals.py]
//
// The script needs /usr/bin/python3 with python3-sklearn; without them, ours are timed alone.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/data/npy.h"
#include "knockout/impute/imputer.h"
#include "knockout/kernels/blas.h"

namespace {

using namespace knockout;

constexpr int kRuns = 5;

void standardise(std::vector<double>& column) {
  double sum = 0, squares = 0;
  for (const double x : column) sum += x, squares += x * x;
  const double n = static_cast<double>(column.size()), mean = sum / n;
  const double deviation = std::sqrt(squares / n - mean * mean);
  for (double& x : column) x = (x - mean) / deviation;
}

/// Correlated Gaussian columns, every fourth of which bends: it holds squares and products of the
/// hidden factors, which no linear method can recover whole. All have deviation 1, since
/// scikit-learn's neighbours do not scale.
std::vector<std::vector<double>> make_columns(std::size_t rows, std::size_t columns) {
  constexpr std::uint32_t kFactors = 4;
  const Random random(1, Stream::kSimulation);
  std::vector<std::vector<double>> out(columns, std::vector<double>(rows));
  for (std::uint32_t row = 0; row < rows; ++row) {
    double factors[kFactors];
    for (std::uint32_t k = 0; k < kFactors; ++k) factors[k] = random.normal(0, row, k);
    for (std::uint32_t c = 0; c < columns; ++c) {
      double x = 0;
      for (std::uint32_t k = 0; k < kFactors; ++k) x += random.normal(1, c, k) * factors[k];
      if (c % 4 == 3) x = factors[c % kFactors] * factors[(c + 1) % kFactors] + std::sin(x);
      out[c][row] = x + 0.5 * random.normal(2, row, c);
    }
  }
  for (std::vector<double>& column : out) standardise(column);
  return out;
}

struct Problem {
  std::size_t rows, columns;
  std::vector<std::vector<double>> complete;
  std::vector<std::vector<char>> missing;
  Table gappy;
  Schema schema;

  Problem(std::size_t row_count, std::size_t column_count, double gap_share)
      : rows(row_count), columns(column_count), complete(make_columns(rows, columns)) {
    const Random random(2, Stream::kAmpute);
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::vector<double> cells = complete[c];
      std::vector<char> gone(rows);
      for (std::uint32_t row = 0; row < rows; ++row) {
        gone[row] = random.uniform(0, row, c) < gap_share ? 1 : 0;
        if (gone[row] != 0) cells[row] = std::numeric_limits<double>::quiet_NaN();
      }
      missing.push_back(std::move(gone));
      schema.features.push_back({.name = fmt::format("x{}", c)});
      gappy.add_column(Column::numbers(schema.features.back().name, std::move(cells)));
    }
  }

  /// Root of the mean squared error of the filled cells, in standard deviations.
  double error(const Table& filled) const {
    double squares = 0, cells = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t row = 0; row < rows; ++row) {
        if (missing[c][row] == 0) continue;
        const double difference = filled.column(c).number(row) - complete[c][row];
        squares += difference * difference;
        ++cells;
      }
    }
    return std::sqrt(squares / cells);
  }

  /// As NumPy reads it: a header of a multiple of 64 bytes, then doubles row by row.
  void write_npy(const std::filesystem::path& path) const {
    std::string header = fmt::format(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::ofstream file(path, std::ios::binary);
    file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() % 256)
         << static_cast<char>(header.size() / 256) << header;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < columns; ++c) {
        const double x =
            missing[c][row] ? std::numeric_limits<double>::quiet_NaN() : complete[c][row];
        file.write(reinterpret_cast<const char*>(&x), sizeof x);
      }
    }
  }
};

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One warm-up, then the median; once alone when it is slow.
double measure(const std::function<void()>& work) {
  constexpr double kSlow = 2.0;
  const double first = seconds_of(work);
  if (first > kSlow) return first;
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) seconds.push_back(seconds_of(work));
  return median(seconds);
}

struct Rival {
  double seconds = 0, error = 0;
};

/// What scikit-learn needs and how well it does, by method; empty when it could not be run.
std::map<std::string, Rival> run_rivals(const Problem& problem, const std::string& script,
                                        const std::string& methods) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("impute_bench_{}", getpid());
  std::filesystem::create_directories(folder);
  problem.write_npy(folder / "gappy.npy");
  const std::string command =
      fmt::format("/usr/bin/python3 '{}' '{}' {} {} > '{}'", script, folder.string(), kRuns,
                  methods, (folder / "times").string());
  std::map<std::string, Rival> rivals;
  if (std::system(command.c_str()) != 0) {
    fmt::print("scikit-learn could not be run: /usr/bin/python3 with python3-sklearn is needed.\n");
  } else {
    std::ifstream times(folder / "times");
    std::string line;
    std::getline(times, line);
    fmt::print("rivals: {}\n", line);
    while (std::getline(times, line)) {
      std::istringstream words(line);
      std::string method;
      words >> method;
      std::vector<double> seconds;
      for (double one = 0; words >> one;) seconds.push_back(one);
      const Table filled = read_npy((folder / (method + ".npy")).string(), "x");
      rivals[method] = {median(seconds), problem.error(filled)};
    }
  }
  std::filesystem::remove_all(folder);
  return rivals;
}

void compare(std::size_t rows, std::size_t columns, const std::vector<ImputerKind>& kinds,
             const std::string& rival_methods, const std::string& script) {
  const Problem problem(rows, columns, 0.2);
  fmt::print("\n{} rows x {} columns, 20 % of the cells missing\n", rows, columns);
  const std::map<std::string, Rival> rivals = run_rivals(problem, script, rival_methods);
  fmt::print("{:<12} {:>10} {:>14} {:>8} {:>12} {:>14}\n", "method", "ours s", "scikit-learn s",
             "ratio", "our error", "their error");
  for (const ImputerKind kind : kinds) {
    std::optional<Table> filled;
    const double seconds = measure(
        [&] { filled = fit_imputer(kind, problem.gappy, problem.schema)->apply(problem.gappy); });
    const std::string name(to_string(kind));
    fmt::print("{:<12} {:>10.5f}", name, seconds);
    const auto rival = rivals.find(name);
    if (rival == rivals.end()) {
      fmt::print(" {:>14} {:>8} {:>12.4f}\n", "-", "-", problem.error(*filled));
    } else {
      fmt::print(" {:>14.5f} {:>8.1f} {:>12.4f} {:>14.4f}\n", rival->second.seconds,
                 rival->second.seconds / seconds, problem.error(*filled), rival->second.error);
    }
  }
}

/// One call per pattern of missing columns, as evaluation makes them.
void measure_patterns() {
  constexpr std::size_t kTrainRows = 3000, kTestRows = 27000, kColumns = 9;
  const Problem train(kTrainRows, kColumns, 0.0), test(kTestRows, kColumns, 0.0);
  Table table = test.gappy;
  for (const std::size_t c : {1, 4, 7}) {
    for (std::size_t row = 0; row < table.rows(); ++row) table.set_missing(row, c);
  }
  fmt::print("\nfilling 3 whole columns of {} rows x {}, fitted to {} rows\n", kTestRows, kColumns,
             kTrainRows);
  for (const ImputerKind kind : {ImputerKind::kMean, ImputerKind::kLinear, ImputerKind::kMice,
                                 ImputerKind::kKnn, ImputerKind::kMissForest}) {
    const auto imputer = fit_imputer(kind, train.gappy, train.schema);
    fmt::print("{:<12} {:>10.5f} s\n", to_string(kind), measure([&] { imputer->apply(table); }));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string beside =
      (std::filesystem::path(KNOCKOUT_SOURCE_DIR) / "bench" / "impute_rivals.py").string();
  const std::string script = count > 1 ? arguments[1] : beside;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // lines appear as they are measured
  fmt::print("BLAS: {}\n", blas_name());
  const std::vector<ImputerKind> with_rivals = {ImputerKind::kMean, ImputerKind::kLinear,
                                                ImputerKind::kMice, ImputerKind::kKnn};
  std::vector<ImputerKind> all = with_rivals;
  all.push_back(ImputerKind::kMissForest);  // no rival in scikit-learn, and slow
  compare(1000, 10, all, "mean knn mice", script);
  compare(5000, 20, with_rivals, "mean knn mice", script);
  compare(20000, 40, {ImputerKind::kMean, ImputerKind::kLinear, ImputerKind::kMice}, "mean mice",
          script);
  measure_patterns();
}
