// SPDX-License-Identifier: Apache-2.0
#include "experiments/alzheimers/adni.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/data_study.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/csv_reader.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kOtherColumns = {"RID",   "VISCODE",  "DX",
                                                      "DX_bl", "Years_bl", "PTGENDER"};

/// Cells as words; every complaint names line and column.
class Cells {
 public:
  explicit Cells(const Table& table) : table_(table) {}

  std::string_view text(std::size_t row, std::string_view column) const {
    const Column& of = table_.at(column);
    return of.observed(row) ? std::string_view(of.word(row)) : std::string_view();
  }

  [[noreturn]] void refuse(std::size_t row, std::string_view column,
                           const std::string& expected) const {
    throw DataError(fmt::format("{}, column \"{}\": \"{}\" cannot be read; expected {}.",
                                table_.where(row), column, text(row, column), expected));
  }

  std::optional<double> number(std::size_t row, std::string_view column,
                               bool censored = false) const {
    std::string_view cell = text(row, column);
    if (cell.empty()) return std::nullopt;
    if (censored && (cell.front() == '<' || cell.front() == '>')) cell.remove_prefix(1);
    const ParsedNumber parsed = parse_number(cell, '.');
    if (parsed.kind != NumberKind::kNumber) {
      refuse(row, column, censored ? "a number, \"<8\" or \">1700\"" : "a number");
    }
    return parsed.value;
  }

  std::string where(std::size_t row) const { return table_.where(row); }

 private:
  const Table& table_;
};

/// Months since the baseline by the visit code: bl, m06, m12, ... Older releases have a "y1".
int months_of(const Cells& cells, std::size_t row) {
  const std::string_view code = cells.text(row, "VISCODE");
  if (code == "bl") return 0;
  if (code == "y1") return 12;
  int months = -1;
  if (code.size() > 1 && code.front() == 'm') {
    const char* const end = code.data() + code.size();
    if (std::from_chars(code.data() + 1, end, months).ptr != end) months = -1;
  }
  if (months < 0) cells.refuse(row, "VISCODE", "bl, m06, m12, ...");
  return months;
}

std::optional<Diagnosis> diagnosis_of(const Cells& cells, std::size_t row) {
  std::string_view word = cells.text(row, "DX");
  if (word.empty()) return std::nullopt;
  constexpr std::string_view kTo = " to ";
  if (const std::size_t to = word.rfind(kTo); to != std::string_view::npos) {
    word.remove_prefix(to + kTo.size());
  }
  if (word == "CN" || word == "NL") return Diagnosis::kCn;
  if (word == "MCI") return Diagnosis::kMci;
  if (word == "Dementia" || word == "AD") return Diagnosis::kAd;
  cells.refuse(row, "DX", "CN, MCI or Dementia, or a change such as \"MCI to Dementia\"");
}

/// The group in which a subject was enrolled.
std::optional<Diagnosis> group_of(const Cells& cells, std::size_t row) {
  const std::string_view word = cells.text(row, "DX_bl");
  if (word.empty()) return std::nullopt;
  if (word == "CN" || word == "SMC") return Diagnosis::kCn;
  if (word == "EMCI" || word == "LMCI" || word == "MCI") return Diagnosis::kMci;
  if (word == "AD") return Diagnosis::kAd;
  cells.refuse(row, "DX_bl", "CN, SMC, EMCI, LMCI or AD");
}

void read_baseline(const Cells& cells, std::size_t row, AdniSubject& subject) {
  const std::string_view gender = cells.text(row, "PTGENDER");
  if (gender != "Female" && gender != "Male") cells.refuse(row, "PTGENDER", "Female or Male");
  subject.female = gender == "Female";
  subject.baseline = diagnosis_of(cells, row);
  if (!subject.baseline) {
    subject.baseline = group_of(cells, row);
    subject.baseline_by_group = subject.baseline.has_value();
  }
  for (std::size_t i = 0; i < kAdniInputs.size(); ++i) {
    const AdniInput& input = kAdniInputs[i];
    subject.inputs[i] = cells.number(row, input.name, input.domain == AdniDomain::kCsf);
    if (!subject.inputs[i]) continue;
    const double value = *subject.inputs[i];
    if (value < 0 && !input.may_be_negative) cells.refuse(row, input.name, "no negative number");
    if (input.domain == AdniDomain::kGenotype && value != 0 && value != 1 && value != 2) {
      cells.refuse(row, input.name, "0, 1 or 2 alleles");
    }
  }
}

/// When a follow-up visit was; a date that cannot be meant would give the subject wrong labels.
double years_since_baseline(const Cells& cells, std::size_t row, int months) {
  constexpr double kMostYears = 30;  // ADNI began in 2004
  const std::optional<double> told = cells.number(row, "Years_bl");
  const double years = told.value_or(months / 12.0);
  if (!(years >= 0 && years <= kMostYears)) {
    cells.refuse(row, told ? "Years_bl" : "VISCODE",
                 fmt::format("0 to {} years after the baseline", kMostYears));
  }
  return years;
}

