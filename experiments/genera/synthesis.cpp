// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/synthesis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "media/arrays/npy_writer.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kGenera = 10;
constexpr std::size_t kTraits = 8;  ///< Of a tree, as one view shows them.
constexpr int kDefaultTrees = 1500;
/// How a genus stands out, how much trees of one genus differ, what the season adds, and the noise
/// of a single feature.
constexpr double kGenusSpread = 1.3, kTreeSpread = 0.7, kSeasonSpread = 4.0, kFeatureNoise = 1.5;

/// What each draw is for: one step of the random numbers each.
enum TreeDraw : std::uint64_t {
  kGenus,
  kShuffled,
  kSeason,
  kCenter,
  kSeasonal,
  kTrait,
  kMixing,
  kNoiseDraw
};
constexpr std::uint64_t kPerView = 100;  ///< Steps apart, so that views share no draw.

/// Made-up trees, drawn from one seed.
class Forest {
 public:
  Forest(std::uint64_t seed, std::size_t trees) : random_(seed, Stream::kSimulation) {
    // The tenth genus is a third as frequent as the first.
    std::vector<double> until;
    until.reserve(kGenera);
    for (int genus = 0; genus < kGenera; ++genus) {
      until.push_back((until.empty() ? 0 : until.back()) + 1.0 / (1 + 0.22 * genus));
    }
    for (std::size_t tree = 0; tree < trees; ++tree) {
      const double at = until.back() * random_.uniform(kGenus, static_cast<std::uint32_t>(tree), 0);
      genera_.push_back(std::upper_bound(until.begin(), until.end(), at) - until.begin());
    }
  }

  const std::vector<std::int64_t>& genera() const { return genera_; }

  /// The same genera in another order: nothing to do with the features.
  std::vector<std::int64_t> shuffled_genera() const {
    std::vector<std::pair<std::uint32_t, std::int64_t>> drawn;
    for (std::size_t tree = 0; tree < genera_.size(); ++tree) {
      drawn.emplace_back(random_.bits(kShuffled, static_cast<std::uint32_t>(tree), 0),
                         genera_[tree]);
    }
    std::sort(drawn.begin(), drawn.end());
    std::vector<std::int64_t> shuffled;
    shuffled.reserve(drawn.size());
    for (const auto& [key, genus] : drawn) shuffled.push_back(genus);
    return shuffled;
  }

  /// What an encoder makes of a view: trees x width. Latents of a ResNet are never negative.
  std::vector<float> latents(std::uint32_t view, std::uint32_t encoder, std::size_t width,
                             bool never_negative) const {
    const std::uint64_t of_view = kPerView * (view + 1);
    const std::uint64_t of_encoder = kPerView * (10 * (encoder + 1) + view);
    std::vector<float> values;
    values.reserve(genera_.size() * width);
    std::vector<double> mixing(width * kTraits);
    for (std::size_t i = 0; i < mixing.size(); ++i) {
      mixing[i] = random_.normal(of_encoder + kMixing, static_cast<std::uint32_t>(i), 0);
    }
    for (std::size_t tree = 0; tree < genera_.size(); ++tree) {
      const std::array<double, kTraits> traits = traits_of(tree, view, of_view);
      for (std::size_t c = 0; c < width; ++c) {
        double value = kFeatureNoise * random_.normal(of_encoder + kNoiseDraw,
                                                      static_cast<std::uint32_t>(tree),
                                                      static_cast<std::uint32_t>(c));
        for (std::size_t t = 0; t < kTraits; ++t) value += mixing[c * kTraits + t] * traits[t];
        values.push_back(static_cast<float>(never_negative ? std::max(value, 0.0) : value));
      }
    }
    return values;
  }

 private:
  std::array<double, kTraits> traits_of(std::size_t tree, std::uint32_t view,
                                        std::uint64_t of_view) const {
    const auto row = static_cast<std::uint32_t>(tree);
    // From the air 0 and 1, 2 and 3, .. look alike; from the street 1 and 2, 3 and 4, ..
    const auto looks = static_cast<std::uint32_t>((genera_[tree] + view) % kGenera / 2);
    const double season = kSeasonSpread * random_.normal(kSeason, row, 0);
    std::array<double, kTraits> traits;
    for (std::uint32_t t = 0; t < kTraits; ++t) {
      traits[t] = kGenusSpread * random_.normal(of_view + kCenter, looks, t) +
                  season * random_.normal(of_view + kSeasonal, 0, t) / std::sqrt(kTraits) +
                  kTreeSpread * random_.normal(of_view + kTrait, row, t);
    }
    return traits;
  }

  Random random_;
  std::vector<std::int64_t> genera_;
};

}  // namespace

std::string synthesize_trees(const Synthesis& synthesis) {
  const fs::path folder = empty_folder(synthesis.folder);
  const auto trees = static_cast<std::size_t>(synthesis.size > 0 ? synthesis.size : kDefaultTrees);
  const Forest forest(synthesis.seed, trees);
  const std::vector<std::int64_t> labels =
      synthesis.no_signal ? forest.shuffled_genera() : forest.genera();
  struct MadeUpEncoder {
    std::string name;
    std::size_t width;
    bool never_negative;
  };
  const std::vector<MadeUpEncoder> encoders = {{"resnet50", 2048, true}, {"vit_b_16", 768, false}};
  for (std::uint32_t e = 0; e < encoders.size(); ++e) {
    const auto& [name, width, never_negative] = encoders[e];
    fs::create_directories(folder / name);
    for (const std::uint32_t view : {0U, 1U}) {
      const std::string file = view == 0 ? "aerial.npy" : "street.npy";
      write_npy((folder / name / file).string(), forest.latents(view, e, width, never_negative),
                trees, width);
    }
    write_npy((folder / name / "labels.npy").string(), labels);
  }
  return fmt::format(
      "{} of {} made-up genera, seen from the air and from the street by two made-up "
      "encoders: resnet50 (2048 wide) and vit_b_16 (768 wide){}.",
      plural(trees, "tree"), kGenera,
      synthesis.no_signal ? "; the labels have nothing to do with them" : "");
}

}  // namespace knockout::experiments
