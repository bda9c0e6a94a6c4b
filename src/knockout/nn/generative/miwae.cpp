// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/miwae.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/nn/generative/miwae_model.h"
#include "knockout/nn/generative/miwae_training.h"
#include "knockout/nn/training/one_thread.h"

namespace knockout::nn {
namespace {

/// Rows of a wide table times their samples fill the memory.
constexpr std::int64_t kMostInputs = 4096;

class MiwaePredictor : public Predictor {
 public:
  MiwaePredictor(Schema schema, MaskedInputs inputs, MiwaeModel model)
      : schema_(std::move(schema)), inputs_(std::move(inputs)), model_(std::move(model)) {}

  const Schema& schema() const override { return schema_; }

  /// Why a cell is missing is nothing the model looks at, so overrides change nothing.
  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides&,
                                        int threads) const override {
    const MaskedRows plain = inputs_.encode(table, threads);
    const auto rows = static_cast<std::int64_t>(plain.rows);
    std::vector<TargetPrediction> predictions;
    for (const TargetOutputs& outputs : model_.targets) {
      predictions.push_back({outputs.target, {}});
      predictions.back().values.resize(plain.rows * predictions.back().width());
    }
    const torch::Tensor values = as_tensor(plain.values, rows, inputs_.layout().width());
    const torch::Tensor observed = as_tensor(plain.observed, rows, inputs_.layout().width());
    // One row at a time, so that its answer cannot depend on others: with several in a matrix
    // product their last digits hang on where in it they stand, for any size of blocks (OpenBLAS's
    // kernel for Haswell and Zen treats every other six rows differently).
    parallel_for(plain.rows, threads, [&](std::size_t row) {
      const OneThread one_thread;
      const torch::NoGradGuard no_gradients;
      const auto at = static_cast<std::int64_t>(row);
      write_answers(model_.predict(values.narrow(0, at, 1), observed.narrow(0, at, 1)),
                    model_.targets, row, predictions);
    });
    return predictions;
  }

 private:
  Schema schema_;
  MaskedInputs inputs_;
  MiwaeModel model_;
};

class MiwaeMethod : public Method {
 public:
  MiwaeMethod(bool supervised, MiwaeOptions options)
      : supervised_(supervised), options_(std::move(options)) {}

  std::string name() const override { return supervised_ ? "supmiwae" : "miwae"; }
  std::string label() const override { return supervised_ ? "supMIWAE" : "MIWAE"; }
  std::string description() const override {
    return supervised_ ? "a deep latent-variable model and a network trained as one"
                       : "imputation by a deep latent-variable model, then a network";
  }

  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override {
    const Schema& schema = inferred.schema;
    MaskedInputs inputs(table, schema);
    if (inputs.layout().width() > kMostInputs) {
      throw DataError(fmt::format(
          "{} has {} inputs once categories are one-hot: too many for {}, which takes up to {}.",
          table.source(), inputs.layout().width(), label(), kMostInputs));
    }
    MiwaeModel model = train_miwae(table, schema, inputs, supervised_, options_, run);
    return std::make_unique<MiwaePredictor>(schema, std::move(inputs), std::move(model));
  }

 private:
  bool supervised_;
  MiwaeOptions options_;
};

}  // namespace

std::unique_ptr<Method> make_miwae(const MiwaeOptions& options) {
  return std::make_unique<MiwaeMethod>(false, options);
}

std::unique_ptr<Method> make_supmiwae(const MiwaeOptions& options) {
  return std::make_unique<MiwaeMethod>(true, options);
}

}  // namespace knockout::nn
