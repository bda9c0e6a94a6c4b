// SPDX-License-Identifier: Apache-2.0
// The people of the study beside those of the paper.
#include <cmath>

#include <fmt/format.h>

#include "experiments/alzheimers/cohort.h"

namespace knockout::experiments {
namespace {

struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread_of(const Cohort& cohort, std::string_view input) {
  const std::size_t i = adni_input(input);
  double sum = 0, squares = 0, count = 0;
  for (const CohortMember& member : cohort.members) {
    if (!member.subject.inputs[i]) continue;
    sum += *member.subject.inputs[i];
    ++count;
  }
  const double mean = sum / count;
  for (const CohortMember& member : cohort.members) {
    if (!member.subject.inputs[i]) continue;
    squares += (*member.subject.inputs[i] - mean) * (*member.subject.inputs[i] - mean);
  }
  return {mean, std::sqrt(squares / (count - 1))};
}

std::string text_of(const Spread& spread) {
  if (!std::isfinite(spread.deviation)) return "-";
  return fmt::format("{:.2f} ± {:.2f}", spread.mean, spread.deviation);
}

std::size_t women(const Cohort& cohort) {
  std::size_t count = 0;
  for (const CohortMember& member : cohort.members) count += member.subject.female;
  return count;
}

std::array<std::size_t, 3> alleles(const Cohort& cohort) {
  std::array<std::size_t, 3> counts = {};
  for (const CohortMember& member : cohort.members) {
    const auto value = member.subject.inputs[adni_input("APOE4")];
    if (value) ++counts[static_cast<std::size_t>(*value)];
  }
  return counts;
}

struct YearCounts {
  std::size_t mci = 0, ad = 0;
};

YearCounts year_counts(const Cohort& cohort, std::size_t year) {
  YearCounts counts;
  for (const CohortMember& member : cohort.members) {
    if (!member.ad[year]) continue;
    ++(*member.ad[year] ? counts.ad : counts.mci);
  }
  return counts;
}

/// The share of a domain's cells that are missing.
double missing_share(const Cohort& cohort, AdniDomain domain) {
  double missing = 0, cells = 0;
  for (const CohortMember& member : cohort.members) {
    for (std::size_t i = 0; i < kAdniInputs.size(); ++i) {
      if (kAdniInputs[i].domain != domain) continue;
      ++cells;
      missing += !member.subject.inputs[i].has_value();
    }
  }
  return missing / cells;
}

report::Table selection_table(const Cohort& cohort) {
  report::Table table{.caption = "Who was selected", .header = {"", "here", "paper"}};
  const auto add = [&](const std::string& what, std::size_t here, const std::string& paper) {
    table.rows.push_back({what, fmt::format("{}", here), paper});
  };
  add("with a baseline visit", cohort.with_baseline, "");
  add("MCI at the baseline", cohort.with_mci, "");
  add("  decided by DX_bl, because DX is empty", cohort.by_group, "");
  add("  with a diagnosis within five years", cohort.followed, "1073");
  add("    CN later: left out", cohort.later_cn, "284");
  if (cohort.reverted > 0) add("    MCI after AD: left out", cohort.reverted, "");
  add("selected", cohort.members.size(), "789");
  add("of those without any gap", complete_cases(cohort).members.size(), "256");
  table.note = "1073 is the sum of the paper's 789 and 284.";
  return table;
}

report::Table baseline_table(const Cohort& cohort) {
  const auto [none, one, two] = alleles(cohort);
  const std::size_t all = cohort.members.size();
  return {
      .caption = "At the baseline (the paper's table 1)",
      .header = {"", "here", "paper"},
      .rows = {{"Female/Male", fmt::format("{}/{}", women(cohort), all - women(cohort)), "324/465"},
               {"Age (years)", text_of(spread_of(cohort, "AGE")), "73.46 ± 7.39"},
               {"Education (years)", text_of(spread_of(cohort, "PTEDUCAT")), "15.93 ± 2.81"},
               {"APOE4 (0/1/2)", fmt::format("{}/{}/{}", none, one, two), "371/313/98"},
               {"CDR sum of boxes", text_of(spread_of(cohort, "CDRSB")), "1.55 ± 0.89"},
               {"MMSE", text_of(spread_of(cohort, "MMSE")), "27.52 ± 1.82"}}};
}

report::Table years_table(const Cohort& cohort) {
  report::Table table{.caption = "Diagnoses per year (the paper's table 2)",
                      .header = {"Year", "1", "2", "3", "4", "5"},
                      .rows = {{"MCI, here"},
                               {"MCI, paper", "674", "431", "317", "202", "127"},
                               {"AD, here"},
                               {"AD, paper", "110", "218", "261", "286", "292"}}};
  for (std::size_t year = 0; year < kAdniYears; ++year) {
    const YearCounts counts = year_counts(cohort, year);
    table.rows[0].push_back(fmt::format("{}", counts.mci));
    table.rows[2].push_back(fmt::format("{}", counts.ad));
  }
  return table;
}

report::Table missing_table(const Cohort& cohort) {
  constexpr std::array kPaper = {"0.06", "0.89", "0.20", "37.14", "21.22", "24.08"};
  report::Table table{.caption = "Missing cells, in percent (the paper's table 3)",
                      .header = {"", "here", "paper"}};
  for (std::size_t d = 0; d < kAdniDomains.size(); ++d) {
    table.rows.push_back({std::string(name_of(kAdniDomains[d])),
                          fmt::format("{:.2f}", 100 * missing_share(cohort, kAdniDomains[d])),
                          kPaper[d]});
  }
  return table;
}

}  // namespace

std::vector<report::Table> cohort_tables(const Cohort& cohort) {
  return {selection_table(cohort), baseline_table(cohort), years_table(cohort),
          missing_table(cohort)};
}

nlohmann::ordered_json cohort_json(const Cohort& cohort) {
  using Json = nlohmann::ordered_json;
  Json json = {{"with_baseline", cohort.with_baseline},
               {"with_mci", cohort.with_mci},
               {"decided_by_group", cohort.by_group},
               {"followed", cohort.followed},
               {"later_cn", cohort.later_cn},
               {"reverted", cohort.reverted},
               {"selected", cohort.members.size()},
               {"complete", complete_cases(cohort).members.size()},
               {"female", women(cohort)},
               {"apoe4", alleles(cohort)}};
  for (const char* input : {"AGE", "PTEDUCAT", "CDRSB", "MMSE"}) {
    const Spread spread = spread_of(cohort, input);
    json["baseline"][input] = {{"mean", spread.mean}, {"stddev", spread.deviation}};
  }
  for (std::size_t year = 0; year < kAdniYears; ++year) {
    const YearCounts counts = year_counts(cohort, year);
    json["years"].push_back({{"mci", counts.mci}, {"ad", counts.ad}});
  }
  for (const AdniDomain domain : kAdniDomains) {
    json["missing_share"][std::string(name_of(domain))] = missing_share(cohort, domain);
  }
  return json;
}

}  // namespace knockout::experiments
