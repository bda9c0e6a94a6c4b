// SPDX-License-Identifier: Apache-2.0
#include "cli/model_text.h"

#include <cmath>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/schema_output.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout::cli {
namespace {

constexpr std::size_t kLevelsShown = 10;
constexpr std::size_t kCategoriesShown = 8;

std::string bounds_text(const Feature& feature) {
  if (feature.lower && feature.upper) {
    return fmt::format(" from {} to {}", short_number(*feature.lower),
                       short_number(*feature.upper));
  }
  if (feature.lower) return fmt::format(" of {} or more", short_number(*feature.lower));
  if (feature.upper) return fmt::format(" up to {}", short_number(*feature.upper));
  return "";
}

std::string missing_share_text(const ModelFacts& facts, const std::string& column) {
  const auto found = facts.seen.find(column);
  if (found == facts.seen.end()) return "";
  const std::uint64_t all = found->second.observed + found->second.missing;
  if (found->second.missing == 0 || all == 0) return "none";
  return percent(static_cast<double>(found->second.missing) / static_cast<double>(all));
}

report::Table target_table(const ModelFacts& facts) {
  report::Table table{.caption = "What it predicts",
                      .header = {"target", "answer", "seen in training"},
                      .alignment = "lll"};
  const ReadingIndex readings = facts.model.schema().reading.by_column();
  for (const TargetCoding& coding : facts.model.targets()) {
    const Target& target = coding.target;
    const bool regression = target.task == Task::kRegression;
    std::string seen = seen_text(facts, readings, target.name);
    if (regression && seen.empty()) {
      seen = fmt::format("mean {}, deviation {}", short_number(coding.mean),
                         short_number(coding.stddev));
    }
    table.rows.push_back({target.name,
                          regression ? "a number"
                                     : fmt::format("one of {} classes: {}", target.classes.size(),
                                                   short_list(target.classes, kCategoriesShown)),
                          seen});
  }
  return table;
}

report::Table input_table(const ModelFacts& facts) {
  const Schema& schema = facts.model.schema();
  report::Table table{.caption = "What it predicts from",
                      .header = {"column", "kind", "missing", "seen in training", "how it is read",
                                 "what a gap means"},
                      .alignment = "llrlll"};
  if (facts.seen.empty()) {
    table.note = "What the columns held in training was not written by the version that made it.";
  }
  const ReadingIndex readings = schema.reading.by_column();
  for (const Feature& feature : schema.features) {
    std::string kind(to_string(feature.kind));
    if (!feature.group.empty()) kind += fmt::format(" in {}", feature.group);
    table.rows.push_back({feature.name, kind, missing_share_text(facts, feature.name),
                          seen_text(facts, readings, feature.name),
                          reading_text(facts, readings, feature), gap_text(feature)});
  }
  return table;
}

std::string range_name(const HeldOutRange& range) {
  return range.least == range.most ? std::to_string(range.least)
                                   : fmt::format("{} to {}", range.least, range.most);
}

double mean_of(double sum, const HeldOutLevel::Score& score) {
  return sum / static_cast<double>(score.rows);
}

report::Table quality_table(const ModelFacts& facts, std::size_t t) {
  const TargetCoding& coding = facts.model.targets()[t];
  const bool regression = coding.target.task == Task::kRegression;
  report::Table table{.caption = fmt::format("How good it was: {} by the number of missing inputs",
                                             coding.target.name),
                      .alignment = regression ? "rrrrr" : "rrrr"};
  table.header = regression ? std::vector<std::string>{"missing", "rows", "MSE", "RMSE", "R2"}
                            : std::vector<std::string>{"missing", "rows", "log loss", "error rate"};
  for (const HeldOutRange& range : held_out_ranges(facts.held_out, kLevelsShown)) {
    const HeldOutLevel::Score& score = range.targets[t];
    if (score.rows == 0) continue;
    const double loss = mean_of(score.loss, score);
    std::vector<std::string> row = {range_name(range), with_thousands(score.rows),
                                    short_number(loss)};
    if (regression) {
      row.push_back(short_number(std::sqrt(loss)));
      row.push_back(fmt::format("{:.3f}", 1 - loss / (coding.stddev * coding.stddev)));
    } else {
      row.push_back(percent(mean_of(score.errors, score)));
    }
    table.rows.push_back(std::move(row));
  }
  table.note =
      "On rows that each member had not learned from, alone, with inputs knocked out as in "
      "training; a row counts under every mask that it was tried with. knockout evaluate judges "
      "the whole model on rows of your own.";
  return table;
}

report::LineChart quality_chart(const ModelFacts& facts, std::size_t t) {
  const TargetCoding& coding = facts.model.targets()[t];
  const bool regression = coding.target.task == Task::kRegression;
  report::LineChart chart{.title = fmt::format("Held-out rows: {}", coding.target.name),
                          .x_label = "missing inputs",
                          .y_label = regression ? "RMSE" : "log loss",
                          .whole_x = true};
  report::Series series{.name = coding.target.name, .emphasis = true};
  for (const HeldOutLevel& level : facts.held_out) {
    const HeldOutLevel::Score& score = level.targets[t];
    if (score.rows == 0) continue;
    const double loss = mean_of(score.loss, score);
    series.x.push_back(static_cast<double>(level.missing));
    series.y.push_back(regression ? std::sqrt(loss) : loss);
  }
  chart.series.push_back(std::move(series));
  return chart;
}

/// The steps of each network and the seed, as far as the recipe tells.
std::string training_text(const nlohmann::json& recipe) {
  std::vector<std::string> best;
  const auto members = recipe.find("members");
  if (members == recipe.end() || !members->is_array()) return "";
  for (const nlohmann::json& member : *members) {
    if (member.is_object() && member.contains("best_step")) {
      best.push_back(member["best_step"].dump());
    }
  }
  // Older recipes are flat.
  const nlohmann::json& train = recipe.contains("train") ? recipe["train"] : recipe;
  const bool has_seed = train.is_object() && train.contains("seed");
  std::vector<std::string> said;
  if (!best.empty()) {
    said.push_back(
        fmt::format("{}, best at step {}", plural(best.size(), "network"), fmt::join(best, ", ")));
  }
  const auto rounds = recipe.find("tree_rounds");
  if (rounds != recipe.end() && rounds->is_array() && !rounds->empty()) {
    said.push_back(plural(rounds->size(), "booster") + " of trees");
  }
  if (has_seed) said.push_back("seed " + train["seed"].dump());
  return fmt::format("{}", fmt::join(said, "; "));
}

report::Table making_table(const ModelFacts& facts) {
  report::Table table{.caption = "How it was made", .header = {"what", ""}, .alignment = "ll"};
  const auto say = [&](const std::string& what, const std::string& value) {
    if (!value.empty()) table.rows.push_back({what, value});
  };
  say("version", facts.version.empty() ? "" : "knockout " + facts.version);
  if (facts.rows) {
    std::string rows = with_thousands(*facts.rows);
    if (facts.rows_without_label.value_or(0) > 0) {
      rows +=
          fmt::format(", {} of them without a label", with_thousands(*facts.rows_without_label));
    }
    say("rows", rows);
  }
  if (facts.columns) say("columns", with_thousands(*facts.columns));
  std::vector<std::string> learners;
  for (const WeightedLearner& part : facts.model.learners()) {
    learners.push_back(
        fmt::format("{} (weight {})", part.learner->kind(), short_number(part.weight)));
  }
  say("learners", fmt::format("{}", fmt::join(learners, ", ")));
  say("training", training_text(facts.model.recipe()));
  say("size", fmt::format("{} bytes, {} parameters, format {}", with_thousands(facts.bytes),
                          with_thousands(facts.parameters), facts.format_version));
  say("sha256", facts.sha256);
  return table;
}

report::Table set_aside_table(const ModelFacts& facts) {
  report::Table table{.caption = "Columns of the training data that were set aside",
                      .header = {"column", "why"},
                      .alignment = "ll"};
  for (const UnusedColumn& aside : facts.set_aside) {
    table.rows.push_back({aside.column, aside.reason});
  }
  return table;
}

}  // namespace

