// SPDX-License-Identifier: Apache-2.0
#include "experiments/engine_studies.h"

#include <cassert>

namespace knockout::experiments {
namespace {

EngineStudies& linked() {
  static EngineStudies studies;
  return studies;
}

}  // namespace

void set_engine_studies(const EngineStudies& studies) { linked() = studies; }

const EngineStudies& engine_studies() {
  assert(linked().tumor != nullptr);
  return linked();
}

}  // namespace knockout::experiments
