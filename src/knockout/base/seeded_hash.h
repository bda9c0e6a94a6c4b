// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace knockout {

/// What the hashes of this process are made with, drawn anew for each process: whoever writes a
/// file cannot know which of its words will share a place in a table, so that no file is slow.
struct HashSeeds {
  std::uint64_t first = 0, second = 0, third = 0;
};
HashSeeds draw_hash_seeds();
inline const HashSeeds kHashSeeds = draw_hash_seeds();

/// Hashes of words and numbers that come from files. Other in each process: what is made from them
/// must not depend on their order. Containers find a word whatever kind of string it is.
class SeededHash {
 public:
  using is_transparent = void;

  // Not noexcept, so that containers remember the hash of a word instead of computing it again.
  std::size_t operator()(std::string_view word) const {
    const char* from = word.data();
    std::size_t left = word.size();
    // Not XOR: a length that meets the letters bit by bit can be undone by other letters.
    std::uint64_t hash = kHashSeeds.third * (left + 1);
    for (; left > 16; left -= 16, from += 16) hash = mix(read<8>(from), hash, read<8>(from + 8));
    if (left >= 8) return mix(read<8>(from), hash, read<8>(from + left - 8));
    if (left >= 4) return mix(read<4>(from), hash, read<4>(from + left - 4));
    if (left == 0) return mix(0, hash, 0);
    const std::uint64_t ends = read<1>(from) << 8 | read<1>(from + left - 1);
    return mix(ends, hash, read<1>(from + left / 2));
  }
  /// Mixed twice: multiples of one number, mixed once, still lie on a lattice, which for one seed
  /// in some hundreds is coarse.
  std::size_t operator()(std::uint64_t number) const {
    return mix(mix(number, kHashSeeds.third, 0), kHashSeeds.third, 0);
  }
  std::size_t operator()(double number) const {
    return (*this)(std::bit_cast<std::uint64_t>(number + 0.0));  // -0 equals 0
  }

 private:
  template <std::size_t kBytes>
  static std::uint64_t read(const char* from) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, from, kBytes);
    return bytes;
  }
  /// Both halves of a product of what the file says and of what nobody outside knows.
  static std::uint64_t mix(std::uint64_t a, std::uint64_t hash, std::uint64_t b) {
    __extension__ using Product = unsigned __int128;
    const Product product =
        Product{a ^ kHashSeeds.first ^ hash} * (b ^ kHashSeeds.second ^ std::rotl(hash, 32));
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
};

template <typename Key, typename Value>
using HashMap = std::unordered_map<Key, Value, SeededHash, std::equal_to<>>;
template <typename Key>
using HashSet = std::unordered_set<Key, SeededHash, std::equal_to<>>;

}  // namespace knockout
