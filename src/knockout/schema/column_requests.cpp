// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_requests.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

std::string_view role_text(ColumnRole role) {
  switch (role) {
    case ColumnRole::kTarget:
      return "a target";
    case ColumnRole::kWeight:
      return "the weight column";
    case ColumnRole::kIgnored:
      return "ignored (`ignore`)";
    case ColumnRole::kInput:
      break;
  }
  return "an input";
}

std::string bounds_text(const ColumnRange& range) {
  return fmt::format("{}={}:{}", range.column, range.lower ? label_of_number(*range.lower) : "",
                     range.upper ? label_of_number(*range.upper) : "");
}

void check_bounds(const ColumnRange& range) {
  const auto refuse = [&](std::string_view what) {
    throw ConfigError(fmt::format("{}: {}.", field("ranges", bounds_text(range)), what));
  };
  if (!range.lower && !range.upper) refuse("a range needs at least one bound");
  for (const std::optional<double>& bound : {range.lower, range.upper}) {
    if (bound && !std::isfinite(*bound)) refuse("a bound is a number; an open side has none");
  }
  if (!range.lower || !range.upper) return;
  if (*range.lower >= *range.upper) refuse("the lower bound must be below the upper bound");
  if (!std::isfinite(*range.upper - *range.lower)) {
    refuse("the range is too wide; leave one side open");
  }
}

class RequestReader {
 public:
  RequestReader(const Table& table, const SchemaOptions& options)
      : names_(table.names()), matcher_(names_), options_(options), requests_(names_.size()) {}

  std::vector<ColumnRequest> read() {
    read_roles();
    read_kinds();
    read_gaps();
    read_ranges();
    for (const ColumnGroup& group : options_.groups) read_group(group);
    check_group_names();
    return std::move(requests_);
  }

 private:
  /// Calls `apply` for the inputs that the pattern means.
  template <typename Apply>
  void for_inputs(std::string_view pattern, std::string_view where, Apply apply) {
    const ColumnMatcher::Match match = matcher_.match(pattern, where);
    for (const std::size_t column : match.columns) {
      const ColumnRole role = requests_[column].role;
      if (role == ColumnRole::kInput) {
        apply(column, match.by_name);
      } else if (match.by_name) {
        throw ConfigError(fmt::format("{} names \"{}\", which is {}: {} is for input columns.",
                                      field(where), names_[column], role_text(role), field(where)));
      }
    }
  }

  void read_roles() {
    for (const std::string& pattern : options_.targets) {
      for (const std::size_t column : matcher_.match(pattern, "targets").columns) {
        requests_[column].role = ColumnRole::kTarget;
      }
    }
    if (options_.weight_column) {
      // A name, not a pattern: there is one weight column.
      const auto found = std::find(names_.begin(), names_.end(), *options_.weight_column);
      if (found == names_.end()) {
        throw ConfigError(fmt::format("{}: no column is called that.{}",
                                      field("weight_column", *options_.weight_column),
                                      did_you_mean(*options_.weight_column, names_)));
      }
      ColumnRequest& request = requests_[static_cast<std::size_t>(found - names_.begin())];
      if (request.role == ColumnRole::kTarget) {
        throw ConfigError(fmt::format("\"{}\" is both a target and the weight column.", *found));
      }
      request.role = ColumnRole::kWeight;
    }
    for (const std::string& pattern : options_.ignore) {
      for_inputs(pattern, "ignore", [&](std::size_t column, bool) {
        ignored_.push_back(column);  // only afterwards, so that two patterns may overlap
      });
    }
    for (const std::size_t column : ignored_) requests_[column].role = ColumnRole::kIgnored;
  }

  void read_kinds() {
    for (const ColumnCodec* codec : all_codecs()) {
      for (const KindRequest& said : codec->requests(options_)) read_kind(*codec, said);
    }
  }

  /// An option for a kind may name a target too, where the kind says what the task is.
  void read_kind(const ColumnCodec& codec, const KindRequest& said) {
    const ColumnMatcher::Match match = matcher_.match(said.column, codec.name());
    if (match.by_name && codec.task_of_target() &&
        requests_[match.columns[0]].role == ColumnRole::kTarget) {
      set_kind(match.columns[0], codec, said);
      return;
    }
    for_inputs(said.column, codec.name(),
               [&](std::size_t column, bool) { set_kind(column, codec, said); });
  }

