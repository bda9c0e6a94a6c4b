// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/seeded_hash.h"

#include <chrono>
#include <exception>
#include <random>

namespace knockout {

HashSeeds draw_hash_seeds() {
  try {
    std::random_device device;
    const auto draw = [&] { return std::uint64_t{device()} << 32 | device(); };
    return {draw(), draw(), draw()};
  } catch (const std::exception&) {  // no source of randomness: still other in each process
    const int here = 0;
    std::mt19937_64 random(static_cast<std::uint64_t>(
        std::chrono::high_resolution_clock::now().time_since_epoch().count() ^
        static_cast<std::int64_t>(std::bit_cast<std::uintptr_t>(&here))));
    return {random(), random(), random()};
  }
}

}  // namespace knockout
