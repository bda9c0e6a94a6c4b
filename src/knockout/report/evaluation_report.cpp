// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/evaluation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "knockout/base/ascii.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr std::size_t kGridPatterns = 30;
constexpr std::size_t kTablePatterns = 50;
constexpr std::size_t kCalibrationLines = 5;
constexpr std::size_t kFewestInBin = 10;  ///< A frequency of fewer rows than this says nothing.

std::string with_interval(const Estimate& estimate) {
  if (!std::isfinite(estimate.value)) return "not defined";
  if (!std::isfinite(estimate.low)) return short_number(estimate.value);
  const auto texts = aligned_numbers({estimate.value, estimate.low, estimate.high}, 3);
  return fmt::format("{} ({} to {})", texts[0], texts[1], texts[2]);
}

std::string missing_text(std::size_t missing) {
  return missing == 0 ? "nothing missing" : plural(missing, "input") + " missing";
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = ascii_upper(text[0]);
  return text;
}

/// Writes what concerns one target.
class TargetReport {
 public:
  TargetReport(const Evaluation& evaluation, const std::vector<MissingUnit>& units, std::size_t t)
      : evaluation_(evaluation), units_(units), t_(t), target_(evaluation.targets[t]) {
    const std::vector<Metric> known = metrics_of(target_.task);
    metrics_ = evaluation.levels.empty() ? known : evaluation.levels[0].targets[t].metrics;
    main_ = metrics_.empty() ? known.front() : metrics_.front();
  }

  std::string summary() const;
  std::vector<Section> sections() const;

 private:
  std::string heading(std::string_view text) const {
    if (evaluation_.targets.size() == 1) return std::string(text);
    return fmt::format("{}: {}", target_.name, text);
  }
  std::string main_label() const { return std::string(label_of(main_)); }
  /// The main metric, turned so that more is worse; undefined counts as best.
  double loss_of(const std::vector<TargetScores>& scores) const {
    const double value = scores[t_].at(main_).value;
    if (std::isnan(value)) return -std::numeric_limits<double>::infinity();
    return lower_is_better(main_) ? value : -value;
  }
  LineChart level_chart(Metric metric, const std::string& title) const;
  Table level_table() const;
  Section levels() const;
  Section costs() const;
  Section patterns() const;
  Section calibration() const;
  std::vector<const PatternScores*> worst_first() const;

  const Evaluation& evaluation_;
  const std::vector<MissingUnit>& units_;
  std::size_t t_;
  const Target& target_;
  std::vector<Metric> metrics_;
  Metric main_ = Metric::kMse;
};

std::string TargetReport::summary() const {
  std::string text;
  const bool several = evaluation_.targets.size() > 1;
  const std::string subject =
      several ? fmt::format("{} of \"{}\"", label_of(main_), target_.name) : main_label();
  std::vector<double> values;
  for (const LevelScores& level : evaluation_.levels) {
    values.push_back(level.targets[t_].at(main_).value);
  }
  const std::vector<std::string> texts = aligned_numbers(values, 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LevelScores& level = evaluation_.levels[i];
    if (i == 0) {
      text = fmt::format("{}: {} with {}", capitalised(subject),
                         with_interval(level.targets[t_].at(main_)), missing_text(level.missing));
    } else {
      text += fmt::format(", {} with {}", texts[i], missing_text(level.missing));
    }
  }
  if (text.empty()) return text;
  text += evaluation_.levels.size() > 1 ? ", each the mean over its patterns." : ".";
  if (evaluation_.costs.empty()) return text;

  const InputCost& dearest =
      *std::max_element(evaluation_.costs.begin(), evaluation_.costs.end(),
                        [&](const InputCost& a, const InputCost& b) {
                          return loss_of(a.differences) < loss_of(b.differences);
                        });
  const Estimate& cost = dearest.differences[t_].at(main_);
  text += fmt::format(" The most costly input to lose is \"{}\": it changes {} by {}.",
                      dearest.unit, label_of(main_), with_interval(cost));
  if (cost.low <= 0 && cost.high >= 0) {
    text += " The interval contains 0, so these rows do not show that it matters.";
  }
  return text;
}

