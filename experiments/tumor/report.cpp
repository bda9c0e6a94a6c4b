// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/scores.h"
#include "knockout/base/wording.h"
#include "media/volume/voxel_type.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string with_interval(const Repeated& found) {
  return std::isnan(found.low)
             ? fmt::format("{:.3f}", found.mean)
             : fmt::format("{:.3f} ({:.3f} to {:.3f})", found.mean, found.low, found.high);
}

/// Every Dice score, by its place.
class DiceScores {
 public:
  explicit DiceScores(const TumorFindings& found) : found_(found) {
    const std::vector<std::string> modalities = modality_names(found.options);
    for (const MissingImages& missing : missing_patterns(modalities.size())) {
      names_.push_back(pattern_name(missing, modalities));
      missing_counts_.push_back(std::count(missing.begin(), missing.end(), true));
    }
    names_.emplace_back("one at random");
  }

  const std::vector<std::string>& pattern_names() const { return names_; }
  std::size_t patterns() const { return names_.size(); }

  const nlohmann::json& result(std::size_t method, int repetition) const {
    return found_.results[static_cast<std::size_t>(repetition) * found_.methods.size() + method];
  }
  /// One per test subject: the mean over the regions, or one region.
  std::vector<double> of_subjects(std::size_t method, int repetition, std::size_t pattern,
                                  int region = -1) const {
    std::vector<double> values;
    for (const auto& subject : result(method, repetition).at("dice")) {
      const auto regions = subject.at(pattern).get<std::vector<double>>();
      values.push_back(region < 0 ? mean_of(regions) : regions[static_cast<std::size_t>(region)]);
    }
    return values;
  }
  /// One per test subject of every repetition.
  std::vector<double> of_all(std::size_t method, std::size_t pattern, int region = -1) const {
    std::vector<double> values;
    for (int r = 0; r < found_.repetitions; ++r) {
      const std::vector<double> some = of_subjects(method, r, pattern, region);
      values.insert(values.end(), some.begin(), some.end());
    }
    return values;
  }
  /// Mean over the patterns with so many images missing, over the test subjects of a repetition.
  double with_missing(std::size_t method, int repetition, std::ptrdiff_t count) const {
    std::vector<double> values;
    for (std::size_t p = 0; p < missing_counts_.size(); ++p) {
      if (missing_counts_[p] == count)
        values.push_back(mean_of(of_subjects(method, repetition, p)));
    }
    return mean_of(values);
  }
  std::ptrdiff_t most_missing() const { return missing_counts_.back(); }

 private:
  const TumorFindings& found_;
  std::vector<std::string> names_;
  std::vector<std::ptrdiff_t> missing_counts_;  ///< Without the last pattern.
};

Scores empty_scores(const TumorFindings& found) {
  Scores scores{
      .metric = "Dice", .repetition_name = "seeds", .patterns = {}, .complete = 0, .methods = {}};
  for (const TumorMethod& method : found.methods) {
    scores.methods.push_back({.method = method.name, .label = method.label, .values = {}});
  }
  return scores;
}

/// Mean over the test subjects, pattern by pattern.
Scores scores_by_pattern(const TumorFindings& found, const DiceScores& dice) {
  Scores scores = empty_scores(found);
  scores.patterns = dice.pattern_names();
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    for (std::size_t p = 0; p < dice.patterns(); ++p) {
      std::vector<double>& values = scores.methods[m].values.emplace_back();
      for (int r = 0; r < found.repetitions; ++r) {
        values.push_back(mean_of(dice.of_subjects(m, r, p)));
      }
    }
  }
  return scores;
}

/// The same by how many images are missing.
Scores scores_by_count(const TumorFindings& found, const DiceScores& dice) {
  Scores scores = empty_scores(found);
  for (std::ptrdiff_t count = 0; count <= dice.most_missing(); ++count) {
    scores.patterns.push_back(count == 0 ? "complete" : fmt::format("{} missing", count));
    for (std::size_t m = 0; m < found.methods.size(); ++m) {
      std::vector<double>& values = scores.methods[m].values.emplace_back();
      for (int r = 0; r < found.repetitions; ++r) {
        values.push_back(dice.with_missing(m, r, count));
      }
    }
  }
  return scores;
}

