// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "knockout/base/option.h"

namespace knockout {

/// What files and wishes may take before they are refused: a small file from a stranger must not
/// exhaust the machine, and a wish beyond it is better told before the work than after hours. All
/// limits are here. They never change a result.
struct Limits {
  /// GB that a table or a training may take; absent = a share of what the machine or its container
  /// has.
  std::optional<double> max_memory = {};
  /// GB that a compressed file may unpack to; absent = a share of `max_memory`.
  std::optional<double> max_unpacked = {};
  int max_columns = 1'000'000;
  /// Of a table; absent = as many numbers as fit half of `max_memory`.
  std::optional<double> max_cells = {};
  int max_objects = 5'000'000;  ///< In a pickled file.

  std::uint64_t memory_bytes() const;
  std::uint64_t unpacked_bytes() const;
  std::uint64_t cells() const;
};

constexpr auto descriptions_of(const Limits*) {
  using L = Limits;
  constexpr std::string_view kGroup = "Limits (what goes beyond is refused before it is tried)";
  constexpr NumberRange kPositive{.low = 0, .high = 1e9, .low_excluded = true};
  constexpr NumberRange kCount{.low = 1, .high = 2e9};
  return std::tuple(
      option(&L::max_memory, {.name = "max_memory",
                              .value = "GB",
                              .help = "Memory that the table or the training may take",
                              .group = kGroup,
                              .unsaid = "80 % of what the machine or its container has",
                              .range = kPositive,
                              .learned = Learned::kNo}),
      option(&L::max_unpacked, {.name = "max_unpacked",
                                .value = "GB",
                                .help = "What a compressed file may unpack to",
                                .group = kGroup,
                                .unsaid = "a quarter of the memory",
                                .range = kPositive,
                                .learned = Learned::kNo}),
      option(&L::max_columns, {.name = "max_columns",
                               .value = "N",
                               .help = "Columns of a table or matrix",
                               .group = kGroup,
                               .range = kCount,
                               .learned = Learned::kNo}),
      option(&L::max_cells, {.name = "max_cells",
                             .value = "N",
                             .help = "Cells of a table or matrix that are read",
                             .group = kGroup,
                             .unsaid = "as many as fit half of the memory",
                             .range = {.low = 1, .high = 1e15},
                             .learned = Learned::kNo}),
      option(&L::max_objects, {.name = "max_objects",
                               .value = "N",
                               .help = "Objects in a pickled file",
                               .range = kCount,
                               .learned = Learned::kNo}));
}

/// "1.5 GB", "20 MB", "3 kB": at least two digits, rounded up where it matters to be enough.
std::string bytes_text(double bytes);
/// What to give as an option of so many GB: "1.5".
std::string gigabytes_for(double bytes);

/// Throws DataError that names `source`, the number found and the option that allows it.
void check_columns(const Limits& limits, std::uint64_t columns, const std::string& source);
/// The same for rows x columns cells, as a table or a matrix holds them.
void check_cells(const Limits& limits, std::uint64_t rows, std::uint64_t columns,
                 const std::string& source);

}  // namespace knockout
