// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/synthesis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "experiments/engine_studies.h"
#include "experiments/food101/emoji.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "media/image/picture.h"
#include "media/text/byte_pair_encoding.h"
#include "media/text/train_byte_pairs.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kFoodSide = 64;
constexpr int kFoodRows = 640;  ///< By default; a quarter of them to test.
constexpr int kVocabulary = 400;
/// How often a title names its dish.
constexpr double kTitleTells = 0.99;
/// How often a picture shows its dish, and not another.
constexpr double kPictureTells = 0.9;

struct Kind {
  const char* name;
  const char* words;
  std::array<double, 3> colour;  ///< Of the food on the plate.
  int stripes;
};
constexpr std::array<Kind, 6> kKinds = {
    {{"apple_pie", "apple pie", {0.85, 0.65, 0.30}, 2},
     {"beet_salad", "beet salad", {0.65, 0.15, 0.35}, 5},
     {"caesar_salad", "caesar salad", {0.45, 0.75, 0.35}, 5},
     {"chocolate_cake", "chocolate cake", {0.40, 0.25, 0.15}, 2},
     {"miso_soup", "miso soup", {0.75, 0.60, 0.35}, 8},
     {"sushi", "sushi rolls", {0.90, 0.90, 0.88}, 8}}};
constexpr std::array<const char*, 8> kOpenings = {
    "Easy", "My grandmother's", "The best", "Homemade", "Quick", "How to make", "Simple", "Sunday"};
constexpr std::array<const char*, 6> kEndings = {
    " recipe", " - Food Network", " | Allrecipes", " in 30 minutes!", ", step by step", " (video)"};

/// A disc of striped food on a plate, with noise.
Picture draw_dish(const Kind& kind, const Random& random, std::uint32_t row) {
  Picture picture{kFoodSide, kFoodSide, {}};
  const double centre_x = kFoodSide * (0.4 + 0.2 * random.uniform(1, row, 0));
  const double centre_y = kFoodSide * (0.4 + 0.2 * random.uniform(1, row, 1));
  const double radius = kFoodSide * (0.2 + 0.1 * random.uniform(1, row, 2));
  const double angle = std::numbers::pi * random.uniform(1, row, 3);
  const double light = 0.7 + 0.5 * random.uniform(1, row, 4);
  std::uint32_t draw = 5;
  for (int y = 0; y < kFoodSide; ++y) {
    for (int x = 0; x < kFoodSide; ++x) {
      const double dx = x - centre_x, dy = y - centre_y, away = std::hypot(dx, dy);
      const double along = (dx * std::cos(angle) + dy * std::sin(angle)) / radius;
      const double wave = 0.8 + 0.2 * std::sin(std::numbers::pi * kind.stripes * along);
      for (int c = 0; c < 3; ++c) {
        double value = away < radius ? kind.colour[c] * wave : away < 1.4 * radius ? 0.95 : 0.5;
        value = light * value + 0.08 * random.normal(1, row, draw++);
        picture.rgb.push_back(static_cast<std::uint8_t>(std::clamp(255 * value, 0.0, 255.0)));
      }
    }
  }
  return picture;
}

std::string title_of(const Kind& kind, bool tells, const Random& random, std::uint32_t row) {
  return fmt::format("{} {}{}", kOpenings[random.below(kOpenings.size(), 2, row, 0)],
                     tells ? kind.words : "dinner idea",
                     kEndings[random.below(kEndings.size(), 2, row, 1)]);
}

}  // namespace

int write_dishes(const Synthesis& synthesis) {
  const fs::path folder = empty_folder(synthesis.folder);
  const int rows = synthesis.size == 0 ? kFoodRows : std::max(synthesis.size, 40);
  const Random random(synthesis.seed, Stream::kSimulation);
  std::array<std::string, 2> lists;
  std::vector<std::string> titles;
  for (int i = 0; i < rows; ++i) {
    const auto row = static_cast<std::uint32_t>(i);
    const bool test = i % 4 == 3;
    const Kind& kind = kKinds[random.below(kKinds.size(), 0, row, 0)];
    // What the picture and the title are about; in a control, something else than the label.
    const Kind& about = synthesis.no_signal ? kKinds[random.below(kKinds.size(), 0, row, 1)] : kind;
    const Kind& shown = random.uniform(0, row, 2) < kPictureTells
                            ? about
                            : kKinds[random.below(kKinds.size(), 0, row, 3)];
    titles.push_back(title_of(about, random.uniform(0, row, 4) < kTitleTells, random, row));
    const std::string file = fmt::format("{}_{}.jpg", kind.name, i);
    const fs::path place = folder / "images" / (test ? "test" : "train") / kind.name;
    fs::create_directories(place);
    write_jpeg(draw_dish(shown, random, row), (place / file).string(), 90);
    lists[test] += fmt::format("{},\"{}\",{}\n", file, titles.back(), kind.name);
  }
  fs::create_directories(folder / "texts");
  write_atomically((folder / "texts" / "train_titles.csv").string(), lists[0]);
  write_atomically((folder / "texts" / "test_titles.csv").string(), lists[1]);
  const std::string vocabulary = (folder / "vocab.json").string();
  const std::string merges = (folder / "merges.txt").string();
  write_tokenizer(titles, kVocabulary, vocabulary, merges);
  return BytePairTokenizer::read(vocabulary, merges).vocabulary_size();
}

std::string synthesize_dishes(const Food101Options& options, const Synthesis& synthesis) {
  const bool emoji = !options.stand_in.empty();
  if (emoji && synthesis.no_signal) {
    throw ConfigError("--stand-in: real data have the signal they have; drop --no-signal.");
  }
  const int vocabulary_size =
      emoji ? write_emoji_as_dishes(options.stand_in, synthesis) : write_dishes(synthesis);
  const fs::path folder = synthesis.folder;
  engine_studies().write_food101_encoders((folder / "resnet50.pt").string(),
                                          (folder / "roberta.pt").string(), vocabulary_size,
                                          synthesis.seed);
  if (emoji) {
    return fmt::format(
        "{}: emoji with their names, a stand-in for UPMC Food-101 in its layout, a tokenizer, and "
        "two small networks in place of ResNet-50 and RoBERTa.",
        synthesis.folder);
  }
  return fmt::format(
      "{}: made-up dishes of {} kinds with titles, in the layout of UPMC Food-101, a tokenizer, "
      "and "
      "two small networks in place of ResNet-50 and RoBERTa.",
      synthesis.folder, kKinds.size());
}

}  // namespace knockout::experiments
