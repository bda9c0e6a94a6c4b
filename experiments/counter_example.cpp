// SPDX-License-Identifier: Apache-2.0
#include "experiments/counter_example.h"

#include <fmt/format.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/eval/metrics.h"
#include "knockout/fit/fit.h"

namespace knockout::experiments {
namespace {

/// The appendix's example: x is x1 (written 0) or x2 (written 1), and y = 0 exactly where x is x1.
constexpr double kShareOfFirst = 0.3;
constexpr double kKnockoutRates[] = {0.1, 0.3, 0.5, 0.7, 0.9};
constexpr double kRateOfAppendix = 0.5;
constexpr std::size_t kExampleRows = 3000;

/// Where the placeholder lies, on x scaled to [0, 1].
enum class Place {
  kInside,   ///< 0: that of x1.
  kOutside,  ///< -1: the paper's for an interval.
};
constexpr Place kPlaces[] = {Place::kInside, Place::kOutside};
std::string_view name_of_place(Place place) {
  return place == Place::kInside ? "inside" : "outside";
}

Table draw_example(std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  std::vector<double> x(kExampleRows), y(kExampleRows);
  for (std::size_t row = 0; row < kExampleRows; ++row) {
    x[row] = random.uniform(0, static_cast<std::uint32_t>(row), 0) < kShareOfFirst ? 0 : 1;
    y[row] = x[row];
  }
  return Table({Column::numbers("x", x), Column::numbers("y", y)}, "counter-example");
}

FitOptions options_of_example(Place place, double knockout_rate, std::uint64_t seed) {
  FitOptions options;
  options.schema = {.targets = {"y"},
                    .task = Task::kClassification,
                    .continuous = {"x"},
                    .ranges = {{"x", 0.0, 1.0}}};
  options.encode.inline_placeholders = true;
  options.encode.placeholders = {{"x", place == Place::kInside ? 0.0 : -1.0}};
  options.encode.force_placeholders = true;
  options.knockout.rate = knockout_rate;
  options.train.hidden = {32, 32};
  options.train.networks = 1;
  options.train.batch_rows = 256;
  options.train.steps = 3000;
  options.train.learning_rate = 3e-3;
  options.train.weight_decay = 0;
  options.train.validation_share = 0;
  options.train.averaging = 0.998;  // the masks' own noise: many steps make one answer
  options.train.seed = seed;
  options.train.threads = 1;
  return options;
}

/// P(y = 0) as a trained network answers, for a gap and for x1.
nlohmann::json train_example(Place place, double knockout_rate, std::uint64_t seed) {
  const Table table = draw_example(seed);
  const Model model = fit(table, options_of_example(place, knockout_rate, seed)).model;
  const Table asked({Column::numbers("x", {std::nan(""), 0.0, 1.0})}, "questions");
  const TargetPrediction answer = model.predict(asked, {}, 1)[0];
  return {{"gap", answer.values[0]}, {"first", answer.values[2]}, {"second", answer.values[4]}};
}

PlaceholderInSupport formula_of(double knockout_rate) {
  return {.kept = 1 - knockout_rate,
          .outcome = kShareOfFirst,
          .placeholder_given_outcome = 1,
          .placeholder = kShareOfFirst};
}

/// What the formulas promise of P(y = 0), at a gap and at x1.
struct Promise {
  double gap = 0, first = 0;
};
Promise promised(Place place, double knockout_rate) {
  if (place == Place::kOutside) return {.gap = kShareOfFirst, .first = 1};
  const double both = formula_of(knockout_rate).learned();
  return {.gap = both, .first = both};
}

struct ExampleFindings {
  /// [place][rate], over the repetitions.
  std::vector<std::vector<std::vector<double>>> gap, first;
  int repetitions = 0;
};

std::string answer_text(const Repeated& value) {
  return std::isnan(value.low)
             ? fmt::format("{:.4f}", value.mean)
             : fmt::format("{:.4f} ({:.4f} to {:.4f})", value.mean, value.low, value.high);
}

report::Table example_table(const ExampleFindings& found) {
  report::Table table{
      .caption = fmt::format(
          "P(y = 0) where x is missing and where x is x1: by the formula, and as trained networks "
          "answer (mean{} over {} repetition{})",
          found.repetitions == 1 ? "" : " and 95 % interval", found.repetitions,
          found.repetitions == 1 ? "" : "s"),
      .header = {"placeholder", "knockout rate", "gap, formula", "gap, network", "x1, formula",
                 "x1, network"},
      .note = "Wanted are 0.3 for a gap (the marginal) and 1 for x1 (the conditional)."};
  for (std::size_t p = 0; p < std::size(kPlaces); ++p) {
    for (std::size_t r = 0; r < std::size(kKnockoutRates); ++r) {
      const Promise promise = promised(kPlaces[p], kKnockoutRates[r]);
      table.rows.push_back(
          {kPlaces[p] == Place::kInside ? "x1 (inside)" : "-1 (outside)",
           fmt::format("{}", kKnockoutRates[r]), fmt::format("{:.4f}", promise.gap),
           answer_text(over_repetitions(found.gap[p][r])), fmt::format("{:.4f}", promise.first),
           answer_text(over_repetitions(found.first[p][r]))});
    }
  }
  return table;
}

report::LineChart example_chart(const ExampleFindings& found) {
  report::LineChart chart{
      .title = "P(y = 0) where x is missing", .x_label = "knockout rate", .y_label = "probability"};
  for (std::size_t p = 0; p < std::size(kPlaces); ++p) {
    const bool inside = kPlaces[p] == Place::kInside;
    report::Series network{.name = inside ? "network, x̄ = x1" : "network, x̄ = -1",
                           .emphasis = inside};
    report::Series formula{.name = inside ? "formula, x̄ = x1" : "wanted: P(y = 0)",
                           .reference = true};
    for (std::size_t r = 0; r < std::size(kKnockoutRates); ++r) {
      const Repeated answer = over_repetitions(found.gap[p][r]);
      network.x.push_back(kKnockoutRates[r]);
      network.y.push_back(answer.mean);
      if (found.repetitions > 1) {
        network.low.push_back(answer.low);
        network.high.push_back(answer.high);
      }
      formula.x.push_back(kKnockoutRates[r]);
      formula.y.push_back(promised(kPlaces[p], kKnockoutRates[r]).gap);
    }
    chart.series.push_back(std::move(network));
    chart.series.push_back(std::move(formula));
  }
  return chart;
}

nlohmann::ordered_json example_data(const ExampleFindings& found, std::uint64_t seed) {
  using Json = nlohmann::ordered_json;
  Json results = Json::array();
  for (std::size_t p = 0; p < std::size(kPlaces); ++p) {
    for (std::size_t r = 0; r < std::size(kKnockoutRates); ++r) {
      const Promise promise = promised(kPlaces[p], kKnockoutRates[r]);
      for (const bool gap : {true, false}) {
        const std::vector<double>& values = (gap ? found.gap : found.first)[p][r];
        const Repeated answer = over_repetitions(values);
        results.push_back({{"placeholder", name_of_place(kPlaces[p])},
                           {"knockout_rate", kKnockoutRates[r]},
                           {"at", gap ? "gap" : "x1"},
                           {"formula", gap ? promise.gap : promise.first},
                           {"mean", answer.mean},
                           {"low", number_or_null(answer.low)},
                           {"high", number_or_null(answer.high)},
                           {"repetitions", values}});
      }
    }
  }
  return {{"study", "counter-example"},
          {"seed", seed},
          {"repetitions", found.repetitions},
          {"training_rows", kExampleRows},
          {"appendix",
           {{"knockout_rate", kRateOfAppendix},
            {"marginal", kShareOfFirst},
            {"conditional", 1.0},
            {"learned", formula_of(kRateOfAppendix).learned()}}},
          {"results", results}};
}

}  // namespace

double PlaceholderInSupport::learned() const {
  return outcome * (1 - kept + kept * placeholder_given_outcome) / (1 - kept + kept * placeholder);
}

StudyResult reproduce_counter_example(const StudyOptions& options) {
  if (!options.methods.empty()) {
    throw ConfigError("counter-example compares placeholders: it takes no --methods.");
  }
  ExampleFindings found;
  found.repetitions = options.quick ? 1 : options.repetitions;
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < found.repetitions; ++repetition) {
    const std::uint64_t seed = repetition_seed(options.seed, repetition);
    for (const Place place : kPlaces) {
      for (const double rate : kKnockoutRates) {
        jobs.push_back(
            {fmt::format("placeholder {}, rate {}, repetition {}", name_of_place(place), rate,
                         repetition + 1),
             [place, rate, seed](const auto&) { return train_example(place, rate, seed); }});
      }
    }
  }
  auto journal = open_journal({{"study", "counter-example"}, {"seed", options.seed}}, options.run);
  const std::vector<nlohmann::json> results = run_jobs(jobs, *journal, options.run);
  found.gap.assign(std::size(kPlaces), std::vector<std::vector<double>>(std::size(kKnockoutRates)));
  found.first = found.gap;
  std::size_t next = 0;
  for (int repetition = 0; repetition < found.repetitions; ++repetition) {
    for (std::size_t p = 0; p < std::size(kPlaces); ++p) {
      for (std::size_t r = 0; r < std::size(kKnockoutRates); ++r, ++next) {
        found.gap[p][r].push_back(results[next].at("gap").get<double>());
        found.first[p][r].push_back(results[next].at("first").get<double>());
      }
    }
  }

