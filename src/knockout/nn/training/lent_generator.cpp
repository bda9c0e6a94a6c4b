// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/lent_generator.h"

#include <map>
#include <mutex>
#include <string>

namespace knockout::nn {
namespace {

struct Loan {
  int borrowers = 0;
  torch::Tensor state;  ///< As the first borrower found it.
};

/// The loans of all devices.
struct Loans {
  std::mutex mutex;
  std::map<std::string, Loan> of_device;
};

Loans& loans() {
  static Loans all;
  return all;
}

/// Calls `use` with each generator of a training on this device, while nobody else may use it.
template <typename Use>
void with_generators(torch::Device device, const Use& use) {
  for (const torch::Device each : {torch::Device(torch::kCPU), device}) {
    at::Generator generator = at::globalContext().defaultGenerator(each);
    const std::lock_guard lock(generator.mutex());
    use(each, generator);
    if (device.is_cpu()) break;
  }
}

}  // namespace

LentGenerator::LentGenerator(torch::Device device) : device_(device) {
  const std::lock_guard lock(loans().mutex);
  with_generators(device_, [](torch::Device each, at::Generator& generator) {
    Loan& loan = loans().of_device[each.str()];
    if (loan.borrowers++ == 0) loan.state = generator.get_state();
  });
}

LentGenerator::~LentGenerator() {
  const std::lock_guard lock(loans().mutex);
  with_generators(device_, [](torch::Device each, at::Generator& generator) {
    Loan& loan = loans().of_device[each.str()];
    if (--loan.borrowers == 0) generator.set_state(loan.state);
  });
}

void LentGenerator::seed(std::uint64_t seed) {
  with_generators(
      device_, [&](torch::Device, at::Generator& generator) { generator.set_current_seed(seed); });
}

}  // namespace knockout::nn
