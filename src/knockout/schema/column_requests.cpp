// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_requests.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

/// The columns one pattern means. A column's own name means just that column, even when it holds
/// a `*` or is "all".
struct Match {
  std::vector<std::size_t> columns;
  bool by_name = false;
};

Match match_columns(std::string_view pattern, const std::vector<std::string>& names,
                    std::string_view option) {
  const auto named = std::find(names.begin(), names.end(), pattern);
  if (named != names.end()) return {{static_cast<std::size_t>(named - names.begin())}, true};
  Match match;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (pattern == "all" || matches_pattern(names[i], pattern)) match.columns.push_back(i);
  }
  if (match.columns.empty()) {
    throw ConfigError(fmt::format("{} {}: no column is called that.{}", option, pattern,
                                  did_you_mean(pattern, names)));
  }
  return match;
}

std::string_view role_text(ColumnRole role) {
  switch (role) {
    case ColumnRole::kTarget:
      return "a target";
    case ColumnRole::kWeight:
      return "the weight column";
    case ColumnRole::kIgnored:
      return "ignored (--ignore)";
    case ColumnRole::kInput:
      break;
  }
  return "an input";
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(mark);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

struct Range {
  std::optional<double> lower, upper;
};

std::optional<double> parse_bound(std::string_view word, std::string_view spec) {
  if (word.empty()) return std::nullopt;
  if (const auto number = parse_number(word)) return number;
  throw ConfigError(
      fmt::format("--range {}: cannot read \"{}\" as a number.\n"
                  "  Write both bounds, or leave an open side empty:  age=0:120  income=0:  x=:5",
                  spec, word));
}

Range parse_range(std::string_view text, std::string_view spec) {
  const std::vector<std::string_view> bounds = split(text, ':');
  if (bounds.size() != 2 || (bounds[0].empty() && bounds[1].empty())) {
    throw ConfigError(fmt::format(
        "--range {}: expected COLUMN=LOWER:UPPER, such as age=0:120, income=0: or x=:5.", spec));
  }
  const Range range{parse_bound(bounds[0], spec), parse_bound(bounds[1], spec)};
  if (range.lower && range.upper && *range.lower >= *range.upper) {
    throw ConfigError(
        fmt::format("--range {}: the lower bound must be below the upper bound.", spec));
  }
  if (range.lower && range.upper && !std::isfinite(*range.upper - *range.lower)) {
    throw ConfigError(fmt::format("--range {}: the range is too wide; leave one side open.", spec));
  }
  return range;
}

class RequestReader {
 public:
  RequestReader(const Table& table, const SchemaOptions& options)
      : names_(table.names()), options_(options), requests_(names_.size()) {}

  std::vector<ColumnRequest> read() {
    read_roles();
    read_kinds();
    read_gaps();
    read_ranges();
    for (const std::string& spec : options_.groups) read_group(spec);
    check_group_names();
    return std::move(requests_);
  }

 private:
  /// Calls `apply` for the inputs that the pattern means.
  template <typename Apply>
  void for_inputs(std::string_view pattern, std::string_view option, Apply apply) {
    const Match match = match_columns(pattern, names_, option);
    for (const std::size_t column : match.columns) {
      const ColumnRole role = requests_[column].role;
      if (role == ColumnRole::kInput) {
        apply(column, match.by_name);
      } else if (match.by_name) {
        throw ConfigError(fmt::format("{} names \"{}\", which is {}: {} is for input columns.",
                                      option, names_[column], role_text(role), option));
      }
    }
  }

  void read_roles() {
    for (const std::string& pattern : options_.targets) {
      for (const std::size_t column : match_columns(pattern, names_, "--target").columns) {
        requests_[column].role = ColumnRole::kTarget;
      }
    }
    if (!options_.weight_column.empty()) {
      // A name, not a pattern: there is one weight column.
      const auto found = std::find(names_.begin(), names_.end(), options_.weight_column);
      if (found == names_.end()) {
        throw ConfigError(fmt::format("--weight {}: no column is called that.{}",
                                      options_.weight_column,
                                      did_you_mean(options_.weight_column, names_)));
      }
      ColumnRequest& request = requests_[static_cast<std::size_t>(found - names_.begin())];
      if (request.role == ColumnRole::kTarget) {
        throw ConfigError(fmt::format("\"{}\" is both a target and the weight column.", *found));
      }
      request.role = ColumnRole::kWeight;
    }
    for (const std::string& pattern : options_.ignore) {
      for_inputs(pattern, "--ignore", [&](std::size_t column, bool) {
        ignored_.push_back(column);  // only afterwards, so that two patterns may overlap
      });
    }
    for (const std::size_t column : ignored_) requests_[column].role = ColumnRole::kIgnored;
  }

  /// `--categorical` and `--continuous` may name a target too: they choose its task.
  void read_kind(std::string_view pattern, std::string_view option, bool ColumnRequest::*kind) {
    const Match match = match_columns(pattern, names_, option);
    if (match.by_name && requests_[match.columns[0]].role == ColumnRole::kTarget) {
      requests_[match.columns[0]].*kind = true;
      return;
    }
    for_inputs(pattern, option, [&](std::size_t column, bool) { requests_[column].*kind = true; });
  }

  void read_kinds() {
    for (const std::string& pattern : options_.categorical) {
      read_kind(pattern, "--categorical", &ColumnRequest::categorical);
    }
    for (const std::string& pattern : options_.continuous) {
      read_kind(pattern, "--continuous", &ColumnRequest::continuous);
    }
    for (std::size_t column = 0; column < names_.size(); ++column) {
      if (requests_[column].categorical && requests_[column].continuous) {
        throw ConfigError(
            fmt::format("\"{}\" is named by --categorical and by --continuous: "
                        "leave one out.",
                        names_[column]));
      }
    }
  }

  void read_gaps() {
    for (const std::string& pattern : options_.never_missing) {
      for_inputs(pattern, "--never-missing",
                 [&](std::size_t column, bool) { requests_[column].never_missing = true; });
    }
    for (const std::string& pattern : options_.missing_at_random) {
      for (const std::size_t column :
           match_columns(pattern, names_, "--missing-at-random").columns) {
        requests_[column].missing_at_random = true;
      }
    }
  }

  void read_ranges() {
    for (const std::string& spec : options_.ranges) {
      const std::size_t equals = spec.rfind('=');  // a name may hold a "=", a range cannot
      if (equals == std::string::npos || equals == 0) {
        throw ConfigError(fmt::format(
            "--range {}: expected COLUMN=LOWER:UPPER, such as age=0:120, income=0: or x=:5.",
            spec));
      }
      const Range range = parse_range(std::string_view(spec).substr(equals + 1), spec);
      for_inputs(std::string_view(spec).substr(0, equals), "--range",
                 [&](std::size_t column, bool by_name) { add_range(column, range, by_name); });
    }
    for (std::size_t column = 0; column < names_.size(); ++column) {
      const ColumnRequest& request = requests_[column];
      if (request.lower && request.upper && *request.lower >= *request.upper) {
        throw ConfigError(
            fmt::format("The ranges given for \"{}\" contradict each other: {} is not below {}.",
                        names_[column], *request.lower, *request.upper));
      }
    }
  }

  /// Sides add up ("x=0:" and "x=:5"); a range by name wins over one by pattern.
  void add_range(std::size_t column, const Range& range, bool by_name) {
    ColumnRequest& request = requests_[column];
    if (request.range_by_name && !by_name) return;
    if (by_name && !request.range_by_name) request.lower = request.upper = std::nullopt;
    request.range_by_name = by_name;
    const auto set = [&](std::optional<double>& bound, const std::optional<double>& given) {
      if (!given) return;
      if (bound && *bound != *given) {
        throw ConfigError(fmt::format("Two ranges are given for \"{}\": one bound is {} and {}.",
                                      names_[column], *bound, *given));
      }
      bound = given;
    };
    set(request.lower, range.lower);
    set(request.upper, range.upper);
  }

  void read_group(std::string_view spec) {
    const std::size_t equals = spec.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == spec.size()) {
      throw ConfigError(fmt::format(
          "--group {}: expected NAME=COLUMNS, such as mri=vol_* or mri=vol_*,thickness.", spec));
    }
    const std::string group(spec.substr(0, equals));
    for (const std::string_view pattern : split(spec.substr(equals + 1), ',')) {
      for_inputs(pattern, "--group", [&](std::size_t column, bool) {
        std::string& current = requests_[column].group;
        if (!current.empty() && current != group) {
          throw ConfigError(
              fmt::format("\"{}\" is in two groups, \"{}\" and \"{}\": a column can "
                          "go missing with one group only.",
                          names_[column], current, group));
        }
        current = group;
      });
    }
  }

  /// A unit is known by its group's or its column's name, so the two may not collide.
  void check_group_names() const {
    std::unordered_map<std::string_view, const ColumnRequest*> request_of;
    for (std::size_t i = 0; i < names_.size(); ++i) request_of.emplace(names_[i], &requests_[i]);
    for (const ColumnRequest& request : requests_) {
      if (request.group.empty()) continue;
      const auto namesake = request_of.find(request.group);
      if (namesake != request_of.end() && namesake->second->group != request.group) {
        throw ConfigError(
            fmt::format("--group {0}=...: \"{0}\" is also a column, and not one of this group.\n"
                        "  Give the group another name.",
                        request.group));
      }
    }
  }

  std::vector<std::string> names_;
  const SchemaOptions& options_;
  std::vector<ColumnRequest> requests_;
  std::vector<std::size_t> ignored_;
};

}  // namespace

std::vector<ColumnRequest> read_requests(const Table& table, const SchemaOptions& options) {
  return RequestReader(table, options).read();
}

std::vector<std::string> expand_columns(const std::vector<std::string>& patterns,
                                        const std::vector<std::string>& names,
                                        std::string_view option) {
  std::vector<bool> chosen(names.size(), false);
  for (const std::string& pattern : patterns) {
    for (const std::size_t column : match_columns(pattern, names, option).columns) {
      chosen[column] = true;
    }
  }
  std::vector<std::string> expanded;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) expanded.push_back(names[i]);
  }
  return expanded;
}

}  // namespace knockout
