// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "knockout/report/text.h"

namespace knockout::report {
namespace {

void move_apart(double& low, double& high) {
  if (high > low) return;
  const double room = low == 0 ? 1.0 : 0.1 * std::abs(low);
  low -= room;
  high += room;
}

/// The smallest of 1, 2, 5, 10, 20, ... (times a power of ten) that is not below `step`.
double nice_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> multiples_within(double step, double low, double high) {
  const double slack = 1e-9 * (high - low);
  std::vector<double> values;
  const double first = std::ceil((low - slack) / step);
  for (double k = first; k * step <= high + slack; ++k) {
    const double value = k * step;
    values.push_back(std::abs(value) < 1e-9 * step ? 0.0 : value);
    if (values.size() > 1000) break;  // beyond what doubles can tell apart
  }
  return values;
}

void label(Axis& axis, const std::vector<double>& values) {
  const std::vector<std::string> labels = tick_labels(values);
  for (std::size_t i = 0; i < values.size(); ++i) axis.ticks.push_back({values[i], labels[i]});
}

/// Powers of ten times each factor, within the range.
std::vector<double> decades_within(double low, double high, const std::vector<double>& factors,
                                   int stride = 1) {
  std::vector<double> values;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int decade = first; decade <= last; ++decade) {
    if (decade % stride != 0) continue;
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, decade);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) values.push_back(value);
    }
  }
  return values;
}

std::string superscript(int number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) out += kDigits[digit - '0'];
  return out;
}

/// "2.5×10⁷", "10⁻⁶".
std::string scientific(double value) {
  if (value == 0) return "0";
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  const double mantissa = value / std::pow(10.0, exponent);
  std::string power = fmt::format("10{}", superscript(exponent));
  const std::string digits = fmt::format("{:.4g}", mantissa);
  if (digits == "1") return power;
  if (digits == "-1") return fmt::format("−{}", power);
  return fmt::format("{}×{}", digits, power);
}

/// How many decimals show all of the values, up to a millionth of the largest.
int decimals_for(const std::vector<double>& values, double largest) {
  for (int decimals = 0; decimals < 6; ++decimals) {
    const double unit = std::pow(10.0, -decimals);
    const bool enough = std::all_of(values.begin(), values.end(), [&](double value) {
      return std::abs(value - std::round(value / unit) * unit) <= 1e-6 * largest;
    });
    if (enough) return decimals;
  }
  return 6;
}

std::string plain(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t first = text[0] == '-' ? 1 : 0;
  for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

}  // namespace

double Axis::share_of(double value) const {
  // No quotients of values: they may be too large for a double.
  if (log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

Axis linear_axis(double low, double high, int most_ticks) {
  move_apart(low, high);
  Axis axis{low, high, false, {}};
  label(axis, multiples_within(nice_step((high - low) / most_ticks), low, high));
  return axis;
}

Axis whole_axis(double low, double high, int most_ticks) {
  move_apart(low, high);
  Axis axis{low, high, false, {}};
  const double step = std::max(1.0, nice_step((high - low) / most_ticks));
  label(axis, multiples_within(step, low, high));
  return axis;
}

Axis log_axis(double low, double high, int most_ticks) {
  if (high <= low) {
    high = 2 * low;
    low /= 2;
  }
  Axis axis{low, high, true, {}};
  const auto most = static_cast<std::size_t>(most_ticks);
  for (const auto& factors : {std::vector<double>{1, 2, 5}, {1, 3}, {1}}) {
    const std::vector<double> values = decades_within(low, high, factors);
    if (values.size() > most) continue;
    if (values.size() < 3) break;
    label(axis, values);
    return axis;
  }
  std::vector<double> values = decades_within(low, high, {1});
  if (values.size() > most) {
    const int stride = static_cast<int>((values.size() + most - 1) / most);
    values = decades_within(low, high, {1}, stride);
  } else {
    // Less than about a decade: evenly spaced numbers are easier to read than none.
    values = multiples_within(nice_step((high - low) / 5), low, high);
  }
  label(axis, values);
  return axis;
}

std::vector<std::string> tick_labels(const std::vector<double>& values) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
    if (value != 0) smallest = std::min(smallest, std::abs(value));
  }
  std::vector<std::string> labels;
  if (largest >= 1e7 || smallest < 1e-4) {
    for (const double value : values) labels.push_back(scientific(value));
    return labels;
  }
  // Over several decades each number needs its own digits: 0.01, 0.1, 1, 10.
  const bool together = smallest * 50 >= largest;
  const int decimals = together ? decimals_for(values, largest) : 0;
  for (const double value : values) {
    const double size = std::abs(value);
    labels.push_back(plain(value, together ? decimals : decimals_for({value}, size)));
  }
  return labels;
}

std::pair<double, double> padded_range(const std::vector<double>& values, bool log) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {log ? 0.1 : 0.0, 1.0};
  if (log) {
    const double decades = std::log10(high) - std::log10(low);
    const double room = low == high ? 1.5 : std::pow(10.0, std::min(0.05 * decades, 1.0));
    return {low / room, high * room};
  }
  if (low == high) {
    if (low == 0) return {-1.0, 1.0};
    return {std::min(0.0, 1.2 * low), std::max(0.0, 1.2 * low)};
  }
  const double room = 0.06 * (high - low);
  if (low >= 0 && low < 0.4 * high) return {0.0, high + room};
  if (high <= 0 && high > 0.4 * low) return {low - room, 0.0};
  return {low - room, high + room};
}

}  // namespace knockout::report
