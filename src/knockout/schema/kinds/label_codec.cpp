// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/label_codec.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

std::string known_categories(const std::vector<std::string>& categories) {
  constexpr std::size_t kShown = 10;
  std::string listed;
  for (std::size_t i = 0; i < std::min(kShown, categories.size()); ++i) {
    listed += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", categories[i]);
  }
  if (categories.size() > kShown) listed += fmt::format(", ... ({} in all)", categories.size());
  return listed;
}

}  // namespace

std::string LabelCodec::fault_of(const std::string& value, double, const Feature& feature) const {
  const char* const fix = feature.never_missing
                              ? "  Correct the cell; the column was declared never missing."
                              : "  Correct the cell, or treat unseen categories as missing:  "
                                "`unseen_category = missing`";
  return fmt::format("{}.{}\n  Known: {}.\n{}", unknown_text(value),
                     did_you_mean(value, feature.categories), known_categories(feature.categories),
                     fix);
}

bool LabelCodec::writes_numbers(const Feature& feature, const Column& column) const {
  return !column.is_text() && std::all_of(feature.categories.begin(), feature.categories.end(),
                                          [](const std::string& category) {
                                            return parse_number(category).has_value();
                                          });
}

double LabelCodec::number_of(const Feature& feature, double reading) const {
  return parse_number(word_of(feature, reading)).value_or(kUnreadable);
}

std::string LabelCodec::word_of(const Feature& feature, double reading) const {
  return feature.categories[nearest(feature, reading)];
}

int LabelCodec::mode_of(std::span<const double> readings, std::size_t categories) {
  std::vector<std::size_t> counts(categories);
  for (const double reading : readings) ++counts[static_cast<std::size_t>(reading)];
  return static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

std::size_t LabelCodec::nearest(const Feature& feature, double reading) {
  const double last = static_cast<double>(feature.categories.size()) - 1.0;
  return static_cast<std::size_t>(std::clamp(std::round(reading), 0.0, last));
}

}  // namespace knockout
