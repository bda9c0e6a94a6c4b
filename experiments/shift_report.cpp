// SPDX-License-Identifier: Apache-2.0
// What the study of shift tells: tables, charts, and when p(M) should follow what is expected.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/shift_study.h"
#include "knockout/base/wording.h"
#include "knockout/eval/metrics.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json shift_interval(const Repeated& of) {
  return {{"mean", number_or_null(of.mean)},
          {"low", number_or_null(of.low)},
          {"high", number_or_null(of.high)}};
}

std::string signed_interval(const Repeated& of) {
  return std::isnan(of.low) ? fmt::format("{:+.3f}", of.mean)
                            : fmt::format("{:+.3f} ({:+.3f} to {:+.3f})", of.mean, of.low, of.high);
}

class ShiftTeller {
 public:
  ShiftTeller(const ShiftDesign& design, const ShiftLosses& losses)
      : design_(design), losses_(losses), expectations_(judge_expectations(design, losses)) {}

  StudyResult tell() const {
    StudyResult result;
    report::Document& document = result.document;
    document.title = "Trained under one missingness, tested under others";
    document.summary = lead_text() + "\n\n" + expectation_text();
    if (design_.repetitions == 1) {
      document.summary += "\n\nOne repetition says little: any difference may be chance.";
    }
    document.sections.push_back({"What was done", {report::Text{introduction()}}});
    if (!expectations_.empty()) {
      document.sections.push_back({"Should p(M) follow --expect-missing?", {expectation_table()}});
    }
    for (std::size_t t = 0; t < design_.training.size(); ++t) {
      document.sections.push_back(
          {fmt::format("Trained under {}", to_string(design_.training[t])), {chart(t), table(t)}});
    }
    result.data = data();
    return result;
  }

 private:
  Repeated loss(std::size_t training, std::size_t arm, std::size_t testing) const {
    return over_repetitions(losses_[training][arm][testing]);
  }

