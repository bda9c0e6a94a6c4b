// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/option.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/schema/dates.h"
#include "knockout/schema/kinds/column_kind.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/reading/table_reading.h"

namespace knockout {

/// What a gap of the training data meant, decided per column at fit and remembered for prediction.
/// Cells that say themselves that they are missing for a reason are apart from it (GapKind::kSaid).
enum class GapMeaning {
  kNone,        ///< The column had no gaps in training.
  kAtRandom,    ///< Declared missing completely at random: takes the first placeholder.
  kForAReason,  ///< Of unknown cause, so treated as informative: takes the second placeholder.
};

/// What to do with a category that training never saw, or a word where training saw numbers.
enum class UnseenCategory { kError, kMissing };

/// One input column.
struct Feature {
  std::string name = {};
  ColumnKind kind{};  ///< Continuous unless said.
  /// Declared bounds of the support. Unset = unbounded on that side.
  std::optional<double> lower = {};
  std::optional<double> upper = {};
  std::vector<std::string> categories = {};  ///< Sorted; numbers by value, then words.
  std::string group = {};      ///< Knocked out together with the others of this name; "" = alone.
  bool never_missing = false;  ///< Never knocked out; a gap at prediction is an error.
  GapMeaning training_gaps = GapMeaning::kNone;
};

enum class Task { kRegression, kClassification };

/// One column to predict.
struct Target {
  std::string name = {};
  Task task = Task::kRegression;
  /// Classification: the labels, sorted like categories. At least two.
  std::vector<std::string> classes = {};
};

/// What the columns of a table mean: inputs, targets, and what was set aside.
struct Schema {
  std::vector<Feature> features = {};  ///< In the order of the table.
  std::vector<Target> targets = {};
  std::string weight_column = {};  ///< Sample weights, or "".
  UnseenCategory unseen_category = UnseenCategory::kMissing;
  /// How cells become what the features and targets expect. Nothing to do unless learned.
  TableReading reading = {};

  /// Position of a feature, or nullopt. Looks at all of them: for many names, take the index.
  std::optional<std::size_t> find_feature(std::string_view name) const;
  /// The positions of all features by name. Refers to the names.
  HashMap<std::string_view, std::size_t> feature_index() const;
  std::vector<std::string> feature_names() const;
};

std::string_view to_string(ColumnKind kind);
std::string_view to_string(GapMeaning meaning);
std::string_view to_string(Task task);
std::string_view to_string(UnseenCategory policy);

// The names are part of the model format: never change one.
constexpr auto names_of(Task) {
  return std::array{EnumName<Task>{"regression", Task::kRegression},
                    EnumName<Task>{"classification", Task::kClassification}};
}
constexpr auto names_of(UnseenCategory) {
  return std::array{EnumName<UnseenCategory>{"error", UnseenCategory::kError},
                    EnumName<UnseenCategory>{"missing", UnseenCategory::kMissing}};
}

/// The schema as it travels in a model file. from_json throws ModelFileError, with the reason, on
/// anything unexpected.
nlohmann::json schema_to_json(const Schema& schema);
Schema schema_from_json(const nlohmann::json& json);

}  // namespace knockout
