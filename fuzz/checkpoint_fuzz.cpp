// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for checkpoints, changed under a right checksum. The first byte chooses an
// engine and a file. Native: the training goes on from the changed file and ends with finite
// answers, or refuses it with a ModelFileError or, where it is of another training, a ConfigError.
// LibTorch: what is read of the file before LibTorch sees it, since Clang 14 does not compile its
// headers.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/forged_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "fuzz/shared/temporary_folder.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/nn/training/checkpoint_content.h"

namespace {

using namespace knockout;

constexpr const char* kFile = "network-1.safetensors";

const Table& rows() {
  static const Table table = read_csv_text("a,y\n1,2\n,3\n3,1\n4,2\n2,5\n1,2\n7,1\n", "fuzz.csv");
  return table;
}

/// The folder in which every training of this program finds its checkpoint.
const fuzz::TemporaryFolder& folder() {
  static const fuzz::TemporaryFolder folder;
  return folder;
}

/// Goes on from the checkpoint, if there is one.
Model train(const ProgressFunction& progress = {}) {
  FitOptions options;
  options.schema.targets = {"y"};
  options.train.hidden = {2};
  options.train.networks = 1;
  options.train.steps = 4;
  options.train.validation_share = 0.3;
  options.train.threads = 1;
  options.train.checkpoint_folder = folder().path("");
  options.train.checkpoint_seconds = 0;
  return fit(rows(), options, progress).model;
}

/// Of a training that is under way, and of one that is finished.
std::vector<fuzz::ForgedFile> native_checkpoints() {
  std::string under_way;
  train([&](const TrainProgress& progress) {
    if (progress.step == 3) under_way = folder().read(kFile);
  });
  return {fuzz::take_apart(under_way), fuzz::take_apart(folder().read(kFile))};
}

void try_native(fuzz::ForgedFile file, fuzz::ByteSource& decisions) {
  fuzz::forge(file, decisions);
  folder().write(kFile, fuzz::sealed_bytes(file));
  const std::vector<TargetPrediction> answers = train().predict(rows(), {}, 1);
  for (const double value : answers.front().values) {
    fuzz::require(std::isfinite(value), "finite answers");
  }
}

nn::CheckpointContent torch_checkpoint() {
  static const std::string numbers(24, '\1');
  nn::CheckpointContent content;
  content.document = {{"step", 3}, {"score", 0.5}, {"order", {0, 1}}};
  content.blocks["network/weight"] = {"F32", {2, 3}, numbers};
  content.blocks["optimizer/weight/step"] = {"I64", {}, std::string_view(numbers).substr(0, 8)};
  return content;
}

/// As checkpoint_content.cpp computes it.
std::string torch_bytes(const fuzz::ForgedFile& file) {
  const SafetensorsBlocks blocks = fuzz::blocks_of(file);
  const std::string document = fuzz::document_text(file.document);
  Crc32 crc;
  crc.add(safetensors_entries(blocks).dump());
  crc.add(document);
  for (const auto& [name, block] : blocks) crc.add(block.bytes);
  return safetensors_to_bytes(blocks, {{"knockout", document}, {"checksum", crc.text()}});
}

void try_torch(fuzz::ForgedFile file, fuzz::ByteSource& decisions) {
  fuzz::forge(file, decisions);
  const std::string bytes = torch_bytes(file);
  const nn::CheckpointContent content = nn::checkpoint_content_from_bytes(bytes);
  const std::string written = nn::checkpoint_content_to_bytes(content);
  const nn::CheckpointContent again = nn::checkpoint_content_from_bytes(written);
  fuzz::require(again.document == content.document && again.blocks.size() == content.blocks.size(),
                "a checkpoint survives being written and read again");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {std::string(1, '\0'), std::string(1, '\1'), std::string(1, '\2'),
          std::string("\0\0\5\1\x0e", 5), std::string("\1\3\1\1", 4)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<fuzz::ForgedFile> native = native_checkpoints();
  static const fuzz::ForgedFile torch =
      fuzz::take_apart(nn::checkpoint_content_to_bytes(torch_checkpoint()));
  fuzz::ByteSource decisions(data, size);
  try {
    const std::size_t which = decisions.choice(3);
    if (which == 2) {
      try_torch(torch, decisions);
    } else {
      try_native(native[which], decisions);
    }
  } catch (const ModelFileError&) {
  } catch (const ConfigError&) {
  } catch (const DataError&) {  // a training that diverges, from weights as large as that
  }
  return 0;
}
