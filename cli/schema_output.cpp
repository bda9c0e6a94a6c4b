// SPDX-License-Identifier: Apache-2.0
#include "cli/schema_output.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.h"
#include "knockout/base/wording.h"
#include "knockout/report/text.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout::cli {
namespace {

constexpr std::size_t kNamesShown = 12;

using NamesOfKind = std::map<ColumnKind, std::vector<std::string>>;

std::string describe_inputs(const Schema& schema, const NamesOfKind& names) {
  std::size_t with_gaps = 0;
  for (const Feature& feature : schema.features) {
    with_gaps += feature.training_gaps != GapMeaning::kNone;
  }
  std::vector<std::string> parts;
  for (const auto& [kind, columns] : names) {
    parts.push_back(codec_of(kind).counted(columns.size()));
  }
  return fmt::format("{} ({}); {} with gaps", schema.features.size(), fmt::join(parts, ", "),
                     with_gaps);
}

}  // namespace

std::string describe_target(const Target& target) {
  if (target.task == Task::kRegression) return fmt::format("{} (regression)", target.name);
  return fmt::format("{} (classes {})", target.name, report::clean(short_list(target.classes, 6)));
}

std::string describe_schema(const InferredSchema& inferred) {
  const Schema& schema = inferred.schema;
  NamesOfKind names;
  for (const Feature& feature : schema.features) {
    names[feature.kind].push_back(feature.name);
  }
  std::vector<std::string> targets;
  for (const Target& target : schema.targets) targets.push_back(describe_target(target));
  std::string text = labelled("predicts", fmt::format("{}", fmt::join(targets, "; "))) +
                     labelled("inputs", describe_inputs(schema, names));
  for (const auto& [kind, columns] : names) {
    text += labelled(fmt::format("  {:<12}", to_string(kind)), short_list(columns, kNamesShown));
  }
  for (const UnusedColumn& aside : inferred.set_aside) {
    text += labelled("set aside", aside.column + ": " + aside.reason);
  }
  return text;
}

std::string number_text(double number, std::string_view column, const ReadingIndex& readings) {
  const auto found = readings.find(column);
  return in_its_clothes(number, short_number(number),
                        found == readings.end() ? NumberFormat{} : found->second->numbers);
}

}  // namespace knockout::cli