namespace {

/// What is taken off the cells of a column, and which of its words mean missing.
std::string format_of(const ColumnReading& reading) {
  std::vector<std::string> parts;
  if (reading.form == ColumnReading::Form::kDates) parts.push_back(reading.dates.pattern);
  parts.push_back(format_text(reading.numbers));
  if (!reading.gap_words.empty()) {
    parts.push_back(fmt::format("missing: {}", short_list(reading.gap_words, kCategoriesShown)));
  }
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The gaps that said themselves why they are. Older files do not tell the sides of limits.
std::string reasons_text(const SeenColumn& seen) {
  const std::uint64_t limits = seen.below_limit + seen.above_limit;
  if (limits == 0 && seen.missing_for_a_reason > 0) {
    return fmt::format("; beyond a limit or missing for another reason: {}",
                       plural(seen.missing_for_a_reason, "cell"));
  }
  std::string text;
  const auto add = [&](std::string_view what, std::uint64_t cells) {
    if (cells > 0) text += fmt::format("; {}: {}", what, plural(cells, "cell"));
  };
  add("below a limit", seen.below_limit);
  add("above a limit", seen.above_limit);
  if (seen.missing_for_a_reason > limits) {
    add("missing for another reason", seen.missing_for_a_reason - limits);
  }
  return text;
}

std::string kind_text(const ModelFacts& facts, const Feature& feature) {
  const bool strict = facts.model.schema().unseen_category == UnseenCategory::kError;
  const ColumnCodec& codec = codec_of(feature);
  if (!feature.categories.empty()) {
    return fmt::format("one of {}; another is {}", short_list(feature.categories, kCategoriesShown),
                       strict || feature.never_missing ? "an error" : "taken as missing");
  }
  if (codec.wants_numbers()) return fmt::format("numbers{}", bounds_text(feature));
  return fmt::format("{}s{}", to_string(feature.kind), bounds_text(feature));
}

}  // namespace

std::string reading_text(const ModelFacts& facts, const ReadingIndex& readings,
                         const Feature& feature) {
  const auto reading = readings.find(feature.name);
  const std::string format = reading == readings.end() ? "" : format_of(*reading->second);
  std::string text = kind_text(facts, feature);
  if (!format.empty()) text += "; " + format;
  const auto seen = facts.seen.find(feature.name);
  return seen == facts.seen.end() ? text : text + reasons_text(seen->second);
}

std::string gap_text(const Feature& feature) {
  if (feature.never_missing) return "not allowed";
  switch (feature.training_gaps) {
    case GapMeaning::kNone:
      return "by chance: training had none";
    case GapMeaning::kAtRandom:
      return "by chance: it was said so";
    case GapMeaning::kForAReason:
      return "may tell something, as in training";
  }
  return "";
}

std::string seen_text(const ModelFacts& facts, const ReadingIndex& readings,
                      const std::string& name) {
  const auto found = facts.seen.find(name);
  if (found == facts.seen.end()) return "";
  const SeenColumn& column = found->second;
  if (!column.first.empty()) return fmt::format("{} to {}", column.first, column.last);
  if (column.low && column.high) {
    const auto text = [&](double number) { return number_text(number, name, readings); };
    return fmt::format("{} to {}{}", text(*column.low), text(*column.high),
                       column.mean ? ", mean " + text(*column.mean) : "");
  }
  std::vector<std::string> values;
  for (const SeenColumn::Count& count : column.values) {
    const double share = column.observed == 0 ? 0.0
                                              : static_cast<double>(count.rows) /
                                                    static_cast<double>(column.observed);
    values.push_back(fmt::format("{} {:.0f} %", count.value, 100 * share));
  }
  return fmt::format("{}{}", fmt::join(values, ", "),
                     column.distinct > values.size() ? ", ..." : "");
}

std::vector<HeldOutRange> held_out_ranges(const std::vector<HeldOutLevel>& levels,
                                          std::size_t at_most) {
  std::size_t rows = 0;
  for (const HeldOutLevel& level : levels) {
    for (const HeldOutLevel::Score& score : level.targets) rows += score.rows;
  }
  // Few levels stand alone; many share, so that each line rests on enough rows.
  const std::size_t share = levels.size() <= at_most ? 0 : rows / at_most;
  std::vector<HeldOutRange> ranges;
  std::size_t taken = 0;  // rows of the last range
  for (const HeldOutLevel& level : levels) {
    if (ranges.empty() || taken >= share) {
      ranges.push_back(
          {level.missing, level.missing, std::vector<HeldOutLevel::Score>(level.targets.size())});
      taken = 0;
    }
    HeldOutRange& range = ranges.back();
    range.most = level.missing;
    for (std::size_t t = 0; t < level.targets.size(); ++t) {
      range.targets[t].rows += level.targets[t].rows;
      range.targets[t].loss += level.targets[t].loss;
      range.targets[t].errors += level.targets[t].errors;
      taken += level.targets[t].rows;
    }
  }
  return ranges;
}

report::Document model_document(const ModelFacts& facts) {
  const Schema& schema = facts.model.schema();
  std::vector<std::string> targets;
  for (const Target& target : schema.targets) targets.push_back(describe_target(target));
  report::Document document{
      .title = facts.path,
      .summary = fmt::format("Predicts {} from {}{}.", fmt::join(targets, "; "),
                             plural(schema.features.size(), "input"),
                             facts.rows ? ", learned from " + plural(*facts.rows, "row") : ""),
      .sections = {},
      .provenance = {}};
  report::Section columns{"Columns", {target_table(facts), input_table(facts)}};
  if (!facts.set_aside.empty()) columns.blocks.emplace_back(set_aside_table(facts));
  document.sections.push_back(std::move(columns));
  report::Section quality{"How good it was", {}};
  for (std::size_t t = 0; t < schema.targets.size(); ++t) {
    if (facts.held_out.empty()) break;
    quality.blocks.emplace_back(quality_table(facts, t));
    quality.blocks.emplace_back(quality_chart(facts, t));
  }
  if (facts.held_out.empty()) {
    quality.blocks.emplace_back(
        report::Text{"How good it was on held-out rows is not in the file: it was fitted without "
                     "validation, or by an older version. knockout evaluate tells."});
  }
  document.sections.push_back(std::move(quality));
  document.sections.push_back({"How it was made", {making_table(facts)}});
  return document;
}

}  // namespace knockout::cli
