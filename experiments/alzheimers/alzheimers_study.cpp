// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "experiments/alzheimers/alzheimers.h"
#include "experiments/scores.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/eval/metrics.h"
#include "knockout/methods/methods.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFewestSubjects = 20;

/// What is removed from every test subject, on top of what is missing already.
struct RemovalRule {
  std::string name;
  MissingPattern pattern;
};

/// Nothing, then each input alone, as in the paper's figures.
std::vector<RemovalRule> single_removals() {
  std::vector<RemovalRule> removals = {{"nothing", {}}};
  for (const AdniInput& input : kAdniInputs) {
    removals.push_back({std::string(input.name), {{std::string(input.name)}}});
  }
  return removals;
}

/// Nothing, then each domain that has several inputs: an addition to the paper.
std::vector<RemovalRule> domain_removals() {
  std::vector<RemovalRule> removals = {{"nothing", {}}};
  for (const AdniDomain domain : kAdniDomains) {
    MissingPattern pattern;
    for (const AdniInput& input : kAdniInputs) {
      if (input.domain == domain) pattern.columns.emplace_back(input.name);
    }
    if (pattern.columns.size() > 1) removals.push_back({std::string(name_of(domain)), pattern});
  }
  return removals;
}

/// Everyone, or those without a gap.
struct SubjectGroup {
  std::string key, heading;
  bool has_gaps = false;  ///< In the file.
  Table table;
};

struct Split {
  Table training, test;
};

/// A random share of the subjects is tested on.
Split split_subjects(const Table& table, double test_share, std::uint64_t seed) {
  const Random random(seed, Stream::kSplit);
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto chosen =
        random.below(static_cast<std::uint32_t>(i), 0, 0, static_cast<std::uint32_t>(i));
    std::swap(order[i - 1], order[chosen]);
  }
  const auto tested =
      static_cast<std::ptrdiff_t>(std::lround(test_share * static_cast<double>(table.rows())));
  return {table.take_rows({order.begin() + tested, order.end()}),
          table.take_rows({order.begin(), order.begin() + tested})};
}

MethodOptions method_options(const std::string& method, const AlzheimersOptions& o,
                             std::size_t training_rows, AllReduce* processes) {
  MethodOptions options;
  if (method == "knockout-paper") {  // otherwise a gap has an input of its own
    options.fit.encode.placeholders = {{"*", o.placeholder}};
    options.fit.encode.reason_placeholders = {{"*", o.reason_placeholder}};
  }
  options.fit.knockout.rate = knockout_rate_of(o.knockout_rate);
  options.fit.knockout.reason_share = 0;  // the paper knocks out with the first placeholder only
  if (o.reweight) options.fit.class_weights = BalancedClasses{};
  TrainOptions& train = options.fit.train;
  train.hidden = o.hidden;
  train.networks = o.networks;
  train.batch_rows = o.batch_rows;
  const double learned = static_cast<double>(training_rows) * (1 - o.validation_share);
  constexpr double kMostSteps = std::numeric_limits<int>::max();
  train.steps =
      static_cast<int>(std::clamp(o.epochs * std::ceil(learned / o.batch_rows), 1.0, kMostSteps));
  train.learning_rate = o.learning_rate;
  train.schedule = Schedule::kConstant;
  train.weight_decay = o.weight_decay;
  train.dropout = o.dropout;
  train.validation_share = o.validation_share;
  constexpr double kEvaluations = 50;  // of the engine, whatever the number of steps
  train.patience = std::max(1, static_cast<int>(std::lround(kEvaluations * o.patience / o.epochs)));
  train.averaging = o.averaging;
  train.processes = processes;
  return options;
}

/// AUROC in each year; NaN where the tested subjects of that year all have the same diagnosis.
std::vector<double> auroc_by_year(const std::vector<TargetPrediction>& predictions,
                                  const Table& test) {
  std::vector<double> values;
  values.reserve(predictions.size());
  for (const TargetPrediction& prediction : predictions) {
    values.push_back(score(Metric::kAuroc, prediction, labels_of(test, prediction.target)).value);
  }
  return values;
}

/// Over the years that have a value.
double mean_of_defined(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return sum / count;
}