  /// Arms that know nothing of the test: all but those with an expectation.
  std::vector<std::size_t> fair_arms() const {
    std::vector<std::size_t> arms;
    for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
      if (!design_.arms[arm].expects) arms.push_back(arm);
    }
    return arms;
  }

  /// Where the first arm leads, and where another is certainly ahead.
  struct Lead {
    int settings = 0, led = 0;
    std::vector<std::string> lost;
  };
  Lead lead() const {
    Lead found;
    for (std::size_t t = 0; t < design_.training.size(); ++t) {
      for (std::size_t s = 0; s < design_.testing.size(); ++s) {
        ++found.settings;
        std::size_t best = 0;
        for (const std::size_t arm : fair_arms()) {
          if (loss(t, arm, s).mean < loss(t, best, s).mean) best = arm;
        }
        if (best == 0) {
          ++found.led;
          continue;
        }
        std::vector<double> differences;
        for (std::size_t r = 0; r < losses_[t][0][s].size(); ++r) {
          differences.push_back(losses_[t][best][s][r] - losses_[t][0][s][r]);
        }
        const Repeated difference = over_repetitions(differences);
        if (difference.high < 0) {
          found.lost.push_back(
              fmt::format("trained under {}, tested under {}: {} {:.3f}, {} {:.3f}",
                          to_string(design_.training[t]), to_string(design_.testing[s]),
                          design_.arms[best].label, loss(t, best, s).mean, design_.arms[0].label,
                          loss(t, 0, s).mean));
        }
      }
    }
    return found;
  }

  std::string lead_text() const {
    const Lead found = lead();
    std::string text = fmt::format(
        "Of {} pairs of a training and a test missingness, {} has the lowest loss in {}, and is "
        "certainly beaten by the best rival in {}.",
        found.settings, design_.arms[0].label, found.led, found.lost.size());
    if (!found.lost.empty()) text += fmt::format(" Beaten: {}.", fmt::join(found.lost, "; "));
    return text;
  }

  std::string expectation_text() const {
    if (expectations_.empty()) return "";
    std::vector<std::string> follow, same, harm;
    bool costs = false;
    for (const Expectation& of : expectations_) {
      const std::string rule = to_string(design_.testing[of.testing]);
      auto& list = of.met.high < 0 ? follow : of.met.low > 0 ? harm : same;
      list.push_back(fmt::format("{} {}", rule, signed_interval(of.met)));
      costs |= of.not_met.low > 0;
    }
    const auto listed = [](const std::vector<std::string>& items) {
      return items.empty() ? std::string("none") : fmt::format("{}", fmt::join(items, ", "));
    };
    return fmt::format(
        "When p(M) follows --expect-missing and the expected is met, the loss minus that of "
        "Knockout's default is certainly lower for: {}; not certainly different for: {}; certainly "
        "higher for: {}. {}",
        listed(follow), listed(same), listed(harm),
        costs ? "Where something else is met than was expected, some expectations certainly cost "
                "accuracy (the table says how much): follow it only when the way in which data "
                "will go missing is known."
              : "No expectation certainly costs accuracy where something else is met.");
  }

  std::string introduction() const {
    return fmt::format(
        "Nine inputs and y are jointly Gaussian, with a new mean and covariance in every "
        "repetition: the one case in which linear imputation and MICE are exactly right where gaps "
        "have no cause. Cells are removed from {} training rows in one way and from {} test rows "
        "in "
        "others: mcar, completely at random; mar, driven by columns that stay; mnar, the largest "
        "values; groups, whole blocks of three inputs; the number is the share. Every network has "
        "two hidden layers of 100 units, trained for {} steps of 256 rows. \"Knockout, expects X\" "
        "is Knockout whose p(M) is learned from {} other rows that go missing as X, as with "
        "`knockout fit --expect-missing`. Methods are told nothing of the blocks and nothing of "
        "why cells are missing. The loss is the root mean squared error over the deviation of y: "
        "1 means \"knows only the mean\".",
        with_thousands(design_.training_rows), with_thousands(design_.test_rows),
        with_thousands(static_cast<std::uint64_t>(design_.steps)), "1,000");
  }

  report::Table expectation_table() const {
    report::Table table{
        .caption =
            "Loss of Knockout with an expectation minus that of Knockout's default p(M); "
            "negative = the expectation helps",
        .header = {"p(M) expects", "when that is met", "when something else is met"},
        .note = "Means over the training missingness, with 95 % intervals over repetitions."};
    for (const Expectation& of : expectations_) {
      table.rows.push_back({to_string(design_.testing[of.testing]), signed_interval(of.met),
                            signed_interval(of.not_met)});
    }
    return table;
  }

  report::LineChart chart(std::size_t training) const {
    report::LineChart chart{.title = fmt::format("Trained under {}: loss by test missingness",
                                                 to_string(design_.training[training])),
                            .x_label = "removed from the test rows",
                            .y_label = "RMSE / deviation of y",
                            .log_y = true};
    for (const RemovalRule& rule : design_.testing) chart.x_names.push_back(to_string(rule));
    for (const std::size_t arm : fair_arms()) {
      report::Series series{.name = design_.arms[arm].label, .emphasis = arm == 0};
      for (std::size_t s = 0; s < design_.testing.size(); ++s) {
        const Repeated value = loss(training, arm, s);
        series.x.push_back(static_cast<double>(s + 1));
        series.y.push_back(value.mean);
        if (design_.repetitions == 1) continue;
        series.low.push_back(value.low);
        series.high.push_back(value.high);
      }
      chart.series.push_back(std::move(series));
    }
    return chart;
  }

  report::Table table(std::size_t training) const {
    report::Table table{
        .caption = fmt::format("Trained under {}: loss{} over {} repetition{}",
                               to_string(design_.training[training]),
                               design_.repetitions == 1 ? "" : ", mean ± standard deviation",
                               design_.repetitions, design_.repetitions == 1 ? "" : "s"),
        .header = {"method"},
        .note = "The best of those that know nothing of the test is set in bold."};
    for (const RemovalRule& rule : design_.testing) table.header.push_back(to_string(rule));
    for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
      table.rows.push_back({design_.arms[arm].label});
      for (std::size_t s = 0; s < design_.testing.size(); ++s) {
        const Repeated value = loss(training, arm, s);
        table.rows.back().push_back(design_.repetitions == 1
                                        ? fmt::format("{:.3f}", value.mean)
                                        : fmt::format("{:.3f} ± {:.3f}", value.mean, value.stddev));
      }
    }
    for (std::size_t s = 0; s < design_.testing.size(); ++s) {
      std::size_t best = 0;
      for (const std::size_t arm : fair_arms()) {
        if (loss(training, arm, s).mean < loss(training, best, s).mean) best = arm;
      }
      table.best.emplace_back(best, s + 1);
    }
    return table;
  }

  Json data() const {
    Json results = Json::array(), expectations = Json::array();
    for (std::size_t t = 0; t < design_.training.size(); ++t) {
      for (std::size_t arm = 0; arm < design_.arms.size(); ++arm) {
        for (std::size_t s = 0; s < design_.testing.size(); ++s) {
          Json result = {{"training", to_string(design_.training[t])},
                         {"method", design_.arms[arm].name},
                         {"testing", to_string(design_.testing[s])},
                         {"repetitions", losses_[t][arm][s]}};
          result.update(shift_interval(loss(t, arm, s)));
          results.push_back(std::move(result));
        }
      }
    }
    for (const Expectation& of : expectations_) {
      expectations.push_back({{"expects", to_string(design_.testing[of.testing])},
                              {"met", shift_interval(of.met)},
                              {"not_met", shift_interval(of.not_met)}});
    }
    const Lead found = lead();
    return {{"study", "shift"},
            {"seed", design_.seed},
            {"repetitions", design_.repetitions},
            {"training_rows", design_.training_rows},
            {"test_rows", design_.test_rows},
            {"steps", design_.steps},
            {"results", results},
            {"expectations", expectations},
            {"verdict", {{"settings", found.settings}, {"led", found.led}, {"lost", found.lost}}}};
  }

  const ShiftDesign& design_;
  const ShiftLosses& losses_;
  std::vector<Expectation> expectations_;
};

}  // namespace

StudyResult shift_result(const ShiftDesign& design, const ShiftLosses& losses) {
  return ShiftTeller(design, losses).tell();
}

}  // namespace knockout::experiments
