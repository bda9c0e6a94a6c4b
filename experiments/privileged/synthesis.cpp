// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "experiments/privileged/noisy_images.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_writer.h"
#include "knockout/data/split.h"
#include "media/arrays/npy_writer.h"
#include "media/arrays/pickled_arrays.h"
#include "media/image/cifar.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kTrainingImages = 2'000;  ///< When nobody says otherwise; half as many for the test.
constexpr int kMostImages = 10'000;     ///< Of one CIFAR file.
constexpr int kClasses = 10;
constexpr int kSide = 32;

/// What a draw is for.
enum CrowdPurpose : std::uint64_t { kClass, kPicture, kNoise, kWorker, kTime, kAnswer, kOrder };

/// A coloured disc or ring somewhere on a grey ground, with noise over all of it: five colours, two
/// shapes.
void add_picture(int shape_class, std::uint32_t image, const Random& random, CifarImages& images) {
  constexpr std::array<std::array<double, 3>, 5> kColours = {
      {{220, 60, 60}, {60, 200, 60}, {70, 90, 230}, {220, 210, 60}, {200, 70, 210}}};
  constexpr double kNoiseRange = 120;
  const auto between = [&](double low, double high, std::uint32_t unit) {
    return low + (high - low) * random.uniform(kPicture, image, unit);
  };
  const double x = between(10, 21, 0), y = between(10, 21, 1), radius = between(6, 9, 2);
  const double ground = between(60, 190, 3);
  const bool is_ring = shape_class >= 5;
  const auto& colour = kColours[static_cast<std::size_t>(shape_class % 5)];
  std::vector<std::uint32_t> noise(kCifarPixels);
  random.fill_bits(kNoise, image, noise);
  std::size_t at = 0;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column, ++at) {
        const double distance = std::hypot(column - x, row - y);
        const bool inside = distance < radius && (!is_ring || distance > 0.55 * radius);
        const double share = static_cast<double>(noise[at]) / 4294967296.0 - 0.5;
        const double value = (inside ? colour[channel] : ground) + kNoiseRange * share;
        images.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
      }
    }
  }
}

/// CIFAR-100 has the same ten classes, spread over its hundred.
int stored_class(int own_class, bool hundred) { return hundred ? own_class * 10 : own_class; }

CifarImages make_pictures(std::uint32_t first, int count, bool hundred, bool no_signal,
                          const Random& random) {
  CifarImages images;
  for (std::uint32_t image = first; image < first + static_cast<std::uint32_t>(count); ++image) {
    const int label = static_cast<int>(random.below(kClasses, kClass, image, 0));
    const int shown =
        no_signal ? static_cast<int>(random.below(kClasses, kClass, image, 1)) : label;
    add_picture(shown, image, random, images);
    const int stored = stored_class(label, hundred);
    images.labels.push_back(static_cast<std::uint8_t>(stored));
    if (hundred) images.coarse_labels.push_back(static_cast<std::uint8_t>(stored / 5));
  }
  return images;
}

/// The people who annotate. A few regulars do most of the work, with care and at a steady pace.
/// Many others come by once, give every image their favourite class, and take as long as they like.
/// So who it was and how long it took explain the wrong labels. Once a wrong label is taken
/// wherever there is one, most are of the others, and the mean person with the mean time is one of
/// them: whoever fills in means asks for a favourite. No favourite is as frequent as the truth,
/// though.
class People {
 public:
  static constexpr int kRegulars = 5, kFirstOther = 12, kPeople = 40;

  /// `answers` are given to each image, of which the worst is taken.
  People(int answers, const Random& random)
      : wrong_(1 - std::pow(1 - kNoise, 1.0 / answers)), random_(random) {}

  struct Person {
    int id = 0;
    double pace = 0;  ///< Of [0, 1], from hasty to slow.
    bool is_regular() const { return id < kRegulars; }
  };

  /// Who gives answer `round` to a piece of work.
  Person draw(std::uint32_t work, std::uint32_t round) const {
    constexpr double kOthersError = 1 - 1.0 / kClasses;
    const bool regular =
        random_.uniform(kWorker, work, 2 * round) > wrong_ * kOthersShare / kOthersError;
    const auto count = static_cast<std::uint32_t>(regular ? kRegulars : kPeople - kFirstOther);
    const auto nth = static_cast<int>(random_.below(count, kWorker, work, 2 * round + 1));
    const double pace = random_.uniform(kTime, work, round);
    return {regular ? nth : kFirstOther + nth, regular ? 0.9 + 0.1 * pace : 0.8 * pace};
  }

