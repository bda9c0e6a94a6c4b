// SPDX-License-Identifier: Apache-2.0
#include "experiments/engine_studies.h"

#include <cassert>
#include <optional>

namespace knockout::experiments {
namespace {

std::optional<EngineStudies>& linked() {
  static std::optional<EngineStudies> studies;
  return studies;
}

}  // namespace

void set_engine_studies(const EngineStudies& studies) { linked() = studies; }

const EngineStudies& engine_studies() {
  assert(linked().has_value());
  return *linked();
}

}  // namespace knockout::experiments
