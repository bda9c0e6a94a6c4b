// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/picai.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/data_study.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_reader.h"
#include "media/volume/meta_image.h"
#include "media/volume/nifti.h"
#include "media/volume/resample.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

std::string find_marksheet(const std::string& folder) {
  for (const char* place : {"", "clinical_information", "labels", "labels/clinical_information",
                            "picai_labels/clinical_information"}) {
    const fs::path path = fs::path(folder) / place / "marksheet.csv";
    if (fs::exists(path)) return path.string();
  }
  return expect_path(folder, "marksheet.csv");
}

Table read_marksheet(const std::string& path) {
  CsvOptions csv;
  csv.only_columns = {"patient_id", "study_id", "case_csPCa"};
  csv.text_columns = *csv.only_columns;
  const std::string text = read_bytes(path, "the marksheet");
  // Some releases begin with a column of row numbers that has no name.
  return read_csv_text(text.starts_with(',') ? "row" + text : text, path, csv);
}

/// Paths per image, by case; several where a file is there twice.
using CaseImages = std::array<std::vector<std::string>, kPicaiImages>;

/// All images below `folder`: the owners ship five archives (picai_public_images_fold0 to 4), and
/// people unpack them side by side or into one folder.
std::map<std::string, CaseImages> find_images(const std::string& folder) {
  std::map<std::string, CaseImages> found;
  try {
    std::set<fs::path> folders = {fs::canonical(folder)};
    fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
    for (; entry != fs::recursive_directory_iterator(); ++entry) {
      if (entry->is_directory() && !folders.insert(fs::canonical(entry->path())).second) {
        entry.disable_recursion_pending();  // a link to a folder that is looked through anyway
      }
      const std::string name = entry->path().filename().string();
      for (std::size_t image = 0; image < kPicaiImages; ++image) {
        const std::string ending = fmt::format("_{}.mha", kPicaiEndings[image]);
        if (!name.ends_with(ending)) continue;
        found[name.substr(0, name.size() - ending.size())][image].push_back(entry->path().string());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw FileError(fmt::format("{}: cannot be looked through for images: {}.",
                                error.path1().empty() ? folder : error.path1().string(),
                                error.code().message()));
  }
  for (auto& [name, images] : found) {
    for (auto& paths : images) std::sort(paths.begin(), paths.end());
  }
  return found;
}

std::optional<std::string> word_of(const Column& column, std::size_t row) {
  if (!column.observed(row)) return {};
  return column.words[static_cast<std::size_t>(column.codes[row])];
}

/// Why the images of a case cannot be used; "" = they can.
std::string problem_with(const CaseImages& images, const std::string& name,
                         const std::string& folder) {
  for (std::size_t image = 0; image < kPicaiImages; ++image) {
    const auto& paths = images[image];
    if (paths.empty()) {
      return fmt::format("{}_{}.mha is nowhere below {}.", name, kPicaiEndings[image], folder);
    }
    if (paths.size() > 1) return fmt::format("{} are the same image.", fmt::join(paths, " and "));
  }
  return "";
}

Point centre_of(const VolumeInfo& info) {
  Point middle;
  for (std::size_t d = 0; d < 3; ++d) middle[d] = 0.5 * static_cast<double>(info.size[d] - 1);
  return transform(info.to_world, middle);
}

/// The middle of the voxels that are not 0.
Point centre_of_mask(const std::string& path) {
  const Volume mask = read_nifti(path);
  Point sum = {0, 0, 0};
  std::int64_t count = 0;
  for (std::int64_t z = 0; z < mask.size[2]; ++z) {
    for (std::int64_t y = 0; y < mask.size[1]; ++y) {
      for (std::int64_t x = 0; x < mask.size[0]; ++x) {
        if (mask.voxels[voxel_index(mask.size, x, y, z)] == 0.0F) continue;
        const VolumeSize at = {x, y, z};
        for (std::size_t d = 0; d < 3; ++d) sum[d] += static_cast<double>(at[d]);
        ++count;
      }
    }
  }
  if (count == 0) throw DataError(fmt::format("{}: the mask is empty.", path));
  for (double& coordinate : sum) coordinate /= static_cast<double>(count);
  return transform(mask.to_world, sum);
}

/// To mean 0 and deviation 1 over the voxels that are not 0: those are outside the image or hold no
/// signal, which scanners blank out, and stay the darkest.
void standardize(Volume& volume) {
  double sum = 0, squares = 0, count = 0;
  for (const double voxel : volume.voxels) {
    if (voxel == 0) continue;
    sum += voxel;
    count += 1;
  }
  const double mean = sum / std::max(count, 1.0);
  for (const double voxel : volume.voxels) {
    if (voxel != 0) squares += (voxel - mean) * (voxel - mean);
  }
  const double deviation = squares > 0 ? std::sqrt(squares / count) : 1.0;
  for (float& voxel : volume.voxels) voxel = static_cast<float>((voxel - mean) / deviation);
}

}  // namespace

std::vector<PicaiCase> find_picai_cases(const std::string& folder, BadFiles& bad) {
  const std::string marksheet = find_marksheet(folder);
  const Table table = read_marksheet(marksheet);
  if (table.find("case_csPCa") == nullptr) {
    throw DataError(
        fmt::format("{}: has no column \"case_csPCa\" (YES or NO).\n"
                    "  Early releases of the PI-CAI labels lack it: take a later marksheet.csv.",
                    marksheet));
  }
  const Column &patients = table.at("patient_id"), &studies = table.at("study_id"),
               &labels = table.at("case_csPCa");
  std::map<std::string, CaseImages> images = find_images(folder);
  std::map<std::string, int> rows_of_case;
  const auto name_of = [&](std::size_t row) {
    return word_of(patients, row).value_or("") + "_" + word_of(studies, row).value_or("");
  };
  for (std::size_t row = 0; row < table.rows(); ++row) ++rows_of_case[name_of(row)];

  std::vector<PicaiCase> cases;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string where = table.where(row), name = name_of(row);
    if (!patients.observed(row) || !studies.observed(row)) {
      bad.add(where, fmt::format("{}: patient_id or study_id is empty.", where));
      continue;
    }
    const auto found = images.extract(name);
    const std::string label = word_of(labels, row).value_or("");
    if (rows_of_case[name] > 1) {
      bad.add(name, fmt::format("{}: this case has {} rows.", where, rows_of_case[name]));
    } else if (label != "YES" && label != "NO") {
      bad.add(name, fmt::format("{}: case_csPCa is \"{}\"; expected YES or NO.", where, label));
    } else if (const std::string problem =
                   problem_with(found ? found.mapped() : CaseImages(), name, folder);
               !problem.empty()) {
      bad.add(name, problem);
    } else {
      PicaiCase& added = cases.emplace_back();
      added.patient = *word_of(patients, row);
      added.study = *word_of(studies, row);
      added.has_cancer = label == "YES";
      for (std::size_t i = 0; i < kPicaiImages; ++i) added.paths[i] = found.mapped()[i][0];
    }
  }
  for (const auto& [name, paths] : images) {
    if (rows_of_case.contains(name)) continue;  // a second row, already named
    const auto& first = *std::find_if(paths.begin(), paths.end(),
                                      [](const auto& of_image) { return !of_image.empty(); });
    bad.add(name, fmt::format("{}: {} has no row with patient_id and study_id as its name says.",
                              first[0], marksheet));
  }
  return cases;
}

