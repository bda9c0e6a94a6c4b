// SPDX-License-Identifier: Apache-2.0
#include "experiments/scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

namespace knockout::experiments {
namespace {

const MethodScores& find(const Scores& scores, const std::string& method) {
  const auto found = std::find_if(scores.methods.begin(), scores.methods.end(),
                                  [&](const MethodScores& of) { return of.method == method; });
  assert(found != scores.methods.end());
  return *found;
}

bool has(const Scores& scores, const std::string& method) {
  return std::any_of(scores.methods.begin(), scores.methods.end(),
                     [&](const MethodScores& of) { return of.method == method; });
}

/// Undefined repetitions do not count.
Repeated over_defined(const std::vector<double>& values) {
  std::vector<double> defined;
  for (const double value : values) {
    if (!std::isnan(value)) defined.push_back(value);
  }
  if (defined.empty()) return {kNan, kNan, kNan, kNan};
  return over_repetitions(defined);
}

std::string number_text(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string with_deviation(double mean, double deviation, int digits) {
  if (std::isnan(mean) || std::isnan(deviation)) return number_text(mean, digits);
  return fmt::format("{:.{}f} ±{:.{}f}", mean, digits, deviation, digits);
}

/// "+0.021 (0.010 to 0.032)"
std::string gain_text(const Scores& scores, const Repeated& gain) {
  const double unit = scores.unit;
  std::string mean = fmt::format("{:+.{}f}", unit * gain.mean, scores.digits);
  if (std::isnan(gain.low)) return mean;
  return fmt::format("{} ({:+.{}f} to {:+.{}f})", mean, unit * gain.low, scores.digits,
                     unit * gain.high, scores.digits);
}

}  // namespace

report::Table score_table(const Scores& scores, const std::string& caption) {
  report::Table table;
  table.caption = caption;
  table.header = {"Method"};
  table.header.insert(table.header.end(), scores.patterns.begin(), scores.patterns.end());
  bool any_paper = false;
  std::vector<double> best(scores.patterns.size(), kNan);
  for (const bool marking : {false, true}) {
    table.rows.clear();
    for (const MethodScores& of : scores.methods) {
      std::vector<std::string> row = {of.label};
      for (std::size_t p = 0; p < scores.patterns.size(); ++p) {
        const Repeated found = over_defined(of.values[p]);
        const bool better = scores.higher_is_better ? found.mean > best[p] : found.mean < best[p];
        if (!marking && (std::isnan(best[p]) || better)) best[p] = found.mean;
        if (marking && found.mean == best[p]) table.best.push_back({table.rows.size(), p + 1});
        row.push_back(
            with_deviation(scores.unit * found.mean, scores.unit * found.stddev, scores.digits));
      }
      table.rows.push_back(row);
      if (of.paper.empty()) continue;
      any_paper = true;
      row = {"  the paper's"};
      for (const std::optional<PaperFigure>& figure : of.paper) {
        row.push_back(
            figure ? with_deviation(figure->mean, figure->deviation.value_or(kNan), scores.digits)
                   : "");
      }
      table.rows.push_back(row);
    }
  }
  table.note = fmt::format("{}: mean and standard deviation over {}{}.", scores.metric,
                           scores.repetition_name,
                           any_paper ? "; below each method what the paper reports" : "");
  return table;
}

report::LineChart score_chart(const Scores& scores, const std::string& title) {
  report::LineChart chart;
  chart.title = title;
  chart.x_label = "pattern";
  chart.y_label = scores.metric;
  chart.x_names = scores.patterns;
  for (const MethodScores& of : scores.methods) {
    report::Series series;
    series.name = of.label;
    series.emphasis = of.method == "knockout";
    for (std::size_t p = 0; p < scores.patterns.size(); ++p) {
      const Repeated found = over_defined(of.values[p]);
      if (std::isnan(found.mean)) continue;
      series.x.push_back(static_cast<double>(p + 1));
      series.y.push_back(scores.unit * found.mean);
      series.low.push_back(scores.unit * (std::isnan(found.low) ? found.mean : found.low));
      series.high.push_back(scores.unit * (std::isnan(found.high) ? found.mean : found.high));
    }
    chart.series.push_back(series);
  }
  return chart;
}

Gain gain_over(const Scores& scores, const std::string& method, const std::string& rival) {
  const MethodScores &one = find(scores, method), &other = find(scores, rival);
  const double sign = scores.higher_is_better ? 1 : -1;
  const std::size_t repetitions = one.values.empty() ? 0 : one.values[0].size();
  std::vector<double> missing, complete;
  for (std::size_t r = 0; r < repetitions; ++r) {
    double sum = 0;
    int patterns = 0;
    for (std::size_t p = 0; p < scores.patterns.size(); ++p) {
      const double gain = sign * (one.values[p][r] - other.values[p][r]);
      if (std::isnan(gain)) continue;
      if (scores.complete == p) {
        complete.push_back(gain);
      } else {
        sum += gain;
        ++patterns;
      }
    }
    if (patterns > 0) missing.push_back(sum / patterns);
  }
  return {over_defined(missing), over_defined(complete)};
}

std::string verdict(const Scores& scores, const std::string& method,
                    const std::vector<std::string>& rivals) {
  std::string text;
  for (const std::string& rival : rivals) {
    if (rival == method || !has(scores, method) || !has(scores, rival)) continue;
    const Gain gain = gain_over(scores, method, rival);
    if (!text.empty()) text += ' ';
    text += fmt::format("{} of {} minus that of {}: ", scores.metric, find(scores, method).label,
                        find(scores, rival).label);
    const bool both = !std::isnan(gain.missing.mean) && !std::isnan(gain.complete.mean);
    if (!std::isnan(gain.missing.mean)) {
      text += fmt::format("{} with something missing", gain_text(scores, gain.missing));
    }
    if (both) text += ", ";
    if (!std::isnan(gain.complete.mean)) {
      text += fmt::format("{} with everything there", gain_text(scores, gain.complete));
    }
    text += '.';
  }
  return text;
}

nlohmann::ordered_json scores_json(const Scores& scores, const std::string& method) {
  using Json = nlohmann::ordered_json;
  Json json = {{"metric", scores.metric},
               {"higher_is_better", scores.higher_is_better},
               {"patterns", scores.patterns}};
  if (scores.complete) json["complete_pattern"] = scores.patterns[*scores.complete];
  for (const MethodScores& of : scores.methods) {
    Json& entry = json["methods"][of.method];
    entry["label"] = of.label;
    for (std::size_t p = 0; p < scores.patterns.size(); ++p) {
      const Repeated found = over_defined(of.values[p]);
      Json& cell = entry["patterns"][scores.patterns[p]];
      cell = {{"values", of.values[p]},
              {"mean", found.mean},
              {"stddev", found.stddev},
              {"low", found.low},
              {"high", found.high}};
      if (p < of.paper.size() && of.paper[p]) cell["paper"] = of.paper[p]->mean;
    }
    if (of.method == method || !has(scores, method)) continue;
    const Gain gain = gain_over(scores, method, of.method);
    const auto interval = [](const Repeated& found) {
      return Json{{"mean", found.mean}, {"low", found.low}, {"high", found.high}};
    };
    json["gain_over"][of.method] = {{"missing", interval(gain.missing)},
                                    {"complete", interval(gain.complete)}};
  }
  return json;
}

}  // namespace knockout::experiments
