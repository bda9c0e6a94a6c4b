// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/ranges.h>

#include "cli/help.h"
#include "knockout/base/atomic_file.h"
#include "knockout/data/join.h"
#include "knockout/data/npy.h"
#include "knockout/kernels/blas.h"
#include "knockout/schema/column_list.h"
#include "knockout/schema/labels.h"

namespace knockout::cli {
namespace {

constexpr const char* kColumns = "What the columns are (found from the data unless said here)";
constexpr const char* kEverywhere = "Everywhere";

char one_character(const std::string& option, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1) return text[0];
  throw ConfigError(fmt::format("{} {}: expected one character, or tab.", option, text));
}

std::vector<std::string> words_of(const std::vector<std::string>& lists) {
  return split_column_list(lists, {});
}

}  // namespace

CLI::Option* add_list(CLI::App& verb, const std::string& names, std::vector<std::string>& out,
                      const std::string& value, const std::string& description) {
  return verb.add_option(names, out, description)->allow_extra_args(false)->option_text(value);
}

CLI::Validator whole_number(std::int64_t least) {
  return CLI::Validator(
      [least](std::string& word) {
        const auto number = parse_number(word);
        const bool fits = number && *number == std::trunc(*number) &&
                          *number >= static_cast<double>(least) && *number <= 1e9;
        return fits ? std::string()
                    : fmt::format("expected a whole number from {}, found \"{}\".", least, word);
      },
      "");
}

CLI::Validator number_above(double low) {
  return CLI::Validator(
      [low](std::string& word) {
        const auto number = parse_number(word);
        return number && *number > low
                   ? std::string()
                   : fmt::format("expected a number above {}, found \"{}\".", low, word);
      },
      "");
}

CLI::Validator time_in_seconds() {
  return CLI::AsNumberWithUnit(
      std::map<std::string, double>{{"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}},
      CLI::AsNumberWithUnit::CASE_INSENSITIVE, "TIME");
}

CLI::Validator number_from(double low, double high, bool high_too) {
  return CLI::Validator(
      [=](std::string& word) {
        const auto number = parse_number(word);
        const bool fits = number && *number >= low && (high_too ? *number <= high : *number < high);
        return fits ? std::string()
                    : fmt::format("expected a number from {} to {}{}, found \"{}\".", low,
                                  high_too ? "" : "below ", high, word);
      },
      "");
}

void add_common(CLI::App& verb, CommonOptions& common, const std::string& json_description) {
  verb.add_flag("--json", common.json, json_description)->group(kEverywhere);
  verb.add_flag("-q,--quiet", common.quiet, "No warnings and no progress; errors still show")
      ->group(kEverywhere);
}

void add_threads(CLI::App& verb, int& threads) {
  verb.add_option("--threads", threads, "0 = all cores (the default). Never changes the result")
      ->option_text("N")
      ->check(whole_number(0))
      ->group(kEverywhere);
}

void add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& description) {
  verb.add_option("--seed", seed, description)
      ->option_text("N")
      ->check(CLI::Validator(
          [](std::string& word) {
            const bool digits = !word.empty() && word.size() <= 19 &&
                                word.find_first_not_of("0123456789") == std::string::npos;
            return digits ? std::string()
                          : fmt::format("expected a whole number from 0, found \"{}\".", word);
          },
          ""))
      ->group(kEverywhere);
}

void warn(const CLI::App& verb, const CommonOptions& common, const std::string& text) {
  if (!common.quiet) fmt::print(stderr, "{}: warning: {}\n", command_name(verb), text);
}

void note(const CLI::App& verb, const CommonOptions& common, const std::string& text) {
  if (!common.quiet) fmt::print(stderr, "{}: {}\n", command_name(verb), text);
}

void warn_of_slow_blas(const CLI::App& verb, const CommonOptions& common) {
  if (common.quiet || blas_is_fast()) return;
  warn(verb, common,
       fmt::format("matrix products run on {}, many times slower than OpenBLAS.\n"
                   "  On Debian and Ubuntu:  apt-get install libopenblas0-openmp",
                   blas_name()));
}

std::vector<std::string> DataOptions::files() const {
  std::vector<std::string> all = {path};
  for (const std::string& matrix : matrices) all.push_back(matrix.substr(matrix.find('=') + 1));
  return all;
}

CsvOptions DataOptions::csv(int threads) const {
  CsvOptions options;
  if (!missing_words.empty()) options.missing_words = words_of(missing_words);
  options.reason_words = words_of(reason_words);
  if (!delimiter.empty()) options.delimiter = one_character("--delimiter", delimiter);
  if (!decimal_mark.empty()) options.decimal_mark = one_character("--decimal-mark", decimal_mark);
  if (!header.empty()) {
    options.has_header = choose<bool>("--header", header, {{"yes", true}, {"no", false}});
  }
  if (no_header) options.has_header = false;
  options.threads = threads;
  return options;
}

void add_data(CLI::App& verb, DataOptions& data, const std::string& description) {
  verb.add_option("DATA", data.path, description)->group(kTheData);
  add_list(verb, "--na", data.missing_words, "WORDS",
           "Words that mean \"missing\", instead of NA, N/A, NaN, nan, null, NULL, None, ?, #N/A. "
           "An empty cell always does")
      ->group(kTheData);
  add_list(
      verb, "--na-for-a-reason", data.reason_words, "WORDS",
      "Words that mean \"missing for a reason\", such as <LOD for a value too small to measure")
      ->group(kTheData);
  verb.add_option("--delimiter", data.delimiter,
                  "What separates cells, found by itself as a rule; tab = a tab")
      ->option_text("CHAR")
      ->group(kTheData);
  verb.add_option("--decimal-mark,--decimal", data.decimal_mark,
                  "Point or comma, found by itself as a rule")
      ->option_text("CHAR")
      ->group(kTheData);
  verb.add_option("--header", data.header,
                  "Whether the first line names the columns; no = they are called column_1, "
                  "column_2, ...")
      ->option_text("yes|no")
      ->group(kTheData);
  verb.add_flag("--no-header", data.no_header)->group("");
}

void add_matrices(CLI::App& verb, DataOptions& data) {
  add_list(verb, "--npy", data.matrices, "NAME=FILE",
           "A NumPy matrix with a row per row of the data. Its columns are called NAME_0, NAME_1, "
           "... and go missing together")
      ->group(kTheData);
}

std::vector<Matrix> read_matrices(const DataOptions& data) {
  std::vector<Matrix> matrices;
  for (const std::string& text : data.matrices) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw ConfigError(
          fmt::format("--npy {}: expected NAME=FILE, such as mri=features.npy.", text));
    }
    const std::string name = text.substr(0, equals);
    matrices.push_back({name, read_npy(text.substr(equals + 1), name)});
  }
  return matrices;
}