Volume crop_grid(const Affine& t2w, const Point& centre, const PicaiCrop& crop) {
  const Point old_spacing = spacing(t2w);
  Volume grid{crop.size, kIdentityAffine, {}};
  for (std::size_t row = 0; row < 3; ++row) {
    grid.to_world[row][3] = centre[row];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double step = crop.box_mm[axis] / static_cast<double>(crop.size[axis]);
      grid.to_world[row][axis] = t2w[row][axis] / old_spacing[axis] * step;
      grid.to_world[row][3] -=
          grid.to_world[row][axis] * 0.5 * static_cast<double>(crop.size[axis] - 1);
    }
  }
  return grid;
}

Volume read_picai_crop(const PicaiCase& from, std::size_t image, const PicaiCrop& crop) {
  const VolumeInfo t2w = read_meta_image_info(from.paths[0]);
  const Point centre =
      crop.gland_masks.empty()
          ? centre_of(t2w)
          : centre_of_mask((fs::path(crop.gland_masks) / (from.name() + ".nii.gz")).string());
  const Volume grid = crop_grid(t2w.to_world, centre, crop);
  Volume result = resample_like(read_meta_image(from.paths[image]), grid);
  const auto [least, greatest] = std::minmax_element(result.voxels.begin(), result.voxels.end());
  if (*least == *greatest) {
    throw DataError(fmt::format(
        "{}: every voxel within the box around the prostate is {}.\n"
        "  The box lies in the middle of {} and is found by the directions and offsets of both "
        "files.",
        from.paths[image], *least, from.paths[0]));
  }
  if (crop.unit_range) {
    scale_to_unit_range(result);
  } else {
    standardize(result);
  }
  return result;
}

PicaiSplit split_by_patient(const std::vector<PicaiCase>& cases, double validation_share,
                            double test_share, std::uint64_t seed) {
  struct Patient {
    std::vector<std::size_t> cases;
    bool has_cancer = false;
  };
  std::map<std::string, Patient> by_name;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Patient& patient = by_name[cases[i].patient];
    patient.cases.push_back(i);
    patient.has_cancer |= cases[i].has_cancer;
  }
  PicaiSplit split;
  const Random random(seed, Stream::kSplit);
  for (const bool has_cancer : {false, true}) {
    std::vector<std::pair<double, const Patient*>> order;
    std::uint32_t number = 0;
    for (const auto& [name, patient] : by_name) {
      const double key = random.uniform(0, number++, 0);
      if (patient.has_cancer == has_cancer) order.emplace_back(key, &patient);
    }
    std::sort(order.begin(), order.end());
    const auto all = static_cast<double>(order.size());
    const auto test = static_cast<std::size_t>(std::lround(all * test_share));
    const auto validation = static_cast<std::size_t>(std::lround(all * validation_share));
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::vector<std::size_t>& part = i < test                ? split.test
                                       : i < test + validation ? split.validation
                                                               : split.training;
      part.insert(part.end(), order[i].second->cases.begin(), order[i].second->cases.end());
    }
  }
  const auto has_both = [&](const std::vector<std::size_t>& part) {
    const auto count =
        std::count_if(part.begin(), part.end(), [&](std::size_t i) { return cases[i].has_cancer; });
    return count > 0 && count < static_cast<std::ptrdiff_t>(part.size());
  };
  for (auto* part : {&split.training, &split.validation, &split.test}) {
    std::sort(part->begin(), part->end());
  }
  if (!has_both(split.training) || !has_both(split.validation)) {
    throw DataError(fmt::format(
        "{} cases of {} patients are too few: training and validation need cases with cancer and "
        "cases without.",
        cases.size(), by_name.size()));
  }
  if (split.test.empty()) {
    throw DataError(
        fmt::format("{} of {} leave nothing to test on: --test-share {} is less than half a "
                    "patient of either kind.",
                    plural(cases.size(), "case"), plural(by_name.size(), "patient"), test_share));
  }
  return split;
}

}  // namespace knockout::experiments
