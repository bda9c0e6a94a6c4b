// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/processes/gradient_sync.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

/// When the gradient of a tensor will be whole: the autograd engine runs the operations from the
/// last one to the first, and one after the other hands out what it has found for its inputs.
struct Moment {
  std::uint64_t first_use = 0;  ///< Number of the first operation that used the tensor.
  std::size_t input = 0;        ///< Which of its inputs the tensor is.
  bool operator<(const Moment& other) const {
    return first_use != other.first_use ? first_use > other.first_use : input < other.input;
  }
};
constexpr Moment kNever = {0, std::numeric_limits<std::size_t>::max()};

/// For every leaf below `loss`.
std::unordered_map<const c10::TensorImpl*, Moment> moments_of_gradients(const torch::Tensor& loss) {
  using torch::autograd::AccumulateGrad;
  using torch::autograd::Node;
  std::unordered_map<const c10::TensorImpl*, Moment> moments;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> to_visit;
  const auto visit = [&](const Node* node) {
    if (node != nullptr && seen.insert(node).second) to_visit.push_back(node);
  };
  visit(loss.grad_fn().get());
  while (!to_visit.empty()) {
    const Node* const node = to_visit.back();
    to_visit.pop_back();
    for (std::size_t i = 0; i < node->num_outputs(); ++i) {
      const Node* const input = node->next_edge(i).function.get();
      if (const auto* const leaf = dynamic_cast<const AccumulateGrad*>(input)) {
        const Moment moment = {node->sequence_nr(), i};
        const auto [found, is_new] = moments.emplace(leaf->variable.unsafeGetTensorImpl(), moment);
        if (!is_new) found->second = std::max(found->second, moment);
      } else {
        visit(input);
      }
    }
  }
  return moments;
}

/// Those of Gloo in which a network can be trained. BFloat16 is none of them.
void require_type_that_adds_up(const torch::Tensor& parameter, std::size_t number) {
  const torch::ScalarType type = parameter.scalar_type();
  if (type == torch::kFloat32 || type == torch::kFloat64 || type == torch::kFloat16) return;
  std::ostringstream shape;
  shape << parameter.sizes();
  throw ConfigError(
      fmt::format("Trained parameter {} (counted from 1; shape {}) is of type {}, whose gradients "
                  "cannot be added up over processes.\n"
                  "  Use Float, Double or Half, for example network.to(torch::kFloat32), or train "
                  "in one process.",
                  number, shape.str(), c10::toString(type)));
}

}  // namespace

GradientSync::GradientSync(std::vector<torch::Tensor> parameters, ProcessGroup& processes,
                           std::int64_t bucket_bytes)
    : parameters_(std::move(parameters)),
      connection_(processes.connection()),
      bucket_bytes_(bucket_bytes),
      places_(parameters_.size()) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    require_type_that_adds_up(parameters_[i], i + 1);
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    // The hook of a leaf sees its whole gradient, once per backward pass.
    hooks_.push_back(parameters_[i].register_hook(
        [this, i](const torch::Tensor& gradient) { take(i, gradient); }));
  }
}

GradientSync::~GradientSync() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].remove_hook(hooks_[i]);
}

/// The parameters that `loss` does not use come last.
std::vector<std::int64_t> GradientSync::expected_order(const torch::Tensor& loss) const {
  const auto known = moments_of_gradients(loss);
  std::vector<Moment> moments;
  for (const torch::Tensor& parameter : parameters_) {
    const auto found = known.find(parameter.unsafeGetTensorImpl());
    moments.push_back(found == known.end() ? kNever : found->second);
  }
  std::vector<std::int64_t> order(parameters_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return moments[a] < moments[b]; });
  return order;
}

std::vector<std::int64_t> GradientSync::order() const {
  std::vector<std::int64_t> order;
  for (const Bucket& bucket : buckets_) {
    order.insert(order.end(), bucket.parameters.begin(), bucket.parameters.end());
  }
  return order;
}

