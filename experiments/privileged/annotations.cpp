// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/annotations.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "experiments/data_study.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/labels.h"
#include "media/arrays/pickled_arrays.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCifarTrainingImages = 50'000, kCifarTestImages = 10'000;

/// A cell that holds a whole number in [0, limit), or why it does not.
struct Whole {
  int value = -1;
  std::string problem = {};
};

Whole whole_below(const Column& column, std::size_t row, std::size_t limit) {
  if (!column.observed(row)) return {.problem = fmt::format("\"{}\" is missing", column.name())};
  const double number = column.number(row);
  if (number >= 0 && number < static_cast<double>(limit) &&
      number == static_cast<double>(static_cast<int>(number))) {
    return {.value = static_cast<int>(number)};
  }
  return {.problem =
              fmt::format("\"{}\" is {}; expected 0 to {}", column.name(), number, limit - 1)};
}

void expect_numbers(const Column& column, const std::string& path) {
  if (!column.is_text()) return;
  const auto is_word = [](const std::string& word) { return !parse_number(word); };
  const auto words = column.words();
  const auto found = std::find_if(words.begin(), words.end(), is_word);
  throw DataError(fmt::format("{}, column \"{}\": cannot read \"{}\" as a number.", path,
                              column.name(), found == words.end() ? words.front() : *found));
}

Table read_columns(const std::string& path, const std::vector<std::string>& numbers,
                   const std::vector<std::string>& words = {}) {
  CsvOptions options;
  options.text_columns = words;
  options.only_columns = numbers;
  options.only_columns->insert(options.only_columns->end(), words.begin(), words.end());
  Table table = read_csv(path, options);
  for (const std::string& name : *options.only_columns) table.at(name);  // says which is not there
  for (const std::string& name : numbers) expect_numbers(table.at(name), path);
  return table;
}

/// Collects annotations row by row; what is wrong with a row goes to `bad`.
struct Collector {
  Annotations& annotations;
  std::size_t classes;
  BadFiles& bad;
  std::size_t negative_times = 0;

  void add(const Table& table, std::size_t row, const Column& image, const Column& label,
           const Column& annotator, const Column& time, double seconds_per_unit) {
    const Whole place = whole_below(image, row, annotations.of_image.size());
    const Whole said = whole_below(label, row, classes);
    for (const Whole& each : {place, said}) {
      if (each.problem.empty()) continue;
      bad.add(table.where(row), each.problem);
      return;
    }
    for (const Column* column : {&annotator, &time}) {
      if (column->observed(row)) continue;
      bad.add(table.where(row), fmt::format("\"{}\" is missing", column->name()));
      return;
    }
    double seconds = time.number(row) * seconds_per_unit;
    if (seconds < 0) {
      ++negative_times;
      seconds = 0;
    }
    annotations.of_image[static_cast<std::size_t>(place.value)].push_back(
        {said.value, annotator.number(row), seconds});
  }
};

/// The long tables: a row per annotation.
Annotations read_long_table(const std::string& path, int classes, BadFiles& bad) {
  Annotations annotations{.of_image = std::vector<std::vector<Annotation>>(kCifarTrainingImages),
                          .clean = std::vector<int>(kCifarTrainingImages, -1),
                          .path = path};
  const Table table =
      read_columns(path, {"train_index", "worker_id", "work_time_s", "noisy_label", "clean_label"});
  const Column& image = table.at("train_index");
  const Column& clean = table.at("clean_label");
  Collector collector{annotations, static_cast<std::size_t>(classes), bad};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    collector.add(table, row, image, table.at("noisy_label"), table.at("worker_id"),
                  table.at("work_time_s"), 1.0);
    const Whole place = whole_below(image, row, kCifarTrainingImages);
    const Whole label = whole_below(clean, row, static_cast<std::size_t>(classes));
    if (place.problem.empty() && label.problem.empty()) {
      annotations.clean[static_cast<std::size_t>(place.value)] = label.value;
    }
  }
  return annotations;
}

