// SPDX-License-Identifier: Apache-2.0
// What verbs that apply a fitted model share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "knockout/model/model.h"

namespace knockout::cli {

/// The model, and what gaps and unseen categories mean to it here.
struct ModelOptions {
  std::string path, unseen_category;
  DescribedFlags<GapOverrides> gaps;

  /// Throws ConfigError when no model is named, ModelFileError, FileError.
  Model load() const;
  GapOverrides overrides(const Schema& schema) const;
};
void add_model(CLI::App& verb, ModelOptions& model, const std::string& group);

/// How a file is read for a model: its inputs and nothing else, the words that mean missing to it
/// and those that are said here, each column in the form that the model wants.
CsvOptions csv_for_model(const DataOptions& data, const Schema& schema, int threads);
/// The table as the model reads it. Tells of what the file's reader found and of words that say
/// nothing to the model.
Table read_as_model(const CLI::App& verb, const CommonOptions& common, const Schema& schema,
                    Table table, int threads);

/// Adds what the matrices hold of the model's inputs.
void join_matrices(const DataOptions& data, const Schema& schema, Table& table);

/// Rows to score, and all columns of the file that they come from.
struct LabelledRows {
  Table table;
  std::vector<std::string> header;
};
/// The model's inputs and targets as the data file and the matrices hold them; other columns are
/// not read.
LabelledRows read_labelled_rows(const DataOptions& data, const Schema& schema, int threads);

/// Warns of the model's inputs that `table` lacks, and of columns in the `header` of the data file
/// that may be those.
void warn_of_absent_columns(const CLI::App& verb, const CommonOptions& common,
                            const std::vector<std::string>& header, const Model& model,
                            const Table& table);

}  // namespace knockout::cli
