// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/infer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/stop.h"
#include "knockout/base/wording.h"
#include "knockout/schema/column_profile.h"
#include "knockout/schema/column_requests.h"
#include "knockout/schema/duplicates.h"
#include "knockout/schema/identifiers.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/leaks.h"
#include "knockout/schema/spellings.h"

namespace knockout {
namespace {

constexpr std::size_t kIdentifierRows = 50;

std::string range_text(const ColumnRequest& request) {
  return fmt::format("{}:{}", request.lower ? label_of_number(*request.lower) : "",
                     request.upper ? label_of_number(*request.upper) : "");
}

class Inference {
 public:
  Inference(const Table& table, const SchemaOptions& options)
      : table_(table), options_(options), requests_(read_requests(table, options)) {}

  InferredSchema infer() {
    Schema& schema = result_.schema;
    schema.weight_column = options_.weight_column.value_or("");
    schema.unseen_category = options_.unseen_category;
    std::vector<ColumnProfile> profiles;
    profiles.reserve(table_.column_count());
    for (const Column& column : table_.columns()) profiles.push_back(profile_column(column));

    // Targets first: a wrong target should be heard of before anything about the inputs.
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Column& column = table_.column(i);
      if (requests_[i].role == ColumnRole::kTarget) {
        target_columns_.push_back(&column);
        schema.targets.push_back(infer_target(column, requests_[i], profiles[i]));
      } else if (requests_[i].role == ColumnRole::kWeight) {
        check_weights(column, profiles[i]);
      }
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].role == ColumnRole::kInput) {
        throw_if_stopped();
        add_input(table_.column(i), requests_[i], profiles[i]);
      } else if (requests_[i].role == ColumnRole::kIgnored) {
        set_aside(table_.column(i), "ignored on request");
      }
    }
    check_groups();
    point_at_duplicates();
    hint_at_codes();
    if (!schema.targets.empty() && schema.features.empty()) {
      throw_no_inputs();
    }
    return std::move(result_);
  }

 private:
  void note(std::string code, const Column& column, std::string text) {
    result_.notes.push_back({std::move(code), column.name(), std::move(text)});
  }
  void set_aside(const Column& column, std::string reason) {
    result_.set_aside.push_back({column.name(), std::move(reason)});
  }
  void note_spellings(const Column& column) {
    const std::string text = spellings_text(column);
    if (!text.empty()) note("spelling", column, text);
  }
  std::string at(std::size_t row, const Column& column) const {
    return fmt::format("{}, column \"{}\"", table_.where(row), column.name());
  }
  std::string source() const { return table_.source().empty() ? "table" : table_.source(); }
  std::string at(const Column& column) const {
    return fmt::format("{}, column \"{}\"", source(), column.name());
  }

  [[noreturn]] void throw_no_inputs() const {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> aside;
    for (const UnusedColumn& unused : result_.set_aside) {
      aside.push_back(fmt::format("\"{}\" ({})", unused.column, unused.reason));
    }
    throw DataError(fmt::format(
        "{}: no column is left to predict from.\n"
        "  Set aside: {}.\n"
        "  `categorical` or `continuous` keeps columns that look like names of rows.",
        source(), aside.empty() ? "none, there is no other column" : short_list(aside, kShown)));
  }

  // --- targets ---

  Target infer_target(const Column& column, const ColumnRequest& request,
                      const ColumnProfile& profile) {
    if (profile.observed == 0) {
      throw DataError(
          fmt::format("{}: the target has no label in any row.\n"
                      "  Check the name of the target (`targets`), or the words that mean "
                      "missing (`missing_words`).",
                      at(column)));
    }
    note_missing_labels(column, profile);
    Target target{column.name(), choose_task(column, request, profile), {}};
    if (target.task == Task::kRegression) {
      if (profile.one_value) {
        throw DataError(
            fmt::format("{}: the target is {} in every row, so there is nothing to "
                        "learn.\n  Choose another target (`targets`).",
                        at(column), profile.low));
      }
      return target;
    }
    target.classes = distinct_labels(column);
    note_spellings(column);
    if (target.classes.size() == 1) {
      throw DataError(
          fmt::format("{}: the target has a single class, \"{}\", so there is nothing "
                      "to learn.\n  Choose another target (`targets`), or add rows of the other "
                      "classes.",
                      at(column), target.classes[0]));
    }
    if (profile.all_dates) {
      note(
          "date_target", column,
          fmt::format("The target \"{}\" holds dates, and each of the {} different ones would be a "
                      "class. To predict a time, put a number into its place, such as the days "
                      "since another date.",
                      column.name(), target.classes.size()));
    } else if (target.classes.size() > kIdentifierRows &&
               2 * target.classes.size() > profile.observed) {
      note("many_classes", column,
           fmt::format("The target \"{}\" has {} classes in {} labelled rows: it looks like an "
                       "identifier or free text.",
                       column.name(), target.classes.size(), profile.observed));
    }
    return target;
  }

  void note_missing_labels(const Column& column, const ColumnProfile& profile) {
    const std::size_t without = column.size() - profile.observed;
    if (without == 0) return;
    note("missing_labels", column,
         fmt::format("{} of {} {} no label in \"{}\" and {}.", with_thousands(without),
                     plural(column.size(), "row"), agreeing(without, "has", "have"), column.name(),
                     options_.targets.size() > 1
                         ? agreeing(without, "does not count for it", "do not count for it")
                         : agreeing(without, "is left out", "are left out")));
  }

  Task choose_task(const Column& column, const ColumnRequest& request,
                   const ColumnProfile& profile) {
    const auto is_said = [&](Task task) {
      return options_.task == task ||
             (request.kind != nullptr && request.kind->task_of_target() == task);
    };
    const bool regression = is_said(Task::kRegression);
    const bool classification = is_said(Task::kClassification);
    if (regression && classification) {
      throw ConfigError(fmt::format("{} contradicts {}: leave one out.",
                                    field("task", to_string(*options_.task)),
                                    field(request.kind->name(), column.name())));
    }
    if (regression && column.is_text()) throw_words_in_regression(column, profile);
    if (regression) return Task::kRegression;
    if (classification || column.is_text()) return Task::kClassification;
    if (!profile.few_integers()) return Task::kRegression;
    // One value is better reported as "single class" than as a constant number.
    if (!profile.one_value) {
      note("class_numbers", column,
           fmt::format("The target \"{}\" holds {} whole numbers and is taken as classes. If they "
                       "are amounts:  {}",
                       column.name(), profile.few_values.size(), field("task", "regression")));
    }
    return Task::kClassification;
  }

  [[noreturn]] void throw_words_in_regression(const Column& column, const ColumnProfile& profile) {
    if (profile.first_non_number == kNoRow) {
      throw DataError(
          fmt::format("{}: the target was read as words, so it cannot be a regression "
                      "target.\n  Read it as numbers: take it out of `categorical`.",
                      at(column)));
    }
    const std::size_t row = profile.first_non_number;
    const std::string& word = column.word(row);
    throw DataError(
        fmt::format("{}: the target of a regression must be a number, found \"{}\".\n"
                    "  If \"{}\" means missing:  {}\n"
                    "  If the target is a class:  {}",
                    at(row, column), word, word, field("missing_words", word),
                    field("task", "classification")));
  }

  void check_weights(const Column& column, const ColumnProfile& profile) {
    if (column.is_text()) {
      throw DataError(
          fmt::format("{}: weights must be numbers, but the column holds words.\n"
                      "  Correct them, or choose another column (`weight_column`).",
                      at(column)));
    }
    if (profile.has_gaps()) {
      throw DataError(
          fmt::format("{}: the weight is missing; every row needs one.\n"
                      "  Fill it in (0 leaves a row out).",
                      at(profile.first_gap, column)));
    }
    if (profile.observed > 0 && profile.low < 0.0) {
      throw DataError(fmt::format("{}: the weight {} is negative; a weight is 0 or more.",
                                  at(profile.low_row, column), profile.low));
    }
    if (profile.observed > 0 && profile.high == 0.0) {
      throw DataError(fmt::format("{}: every weight is 0, so no row would count.", at(column)));
    }
  }

  // --- inputs ---

  void add_input(const Column& column, const ColumnRequest& request, const ColumnProfile& profile) {
    if (request.never_missing && profile.has_gaps()) {
      throw DataError(
          fmt::format("{}: the cell is empty, but `never_missing` promises a value in "
                      "every row.\n  Fill it in, or take \"{}\" out of "
                      "`never_missing`.",
                      at(profile.first_gap, column), column.name()));
    }
    if (profile.observed == 0) return set_aside(column, "empty");
    // Present or not is information too, unless the gaps are declared random.
    const bool gaps_inform =
        profile.has_gaps() && (!request.missing_at_random || profile.has_reason_gaps);
    if (profile.one_value && !gaps_inform) return set_aside(column, "constant");

    const ColumnCodec& codec = choose_kind(column, request, profile);
    if (request.kind == nullptr && names_rows(column, codec, profile)) return;
    Feature feature;
    feature.name = column.name();
    feature.kind = codec.kind();
    codec.describe({table_, column, request, profile}, feature, result_.notes);
    add_range(column, request, profile, feature);
    feature.group = request.group;
    feature.never_missing = request.never_missing;
    if (profile.has_gaps()) {
      feature.training_gaps =
          request.missing_at_random ? GapMeaning::kAtRandom : GapMeaning::kForAReason;
    }
    if (request.kind == nullptr && codec.is_choice()) note_spellings(column);
    warn_of_leaks(column, profile);
    if (!profile.one_value) input_columns_.push_back(&column);
    if (request.kind == nullptr && codec.may_be_codes(profile)) {
      possible_codes_.push_back(&column);
    }
    result_.schema.features.push_back(std::move(feature));
  }

  static const ColumnCodec& choose_kind(const Column& column, const ColumnRequest& request,
                                        const ColumnProfile& profile) {
    if (request.kind != nullptr && request.kind->keeps_request(column, profile)) {
      return *request.kind;
    }
    const auto codecs = all_codecs();
    return **std::find_if(codecs.begin(), codecs.end(), [&](const ColumnCodec* codec) {
      return codec->looks_like(column, profile);
    });
  }

  /// Sets a column of names or row numbers aside: the network could only memorise it.
  bool names_rows(const Column& column, const ColumnCodec& codec, const ColumnProfile& profile) {
    std::optional<RowNames> names = codec.row_names(column, profile);
    if (!names) return false;
    note(std::string(names->code), column,
         fmt::format("\"{}\" {} and is set aside. To keep it:  {}", column.name(), names->reason,
                     field(codec.name(), column.name())));
    set_aside(column, std::move(names->reason));
    return true;
  }

  void add_range(const Column& column, const ColumnRequest& request, const ColumnProfile& profile,
                 Feature& feature) const {
    if (!request.lower && !request.upper) return;
    const ColumnCodec& codec = codec_of(feature);
    if (!codec.takes_range()) {
      if (!request.range_by_name) return;
      throw ConfigError(fmt::format("{}: \"{}\" is {}, and only numbers have a range.",
                                    field("ranges", column.name() + "=" + range_text(request)),
                                    column.name(), codec.phrase()));
    }
    check_range(column, request, profile);
    feature.lower = request.lower;
    feature.upper = request.upper;
  }

  void check_range(const Column& column, const ColumnRequest& request,
                   const ColumnProfile& profile) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double lower = request.lower.value_or(-kInfinity);
    const double upper = request.upper.value_or(kInfinity);
    if (!column.is_text() && profile.low >= lower && profile.high <= upper) return;
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (!column.observed(row)) continue;
      const double number = column.is_text() ? *parse_number(column.word(row)) : column.number(row);
      if (number >= lower && number <= upper) continue;
      throw DataError(fmt::format(
          "{}: {} lies outside the declared range {}.\n"
          "  Correct the value, or declare a wider range:  {}",
          at(row, column), label_of_number(number), range_phrase(request.lower, request.upper),
          field("ranges", column.name() + "=LOWER:UPPER")));
    }
  }

  void warn_of_leaks(const Column& column, const ColumnProfile& profile) {
    for (std::size_t i = 0; i < target_columns_.size(); ++i) {
      const Target& target = result_.schema.targets[i];
      const Leak leak = find_leak(column, profile, *target_columns_[i], target.task);
      if (leak == Leak::kNone) continue;
      note("leak", column,
           fmt::format("\"{}\" {}. If it is not known before the answer is:  {}", column.name(),
                       leak_text(leak, target.name), field("ignore", column.name())));
    }
  }

  // --- all inputs together ---

  void check_groups() const {
    std::map<std::string, const Feature*> first_of_group;
    for (const Feature& feature : result_.schema.features) {
      if (feature.group.empty()) continue;
      const Feature* first = first_of_group.emplace(feature.group, &feature).first->second;
      if (first->never_missing == feature.never_missing) continue;
      throw ConfigError(fmt::format(
          "Group \"{}\" is knocked out as one, but only some of its columns are `never_missing` "
          "(\"{}\" and \"{}\" differ).\n  Name all of them or none.",
          feature.group, first->name, feature.name));
    }
  }

  void point_at_duplicates() {
    for (const auto& [column, earlier, renamed] : find_duplicates(input_columns_)) {
      note("duplicate_column", *column,
           fmt::format("\"{}\" holds the same as \"{}\"{}. One of them is enough:  {}",
                       column->name(), earlier->name(), renamed ? " under other names" : "",
                       field("ignore", column->name())));
    }
  }

  void hint_at_codes() {
    if (possible_codes_.empty()) return;
    constexpr std::size_t kShown = 5;
    const std::size_t shown = std::min(kShown, possible_codes_.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) names.push_back(possible_codes_[i]->name());
    const std::string more = possible_codes_.size() > shown
                                 ? fmt::format(" and {} more", possible_codes_.size() - shown)
                                 : "";
    note("few_integers", *possible_codes_[0],
         fmt::format("A few small whole numbers, taken as amounts: \"{}\"{}. If they are codes for "
                     "categories:  {}",
                     fmt::join(names, "\", \""), more, field("categorical", names[0])));
  }

  const Table& table_;
  const SchemaOptions& options_;
  std::vector<ColumnRequest> requests_;
  std::vector<const Column*> target_columns_;
  std::vector<const Column*> input_columns_;  ///< With more than one value.
  std::vector<const Column*> possible_codes_;
  InferredSchema result_;
};

}  // namespace

InferredSchema infer_schema(const Table& table, const SchemaOptions& options) {
  return Inference(table, options).infer();
}

}  // namespace knockout
