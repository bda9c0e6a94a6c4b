// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/genera.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/genera/pictures.h"
#include "experiments/genera/synthesis.h"
#include "experiments/genera/training.h"
#include "experiments/scores.h"
#include "knockout/base/wording.h"
#include "knockout/schema/column_list.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kMethods = {kCommonBaseline, kKnockoutFeatures, kKnockoutStructured};
/// Above so many views a table with a column for every combination of them cannot be read.
constexpr std::size_t kFewViews = 3;

std::string label_of(const std::string& method) {
  if (method == kCommonBaseline) return "Common baseline";
  return method == kKnockoutFeatures ? "Knockout (Features)" : "Knockout (Structured)";
}

bool has_paper_views(const ViewSet& set) {
  return set.views.size() == 2 && set.views[0].name == "aerial" && set.views[1].name == "street";
}

/// What the paper reports of these latents, for Aerial+Street, Street missing, Aerial missing.
std::vector<std::optional<PaperFigure>> paper_figures(const ViewSet& set,
                                                      const std::string& method) {
  static const std::map<std::pair<std::string, std::string>, std::vector<PaperFigure>> figures = {
      {{"resnet50", kCommonBaseline}, {{0.483, 0.016}, {0.312, 0.017}, {0.356, 0.024}}},
      {{"resnet50", kKnockoutFeatures}, {{0.493, 0.020}, {0.284, 0.023}, {0.381, 0.022}}},
      {{"resnet50", kKnockoutStructured}, {{0.496, 0.016}, {0.308, 0.024}, {0.416, 0.014}}},
      {{"vit_b_16", kCommonBaseline}, {{0.464, 0.018}, {0.305, 0.022}, {0.388, 0.011}}},
      {{"vit_b_16", kKnockoutFeatures}, {{0.473, 0.019}, {0.315, 0.008}, {0.383, 0.010}}},
      {{"vit_b_16", kKnockoutStructured}, {{0.480, 0.017}, {0.324, 0.019}, {0.408, 0.015}}}};
  const auto found = figures.find({set.name, method});
  if (found == figures.end() || !has_paper_views(set)) return {};
  return {found->second.begin(), found->second.end()};
}

/// A column of a table: the mean over some patterns.
struct PatternGroup {
  std::string name;
  std::vector<std::size_t> patterns;  ///< Positions among all patterns.
};

/// The views that a pattern leaves, as the paper's columns have it: "aerial+street".
std::vector<std::string> views_there(const ViewSet& set, const NamedPattern& pattern) {
  const auto& hidden = pattern.pattern.columns;
  std::vector<std::string> there;
  for (const View& view : set.views) {
    const std::string first = fmt::format("{}_0", view.name);
    if (std::find(hidden.begin(), hidden.end(), first) == hidden.end()) there.push_back(view.name);
  }
  return there;
}

/// Every pattern under the names of the views that are there. Views alone in the order of the
/// views.
std::vector<PatternGroup> every_pattern(const ViewSet& set,
                                        const std::vector<NamedPattern>& patterns) {
  std::vector<PatternGroup> groups;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    groups.push_back({fmt::format("{}", fmt::join(views_there(set, patterns[p]), "+")), {p}});
  }
  const auto position = [&](const PatternGroup& group) {
    const auto there = views_there(set, patterns[group.patterns[0]]);
    std::vector<std::size_t> at;
    for (std::size_t v = 0; v < set.views.size(); ++v) {
      if (std::find(there.begin(), there.end(), set.views[v].name) != there.end()) at.push_back(v);
    }
    return std::pair(set.views.size() - at.size(), at);
  };
  std::sort(groups.begin(), groups.end(), [&](const PatternGroup& a, const PatternGroup& b) {
    return position(a) < position(b);
  });
  return groups;
}

