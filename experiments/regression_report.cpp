// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>

#include "knockout/base/ascii.h"
#include "knockout/eval/metrics.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

/// What predictions are compared with.
enum class Against { kBayes, kY };
constexpr Against kBoth[] = {Against::kBayes, Against::kY};

const std::vector<double>& errors_against(const ArmErrors& errors, Against against) {
  return against == Against::kBayes ? errors.against_bayes : errors.against_y;
}

std::string_view name_of(Against against) { return against == Against::kBayes ? "bayes" : "y"; }

/// One training set: a kind, a number of rows, and every arm on it.
struct Panel {
  TrainingKind kind;
  std::size_t rows;
  const std::vector<std::vector<ArmErrors>>* arms;  ///< [arm][repetition]

  std::vector<double> values(std::size_t arm, std::size_t missing, Against against) const {
    std::vector<double> values;
    for (const ArmErrors& errors : (*arms)[arm]) {
      values.push_back(errors_against(errors, against)[missing]);
    }
    return values;
  }
  Repeated error(std::size_t arm, std::size_t missing, Against against) const {
    return over_repetitions(values(arm, missing, against));
  }
  /// An arm minus the first one, repetition by repetition.
  Repeated difference(std::size_t arm, std::size_t missing, Against against) const {
    std::vector<double> differences = values(arm, missing, against);
    const std::vector<double> first = values(0, missing, against);
    for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= first[i];
    return over_repetitions(differences);
  }
};

class Teller {
 public:
  Teller(const RegressionStory& story, const RegressionDesign& design,
         const RegressionErrors& errors)
      : story_(story), design_(design), errors_(errors) {
    for (std::size_t k = 0; k < design.kinds.size(); ++k) {
      for (std::size_t r = 0; r < design.training_rows.size(); ++r) {
        panels_.push_back({design.kinds[k], design.training_rows[r], &errors.of[k][r]});
      }
    }
  }

  StudyResult tell() const {
    StudyResult result;
    result.document.title = story_.title;
    result.document.summary = summary();
    result.document.sections.push_back({"What was done", {report::Text{story_.introduction}}});
    for (const Panel& panel : panels_) result.document.sections.push_back(section(panel));
    if (!story_.paper_tables.empty()) {
      report::Section paper{"The paper's figures", {}};
      for (const report::Table& table : story_.paper_tables) paper.blocks.emplace_back(table);
      result.document.sections.push_back(paper);
    }
    result.document.sections.push_back({"Time", {times()}});
    result.data = data();
    return result;
  }

 private:
  std::size_t levels() const { return static_cast<std::size_t>(design_.most_missing) + 1; }
  const Method& method(std::size_t arm) const { return *design_.arms[arm].method; }

  std::string panel_name(const Panel& panel) const {
    const std::string kind = panel.kind == TrainingKind::kComplete ? "complete training data"
                             : panel.kind == TrainingKind::kMcar   ? "MCAR training data"
                                                                   : "MNAR training data";
    return design_.training_rows.size() == 1 ? kind : fmt::format("{}, {} rows", kind, panel.rows);
  }

  // --- in words ---

  /// Where another method has the lower error: certainly, and by so little that chance may have
  /// done it.
  struct Verdict {
    int cells = 0, led = 0, tied = 0;
    std::vector<std::string> lost;
  };

  Verdict judge(Against against) const {
    Verdict verdict;
    for (const Panel& panel : panels_) {
      for (std::size_t missing = 0; missing < levels(); ++missing) {
        ++verdict.cells;
        std::string winner;
        bool lower = false;
        double most = 0;
        for (std::size_t arm = 1; arm < design_.arms.size(); ++arm) {
          const Repeated difference = panel.difference(arm, missing, against);
          if (difference.mean >= 0) continue;
          lower = true;
          const bool certain = design_.repetitions == 1 || difference.high < 0;
          if (certain && difference.mean < most) {
            most = difference.mean;
            winner =
                fmt::format("{} with {} missing: {} {:.4f}, {} {:.4f}", panel_name(panel), missing,
                            method(arm).label(), panel.error(arm, missing, against).mean,
                            method(0).label(), panel.error(0, missing, against).mean);
          }
        }
        if (!winner.empty()) {
          verdict.lost.push_back(winner);
        } else {
          ++(lower ? verdict.tied : verdict.led);
        }
      }
    }
    return verdict;
  }

