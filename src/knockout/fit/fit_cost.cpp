// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/fit_cost.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/option.h"
#include "knockout/base/wording.h"

namespace knockout {

TrainingCost fit_cost(std::size_t rows, const std::vector<TargetCoding>& targets,
                      const Encoder& encoder, const ResolvedTraining& train) {
  std::vector<Head> heads;
  heads.reserve(targets.size());
  for (const TargetCoding& target : targets) heads.push_back(target.head);
  return training_cost(rows, heads, encoder, train);
}

TrainingCost fit_cost(const Table& table, const InferredSchema& inferred,
                      const FitOptions& options) {
  return fit_cost(table.rows(), code_targets(table, inferred.schema),
                  Encoder::fit(table, inferred.schema, options.encode),
                  resolve(options.train, table.rows()));
}

void check_description(const Encoder& encoder, const nlohmann::json& seen,
                       std::uint64_t most_bytes) {
  constexpr std::size_t kFew = 20'000;  // they fit, so that nothing need be counted
  std::size_t categories = 0;
  for (const Feature& feature : encoder.schema().features) categories += feature.categories.size();
  const std::size_t columns = encoder.schema().features.size();
  if (columns + categories < kFew) return;
  const auto bytes_in_file = [](const nlohmann::json& json) {
    const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // It stands in the header as a text, with a backslash before each of these.
    return text.size() +
           static_cast<std::size_t>(std::count_if(text.begin(), text.end(),
                                                  [](char c) { return c == '"' || c == '\\'; }));
  };
  const std::size_t bytes = bytes_in_file(encoder.to_json()) + bytes_in_file(seen);
  if (bytes <= most_bytes) return;
  throw ConfigError(
      fmt::format("a model of {} and {} could not be saved: it takes {} to describe them, and a "
                  "model file has room for {}.\n"
                  "  Leave columns out:  {}",
                  plural(columns, "column"), with_thousands(categories) + " categories",
                  bytes_text(static_cast<double>(bytes)),
                  bytes_text(static_cast<double>(most_bytes)), field("ignore")));
}

std::string told_cost(const TrainingCost& cost, const Limits& limits) {
  constexpr std::uint64_t kManyNetworks = 20;
  constexpr double kManyOperations = 1e13;  // minutes
  const bool is_large = cost.networks > kManyNetworks || cost.operations() > kManyOperations ||
                        cost.memory_bytes > 0.1 * static_cast<double>(limits.memory_bytes());
  return is_large ? cost.text() : "";
}

}  // namespace knockout