nlohmann::json run_split(const AlzheimersOptions& options, const Table& table,
                         const std::string& method, const DataStudyContext& run, int repetition,
                         const std::function<void(double)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t seed = repetition_seed(run.seed, repetition);
  const Split split = split_subjects(table, options.test_share, seed);
  AllReduce* const processes = run.run.processes;
  const int threads = processes != nullptr ? run.run.threads : 1;
  const auto predictor =
      make_method(method == "knockout-paper" ? "knockout" : method,
                  method_options(method, options, split.training.rows(), processes))
          ->fit(split.training, cohort_schema(split.training),
                {.seed = seed, .threads = threads, .progress = progress});
  nlohmann::json found;
  const auto test = [&](const std::vector<RemovalRule>& removals, const char* key) {
    std::vector<MissingPattern> patterns;
    patterns.reserve(removals.size());
    for (const RemovalRule& removal : removals) patterns.push_back(removal.pattern);
    predictor->predict_patterns(
        split.test, patterns,
        [&](std::size_t, const std::vector<TargetPrediction>& predictions) {
          found[key].push_back(auroc_by_year(predictions, split.test));
        },
        // Cells that are missing in the file say so themselves; what is removed here is not.
        {.missing_at_random = {"all"}}, threads);
  };
  test(single_removals(), "inputs");
  test(domain_removals(), "domains");
  found["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

/// What a group of people gave, [method][repetition].
struct AlzheimersFindings {
  std::vector<std::string> methods;
  std::vector<std::vector<nlohmann::json>> results;

  std::vector<double> years(std::size_t method, std::size_t repetition, const char* key,
                            std::size_t removal) const {
    std::vector<double> values;
    for (const auto& value : results[method][repetition][key][removal]) {
      // A journal writes NaN as null.
      values.push_back(value.is_null() ? kNan : value.get<double>());
    }
    return values;
  }
  std::size_t repetitions() const { return results[0].size(); }
};

std::string label_of_method(const std::string& method) { return make_method(method, {})->label(); }

Scores scores_of(const SubjectGroup& group, const AlzheimersFindings& found,
                 const std::vector<RemovalRule>& removals, const char* key) {
  Scores scores{.metric = "AUROC", .repetition_name = "splits"};
  // With gaps of its own, no pattern of a group has everything there.
  if (!group.has_gaps) scores.complete = 0;
  for (const RemovalRule& removal : removals) scores.patterns.push_back(removal.name);
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    MethodScores& of = scores.methods.emplace_back();
    of.method = found.methods[m];
    of.label = label_of_method(of.method);
    of.values.resize(removals.size());
    for (std::size_t p = 0; p < removals.size(); ++p) {
      for (std::size_t r = 0; r < found.repetitions(); ++r) {
        of.values[p].push_back(mean_of_defined(found.years(m, r, key, p)));
      }
    }
  }
  return scores;
}

std::size_t skipped_years(const AlzheimersFindings& found) {
  std::size_t skipped = 0;
  for (std::size_t r = 0; r < found.repetitions(); ++r) {
    const std::vector<double> years = found.years(0, r, "inputs", 0);
    skipped += static_cast<std::size_t>(
        std::count_if(years.begin(), years.end(), [](double value) { return std::isnan(value); }));
  }
  return skipped;
}

std::string with_error(const std::vector<double>& values) {
  std::vector<double> defined;
  std::copy_if(values.begin(), values.end(), std::back_inserter(defined),
               [](double value) { return !std::isnan(value); });
  if (defined.empty()) return "-";
  const Repeated found = over_repetitions(defined);
  if (defined.size() == 1) return fmt::format("{:.3f}", found.mean);
  return fmt::format("{:.3f} ± {:.3f}", found.mean,
                     found.stddev / std::sqrt(static_cast<double>(defined.size())));
}

/// What is removed goes down the table: 28 columns would fit no page.
report::Table removal_table(const Scores& scores, const std::string& caption) {
  report::Table table{.caption = caption,
                      .header = {"Removed"},
                      .note =
                          "AUROC, mean over the five years: mean and standard error over "
                          "splits. The paper shows a figure without numbers."};
  for (const MethodScores& of : scores.methods) table.header.push_back(of.label);
  for (std::size_t p = 0; p < scores.patterns.size(); ++p) {
    std::vector<std::string> row = {scores.patterns[p]};
    std::size_t best = 0;
    double most = -1;
    for (std::size_t m = 0; m < scores.methods.size(); ++m) {
      row.push_back(with_error(scores.methods[m].values[p]));
      const double mean = mean_of_defined(scores.methods[m].values[p]);
      if (mean > most) {
        most = mean;
        best = m;
      }
    }
    table.best.emplace_back(p, best + 1);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table year_table(const AlzheimersFindings& found) {
  report::Table table{.caption = "AUROC by year, nothing removed", .header = {"Method"}};
  for (int year = 1; year <= kAdniYears; ++year) table.header.push_back(fmt::format("{}", year));
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    std::vector<std::string> row = {label_of_method(found.methods[m])};
    for (std::size_t year = 0; year < kAdniYears; ++year) {
      std::vector<double> values;
      for (std::size_t r = 0; r < found.repetitions(); ++r) {
        values.push_back(found.years(m, r, "inputs", 0)[year]);
      }
      row.push_back(with_error(values));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// By how much the first method is ahead of the last for each input removed.
report::BarChart gain_chart(const Scores& scores) {
  const MethodScores &ours = scores.methods.front(), &theirs = scores.methods.back();
  report::BarChart chart{
      .title = fmt::format("{} minus {}, by what is removed", ours.label, theirs.label),
      .value_label = "difference of AUROC, 95 % interval over splits",
      .bars = {}};
  for (std::size_t p = 0; p < scores.patterns.size(); ++p) {
    std::vector<double> gains;
    for (std::size_t r = 0; r < ours.values[p].size(); ++r) {
      const double gain = ours.values[p][r] - theirs.values[p][r];
      if (!std::isnan(gain)) gains.push_back(gain);
    }
    if (gains.empty()) continue;
    const Repeated gain = over_repetitions(gains);
    chart.bars.push_back({scores.patterns[p], gain.mean, gain.low, gain.high});
  }
  return chart;
}

report::LineChart removal_chart(const Scores& scores, const std::string& title) {
  report::LineChart chart = score_chart(scores, title);
  chart.x_label = "what is removed";
  return chart;
}

std::vector<SubjectGroup> groups_of(const AlzheimersOptions& options, const Cohort& cohort,
                                    const std::string& path) {
  std::vector<SubjectGroup> groups;
  const auto add = [&](const char* key, const char* heading, const Cohort& of) {
    if (of.members.size() < kFewestSubjects) {
      throw DataError(
          fmt::format("{}: {} of the {} subjects with MCI at the baseline are left "
                      "for \"{}\": too few to learn from.",
                      path, of.members.size(), cohort.with_mci, heading));
    }
    groups.push_back({key, heading, key == std::string_view("all"), cohort_table(of)});
  };
  if (options.subjects != "complete") add("all", "Everyone selected", cohort);
  if (options.subjects != "all") {
    add("complete", "Those without any gap", complete_cases(cohort));
  }
  return groups;
}

std::string group_summary(const SubjectGroup& group, const AlzheimersFindings& found) {
  const Scores scores = scores_of(group, found, single_removals(), "inputs");
  std::string text =
      fmt::format("{} ({}, {}).", group.heading, plural(group.table.rows(), "subject"),
                  plural(found.repetitions(), "random split"));
  if (group.has_gaps) {
    text += " Their own gaps stay whatever else is removed, so that something is always missing.";
  }
  for (const std::string& told :
       {verdict(scores, "knockout", {"common-baseline", "knockout-star"}),
        verdict(scores, "knockout-paper", {"common-baseline", "knockout-star"})}) {
    if (!told.empty()) text += ' ' + told;
  }
  if (const std::size_t skipped = skipped_years(found); skipped > 0) {
    text += fmt::format(
        " In {} of {} years of splits all tested subjects had the same diagnosis; those years do "
        "not count.",
        skipped, found.repetitions() * kAdniYears);
  }
  return text;
}

void add_group(const SubjectGroup& group, const AlzheimersFindings& found,
               report::Document& document) {
  const Scores inputs = scores_of(group, found, single_removals(), "inputs");
  const Scores domains = scores_of(group, found, domain_removals(), "domains");
  report::Section section{group.heading,
                          {report::Text{group_summary(group, found)},
                           removal_table(inputs, "Each input removed from all tested subjects"),
                           removal_chart(inputs, "AUROC by the input that is removed")}};
  if (found.methods.size() > 1) section.blocks.emplace_back(gain_chart(inputs));
  section.blocks.emplace_back(removal_table(domains, "Whole domains removed (not in the paper)"));
  section.blocks.emplace_back(year_table(found));
  document.sections.push_back(std::move(section));
}

Json group_json(const SubjectGroup& group, const AlzheimersFindings& found) {
  Json years = Json::object();
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    for (std::size_t r = 0; r < found.repetitions(); ++r) {
      years[found.methods[m]].push_back(found.years(m, r, "inputs", 0));
    }
  }
  return {
      {"subjects", group.table.rows()},
      {"years_skipped", skipped_years(found)},
      {"auroc_by_year", years},
      {"domains", scores_json(scores_of(group, found, domain_removals(), "domains"), "knockout")}};
}

}  // namespace

StudyResult run_alzheimers(const AlzheimersOptions& options, const Json& settings,
                           const DataStudyContext& run) {
  const std::vector<std::string> methods =
      chosen_methods({"knockout", "knockout-paper", "knockout-star", "common-baseline"}, run);
  const int repetitions = run.repetitions > 0 ? run.repetitions : 10;
  const std::string path = find_adnimerge(run.data);
  BadFiles bad;
  const std::vector<AdniSubject> subjects = read_adnimerge(path, bad);
  bad.throw_unless_skipped(run.skip_bad, "subject");
  const Cohort cohort = select_cohort(subjects, options.rules);
  const std::vector<SubjectGroup> groups = groups_of(options, cohort, path);

  std::vector<Job> jobs;  // split by split: an interrupted run has whole ones
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const SubjectGroup& group : groups) {
      for (const std::string& method : methods) {
        jobs.push_back({fmt::format("{}, {} subjects, split {}", method, group.key, repetition + 1),
                        [&, repetition](const auto& progress) {
                          return run_split(options, group.table, method, run, repetition, progress);
                        }});
      }
    }
  }
  const StudyWork work = open_work("alzheimers", settings, run);
  const std::vector<nlohmann::json> results = run_jobs(jobs, *work.journal, run.run);

  std::vector<AlzheimersFindings> found(groups.size());
  for (AlzheimersFindings& of : found) {
    of = {methods, {methods.size(), std::vector<nlohmann::json>()}};
  }
  std::size_t next = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (AlzheimersFindings& of : found) {
      for (auto& of_method : of.results) of_method.push_back(results[next++]);
    }
  }

  StudyResult result;
  report::Document& document = result.document;
  document.title = "Alzheimer's forecasting with inputs missing";
  report::Section people{"The people", {}};
  for (report::Table& table : cohort_tables(cohort)) people.blocks.emplace_back(std::move(table));
  document.sections.push_back(std::move(people));
  result.data = {{"study", "alzheimers"},
                 {"settings", settings},
                 {"repetitions", repetitions},
                 {"cohort", cohort_json(cohort)}};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (g > 0) document.summary += "\n\n";
    document.summary += group_summary(groups[g], found[g]);
    add_group(groups[g], found[g], document);
    const Scores scores = scores_of(groups[g], found[g], single_removals(), "inputs");
    Json told = {{"scores", scores_json(scores, "knockout")}};
    if (std::find(methods.begin(), methods.end(), "knockout-paper") != methods.end()) {
      told["scores_paper_form"] = scores_json(scores, "knockout-paper");
    }
    if (g == 0) result.data.update(told);
    result.data["groups"][groups[g].key] = group_json(groups[g], found[g]);
    result.data["groups"][groups[g].key].update(told);
  }
  document.sections.push_back(
      {"Settings",
       {report::Text{
            "Knockout marks a gap on an input of its own; Knockout (paper's form) writes the "
            "paper's "
            "placeholders in place of the Z-score. Splits share subjects, so that intervals over "
            "splits are too narrow for a statement about other people."},
        table_of_settings(settings)}});
  if (!bad.empty()) document.sections.push_back({"Left out", {bad.table("subject")}});
  result.data["bad"] = bad.json();
  result.journal = work.journal;
  return result;
}

}  // namespace knockout::experiments
