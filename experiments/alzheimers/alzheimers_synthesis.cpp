// SPDX-License-Identifier: Apache-2.0
// A made-up ADNIMERGE.csv: all columns of the real one, its quotes, visit codes and censored cells.
//
// Every input carries a signal of its own and a part of the common stage of the disease. Inputs
// come in pairs that share something which has nothing to do with the disease (head size,
// schooling, the day's form): the one adds its signal to it, the other subtracts it. As in ADNI,
// the first phase enrolled people who were further on and examined fewer of them by lumbar puncture
// and PET, so that gaps say something that a mean in their place does not.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "experiments/alzheimers/alzheimers.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"

namespace knockout::experiments {
namespace {

constexpr int kDefaultPeople = 2000;
constexpr double kStageShare = 0.3;       ///< Of an input's signal that all inputs have in common.
constexpr double kPhaseShare = 0.4;       ///< Of the risk that the phase of the enrolment explains.
constexpr double kFirstPhase = 0.45;      ///< Share of people enrolled in it.
constexpr double kRiskCorrelation = 0.9;  ///< Of the signals with the time to dementia.

/// Column order of the releases of 2020 and later.
constexpr std::array kColumns = {"RID",
                                 "COLPROT",
                                 "ORIGPROT",
                                 "PTID",
                                 "SITE",
                                 "VISCODE",
                                 "EXAMDATE",
                                 "DX_bl",
                                 "AGE",
                                 "PTGENDER",
                                 "PTEDUCAT",
                                 "PTETHCAT",
                                 "PTRACCAT",
                                 "PTMARRY",
                                 "APOE4",
                                 "FDG",
                                 "PIB",
                                 "AV45",
                                 "FBB",
                                 "ABETA",
                                 "TAU",
                                 "PTAU",
                                 "CDRSB",
                                 "ADAS11",
                                 "ADAS13",
                                 "ADASQ4",
                                 "MMSE",
                                 "RAVLT_immediate",
                                 "RAVLT_learning",
                                 "RAVLT_forgetting",
                                 "RAVLT_perc_forgetting",
                                 "LDELTOTAL",
                                 "DIGITSCOR",
                                 "TRABSCOR",
                                 "FAQ",
                                 "MOCA",
                                 "EcogPtMem",
                                 "EcogPtLang",
                                 "EcogPtVisspat",
                                 "EcogPtPlan",
                                 "EcogPtOrgan",
                                 "EcogPtDivatt",
                                 "EcogPtTotal",
                                 "EcogSPMem",
                                 "EcogSPLang",
                                 "EcogSPVisspat",
                                 "EcogSPPlan",
                                 "EcogSPOrgan",
                                 "EcogSPDivatt",
                                 "EcogSPTotal",
                                 "FLDSTRENG",
                                 "FSVERSION",
                                 "IMAGEUID",
                                 "Ventricles",
                                 "Hippocampus",
                                 "WholeBrain",
                                 "Entorhinal",
                                 "Fusiform",
                                 "MidTemp",
                                 "ICV",
                                 "DX",
                                 "mPACCdigit",
                                 "mPACCtrailsB",
                                 "EXAMDATE_bl",
                                 "CDRSB_bl",
                                 "ADAS11_bl",
                                 "ADAS13_bl",
                                 "ADASQ4_bl",
                                 "MMSE_bl",
                                 "RAVLT_immediate_bl",
                                 "RAVLT_learning_bl",
                                 "RAVLT_forgetting_bl",
                                 "RAVLT_perc_forgetting_bl",
                                 "LDELTOTAL_BL",
                                 "DIGITSCOR_bl",
                                 "TRABSCOR_bl",
                                 "FAQ_bl",
                                 "mPACCdigit_bl",
                                 "mPACCtrailsB_bl",
                                 "FLDSTRENG_bl",
                                 "FSVERSION_bl",
                                 "IMAGEUID_bl",
                                 "Ventricles_bl",
                                 "Hippocampus_bl",
                                 "WholeBrain_bl",
                                 "Entorhinal_bl",
                                 "Fusiform_bl",
                                 "MidTemp_bl",
                                 "ICV_bl",
                                 "MOCA_bl",
                                 "EcogPtMem_bl",
                                 "EcogPtLang_bl",
                                 "EcogPtVisspat_bl",
                                 "EcogPtPlan_bl",
                                 "EcogPtOrgan_bl",
                                 "EcogPtDivatt_bl",
                                 "EcogPtTotal_bl",
                                 "EcogSPMem_bl",
                                 "EcogSPLang_bl",
                                 "EcogSPVisspat_bl",
                                 "EcogSPPlan_bl",
                                 "EcogSPOrgan_bl",
                                 "EcogSPDivatt_bl",
                                 "EcogSPTotal_bl",
                                 "ABETA_bl",
                                 "TAU_bl",
                                 "PTAU_bl",
                                 "FDG_bl",
                                 "PIB_bl",
                                 "AV45_bl",
                                 "FBB_bl",
                                 "Years_bl",
                                 "Month_bl",
                                 "Month",
                                 "M",
                                 "update_stamp"};

/// How an input is measured.
struct Scale {
  const char* name;
  double mean, stddev;
  double step;  ///< Values are multiples of it.
  double low, high;
};

/// The first of a pair rises with the disease, the second falls; see above.
struct Pair {
  Scale rises, falls;
};

constexpr std::array kPairs = {
    Pair{{"ICV", 1.53e6, 1.6e5, 10, 9e5, 2.2e6}, {"Hippocampus", 6800, 1100, 1, 2500, 11000}},
    Pair{{"WholeBrain", 1.03e6, 1.1e5, 10, 6e5, 1.5e6}, {"Entorhinal", 3500, 750, 1, 1000, 6500}},
    Pair{{"Fusiform", 17300, 2600, 1, 8000, 30000}, {"MidTemp", 19400, 2900, 1, 8000, 32000}},
    Pair{{"Ventricles", 40500, 21000, 1, 5000, 160000}, {"AGE", 73.5, 7.4, 0.1, 54, 92}},
    Pair{{"PTAU", 28, 14.5, 0.01, 5, 150}, {"TAU", 285, 130, 0.1, 50, 1500}},
    Pair{{"APOE4", 0.65, 0.69, 1, 0, 2}, {"ABETA", 980, 440, 0.1, 150, 3000}},
    Pair{{"ADAS13", 17, 6.7, 0.33, 0, 60}, {"ADAS11", 10.5, 4.5, 0.33, 0, 50}},
    Pair{{"ADASQ4", 5.2, 2.3, 1, 0, 10}, {"LDELTOTAL", 5.5, 3.2, 1, 0, 18}},
    Pair{{"PTEDUCAT", 15.9, 2.8, 1, 4, 20}, {"MMSE", 27.5, 1.8, 1, 22, 30}},
    Pair{{"RAVLT_immediate", 34, 10.5, 1, 5, 70}, {"RAVLT_learning", 4, 2.5, 1, -4, 12}},
    Pair{{"RAVLT_perc_forgetting", 60, 31, 0.01, -100, 100},
         {"RAVLT_forgetting", 4.6, 2.4, 1, -6, 14}},
    Pair{{"CDRSB", 1.55, 0.89, 0.5, 0.5, 6}, {"FAQ", 3.5, 4, 1, 0, 28}},
    Pair{{"TRABSCOR", 118, 68, 1, 25, 300}, {"FDG", 1.23, 0.14, 1e-5, 0.7, 1.8}},
    Pair{{"mPACCdigit", -6.3, 3.3, 1e-4, -20, 4}, {"mPACCtrailsB", -6, 3.2, 1e-4, -20, 4}}};
static_assert(2 * kPairs.size() == kAdniInputs.size());

/// What a random number of a person is for: each has a row of its own.
enum PersonDraw : std::uint32_t { kInputsDraw, kTimeDraw, kGapsDraw, kVisitsDraw, kOtherDraw };

using Values = std::array<std::optional<double>, kAdniInputs.size()>;

struct Person {
  bool first_phase = false;
  Diagnosis baseline = Diagnosis::kMci;
  Values inputs;
  double years_to_ad = 1e9;
  double years_to_cn = 1e9;  ///< Diagnosed CN from then on.
  double leaves_after = 0;   ///< Years.
};

double measured(const Scale& scale, double z) {
  const double value = std::clamp(scale.mean + scale.stddev * z, scale.low, scale.high);
  return std::round(value / scale.step) * scale.step;
}

class AdniMaker {
 public:
  AdniMaker(std::uint64_t seed, bool no_signal)
      : random_(seed, Stream::kSimulation), no_signal_(no_signal) {}

