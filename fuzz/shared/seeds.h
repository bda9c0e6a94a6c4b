// SPDX-License-Identifier: Apache-2.0
// For fuzz targets, once in each: inputs to begin with, made by the target itself. With the
// environment variable KNOCKOUT_FUZZ_SEEDS the program writes them into that folder and ends.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace knockout::fuzz {

/// Defined by each target.
std::vector<std::string> seeds();

}  // namespace knockout::fuzz

// Not inline: libFuzzer looks it up by name.
extern "C" int LLVMFuzzerInitialize(int*, char***) {  // NOLINT(misc-definitions-in-headers)
  const char* const folder = std::getenv("KNOCKOUT_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : knockout::fuzz::seeds()) {
    std::ofstream file(std::filesystem::path(folder) / std::to_string(number++), std::ios::binary);
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", folder);
      std::exit(1);
    }
  }
  std::exit(0);
}
