// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/tabular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/kernels/loss.h"
#include "knockout/model/model_file.h"
#include "knockout/networks/pass.h"

namespace knockout {
namespace {

constexpr std::size_t kBlockRows = 1024;  ///< Rows that go through the networks at once.

std::string weight_name(std::size_t member, int layer) {
  return fmt::format("member.{}.layer.{}.weight", member, layer);
}
std::string bias_name(std::size_t member, int layer) {
  return fmt::format("member.{}.layer.{}.bias", member, layer);
}
std::string embedding_name(std::size_t member, const std::string& column) {
  return fmt::format("member.{}.embedding.{}", member, column);
}

/// Adds one network's answer for `rows` rows to the sums: numbers in the target's own unit, or
/// probabilities.
void add_answers(const std::vector<TargetCoding>& targets, const Pass& pass, std::size_t first,
                 int rows, std::vector<TargetPrediction>& sums) {
  std::vector<double> logits;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const TargetCoding& coding = targets[t];
    const std::size_t width = sums[t].width();
    for (int r = 0; r < rows; ++r) {
      const float* outputs = pass.outputs(r) + coding.head.output_begin;
      double* sum = sums[t].values.data() + (first + r) * width;
      if (coding.head.loss == Loss::kSquaredError) {
        sum[0] += coding.mean + coding.stddev * outputs[0];
      } else if (coding.head.loss == Loss::kLogistic) {
        const double probability = sigmoid(outputs[0]);
        sum[0] += 1.0 - probability;
        sum[1] += probability;
      } else {
        logits.assign(outputs, outputs + width);
        softmax(logits.data(), width);
        for (std::size_t c = 0; c < width; ++c) sum[c] += logits[c];
      }
    }
  }
}

/// The part of `file` under `key`, or a ModelFileError.
const nlohmann::json& section(const ModelFile& file, const char* key) {
  const auto found = file.document.find(key);
  if (found == file.document.end() || !found->is_object()) {
    throw ModelFileError(fmt::format(
        "The model has no \"{}\": the file is damaged or was not written by knockout.", key));
  }
  return *found;
}

int count_field(const nlohmann::json& json, const char* key, int low, int high) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer() || found->get<std::int64_t>() < low ||
      found->get<std::int64_t>() > high) {
    throw ModelFileError(
        fmt::format("The model's \"{}\" is not a whole number between {} and {}.", key, low, high));
  }
  return found->get<int>();
}

NetworkShape shape_from_json(const nlohmann::json& json, const Encoder& encoder,
                             const std::vector<TargetCoding>& targets) {
  constexpr int kWidest = 1 << 20;
  NetworkShape shape;
  shape.dense_inputs = encoder.width();
  shape.outputs = 0;
  const int dimension =
      encoder.embedded().empty() ? 0 : count_field(json, "embedding_dimension", 1, kWidest);
  for (const EmbeddedColumn& column : encoder.embedded())
    shape.embeddings.push_back({column.table_rows(), dimension});
  const auto hidden = json.find("hidden");
  if (hidden == json.end() || !hidden->is_array() || hidden->size() > 1000)
    throw ModelFileError("The model's \"hidden\" is not a list.");
  for (const auto& width : *hidden) {
    if (!width.is_number_integer() || width.get<std::int64_t>() < 1 ||
        width.get<std::int64_t>() > kWidest) {
      throw ModelFileError("The model's \"hidden\" holds something that is not a layer width.");
    }
    shape.hidden.push_back(width.get<int>());
  }
  for (const TargetCoding& coding : targets) shape.outputs += coding.head.output_width;
  return shape;
}

/// Copies a tensor of exactly this shape out of the file.
void read_tensor(const ModelFile& file, const std::string& name,
                 const std::vector<std::int64_t>& shape, float* to) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end())
    throw ModelFileError(fmt::format("The model lacks the tensor \"{}\".", name));
  if (found->second.shape != shape) {
    throw ModelFileError(
        fmt::format("The model's tensor \"{}\" has shape [{}] where [{}] was expected.", name,
                    fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
  }
  std::copy(found->second.values.begin(), found->second.values.end(), to);
}

}  // namespace

TabularModel::TabularModel(Encoder encoder, std::vector<TargetCoding> targets,
                           std::vector<Network> networks, KnockoutPlan plan, nlohmann::json recipe,
                           nlohmann::json provenance)
    : encoder_(std::move(encoder)),
      targets_(std::move(targets)),
      networks_(std::move(networks)),
      plan_(std::move(plan)),
      recipe_(std::move(recipe)),
      provenance_(std::move(provenance)) {}

std::vector<TargetPrediction> TabularModel::predict(const Table& table,
                                                    const GapOverrides& overrides,
                                                    int threads) const {
  return predict_encoded(encoder_.encode(table, overrides, threads), threads);
}

std::vector<TargetPrediction> TabularModel::predict_encoded(const EncodedRows& rows,
                                                            int threads) const {
  return predict_rows(
      rows.rows,
      [&](std::size_t first, int count, Pass& pass) {
        for (int r = 0; r < count; ++r)
          copy_row(rows, first + static_cast<std::size_t>(r), pass, r);
      },
      threads);
}

void TabularModel::copy_row(const EncodedRows& rows, std::size_t row, Pass& pass, int to) {
  std::copy_n(rows.values.data() + row * static_cast<std::size_t>(rows.width), rows.width,
              pass.input_row(to));
  std::copy_n(rows.codes.data() + row * static_cast<std::size_t>(rows.code_count), rows.code_count,
              pass.codes(to));
}

