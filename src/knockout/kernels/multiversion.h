// SPDX-License-Identifier: Apache-2.0
#pragma once

// One binary for every x86-64: the compiler emits a function several times and the loader picks the
// best for the CPU. Sanitizers start before the loader's choice is possible, and Clang 14 lacks
// these names; both get the plain version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KNOCKOUT_MULTIVERSION \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KNOCKOUT_MULTIVERSION
#endif
