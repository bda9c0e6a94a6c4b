// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/tabular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/kernels/loss.h"
#include "knockout/model/model_file.h"
#include "knockout/networks/network_file.h"
#include "knockout/networks/network_pass.h"

namespace knockout {
namespace {

constexpr std::size_t kBlockRows = 1024;  ///< Rows that go through the networks at once.

/// Adds one network's answer for `rows` rows to the sums: numbers in the target's own unit, or
/// probabilities.
void add_answers(const std::vector<TargetCoding>& targets, const NetworkPass& pass,
                 std::size_t first, int rows, std::vector<TargetPrediction>& sums) {
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
      [&](std::size_t first, int count, NetworkPass& pass) {
        for (int r = 0; r < count; ++r)
          copy_row(rows, first + static_cast<std::size_t>(r), pass, r);
      },
      threads);
}

void TabularModel::copy_row(const EncodedRows& rows, std::size_t row, NetworkPass& pass, int to) {
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
    NetworkPass pass(networks_.front().layers(), static_cast<int>(std::min(rows, kBlockRows)),
                     NetworkPass::Use::kPredict);
    for (std::size_t block = next++; block < blocks; block = next++) {
      const std::size_t first = block * kBlockRows;
      const int count = static_cast<int>(std::min(kBlockRows, rows - first));
      for (const Network& network : networks_) {
        fill(first, count, pass);
        pass.forward(network, {0, count}, {.row_by_row = true});
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
  const nlohmann::json network = write_networks(networks_, "", file.tensors);
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
  int outputs = 0;
  for (const TargetCoding& coding : targets) outputs += coding.head.output_width;
  std::vector<Network> networks =
      read_networks(section(file, "network"), "", file.tensors, encoder, outputs);
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
