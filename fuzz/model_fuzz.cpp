// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for models: the first byte chooses a sound one, the others say what is changed in
// its document and its tensors, under a right checksum. It loads or is refused with a
// ModelFileError; what loads gives finite answers, and refuses no more than cells.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/forged_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"

namespace {

using namespace knockout;

const Table& rows() {
  static const Table table = read_csv_text(
      "a,town,when,size,y,kind\n"
      "1,x,2020-01-05,small,2,no\n,y,2020-02-06,large,3,yes\n3,z,2021-03-07,small,1,no\n"
      "4,x,,medium,,yes\n2,y,2021-05-01,small,5,no\n1,,2022-01-05,,2,yes\n"
      "<LOD,z,2020-01-05,medium,1,\n2,x,2020-04-05,small,2,no\n",
      "fuzz.csv", {.reason_words = {"<LOD"}});
  return table;
}

FitOptions quick_options(const std::vector<std::string>& targets) {
  FitOptions options;
  options.schema.targets = targets;
  options.train.hidden = {3};
  options.train.networks = 1;
  options.train.steps = 1;
  options.train.threads = 1;
  return options;
}

/// Between them they have every kind of column, of target and of layer, and both versions of the
/// format.
std::vector<fuzz::ForgedFile> sound_models() {
  std::vector<fuzz::ForgedFile> models;
  FitOptions residual = quick_options({"y"});
  residual.schema.ordered = {{"size", {"small", "medium", "large"}}};
  residual.encode.max_one_hot = 1;
  residual.train.architecture = Architecture::kResidual;
  models.push_back(fuzz::take_apart(fit(rows(), residual).model.to_bytes()));
  FitOptions several = quick_options({"kind", "y"});
  several.schema.groups = {{"both", {"a", "when"}}};
  several.encode.inline_placeholders = true;
  several.train.networks = 2;
  models.push_back(fuzz::take_apart(fit(rows(), several).model.to_bytes()));
  models.push_back(fuzz::take_apart(
      read_bytes(KNOCKOUT_SOURCE_DIR "/tests/golden/model_v1.safetensors", "the model")));
  return models;
}

void check_answers(const Model& model) {
  try {
    for (const TargetPrediction& prediction : model.predict(rows(), {}, 1)) {
      fuzz::require(prediction.rows() == rows().rows(), "an answer for every row");
      for (const double value : prediction.values) {
        fuzz::require(std::isfinite(value), "finite answers");
      }
    }
  } catch (const DataError&) {  // cells that the changed schema refuses
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {std::string(1, '\0'), std::string(1, '\1'), std::string(1, '\2'),
          std::string("\0\0\x10\1\x0f", 5), std::string("\1\3\1\2\3", 5)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<fuzz::ForgedFile> models = sound_models();
  fuzz::ByteSource decisions(data, size);
  fuzz::ForgedFile file = models[decisions.choice(models.size())];
  fuzz::forge(file, decisions);
  try {
    check_answers(model_from_bytes(fuzz::sealed_bytes(file)));
  } catch (const ModelFileError&) {
  }
  return 0;
}
