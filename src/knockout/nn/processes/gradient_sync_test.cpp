// SPDX-License-Identifier: Apache-2.0
// When gradients leave, seen by a connection that writes down what it is asked for. Whether the
// sums over real processes are right is tested in tests/distributed.
#include "knockout/nn/processes/gradient_sync.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/nn/networks/unet3d.h"

namespace knockout::nn {
namespace {

constexpr std::int64_t kOneParameterEach = 1;  // bytes of a bucket

/// What happened in a backward pass, in this order: 'r', a gradient is ready; 's', a bucket is
/// sent.
using Events = std::string;

/// The only process of its group: it gets its own numbers back, doubled to show that they were
/// added up, and if told the order in which another process would have sent its gradients.
class WrittenDown : public ProcessGroup::Connection {
 public:
  explicit WrittenDown(Events& events) : events_(events) {}
  Wait start_sum(torch::Tensor tensor, std::string purpose) override {
    if (purpose == "adding up gradients") events_.push_back('s');
    return [tensor] { torch::Tensor(tensor).mul_(2); };
  }
  Wait start_broadcast(torch::Tensor tensor, std::string, int from) override {
    EXPECT_EQ(from, 0);
    if (!order_of_rank_0.empty()) tensor.copy_(torch::tensor(order_of_rank_0));
    return [] {};
  }

  std::vector<std::int64_t> order_of_rank_0;

 private:
  Events& events_;
};

/// Parameters, their GradientSync and its events.
class Watched {
 public:
  explicit Watched(std::vector<torch::Tensor> parameters,
                   std::int64_t bucket_bytes = kOneParameterEach,
                   std::vector<std::int64_t> order_of_rank_0 = {})
      : parameters_(std::move(parameters)) {
    for (const torch::Tensor& parameter : parameters_) {
      // Before those of GradientSync, so that it sees a gradient first.
      parameter.register_hook([this](const torch::Tensor& gradient) {
        if (gradient.defined()) events_.push_back('r');
      });
    }
    auto connection = std::make_unique<WrittenDown>(events_);
    connection->order_of_rank_0 = std::move(order_of_rank_0);
    processes_ =
        std::make_unique<ProcessGroup>(Rendezvous{.rank = 0, .size = 2}, std::move(connection));
    sync_ = std::make_unique<GradientSync>(parameters_, *processes_, bucket_bytes);
  }

  GradientSync& sync() { return *sync_; }

  /// The events of one backward pass; its gradients must be twice those of LibTorch.
  Events backward(const std::function<torch::Tensor()>& loss) {
    const std::vector<torch::Tensor> expected = torch::autograd::grad(
        {loss()}, parameters_, {}, /*retain_graph=*/false, /*create_graph=*/false,
        /*allow_unused=*/true);  // calls no hooks
    EXPECT_TRUE(events_.empty());
    for (const torch::Tensor& parameter : parameters_) parameter.mutable_grad() = torch::Tensor();
    const torch::Tensor value = loss();
    EXPECT_DOUBLE_EQ(sync_->backward(value), 2 * value.item<double>());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const torch::Tensor gradient = parameters_[i].grad();
      EXPECT_EQ(gradient.defined(), expected[i].defined()) << i;
      if (!gradient.defined() || !expected[i].defined()) continue;
      EXPECT_TRUE(torch::allclose(gradient, 2 * expected[i])) << i;
    }
    return std::exchange(events_, {});
  }

 private:
  std::vector<torch::Tensor> parameters_;
  Events events_;
  std::unique_ptr<ProcessGroup> processes_;
  std::unique_ptr<GradientSync> sync_;
};

/// How many buckets left after the last gradient was ready, the one that it filled included.
std::ptrdiff_t sent_at_the_end(const Events& events) {
  const auto last_ready = std::find(events.rbegin(), events.rend(), 'r');
  return std::count(events.rbegin(), last_ready, 's');
}

/// Layers that are not used in the order in which they are registered.
class Layers : public torch::nn::Module {
 public:
  Layers() {
    for (const char* name : {"second", "last", "first", "spare"}) {
      register_module(name, torch::nn::Linear(4, 4));
    }
  }
  torch::Tensor loss(const std::vector<std::string>& names) const {
    torch::Tensor x = torch::arange(12.0F).view({3, 4}) / 10;
    for (const std::string& name : names) {
      x = torch::tanh(named_children()[name]->as<torch::nn::Linear>()->forward(x));
    }
    return x.square().mean();
  }
  std::vector<torch::Tensor> parameters_of(const std::vector<std::string>& names) const {
    std::vector<torch::Tensor> result;
    for (const std::string& name : names) {
      for (const torch::Tensor& each : named_children()[name]->parameters()) result.push_back(each);
    }
    return result;
  }
};

TEST(GradientSync, SendsGradientsWhileTheBackwardPassIsRunning) {
  const Layers layers;
  Watched watched(layers.parameters_of({"first", "second", "last"}));
  EXPECT_EQ(watched.backward([&] {
    return layers.loss({"first", "second", "last"});
  }),
            "rsrsrsrsrsrs");
}

TEST(GradientSync, FindsTheOrderInWhichLayersAreUsedBeforeTheFirstBackwardPass) {
  for (const std::vector<std::string>& registered :
       {std::vector<std::string>{"second", "last", "first"}, {"last", "second", "first"}}) {
    const Layers layers;
    Watched watched(layers.parameters_of(registered));
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_EQ(watched.backward([&] {
        return layers.loss({"first", "second", "last"});
      }),
                "rsrsrsrsrsrs")
          << registered.front() << ", pass " << pass;
    }
  }
}

