// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/random.h"

namespace knockout {

/// Rows [begin, end) of a batch.
struct RowRange {
  int begin = 0, end = 0;
  int count() const { return end - begin; }
};

/// A row-major matrix that someone else owns: the first number of row 0, and the distance between
/// rows.
struct MatrixView {
  float* data = nullptr;
  int stride = 0;
  float* row(int r) const { return data + static_cast<std::size_t>(r) * stride; }
};

/// What a pass is for, and what its layers read besides their inputs.
struct PassContext {
  /// Codes of the embedded columns, `code_count` per row of the batch. The pass sets them.
  const std::int32_t* codes = nullptr;
  int code_count = 0;
  /// Training: where dropout draws from, a function of step and row; null = nothing is dropped.
  const Random* dropout = nullptr;
  std::uint64_t step = 0;
  int first_row = 0;  ///< Of this pass in the batch, when several processes share it.
  /// Predicting: the answer of a row depends on that row alone, bit for bit. Otherwise products
  /// are as fast as BLAS makes them, and their last digits depend on the number of rows.
  bool row_by_row = false;
};

/// What a layer keeps between forward and backward, for every row of a batch.
class LayerMemory {
 public:
  virtual ~LayerMemory() = default;
};

/// How much a layer has to remember.
struct MemoryRequest {
  int rows = 0;
  bool trains = false;    ///< False: there will be no backward pass.
  int gradient_from = 0;  ///< As in LayerBatch.
};

/// A layer's share of a batch. Every row of `input` is followed by a 1, which multiplies biases;
/// what follows a row of `output` belongs to someone else.
struct LayerBatch {
  RowRange rows;
  MatrixView input, output;
  MatrixView input_gradient, output_gradient;  ///< Backward only.
  int gradient_from = 0;          ///< The first column of the input whose gradient is wanted.
  LayerMemory* memory = nullptr;  ///< From the layer's make_memory().
};

/// A run of parameters whose gradient is computed whole by one thread.
struct ParameterBlock {
  std::size_t offset = 0, count = 0;
};

/// A run of parameters with a name in the model file.
struct ParameterTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::size_t offset = 0, count = 0;
};

/// The codes that a layer reads: which of a row's, and below what they must lie.
struct CodeInput {
  int code = 0;
  int values = 0;
  std::string column;
};

/// One step of a network. Owns its shape, how many parameters it has and how they start, its pass
/// in both directions and its tensors' names; the parameters themselves stand in one flat block of
/// the network. Immutable, so that networks and threads share it.
///
/// Rows of a batch are independent in forward() and backward(), so threads share a batch by rows.
/// Gradients of parameters are sums over all rows, so threads share them by blocks: no sum depends
/// on the number of threads.
class Layer {
 public:
  virtual ~Layer() = default;

  virtual std::string_view kind() const = 0;
  /// What the model file says of it: an object with "kind" and what the kind's reader wants.
  virtual nlohmann::json to_json() const = 0;

  virtual int inputs() const = 0;
  virtual int outputs() const = 0;
  /// Output and input are the same matrix, which has room for the wider of them. Such a layer
  /// leaves the sign of a value or makes it 0 for good, so that others in place can follow it.
  virtual bool in_place() const { return false; }

  virtual std::size_t parameter_count() const { return 0; }
  /// A pure function of the random stream and the layer.
  virtual void initialize(const Random& random, float* parameters) const;
  virtual std::vector<ParameterTensor> tensors() const { return {}; }
  /// Together they cover the parameters, in order.
  virtual std::vector<ParameterBlock> blocks() const { return {}; }
  virtual std::vector<CodeInput> code_inputs() const { return {}; }

  /// Null where there is nothing to remember.
  virtual std::unique_ptr<LayerMemory> make_memory(const MemoryRequest& request) const;
  /// Floats that it holds for each row when it predicts.
  virtual std::size_t row_memory() const { return 0; }
  /// The first column of the output whose gradient backward() and gradient_block() read when that
  /// of the input is wanted from `gradient_from` on.
  virtual int output_gradient_from(int gradient_from) const = 0;

  virtual void forward(const float* parameters, const LayerBatch& batch,
                       const PassContext& context) const = 0;
  /// From output_gradient to input_gradient. `context` is what forward() was given.
  virtual void backward(const float* parameters, const LayerBatch& batch,
                        const PassContext& context) const = 0;
  /// Writes the gradient of a block to `gradient[block.offset ..]`, summed over the batch's rows.
  virtual void gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                              const PassContext& context, float* gradient) const;
};

using LayerPointer = std::shared_ptr<const Layer>;

inline void Layer::initialize(const Random& /*random*/, float* /*parameters*/) const {}
inline std::unique_ptr<LayerMemory> Layer::make_memory(const MemoryRequest& /*request*/) const {
  return nullptr;
}
inline void Layer::gradient_block(const ParameterBlock& /*block*/, const LayerBatch& /*batch*/,
                                  const PassContext& /*context*/, float* /*gradient*/) const {}

/// Bounds of what a model file may say: sizes are checked before memory is taken.
inline constexpr int kWidestLayer = 1 << 20;
inline constexpr int kMostLayers = 4096;

}  // namespace knockout
