// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/layer_kinds.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/networks/activation.h"
#include "knockout/networks/dropout.h"
#include "knockout/networks/embedding.h"
#include "knockout/networks/learned_placeholders.h"
#include "knockout/networks/linear.h"
#include "knockout/networks/residual.h"

namespace knockout {
namespace {

constexpr LayerKind kLayerKinds[] = {
    {Linear::kKind, Linear::from_json, R"({"kind":"linear","number":0,"inputs":3,"outputs":5})"},
    {Relu::kKind, Relu::from_json, R"({"kind":"relu","width":6})"},
    {Dropout::kKind, Dropout::from_json, R"({"kind":"dropout","number":0,"width":6,"rate":0.25})"},
    {Embedding::kKind, Embedding::from_json,
     R"({"kind":"embedding","inputs":2,"code":1,"column":"ward","rows":4,"dimension":3})"},
    {Residual::kKind, Residual::from_json,
     R"({"kind":"residual","number":1,"width":4,"inner":5,"dropout":0.25})"},
    {LearnedPlaceholders::kKind, LearnedPlaceholders::from_json,
     R"({"kind":"placeholders","width":5,"values":[0,0,3],"flags":[1,2,4],"starts":[10.0,-10.0,-1.0]})"},
};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kLayerKinds; }

LayerPointer layer_from_json(const nlohmann::json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  if (!json.is_object() || kind == json.end() || !kind->is_string()) {
    throw ModelFileError("A layer of the model does not say of which kind it is.");
  }
  const std::string& name = kind->get_ref<const std::string&>();
  const auto found =
      std::find_if(std::begin(kLayerKinds), std::end(kLayerKinds),
                   [&](const LayerKind& candidate) { return candidate.name == name; });
  if (found == std::end(kLayerKinds)) {
    throw ModelFileError(
        fmt::format("The model has a layer of the kind \"{}\", which this knockout does not know.\n"
                    "  Use a newer knockout.",
                    name));
  }
  return found->from_json(json);
}

}  // namespace knockout
