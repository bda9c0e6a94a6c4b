// SPDX-License-Identifier: Apache-2.0
//
// CSV parsing against a plain read of the same memory (the sum of its bytes), on one thread and
// two. Prints every run in MB/s of wall time, then the best of each as a ratio, and the best in MB
// per second of processor time, which other work on the machine disturbs less.
//
//   csv_bench [megabytes = 64] [runs = 5]
//
// Needs the knockout library and nothing else.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"

namespace {

using knockout::Random;

/// Ten columns of the kind that `cell` writes.
std::string make_text(std::size_t bytes, const std::function<std::string(double)>& cell) {
  const Random random(1, knockout::Stream::kSimulation);
  std::string text = "a,b,c,d,e,f,g,h,i,j\n";
  for (std::uint32_t row = 0; text.size() < bytes; ++row) {
    for (std::uint32_t column = 0; column < 10; ++column) {
      text += cell(random.normal(0, row, column));
      text += column == 9 ? '\n' : ',';
    }
  }
  return text;
}

std::uint64_t sum_of_bytes(const std::string& text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return sum;
}

double processor_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Speed {
  double wall = 0.0;       ///< MB per second of wall time, the best run.
  double processor = 0.0;  ///< MB per second of processor time, the best run.
};

Speed measure(const std::string& name, std::size_t bytes, int runs,
              const std::function<void()>& work) {
  work();  // warm-up
  Speed best;
  fmt::print("  {:<22}", name);
  for (int run = 0; run < runs; ++run) {
    const double processor_start = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double megabytes = static_cast<double>(bytes) * 1e-6;
    fmt::print("{:9.0f}", megabytes / wall.count());
    best.wall = std::max(best.wall, megabytes / wall.count());
    best.processor = std::max(best.processor, megabytes / (processor_seconds() - processor_start));
  }
  fmt::print("   best {:.0f}, per processor second {:.0f}\n", best.wall, best.processor);
  return best;
}

void compare(const std::string& name, const std::string& text, int runs) {
  fmt::print("{} ({:.0f} MB)\n", name, static_cast<double>(text.size()) * 1e-6);
  volatile std::uint64_t kept = 0;
  const Speed plain = measure("plain read", text.size(), runs, [&] { kept = sum_of_bytes(text); });
  const auto parse = [&](int threads) {
    knockout::CsvOptions options;
    options.threads = threads;
    kept = knockout::read_csv_text(text, "bench", options).rows();
  };
  const Speed one = measure("parse, 1 thread", text.size(), runs, [&] { parse(1); });
  const Speed two = measure("parse, 2 threads", text.size(), runs, [&] { parse(2); });
  fmt::print(
      "  1 thread against plain read {:.3f} (wall), {:.3f} (processor); 2 threads against 1 "
      "{:.2f}\n\n",
      one.wall / plain.wall, one.processor / plain.processor, two.wall / one.wall);
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

int main(int count, char** arguments) {
  // Whether the C library hands memory back between two runs depends on what happens to lie behind
  // it, and is worth a fifth of the time: never.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  const std::size_t bytes = (count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 64) << 20;
  const int runs = count > 2 ? std::atoi(arguments[2]) : 5;
  fmt::print("CSV parsing in MB/s on {}\n\n", processor_name());
  compare("short numbers", make_text(bytes, [](double x) { return fmt::format("{:.4f}", 10 * x); }),
          runs);
  compare("numbers of 17 digits", make_text(bytes, [](double x) { return fmt::format("{}", x); }),
          runs);
  compare("whole numbers",
          make_text(bytes, [](double x) { return std::to_string(static_cast<int>(1000 * x)); }),
          runs);
  compare(
      "words",
      make_text(bytes, [](double x) { return fmt::format("level_{}", static_cast<int>(20 * x)); }),
      runs);
  compare("quoted words",
          make_text(bytes,
                    [](double x) { return fmt::format("\"level {}\"", static_cast<int>(20 * x)); }),
          runs);
  return 0;
}