/// nullopt for people without a baseline visit.
std::optional<AdniSubject> read_subject(const Cells& cells, const std::vector<std::size_t>& rows) {
  AdniSubject subject;
  subject.rid = cells.text(rows.front(), "RID");
  bool has_baseline = false;
  std::set<int> seen;
  for (const std::size_t row : rows) {
    const std::string_view code = cells.text(row, "VISCODE");
    const std::optional<Diagnosis> diagnosis = diagnosis_of(cells, row);
    if (code == "m0" && !diagnosis) continue;  // ADNI ships an empty row of this kind
    const int months = months_of(cells, row);
    if (!seen.insert(months).second) {
      throw DataError(fmt::format("{}, column \"VISCODE\": the visit \"{}\" is there twice.",
                                  cells.where(row), code));
    }
    if (months == 0) {
      read_baseline(cells, row, subject);
      has_baseline = true;
    } else if (diagnosis) {
      subject.follow_ups.push_back({years_since_baseline(cells, row, months), *diagnosis});
    }
  }
  if (!has_baseline) return std::nullopt;
  std::stable_sort(subject.follow_ups.begin(), subject.follow_ups.end(),
                   [](const FollowUp& a, const FollowUp& b) { return a.years < b.years; });
  return subject;
}

}  // namespace

std::string_view name_of(AdniDomain domain) {
  switch (domain) {
    case AdniDomain::kDemographics:
      return "Demographics";
    case AdniDomain::kGenotype:
      return "Genotype";
    case AdniDomain::kCognition:
      return "Cognitive assessments";
    case AdniDomain::kCsf:
      return "CSF";
    case AdniDomain::kMri:
      return "MRI";
    case AdniDomain::kFdg:
      return "FDG";
  }
  return "";
}

std::size_t adni_input(std::string_view name) {
  const auto found = std::find_if(kAdniInputs.begin(), kAdniInputs.end(),
                                  [&](const AdniInput& input) { return input.name == name; });
  assert(found != kAdniInputs.end());
  return static_cast<std::size_t>(found - kAdniInputs.begin());
}

std::string find_adnimerge(const std::string& folder) {
  const std::string plain = "ADNIMERGE.csv";
  if (fs::exists(fs::path(folder) / plain) || !fs::is_directory(folder)) {
    return expect_path(folder, plain);
  }
  std::vector<std::string> dated;  // as the archive names downloads
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("ADNIMERGE_") && name.ends_with(".csv") &&
        name.find("DICT") == std::string::npos) {
      dated.push_back(name);
    }
  }
  std::sort(dated.begin(), dated.end());
  if (dated.size() > 1) {
    throw ConfigError(
        fmt::format("{}: several releases are in that folder: {}.\n  Call the one to "
                    "be read {}.",
                    folder, fmt::join(dated, ", "), plain));
  }
  return expect_path(folder, dated.empty() ? plain : dated.front());
}

std::vector<AdniSubject> read_adnimerge(const std::string& path, BadFiles& bad) {
  std::vector<std::string> columns(kOtherColumns.begin(), kOtherColumns.end());
  for (const AdniInput& input : kAdniInputs) columns.emplace_back(input.name);
  CsvOptions options;
  options.text_columns = {"*"};
  options.only_columns = columns;
  const Table table = read_csv(path, options);
  std::erase_if(columns, [&](const std::string& name) { return table.find(name) != nullptr; });
  if (!columns.empty()) {
    throw DataError(
        fmt::format("{}: columns are missing: {}.\n  Expected ADNIMERGE.csv as ADNI distributes "
                    "it, with all of its columns.",
                    path, fmt::join(columns, ", ")));
  }

  const Cells cells(table);
  std::vector<std::vector<std::size_t>> rows_of;
  std::unordered_map<std::string_view, std::size_t> position;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view rid = cells.text(row, "RID");
    if (rid.empty()) {
      bad.add("a row without RID", fmt::format("{}, column \"RID\": is empty.", table.where(row)));
      continue;
    }
    const auto [found, is_new] = position.emplace(rid, rows_of.size());
    if (is_new) rows_of.emplace_back();
    rows_of[found->second].push_back(row);
  }
  std::vector<AdniSubject> subjects;
  for (const std::vector<std::size_t>& rows : rows_of) {
    try {
      if (auto subject = read_subject(cells, rows)) subjects.push_back(std::move(*subject));
    } catch (const DataError& error) {
      bad.add(fmt::format("RID {}", cells.text(rows.front(), "RID")), error.what());
    }
  }
  return subjects;
}

}  // namespace knockout::experiments