/// The patterns by the number of views that are there.
std::vector<PatternGroup> by_count(const ViewSet& set, const std::vector<NamedPattern>& patterns) {
  std::vector<PatternGroup> groups;
  for (std::size_t missing = 0; missing < set.views.size(); ++missing) {
    PatternGroup group{fmt::format("{} of {}", set.views.size() - missing, set.views.size()), {}};
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      if (patterns[p].missing == missing) group.patterns.push_back(p);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// What was found about one set: [method][repetition], each of them [pattern].
struct TreesFindings {
  const ViewSet& set;
  std::vector<std::string> methods;
  std::vector<NamedPattern> patterns;
  std::vector<std::vector<nlohmann::json>> results = {};
};

Scores scores_of(const TreesFindings& found, const std::vector<PatternGroup>& groups,
                 const std::string& average) {
  Scores scores;
  scores.metric = average == "macro" ? "F1" : fmt::format("F1 ({})", average);
  scores.repetition_name = "seeds";
  for (std::size_t g = 0; g < groups.size(); ++g) {
    scores.patterns.push_back(groups[g].name);
    if (found.patterns[groups[g].patterns[0]].missing == 0) scores.complete = g;
  }
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    MethodScores of{.method = found.methods[m], .label = label_of(found.methods[m]), .values = {}};
    for (const PatternGroup& group : groups) {
      std::vector<double>& values = of.values.emplace_back();
      for (const nlohmann::json& result : found.results[m]) {
        const auto f1 = result.at("f1").get<std::vector<double>>();
        double sum = 0;
        for (const std::size_t pattern : group.patterns) sum += f1[pattern];
        values.push_back(sum / static_cast<double>(group.patterns.size()));
      }
    }
    of.paper = paper_figures(found.set, found.methods[m]);
    scores.methods.push_back(std::move(of));
  }
  return scores;
}

std::vector<PatternGroup> main_groups(const TreesFindings& found) {
  return found.set.views.size() <= kFewViews ? every_pattern(found.set, found.patterns)
                                             : by_count(found.set, found.patterns);
}

report::LineChart chart_of(const Scores& scores, const std::string& title) {
  report::LineChart chart = score_chart(scores, title);
  chart.x_label = "views there";
  for (std::size_t m = 0; m < scores.methods.size(); ++m) {
    chart.series[m].emphasis = scores.methods[m].method == kKnockoutStructured;
  }
  return chart;
}

report::Section section_of(const TreesFindings& found, const TreesOptions& options) {
  const Scores scores = scores_of(found, main_groups(found), options.f1);
  const std::size_t views = found.set.views.size();
  report::Section section{fmt::format("F1 with {} features", found.set.name), {}};
  const bool few = views <= kFewViews;
  section.blocks.push_back(score_table(
      scores, few ? "F1 by the views that are there when predicting"
                  : "F1 by how many views are there when predicting, mean over the combinations"));
  section.blocks.push_back(chart_of(scores, "F1 by the views that are there"));
  if (few) return section;
  std::vector<PatternGroup> without, alone;
  for (const PatternGroup& group : every_pattern(found.set, found.patterns)) {
    const NamedPattern& pattern = found.patterns[group.patterns[0]];
    if (pattern.missing == 1) without.push_back({pattern.name, group.patterns});
    if (pattern.missing == views - 1) alone.push_back(group);
  }
  std::reverse(without.begin(), without.end());  // in the order of the views
  section.blocks.push_back(
      score_table(scores_of(found, without, options.f1), "F1 with one view missing, by that view"));
  section.blocks.push_back(
      score_table(scores_of(found, alone, options.f1), "F1 with one view there, by that view"));
  return section;
}

report::Table data_table(const std::vector<ViewSet>& sets) {
  report::Table table;
  table.caption = "The data";
  table.header = {"features", "rows", "views (width)", "classes (rows)", "left out"};
  table.alignment = "lrlll";
  for (const ViewSet& set : sets) {
    std::vector<std::string> views, classes;
    for (const View& view : set.views)
      views.push_back(fmt::format("{} ({})", view.name, view.width));
    for (std::size_t c = 0; c < set.classes.size(); ++c) {
      const auto count = std::count(set.labels.begin(), set.labels.end(), static_cast<int>(c));
      classes.push_back(fmt::format("{} ({})", set.classes[c], count));
    }
    table.rows.push_back({set.name, with_thousands(set.rows()),
                          fmt::format("{}", fmt::join(views, ", ")),
                          fmt::format("{}", fmt::join(classes, ", ")),
                          fmt::format("{} of rarer classes", with_thousands(set.other_rows))});
  }
  return table;
}

std::string introduction(const std::vector<ViewSet>& sets) {
  return fmt::format(
      "Classes are told apart by the features of several views, in Z-scores. A missing view is "
      "a vector of zeros. Knockout (Structured) replaces whole views by zeros while training, "
      "Knockout (Features) single features, the common baseline nothing; all three are the same "
      "network. {}",
      sets[0].parts.empty() ? "Every seed has a random split, initial weights and masks of its own."
                            : "The split is that of the data set; every seed has initial weights "
                              "and masks of its own.");
}

Json set_json(const TreesFindings& found) {
  Json patterns = Json::array(), results = Json::object();
  for (const NamedPattern& pattern : found.patterns) {
    patterns.push_back(views_there(found.set, pattern));
  }
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    results[found.methods[m]] = found.results[m];
  }
  Json views = Json::object();
  for (const View& view : found.set.views) views[view.name] = view.width;
  return {{"rows", found.set.rows()}, {"rows_of_rarer_classes", found.set.other_rows},
          {"views", views},           {"classes", found.set.classes},
          {"patterns", patterns},     {"results", results}};
}

