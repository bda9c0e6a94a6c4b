// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/learner.h"
#include "knockout/model/predictor.h"
#include "knockout/model/targets.h"

namespace knockout {

/// A learner and how much its answers count. Weights of a model add up to 1.
struct WeightedLearner {
  LearnerPointer learner;
  double weight = 1.0;
};

/// A model: how rows are encoded, the learners that answer for them, and how their answers are
/// combined. Everything needed to apply it travels in its file. load_model() of fit/ reads one,
/// because only that stage knows every kind of learner.
///   const Model model = load_model("model.safetensors");
///   auto predictions = model.predict(read_csv("new.csv"));
/// A model that was moved from has nothing left: to use it is a ConfigError.
class Model : public Predictor {
 public:
  /// Throws ConfigError without a learner or a target, and for weights that are not positive or do
  /// not add up to 1.
  Model(Encoder encoder, std::vector<TargetCoding> targets, KnockoutPlan plan,
        std::vector<WeightedLearner> learners, nlohmann::json recipe, nlohmann::json provenance);

  const Schema& schema() const override { return encoder_.schema(); }
  /// A row's prediction does not depend on the rows beside it, bit for bit.
  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides& overrides = {},
                                        int threads = 0) const override;

  /// Encodes once; then every pattern overwrites the inputs of its columns, and rows of several
  /// patterns go through the learners together. Takes memory for a few patterns at a time. The same
  /// numbers as predict(), bit for bit.
  void predict_patterns(const Table& table, std::span<const MissingPattern> patterns,
                        const PatternReceiver& receive, const GapOverrides& overrides = {},
                        int threads = 0) const override;

  /// Predictions for rows that are already encoded.
  std::vector<TargetPrediction> predict_encoded(const EncodedRows& rows, int threads = 0) const;

  /// What answer() needs for blocks of at most so many rows. One thread at a time.
  class Workspace {
   public:
    Workspace(const Model& model, int rows);

   private:
    friend class Model;
    std::vector<std::unique_ptr<LearnerWorkspace>> learners_;
    std::vector<std::vector<double>> answers_;  ///< Per target, of one learner among several.
    std::vector<double*> answer_pointers_;
  };
  /// The combined answers for encoded rows: `answers[t]` takes rows x width numbers for target t.
  /// Allocates nothing. Throws ModelFileError for an answer that is not finite.
  void answer(const EncodedBlock& block, Workspace& workspace,
              std::span<double* const> answers) const;

  const Encoder& encoder() const { return encoder_; }
  const KnockoutPlan& plan() const { return plan_; }
  const std::vector<WeightedLearner>& learners() const { return learners_; }
  const std::vector<TargetCoding>& targets() const { return targets_; }
  const nlohmann::json& recipe() const;
  const nlohmann::json& provenance() const;

  /// What predictions from now on make of a category that training never saw.
  void set_unseen_category(UnseenCategory policy) { encoder_.set_unseen_category(policy); }

  /// Same model, same bytes. A failure leaves an existing file whole.
  void save(const std::string& path) const;
  std::string to_bytes() const;
  /// `source` names the bytes in messages. Throws ModelFileError with the reason for anything that
  /// is not a whole, consistent model of learners among `kinds`.
  static Model from_bytes(std::string_view bytes, const std::string& source,
                          std::span<const LearnerKind> kinds);

 private:
  /// The encoded rows [first, first + count); the buffer is for those that are made up on the way.
  using BlockSource =
      std::function<EncodedBlock(std::size_t first, int count, EncodedRows& buffer)>;
  void require_whole() const;
  void combine_answers(const EncodedBlock& block, Workspace& workspace,
                       std::span<double* const> answers) const;
  std::vector<TargetPrediction> predict_blocks(std::size_t rows, const BlockSource& source,
                                               int threads) const;

  Encoder encoder_;
  std::vector<TargetCoding> targets_;
  KnockoutPlan plan_;
  std::vector<WeightedLearner> learners_;
  std::shared_ptr<const nlohmann::json> recipe_;      ///< How it was trained.
  std::shared_ptr<const nlohmann::json> provenance_;  ///< From what, by which version.
};

}  // namespace knockout