std::vector<int> small_numbers(const std::vector<std::int64_t>& values) {
  std::vector<int> small;
  small.reserve(values.size());
  // What is out of range as a label is so as an int too.
  for (const std::int64_t value : values) {
    small.push_back(value >= 0 && value < 1000 ? static_cast<int>(value) : -1);
  }
  return small;
}

const std::vector<std::int64_t>& labels_named(const NamedIntegers& named, const std::string& name,
                                              const std::string& path) {
  const auto found = named.find(name);
  if (found == named.end()) {
    throw DataError(fmt::format(
        "{}: it holds no \"{}\".\n  Is this the file of the right data set?", path, name));
  }
  const std::size_t size = found->second.size();
  if (size == 0 || size > kCifarTrainingImages || size != named.at("clean_label").size()) {
    throw DataError(
        fmt::format("{}: \"{}\" has {} labels.\n  Expected one for each of at most {} "
                    "training images.",
                    path, name, with_thousands(size), with_thousands(kCifarTrainingImages)));
  }
  return found->second;
}

/// "10--19": the first and last image of a batch. Both -1 when it cannot be read.
std::pair<int, int> batch_of(const std::string& text) {
  int first = -1, last = -1;
  const char* const end = text.data() + text.size();
  const auto head = std::from_chars(text.data(), end, first);
  if (head.ec != std::errc() || !std::string_view(head.ptr, end).starts_with("--")) return {-1, -1};
  const auto tail = std::from_chars(head.ptr + 2, end, last);
  if (tail.ec != std::errc() || tail.ptr != end) return {-1, -1};
  return {first, last};
}

/// As the owners ship it: labels of the images in order, and who labelled which batch of images.
Annotations read_shipped(const std::string& labels_path, const std::string& side_path, int classes,
                         BadFiles& bad) {
  const NamedIntegers named = read_pickled_arrays(labels_path);
  Annotations annotations{.clean = small_numbers(labels_named(named, "clean_label", labels_path)),
                          .path = labels_path};
  const std::size_t images = annotations.clean.size();
  annotations.of_image.resize(images);
  if (classes == 10) {
    annotations.worst = small_numbers(labels_named(named, "worse_label", labels_path));
  }

  // The people of a batch, and which of an image's labels they gave.
  struct Round {
    std::string labels, worker, time;
  };
  std::vector<Round> rounds;
  if (classes == 10) {
    for (int i = 1; i <= 3; ++i) {
      rounds.push_back({fmt::format("random_label{}", i), fmt::format("Worker{}-id", i),
                        fmt::format("Work-time-in-seconds-{}", i)});
    }
  } else {
    rounds.push_back({"noisy_label", "Worker-id", "Work-time-in-seconds"});
  }
  std::vector<std::string> columns;
  for (const Round& round : rounds) columns.insert(columns.end(), {round.worker, round.time});
  const Table table = read_columns(side_path, columns, {"Image-batch"});
  const Column& batches = table.at("Image-batch");
  for (const Round& round : rounds) {
    const std::vector<std::int64_t>& labels = labels_named(named, round.labels, labels_path);
    const Column& worker = table.at(round.worker);
    const Column& time = table.at(round.time);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto [first, last] =
          batches.observed(row) ? batch_of(batches.word(row)) : std::pair(-1, -1);
      if (first < 0 || last < first || static_cast<std::size_t>(last) >= images) {
        if (&round == &rounds.front()) {
          bad.add(table.where(row), fmt::format("\"Image-batch\" is no batch of images; expected "
                                                "FIRST--LAST with LAST up to {}",
                                                images - 1));
        }
        continue;
      }
      if (!worker.observed(row) || !time.observed(row)) {
        bad.add(table.where(row),
                fmt::format("\"{}\" or \"{}\" is missing", round.worker, round.time));
        continue;
      }
      for (auto image = static_cast<std::size_t>(first); image <= static_cast<std::size_t>(last);
           ++image) {
        if (labels[image] < 0 || labels[image] >= classes) {
          bad.add(fmt::format("{}, image {}", labels_path, image),
                  fmt::format("\"{}\" is {}; expected 0 to {}", round.labels, labels[image],
                              classes - 1));
          continue;
        }
        annotations.of_image[image].push_back(
            {static_cast<int>(labels[image]), worker.number(row), time.number(row)});
      }
    }
  }
  return annotations;
}

}  // namespace