ViewSetOptions view_set_options(const TreesOptions& options) {
  const auto names = [](const std::string& list) {
    return list.empty() ? std::vector<std::string>() : split_column_list({list}, {});
  };
  return {.classes = options.classes,
          .sets = names(options.sets),
          .views = names(options.views),
          .labels = options.labels};
}

StudyResult run_trees(const TreesOptions& options, const Json& settings,
                      const DataStudyContext& run, int repetitions) {
  const std::vector<std::string> methods = chosen_methods(kMethods, run);
  BadFiles bad;
  encode_missing_sets(options, run, bad);
  const std::vector<ViewSet> sets = read_view_sets(run.data, view_set_options(options), bad);
  bad.throw_unless_skipped(run.skip_bad, "row");

  std::vector<Job> jobs;
  for (const ViewSet& set : sets) {
    for (const std::string& method : methods) {
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        const std::uint64_t seed = repetition_seed(run.seed, repetition);
        jobs.push_back({fmt::format("{}, {}, seed {}", set.name, method, repetition + 1),
                        [&set, &options, &run, method, seed](const auto& progress) {
                          return train_and_score(set, method, options, seed, run.run, progress);
                        }});
      }
    }
  }
  const StudyWork work = open_work("trees", settings, run, encoders_of(options));
  const std::vector<nlohmann::json> results = run_jobs(jobs, *work.journal, run.run);

  StudyResult result;
  result.journal = work.journal;
  result.data = {{"study", "trees"}, {"settings", settings}, {"repetitions", repetitions}};
  report::Document& document = result.document;
  document.title = "Missing views in tree genus classification";
  document.sections.push_back({"What was done", {report::Text{introduction(sets)}}});
  auto next = results.begin();
  for (const ViewSet& set : sets) {
    TreesFindings found{.set = set, .methods = methods, .patterns = view_patterns(set)};
    for (std::size_t m = 0; m < methods.size(); ++m, next += repetitions) {
      found.results.emplace_back(next, next + repetitions);
    }
    const Scores scores = scores_of(found, main_groups(found), options.f1);
    document.summary += fmt::format(
        "{}{}, {} of {}: {}", document.summary.empty() ? "" : "\n\n", set.name,
        plural(static_cast<std::uint64_t>(repetitions), "seed"), plural(set.rows(), "row"),
        verdict(scores, kKnockoutStructured, {kCommonBaseline, kKnockoutFeatures}));
    if (!has_paper_views(set)) {
      document.summary +=
          " A stand-in, not the paper's data (Auto Arborist): the study's code on other views.";
    }
    document.sections.push_back(section_of(found, options));
    result.data["scores"][set.name] = scores_json(scores, kKnockoutStructured);
    result.data["sets"][set.name] = set_json(found);
  }
  std::vector<report::Block> about = {data_table(sets), table_of_settings(settings)};
  if (!bad.empty()) about.push_back(bad.table("row"));
  document.sections.push_back({"Data and settings", about});
  result.data["bad"] = bad.json();
  return result;
}

