// SPDX-License-Identifier: Apache-2.0
// For tests of what a pass makes LibTorch do.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// The names of the LibTorch operations that run while it lives.
class RecordedOperations {
 public:
  RecordedOperations()
      : handle_(
            at::addThreadLocalCallback(at::RecordFunctionCallback(&RecordedOperations::record))) {
    names().clear();
  }
  ~RecordedOperations() { at::removeCallback(handle_); }
  int count(const std::string& name) const {
    return static_cast<int>(std::count(names().begin(), names().end(), name));
  }

 private:
  static std::vector<std::string>& names() {
    static std::vector<std::string> all;
    return all;
  }
  static std::unique_ptr<at::ObserverContext> record(const at::RecordFunction& function) {
    names().emplace_back(function.name());
    return nullptr;
  }
  at::CallbackHandle handle_;
};

}  // namespace knockout::nn
