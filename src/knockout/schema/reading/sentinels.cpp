// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/sentinels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace knockout {
namespace {

constexpr std::size_t kEnds = 5;         ///< Different values looked at on either side.
constexpr std::size_t kLeastOthers = 3;  ///< Different values that the rest must have.
/// The same for a value that has no usual look: 1e2, 1e3, 1e4 and 1e5 are doses.
constexpr std::size_t kLeastOthersOfAny = 5;
constexpr std::size_t kKeptValues = 6;
constexpr double kLargestScale = 5.0;   ///< Answers from 1 to 5.
constexpr double kUnusedAnswers = 3.0;  ///< Between the scale and 7, 8, 9.

constexpr std::array<double, 20> kUsualSentinels = {-9,   -99,   -999, -9999, -99999, 99, 999,
                                                    9999, 99999, 88,   888,   8888,   77, 777,
                                                    7777, -1,    -7,   -8,    -88,    -77};

bool is_usual(double value) {
  return std::find(kUsualSentinels.begin(), kUsualSentinels.end(), value) != kUsualSentinels.end();
}

/// 98 beside 99, 9997 beside 9999: each says why there is no answer.
bool is_neighbour(double value, double outermost) {
  const bool nines =
      outermost == 99.0 || outermost == 999.0 || outermost == 9999.0 || outermost == 99999.0;
  return nines && value < outermost && value >= outermost - 3.0;
}

/// 7, 8 and 9 say "does not apply", "refused" and the like beside a short scale.
bool is_scale_code(double value) { return value == 7.0 || value == 8.0 || value == 9.0; }

/// The few lowest (or highest) different values of a column with their counts, outermost first.
class End {
 public:
  explicit End(bool lowest) : lowest_(lowest) {}

  void add(double value) {
    if (values_.size() == kEnds && before(values_.back().value, value)) return;  // most are inside
    std::size_t place = 0;
    while (place < values_.size() && before(values_[place].value, value)) ++place;
    if (place < values_.size() && values_[place].value == value) {
      ++values_[place].cells;
      return;
    }
    values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(place), {value, 1});
    if (values_.size() > kEnds) values_.pop_back();
  }

  const std::vector<Sentinel>& values() const { return values_; }

 private:
  bool before(double a, double b) const { return lowest_ ? a < b : a > b; }

  bool lowest_;
  std::vector<Sentinel> values_;
};

bool is_among(double number, const std::vector<Sentinel>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Sentinel& value) { return value.value == number; });
}

/// The column without the values that are on trial.
struct Rest {
  double low = 0.0, high = 0.0;
  bool whole = true;                   ///< All of them.
  std::vector<double> different = {};  ///< Up to kKeptValues.

  /// Answers from 1 up to at most 5, all in use.
  bool is_scale() const {
    return whole && low == 1.0 && high <= kLargestScale &&
           static_cast<double>(different.size()) == high;
  }
};

Rest rest_of(std::span<const double> numbers, const std::vector<Sentinel>& on_trial) {
  Rest rest;
  for (const double number : numbers) {
    if (is_among(number, on_trial)) continue;
    std::vector<double>& different = rest.different;
    rest.low = different.empty() ? number : std::min(rest.low, number);
    rest.high = different.empty() ? number : std::max(rest.high, number);
    rest.whole = rest.whole && number == std::trunc(number);
    if (different.size() < kKeptValues &&
        std::find(different.begin(), different.end(), number) == different.end()) {
      different.push_back(number);
    }
  }
  return rest;
}

double quartile_range(std::span<const double> numbers, const std::vector<Sentinel>& without) {
  std::vector<double> values;
  for (const double number : numbers) {
    if (!is_among(number, without)) values.push_back(number);
  }
  const auto at = [&](std::size_t place) {
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
  };
  const double low = at(values.size() / 4);
  return at(3 * values.size() / 4) - low;
}

