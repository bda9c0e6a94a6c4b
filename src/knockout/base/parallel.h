// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace knockout {

/// The number of threads to use: "0 = all cores", and never so many that they only get in each
/// other's way. No result depends on it.
int resolve_threads(int threads);

/// Calls `body(index)` for every index in [0, count), on up to `threads` threads (0 = all cores);
/// the caller's thread works too. Indices are handed out in order, one at a time. The first
/// exception thrown by a body is rethrown here after all threads have stopped. Throws Cancelled
/// when a StopScope around the call is asked to stop.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace knockout
