// SPDX-License-Identifier: Apache-2.0
#pragma once

// LibTorch, included here alone so that it is precompiled once, and what differs between its
// versions.
#include <torch/torch.h>

#include <type_traits>

namespace knockout::nn {

/// Under which key an optimiser keeps the state of a parameter: a text in LibTorch 1, a pointer in
/// LibTorch 2.
template <typename Optimizer>
auto optimizer_key(const Optimizer& optimizer, const torch::Tensor& parameter) {
  using Key = std::remove_cv_t<decltype(optimizer.state().begin()->first)>;
  if constexpr (std::is_pointer_v<Key>) {
    return static_cast<Key>(parameter.unsafeGetTensorImpl());
  } else {
    return c10::guts::to_string(parameter.unsafeGetTensorImpl());
  }
}

}  // namespace knockout::nn
