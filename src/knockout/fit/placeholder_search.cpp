// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/placeholder_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

constexpr double kDistances[] = {2, 4, 6, 8, 10, 20};

/// What stands for gaps of a column at this distance, where the paper's Table 1 has 10.
struct PlaceholderPair {
  double missing = 0, for_a_reason = 0;
};
PlaceholderPair pair_at(Support support, double distance) {
  const double outside = distance / 10;
  switch (support) {
    case Support::kInterval:
      return {-outside, 1 + outside};
    case Support::kHalfLine:
      return {-outside, -2 * outside};
    case Support::kRealLine:
      break;
  }
  return {distance, -distance};
}

EncodeOptions encode_at(const Schema& schema, const EncodeOptions& said, double distance) {
  EncodeOptions encode = said;
  encode.force_placeholders = true;  // 2 deviations are inside most data: the search says how bad
  for (const Feature& feature : schema.features) {
    if (!codec_of(feature).takes_placeholder_numbers()) continue;
    const PlaceholderPair pair = pair_at(codec_of(feature).support(feature), distance);
    encode.placeholders.emplace(feature.name, pair.missing);
    encode.reason_placeholders.emplace(feature.name, pair.for_a_reason);
  }
  return encode;
}

}  // namespace

std::string PlaceholderSearch::text() const {
  std::string tried;
  for (const Trial& trial : trials) {
    tried += fmt::format("{}{} ({:.4g})", tried.empty() ? "" : ", ", trial.distance, trial.loss);
  }
  return fmt::format(
      "Placeholders were searched for: {} standard deviations from the mean, by the loss on "
      "held-out rows: {}.",
      trials[best].distance, tried);
}

PlaceholderSearch search_placeholders(const Table& table, const InferredSchema& inferred,
                                      const FitOptions& options) {
  FitOptions trial = options;
  trial.search_placeholders = false;
  trial.on_prepared = {};
  const ResolvedTraining resolved = resolve(options.train, table.rows());
  trial.train.networks = 1;
  trial.train.steps = std::max(1, resolved.steps / 4);
  trial.train.validation_share = std::max(resolved.validation_share, 0.2);
  trial.train.checkpoint_folder.reset();

  PlaceholderSearch search;
  for (const double distance : kDistances) {
    trial.encode = encode_at(inferred.schema, options.encode, distance);
    const FitReport report = fit(table, inferred, trial).report;
    search.trials.push_back({distance, report.members.front().validation_loss});
    if (search.trials.back().loss < search.trials[search.best].loss) {
      search.best = search.trials.size() - 1;
    }
  }
  search.encode = encode_at(inferred.schema, options.encode, search.trials[search.best].distance);
  return search;
}

}  // namespace knockout
