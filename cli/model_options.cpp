// SPDX-License-Identifier: Apache-2.0
#include "cli/model_options.h"

#include "cli/warnings.h"
#include "knockout/base/stage.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/join.h"
#include "knockout/fit/load_model.h"
#include "knockout/schema/column_list.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/understand.h"

namespace knockout::cli {

Model ModelOptions::load() const {
  const Stage stage("reading the model " + path);
  Model model = load_model(path);
  if (unseen_category.empty()) return model;
  UnseenCategory policy{};
  try {
    parse({.texts = {unseen_category}}, policy);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--unseen-category: {}", error.what()));
  }
  model.set_unseen_category(policy);
  return model;
}

GapOverrides ModelOptions::overrides(const Schema& schema) const {
  return gaps.read(schema.feature_names());
}

void add_model(CLI::App& verb, ModelOptions& model, const std::string& group) {
  verb.add_option("-m,--model", model.path, "What `knockout fit` wrote")
      ->option_text("FILE")
      ->group(group);
  model.gaps.add(verb);
  verb.add_option("--unseen-category", model.unseen_category,
                  "What a category never seen in training is")
      ->option_text("error|missing")
      ->group(model.gaps.option("missing_at_random")->get_group());
}

CsvOptions csv_for_model(const DataOptions& data, const Schema& schema, int threads) {
  CsvOptions csv = data.csv(threads);
  const auto add = [](std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  // What was learned about reading, and what is said on top of it here.
  csv.missing_words = schema.reading.missing_words_of_files();
  add(csv.missing_words, data.reading.read().missing_words);
  add(csv.reason_words, schema.reading.reason_words());
  csv.text_columns = schema.reading.columns_of_words();
  csv.only_columns = schema.feature_names();
  for (const Feature& feature : schema.features) {
    if (!codec_of(feature).wants_numbers()) csv.text_columns.push_back(feature.name);
  }
  return csv;
}

Table read_as_model(const CLI::App& verb, const CommonOptions& common, const Schema& schema,
                    Table table, int threads) {
  std::vector<Note> notes = table.notes();
  table = read_as(schema, std::move(table), notes, threads);
  warn_of(verb, common, notes);
  return table;
}

void join_matrices(const DataOptions& data, const Schema& schema, Table& table) {
  const auto features = schema.feature_index();
  for (Matrix& matrix : read_matrices(data)) {
    std::vector<Column> columns = matrix.table.take_columns();
    std::erase_if(columns, [&](const Column& column) { return !features.contains(column.name()); });
    matrix.table.replace_columns(std::move(columns));
    join_columns(table, std::move(matrix.table));
  }
}

LabelledRows read_labelled_rows(const DataOptions& data, const Schema& schema, int threads) {
  CsvOptions csv = csv_for_model(data, schema, threads);
  for (const Target& target : schema.targets) {
    csv.only_columns->push_back(target.name);
    if (target.task == Task::kRegression) continue;
    csv.text_columns.push_back(target.name);
  }
  const CsvText text = CsvText::load(data.path, threads, csv.limits);
  LabelledRows rows{text.read(csv), text.names(csv)};
  join_matrices(data, schema, rows.table);
  return rows;
}

void warn_of_absent_columns(const CLI::App& verb, const CommonOptions& common,
                            const std::vector<std::string>& header, const Model& model,
                            const Table& table) {
  if (common.quiet || model.notes_on(table).empty()) return;
  std::vector<std::string> columns = table.names();
  columns.insert(columns.end(), header.begin(), header.end());
  for (const std::string& note : notes_on_columns(model.schema(), columns, table.source())) {
    warn(verb, common, note);
  }
}

}  // namespace knockout::cli