std::vector<TargetPrediction> TabularModel::predict_rows(std::size_t rows, const FillRows& fill,
                                                         int threads) const {
  std::vector<TargetPrediction> sums;
  for (const TargetCoding& coding : targets_) {
    sums.push_back({.target = coding.target, .values = {}});
    sums.back().values.assign(rows * sums.back().width(), 0.0);
  }
  // One pass per worker, so that its memory is not taken and cleared anew for every block.
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  const std::size_t workers = std::min<std::size_t>(blocks, resolve_threads(threads));
  std::atomic<std::size_t> next{0};
  parallel_for(workers, threads, [&](std::size_t) {
    Pass pass(networks_.front().shape(), static_cast<int>(std::min(rows, kBlockRows)));
    for (std::size_t block = next++; block < blocks; block = next++) {
      const std::size_t first = block * kBlockRows;
      const int count = static_cast<int>(std::min(kBlockRows, rows - first));
      fill(first, count, pass);
      for (const Network& network : networks_) {
        pass.forward(network, {0, count});
        add_answers(targets_, pass, first, count, sums);
      }
    }
  });
  const double share = 1.0 / static_cast<double>(networks_.size());
  for (TargetPrediction& sum : sums) {
    for (double& value : sum.values) value *= share;
  }
  return sums;
}

void TabularModel::save(const std::string& path) const {
  ModelFile file;
  const NetworkShape& shape = networks_.front().shape();
  for (std::size_t member = 0; member < networks_.size(); ++member) {
    const Network& network = networks_[member];
    for (int layer = 0; layer < shape.layers(); ++layer) {
      const std::int64_t inputs = shape.layer_inputs(layer), outputs = shape.layer_outputs(layer);
      const float* weights = network.layer(layer);
      file.tensors[weight_name(member, layer)] = {{inputs, outputs},
                                                  {weights, weights + inputs * outputs}};
      file.tensors[bias_name(member, layer)] = {
          {outputs}, {weights + inputs * outputs, weights + (inputs + 1) * outputs}};
    }
    for (std::size_t table = 0; table < shape.embeddings.size(); ++table) {
      const EmbeddingShape& embedding = shape.embeddings[table];
      const float* vectors = network.embedding(static_cast<int>(table));
      file.tensors[embedding_name(member, encoder_.embedded()[table].name)] = {
          {embedding.rows, embedding.dimension},
          {vectors, vectors + static_cast<std::size_t>(embedding.rows) * embedding.dimension}};
    }
  }
  nlohmann::json network = {{"members", networks_.size()}, {"hidden", shape.hidden}};
  if (!shape.embeddings.empty())
    network["embedding_dimension"] = shape.embeddings.front().dimension;
  file.document = {{"engine", "tabular"},
                   {"encoder", encoder_.to_json()},
                   {"targets", targets_to_json(targets_)},
                   {"plan", plan_to_json(plan_)},
                   {"network", network},
                   {"recipe", recipe_},
                   {"provenance", provenance_}};
  write_model_file(file, path);
}

TabularModel TabularModel::load(const std::string& path) try {
  const ModelFile file = read_model_file(path);
  if (file.document.value("engine", "") != "tabular") {
    throw ModelFileError("The model was made by another engine than the one for tables.");
  }
  Encoder encoder = Encoder::from_json(section(file, "encoder"));
  if (!file.document.contains("targets")) throw ModelFileError("The model has no \"targets\".");
  std::vector<TargetCoding> targets = targets_from_json(file.document["targets"], encoder.schema());
  KnockoutPlan plan = plan_from_json(section(file, "plan"));
  const nlohmann::json& json = section(file, "network");
  const int members = count_field(json, "members", 1, 65536);
  const NetworkShape shape = shape_from_json(json, encoder, targets);

  // The file must hold what the shape asks for before memory for the shape is taken.
  std::size_t parameters = 0;
  for (const auto& [name, tensor] : file.tensors) parameters += tensor.values.size();
  double expected = 0;
  for (int layer = 0; layer < shape.layers(); ++layer)
    expected += (shape.layer_inputs(layer) + 1.0) * shape.layer_outputs(layer);
  for (const EmbeddingShape& table : shape.embeddings)
    expected += 1.0 * table.rows * table.dimension;
  if (expected * members != static_cast<double>(parameters)) {
    throw ModelFileError(fmt::format("The model describes {:.0f} weights but holds {}.",
                                     expected * members, parameters));
  }

  std::vector<Network> networks;
  for (int member = 0; member < members; ++member) {
    Network network(shape);
    float* to = network.parameters().data();
    for (int layer = 0; layer < shape.layers(); ++layer) {
      const std::int64_t inputs = shape.layer_inputs(layer), outputs = shape.layer_outputs(layer);
      float* weights = to + network.layer_offset(layer);
      read_tensor(file, weight_name(member, layer), {inputs, outputs}, weights);
      read_tensor(file, bias_name(member, layer), {outputs}, weights + inputs * outputs);
    }
    for (std::size_t table = 0; table < shape.embeddings.size(); ++table) {
      read_tensor(file, embedding_name(member, encoder.embedded()[table].name),
                  {shape.embeddings[table].rows, shape.embeddings[table].dimension},
                  to + network.embedding_offset(static_cast<int>(table)));
    }
    networks.push_back(std::move(network));
  }
  return {std::move(encoder),
          std::move(targets),
          std::move(networks),
          std::move(plan),
          file.document.value("recipe", nlohmann::json::object()),
          file.document.value("provenance", nlohmann::json::object())};
} catch (const ModelFileError& error) {
  const std::string reason = error.what();
  throw ModelFileError(reason.starts_with(path) ? reason : path + ": " + reason);
}

}  // namespace knockout