  Person draw(std::uint64_t person) const {
    Person drawn;
    drawn.first_phase = random_.uniform(person, kOtherDraw, 4) < kFirstPhase;
    const double group = random_.uniform(person, kOtherDraw, 0);
    drawn.baseline = group < 0.05   ? Diagnosis::kCn
                     : group < 0.10 ? Diagnosis::kAd
                                    : Diagnosis::kMci;
    const double risk = draw_inputs(person, drawn.inputs);
    // A log-normal time that gives the paper's shares of AD in years 1 to 5, people who leave
    // included.
    const double chance = random_.normal(person, kTimeDraw, 0);
    const double enrolled =
        (drawn.first_phase - kFirstPhase) / std::sqrt(kFirstPhase * (1 - kFirstPhase));
    const double known = std::sqrt(1 - kPhaseShare) * risk + std::sqrt(kPhaseShare) * enrolled;
    const double signal = no_signal_ ? random_.normal(person, kTimeDraw, 1) : known;
    const double worse =
        kRiskCorrelation * signal + std::sqrt(1 - kRiskCorrelation * kRiskCorrelation) * chance;
    drawn.years_to_ad = std::exp(1.82 - 1.69 * worse);
    if (drawn.baseline == Diagnosis::kMci && random_.uniform(person, kOtherDraw, 1) < 0.26) {
      drawn.years_to_cn = 0.4 + 2 * random_.uniform(person, kOtherDraw, 2);
    }
    drawn.leaves_after = draw_stay(random_.uniform(person, kOtherDraw, 3));
    draw_gaps(person, drawn);
    return drawn;
  }