void GradientSync::set_order(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> all(parameters_.size());
  std::iota(all.begin(), all.end(), 0);
  if (!std::is_permutation(order.begin(), order.end(), all.begin(), all.end())) {
    throw ModelFileError("The order of gradients in the checkpoint is not one of this network.");
  }
  for (const std::int64_t number : order) {
    const auto i = static_cast<std::size_t>(number);
    const torch::Tensor& parameter = parameters_[i];
    const auto fits = [&](const Bucket& bucket) {
      const torch::Tensor& other = parameters_[bucket.parameters.front()];
      return other.dtype() == parameter.dtype() && other.device() == parameter.device() &&
             (bucket.gradient_elements + parameter.numel()) *
                     static_cast<std::int64_t>(parameter.element_size()) <=
                 bucket_bytes_;
    };
    if (buckets_.empty() || !fits(buckets_.back())) buckets_.emplace_back();
    Bucket& bucket = buckets_.back();
    places_[i] = {buckets_.size() - 1, bucket.gradient_elements, 0, false};
    bucket.parameters.push_back(i);
    bucket.gradient_elements += parameter.numel();
  }
  for (Bucket& bucket : buckets_) {
    std::int64_t elements = bucket.gradient_elements;
    for (const std::size_t i : bucket.parameters) places_[i].flag = elements++;
    bucket.values = torch::zeros({elements}, parameters_[bucket.parameters.front()].options());
  }
}

torch::Tensor GradientSync::view(std::size_t parameter) const {
  const Place& place = places_[parameter];
  return buckets_[place.bucket]
      .values.narrow(0, place.begin, parameters_[parameter].numel())
      .view(parameters_[parameter].sizes());
}

double GradientSync::backward(const torch::Tensor& loss) {
  torch::Tensor total = loss.detach().to(torch::kCPU, torch::kFloat64).reshape({1}).clone();
  const auto wait_for_loss = connection_.start_sum(total, "adding up the loss");
  if (buckets_.empty()) {
    std::vector<std::int64_t> order = expected_order(loss);
    connection_.start_broadcast(
        torch::from_blob(order.data(), {static_cast<std::int64_t>(order.size())}, torch::kInt64),
        "agreeing on the order of gradients")();
    set_order(order);
  }
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters.size();
  for (Place& place : places_) place.is_ready = false;
  next_bucket_ = 0;
  loss.backward();

  torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (places_[i].is_ready) continue;
    Bucket& bucket = buckets_[places_[i].bucket];
    view(i).zero_();
    bucket.values[places_[i].flag] = 0;
    --bucket.missing;
  }
  start_full_buckets();
  const auto start = std::chrono::steady_clock::now();
  wait_for_loss();
  for (Bucket& bucket : buckets_) bucket.wait();
  waiting_seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (Bucket& bucket : buckets_) hand_out(bucket);
  return total.item<double>();
}

void GradientSync::take(std::size_t parameter, const torch::Tensor& gradient) {
  torch::NoGradGuard no_grad;
  Place& place = places_[parameter];
  if (place.is_ready) throw std::logic_error("a gradient came twice in one backward pass");
  Bucket& bucket = buckets_[place.bucket];
  view(parameter).copy_(gradient.is_sparse() ? gradient.to_dense() : gradient);
  bucket.values[place.flag] = 1;
  place.is_ready = true;
  --bucket.missing;
  start_full_buckets();
}

void GradientSync::start_full_buckets() {
  for (; next_bucket_ < buckets_.size() && buckets_[next_bucket_].missing == 0; ++next_bucket_) {
    Bucket& bucket = buckets_[next_bucket_];
    bucket.wait = connection_.start_sum(bucket.values, "adding up gradients");
  }
}

void GradientSync::hand_out(Bucket& bucket) {
  const torch::Tensor flags =
      bucket.values
          .narrow(0, bucket.gradient_elements, static_cast<std::int64_t>(bucket.parameters.size()))
          .to(torch::kCPU, torch::kFloat64);
  const double* const users = flags.data_ptr<double>();
  for (std::size_t i = 0; i < bucket.parameters.size(); ++i) {
    const std::size_t parameter = bucket.parameters[i];
    parameters_[parameter].mutable_grad() = users[i] > 0 ? view(parameter) : torch::Tensor();
  }
}

}  // namespace knockout::nn
