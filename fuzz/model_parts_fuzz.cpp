// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the parts of a model: a sound file whose document is changed by a JSON merge
// patch loads or is refused with a ModelFileError, and what loads predicts.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"

namespace {

using namespace knockout;

const Table& rows() {
  static const Table table =
      read_csv_text("a,town,y\n1,x,2\n,y,3\n3,z,1\n4,x,\n2,y,5\n1,,2\n7,z,1\n2,x,2\n", "fuzz.csv");
  return table;
}

const ModelFile& sound_file() {
  static const ModelFile file = [] {
    FitOptions options;
    options.schema.targets = {"y"};
    options.encode.max_one_hot = 1;
    options.train.architecture = Architecture::kResidual;
    options.train.hidden = {3};
    options.train.networks = 1;
    options.train.steps = 1;
    return model_file_from_bytes(fit(rows(), options).model.to_bytes(), "sound");
  }();
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto patch = nlohmann::json::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
  if (patch.is_discarded()) return 0;
  ModelFile file = sound_file();
  file.document.merge_patch(patch);
  if (!file.document.is_object()) return 0;
  try {
    const Model model = model_from_bytes(model_file_to_bytes(file));
    for (const TargetPrediction& prediction : model.predict(rows(), {}, 1)) {
      if (prediction.rows() != rows().rows()) std::abort();
    }
  } catch (const ModelFileError&) {
  } catch (const DataError&) {  // text that is not UTF-8, cells that the changed schema refuses
  } catch (const ConfigError&) {
  }
  return 0;
}
