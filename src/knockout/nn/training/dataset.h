// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// Rows of a data set, stacked.
struct Batch {
  std::vector<torch::Tensor> inputs;  ///< One per modality; undefined = absent in all rows.
  torch::Tensor presence;             ///< [batch, modalities] bool; undefined = all are there.
  torch::Tensor labels;
  std::vector<std::size_t> rows;  ///< Which rows these are.

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  Batch to(torch::Device device) const;
  /// Rows [begin, end) of it; the tensors share their memory with it.
  /// REQUIRES: the first dimension of every defined tensor counts the rows.
  Batch slice(std::int64_t begin, std::int64_t end) const;
};

/// Anything that has rows. get() is called from several threads at once and must not depend on the
/// order of calls.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::size_t size() const = 0;
  /// These rows as one batch. A data set that augments takes its random numbers from `random` with
  /// (draw, row): `draw` is the step, so that a run can be repeated.
  virtual Batch get(std::span<const std::size_t> rows, const Random& random,
                    std::uint64_t draw) const = 0;
};

/// Rows that are in memory already.
class TensorDataset : public Dataset {
 public:
  /// REQUIRES: the first dimension of every defined tensor is the number of rows.
  TensorDataset(std::vector<torch::Tensor> inputs, torch::Tensor labels,
                torch::Tensor presence = {});
  std::size_t size() const override;
  Batch get(std::span<const std::size_t> rows, const Random& random,
            std::uint64_t draw) const override;

 private:
  std::vector<torch::Tensor> inputs_;
  torch::Tensor labels_, presence_;
};

}  // namespace knockout::nn
