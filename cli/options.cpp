// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/help.h"
#include "cli/output.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/stage.h"
#include "knockout/data/join.h"
#include "knockout/data/npy.h"
#include "knockout/data/text_file.h"
#include "knockout/kernels/blas.h"
#include "knockout/schema/column_list.h"
#include "knockout/schema/column_names.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/labels.h"

namespace knockout::cli {
namespace {

constexpr const char* kEverywhere = "Everywhere";

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
        if (!fits) {
          return fmt::format("expected a whole number from {}, found \"{}\".", least, word);
        }
        word = fmt::format("{:.0f}", *number);  // 1e9 is one too
        return std::string();
      },
      "");
}

void add_common(CLI::App& verb, CommonOptions& common, const std::string& json_description) {
  verb.add_flag("--json", common.json, json_description)->group(kEverywhere);
  verb.add_flag("-q,--quiet", common.quiet,
                "Nothing on standard error but errors: no warnings, no progress")
      ->group(kEverywhere);
}

void add_threads(CLI::App& verb, int& threads) {
  verb.add_option("--threads", threads, "0 = all cores (the default). Never changes the result")
      ->option_text("N")
      ->transform(whole_number(0))
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
  if (common.quiet) return;
  tell(fmt::format("{}: warning: {}", command_name(verb), with_flags(text, verb)));
}

nlohmann::ordered_json notes_json(const std::vector<Note>& notes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Note& note : notes) {
    json.push_back({{"code", note.code}, {"column", note.column}, {"text", note.text}});
  }
  return json;
}

void note(const CLI::App& verb, const CommonOptions& common, const std::string& text) {
  if (!common.quiet) tell(fmt::format("{}: {}", command_name(verb), with_flags(text, verb)));
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
  CsvOptions options = format.read();
  const ReadingOptions said = reading.read();
  options.missing_words = missing_words_of_files(said);
  options.reason_words = said.reason_words;
  if (no_header) options.has_header = false;
  options.limits = limits.read();
  options.threads = threads;
  return options;
}

void add_data(CLI::App& verb, DataOptions& data, const std::string& description,
              const std::vector<std::string>& reading_fields) {
  verb.add_option("DATA", data.path, description)->group(kTheData);
  data.reading.add(verb, reading_fields);
  data.format.add(verb);
  verb.add_flag("--no-header", data.no_header)->group("");
  data.limits.add(verb);
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
    matrices.push_back({name, read_npy(text.substr(equals + 1), name, data.limits.read())});
  }
  return matrices;
}

void add_schema(CLI::App& verb, SchemaFlags& flags) {
  flags.said.add_all_but(verb, {"targets", "unseen_category"});
  const std::string columns = flags.said.option("ranges")->get_group();
  add_list(verb, "--lower-bound", flags.lower_bounds, "COL=LOW", "The same as --range COL=LOW:")
      ->group(columns);
  add_list(verb, "--upper-bound", flags.upper_bounds, "COL=HIGH", "The same as --range COL=:HIGH")
      ->group(columns);
}

namespace {

/// Ranges with one open side, as --lower-bound and --upper-bound say them.
void add_bounds(const std::string& flag, const std::vector<std::string>& lists, bool lower,
                std::vector<ColumnRange>& ranges) {
  for (const std::string& text : split_assignments(lists)) {
    const std::size_t equals = text.rfind('=');
    const auto number =
        equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!number || equals == 0) {
      throw ConfigError(fmt::format("{} {}: expected COLUMN=NUMBER, such as age=0.", flag, text));
    }
    ColumnRange& range = ranges.emplace_back(ColumnRange{.column = text.substr(0, equals)});
    (lower ? range.lower : range.upper) = number;
  }
}

/// Columns that are ignored by their full names. Patterns may also mean a target, which is not
/// ignored then.
std::vector<std::string> names_to_skip(const SchemaOptions& said,
                                       const std::vector<std::string>& header) {
  const HashSet<std::string_view> known(header.begin(), header.end()),
      targets(said.targets.begin(), said.targets.end());
  std::vector<std::string> names;
  for (const std::string& name : said.ignore) {
    if (known.contains(name) && !targets.contains(name)) names.push_back(name);
  }
  return names;
}

/// Columns that were not read stand in the table without a value, so that all that is said about
/// columns finds them there.
void add_skipped_columns(Table& table, const std::vector<std::string>& skipped,
                         const std::vector<std::string>& header) {
  if (skipped.empty()) return;
  const std::size_t rows = table.rows();
  std::vector<Column> read = table.take_columns();
  std::vector<Column> all;
  auto next = read.begin();
  for (const std::string& name : header) {
    const bool is_read = next != read.end() && next->name() == name;
    all.push_back(is_read ? std::move(*next++) : Column::missing(name, rows));
  }
  table.replace_columns(std::move(all));
}

}  // namespace

Input read_input(const DataOptions& data, const SchemaFlags& flags, int threads) {
  const Stage stage("reading " + source_name(data.path));
  CsvOptions csv = data.csv(threads);
  const CsvText text = CsvText::load(data.path, threads, csv.limits);
  const std::vector<std::string> header = text.names(csv);
  const SchemaOptions said = flags.said.read(header);
  csv.text_columns = columns_of_words(said);
  // As a number, version 1.10 is 1.1.
  std::copy_if(header.begin(), header.end(), std::back_inserter(csv.text_columns),
               name_says_version);
  csv.skip_columns = names_to_skip(said, header);
  if (!data.reading.read().only_said()) csv.class_columns = said.targets;

  Input input{text.read(csv), {}};
  add_skipped_columns(input.table, csv.skip_columns, header);
  std::vector<ColumnGroup> matrices;
  for (Matrix& matrix : read_matrices(data)) {
    matrices.push_back({matrix.name, matrix.table.names()});
    join_columns(input.table, std::move(matrix.table));
  }
  input.schema = flags.said.read(input.table.names());
  input.schema.reading = data.reading.read();
  input.schema.reading.decimal_mark = csv.decimal_mark;
  input.schema.groups.insert(input.schema.groups.end(), matrices.begin(), matrices.end());
  add_bounds("--lower-bound", flags.lower_bounds, true, input.schema.ranges);
  add_bounds("--upper-bound", flags.upper_bounds, false, input.schema.ranges);
  return input;
}

std::vector<std::string> names_in(const Input& input) {
  std::vector<std::string> names = input.table.names();
  for (const ColumnGroup& group : input.schema.groups) names.push_back(group.name);
  return names;
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
