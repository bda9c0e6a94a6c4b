// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the vocabulary of a tokenizer: it is read or refused with a DataError, and
// what is read encodes any text and gives it back. The first byte says what the first part of the
// rest is, up to a NUL: a whole vocab.json, a JSON merge patch of a sound one, or a merges.txt. The
// second part is the text.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/shared/memory_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "fuzz/shared/temporary_folder.h"
#include "knockout/base/error.h"
#include "media/text/byte_pair_encoding.h"
#include "media/text/train_byte_pairs.h"

namespace {

using namespace knockout;

struct SoundFiles {
  std::string vocabulary, merges;
};

const SoundFiles& sound_files() {
  static const SoundFiles files = [] {
    const fuzz::TemporaryFolder folder;
    write_tokenizer({"apple pie and apple tart <s> s>", "pies and tarts <s>"}, 290,
                    folder.path("vocab.json"), folder.path("merges.txt"));
    return SoundFiles{folder.read("vocab.json"), folder.read("merges.txt")};
  }();
  return files;
}

std::string patched(const std::string& vocabulary, std::string_view patch_text) {
  const auto patch = nlohmann::json::parse(patch_text, nullptr, /*allow_exceptions=*/false);
  nlohmann::json changed = nlohmann::json::parse(vocabulary);
  if (patch.is_object()) changed.merge_patch(patch);
  return changed.dump();
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  using namespace std::string_literals;
  const SoundFiles& files = sound_files();
  return {"\0"s + files.vocabulary + "\0apple"s,
          "\1{\"ap\":null,\"pa\":262}\0pie apple"s,
          "\2"s + files.merges + "\0<s> tarts"s,
          "\2#version: 0.2\na p\n< s\n<s >\n\0<s>"s,
          "\0[[[[]]]]"s,
          "\0{\"a\":1e999}"s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile vocabulary_file, merges_file;
  if (size < 1) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t end = std::min(rest.find('\0'), rest.size());
  const std::string_view first = rest.substr(0, end);
  const std::string_view text = rest.substr(std::min(end + 1, rest.size()));
  std::string vocabulary = sound_files().vocabulary, merges = sound_files().merges;
  switch (data[0] % 3) {
    case 0:
      vocabulary = first;
      break;
    case 1:
      vocabulary = patched(vocabulary, first);
      break;
    case 2:
      merges = first;
      break;
  }
  try {
    const auto tokenizer =
        BytePairTokenizer::read(vocabulary_file.write(vocabulary), merges_file.write(merges));
    const std::vector<int> ids = tokenizer.encode(text);
    fuzz::require(tokenizer.decode(ids) == text, "a text comes back");
    const RobertaInput input = tokenizer.encode_for_roberta(text, {.max_length = 8, .pad = true});
    fuzz::require(input.ids.size() == 8 && input.attention_mask.size() == 8, "as long as asked");
    for (const int id : input.ids) {
      fuzz::require(id >= 0 && id < tokenizer.vocabulary_size(), "ids of the vocabulary");
    }
  } catch (const DataError&) {
  }
  return 0;
}
