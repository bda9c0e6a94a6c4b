// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "knockout/base/ascii.h"

namespace knockout::report {
namespace {

using Scores = std::vector<MethodScore>;

bool worked(const Comparison& comparison, std::size_t method) {
  return comparison.methods[method].failure.empty();
}

/// The methods that worked, best first.
std::vector<std::size_t> by_rank(const Comparison& comparison, const Scores& scores) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < scores.size(); ++m) {
    if (worked(comparison, m)) order.push_back(m);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a].rank < scores[b].rank; });
  return order;
}

std::string removal_text(const RemovalRule& removal) {
  if (const auto* const groups = std::get_if<RemoveGroups>(&removal)) {
    return fmt::format("{:g} % of the groups removed", 100 * groups->rate);
  }
  const auto* const cells = std::get_if<RemoveCells>(&removal);
  if (cells == nullptr) return "Nothing removed";
  std::string mechanism(name_of(cells->mechanism));
  std::transform(mechanism.begin(), mechanism.end(), mechanism.begin(),
                 [](char c) { return ascii_upper(c); });
  // Under MAR a half of the columns drives the gaps of the other and keeps its own cells.
  return fmt::format("{:g} % of the cells{} removed ({})", 100 * cells->rate,
                     cells->mechanism == Mechanism::kMar ? " of half of the inputs" : "",
                     mechanism);
}

double rate_of(const RemovalRule& removal) {
  if (const auto* const groups = std::get_if<RemoveGroups>(&removal)) return groups->rate;
  const auto* const cells = std::get_if<RemoveCells>(&removal);
  return cells == nullptr ? 0.0 : cells->rate;
}

bool is_nothing(const RemovalRule& removal) {
  return std::holds_alternative<RemoveNothing>(removal);
}

bool same_kind(const RemovalRule& a, const RemovalRule& b) {
  const auto* const cells_a = std::get_if<RemoveCells>(&a);
  const auto* const cells_b = std::get_if<RemoveCells>(&b);
  if (cells_a != nullptr && cells_b != nullptr) return cells_a->mechanism == cells_b->mechanism;
  return a.index() == b.index();
}

/// One sentence about the first method, whatever it says.
std::string verdict(const Comparison& comparison, std::size_t testing) {
  const Scores& scores = comparison.scores[testing];
  const std::vector<std::size_t> order = by_rank(comparison, scores);
  const std::string where = removal_text(comparison.testing[testing]);
  const auto& first = comparison.methods.front();
  if (!worked(comparison, 0)) return fmt::format("{}: {} failed.", where, first.label);
  if (order.size() == 1) {
    return fmt::format("{}: {} has loss {:.4f}.", where, first.label,
                       scores[0].relative_loss.value);
  }
  const std::size_t rival = order[0] == 0 ? order[1] : order[0];
  const Estimate& difference = scores[rival].difference;
  const std::string figures =
      fmt::format("{:.4f} against {:.4f} of {}", scores[0].relative_loss.value,
                  scores[rival].relative_loss.value, comparison.methods[rival].label);
  const bool certain = difference.low > 0 || difference.high < 0;
  if (order[0] == 0) {
    return fmt::format("{}: {} is first{}, {}.", where, first.label,
                       certain ? "" : ", by less than chance may explain", figures);
  }
  return fmt::format("{}: {} is number {:g} of {}{}, {}.", where, first.label, scores[0].rank,
                     order.size(), certain ? "" : ", behind by less than chance may explain",
                     figures);
}

std::string summary(const Comparison& comparison) {
  std::string text;
  for (std::size_t testing = 0; testing < comparison.testing.size(); ++testing) {
    text += (text.empty() ? "" : "\n\n") + verdict(comparison, testing);
  }
  for (const Comparison::MethodInfo& method : comparison.methods) {
    if (!method.failure.empty()) {
      text += fmt::format("\n\n{} could not be used: {}", method.label, method.failure);
    }
  }
  return text;
}

/// The share removed, where all removals are of one kind and can share an axis.
std::vector<double> removed_shares(const Comparison& comparison) {
  const RemovalRule* first = nullptr;
  std::vector<double> shares;
  for (const RemovalRule& removal : comparison.testing) {
    if (!is_nothing(removal)) {
      if (first != nullptr && !same_kind(*first, removal)) return {};
      first = &removal;
    }
    shares.push_back(rate_of(removal));
  }
  if (shares.size() < 2) return {};
  return std::is_sorted(shares.begin(), shares.end()) ? shares : std::vector<double>();
}

