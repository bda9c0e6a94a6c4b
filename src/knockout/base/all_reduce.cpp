// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/all_reduce.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout {

void AllReduce::broadcast(std::span<std::byte> bytes, int from) {
  // Four bytes are a number that adds up with zeros without rounding. Adding up the numbers that
  // the bytes stand for would not do: -0 and 0 give 0.
  using Word = std::uint32_t;
  std::vector<double> words((bytes.size() + sizeof(Word) - 1) / sizeof(Word));
  const auto length = [&](std::size_t w) {
    return std::min(sizeof(Word), bytes.size() - w * sizeof(Word));
  };
  for (std::size_t w = 0; rank() == from && w < words.size(); ++w) {
    Word word = 0;
    std::memcpy(&word, bytes.data() + w * sizeof(Word), length(w));
    words[w] = word;
  }
  sum(words);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const auto word = static_cast<Word>(words[w]);
    std::memcpy(bytes.data() + w * sizeof(Word), &word, length(w));
  }
}

void broadcast(AllReduce& processes, std::string& bytes, int from) {
  std::uint64_t size = bytes.size();
  processes.broadcast(std::as_writable_bytes(std::span(&size, 1)), from);
  bytes.resize(size);
  processes.broadcast(std::as_writable_bytes(std::span(bytes)), from);
}

void require_same(AllReduce& processes, std::string_view what, std::string_view text) {
  Sha256 hash;
  hash.add(text);
  const std::string hex = hash.finish();
  // Parts of 32 bits add up without rounding; all are equal when the sum is `size` times each.
  std::array<double, 8> mine{};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::uint32_t part = 0;
    std::from_chars(hex.data() + 8 * i, hex.data() + 8 * (i + 1), part, 16);
    mine[i] = part;
  }
  std::array<double, 8> total = mine;
  processes.sum(total);
  double differs = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    differs += total[i] != mine[i] * processes.size();
  }
  // Whoever happens to hold the mean of the others' numbers must hear of it as well.
  processes.sum(std::span(&differs, 1));
  if (differs == 0) return;
  throw PeerError(
      fmt::format("Process {} of {}: the processes do not agree on {}.\n"
                  "  Start all of them with the same command, files and version.",
                  processes.rank(), processes.size(), what));
}

}  // namespace knockout
