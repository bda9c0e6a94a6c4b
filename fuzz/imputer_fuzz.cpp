// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the files of imputers: the first byte chooses a kind, the others say what is
// changed in the document and the arrays of a sound file, under a right checksum. It loads or is
// refused with a ModelFileError, and what loads fills every gap.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/forged_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/impute/imputer.h"
#include "knockout/schema/infer.h"

namespace {

using namespace knockout;

const Table& rows() {
  static const Table table =
      read_csv_text("a,town,b\n1,x,2\n,y,3\n3,z,1\n4,x,\n2,y,5\n1,,2\n7,z,1\n2,x,2\n", "fuzz.csv");
  return table;
}

std::vector<fuzz::ForgedFile> sound_imputers() {
  const Schema schema = infer_schema(rows(), {.unseen_category = UnseenCategory::kMissing}).schema;
  std::vector<fuzz::ForgedFile> imputers;
  for (const ImputerKind kind : imputer_kinds()) {
    imputers.push_back(fuzz::take_apart(
        fit_imputer(kind, rows(), schema, {.trees = 2, .threads = 1})->to_bytes()));
  }
  return imputers;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (std::size_t kind = 0; kind < imputer_kinds().size(); ++kind) {
    seeds.emplace_back(1, static_cast<char>(kind));
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<fuzz::ForgedFile> imputers = sound_imputers();
  fuzz::ByteSource decisions(data, size);
  fuzz::ForgedFile file = imputers[decisions.choice(imputers.size())];
  fuzz::forge(file, decisions);
  try {
    const Table filled = imputer_from_bytes(fuzz::sealed_bytes(file))->apply(rows(), 1);
    fuzz::require(filled.rows() == rows().rows(), "as many rows");
  } catch (const ModelFileError&) {
  } catch (const DataError&) {  // cells that the changed schema refuses
  }
  return 0;
}
