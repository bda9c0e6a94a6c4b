// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/patterns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/stage.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/text_file.h"
#include "knockout/mask/patterns.h"
#include "knockout/schema/column_list.h"

namespace knockout {
namespace {

/// A number of ways, which may be beyond what an integer holds.
std::string count_text(double ways) {
  return ways < 1e15 ? with_thousands(static_cast<std::uint64_t>(ways))
                     : fmt::format("{:.1e}", ways);
}

/// How many ways there are to choose `chosen` of `count`; exact as long as anybody counts.
double combinations(std::size_t count, std::size_t chosen) {
  double ways = 1;
  for (std::size_t i = 0; i < std::min(chosen, count - chosen); ++i) {
    ways = ways * static_cast<double>(count - i) / static_cast<double>(i + 1);
  }
  return std::round(ways);
}

/// Refuses lists that the machine cannot hold, before the first pattern is made.
void check_pattern_memory(std::size_t units, std::size_t most_missing, std::size_t limit,
                          const Limits& limits) {
  constexpr double kBytesPerPattern = 1500, kBytesPerName = 150;  // with scores and their report
  double patterns = 0, bytes = 0;
  for (std::size_t missing = 1; missing <= most_missing; ++missing) {
    const double ways = std::min(combinations(units, missing), static_cast<double>(limit));
    patterns += ways;
    bytes += ways * (kBytesPerPattern + kBytesPerName * static_cast<double>(missing));
  }
  if (bytes <= static_cast<double>(limits.memory_bytes())) return;
  throw ConfigError(fmt::format(
      "{} patterns would take about {} of memory, where {} are allowed.\n"
      "  Ask for fewer:  {} or {}. If the machine can take it:  {}",
      count_text(patterns), bytes_text(bytes),
      bytes_text(static_cast<double>(limits.memory_bytes())), field("max_patterns", "1000"),
      field("max_missing", "2"), field("max_memory", gigabytes_for(bytes))));
}

/// Different combinations drawn at random, each by Floyd's algorithm (Bentley and Floyd 1987), in
/// lexical order. REQUIRES: there are more than `wanted`.
std::vector<Combination> drawn_combinations(std::size_t count, std::size_t chosen,
                                            std::size_t wanted, std::uint64_t seed) {
  const Random random(seed, Stream::kValidation);
  std::set<Combination> drawn;
  for (std::uint64_t draw = 0; drawn.size() < wanted; ++draw) {
    std::set<std::uint32_t> units;
    for (std::size_t last = count - chosen; last < count; ++last) {
      const auto top = static_cast<std::uint32_t>(last);
      const std::uint32_t unit =
          random.below(top + 1, draw, static_cast<std::uint32_t>(chosen), top);
      units.insert(units.count(unit) == 0 ? unit : top);
    }
    drawn.emplace(units.begin(), units.end());
  }
  return {drawn.begin(), drawn.end()};
}

/// Gives patterns of columns their names and counts their units.
class PatternNamer {
 public:
  explicit PatternNamer(const Schema& schema) : schema_(schema) {
    for (const Feature& feature : schema.features) ++group_sizes_[unit_of(feature)];
  }

  /// `hidden` says for each feature whether it is missing.
  NamedPattern name(const std::vector<bool>& hidden) const {
    NamedPattern named;
    HashMap<std::string, std::size_t> hidden_of_unit;
    for (std::size_t f = 0; f < hidden.size(); ++f) {
      if (!hidden[f]) continue;
      named.pattern.columns.push_back(schema_.features[f].name);
      ++hidden_of_unit[unit_of(schema_.features[f])];
    }
    named.missing = hidden_of_unit.size();
    std::vector<std::string> words;
    HashSet<std::string> said;
    for (std::size_t f = 0; f < hidden.size(); ++f) {
      if (!hidden[f]) continue;
      const Feature& feature = schema_.features[f];
      const std::string unit = unit_of(feature);
      const bool whole = hidden_of_unit.at(unit) == group_sizes_.at(unit);
      if (!feature.group.empty() && whole && !said.insert(unit).second) continue;
      words.push_back(whole && !feature.group.empty() ? feature.group : feature.name);
    }
    named.name = words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
    return named;
  }

 private:
  /// A group and a column may share a name; a line end is in no name.
  static std::string unit_of(const Feature& feature) {
    return feature.group.empty() ? feature.name : "\n" + feature.group;
  }