  /// What that person says of an image of that class.
  int answer(const Person& person, int true_class, std::uint32_t image, std::uint32_t round) const {
    if (!person.is_regular()) {
      constexpr std::array<int, 5> kFavourites = {2, 5, 8, 0, 6};
      const int place = (person.id - kFirstOther) * static_cast<int>(kFavourites.size()) /
                        (kPeople - kFirstOther);
      return kFavourites[static_cast<std::size_t>(place)];
    }
    const bool is_wrong = random_.uniform(kAnswer, image, round) < wrong_ * (1 - kOthersShare);
    return is_wrong ? (true_class + 1) % kClasses : true_class;
  }

 private:
  static constexpr double kNoise = 0.56;        ///< Share of images with a wrong answer.
  static constexpr double kOthersShare = 0.95;  ///< Of the wrong answers.

  double wrong_;  ///< Share of wrong answers.
  const Random& random_;
};

/// Columns of a table to be written.
struct Columns {
  struct Cells {
    std::string name;
    std::vector<double> numbers;
    std::vector<std::optional<std::string>> words;
  };
  std::vector<Cells> all;

  explicit Columns(const std::vector<std::string>& names) {
    for (const std::string& name : names) all.push_back({.name = name});
  }
  void number(std::size_t column, double value) { all[column].numbers.push_back(value); }
  void word(std::size_t column, const std::string& value) { all[column].words.push_back(value); }
  void write(const fs::path& path) const {
    std::vector<Column> columns;
    for (const Cells& cells : all) {
      columns.push_back(cells.words.empty() ? Column::numbers(cells.name, cells.numbers)
                                            : Column::words(cells.name, cells.words));
    }
    write_csv(Table(std::move(columns)), path.string());
  }
};

double work_seconds(double pace) { return std::round(5 + 85 * pace); }  // for ten images

void write_cifar_n(const fs::path& folder, const CifarImages& images, bool hundred,
                   const Random& random) {
  const int rounds = hundred ? 1 : 3;
  const std::size_t batch = hundred ? 5 : 10;
  const People people(rounds, random);
  Columns side(hundred
                   ? std::vector<std::string>{"Image-batch", "Worker-id", "Work-time-in-seconds"}
                   : std::vector<std::string>{"Image-batch", "Worker1-id", "Work-time-in-seconds-1",
                                              "Worker2-id", "Work-time-in-seconds-2", "Worker3-id",
                                              "Work-time-in-seconds-3"});
  NamedIntegers named;
  const std::size_t count = images.labels.size();
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t last = std::min(first + batch, count) - 1;
    side.word(0, fmt::format("{}--{}", first, last));
    std::vector<People::Person> workers;
    for (int round = 0; round < rounds; ++round) {
      workers.push_back(
          people.draw(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(round)));
      side.number(2 * static_cast<std::size_t>(round) + 1, workers.back().id);
      side.number(2 * static_cast<std::size_t>(round) + 2, work_seconds(workers.back().pace));
    }
    for (std::size_t image = first; image <= last; ++image) {
      const int stored = images.labels[image];
      const int own_class = hundred ? stored / 10 : stored;
      named["clean_label"].push_back(stored);
      std::vector<int> answers;
      int worst = stored;
      for (int round = 0; round < rounds; ++round) {
        const int said = stored_class(
            people.answer(workers[static_cast<std::size_t>(round)], own_class,
                          static_cast<std::uint32_t>(image), static_cast<std::uint32_t>(round)),
            hundred);
        answers.push_back(said);
        if (said != stored) worst = said;
      }
      if (hundred) {
        named["noisy_label"].push_back(answers[0]);
        named["clean_coarse_label"].push_back(stored / 5);
        named["noisy_coarse_label"].push_back(answers[0] / 5);
        continue;
      }
      for (std::size_t round = 0; round < 3; ++round) {
        named[fmt::format("random_label{}", round + 1)].push_back(answers[round]);
      }
      named["aggre_label"].push_back(answers[1] == answers[2] ? answers[1] : answers[0]);
      named["worse_label"].push_back(worst);
    }
  }
  write_pickled_arrays(named, (folder / (hundred ? "CIFAR-100_human.pt" : "CIFAR-10_human.pt")));
  side.write(folder / (hundred ? "side_info_cifar100N.csv" : "side_info_cifar10N.csv"));

  // The place of each image in another library's copy of CIFAR, as the owners ship it; unused here.
  const std::vector<std::size_t> places = shuffled_rows(count, random, kOrder);
  const std::vector<std::int64_t> order(places.begin(), places.end());
  write_npy((folder / (hundred ? "image_order_c100.npy" : "image_order_c10.npy")).string(), order);
}

