// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the files of imputers. The first byte chooses a kind. The second says what
// follows: a JSON merge patch of a sound file's document, bytes to put over its arrays, or a whole
// file. Whatever it is loads or is refused with a ModelFileError, and what loads fills every gap.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/impute/fitted_imputer.h"
#include "knockout/schema/infer.h"

namespace {

using namespace knockout;

const Table& rows() {
  static const Table table =
      read_csv_text("a,town,b\n1,x,2\n,y,3\n3,z,1\n4,x,\n2,y,5\n1,,2\n7,z,1\n2,x,2\n", "fuzz.csv");
  return table;
}

const std::string& sound_bytes(std::size_t kind) {
  static const std::vector<std::string> all = [] {
    const Schema schema =
        infer_schema(rows(), {.unseen_category = UnseenCategory::kMissing}).schema;
    std::vector<std::string> bytes;
    for (const ImputerKind one : imputer_kinds()) {
      bytes.push_back(fit_imputer(one, rows(), schema, {.trees = 2, .threads = 1})->to_bytes());
    }
    return bytes;
  }();
  return all[kind % all.size()];
}

/// The sound file, changed, under a right checksum.
std::string forged(std::size_t kind, bool arrays, std::string_view change) {
  SealedContent content =
      unseal(kImputerFormat, sound_bytes(kind), ImputerArrays::types(), "sound");
  std::vector<std::string> changed;
  changed.reserve(content.blocks.size());
  if (arrays) {
    for (auto& [name, block] : content.blocks) {
      std::string& bytes = changed.emplace_back(block.bytes);
      const std::size_t count = std::min(bytes.size(), change.size());
      std::copy_n(change.begin(), count, bytes.begin());
      change.remove_prefix(count);
      block.bytes = bytes;
    }
  } else {
    const auto patch = nlohmann::json::parse(change, nullptr, /*allow_exceptions=*/false);
    if (!patch.is_object()) return {};
    content.document.merge_patch(patch);
  }
  return seal(kImputerFormat, content.document, content.blocks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  try {
    const int how = data[1] % 3;
    const std::string bytes = how == 2 ? std::string(rest) : forged(data[0], how == 1, rest);
    const Table filled = imputer_from_bytes(bytes)->apply(rows(), 1);
    if (filled.rows() != rows().rows()) std::abort();
  } catch (const ModelFileError&) {
  } catch (const DataError&) {  // text that is not UTF-8, cells that the changed schema refuses
  }
  return 0;
}
