// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/predictor.h"
#include "knockout/networks/network.h"
#include "knockout/networks/network_pass.h"
#include "knockout/networks/targets.h"

namespace knockout {

/// The native engine's model: an encoder and the networks whose predictions are averaged.
/// Everything needed to apply it travels in its file.
///   TabularModel model = TabularModel::load("model.safetensors");
///   auto predictions = model.predict(read_csv("new.csv"));
class TabularModel : public Predictor {
 public:
  TabularModel(Encoder encoder, std::vector<TargetCoding> targets, std::vector<Network> networks,
               KnockoutPlan plan, nlohmann::json recipe, nlohmann::json provenance);

  const Schema& schema() const override { return encoder_.schema(); }
  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides& overrides = {},
                                        int threads = 0) const override;

  /// Encodes once; then every pattern overwrites the inputs of its columns, and rows of several
  /// patterns go through the networks together. Takes memory for a few patterns at a time.
  void predict_patterns(const Table& table, std::span<const MissingPattern> patterns,
                        const PatternReceiver& receive, const GapOverrides& overrides = {},
                        int threads = 0) const override;

  /// Predictions for rows that are already encoded.
  std::vector<TargetPrediction> predict_encoded(const EncodedRows& rows, int threads = 0) const;

  const Encoder& encoder() const { return encoder_; }
  const KnockoutPlan& plan() const { return plan_; }
  const std::vector<Network>& networks() const { return networks_; }
  const std::vector<TargetCoding>& targets() const { return targets_; }
  const nlohmann::json& recipe() const { return recipe_; }
  const nlohmann::json& provenance() const { return provenance_; }

  /// Same model, same bytes. A failure leaves an existing file whole.
  void save(const std::string& path) const;
  /// Throws ModelFileError with the reason for anything that is not a whole, consistent model.
  static TabularModel load(const std::string& path);

 private:
  /// Writes the inputs and codes of the rows [first, first + count) into the pass.
  using FillRows = std::function<void(std::size_t first, int count, NetworkPass& pass)>;
  std::vector<TargetPrediction> predict_rows(std::size_t rows, const FillRows& fill,
                                             int threads) const;
  static void copy_row(const EncodedRows& rows, std::size_t row, NetworkPass& pass, int to);

  Encoder encoder_;
  std::vector<TargetCoding> targets_;
  std::vector<Network> networks_;
  KnockoutPlan plan_;
  nlohmann::json recipe_;      ///< How it was trained.
  nlohmann::json provenance_;  ///< From what, by which version.
};

}  // namespace knockout