  double uniform(std::uint64_t person, std::uint32_t unit) const {
    return random_.uniform(person, kVisitsDraw, unit);
  }
  double normal(std::uint64_t person, std::uint32_t unit) const {
    return random_.normal(person, kVisitsDraw, unit);
  }

 private:
  /// Returns the sum of all signals, of variance 1.
  double draw_inputs(std::uint64_t person, Values& inputs) const {
    const auto normal = [&](std::size_t unit) {
      return random_.normal(person, kInputsDraw, static_cast<std::uint32_t>(unit));
    };
    const double stage = std::sqrt(kStageShare) * normal(0);
    const double own = std::sqrt(1 - kStageShare);
    double risk = 0;
    for (std::size_t k = 0; k < kPairs.size(); ++k) {
      const double common = normal(3 * k + 1);
      const double rise = stage + own * normal(3 * k + 2), fall = stage + own * normal(3 * k + 3);
      inputs[adni_input(kPairs[k].rises.name)] =
          measured(kPairs[k].rises, (common + rise) / std::numbers::sqrt2);
      inputs[adni_input(kPairs[k].falls.name)] =
          measured(kPairs[k].falls, (common - fall) / std::numbers::sqrt2);
      risk += rise + fall;
    }
    constexpr double kInputs = kAdniInputs.size();
    return risk / std::sqrt(kInputs * (1 - kStageShare) + kInputs * kInputs * kStageShare);
  }

  /// The paper's shares of people with MCI who are still there in each year.
  static double draw_stay(double uniform) {
    constexpr std::array kStays = {0.99, 0.73, 0.60, 0.42, 0.29};
    double stay = 0.4;
    for (const double share : kStays) stay += uniform < share;
    return stay;
  }