  const Schema& schema_;
  HashMap<std::string, std::size_t> group_sizes_;
};

NamedPattern nothing() { return {.name = "nothing", .missing = 0, .pattern = {}}; }

/// Brings the list into the order that it promises.
void sort_by_missing(std::vector<NamedPattern>& patterns) {
  std::stable_sort(
      patterns.begin(), patterns.end(),
      [](const NamedPattern& a, const NamedPattern& b) { return a.missing < b.missing; });
}

std::vector<bool> hidden_features(const Schema& schema, const std::vector<std::string>& columns) {
  const HashSet<std::string_view> named(columns.begin(), columns.end());
  std::vector<bool> hidden;
  for (const Feature& feature : schema.features) hidden.push_back(named.contains(feature.name));
  return hidden;
}

/// Hides what the words of a pattern file name.
class Hider {
 public:
  explicit Hider(const Schema& schema) : schema_(schema) {
    for (std::size_t f = 0; f < schema.features.size(); ++f) {
      const Feature& feature = schema.features[f];
      features_of_[feature.name].push_back(f);
      if (!feature.group.empty() && feature.group != feature.name) {
        features_of_[feature.group].push_back(f);
      }
    }
  }

  void hide(const std::string& word, const std::string& where, std::vector<bool>& hidden) const {
    const auto exact = features_of_.find(word);
    if (exact != features_of_.end()) {
      for (const std::size_t f : exact->second) {
        if (schema_.features[f].never_missing) throw_never_missing(f, where);
        hidden[f] = true;
      }
    }
    const bool is_pattern = word.find('*') != std::string::npos;
    const bool matched = is_pattern && hide_matches(word, hidden);
    if (exact == features_of_.end() && !matched) throw_unknown(word, where);
  }

 private:
  /// Whether any feature matches, one that never goes missing included.
  bool hide_matches(const std::string& pattern, std::vector<bool>& hidden) const {
    bool any = false;
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
      const Feature& feature = schema_.features[f];
      const bool matches = matches_pattern(feature.name, pattern) ||
                           (!feature.group.empty() && matches_pattern(feature.group, pattern));
      any |= matches;
      if (matches && !feature.never_missing) hidden[f] = true;
    }
    return any;
  }

  [[noreturn]] void throw_never_missing(std::size_t feature, const std::string& where) const {
    throw ConfigError(
        fmt::format("{}: \"{}\" was declared never missing when the model was fitted, so it "
                    "cannot be hidden.",
                    where, schema_.features[feature].name));
  }

  [[noreturn]] void throw_unknown(const std::string& word, const std::string& where) const {
    std::vector<std::string> names;
    for (const Feature& feature : schema_.features) {
      names.push_back(feature.name);
      if (!feature.group.empty()) names.push_back(feature.group);
    }
    throw ConfigError(fmt::format("{}: the model has no input column or group \"{}\".{}", where,
                                  word, did_you_mean(word, names)));
  }

  const Schema& schema_;
  HashMap<std::string_view, std::vector<std::size_t>> features_of_;  ///< By name and by group.
};

}  // namespace

std::vector<Combination> all_combinations(std::size_t count, std::size_t chosen) {
  std::vector<Combination> all;
  if (chosen > count) return all;
  Combination current(chosen);
  std::iota(current.begin(), current.end(), 0U);
  for (;;) {
    all.push_back(current);
    std::size_t at = chosen;  // the last position that can still move up
    while (at > 0 && current[at - 1] == count - chosen + at - 1) --at;
    if (at == 0) return all;
    ++current[at - 1];
    for (; at < chosen; ++at) current[at] = current[at - 1] + 1;
  }
}

std::vector<MissingUnit> missing_units(const Schema& schema) {
  struct Candidate {
    MissingUnit unit;
    bool never_missing = false;
  };
  std::vector<Candidate> candidates;
  HashMap<std::string, std::size_t> of_group;
  for (const Feature& feature : schema.features) {
    std::size_t at = candidates.size();
    if (!feature.group.empty()) at = of_group.emplace(feature.group, at).first->second;
    if (at == candidates.size()) {
      candidates.push_back({{feature.group.empty() ? feature.name : feature.group, {}}});
    }
    candidates[at].unit.columns.push_back(feature.name);
    candidates[at].never_missing |= feature.never_missing;
  }
  std::vector<MissingUnit> units;
  for (Candidate& candidate : candidates) {
    if (!candidate.never_missing) units.push_back(std::move(candidate.unit));
  }
  return units;
}