LineChart TargetReport::level_chart(Metric metric, const std::string& title) const {
  LineChart chart{.title = title,
                  .x_label = "number of missing inputs",
                  .y_label = std::string(label_of(metric)),
                  .whole_x = true};
  Series& series = chart.series.emplace_back();
  for (const LevelScores& level : evaluation_.levels) {
    const Estimate& found = level.targets[t_].at(metric);
    series.x.push_back(static_cast<double>(level.missing));
    series.y.push_back(found.value);
    series.low.push_back(found.low);
    series.high.push_back(found.high);
  }
  return chart;
}

Table TargetReport::level_table() const {
  Table table{.caption = "Every metric by number of missing inputs",
              .header = {"missing", "patterns", main_label(), "95 % interval"}};
  table.note =
      fmt::format("Means over the patterns of each size, on {}.", plural(evaluation_.rows, "row"));
  table.alignment = "rrrr" + std::string(metrics_.size(), 'r');
  std::vector<std::vector<double>> columns;
  for (const Metric metric : metrics_) {
    std::vector<double> values;
    for (const LevelScores& level : evaluation_.levels) {
      values.push_back(level.targets[t_].at(metric).value);
      if (metric != main_) continue;
      values.push_back(level.targets[t_].at(metric).low);
      values.push_back(level.targets[t_].at(metric).high);
    }
    columns.push_back(std::move(values));
    if (metric != main_) table.header.emplace_back(label_of(metric));
  }
  for (std::size_t i = 0; i < evaluation_.levels.size(); ++i) {
    const LevelScores& level = evaluation_.levels[i];
    std::vector<std::string> row = {std::to_string(level.missing), with_thousands(level.patterns)};
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      const std::vector<std::string> texts = aligned_numbers(columns[m]);
      if (metrics_[m] == main_) {
        row.push_back(texts[3 * i]);
        row.push_back(fmt::format("{} to {}", texts[3 * i + 1], texts[3 * i + 2]));
      } else {
        row.push_back(texts[i]);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Section TargetReport::levels() const {
  Section section{heading("Error against the number of missing inputs"), {}};
  section.blocks.emplace_back(Text{
      "Each point is the mean over all evaluated patterns with that many missing inputs. Bars are "
      "95\u00A0% confidence intervals over the rows."});
  section.blocks.emplace_back(
      level_chart(main_, capitalised(main_label()) + " by number of missing inputs"));
  Row others;
  for (const Metric metric : {Metric::kMae, Metric::kR2, Metric::kErrorRate, Metric::kAuroc}) {
    if (std::find(metrics_.begin(), metrics_.end(), metric) == metrics_.end()) continue;
    others.charts.emplace_back(level_chart(metric, capitalised(std::string(label_of(metric)))));
  }
  if (!others.charts.empty()) section.blocks.emplace_back(std::move(others));
  section.blocks.emplace_back(level_table());
  return section;
}

Section TargetReport::costs() const {
  Section section{heading("What each input is worth"), {}};
  section.blocks.emplace_back(Text{fmt::format(
      "How much {} changes when one input alone goes missing, on the same rows. Where the interval "
      "contains 0, these rows do not show that the input matters beside the others.",
      label_of(main_))});
  BarChart chart{.title = "Cost of losing one input",
                 .value_label = fmt::format("change of {}", label_of(main_))};
  for (const InputCost& cost : evaluation_.costs) {
    const Estimate& found = cost.differences[t_].at(main_);
    chart.bars.push_back({cost.unit, found.value, found.low, found.high});
  }
  section.blocks.emplace_back(std::move(chart));
  return section;
}

std::vector<const PatternScores*> TargetReport::worst_first() const {
  std::vector<const PatternScores*> order;
  for (const PatternScores& pattern : evaluation_.patterns) order.push_back(&pattern);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    const bool a_complete = a->pattern.missing == 0;
    const bool b_complete = b->pattern.missing == 0;
    if (a_complete != b_complete) return a_complete;  // what the others are compared with
    return loss_of(a->targets) > loss_of(b->targets);
  });
  return order;
}

Section TargetReport::patterns() const {
  Section section{heading("Patterns of missing inputs"), {}};
  const std::vector<const PatternScores*> order = worst_first();
  const std::size_t in_grid = std::min(order.size(), kGridPatterns);
  PatternGrid grid{.title = "With nothing missing, then the patterns that hurt most",
                   .value_label = main_label()};
  for (const MissingUnit& unit : units_) grid.inputs.push_back(unit.name);
  std::vector<double> values;
  values.reserve(order.size());
  for (const PatternScores* scored : order) values.push_back(scored->targets[t_].at(main_).value);
  const std::vector<std::string> texts = aligned_numbers(values);
  for (std::size_t i = 0; i < in_grid; ++i) {
    const std::vector<std::string>& columns = order[i]->pattern.pattern.columns;
    const std::set<std::string> hidden(columns.begin(), columns.end());
    PatternGrid::Pattern pattern{{}, texts[i], values[i]};
    for (const MissingUnit& unit : units_) {
      pattern.missing.push_back(
          !unit.columns.empty() &&
          std::all_of(unit.columns.begin(), unit.columns.end(),
                      [&](const std::string& column) { return hidden.contains(column); }));
    }
    grid.patterns.push_back(std::move(pattern));
  }
  section.blocks.emplace_back(std::move(grid));

  Table table{.caption = "Patterns, worst first",
              .header = {"missing inputs", "number", main_label(), "95 % interval"}};
  const std::size_t in_table = std::min(order.size(), kTablePatterns);
  for (std::size_t i = 0; i < in_table; ++i) {
    const Estimate& found = order[i]->targets[t_].at(main_);
    const auto ends = aligned_numbers({found.value, found.low, found.high});
    table.rows.push_back({order[i]->pattern.name, std::to_string(order[i]->pattern.missing),
                          texts[i], fmt::format("{} to {}", ends[1], ends[2])});
  }
  if (in_table < order.size()) {
    table.note = fmt::format("And {} more, in the JSON file beside this page.",
                             with_thousands(order.size() - in_table));
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section TargetReport::calibration() const {
  Section section{heading("Calibration by number of missing inputs"), {}};
  const bool binary = target_.classes.size() == 2;
  LineChart chart{.title = "Predicted probability against frequency",
                  .x_label = binary ? fmt::format("predicted probability of {}", target_.classes[1])
                                    : "predicted probability of the most probable class",
                  .y_label = "how often it came true",
                  .diagonal = true};
  for (const LevelScores& level : evaluation_.levels) {
    if (chart.series.size() == kCalibrationLines || t_ >= level.calibration.size()) break;
    Series series{.name = missing_text(level.missing), .emphasis = level.missing == 0};
    for (const CalibrationBin& bin : level.calibration[t_]) {
      if (bin.count < kFewestInBin) continue;
      series.x.push_back(bin.mean_probability);
      series.y.push_back(bin.frequency);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return section;
  section.blocks.emplace_back(Text{fmt::format(
      "On the diagonal, what is predicted with a probability of 70 % comes true in 70 % of the "
      "cases; above it, things happen more often than predicted. Bins with fewer than {} rows are "
      "left out.",
      kFewestInBin)});
  section.blocks.emplace_back(std::move(chart));
  return section;
}

std::vector<Section> TargetReport::sections() const {
  std::vector<Section> all;
  if (!evaluation_.levels.empty()) all.push_back(levels());
  if (!evaluation_.costs.empty()) all.push_back(costs());
  if (!evaluation_.patterns.empty()) all.push_back(patterns());
  if (target_.task == Task::kClassification) {
    Section found = calibration();
    if (!found.blocks.empty()) all.push_back(std::move(found));
  }
  return all;
}

}  // namespace

Document evaluation_document(const Evaluation& evaluation, const Schema& schema) {
  const std::vector<MissingUnit> units = missing_units(schema);
  Document document;
  std::vector<std::string> names;
  std::vector<std::string> paragraphs;
  for (std::size_t t = 0; t < evaluation.targets.size(); ++t) {
    names.push_back(evaluation.targets[t].name);
    const TargetReport target(evaluation, units, t);
    paragraphs.push_back(target.summary());
    for (Section& section : target.sections()) document.sections.push_back(std::move(section));
  }
  document.title = fmt::format("Predicting {} with inputs missing", fmt::join(names, ", "));
  paragraphs.push_back(fmt::format("Scored on {} under {}.", plural(evaluation.rows, "row"),
                                   plural(evaluation.patterns.size(), "pattern")));
  document.summary = fmt::format("{}", fmt::join(paragraphs, "\n\n"));
  if (!evaluation.notes.empty()) {
    Section notes{"Notes", {}};
    for (const std::string& note : evaluation.notes) {
      notes.blocks.emplace_back(Text{capitalised(note) + (note.ends_with('.') ? "" : ".")});
    }
    document.sections.push_back(std::move(notes));
  }
  document.provenance.seconds = evaluation.seconds;
  return document;
}

}  // namespace knockout::report
