// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace knockout {

std::optional<double> parse_number(std::string_view word) {
  // from_chars knows no leading plus, but "+5" is a number to everybody else.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double number = 0.0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string label_of_number(double number) {
  if (number == 0.0) return "0";  // never "-0"
  // Codes such as 1000000 are read by people: exponents only where nobody would write the digits.
  if (std::abs(number) < 1e15 && number == std::trunc(number)) return fmt::format("{:.0f}", number);
  return fmt::format("{}", number);
}

std::string shown_number(double number) {
  constexpr std::size_t kDigits = 8;  // and a point or sign
  std::string label = label_of_number(number);
  const bool whole = label.find('.') == std::string::npos;
  return whole || label.size() <= kDigits ? label : fmt::format("{:.6g}", number);
}

void sort_labels(std::vector<std::string>& labels) {
  struct Key {
    std::optional<double> number;
    std::string text;
  };
  std::vector<Key> keys;
  keys.reserve(labels.size());
  for (std::string& label : labels) {
    const std::optional<double> number = parse_number(label);
    keys.push_back({number, std::move(label)});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    if (a.number && *a.number != *b.number) return *a.number < *b.number;
    return a.text < b.text;
  });
  for (std::size_t i = 0; i < keys.size(); ++i) labels[i] = std::move(keys[i].text);
}

int find_label(const std::vector<std::string>& labels, std::string_view word) {
  const auto same_text = std::find(labels.begin(), labels.end(), word);
  if (same_text != labels.end()) return static_cast<int>(same_text - labels.begin());
  const std::optional<double> number = parse_number(word);
  if (!number) return -1;
  const auto same_number = std::find_if(labels.begin(), labels.end(), [&](const auto& label) {
    return parse_number(label) == number;
  });
  return same_number == labels.end() ? -1 : static_cast<int>(same_number - labels.begin());
}

LabelIndex::LabelIndex(std::vector<std::string> labels) : labels_(std::move(labels)) {
  by_text_.reserve(labels_.size());
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const int position = static_cast<int>(i);
    by_text_.emplace(labels_[i], position);
    if (const auto number = parse_number(labels_[i])) by_number_.emplace(*number, position);
  }
}

int LabelIndex::find(std::string_view word) const {
  if (const auto found = by_text_.find(word); found != by_text_.end()) return found->second;
  const std::optional<double> number = parse_number(word);
  return number ? find(*number) : -1;
}

int LabelIndex::find(double number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? -1 : found->second;
}

std::string range_phrase(std::optional<double> lower, std::optional<double> upper) {
  if (!upper) return lower ? "of " + label_of_number(*lower) + " or more" : "of any number";
  if (!lower) return "up to " + label_of_number(*upper);
  return label_of_number(*lower) + ":" + label_of_number(*upper);
}

}  // namespace knockout