/// Values on trial, and the column that they stand in.
class Trial {
 public:
  Trial(std::span<const double> numbers, const std::vector<Sentinel>& on_trial)
      : numbers_(numbers), on_trial_(on_trial), rest_(rest_of(numbers, on_trial)) {}

  bool is_sentinel(const Sentinel& candidate) const {
    const double value = candidate.value, range = rest_.high - rest_.low;
    const double distance = value < rest_.low ? rest_.low - value : value - rest_.high;
    if (rest_.different.size() < kLeastOthers || distance <= 0.0) return false;
    const bool small_negative = value >= -9.0 && value < 0.0 && rest_.low >= 0.0;
    if (small_negative && is_usual(value) && rest_.whole) return true;
    // -99 again and again among incomes: nothing else is negative.
    const bool negative = value <= -9.0 && rest_.low >= 0.0 && candidate.cells >= 2;
    if (negative && is_usual(value)) return true;
    if (is_usual(value) || is_companion(value)) {
      return distance > range || (distance > 0.5 * range && comes_often(candidate));
    }
    if (candidate.cells < 2) return false;
    if (is_scale_code(value) && rest_.is_scale()) return distance >= kUnusedAnswers;
    if (rest_.different.size() < kLeastOthersOfAny) return false;
    // Where most have none of something, such as a pool, 0 is an amount.
    if (value == 0.0 && 2 * candidate.cells > numbers_.size()) return false;
    if (distance > 3.0 * range) return true;
    return value == 0.0 && rest_.low > 0.0 && distance > quartile_range(numbers_, on_trial_);
  }

 private:
  bool is_companion(double value) const {
    return std::any_of(on_trial_.begin(), on_trial_.end(),
                       [&](const Sentinel& other) { return is_neighbour(value, other.value); });
  }

  /// Measurements hardly repeat at the far end; two that do are hardly chance (8888 and 9999).
  bool comes_often(const Sentinel& candidate) const {
    if (std::abs(candidate.value) < 88.0 || candidate.cells < 2) return false;
    const auto is_another = [&](const Sentinel& other) {
      const bool above = candidate.value > rest_.high;
      return other.value != candidate.value && other.cells >= 2 &&
             (above ? other.value > rest_.high : other.value < rest_.low);
    };
    const bool many = candidate.cells >= 3 && 50 * candidate.cells >= numbers_.size();
    return many || std::any_of(on_trial_.begin(), on_trial_.end(), is_another);
  }

  std::span<const double> numbers_;
  const std::vector<Sentinel> on_trial_;
  const Rest rest_;
};

/// The outermost values that look like sentinels by themselves.
void add_usual(const End& end, std::vector<Sentinel>& candidates) {
  for (const Sentinel& value : end.values()) {
    const bool neighbour = is_neighbour(value.value, end.values().front().value);
    if (!is_usual(value.value) && !is_scale_code(value.value) && !neighbour) return;
    candidates.push_back(value);
  }
}

}  // namespace

std::vector<Sentinel> find_sentinels(std::span<const double> numbers) {
  End low(true), high(false);
  for (const double number : numbers) low.add(number), high.add(number);
  std::vector<Sentinel> candidates;
  add_usual(low, candidates);
  add_usual(high, candidates);
  // Values that turn out to be ordinary go back to the rest, and the others are judged again.
  while (!candidates.empty()) {
    const Trial trial(numbers, candidates);
    const std::size_t before = candidates.size();
    std::erase_if(candidates,
                  [&](const Sentinel& candidate) { return !trial.is_sentinel(candidate); });
    if (candidates.size() == before) break;
  }
  // 55555 in many cells needs no usual look.
  for (const End* const end : {&low, &high}) {
    if (end->values().empty()) continue;
    const Sentinel outermost = end->values().front();
    if (is_usual(outermost.value) || outermost.cells < 2) continue;
    if (is_among(outermost.value, candidates)) continue;
    candidates.push_back(outermost);
    if (!Trial(numbers, candidates).is_sentinel(outermost)) candidates.pop_back();
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return a.value < b.value; });
  return candidates;
}

}  // namespace knockout
