// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/emoji.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_reader.h"
#include "media/image/cifar.h"
#include "media/image/picture.h"
#include "media/text/byte_pair_encoding.h"
#include "media/text/train_byte_pairs.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kEmojiTokens = 2000;
constexpr double kTestShare = 0.25;

Picture emoji_picture(const CifarImages& images, std::size_t image) {
  constexpr std::size_t kPlane = kCifarPixels / 3;
  Picture picture{.width = 32, .height = 32, .rgb = {}};
  for (std::size_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::size_t colour = 0; colour < 3; ++colour) {
      picture.rgb.push_back(images.pixels[image * kCifarPixels + colour * kPlane + pixel]);
    }
  }
  return picture;
}

/// In quotes, as a cell of a CSV file.
std::string quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char letter : text)
    cell += letter == '"' ? std::string(2, '"') : std::string(1, letter);
  return cell + '"';
}

/// A name that is one folder: "Travel & Places" is, "Food/Drink" becomes "Food_Drink".
std::string folder_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

void check_rows(const Table& texts, const std::string& path, const CifarImages& images) {
  if (texts.rows() != images.labels.size()) {
    throw DataError(fmt::format("{}: has {} where there are {}.", path, plural(texts.rows(), "row"),
                                plural(images.labels.size(), "picture")));
  }
  for (std::size_t row = 0; row < texts.rows(); ++row) {
    for (const char* const name : {"text", "category", "label"}) {
      if (texts.at(name).observed(row)) continue;
      throw DataError(fmt::format("{}, column \"{}\": is empty.", texts.where(row), name));
    }
    if (texts.at("label").word(row) != std::to_string(images.labels[row])) {
      throw DataError(
          fmt::format("{}: the label is {}, and {} in the file of the pictures.\n  They belong to "
                      "other pictures, or are in another order.",
                      texts.where(row), texts.at("label").word(row), images.labels[row]));
    }
  }
}

}  // namespace

int write_emoji_as_dishes(const std::string& source, const Synthesis& synthesis) {
  const CifarImages images = read_cifar10({expect_path(source, "emoji_cifarformat.bin")});
  const std::string path = expect_path(source, "text.csv");
  CsvOptions options;
  options.text_columns = {"*"};
  options.missing_words = {};
  options.only_columns = {"text", "category", "label"};
  const Table texts = read_csv(path, options);
  check_rows(texts, path, images);

  const fs::path folder = empty_folder(synthesis.folder);
  const Random random(synthesis.seed, Stream::kSplit);
  std::array<std::string, 2> lists;
  std::vector<std::string> titles;
  for (std::size_t row = 0; row < texts.rows(); ++row) {
    const bool test = random.uniform(0, static_cast<std::uint32_t>(row), 0) < kTestShare;
    const std::string dish = folder_name(texts.at("category").word(row));
    const std::string title = texts.at("text").word(row);
    const fs::path place = folder / "images" / (test ? "test" : "train") / dish;
    const std::string file = fmt::format("{}.png", row);
    fs::create_directories(place);
    write_png(emoji_picture(images, row), (place / file).string());
    lists[test ? 1 : 0] += fmt::format("{},{},{}\n", file, quoted(title), quoted(dish));
    if (!test) titles.push_back(title);
  }
  fs::create_directories(folder / "texts");
  write_atomically((folder / "texts" / "train_titles.csv").string(), lists[0]);
  write_atomically((folder / "texts" / "test_titles.csv").string(), lists[1]);
  write_atomically((folder / kStandInNote).string(),
                   "A stand-in, not the paper's data (UPMC Food-101): emoji with their names; the "
                   "classes are their categories. The encoders are small and untrained.\n");
  const std::string vocabulary = (folder / "vocab.json").string();
  const std::string merges = (folder / "merges.txt").string();
  write_tokenizer(titles, kEmojiTokens, vocabulary, merges);
  return BytePairTokenizer::read(vocabulary, merges).vocabulary_size();
}

}  // namespace knockout::experiments
