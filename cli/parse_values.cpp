// SPDX-License-Identifier: Apache-2.0
#include "cli/parse_values.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "experiments/settings.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/schema/column_list.h"
#include "knockout/schema/labels.h"

namespace knockout::cli {
namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse_number(const Typed& typed, std::string_view what, std::string_view found) {
  const std::string range = typed.range.text();
  throw ConfigError(
      fmt::format("expected {}{}, found \"{}\".", what, range == "any" ? "" : " " + range, found));
}

/// "30s", "5m", "1h" and "30" in seconds.
std::optional<double> parse_time(std::string text) {
  double unit = 1;
  text = ascii_lower(std::move(text));
  const std::size_t letters = std::min(text.find_first_not_of("0123456789.+-e"), text.size());
  const std::string name = text.substr(letters);
  if (name == "m" || name == "min") {
    unit = 60;
  } else if (name == "h") {
    unit = 3600;
  } else if (!name.empty() && name != "s") {
    return std::nullopt;
  }
  const auto number = parse_number(text.substr(0, letters));
  return number ? std::optional(unit * *number) : std::nullopt;
}

double number_in(const Typed& typed, const std::string& word) {
  const auto number = typed.is_time ? parse_time(word) : parse_number(word);
  if (!number || !typed.range.contains(*number)) {
    refuse_number(typed, typed.is_time ? "a time such as 30s, 5m or 1h" : "a number", word);
  }
  return *number;
}

int whole_number_in(const Typed& typed, const std::string& word) {
  const auto number = parse_number(word);
  if (!number || *number != std::trunc(*number) || !typed.range.contains(*number) ||
      std::abs(*number) > std::numeric_limits<int>::max()) {
    refuse_number(typed, "a whole number", word);
  }
  return static_cast<int>(*number);
}

Names split(const std::string& text, char mark) {
  Names parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(mark, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

using KnownNames = HashSet<std::string_view>;

/// The names on the left of an assignment; one that holds the mark itself stays whole.
Names names_in(const KnownNames& known, const std::string& text, char mark) {
  return known.contains(text) ? Names{text} : split(text, mark);
}

/// "age=0.1". The last `=` counts, so that names may hold one.
struct Assignment {
  std::string left, right;
};
Assignment assignment_in(const std::string& text, std::string_view expected) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(fmt::format("expected {}, found \"{}\".", expected, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// "mri=vol_*,thickness". The first `=` counts, so that what is listed may hold one.
Assignment list_in(const std::string& text, std::string_view expected) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw ConfigError(fmt::format("expected {}, found \"{}\".", expected, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// An assignment of a number.
std::pair<std::string, double> number_assigned(const std::string& text, std::string_view expected) {
  const Assignment said = assignment_in(text, expected);
  const auto number = parse_number(said.right);
  if (!number) throw ConfigError(fmt::format("expected {}, found \"{}\".", expected, text));
  return {said.left, *number};
}

ColumnRange range_in(const std::string& text) {
  constexpr std::string_view kExpected = "COLUMN=LOWER:UPPER, such as age=0:120, income=0: or x=:5";
  const auto fail = [&] {
    throw ConfigError(fmt::format("expected {}, found \"{}\".", kExpected, text));
  };
  const Assignment said = assignment_in(text, kExpected);
  const Names bounds = split(said.right, ':');
  if (bounds.size() != 2 || (bounds[0].empty() && bounds[1].empty())) fail();
  const auto bound_in = [&](const std::string& word) {
    const auto number = parse_number(word);
    if (!word.empty() && !number) fail();
    return number;
  };
  return {said.left, bound_in(bounds[0]), bound_in(bounds[1])};
}

RemovalRule removal_in(const std::string& text) {
  if (text == "none") return RemoveNothing{};
  const std::size_t colon = text.find(':');
  const auto rate =
      colon == std::string::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  if (!rate || !(*rate >= 0 && *rate < 1)) {
    throw ConfigError(
        fmt::format("expected \"none\", or a mechanism and a rate from 0 to below 1, such as "
                    "mcar:0.3, mar:0.3, "
                    "mnar:0.1 or groups:0.5; found \"{}\".",
                    text));
  }
  const std::string mechanism = text.substr(0, colon);
  if (mechanism == "groups") return RemoveGroups{*rate};
  RemoveCells cells{.rate = *rate};
  parse({.texts = {mechanism}}, cells.mechanism);
  return cells;
}

}  // namespace

void parse(const Typed& typed, bool& value) {
  const std::string word = ascii_lower(typed.text());
  if (word != "yes" && word != "no") {
    throw ConfigError(fmt::format("expected yes or no, found \"{}\".", typed.text()));
  }
  value = word == "yes";
}

void parse(const Typed& typed, char& value) {
  const std::string& text = typed.text();
  const bool is_tab = text == "tab" || text == "\\t";
  if (!is_tab && text.size() != 1) {
    throw ConfigError(fmt::format("expected one character, or tab, found \"{}\".", text));
  }
  value = is_tab ? '\t' : text[0];
}

void parse(const Typed& typed, int& value) { value = whole_number_in(typed, typed.text()); }

void parse(const Typed& typed, std::uint64_t& value) {
  const std::string& word = typed.text();
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word[0] == '-') {
    throw ConfigError(fmt::format("expected a whole number from 0, found \"{}\".", word));
  }
}

void parse(const Typed& typed, double& value) { value = number_in(typed, typed.text()); }

void parse(const Typed& typed, std::string& value) { value = typed.text(); }

void parse(const Typed& typed, std::vector<int>& value) {
  value.clear();
  for (const std::string& word : split_column_list(typed.texts, {})) {
    value.push_back(whole_number_in(typed, word));
  }
}

void parse(const Typed& typed, std::vector<double>& value) {
  value.clear();
  for (const std::string& word : split_column_list(typed.texts, {})) {
    value.push_back(number_in(typed, word));
  }
}

void parse(const Typed& typed, Names& value) {
  value = split_column_list(typed.texts, typed.names);
}

void parse(const Typed& typed, std::vector<ColumnRange>& value) {
  for (const std::string& text : split_assignments(typed.texts)) value.push_back(range_in(text));
}

void parse(const Typed& typed, std::vector<ColumnGroup>& value) {
  const KnownNames known(typed.names.begin(), typed.names.end());
  for (const std::string& text : typed.texts) {
    const Assignment said = list_in(text, "NAME=COLUMNS, such as mri=vol_* or mri=vol_*,thickness");
    value.push_back({said.left, names_in(known, said.right, ',')});
  }
}

void parse(const Typed& typed, std::vector<ColumnLevels>& value) {
  for (const std::string& text : typed.texts) {
    const Assignment said =
        list_in(text, "COLUMN=LEVELS, the lowest first, such as severity=none,mild,severe");
    value.push_back({said.left, split(said.right, ',')});
  }
}

void parse(const Typed& typed, std::vector<MissingIn>& value) {
  for (const std::string& text : typed.texts) {
    const Assignment said = list_in(text, "COLUMN=WORDS, such as age=99 or age=98,99");
    value.push_back({said.left, split(said.right, ',')});
  }
}

void parse(const Typed& typed, KnockoutRate& value) {
  value = experiments::knockout_rate_of(typed.text());
}

void parse(const Typed& typed, std::vector<UnitRate>& value) {
  for (const std::string& text : split_assignments(typed.texts)) {
    const auto [unit, rate] = number_assigned(text, "NAME=RATE, such as age=0.1");
    value.push_back({unit, rate});
  }
}

void parse(const Typed& typed, std::vector<CorrelatedUnits>& value) {
  const KnownNames known(typed.names.begin(), typed.names.end());
  for (const std::string& text : split_assignments(typed.texts)) {
    const auto [units, strength] =
        number_assigned(text, "COLUMNS=STRENGTH, such as height,weight=0.8");
    value.push_back({names_in(known, units, ','), strength});
  }
}

void parse(const Typed& typed, std::vector<KnockoutPattern>& value) {
  const KnownNames known(typed.names.begin(), typed.names.end());
  for (const std::string& text : split_assignments(typed.texts)) {
    const auto [units, weight] = number_assigned(text, "COLUMNS=WEIGHT, such as age+bmi=3");
    const bool complete = units == "none" && !known.contains(units);
    value.push_back({complete ? Names() : names_in(known, units, '+'), weight});
  }
}

void parse(const Typed& typed, Placeholders& value) {
  for (const std::string& text : split_assignments(typed.texts)) {
    constexpr std::string_view kExpected =
        "COLUMN=VALUE, a number in scaled units or mean, such as income=20";
    const Assignment said = assignment_in(text, kExpected);
    if (said.right == "mean") {
      value[said.left] = ColumnMean{};
    } else {
      value[said.left] = number_assigned(text, kExpected).second;
    }
  }
}

void parse(const Typed& typed, ClassWeights& value) {
  const std::string& text = typed.text();
  if (text == "equal" || text == "balanced") {
    value = text == "equal" ? ClassWeights(EqualClasses{}) : ClassWeights(BalancedClasses{});
    return;
  }
  std::map<std::string, double> weights;
  for (const std::string& item : split_assignments(typed.texts)) {
    weights.insert(number_assigned(item, "\"balanced\" or a list such as yes=3,no=1"));
  }
  value = std::move(weights);
}

void parse(const Typed& typed, RemovalRule& value) { value = removal_in(typed.text()); }

void parse(const Typed& typed, std::vector<RemovalRule>& value) {
  value.clear();
  for (const std::string& text : split_column_list(typed.texts, {})) {
    value.push_back(removal_in(text));
  }
}

}  // namespace knockout::cli