std::string find_file(const std::string& folder, const std::vector<std::string>& places,
                      const std::string& name) {
  for (const std::string& place : places) {
    const fs::path path = fs::path(folder) / place / name;
    if (fs::exists(path)) return path.string();
  }
  return "";
}

const Annotation& worst_of(const std::vector<Annotation>& annotations, int clean, bool take_any,
                           std::size_t image) {
  std::vector<std::size_t> wrong, all;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    all.push_back(i);
    if (annotations[i].label != clean) wrong.push_back(i);
  }
  const std::vector<std::size_t>& candidates = wrong.empty() ? all : wrong;
  if (!take_any) return annotations[candidates.back()];
  const Random random(0, Stream::kSimulation);
  return annotations[candidates[random.below(static_cast<std::uint32_t>(candidates.size()), 0,
                                             static_cast<std::uint32_t>(image), 0)]];
}

Annotations read_cifar_n(const std::string& folder, int classes, BadFiles& bad) {
  const std::vector<std::string> places = {"", "data", "cifar-10-100n", "cifar-10-100n/data",
                                           "cifar_n"};
  const std::string labels = find_file(folder, places, fmt::format("CIFAR-{}_human.pt", classes));
  const std::string side_name = fmt::format("side_info_cifar{}N.csv", classes);
  if (!labels.empty()) {
    const std::string side = find_file(folder, places, side_name);
    return read_shipped(labels, side.empty() ? expect_path(folder, side_name) : side, classes, bad);
  }
  const std::string table =
      find_file(folder, places,
                classes == 10 ? "cifar10n_annotations_long.csv" : "cifar100n_annotations.csv");
  if (table.empty()) expect_path(folder, fmt::format("CIFAR-{}_human.pt", classes));
  return read_long_table(table, classes, bad);
}

Annotations read_cifar10h(const std::string& folder, BadFiles& bad) {
  const std::vector<std::string> places = {"", "data", "cifar-10h", "cifar-10h/data", "cifar10h"};
  std::string path = find_file(folder, places, "cifar10h-raw.csv");
  if (path.empty()) path = find_file(folder, places, "cifar10h-raw.csv.gz");
  if (path.empty()) path = expect_path(folder, "cifar10h-raw.csv");

  // The owners' description and their file spell the column differently.
  std::string index = "cifar10_test_test_idx";
  for (const std::string& name : CsvText::load(path).names()) {
    if (name == "cifar10_test_set_idx") index = name;
  }
  constexpr int kClasses = 10;
  constexpr double kAttentionCheck = -99999;
  constexpr double kSecondsPerMillisecond = 1e-3;
  Annotations annotations{.of_image = std::vector<std::vector<Annotation>>(kCifarTestImages),
                          .clean = std::vector<int>(kCifarTestImages, -1),
                          .path = path};
  const Table table =
      read_columns(path, {"annotator_id", "true_label", "chosen_label", index, "reaction_time"});
  const Column& image = table.at(index);
  const Column& clean = table.at("true_label");
  const Column &chosen = table.at("chosen_label"), &annotator = table.at("annotator_id"),
               &time = table.at("reaction_time");
  Collector collector{annotations, kClasses, bad};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (image.observed(row) && image.number(row) == kAttentionCheck) continue;
    collector.add(table, row, image, chosen, annotator, time, kSecondsPerMillisecond);
    const Whole place = whole_below(image, row, kCifarTestImages);
    const Whole label = whole_below(clean, row, kClasses);
    if (place.problem.empty() && label.problem.empty()) {
      annotations.clean[static_cast<std::size_t>(place.value)] = label.value;
    }
  }
  if (collector.negative_times > 0) {
    annotations.note = fmt::format("{} below zero, taken as 0.",
                                   plural(collector.negative_times, "reaction time"));
  }
  return annotations;
}

}  // namespace knockout::experiments
