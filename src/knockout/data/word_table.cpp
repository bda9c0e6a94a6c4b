// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/word_table.h"

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"

namespace knockout {
namespace {

std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

/// The slot that holds the word, or the free one where it belongs.
std::size_t WordTable::slot_of(std::string_view word, std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.code < 0) return i;
    if (slot.tag == tag_of(hash) && words_[static_cast<std::size_t>(slot.code)] == word) return i;
  }
}

std::int32_t WordTable::find(std::string_view word) const {
  if (slots_.empty()) return -1;
  return slots_[slot_of(word, SeededHash{}(word))].code;
}

std::int32_t WordTable::find_or_add(std::string_view word) {
  if (slots_.size() <= 2 * words_.size()) grow();
  const std::size_t hash = SeededHash{}(word);
  Slot& slot = slots_[slot_of(word, hash)];
  if (slot.code < 0) {
    if (words_.size() >= 0x7fffffff) {
      throw DataError(
          "a column holds more than 2,147,483,647 different words.\n"
          "  Leave it out, or split the file.");
    }
    slot = {tag_of(hash), static_cast<std::int32_t>(words_.size())};
    words_.push_back(word);
  }
  return slot.code;
}

void WordTable::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), Slot{});
  for (std::size_t code = 0; code < words_.size(); ++code) {
    const std::size_t hash = SeededHash{}(words_[code]);
    slots_[slot_of(words_[code], hash)] = {tag_of(hash), static_cast<std::int32_t>(code)};
  }
}

}  // namespace knockout
