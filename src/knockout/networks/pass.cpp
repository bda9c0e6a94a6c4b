// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/pass.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "knockout/kernels/blas.h"
#include "knockout/kernels/elementwise.h"

namespace knockout {
namespace {

std::uint8_t drop_below(double rate) {
  return static_cast<std::uint8_t>(std::min(255L, std::lround(rate * 256.0)));
}

/// A random byte per hidden unit: whole words of random bits, of which the last may be cut off.
void fill_dropout_row(const Pass::Dropout& dropout, int layer, int row, std::uint8_t* bytes,
                      int width) {
  std::uint32_t words[64];
  constexpr int kBytes = sizeof(words);
  for (int first = 0; first < width; first += kBytes) {
    const int length = std::min(kBytes, width - first);
    const std::uint64_t step =
        (dropout.step << 20) | (static_cast<std::uint64_t>(layer) << 12) | (first / kBytes);
    dropout.random->fill_bits(step, row, std::span(words, (length + 3) / 4));
    std::memcpy(bytes + first, words, length);
  }
}

float keep_scale(double rate) { return 256.0f / static_cast<float>(256 - drop_below(rate)); }

}  // namespace

Pass::Pass(const NetworkShape& shape, int batch_rows) : shape_(shape), batch_rows_(batch_rows) {
  const auto rows = static_cast<std::size_t>(batch_rows);
  int widest = 0;
  for (int layer = 0; layer < shape_.layers(); ++layer) {
    activations_.emplace_back(rows * stride(layer), 0.0f);
    for (std::size_t r = 0; r < rows; ++r) activations_.back()[(r + 1) * stride(layer) - 1] = 1.0f;
    deltas_.emplace_back(rows * shape_.layer_outputs(layer), 0.0f);
    if (layer + 1 < shape_.layers()) widest = std::max(widest, shape_.layer_outputs(layer));
    // Blocks of nearly equal height: a last one of a single row would be slow.
    const int height = shape_.layer_inputs(layer) + 1;
    const int count = std::max(1, (height + kBlockRows / 2) / kBlockRows);
    for (int b = 0; b < count; ++b) {
      const int first = height * b / count, end = height * (b + 1) / count;
      const auto width = static_cast<std::size_t>(shape_.layer_outputs(layer));
      blocks_.push_back({.offset = 0,
                         .count = (end - first) * width,
                         .layer = layer,
                         .first_row = first,
                         .rows = end - first,
                         .table = -1});
    }
  }
  outputs_.assign(rows * shape_.outputs, 0.0f);
  embedded_delta_.assign(rows * shape_.embedded_width(), 0.0f);
  codes_.assign(rows * shape_.embeddings.size(), 0);
  dropout_stride_ = static_cast<std::size_t>(widest);
  dropout_bytes_.assign(rows * dropout_stride_, 0);
  for (std::size_t table = 0; table < shape_.embeddings.size(); ++table) {
    const EmbeddingShape& embedding = shape_.embeddings[table];
    blocks_.push_back({.offset = 0,
                       .count = static_cast<std::size_t>(embedding.rows) * embedding.dimension,
                       .layer = -1,
                       .first_row = 0,
                       .rows = embedding.rows,
                       .table = static_cast<int>(table)});
  }
  std::size_t offset = 0;  // the parameters' order is the blocks' order
  for (Block& block : blocks_) {
    block.offset = offset;
    offset += block.count;
  }
}

Pass::Rows Pass::shard_rows(int shard) const {
  return {shard * kShardRows, std::min(batch_rows_, (shard + 1) * kShardRows)};
}

void Pass::forward(const Network& network, Rows rows, const Dropout& dropout) {
  const int count = rows.end - rows.begin;
  int embedded_at = shape_.dense_inputs;
  for (std::size_t table = 0; table < shape_.embeddings.size(); ++table) {
    const int dimension = shape_.embeddings[table].dimension;
    for (int r = rows.begin; r < rows.end; ++r) {
      const float* vector = network.embedding(static_cast<int>(table)) +
                            static_cast<std::size_t>(codes(r)[table]) * dimension;
      std::copy_n(vector, dimension, input_row(r) + embedded_at);
    }
    embedded_at += dimension;
  }
  for (int layer = 0; layer < shape_.layers(); ++layer) {
    const bool last = layer + 1 == shape_.layers();
    const int width = shape_.layer_outputs(layer);
    const float* in =
        activations_[layer].data() + static_cast<std::size_t>(rows.begin) * stride(layer);
    const int out_stride = last ? width : stride(layer + 1);
    float* out = (last ? outputs_ : activations_[layer + 1]).data() +
                 static_cast<std::size_t>(rows.begin) * out_stride;
    gemm(Transpose::kNo, Transpose::kNo, count, width, stride(layer), in, stride(layer),
         network.layer(layer), width, 0.0f, out, out_stride);
    if (last) break;
    if (dropout.rate > 0.0) {
      // Rows are the widest layer apart, so that shards never share bytes whatever the layer.
      std::uint8_t* bytes = dropout_bytes_.data() + rows.begin * dropout_stride_;
      for (int r = 0; r < count; ++r)
        fill_dropout_row(dropout, layer, dropout.first_row + rows.begin + r, bytes + r * width,
                         width);
      relu_dropout(out, count, width, out_stride, bytes, drop_below(dropout.rate),
                   keep_scale(dropout.rate));
    } else {
      relu(out, count, width, out_stride);
    }
  }
}

void Pass::backward(const Network& network, Rows rows, const Dropout& dropout) {
  const int count = rows.end - rows.begin;
  const auto begin = static_cast<std::size_t>(rows.begin);
  for (int layer = shape_.layers() - 1; layer > 0; --layer) {
    const int width = shape_.layer_outputs(layer);
    const int inputs = shape_.layer_inputs(layer);
    float* to = deltas_[layer - 1].data() + begin * inputs;
    const float* active = activations_[layer].data() + begin * stride(layer);
    const float* delta = deltas_[layer].data() + begin * width;
    // A dropped unit has activation 0, so the same test serves both; kept ones were scaled up.
    const float scale = dropout.rate > 0.0 ? keep_scale(dropout.rate) : 1.0f;
    if (width == 1) {
      outer_relu_backward(delta, network.layer(layer), active, stride(layer), to, inputs, count,
                          inputs, scale);
      continue;
    }
    gemm(Transpose::kNo, Transpose::kYes, count, inputs, width, delta, width, network.layer(layer),
         width, 0.0f, to, inputs);
    relu_backward(active, stride(layer), to, inputs, count, inputs, scale);
  }
  const int embedded = shape_.embedded_width();
  if (embedded > 0) {
    const int width = shape_.layer_outputs(0);
    const float* weights = network.layer(0) + static_cast<std::size_t>(shape_.dense_inputs) * width;
    gemm(Transpose::kNo, Transpose::kYes, count, embedded, width, deltas_[0].data() + begin * width,
         width, weights, width, 0.0f, embedded_delta_.data() + begin * embedded, embedded);
  }
}

void Pass::gradient_block(const Block& block, float* gradient) const {
  float* out = gradient + block.offset;
  if (block.layer >= 0) {
    const int width = shape_.layer_outputs(block.layer);
    gemm(Transpose::kYes, Transpose::kNo, block.rows, width, batch_rows_,
         activations_[block.layer].data() + block.first_row, stride(block.layer),
         deltas_[block.layer].data(), width, 0.0f, out, width);
    return;
  }
  int column = 0;
  for (int table = 0; table < block.table; ++table) column += shape_.embeddings[table].dimension;
  const int dimension = shape_.embeddings[block.table].dimension;
  const int embedded = shape_.embedded_width();
  std::fill_n(out, block.count, 0.0f);
  for (int r = 0; r < batch_rows_; ++r) {
    const std::int32_t code =
        codes_[static_cast<std::size_t>(r) * shape_.embeddings.size() + block.table];
    const float* delta = embedded_delta_.data() + static_cast<std::size_t>(r) * embedded + column;
    float* row = out + static_cast<std::size_t>(code) * dimension;
    for (int d = 0; d < dimension; ++d) row[d] += delta[d];
  }
}

}  // namespace knockout
