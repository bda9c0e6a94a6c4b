// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/limits.h"

#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/machine_memory.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kShareOfMachine = 0.8, kShareUnpacked = 0.25, kShareOfCells = 0.5;
constexpr double kBytesPerCell = 9;  // a double and its state

}  // namespace

std::uint64_t Limits::memory_bytes() const {
  static const double machine = static_cast<double>(machine_memory());
  return static_cast<std::uint64_t>(max_memory ? *max_memory * kGigabyte
                                               : machine * kShareOfMachine);
}

std::uint64_t Limits::unpacked_bytes() const {
  return static_cast<std::uint64_t>(max_unpacked
                                        ? *max_unpacked * kGigabyte
                                        : static_cast<double>(memory_bytes()) * kShareUnpacked);
}

std::uint64_t Limits::cells() const {
  return static_cast<std::uint64_t>(
      max_cells ? *max_cells : static_cast<double>(memory_bytes()) * kShareOfCells / kBytesPerCell);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e12) return fmt::format("{} GB", with_thousands(std::llround(bytes / kGigabyte)));
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB"};
  int unit = 0;
  for (; bytes >= 999.5 && unit < 3; ++unit) bytes /= 1000;
  return unit == 0 || bytes >= 9.95 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                                    : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string gigabytes_for(double bytes) {
  const double gigabytes = bytes / kGigabyte;
  return gigabytes >= 10 ? fmt::format("{:.0f}", std::ceil(gigabytes))
                         : fmt::format("{}", std::ceil(gigabytes * 10) / 10);
}

void check_columns(const Limits& limits, std::uint64_t columns, const std::string& source) {
  if (columns <= static_cast<std::uint64_t>(limits.max_columns)) return;
  throw DataError(fmt::format("{}: {} where at most {} are read.\n  If that is meant:  {}", source,
                              plural(columns, "column"),
                              with_thousands(static_cast<std::uint64_t>(limits.max_columns)),
                              field("max_columns", std::to_string(columns))));
}

void check_cells(const Limits& limits, std::uint64_t rows, std::uint64_t columns,
                 const std::string& source) {
  const double cells = static_cast<double>(rows) * static_cast<double>(columns);
  if (cells <= static_cast<double>(limits.cells())) return;
  throw DataError(fmt::format(
      "{}: {} x {} cells would take about {} of memory; at most {} cells are read.\n"
      "  Leave out columns or rows. If the machine can take it:  {}",
      source, with_thousands(rows), with_thousands(columns), bytes_text(cells * kBytesPerCell),
      with_thousands(limits.cells()), field("max_cells", fmt::format("{:.0f}", cells))));
}

}  // namespace knockout
