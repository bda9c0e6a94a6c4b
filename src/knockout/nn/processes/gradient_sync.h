// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/nn/processes/process_connection.h"
#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// Adds up the gradients of all processes while the backward pass is still running. Gradients are
/// gathered in buckets, in the order in which they become ready; a full bucket is on its way while
/// the next is filled.
///
/// The order comes from the graph of the first loss of rank 0, before its backward pass, and stays.
/// Gloo rounds by the place of a number in its bucket, so that a training that is resumed must be
/// given the order it had (set_order). A later graph may differ; then some buckets leave only at
/// the end of the backward pass.
///
/// A parameter that no process used in a step has no gradient afterwards, as with one process, so
/// that the optimiser leaves it alone; one that only some used counts as zero for the others.
///
/// LibTorch's own c10d::Reducer does much the same, but divides by the number of processes (slices
/// of a batch may differ in size), needs a second all-reduce to find unused parameters, and does
/// not tell how long it waited.
class GradientSync {
 public:
  static constexpr std::int64_t kBucketBytes = 4 << 20;

  /// REQUIRES: the same parameters in the same order in all processes. Throws ConfigError for a
  /// number type that cannot be added up.
  GradientSync(std::vector<torch::Tensor> parameters, ProcessGroup& processes,
               std::int64_t bucket_bytes = kBucketBytes);
  ~GradientSync();
  GradientSync(const GradientSync&) = delete;
  GradientSync& operator=(const GradientSync&) = delete;

  /// Runs loss.backward(); then every gradient is the sum over the processes. Returns the sum of
  /// their losses. REQUIRES: no parameter has a gradient yet.
  double backward(const torch::Tensor& loss);

  /// The parameters by when their gradients leave; empty before the first backward pass.
  std::vector<std::int64_t> order() const;
  /// An order() of before, the same in all processes. REQUIRES: no backward pass yet.
  void set_order(const std::vector<std::int64_t>& order);

  /// How long this process has had nothing to do but wait for the others and the network.
  double waiting_seconds() const { return waiting_seconds_; }

 private:
  /// One flat tensor: gradients of some parameters, then for each of them the number of processes
  /// that used it.
  struct Bucket {
    std::vector<std::size_t> parameters;
    torch::Tensor values;
    std::int64_t gradient_elements = 0;
    std::size_t missing = 0;  ///< Parameters whose gradient is still to come.
    ProcessGroup::Connection::Wait wait = {};
  };
  /// Where a parameter's gradient lies.
  struct Place {
    std::size_t bucket = 0;
    std::int64_t begin = 0;  ///< In its bucket.
    std::int64_t flag = 0;
    bool is_ready = false;
  };

  std::vector<std::int64_t> expected_order(const torch::Tensor& loss) const;
  void take(std::size_t parameter, const torch::Tensor& gradient);
  void start_full_buckets();
  void hand_out(Bucket& bucket);
  torch::Tensor view(std::size_t parameter) const;

  std::vector<torch::Tensor> parameters_;
  ProcessGroup::Connection& connection_;
  std::int64_t bucket_bytes_;
  std::vector<Place> places_;    ///< Per parameter.
  std::vector<unsigned> hooks_;  ///< Per parameter.
  std::vector<Bucket> buckets_;  ///< None before the first backward pass.
  std::size_t next_bucket_ = 0;  ///< The first that is not under way.
  double waiting_seconds_ = 0;
};

}  // namespace knockout::nn
