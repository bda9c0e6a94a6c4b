// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/stage.h"

#include <mutex>
#include <utility>

namespace knockout {
namespace {

struct Stages {
  std::mutex mutex;
  std::list<std::string> under_way;  ///< In the order in which they were begun.
};

Stages& stages() {
  static Stages all;
  return all;
}

}  // namespace

Stage::Stage(std::string what) {
  Stages& all = stages();
  const std::scoped_lock lock(all.mutex);
  place_ = all.under_way.insert(all.under_way.end(), std::move(what));
}

Stage::~Stage() {
  Stages& all = stages();
  const std::scoped_lock lock(all.mutex);
  all.under_way.erase(place_);
}

std::string current_stage() {
  Stages& all = stages();
  const std::scoped_lock lock(all.mutex);
  return all.under_way.empty() ? "" : all.under_way.back();
}

}  // namespace knockout