  void set_kind(std::size_t column, const ColumnCodec& codec, const KindRequest& said) {
    ColumnRequest& request = requests_[column];
    if (request.kind != nullptr && request.kind != &codec) {
      throw ConfigError(fmt::format("\"{}\" is named by `{}` and by `{}`: leave one out.",
                                    names_[column], request.kind->name(), codec.name()));
    }
    request.kind = &codec;
    request.levels = said.levels;
  }

  void read_gaps() {
    for (const std::string& pattern : options_.never_missing) {
      for_inputs(pattern, "never_missing",
                 [&](std::size_t column, bool) { requests_[column].never_missing = true; });
    }
    for (const std::string& pattern : options_.missing_at_random) {
      for (const std::size_t column : matcher_.match(pattern, "missing_at_random").columns) {
        requests_[column].missing_at_random = true;
      }
    }
  }

  void read_ranges() {
    for (const ColumnRange& range : options_.ranges) {
      check_bounds(range);
      for_inputs(range.column, "ranges",
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
  void add_range(std::size_t column, const ColumnRange& range, bool by_name) {
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

  void read_group(const ColumnGroup& group) {
    if (group.name.empty() || group.columns.empty()) {
      throw ConfigError(fmt::format("{}: a group needs a name and columns.", field("groups")));
    }
    for (const std::string& pattern : group.columns) {
      for_inputs(pattern, "groups", [&](std::size_t column, bool) {
        std::string& current = requests_[column].group;
        if (!current.empty() && current != group.name) {
          throw ConfigError(
              fmt::format("\"{}\" is in two groups, \"{}\" and \"{}\": a column can "
                          "go missing with one group only.",
                          names_[column], current, group.name));
        }
        current = group.name;
      });
    }
  }

  /// A unit is known by its group's or its column's name, so the two may not collide.
  void check_group_names() const {
    HashMap<std::string_view, const ColumnRequest*> request_of;
    for (std::size_t i = 0; i < names_.size(); ++i) request_of.emplace(names_[i], &requests_[i]);
    for (const ColumnRequest& request : requests_) {
      if (request.group.empty()) continue;
      const auto namesake = request_of.find(request.group);
      if (namesake != request_of.end() && namesake->second->group != request.group) {
        throw ConfigError(
            fmt::format("{}: \"{}\" is also a column, and not one of this group.\n"
                        "  Give the group another name.",
                        field("groups", request.group + "=..."), request.group));
      }
    }
  }

  const std::vector<std::string> names_;
  const ColumnMatcher matcher_;
  const SchemaOptions& options_;
  std::vector<ColumnRequest> requests_;
  std::vector<std::size_t> ignored_;
};

}  // namespace

ColumnMatcher::ColumnMatcher(const std::vector<std::string>& names) : names_(names) {
  for (std::size_t i = 0; i < names.size(); ++i) place_of_.emplace(names[i], i);
}

ColumnMatcher::Match ColumnMatcher::match(std::string_view pattern, std::string_view where) const {
  if (const auto named = place_of_.find(pattern); named != place_of_.end()) {
    return {{named->second}, true};
  }
  Match match;
  const bool all = pattern == "all", has_star = pattern.find('*') != std::string_view::npos;
  for (std::size_t i = 0; i < names_.size() && (all || has_star); ++i) {
    if (all || matches_pattern(names_[i], pattern)) match.columns.push_back(i);
  }
  if (match.columns.empty()) {
    throw ConfigError(fmt::format("{}: no column is called that.{}", field(where, pattern),
                                  did_you_mean(pattern, names_)));
  }
  return match;
}

std::vector<ColumnRequest> read_requests(const Table& table, const SchemaOptions& options) {
  return RequestReader(table, options).read();
}

std::vector<std::string> expand_columns(const std::vector<std::string>& patterns,
                                        const std::vector<std::string>& names,
                                        std::string_view where) {
  std::vector<bool> chosen(names.size(), false);
  const ColumnMatcher matcher(names);
  for (const std::string& pattern : patterns) {
    for (const std::size_t column : matcher.match(pattern, where).columns) {
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
