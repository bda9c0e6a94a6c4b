// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/imputer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/atomic_file.h"
#include "knockout/base/enumerators.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/stage.h"
#include "knockout/base/stop.h"
#include "knockout/base/wording.h"
#include "knockout/impute/fitted_imputer.h"
#include "knockout/impute/knn_imputer.h"
#include "knockout/impute/linear_imputer.h"
#include "knockout/impute/mean_imputer.h"
#include "knockout/impute/mice_imputer.h"
#include "knockout/impute/miss_forest_imputer.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

using Fitted = std::unique_ptr<Imputer>;

/// A kind of imputer and where it comes from.
struct KnownImputer {
  ImputerKind kind;
  std::string_view name;  ///< In files and on the command line.
  Fitted (*fit)(ImputerInputs space, const Table& train, const ImputerOptions& options);
  Fitted (*read)(ImputerSource source);
};

/// An imputer that learns more than how its inputs look.
template <typename Kind>
Fitted learn(ImputerInputs space, const Table& train, const ImputerOptions& options) {
  return std::make_unique<Kind>(std::move(space), train, options);
}

Fitted keep_means(ImputerInputs space, const Table&, const ImputerOptions&) {
  return std::make_unique<MeanImputer>(std::move(space));
}

constexpr std::array kKnown = {
    KnownImputer{ImputerKind::kMean, "mean", keep_means, MeanImputer::read},
    KnownImputer{ImputerKind::kKnn, "knn", learn<KnnImputer>, KnnImputer::read},
    KnownImputer{ImputerKind::kLinear, "linear", learn<LinearImputer>, LinearImputer::read},
    KnownImputer{ImputerKind::kMice, "mice", learn<MiceImputer>, MiceImputer::read},
    KnownImputer{ImputerKind::kMissForest, "missforest", learn<MissForestImputer>,
                 MissForestImputer::read},
};
// An enumerator without a line in the list, or out of order, stops the compiler here.
static_assert(kKnown.size() == enumerator_count<ImputerKind>());
static_assert([] {
  for (std::size_t k = 0; k < kKnown.size(); ++k) {
    if (kKnown[k].kind != static_cast<ImputerKind>(k)) return false;
  }
  return true;
}());

const KnownImputer& known(ImputerKind kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place >= kKnown.size()) throw ConfigError("Imputation: there is no such kind of imputer.");
  return kKnown[place];
}

Fitted read_imputer(const SealedContent& content) {
  const JsonFields fields(content.document, "the imputer",
                          {"format", "format_version", "kind", "inputs", "learned"});
  const std::string kind = fields.text("kind");
  const auto found =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& one) { return one.name == kind; });
  if (found == kKnown.end()) {
    fields.fail(fmt::format("this knockout knows no imputer of the kind \"{}\"", kind));
  }
  ImputerArrays arrays(content.blocks);
  Fitted imputer = found->read({.space = ImputerInputs::from_json(fields.value("inputs")),
                                .json = fields.value("learned"),
                                .arrays = arrays});
  arrays.require_all_taken();
  return imputer;
}

}  // namespace

std::string_view to_string(ImputerKind kind) { return known(kind).name; }

std::vector<ImputerKind> imputer_kinds() {
  std::vector<ImputerKind> kinds;
  kinds.reserve(kKnown.size());
  for (const KnownImputer& one : kKnown) kinds.push_back(one.kind);
  return kinds;
}

std::unique_ptr<Imputer> fit_imputer(ImputerKind kind, const Table& train, const Schema& schema,
                                     const ImputerOptions& options) {
  check_ranges(options);
  const StopScope scope(options.stop);
  const Stage stage(fmt::format("learning to fill gaps by {} from {}", known(kind).name,
                                plural(train.rows(), "row")));
  std::unique_ptr<Imputer> imputer =
      known(kind).fit(ImputerInputs::fit(train, schema, options.threads), train, options);
  if (options.progress) options.progress(1.0);
  return imputer;
}

std::string FittedImputer::to_bytes() const {
  ImputerArrays arrays;
  nlohmann::json learned = write(arrays);
  return seal(
      kImputerFormat,
      {{"kind", to_string(kind())}, {"inputs", space_.to_json()}, {"learned", std::move(learned)}},
      arrays.blocks());
}

void Imputer::save(const std::string& path) const { write_atomically(path, to_bytes()); }

std::unique_ptr<Imputer> imputer_from_bytes(std::string_view bytes, const std::string& source) {
  const SealedContent content = unseal(kImputerFormat, bytes, ImputerArrays::types(), source);
  try {
    return read_imputer(content);
  } catch (const ModelFileError& error) {
    throw ModelFileError(fmt::format("{}: {}", source, error.what()));
  }
}

std::unique_ptr<Imputer> load_imputer(const std::string& path) {
  return imputer_from_bytes(read_bytes(path, "the imputer"), path);
}

}  // namespace knockout
