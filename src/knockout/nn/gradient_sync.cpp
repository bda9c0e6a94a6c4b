// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/gradient_sync.h"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace knockout::nn {

GradientSync::GradientSync(std::vector<torch::Tensor> parameters, ProcessGroup& processes,
                           std::int64_t bucket_bytes)
    : parameters_(std::move(parameters)),
      connection_(processes.connection()),
      places_(parameters_.size()) {
  assign_buckets(bucket_bytes);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    // The hook of a leaf sees its whole gradient, once per backward pass.
    hooks_.push_back(parameters_[i].register_hook(
        [this, i](const torch::Tensor& gradient) { take(i, gradient); }));
  }
}

GradientSync::~GradientSync() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].remove_hook(hooks_[i]);
}

void GradientSync::assign_buckets(std::int64_t bucket_bytes) {
  for (std::size_t i = parameters_.size(); i-- > 0;) {
    const torch::Tensor& parameter = parameters_[i];
    const auto fits = [&](const Bucket& bucket) {
      const torch::Tensor& other = parameters_[bucket.parameters.front()];
      return other.dtype() == parameter.dtype() && other.device() == parameter.device() &&
             (bucket.gradient_elements + parameter.numel()) *
                     static_cast<std::int64_t>(parameter.element_size()) <=
                 bucket_bytes;
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
