// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for pickled arrays: whatever the bytes, they are read or refused with a
// DataError. The first byte says whether the rest is a pickle or a file (an archive of torch.save()
// or what numpy.save() writes) around one. What is read survives being written and read again.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/memory_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "fuzz/shared/temporary_folder.h"
#include "knockout/base/error.h"
#include "media/arrays/pickled_arrays.h"
#include "media/arrays/unpickler.h"

namespace {

using namespace knockout;

const fuzz::TemporaryFolder& folder() {
  static const fuzz::TemporaryFolder folder;
  return folder;
}

void check_way_back(const NamedIntegers& arrays, std::size_t bytes) {
  std::size_t numbers = 0;
  for (const auto& [name, values] : arrays) numbers += values.size();
  fuzz::require(numbers <= bytes, "each number takes a byte at least");
  write_pickled_arrays(arrays, folder().path("again.pt"));
  fuzz::require(read_pickled_arrays(folder().path("again.pt")) == arrays,
                "what was written can be read");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  write_pickled_arrays({{"a", {1, -2, 300}}, {"labels", {}}}, folder().path("seed.pt"));
  const std::string archive = folder().read("seed.pt");
  const std::size_t begin = archive.find("\x80\x02}("), end = archive.find("u.PK") + 2;
  // Protocol 4, as pickle.dumps({"a": [1, 2]}, 4) of Python 3.11 writes it.
  const std::string protocol4("\x80\x04\x95\x0f\0\0\0\0\0\0\0}\x94\x8c\1a\x94]\x94(K\1K\2es.", 26);
  const std::string numpy_header = "{'descr': '|O', 'fortran_order': False, 'shape': (), }\n";
  std::string numpy = "\x93NUMPY\1";
  numpy += '\0';
  numpy += static_cast<char>(numpy_header.size());
  numpy += '\0';
  return {'\1' + archive, '\0' + archive.substr(begin, end - begin), '\0' + protocol4,
          '\1' + numpy + numpy_header + protocol4};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const bool is_file = (data[0] & 1) != 0;
    check_way_back(is_file ? read_pickled_arrays(file.write(bytes)) : unpickle_arrays(bytes, "x"),
                   bytes.size());
  } catch (const DataError&) {
  }
  return 0;
}
