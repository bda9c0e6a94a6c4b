// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "knockout/networks/layer.h"

namespace knockout {

/// A kind of layer that a model file may name.
struct LayerKind {
  std::string_view name;
  /// Throws ModelFileError for anything but what Layer::to_json() writes.
  LayerPointer (*from_json)(const nlohmann::json& json);
  /// A small layer of this kind, as JSON text. The tests hold it against finite differences.
  std::string_view example;
};

/// Every kind there is. A new kind of layer is a header, a source, a test and a line here.
std::span<const LayerKind> layer_kinds();

/// Throws ModelFileError for a kind that is not listed.
LayerPointer layer_from_json(const nlohmann::json& json);

}  // namespace knockout