PatternList patterns_up_to(const Schema& schema, int max_missing, std::size_t limit,
                           std::uint64_t seed, const Limits& limits) {
  if (max_missing < 0) {
    throw ConfigError(fmt::format("at most {} missing inputs: expected 0 or more.", max_missing));
  }
  const std::vector<MissingUnit> units = missing_units(schema);
  const PatternNamer namer(schema);
  PatternList list{.patterns = {nothing()}, .notes = {}};
  const std::size_t most = std::min(units.size(), static_cast<std::size_t>(max_missing));
  check_pattern_memory(units.size(), most, limit, limits);
  const Stage stage("drawing patterns of missing inputs");
  for (std::size_t missing = 1; missing <= most; ++missing) {
    const double ways = combinations(units.size(), missing);
    const bool all = ways <= static_cast<double>(limit);
    for (const Combination& combination :
         all ? all_combinations(units.size(), missing)
             : drawn_combinations(units.size(), missing, limit, seed)) {
      std::vector<std::string> columns;
      for (const std::uint32_t unit : combination) {
        columns.insert(columns.end(), units[unit].columns.begin(), units[unit].columns.end());
      }
      list.patterns.push_back(namer.name(hidden_features(schema, columns)));
    }
    if (!all) {
      list.notes.push_back(fmt::format("of the {} patterns with {} missing, {} were drawn",
                                       count_text(ways), missing, with_thousands(limit)));
    }
  }
  return list;
}

PatternList patterns_seen(const Schema& schema, const Table& table, std::size_t limit) {
  std::vector<std::string> columns;
  for (const Feature& feature : schema.features) {
    if (!feature.never_missing) columns.push_back(feature.name);
  }
  const std::vector<PatternCount> seen = count_patterns(table, columns);
  const PatternNamer namer(schema);
  PatternList list{.patterns = {nothing()}, .notes = {}};
  std::size_t kept = 0, rows = 0;
  for (const PatternCount& counted : seen) {
    if (kept == limit) break;
    ++kept;
    rows += counted.rows;
    NamedPattern named = namer.name(hidden_features(schema, counted.missing_columns));
    named.rows = counted.rows;
    if (named.missing == 0) {
      list.patterns.front() = std::move(named);
    } else {
      list.patterns.push_back(std::move(named));
    }
  }
  if (kept < seen.size()) {
    list.notes.push_back(
        fmt::format("of the {} patterns in the data, the {} most frequent ones, which {:.1f} % of "
                    "the rows have",
                    with_thousands(seen.size()), with_thousands(kept),
                    100.0 * static_cast<double>(rows) / static_cast<double>(table.rows())));
  }
  sort_by_missing(list.patterns);
  return list;
}

PatternList single_patterns(const Schema& schema) {
  return patterns_up_to(schema, 1, std::numeric_limits<std::size_t>::max());
}

PatternList read_patterns(const Schema& schema, const std::string& path) {
  const TextBuffer text = load_text(path);
  const std::vector<std::string> names = schema.feature_names();
  const PatternNamer namer(schema);
  const Hider hider(schema);
  PatternList list{.patterns = {nothing()}, .notes = {}};
  std::set<std::vector<bool>> known = {std::vector<bool>(names.size(), false)};
  std::size_t line_number = 0, patterns = 0;
  for (std::size_t begin = 0; begin < text.view().size();) {
    const std::size_t end = std::min(text.view().find('\n', begin), text.view().size());
    std::string line(text.view().substr(begin, end - begin));
    begin = end + 1;
    ++line_number;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.empty() || line.front() == '#') continue;
    ++patterns;
    const std::string where = fmt::format("{}:{}", source_name(path), line_number);
    std::vector<bool> hidden(names.size(), false);
    if (line != "none" || schema.find_feature("none")) {
      for (const std::string& word : split_column_list({line}, names)) {
        hider.hide(word, where, hidden);
      }
    }
    if (known.insert(hidden).second) list.patterns.push_back(namer.name(hidden));
  }
  if (patterns == 0) {
    throw ConfigError(
        fmt::format("{}: there is no pattern in it.\n"
                    "  Expected one per line, columns separated by commas:  age,bmi",
                    source_name(path)));
  }
  sort_by_missing(list.patterns);
  return list;
}

}  // namespace knockout