void add_schema(CLI::App& verb, SchemaFlags& flags) {
  const auto add_columns = [&](const char* name, std::vector<std::string>& out,
                               const char* description) {
    add_list(verb, name, out, "COLS", description)->group(kColumns);
  };
  verb.add_option("--task", flags.task, "What kind of answer the target is")
      ->option_text("regression|classification")
      ->group(kColumns);
  add_columns("--categorical", flags.categorical, "Columns whose values are names, numbers or not");
  add_columns("--continuous", flags.continuous, "Columns whose values are amounts");
  add_columns("--ignore", flags.ignore, "Columns that must not be used");
  add_list(verb, "--range", flags.ranges, "COL=LOW:HIGH",
           "Values that are possible: age=0:120, or income=0: with one side open")
      ->group(kColumns);
  add_list(verb, "--lower-bound", flags.lower_bounds, "COL=LOW", "The same as --range COL=LOW:")
      ->group(kColumns);
  add_list(verb, "--upper-bound", flags.upper_bounds, "COL=HIGH", "The same as --range COL=:HIGH")
      ->group(kColumns);
  add_list(verb, "--group", flags.groups, "NAME=COLS",
           "Columns that go missing together, as one: mri=vol_*,thickness")
      ->group(kColumns);
  add_columns("--never-missing", flags.never_missing,
              "Columns that always have a value, now and when predicting");
  add_columns("--missing-at-random", flags.missing_at_random,
              "Columns whose gaps say nothing about their value or the target, or all. Other gaps "
              "are taken as informative");
  verb.add_option("--weights,--weight", flags.weights, "Column that says how much each row counts")
      ->option_text("COL")
      ->group(kColumns);
}

Input read_input(const DataOptions& data, const SchemaFlags& flags, int threads) {
  CsvOptions csv = data.csv(threads);
  // Standard input has no second reading, so there a name with a comma in it is not recognised yet.
  const std::vector<std::string> header =
      data.path == "-" ? std::vector<std::string>() : read_csv_header(data.path, csv);
  csv.text_columns = split_column_list(flags.categorical, header);

  Input input{read_csv(data.path, csv), {}};
  SchemaOptions& schema = input.schema;
  schema.groups = flags.groups;
  for (Matrix& matrix : read_matrices(data)) {
    schema.groups.push_back(
        fmt::format("{}={}", matrix.name, fmt::join(matrix.table.names(), ",")));
    join_columns(input.table, std::move(matrix.table));
  }

  const std::vector<std::string> names = input.table.names();
  schema.targets = split_column_list(flags.targets, names);
  schema.task = flags.task;
  schema.categorical = split_column_list(flags.categorical, names);
  schema.continuous = split_column_list(flags.continuous, names);
  schema.ignore = split_column_list(flags.ignore, names);
  schema.never_missing = split_column_list(flags.never_missing, names);
  schema.missing_at_random = split_column_list(flags.missing_at_random, names);
  schema.weight_column = flags.weights;
  schema.ranges = split_assignments(flags.ranges);
  for (const std::string& bound : split_assignments(flags.lower_bounds)) {
    schema.ranges.push_back(bound + ":");
  }
  for (std::string bound : split_assignments(flags.upper_bounds)) {
    const std::size_t equals = bound.rfind('=');
    schema.ranges.push_back(equals == std::string::npos ? bound : bound.insert(equals + 1, ":"));
  }
  return input;
}

void add_inline_placeholders(CLI::App& verb, EncodeOptions& encode) {
  verb.add_flag(
          "--inline-placeholders", encode.inline_placeholders,
          "A gap is a number that data never take, on the column's own axis, as in the paper. "
          "By default a gap has an input of its own")
      ->group(kCoding);
}

void refuse_overwriting(const std::string& option, const std::string& output,
                        const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code unknown;  // one of the two does not exist: then they are not the same
    if (std::filesystem::is_regular_file(input, unknown) &&
        std::filesystem::equivalent(input, output, unknown)) {
      throw ConfigError(
          fmt::format("{} {} would overwrite a file that is read.\n"
                      "  Choose another name for the output.",
                      option, output));
    }
  }
}

void check_writable(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  // Opening a pipe or a device may block or be seen at its other end.
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return;
  const AtomicFile probe(path);  // appears beside the file, and is removed again
}

}  // namespace knockout::cli
