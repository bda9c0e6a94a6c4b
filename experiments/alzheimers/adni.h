// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/bad_files.h"

namespace knockout::experiments {

/// The parts into which the paper sorts the inputs (its table of missing rates).
enum class AdniDomain { kDemographics, kGenotype, kCognition, kCsf, kMri, kFdg };
inline constexpr std::array kAdniDomains = {AdniDomain::kDemographics, AdniDomain::kGenotype,
                                            AdniDomain::kCognition,    AdniDomain::kCsf,
                                            AdniDomain::kMri,          AdniDomain::kFdg};
std::string_view name_of(AdniDomain domain);

/// An input of the study, by its column of ADNIMERGE.csv.
struct AdniInput {
  std::string_view name;
  AdniDomain domain;
  bool may_be_negative = false;  ///< Differences and composites of Z-scores.
};

/// The 28 inputs that the paper's appendix names, in its order.
inline constexpr std::array kAdniInputs = {
    AdniInput{"AGE", AdniDomain::kDemographics},
    AdniInput{"PTEDUCAT", AdniDomain::kDemographics},
    AdniInput{"APOE4", AdniDomain::kGenotype},
    AdniInput{"CDRSB", AdniDomain::kCognition},
    AdniInput{"FAQ", AdniDomain::kCognition},
    AdniInput{"ADAS11", AdniDomain::kCognition},
    AdniInput{"ADAS13", AdniDomain::kCognition},
    AdniInput{"ADASQ4", AdniDomain::kCognition},
    AdniInput{"MMSE", AdniDomain::kCognition},
    AdniInput{"RAVLT_immediate", AdniDomain::kCognition},
    AdniInput{"RAVLT_learning", AdniDomain::kCognition, true},
    AdniInput{"RAVLT_forgetting", AdniDomain::kCognition, true},
    AdniInput{"RAVLT_perc_forgetting", AdniDomain::kCognition, true},
    AdniInput{"LDELTOTAL", AdniDomain::kCognition},
    AdniInput{"TRABSCOR", AdniDomain::kCognition},
    AdniInput{"mPACCdigit", AdniDomain::kCognition, true},
    AdniInput{"mPACCtrailsB", AdniDomain::kCognition, true},
    AdniInput{"ABETA", AdniDomain::kCsf},
    AdniInput{"TAU", AdniDomain::kCsf},
    AdniInput{"PTAU", AdniDomain::kCsf},
    AdniInput{"Ventricles", AdniDomain::kMri},
    AdniInput{"Hippocampus", AdniDomain::kMri},
    AdniInput{"WholeBrain", AdniDomain::kMri},
    AdniInput{"Entorhinal", AdniDomain::kMri},
    AdniInput{"Fusiform", AdniDomain::kMri},
    AdniInput{"MidTemp", AdniDomain::kMri},
    AdniInput{"ICV", AdniDomain::kMri},
    AdniInput{"FDG", AdniDomain::kFdg},
};

/// Position among kAdniInputs. REQUIRES: it is one of them.
std::size_t adni_input(std::string_view name);

enum class Diagnosis { kCn, kMci, kAd };

/// A visit after the baseline at which a diagnosis was made.
struct FollowUp {
  double years = 0;  ///< Since the baseline.
  Diagnosis diagnosis = Diagnosis::kCn;
};

struct AdniSubject {
  std::string rid;
  bool female = false;
  /// At the baseline visit; nullopt when neither DX nor DX_bl tells.
  std::optional<Diagnosis> baseline;
  bool baseline_by_group = false;  ///< DX was empty at the baseline: DX_bl decided.
  std::array<std::optional<double>, kAdniInputs.size()> inputs;
  std::vector<FollowUp> follow_ups;  ///< By time.
};

/// ADNIMERGE.csv in that folder, or the one ADNIMERGE_<date>.csv. Throws FileError when there is
/// neither, ConfigError when there are several.
std::string find_adnimerge(const std::string& folder);

/// Everyone in the table who has a baseline visit, by first appearance. Columns are found by name,
/// whatever their order and whether cells are quoted; DX may be of the kind CN, MCI, Dementia or of
/// the older kind "MCI to Dementia", whose second part counts. "<8" and ">1700" are read as the
/// limit itself. A subject whose rows cannot be used (a visit twice, an unknown visit code, a visit
/// before the baseline or more than 30 years after it, a cell that is no number) goes to `bad` with
/// line and column. Throws DataError that names all columns that an extract lacks.
std::vector<AdniSubject> read_adnimerge(const std::string& path, BadFiles& bad);

}  // namespace knockout::experiments