  std::string sentence(Against against) const {
    const Verdict verdict = judge(against);
    std::string text = fmt::format(
        "Against {}, {} has the lowest error in {} of {} settings (training data x number of "
        "missing inputs) and is level with the lowest in {}.",
        against == Against::kBayes ? "the best possible prediction E[Y | the inputs left]" : "y",
        method(0).label(), verdict.led, verdict.cells, verdict.tied);
    if (verdict.lost.empty()) return text;
    return text + fmt::format(" It is beaten in {}: {}.", verdict.lost.size(),
                              fmt::join(verdict.lost, "; "));
  }

  std::string summary() const {
    std::string text = sentence(Against::kBayes) + "\n\n" + sentence(Against::kY);
    text += design_.repetitions == 1
                ? "\n\nOne repetition says little: any difference may be chance."
                : "\n\nLevel: the paired difference over the repetitions may be chance (its 95 % "
                  "interval holds 0).";
    return text;
  }

  // --- charts and tables ---

  report::LineChart chart(const Panel& panel, Against against) const {
    report::LineChart chart;
    chart.title = fmt::format("{}, against {}", panel_name(panel),
                              against == Against::kBayes ? "the Bayes optimum" : "y");
    chart.x_label = "missing inputs";
    chart.y_label = "mean squared error";
    chart.log_y = true;
    chart.whole_x = true;
    for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
      report::Series series{.name = method(arm).label(), .emphasis = arm == 0};
      for (std::size_t missing = 0; missing < levels(); ++missing) {
        const Repeated error = panel.error(arm, missing, against);
        series.x.push_back(static_cast<double>(missing));
        series.y.push_back(error.mean);
        series.low.push_back(error.low);
        series.high.push_back(error.high);
      }
      if (design_.repetitions == 1) series.low = series.high = {};
      chart.series.push_back(std::move(series));
    }
    if (against == Against::kY) {
      report::Series best{.name = "best possible", .reference = true};
      for (std::size_t missing = 0; missing < levels(); ++missing) {
        best.x.push_back(static_cast<double>(missing));
        best.y.push_back(best_possible(missing).mean);
      }
      chart.series.push_back(std::move(best));
    }
    return chart;
  }

  Repeated best_possible(std::size_t missing) const {
    std::vector<double> values;
    for (const auto& of_repetition : errors_.bayes_against_y) {
      values.push_back(of_repetition[missing]);
    }
    return over_repetitions(values);
  }

  std::string cell(const Repeated& error) const {
    return design_.repetitions == 1 ? fmt::format("{:.4f}", error.mean)
                                    : fmt::format("{:.4f} ± {:.4f}", error.mean, error.stddev);
  }

  report::Table table(const Panel& panel, Against against) const {
    report::Table table;
    table.caption =
        fmt::format("Mean squared error against {}, {}; mean{} over {} repetition{}",
                    against == Against::kBayes ? "the Bayes optimum" : "y", panel_name(panel),
                    design_.repetitions == 1 ? "" : " ± standard deviation", design_.repetitions,
                    design_.repetitions == 1 ? "" : "s");
    table.header = {"method"};
    for (std::size_t missing = 0; missing < levels(); ++missing) {
      table.header.push_back(fmt::format("{} missing", missing));
    }
    std::vector<std::size_t> best(levels(), 0);
    for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
      table.rows.push_back({method(arm).label()});
      for (std::size_t missing = 0; missing < levels(); ++missing) {
        const Repeated error = panel.error(arm, missing, against);
        table.rows.back().push_back(cell(error));
        if (error.mean < panel.error(best[missing], missing, against).mean) best[missing] = arm;
      }
    }
    for (std::size_t missing = 0; missing < levels(); ++missing) {
      table.best.emplace_back(best[missing], missing + 1);
    }
    if (against == Against::kY) {
      table.rows.push_back({"(best possible)"});
      for (std::size_t missing = 0; missing < levels(); ++missing) {
        table.rows.back().push_back(cell(best_possible(missing)));
      }
    }
    return table;
  }

  report::Section section(const Panel& panel) const {
    report::Row charts;
    for (const Against against : kBoth) charts.charts.emplace_back(chart(panel, against));
    std::string heading = panel_name(panel);
    heading[0] = ascii_upper(heading[0]);
    return {heading, {charts, table(panel, Against::kBayes), table(panel, Against::kY)}};
  }

  double mean_seconds(std::size_t arm, double ArmErrors::*seconds) const {
    double sum = 0, count = 0;
    for (const Panel& panel : panels_) {
      for (const ArmErrors& errors : (*panel.arms)[arm]) {
        sum += errors.*seconds;
        ++count;
      }
    }
    return sum / count;
  }

  report::Table times() const {
    report::Table table{
        .caption = "Seconds on one core, mean over all trainings",
        .header = {"method", "training", "test rows", "predicting them under all patterns"}};
    for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
      table.rows.push_back({method(arm).label(),
                            fmt::format("{:.2f}", mean_seconds(arm, &ArmErrors::fit_seconds)),
                            std::to_string(test_rows(arm)),
                            fmt::format("{:.2f}", mean_seconds(arm, &ArmErrors::predict_seconds))});
    }
    return table;
  }

  std::size_t test_rows(std::size_t arm) const {
    return design_.arms[arm].slow ? design_.slow_test_rows : design_.test_rows;
  }

  // --- for programs ---

  static Json json_of(const Repeated& repeated) {
    return {{"mean", number_or_null(repeated.mean)},
            {"stddev", number_or_null(repeated.stddev)},
            {"low", number_or_null(repeated.low)},
            {"high", number_or_null(repeated.high)}};
  }

  Json data() const {
    Json methods = Json::array(), results = Json::array(), best = Json::array();
    for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
      methods.push_back({{"name", method(arm).name()},
                         {"label", method(arm).label()},
                         {"description", method(arm).description()},
                         {"test_rows", test_rows(arm)},
                         {"fit_seconds", mean_seconds(arm, &ArmErrors::fit_seconds)},
                         {"predict_seconds", mean_seconds(arm, &ArmErrors::predict_seconds)}});
    }
    for (const Panel& panel : panels_) {
      for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
        for (const Against against : kBoth) {
          for (std::size_t missing = 0; missing < levels(); ++missing) {
            Json result = {{"training_data", to_string(panel.kind)},
                           {"training_rows", panel.rows},
                           {"method", method(arm).name()},
                           {"against", name_of(against)},
                           {"missing", missing},
                           {"repetitions", panel.values(arm, missing, against)}};
            result.update(json_of(panel.error(arm, missing, against)));
            result["difference_to_first"] = json_of(panel.difference(arm, missing, against));
            results.push_back(std::move(result));
          }
        }
      }
    }
    for (std::size_t missing = 0; missing < levels(); ++missing) {
      Json level = {{"missing", missing}};
      level.update(json_of(best_possible(missing)));
      best.push_back(std::move(level));
    }
    return {{"study", story_.name},
            {"seed", design_.seed},
            {"repetitions", design_.repetitions},
            {"test_rows", design_.test_rows},
            {"methods", methods},
            {"results", results},
            {"best_possible_against_y", best},
            {"verdict",
             {{"bayes", json_of(judge(Against::kBayes))}, {"y", json_of(judge(Against::kY))}}}};
  }

  static Json json_of(const Verdict& verdict) {
    return {{"settings", verdict.cells},
            {"led", verdict.led},
            {"tied", verdict.tied},
            {"lost", verdict.lost}};
  }

  const RegressionStory& story_;
  const RegressionDesign& design_;
  const RegressionErrors& errors_;
  std::vector<Panel> panels_;
};

}  // namespace

StudyResult tell(const RegressionStory& story, const RegressionDesign& design,
                 const RegressionErrors& errors) {
  return Teller(story, design, errors).tell();
}

}  // namespace knockout::experiments