/// A row per answer, with attention checks and a few reaction times below zero, as the real file
/// has them.
void write_cifar10h(const fs::path& folder, const CifarImages& images, const Random& random) {
  constexpr std::array<const char*, kClasses> kNames = {
      "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  constexpr int kAnswers = 8, kCheckEvery = 20, kNegativeEvery = 1'500;
  const People people(kAnswers, random);
  Columns table({"annotator_id", "trial_index", "is_attn_check", "true_category", "chosen_category",
                 "true_label", "chosen_label", "correct_guess", "cifar10_test_test_idx",
                 "image_filename", "subcategory", "reaction_time", "time_elapsed"});
  std::array<int, People::kPeople> trials = {};
  std::array<double, People::kPeople> elapsed = {};
  int rows = 0;
  const auto add = [&](const People::Person& person, int image, int true_class, int said) {
    const auto id = static_cast<std::size_t>(person.id);
    const bool is_check = image < 0;
    const double milliseconds = ++rows % kNegativeEvery == 0 ? -12.5 : 400 + 2'600 * person.pace;
    elapsed[id] += std::abs(milliseconds);
    table.number(0, person.id);
    table.number(1, trials[id]++);
    table.number(2, is_check);
    table.word(3, kNames[static_cast<std::size_t>(true_class)]);
    table.word(4, kNames[static_cast<std::size_t>(said)]);
    table.number(5, true_class);
    table.number(6, said);
    table.number(7, said == true_class);
    table.number(8, is_check ? -99999 : image);
    table.word(9, fmt::format("made_up_s_{:06}.png", is_check ? 0 : image));
    table.word(10, "made_up");
    table.number(11, milliseconds);
    table.number(12, elapsed[id]);
  };
  for (std::uint32_t round = 0; round < kAnswers; ++round) {
    for (std::uint32_t image = 0; image < images.labels.size(); ++image) {
      const People::Person person = people.draw(image, round);
      const int true_class = images.labels[image];
      add(person, static_cast<int>(image), true_class,
          people.answer(person, true_class, image, round));
      if (rows % kCheckEvery == 0) add(person, -1, 3, 3);
    }
  }
  table.write(folder / "cifar10h-raw.csv");
}

}  // namespace

std::string synthesize_noisy_images(const PrivilegedOptions& options, const Synthesis& synthesis) {
  const int count = synthesis.size == 0 ? kTrainingImages : synthesis.size;
  if (count < 20 || count > kMostImages) {
    throw ConfigError(fmt::format("--synthesize-size {}: expected 20 to {} images.", count,
                                  with_thousands(kMostImages)));
  }
  const bool hundred = options.dataset == "cifar100n";
  const bool is_10h = options.dataset == "cifar10h";
  const fs::path folder = empty_folder(synthesis.folder);
  const Random random(synthesis.seed, Stream::kSimulation);
  const CifarImages train = make_pictures(0, count, hundred, synthesis.no_signal, random);
  const CifarImages test = make_pictures(static_cast<std::uint32_t>(count), count / 2, hundred,
                                         synthesis.no_signal, random);

  const fs::path pictures = folder / (hundred ? "cifar-100-binary" : "cifar-10-batches-bin");
  fs::create_directories(pictures);
  if (hundred) {
    write_cifar100(train, (pictures / "train.bin").string());
    write_cifar100(test, (pictures / "test.bin").string());
  } else {  // CIFAR-10H trains on what is CIFAR-10's test set
    write_cifar10(is_10h ? test : train, (pictures / "data_batch_1.bin").string());
    write_cifar10(is_10h ? train : test, (pictures / "test_batch.bin").string());
  }
  if (is_10h) {
    write_cifar10h(folder, train, random);
  } else {
    write_cifar_n(folder, train, hundred, random);
  }
  return fmt::format(
      "Wrote {} made-up pictures in ten classes to train on and {} to test on, with the labels of "
      "{} "
      "made-up people in the layout of {}, to {}.",
      with_thousands(train.labels.size()), with_thousands(test.labels.size()), People::kPeople,
      options.dataset, folder.string());
}

}  // namespace knockout::experiments