LineChart loss_chart(const Comparison& comparison, const std::vector<double>& shares) {
  LineChart chart;
  chart.title = "Loss against the share of test inputs removed";
  chart.x_label = "share removed from the inputs that lose cells";
  chart.y_label = "relative loss (1 = knows only the base rate)";
  for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
    if (!worked(comparison, m)) continue;
    Series series{.name = comparison.methods[m].label, .x = shares, .emphasis = m == 0};
    for (const Scores& scores : comparison.scores) {
      series.y.push_back(scores[m].relative_loss.value);
      series.low.push_back(scores[m].relative_loss.low);
      series.high.push_back(scores[m].relative_loss.high);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

BarChart difference_chart(const Comparison& comparison, std::size_t testing) {
  const Scores& scores = comparison.scores[testing];
  BarChart chart;
  chart.title = fmt::format("Loss minus that of {}", comparison.methods.front().label);
  chart.value_label = "above 0: worse; 95 % interval over the test rows";
  for (const std::size_t m : by_rank(comparison, scores)) {
    if (m == 0) continue;
    const Estimate& difference = scores[m].difference;
    chart.bars.push_back(
        {comparison.methods[m].label, difference.value, difference.low, difference.high});
  }
  return chart;
}

std::string difference_text(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "";
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", estimate.value, estimate.low, estimate.high);
}

Table score_table(const Comparison& comparison, std::size_t testing) {
  const Scores& scores = comparison.scores[testing];
  const std::vector<std::size_t> order = by_rank(comparison, scores);
  Table table;
  table.caption = removal_text(comparison.testing[testing]);
  table.header = {"method", "rank", "loss",
                  fmt::format("minus {}", comparison.methods.front().label)};
  table.alignment = "lrrr";
  if (!order.empty()) {
    for (std::size_t t = 0; t < comparison.targets.size(); ++t) {
      for (const Metric metric : scores[order[0]].metrics[t]) {
        const std::string of =
            comparison.targets.size() == 1 ? "" : fmt::format(" of {}", comparison.targets[t].name);
        table.header.push_back(std::string(label_of(metric)) + of);
        table.alignment += 'r';
      }
    }
  }
  for (const std::size_t m : order) {
    std::vector<std::string> row = {comparison.methods[m].label,
                                    fmt::format("{:g}", scores[m].rank),
                                    fmt::format("{:.4f}", scores[m].relative_loss.value),
                                    m == 0 ? "" : difference_text(scores[m].difference)};
    for (const auto& of_target : scores[m].estimates) {
      for (const Estimate& estimate : of_target) {
        row.push_back(std::isnan(estimate.value) ? "" : fmt::format("{:.4g}", estimate.value));
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (!order.empty()) table.best = {{0, 2}};
  return table;
}

Table time_table(const Comparison& comparison) {
  Table table{.caption = "Seconds on one core, mean per fold",
              .header = {"method", "training", "predicting", "what it does"},
              .alignment = "lrrl"};
  for (const Comparison::MethodInfo& method : comparison.methods) {
    const bool failed = !method.failure.empty();
    table.rows.push_back({method.label, failed ? "" : fmt::format("{:.2f}", method.fit_seconds),
                          failed ? "" : fmt::format("{:.2f}", method.predict_seconds),
                          method.description});
  }
  return table;
}

/// Mean loss and mean rank over all removals.
Table overall_table(const Comparison& comparison) {
  Table table{.caption = "Loss by what was removed from the test part",
              .header = {"method"},
              .note =
                  "Loss: RMSE over the deviation of the target, or log loss over its entropy; 1 "
                  "means \"knows only the base rate\", 10 is the most that is counted."};
  for (const RemovalRule& removal : comparison.testing) {
    table.header.push_back(to_string(removal));
  }
  table.header.emplace_back("mean rank");
  const auto removals = static_cast<double>(comparison.testing.size());
  std::vector<std::size_t> shown;
  for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
    if (!worked(comparison, m)) continue;
    shown.push_back(m);
    table.rows.push_back({comparison.methods[m].label});
    double rank = 0;
    for (const Scores& scores : comparison.scores) {
      table.rows.back().push_back(fmt::format("{:.4f}", scores[m].relative_loss.value));
      rank += scores[m].rank / removals;
    }
    table.rows.back().push_back(fmt::format("{:.2f}", rank));
  }
  for (std::size_t s = 0; s < comparison.testing.size(); ++s) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (comparison.scores[s][shown[i]].rank == 1) table.best.emplace_back(i, s + 1);
    }
  }
  return table;
}

}  // namespace

Document comparison_document(const Comparison& comparison) {
  std::string targets;
  for (const Target& target : comparison.targets) {
    targets += (targets.empty() ? "" : ", ") + target.name;
  }
  Document document;
  const std::size_t methods = comparison.methods.size();
  document.title = methods == 1
                       ? fmt::format("Predicting {} with {}", targets, comparison.methods[0].label)
                       : fmt::format("Predicting {}: {} methods compared", targets, methods);
  document.summary = summary(comparison);

  Section overall{"All in one", {overall_table(comparison)}};
  const std::vector<double> shares = removed_shares(comparison);
  if (!shares.empty()) overall.blocks.emplace_back(loss_chart(comparison, shares));
  overall.blocks.emplace_back(Text{fmt::format(
      "{} rows, {} folds{}: every row is predicted by models that never saw it. Removed from the "
      "training part: {}. Intervals are 95 %, over the test rows; how much another training would "
      "change is not in them.",
      comparison.rows, comparison.folds,
      comparison.repeats == 1 ? "" : fmt::format(", dealt {} times", comparison.repeats),
      to_string(comparison.training))});
  document.sections.push_back(std::move(overall));
  for (std::size_t testing = 0; testing < comparison.testing.size(); ++testing) {
    Section section{removal_text(comparison.testing[testing]), {score_table(comparison, testing)}};
    if (worked(comparison, 0) && by_rank(comparison, comparison.scores[testing]).size() > 1) {
      section.blocks.emplace_back(difference_chart(comparison, testing));
    }
    document.sections.push_back(std::move(section));
  }
  document.sections.push_back({"Time, and what the methods are", {time_table(comparison)}});
  return document;
}

}  // namespace knockout::report
