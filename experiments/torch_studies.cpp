// SPDX-License-Identifier: Apache-2.0
#include "experiments/torch_studies.h"

#include "experiments/food101/torch_food101.h"
#include "experiments/genera/torch_encode.h"
#include "experiments/privileged/torch_privileged.h"
#include "experiments/prostate/torch_prostate.h"
#include "experiments/tumor/torch_tumor.h"

namespace knockout::experiments {

EngineStudies torch_studies() {
  return {.privileged = run_privileged,
          .tumor = run_tumor_study,
          .prostate = run_prostate,
          .food101 = run_food101,
          .write_food101_encoders = write_food101_encoders,
          .encode_pictures = encode_pictures};
}

}  // namespace knockout::experiments