report::Table pattern_table(const TumorFindings& found, const DiceScores& dice) {
  report::Table table;
  table.caption = "Dice for every pattern of images that are there";
  table.header = {"images"};
  table.alignment = "l";
  for (const TumorMethod& method : found.methods) {
    table.header.push_back(method.label);
    table.alignment += 'r';
  }
  for (std::size_t p = 0; p < dice.patterns(); ++p) {
    std::vector<std::string> row = {dice.pattern_names()[p]};
    std::vector<double> means;
    for (std::size_t m = 0; m < found.methods.size(); ++m) {
      const Repeated over_subjects = over_repetitions(dice.of_all(m, p));
      means.push_back(over_subjects.mean);
      row.push_back(with_interval(over_subjects));
    }
    const auto best = std::max_element(means.begin(), means.end()) - means.begin();
    table.best.emplace_back(p, static_cast<std::size_t>(best) + 1);
    table.rows.push_back(row);
  }
  table.note = fmt::format(
      "Mean over the regions, then over the test subjects{}, with its 95 % interval over them. In "
      "the last row all images were missing and one, drawn for each subject, was left. The paper "
      "shows a figure without numbers.",
      found.repetitions > 1 ? " of all seeds" : "");
  return table;
}

report::LineChart pattern_chart(const TumorFindings& found, const DiceScores& dice) {
  report::LineChart chart{.title = "Dice by pattern, 95 % intervals over test subjects",
                          .x_label = "images that are there",
                          .y_label = "Dice",
                          .series = {},
                          .x_names = dice.pattern_names()};
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    report::Series series{.name = found.methods[m].label,
                          .x = {},
                          .y = {},
                          .low = {},
                          .high = {},
                          .emphasis = found.methods[m].name == "knockout"};
    for (std::size_t p = 0; p < dice.patterns(); ++p) {
      const Repeated over_subjects = over_repetitions(dice.of_all(m, p));
      const bool known = !std::isnan(over_subjects.low);
      series.x.push_back(static_cast<double>(p + 1));
      series.y.push_back(over_subjects.mean);
      series.low.push_back(known ? over_subjects.low : over_subjects.mean);
      series.high.push_back(known ? over_subjects.high : over_subjects.mean);
    }
    chart.series.push_back(series);
  }
  return chart;
}

report::Table region_table(const TumorFindings& found, const DiceScores& dice) {
  const std::vector<TumorRegion> regions = tumor_regions(found.options.classes);
  report::Table table;
  table.caption = "Dice of each region";
  table.header = {"Method"};
  for (const TumorRegion& region : regions) {
    table.header.push_back(region.name + ", complete");
    table.header.push_back(region.name + ", something missing");
  }
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    std::vector<std::string> row = {found.methods[m].label};
    for (int region = 0; region < static_cast<int>(regions.size()); ++region) {
      std::vector<double> missing;
      for (std::size_t p = 1; p < dice.patterns(); ++p) {
        missing.push_back(mean_of(dice.of_all(m, p, region)));
      }
      row.push_back(fmt::format("{:.3f}", mean_of(dice.of_all(m, 0, region))));
      row.push_back(fmt::format("{:.3f}", mean_of(missing)));
    }
    table.rows.push_back(row);
  }
  table.note =
      "Mean over the test subjects, and over all patterns with something missing. A "
      "region that neither the network nor the experts see counts as 1.";
  return table;
}

/// What differences are judged by: seeds, where there are several, since another training may find
/// another difference; test subjects where there is one seed, as in the paper. One interval per
/// difference, so that no two places of a page disagree.
Scores judged_scores(const TumorFindings& found, const DiceScores& dice) {
  if (found.repetitions > 1) return scores_by_pattern(found, dice);
  Scores scores = empty_scores(found);
  scores.repetition_name = "test subjects";
  scores.patterns = dice.pattern_names();
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    for (std::size_t p = 0; p < dice.patterns(); ++p) {
      scores.methods[m].values.push_back(dice.of_subjects(m, 0, p));
    }
  }
  return scores;
}

/// Knockout against each rival; empty when only one of them was run.
report::Table gain_table(const TumorFindings& found, const Scores& judged, Json& json) {
  report::Table table;
  table.caption =
      fmt::format("Dice of Knockout minus that of the others, over the {}", judged.repetition_name);
  table.header = {"minus", "something missing", "complete"};
  const bool has_knockout = std::any_of(found.methods.begin(), found.methods.end(),
                                        [](const TumorMethod& m) { return m.name == "knockout"; });
  if (!has_knockout) return table;
  json["over"] = judged.repetition_name;
  for (const TumorMethod& method : found.methods) {
    if (method.name == "knockout") continue;
    const Gain gain = gain_over(judged, "knockout", method.name);
    table.rows.push_back({method.label, with_interval(gain.missing), with_interval(gain.complete)});
    const auto interval = [](const Repeated& of) {
      return Json{{"mean", of.mean}, {"low", of.low}, {"high", of.high}};
    };
    json["minus"][method.name] = {{"missing", interval(gain.missing)},
                                  {"complete", interval(gain.complete)}};
  }
  table.note = fmt::format(
      "Mean with its 95 % interval over the {}, pair by pair: the same as at "
      "the top of the page.",
      judged.repetition_name);
  return table;
}

