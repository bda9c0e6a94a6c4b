// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/mean_imputer.h"

#include <nlohmann/json.hpp>

#include "knockout/schema/json_fields.h"

namespace knockout {

std::unique_ptr<Imputer> MeanImputer::read(ImputerSource source) {
  const JsonFields nothing(source.json, "the imputer of means", {});
  return std::make_unique<MeanImputer>(std::move(source.space));
}

nlohmann::json MeanImputer::write(ImputerArrays&) const { return nlohmann::json::object(); }

}  // namespace knockout
