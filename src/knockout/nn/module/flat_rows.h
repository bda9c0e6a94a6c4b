// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// [batch, ...] -> [batch, numbers per row]. Unlike reshape({batch, -1}) also of an empty batch,
/// whose numbers do not say how many there are per row.
inline torch::Tensor flat_rows(const torch::Tensor& rows) {
  return rows.dim() == 1 ? rows.unsqueeze(1) : rows.flatten(1);
}

}  // namespace knockout::nn
