// SPDX-License-Identifier: Apache-2.0
// The installed headers compile on their own, the library links, and its answers are right.
#include <cmath>
#include <cstdio>

#include "knockout/knockout.h"

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  ++failures;
}

}  // namespace

int main() {
  expect(knockout::kVersion == EXPECTED_VERSION, "the header has the version of the package");
  expect(std::abs(std::pow(1.0 - knockout::paper_rate(9), 9) - 0.5) < 1e-12,
         "half of the rows of nine inputs stay complete at the paper's rate");
  return failures;
}