TEST(GradientSync, WaitsForTheFirstUseOfALayerThatIsUsedTwice) {
  const Layers layers;
  // The gradients of "second" are whole only after those of "first".
  Watched watched(layers.parameters_of({"first", "second", "last"}));
  EXPECT_EQ(watched.backward([&] {
    return layers.loss({"second", "first", "second", "last"});
  }),
            "rsrsrsrsrsrs");
}

TEST(GradientSync, KeepsNoGradientOfAUNetWaiting) {
  torch::manual_seed(0);
  UNet3d network(UNet3dOptions{.levels = 3, .base_width = 4});
  network->to(torch::kFloat64);
  const torch::Tensor input = torch::rand({1, 4, 8, 8, 8}, torch::kFloat64);
  Watched watched(network->parameters());
  Events expected;
  for (std::size_t i = 0; i < network->parameters().size(); ++i) expected += "rs";
  EXPECT_EQ(watched.backward([&] { return network->forward(input).square().mean(); }), expected);
}

TEST(GradientSync, SendsABucketAsSoonAsItsLastGradientIsReady) {
  const Layers layers;
  Watched watched(layers.parameters_of({"second", "last", "first"}), 20 * sizeof(float));
  EXPECT_EQ(watched.backward([&] {
    return layers.loss({"first", "second", "last"});
  }),
            "rrsrrsrrs");
}

TEST(GradientSync, IsNotHeldUpByAParameterThatTheLossDoesNotUse) {
  const Layers layers;
  Watched watched(layers.parameters());  // the spare one is registered last
  EXPECT_EQ(watched.backward([&] {
    return layers.loss({"first", "second", "last"});
  }),
            "rsrsrsrsrsrsss");
}

TEST(GradientSync, KeepsItsBucketsWhenAnotherLossUsesOtherParameters) {
  const Layers layers;
  Watched watched(layers.parameters());
  watched.backward([&] { return layers.loss({"first", "second", "last"}); });
  // Without "last", whose buckets are the first ones, the others wait for the end.
  const Events after = watched.backward([&] { return layers.loss({"spare", "first", "second"}); });
  EXPECT_EQ(sent_at_the_end(after), 8);
}

TEST(GradientSync, KeepsTheOrderThatAResumedTrainingHad) {
  const Layers layers, again;
  Watched watched(layers.parameters_of({"first", "second", "last"}));
  EXPECT_TRUE(watched.sync().order().empty());
  watched.backward([&] { return layers.loss({"first", "second", "last"}); });
  const std::vector<std::int64_t> order = watched.sync().order();
  ASSERT_EQ(order.size(), 6U);
  // Its first loss is another one than that of the training before.
  Watched resumed(again.parameters_of({"first", "second", "last"}));
  resumed.sync().set_order(order);
  resumed.backward([&] { return again.loss({"last", "second", "first"}); });
  EXPECT_EQ(resumed.sync().order(), order);
  EXPECT_EQ(resumed.backward([&] {
    return again.loss({"first", "second", "last"});
  }),
            "rsrsrsrsrsrs");
  const Layers more;
  Watched larger(more.parameters());
  EXPECT_THROW(larger.sync().set_order(order), ModelFileError);
}

TEST(GradientSync, TakesTheOrderOfRankZero) {
  const Layers layers;
  // Rank 0 sends the gradients of "first" first; here they are ready last.
  Watched watched(layers.parameters_of({"first", "second"}), kOneParameterEach, {0, 1, 2, 3});
  const Events events = watched.backward([&] { return layers.loss({"first", "second"}); });
  EXPECT_EQ(sent_at_the_end(events), 4);
}

/// Gives its second input no gradient.
struct OnlyTheFirst : torch::autograd::Function<OnlyTheFirst> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& a,
                               const torch::Tensor& b) {
    return a + b;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0], torch::Tensor()};
  }
};

TEST(GradientSync, GoesOnWhenAnOperationHasNoGradientForAParameter) {
  const torch::Tensor a = torch::ones({2}, torch::requires_grad()),
                      b = torch::ones({2}, torch::requires_grad());
  Watched watched({a, b});
  const Events events = watched.backward([&] { return (OnlyTheFirst::apply(a, b) * a).sum(); });
  EXPECT_EQ(sent_at_the_end(events), 2);
}

TEST(GradientSync, NamesAParameterOfATypeThatCannotBeAddedUp) {
  const auto trained = [](torch::ScalarType type) {
    return torch::ones({2, 3}, torch::TensorOptions(type).requires_grad(true));
  };
  for (const auto type : {torch::kFloat16, torch::kFloat32, torch::kFloat64}) {
    EXPECT_NO_THROW(Watched({trained(type)}));
  }
  try {
    Watched({trained(torch::kFloat32), trained(torch::kBFloat16)});
    FAIL() << "expected an error";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("parameter 2 "), std::string::npos) << text;
    EXPECT_NE(text.find("[2, 3]"), std::string::npos) << text;
    EXPECT_NE(text.find("BFloat16"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace knockout::nn