  /// Gaps at the paper's rates, over both phases. Spinal fluid is missing more often in the old and
  /// where amyloid is low.
  void draw_gaps(std::uint64_t person, Person& drawn) const {
    const auto uniform = [&](std::uint32_t unit) {
      return random_.uniform(person, kGapsDraw, unit);
    };
    const bool first = drawn.first_phase;
    Values& inputs = drawn.inputs;
    const double age = (*inputs[adni_input("AGE")] - 73.5) / 7.4;
    const double amyloid = (*inputs[adni_input("ABETA")] - 980) / 440;
    const bool no_csf = uniform(0) < (first ? 0.72 : 0.08) + 0.05 * age - 0.05 * amyloid;
    const bool no_scan = uniform(1) < (first ? 0.18 : 0.035);
    const bool poor_scan = uniform(2) < (first ? 0.35 : 0.17);
    for (std::uint32_t i = 0; i < kAdniInputs.size(); ++i) {
      bool gone = false;
      switch (kAdniInputs[i].domain) {
        case AdniDomain::kDemographics:
          gone = uniform(8 + i) < 0.0006;
          break;
        case AdniDomain::kGenotype:
          gone = uniform(8 + i) < 0.009;
          break;
        case AdniDomain::kCognition:
          gone = uniform(8 + i) < 0.002;
          break;
        case AdniDomain::kCsf:
          gone = no_csf;
          break;
        case AdniDomain::kMri:  // a structure that could not be segmented, or no scan at all
          gone = no_scan || (poor_scan && uniform(8 + i) < 0.5);
          break;
        case AdniDomain::kFdg:
          gone = uniform(8 + i) < (first ? 0.46 : 0.06);
          break;
      }
      if (gone) inputs[i].reset();
    }
  }

