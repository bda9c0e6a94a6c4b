// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace knockout::test {

/// Forges words for libstdc++'s std::hash, which is MurmurHash64A with a seed that everybody knows:
/// all of them have the same hash. Words of 32 letters, from all pairs of two lists of halves.
class CollidingWords {
 public:
  std::vector<std::string> make(std::size_t count) {
    std::size_t each = 1;
    while (each * each < count) ++each;
    const std::uint64_t start = 0xC70F6907 ^ 32 * kMultiplier;
    const std::vector<std::string> firsts = halves(start, each), seconds = halves(end_, each);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < count; ++i) words.push_back(firsts[i / each] + seconds[i % each]);
    return words;
  }

 private:
  static constexpr std::uint64_t kMultiplier = 0xC6A4A7935BD1E995;

  static std::uint64_t mixed(std::uint64_t block) {
    block *= kMultiplier;
    return (block ^ block >> 47) * kMultiplier;
  }
  static std::uint64_t unmixed(std::uint64_t block) {
    std::uint64_t inverse = kMultiplier;  // Newton's method doubles the bits that are right
    for (int i = 0; i < 6; ++i) inverse *= 2 - kMultiplier * inverse;
    block *= inverse;
    return (block ^ block >> 47) * inverse;
  }

  /// 16 letters that take the hash from `state` to `end_`: the second eight undo what the first
  /// did.
  std::vector<std::string> halves(std::uint64_t state, std::size_t count) {
    const std::uint64_t meeting = mixed(0x6161616161616161);
    std::vector<std::string> found;
    while (found.size() < count) {
      std::string half(16, 'a');
      for (int i = 0; i < 8; ++i) half[i] = static_cast<char>('a' + random_() % 26);
      std::uint64_t first = 0;
      std::memcpy(&first, half.data(), 8);
      const std::uint64_t second = unmixed(((state ^ mixed(first)) * kMultiplier) ^ meeting);
      std::memcpy(half.data() + 8, &second, 8);
      const auto is_printed = [](char c) { return c > ' ' && c <= '~' && c != ',' && c != '"'; };
      if (std::all_of(half.begin() + 8, half.end(), is_printed)) found.push_back(half);
    }
    end_ = meeting * kMultiplier;
    return found;
  }

  std::mt19937_64 random_{1};
  std::uint64_t end_ = 0;
};

}  // namespace knockout::test
