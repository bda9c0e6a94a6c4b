// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/networks/architecture.h"
#include "knockout/networks/layer_kinds.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

constexpr const char* kWhere = "the networks of the model";
constexpr int kMostMembers = 65536;

std::string tensor_name(const std::string& prefix, std::size_t member, const std::string& name) {
  return fmt::format("{}member.{}.{}", prefix, member, name);
}

/// Format 1 knew perceptrons only, and told their hidden widths.
std::vector<LayerPointer> layers_of_format_1(const nlohmann::json& json, const Encoder& encoder,
                                             int outputs, int& members) {
  const bool embeds = !encoder.embedded().empty();
  const JsonFields fields =
      embeds ? JsonFields(json, kWhere, {"kind", "members", "hidden", "embedding_dimension"})
             : JsonFields(json, kWhere, {"kind", "members", "hidden"});
  members = fields.integer("members", 1, kMostMembers);
  NetworkPlan plan{.dense_inputs = encoder.width(), .outputs = outputs};
  const int dimension = embeds ? fields.integer("embedding_dimension", 1, kWidestLayer) : 0;
  for (const EmbeddedColumn& column : encoder.embedded()) {
    plan.embedded.push_back(
        {.column = column.name, .rows = column.table_rows(), .dimension = dimension});
  }
  for (const std::int64_t width : fields.wholes("hidden", 1, kWidestLayer)) {
    plan.hidden.push_back(static_cast<int>(width));
  }
  if (plan.hidden.size() > kMostLayers / 4) fields.fail("\"hidden\" has too many layers");
  return build_layers(plan);
}

std::vector<LayerPointer> read_layers(const nlohmann::json& json, int& members) {
  const JsonFields fields(json, kWhere, {"kind", "members", "layers"});
  members = fields.integer("members", 1, kMostMembers);
  std::vector<LayerPointer> layers;
  for (const nlohmann::json& layer : fields.array("layers")) {
    layers.push_back(layer_from_json(layer));
  }
  return layers;
}

/// The layers must take what the encoder gives and give what the targets take.
void require_fit(const LayerStack& layers, const Encoder& encoder, int outputs) {
  if (layers.inputs() != encoder.width() || layers.outputs() != outputs) {
    throw ModelFileError(
        fmt::format("The model's networks have {} inputs and {} outputs where {} and {} were "
                    "expected.",
                    layers.inputs(), layers.outputs(), encoder.width(), outputs));
  }
  std::vector<bool> is_read(encoder.embedded().size(), false);
  for (const CodeInput& input : layers.code_inputs()) {
    const auto code = static_cast<std::size_t>(input.code);
    if (code >= is_read.size() || encoder.embedded()[code].name != input.column ||
        encoder.embedded()[code].table_rows() != input.values) {
      throw ModelFileError(fmt::format(
          "The model's networks embed \"{}\", which is not what its encoder says.", input.column));
    }
    is_read[code] = true;
  }
  if (std::find(is_read.begin(), is_read.end(), false) != is_read.end()) {
    throw ModelFileError("The model's networks do not read every column that is embedded.");
  }
}

/// The file must hold what the layers ask for before memory for them is taken.
void require_size(const LayerStack& layers, int members, const std::string& prefix,
                  const std::map<std::string, Tensor>& tensors) {
  std::size_t held = 0;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with(prefix)) held += tensor.values.size();
  }
  const double expected = static_cast<double>(layers.parameter_count()) * members;
  if (expected != static_cast<double>(held)) {
    throw ModelFileError(
        fmt::format("The model describes {:.0f} weights but holds {}.", expected, held));
  }
}

/// Copies a tensor of exactly this shape out of the file.
void read_tensor(const std::map<std::string, Tensor>& tensors, const std::string& name,
                 const std::vector<std::int64_t>& shape, float* to) {
  const auto found = tensors.find(name);
  if (found == tensors.end())
    throw ModelFileError(fmt::format("The model lacks the tensor \"{}\".", name));
  if (found->second.shape != shape) {
    throw ModelFileError(
        fmt::format("The model's tensor \"{}\" has shape [{}] where [{}] was expected.", name,
                    fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
  }
  std::copy(found->second.values.begin(), found->second.values.end(), to);
}

}  // namespace

nlohmann::json write_networks(const std::vector<Network>& networks, const std::string& prefix,
                              std::map<std::string, Tensor>& tensors) {
  nlohmann::json layers = nlohmann::json::array();
  for (const LayerPointer& layer : networks.front().layers().layers()) {
    layers.push_back(layer->to_json());
  }
  for (std::size_t member = 0; member < networks.size(); ++member) {
    const float* parameters = networks[member].parameters().data();
    for (const ParameterTensor& tensor : networks[member].layers().tensors()) {
      const float* values = parameters + tensor.offset;
      tensors[tensor_name(prefix, member, tensor.name)] = {tensor.shape,
                                                           {values, values + tensor.count}};
    }
  }
  return {{"members", networks.size()}, {"layers", layers}};
}

std::vector<Network> read_networks(const nlohmann::json& json, const std::string& prefix,
                                   const std::map<std::string, Tensor>& tensors,
                                   const Encoder& encoder, int outputs) {
  int members = 0;
  const std::vector<LayerPointer> layers = json.contains("hidden")
                                               ? layers_of_format_1(json, encoder, outputs, members)
                                               : read_layers(json, members);
  const LayerStack stack(layers);
  require_fit(stack, encoder, outputs);
  require_size(stack, members, prefix, tensors);

  std::vector<Network> networks;
  const std::vector<ParameterTensor> wanted = stack.tensors();
  for (int member = 0; member < members; ++member) {
    Network network(layers);
    for (const ParameterTensor& tensor : wanted) {
      read_tensor(tensors, tensor_name(prefix, member, tensor.name), tensor.shape,
                  network.parameters().data() + tensor.offset);
    }
    networks.push_back(std::move(network));
  }
  return networks;
}

}  // namespace knockout