std::string data_text(const TumorFindings& found, const DiceScores& dice) {
  const nlohmann::json& first = dice.result(0, 0);
  return fmt::format(
      "{} of {} voxels with the images {}: {} train, {} choose the weights, {} test; another split "
      "for each seed. Images are scaled to [0, 1] one by one, from their least to their greatest "
      "voxel. Volumes are read from disk when they are needed.",
      plural(found.subjects.usable.size(), "subject"), size_text(found.subjects.size),
      found.options.modalities, first.at("training_subjects").get<std::size_t>(),
      first.at("validation_subjects").get<std::size_t>(), first.at("subjects").size());
}

std::string seconds_text(const TumorFindings& found) {
  double training = 0, test = 0;
  for (const auto& result : found.results) {
    training += result.at("training_seconds").get<double>();
    test += result.at("test_seconds").get<double>();
  }
  const auto count = static_cast<double>(found.results.size());
  return fmt::format("On average a training took {} and a test {}.",
                     duration_text(training / count), duration_text(test / count));
}

}  // namespace

std::vector<TumorMethod> chosen_tumor_methods(const DataStudyContext& run) {
  std::vector<std::string> known;
  for (const TumorMethod& method : tumor_methods()) known.push_back(method.name);
  const std::vector<std::string> chosen = chosen_methods(known, run);
  std::vector<TumorMethod> methods;
  methods.reserve(chosen.size());
  for (const std::string& name : chosen) {
    methods.push_back(
        *std::find_if(tumor_methods().begin(), tumor_methods().end(),
                      [&](const TumorMethod& method) { return method.name == name; }));
  }
  return methods;
}

StudyResult report_tumor_study(const TumorFindings& found) {
  const DiceScores dice(found);
  const Scores scores = scores_by_pattern(found, dice), by_count = scores_by_count(found, dice);
  Json gains = Json::object();
  const Scores judged = judged_scores(found, dice);
  const report::Table paired = gain_table(found, judged, gains);

  StudyResult result;
  report::Document& document = result.document;
  document.title = "Brain tumors with any of their images missing";
  document.summary = fmt::format(
      "{}{}{}, {} and {} each{}.",
      verdict(judged, "knockout", {"common-baseline", "knockout-star", "knockout-minus-one"}),
      scores.methods.size() > 1 ? " " : "",
      plural(static_cast<std::uint64_t>(found.repetitions), "seed"),
      plural(found.subjects.usable.size(), "subject"),
      plural(dice.result(0, 0).at("subjects").size(), "test subject"),
      scores.methods.size() > 1 ? "; intervals are over the " + judged.repetition_name : "");
  document.sections.push_back(
      {"Dice by pattern", {pattern_chart(found, dice), pattern_table(found, dice)}});
  report::Section counts{"By the number of missing images", {}};
  counts.blocks.emplace_back(score_table(by_count, "Dice by how many images are missing"));
  if (!paired.rows.empty()) counts.blocks.emplace_back(paired);
  counts.blocks.emplace_back(region_table(found, dice));
  document.sections.push_back(counts);
  report::Section data{"Data and settings", {report::Text{data_text(found, dice)}}};
  if (!found.subjects.bad.empty()) data.blocks.emplace_back(found.subjects.bad.table("subject"));
  data.blocks.emplace_back(report::Text{seconds_text(found)});
  data.blocks.emplace_back(table_of_settings(found.settings));
  document.sections.push_back(data);

  std::vector<std::string> regions;
  for (const TumorRegion& region : tumor_regions(found.options.classes)) {
    regions.push_back(region.name);
  }
  Json trainings = Json::array();
  for (int r = 0; r < found.repetitions; ++r) {
    for (std::size_t m = 0; m < found.methods.size(); ++m) {
      Json training = {{"method", found.methods[m].name}, {"repetition", r + 1}};
      training.update(Json(dice.result(m, r)));
      trainings.push_back(training);
    }
  }
  result.data = {{"study", "tumor"},
                 {"settings", found.settings},
                 {"seed", found.run.seed},
                 {"repetitions", found.repetitions},
                 {"usable_subjects", found.subjects.usable.size()},
                 {"volume_size", found.subjects.size},
                 {"scores", scores_json(scores, "knockout")},
                 {"scores_by_missing_images", scores_json(by_count, "knockout")},
                 {"gain", gains},
                 {"regions", regions},
                 {"trainings", trainings},
                 {"bad", found.subjects.bad.json()}};
  return result;
}

}  // namespace knockout::experiments
