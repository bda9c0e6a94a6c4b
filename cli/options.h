// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share. Each is described once, here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include "cli/described_flags.h"
#include "knockout/base/error.h"
#include "knockout/base/limits.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/infer.h"

namespace knockout::cli {

/// An option that may be repeated; `value` is how help calls what follows it.
CLI::Option* add_list(CLI::App& verb, const std::string& names, std::vector<std::string>& out,
                      const std::string& value, const std::string& description);

/// A check that says what was found and what was expected.
CLI::Validator whole_number(std::int64_t least);

// --- everywhere ---

struct CommonOptions {
  bool quiet = false;
  bool json = false;
};
void add_common(CLI::App& verb, CommonOptions& common, const std::string& json_description);
void add_threads(CLI::App& verb, int& threads);
void add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& description);

/// Tells a person something on standard error, unless they asked for quiet.
void warn(const CLI::App& verb, const CommonOptions& common, const std::string& text);
/// The same for what is good to know but asks for nothing.
void note(const CLI::App& verb, const CommonOptions& common, const std::string& text);
/// Notes for programs: code, column and text of each.
nlohmann::ordered_json notes_json(const std::vector<Note>& notes);
/// Warns when matrix products are many times slower than they need be.
void warn_of_slow_blas(const CLI::App& verb, const CommonOptions& common);

// --- the data file ---

inline constexpr const char* kTheData = "The data";

struct DataOptions {
  std::string path;
  DescribedFlags<ReadingOptions> reading;
  DescribedFlags<Limits> limits;
  DescribedFlags<CsvOptions> format;  ///< How the file is written.
  bool no_header = false;
  std::vector<std::string> matrices;  ///< "mri=features.npy"

  /// As the reader wants them. Throws ConfigError.
  CsvOptions csv(int threads) const;
  /// Everything that is read: the table and the matrices.
  std::vector<std::string> files() const;
};
/// `description` says what the file is for.
void add_data(CLI::App& verb, DataOptions& data, const std::string& description,
              const std::vector<std::string>& reading_fields = {});
void add_matrices(CLI::App& verb, DataOptions& data);

/// A matrix that joins the table, and the name of its group.
struct Matrix {
  std::string name;
  Table table;
};
/// Reads what --npy names. Throws ConfigError, DataError, FileError.
std::vector<Matrix> read_matrices(const DataOptions& data);

// --- what the columns are ---

/// What was said about the columns.
struct SchemaFlags {
  DescribedFlags<SchemaOptions> said;
  std::vector<std::string> lower_bounds, upper_bounds;  ///< One side of a range.
};
/// All but the targets and what a category never seen in training is.
void add_schema(CLI::App& verb, SchemaFlags& flags);

/// The training data and what was said about them.
struct Input {
  Table table;
  SchemaOptions schema;
};
/// Reads the data file and the matrices, each of which becomes a group of columns.
Input read_input(const DataOptions& data, const SchemaFlags& flags, int threads);
/// What lists may name: the columns and the groups.
std::vector<std::string> names_in(const Input& input);

// --- files ---

/// Throws ConfigError when a verb would overwrite a file that it reads.
void refuse_overwriting(const std::string& option, const std::string& output,
                        const std::vector<std::string>& inputs);
/// Throws FileError now rather than after the work when `path` cannot be written.
void check_writable(const std::string& path);

}  // namespace knockout::cli
