// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network.h"

#include <utility>

namespace knockout {

Network::Network(std::vector<LayerPointer> layers)
    : layers_(std::make_shared<LayerStack>(std::move(layers))),
      parameters_(layers_->parameter_count(), 0.0f) {}

void Network::initialize(const Random& random) { layers_->initialize(random, parameters_.data()); }

}  // namespace knockout