  Random random_;
  bool no_signal_;
};

/// As the laboratory reports it: beyond what it can measure, only the limit.
std::string csf_text(double value, double least, double most) {
  if (value < least) return fmt::format("<{:g}", least);
  if (value > most) return fmt::format(">{:g}", most);
  return fmt::format("{:g}", value);
}

std::string value_text(std::size_t input, const std::optional<double>& value) {
  if (!value) return "";
  const std::string_view name = kAdniInputs[input].name;
  if (name == "ABETA") return csf_text(*value, 200, 1700);
  if (name == "TAU") return csf_text(*value, 80, 1300);
  if (name == "PTAU") return csf_text(*value, 8, 120);
  return fmt::format("{:.10g}", *value);
}

std::string date_text(int days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

/// One person's rows, every cell in quotes as in the real file.
class PersonWriter {
 public:
  PersonWriter(const AdniMaker& maker, std::uint64_t number)
      : maker_(maker), number_(number), person_(maker.draw(number)) {
    constexpr int kFirstDay = 13000, kSecondDay = 14800;  // 2005-08-05 and 2010-07-10
    baseline_day_ = (person_.first_phase ? kFirstDay : kSecondDay) +
                    static_cast<int>(700 * maker_.uniform(number_, 0));
  }

  std::size_t write(std::string& out) const {
    constexpr std::array kMonths = {0, 3, 6, 12, 18, 24, 36, 48, 60, 72};
    std::size_t rows = 0;
    for (const int months : kMonths) {
      const auto unit = static_cast<std::uint32_t>(100 + 4 * months);
      if (months > 0 && maker_.uniform(number_, unit) < 0.1) continue;  // skipped this visit
      const double years =
          months == 0 ? 0 : months / 12.0 + 0.06 * maker_.normal(number_, unit + 1);
      if (years > person_.leaves_after) break;
      write_row(months, years, out);
      ++rows;
    }
    return rows;
  }

 private:
  std::string diagnosis_at(int months, double years) const {
    if (months == 3) return "";  // that visit is for a scan only
    if (person_.baseline == Diagnosis::kCn) return "CN";
    if (person_.baseline == Diagnosis::kAd) return "Dementia";
    if (years >= person_.years_to_cn && months > 0) return "CN";
    return years >= person_.years_to_ad && months > 0 ? "Dementia" : "MCI";
  }

  void write_row(int months, double years, std::string& out) const {
    std::map<std::string_view, std::string> cells;
    const int day = baseline_day_ + static_cast<int>(std::lround(365.25 * years));
    const std::string site = fmt::format("{:03}", 2 + number_ % 57);
    const std::string phase = person_.first_phase ? "ADNI1" : "ADNI2";
    cells["RID"] = fmt::format("{}", number_ + 2);
    cells["COLPROT"] = cells["ORIGPROT"] = phase;
    cells["PTID"] = fmt::format("{}_S_{:04}", site, number_ + 2);
    cells["SITE"] = fmt::format("{}", 2 + number_ % 57);
    cells["VISCODE"] = months == 0 ? "bl" : fmt::format("m{:02}", months);
    cells["EXAMDATE"] = date_text(day);
    cells["EXAMDATE_bl"] = date_text(baseline_day_);
    cells["DX_bl"] = person_.baseline == Diagnosis::kCn                        ? "CN"
                     : person_.baseline == Diagnosis::kAd                      ? "AD"
                     : person_.first_phase || maker_.uniform(number_, 1) < 0.4 ? "LMCI"
                                                                               : "EMCI";
    cells["DX"] = diagnosis_at(months, years);
    cells["PTGENDER"] = maker_.uniform(number_, 2) < 0.41 ? "Female" : "Male";
    cells["PTETHCAT"] = maker_.uniform(number_, 3) < 0.97 ? "Not Hisp/Latino" : "Hisp/Latino";
    cells["PTRACCAT"] = maker_.uniform(number_, 4) < 0.93 ? "White" : "Black";
    cells["PTMARRY"] = maker_.uniform(number_, 5) < 0.78 ? "Married" : "Widowed";
    if (phase == "ADNI2") cells["MOCA"] = fmt::format("{:.0f}", 23 + 3 * maker_.normal(number_, 6));
    cells["DIGITSCOR"] =
        phase == "ADNI1" ? fmt::format("{:.0f}", 37 + 10 * maker_.normal(number_, 7)) : "";
    cells["FLDSTRENG"] = phase == "ADNI1" ? "1.5 Tesla MRI" : "3 Tesla MRI";
    cells["FSVERSION"] = "Cross-Sectional FreeSurfer (5.1)";
    cells["IMAGEUID"] = fmt::format("{}", 30000 + 11 * number_ + static_cast<unsigned>(months));
    write_inputs(months, cells);
    cells["Years_bl"] = fmt::format("{:.6g}", (day - baseline_day_) / 365.25);
    cells["Month_bl"] = fmt::format("{:.6g}", (day - baseline_day_) / 30.5);
    cells["Month"] = cells["M"] = fmt::format("{}", months);
    cells["update_stamp"] = "2023-01-01 04:35:14.0";

    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const auto found = cells.find(kColumns[c]);
      out += fmt::format("{}\"{}\"", c == 0 ? "" : ",",
                         found == cells.end() ? std::string() : found->second);
    }
    out += '\n';
  }

  /// What the study reads stands in the baseline row; later rows repeat the person's constants.
  void write_inputs(int months, std::map<std::string_view, std::string>& cells) const {
    for (std::size_t i = 0; i < kAdniInputs.size(); ++i) {
      const std::string_view name = kAdniInputs[i].name;
      const std::string text = value_text(i, person_.inputs[i]);
      const bool constant = kAdniInputs[i].domain == AdniDomain::kDemographics ||
                            kAdniInputs[i].domain == AdniDomain::kGenotype;
      if (months == 0 || constant) cells[name] = text;
      for (const char* column : kColumns) {  // "CDRSB_bl", but "LDELTOTAL_BL"
        const std::string_view of = column;
        if (of.size() == name.size() + 3 && of.starts_with(name)) cells[of] = text;
      }
    }
  }

  const AdniMaker& maker_;
  std::uint64_t number_;
  Person person_;
  int baseline_day_ = 0;
};

}  // namespace

std::string synthesize_adnimerge(const Synthesis& synthesis) {
  const std::string folder = empty_folder(synthesis.folder);
  const std::string path = (std::filesystem::path(folder) / "ADNIMERGE.csv").string();
  const int people = synthesis.size > 0 ? synthesis.size : kDefaultPeople;
  const AdniMaker maker(synthesis.seed, synthesis.no_signal);
  std::string text;
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    text += fmt::format("{}\"{}\"", c == 0 ? "" : ",", kColumns[c]);
  }
  text += '\n';
  std::size_t rows = 0;
  for (int person = 0; person < people; ++person) {
    rows += PersonWriter(maker, static_cast<std::uint64_t>(person)).write(text);
  }
  write_atomically(path, text);
  return fmt::format("{}: {} of {}, made up{}.", path, plural(rows, "visit"),
                     plural(static_cast<std::uint64_t>(people), "subject"),
                     synthesis.no_signal ? ", with diagnoses that have nothing to do with the "
                                           "inputs"
                                         : "");
}

}  // namespace knockout::experiments