Settings settings_of(TreesOptions& options) {
  Settings settings;
  settings.add({.name = "classes",
                .field = &options.classes,
                .help = "How many genera: the most frequent ones",
                .least = 2});
  settings.add({.name = "sets",
                .field = &options.sets,
                .help = "Folders of features, separated by commas; all if not given",
                .value_name = "NAMES"});
  settings.add({.name = "views",
                .field = &options.views,
                .help =
                    "Views, separated by commas; all .npy files if not given. NAME may also be a "
                    "table NAME.csv",
                .value_name = "NAMES"});
  settings.add({.name = "labels",
                .field = &options.labels,
                .help = "The file of the labels, without .npy or .csv",
                .value_name = "NAME"});
  settings.add({.name = "test-share",
                .field = &options.test_share,
                .help = "Rows to test on, where the data set has no split",
                .least = 0.01,
                .most = 0.9});
  settings.add({.name = "validation-share",
                .field = &options.validation_share,
                .help = "Rows that decide when to stop, where the data set has no split",
                .least = 0,
                .most = 0.45});
  settings.add({.name = "cities",
                .field = &options.cities,
                .help = "Folders of tfrecords/, separated by commas; all if not given",
                .value_name = "NAMES"});
  settings.add({.name = "record-views",
                .field = &options.record_views,
                .help = "Views and the fields of the records that hold their pictures",
                .value_name = "NAME=FIELD,..."});
  settings.add({.name = "record-label",
                .field = &options.record_label,
                .help = "The field of the records that holds the genus",
                .value_name = "FIELD"});
  settings.add({.name = "encoder",
                .field = &options.encoder,
                .help = "TorchScript files, separated by commas, that make features of pictures",
                .value_name = "FILES"});
  settings.add({.name = "picture-side",
                .field = &options.picture_side,
                .help = "Pixels of the square that the encoder sees",
                .least = 1,
                .most = 4096});
  settings.add({.name = "shorter-side",
                .field = &options.shorter_side,
                .help = "Pixels of a picture's shorter side before it is cut",
                .least = 1,
                .most = 4096});
  settings.add({.name = "encoder-batch",
                .field = &options.encoder_batch,
                .help = "Pictures that are encoded at once",
                .least = 1});
  settings.add({.name = "hidden",
                .field = &options.hidden,
                .help = "Units of each hidden layer; the output is the third layer",
                .quick = {64, 64},
                .least = 1,
                .most = 65536});
  settings.add({.name = "batch",
                .field = &options.batch_rows,
                .help = "Rows per step",
                .quick = 128,
                .least = 1});
  settings.add({.name = "steps",
                .field = &options.steps,
                .help = "Steps at most",
                .quick = 300,
                .least = 1});
  settings.add({.name = "patience",
                .field = &options.patience,
                .help = "Evaluations without progress before training stops",
                .least = 1});
  settings.add({.name = "learning-rate",
                .field = &options.learning_rate,
                .help = "Of Adam",
                .least = 1e-9,
                .most = 1});
  settings.add({.name = "weight-decay",
                .field = &options.weight_decay,
                .help = "Of Adam",
                .least = 0,
                .most = 100});
  settings.add({.name = "dropout",
                .field = &options.dropout,
                .help = "Share of hidden units dropped while training",
                .least = 0,
                .most = 0.95});
  settings.add({.name = "knockout-rate",
                .field = &options.knockout_rate,
                .help = "How often a view is knocked out: paper (half of the rows stay complete), "
                        "auto (the default of fit), or a number",
                .value_name = "RATE"});
  settings.add({.name = "feature-rate",
                .field = &options.feature_rate,
                .help =
                    "How often a single feature is, for Knockout (Features): paper (half of the "
                    "rows stay complete), same (as often as a view), auto, or a number",
                .value_name = "RATE"});
  settings.add({.name = "f1",
                .field = &options.f1,
                .help = "Mean over classes (macro), weighted by their size, or over rows (micro)",
                .choices = {"macro", "weighted", "micro"}});
  return settings;
}

}  // namespace

DataStudy make_trees_study() {
  const auto options = std::make_shared<TreesOptions>();
  DataStudy study;
  study.name = "trees";
  study.description = "tree genera from aerial and street views, or classes from any views";
  study.needs =
      "Features of several views as .npy matrices with labels.npy or labels.csv (aerial.npy, "
      "street.npy; one folder per encoder), or, with "
      "--encoder, Auto Arborist as it comes (tfrecords/<city>/) or pictures under "
      "images/<view>/<genus>/.";
  study.methods = kMethods;
  study.repetitions = 5;
  study.in_engine = false;
  study.needs_engine = [options](const std::string& data) {
    return trees_need_engine(*options, data);
  };
  study.programs = [options](const std::string& data) { return encoders_to_run(*options, data); };
  study.settings = settings_of(*options);
  study.run = [options, settings = study.settings,
               all = study.repetitions](const DataStudyContext& run) {
    return run_trees(*options, settings.values(), run, run.repetitions > 0 ? run.repetitions : all);
  };
  study.synthesize = synthesize_trees;
  return study;
}

}  // namespace knockout::experiments
