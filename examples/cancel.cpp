// SPDX-License-Identifier: Apache-2.0
//
// A training that would take hours is cancelled from another thread.
#include <chrono>
#include <cstdio>
#include <stop_token>
#include <thread>
#include <vector>

#include "knockout/knockout.h"

int main() {
  std::vector<double> x, y;
  for (int i = 0; i < 2000; ++i) {
    x.push_back(0.01 * i);
    y.push_back(3.0 * x.back());
  }
  const knockout::Table table(
      {knockout::Column::numbers("x", x), knockout::Column::numbers("y", y)});

  std::stop_source stop;
  knockout::FitOptions options;
  options.train.steps = 100'000'000;
  options.train.stop = stop.get_token();
  // With options.train.checkpoint_folder, the same call goes on later from where it was.
  const std::jthread person([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop.request_stop();
  });
  try {
    knockout::fit(table, "y", options);
  } catch (const knockout::Cancelled& cancelled) {
    std::puts(cancelled.what());
    return 0;
  }
  return 1;
}
