// SPDX-License-Identifier: Apache-2.0
#include "experiments/torch_studies.h"

#include "experiments/food101/synthesis.h"
#include "experiments/food101/torch_food101.h"
#include "experiments/genera/torch_encode.h"
#include "experiments/privileged/noisy_images.h"
#include "experiments/privileged/torch_privileged.h"
#include "experiments/prostate/picai_synthesis.h"
#include "experiments/prostate/torch_prostate.h"
#include "experiments/tumor/synthesis.h"
#include "experiments/tumor/torch_tumor.h"
#include "media/image/imagenet.h"

namespace knockout::experiments {

EngineStudies torch_studies() {
  return {.privileged = run_privileged,
          .tumor = run_tumor_study,
          .prostate = run_prostate,
          .food101 = run_food101,
          .write_food101_encoders = write_food101_encoders,
          .encode_pictures = encode_pictures,
          .synthesize_privileged = synthesize_noisy_images,
          .synthesize_tumor = synthesize_tumors,
          .synthesize_prostate = synthesize_picai,
          .synthesize_food101 = synthesize_dishes,
          .picture_planes = imagenet_planes};
}

}  // namespace knockout::experiments
