// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/networks/layer_stack.h"

namespace knockout {

/// A list of layers and their numbers, in one flat block that the optimiser walks over.
class Network {
 public:
  /// All parameters are 0. Throws ModelFileError for layers that do not fit one another.
  explicit Network(std::vector<LayerPointer> layers);

  /// A pure function of the random stream.
  void initialize(const Random& random);

  const LayerStack& layers() const { return *layers_; }
  int inputs() const { return layers_->inputs(); }
  int outputs() const { return layers_->outputs(); }
  std::vector<float>& parameters() { return parameters_; }
  const std::vector<float>& parameters() const { return parameters_; }

 private:
  std::shared_ptr<const LayerStack> layers_;  ///< Copies share it: it never changes.
  std::vector<float> parameters_;
};

}  // namespace knockout