  constexpr std::size_t kAppendix = 2;  // the rate of the appendix, 0.5
  static_assert(kKnockoutRates[kAppendix] == kRateOfAppendix);
  StudyResult result;
  result.document.title = "A placeholder inside the support: the paper's counter-example";
  result.document.summary = fmt::format(
      "With the placeholder x1, which {:.0f} % of the data take, a network can only learn P(y = 0 "
      "| "
      "x missing) = 0.6 / 1.3 = {:.4f} at a knockout rate of 0.5, where the marginal is {} and "
      "P(y = 0 | x1) is 1. Trained networks answer {:.4f} for a gap and {:.4f} for x1. With the "
      "placeholder -1, outside the data, they answer {:.4f} and {:.4f}.",
      100 * kShareOfFirst, formula_of(kRateOfAppendix).learned(), kShareOfFirst,
      over_repetitions(found.gap[0][kAppendix]).mean,
      over_repetitions(found.first[0][kAppendix]).mean,
      over_repetitions(found.gap[1][kAppendix]).mean,
      over_repetitions(found.first[1][kAppendix]).mean);
  result.document.sections = {
      {"What was done",
       {report::Text{fmt::format(
           "The example of the paper's appendix A.2: x is x1 with probability 0.3 and x2 with 0.7, "
           "and y is 0 exactly where x is x1. {} rows are drawn and a network of two hidden layers "
           "of 32 units is trained on them with Knockout, once with x1 itself as placeholder "
           "(which has to be forced) and once with -1, which is outside the support. The formula "
           "is p(y | X' = x̄) = p(y) (1 - r + r P(X = x̄ | y)) / (1 - r + r P(X = x̄)), where r is "
           "the probability that x is kept, 1 - the knockout rate.",
           with_thousands(kExampleRows))}}},
      {"Formula and networks", {example_chart(found), example_table(found)}}};
  result.data = example_data(found, options.seed);
  result.journal = std::move(journal);
  return result;
}

}  // namespace knockout::experiments
