// SPDX-License-Identifier: Apache-2.0
// knockout predict: applies a model to a table, whatever is missing in it.
#include <memory>

#include <fmt/ranges.h>

#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "knockout/base/stage.h"
#include "knockout/data/csv_writer.h"
#include "knockout/data/join.h"
#include "knockout/data/json_writer.h"
#include "knockout/model/model.h"
#include "knockout/model/outside_training.h"
#include "knockout/schema/column_list.h"

namespace knockout::cli {
namespace {

constexpr const char* kPredictExamples =
    R"(  knockout predict new.csv -m model.safetensors -o predictions.csv
      One line per row of new.csv, in its order. Columns may be absent, cells may be empty.
  knockout predict new.csv -m model.safetensors --key id,name
      The columns id and name first, then the predictions, on standard output.
  zcat new.csv.gz | knockout predict - -m model.safetensors | gzip > predictions.csv.gz
      In a pipe.
  knockout predict new.csv -m model.safetensors --missing-at-random all
      These gaps come from chance, even where the gaps of the training data told something.
)";

constexpr const char* kPredictWhat = "The model and its answers";

struct PredictFlags {
  DataOptions data;
  CommonOptions common;
  ModelOptions model;
  std::string output_path = "-";
  std::vector<std::string> keys;
  bool flag_rows = false;
  int threads = 0;
};

/// What the file holds: the model's inputs, and the columns to copy through.
struct Rows {
  Table inputs;
  Table keys;
  std::vector<std::string> header;  ///< All columns of the file.
};

Rows read_rows(const PredictFlags& flags, const Schema& schema) {
  const CsvText text = CsvText::load(flags.data.path, flags.threads, flags.data.limits.read());
  const CsvOptions csv = csv_for_model(flags.data, schema, flags.threads);
  Rows rows{text.read(csv), {}, text.names(csv)};
  join_matrices(flags.data, schema, rows.inputs);
  if (!flags.keys.empty()) {
    // Parsed once more, because a key is copied as it stands: "007" is no number and "NA" may be
    // Namibia.
    CsvOptions as_words = flags.data.csv(flags.threads);
    as_words.missing_words = as_words.reason_words = {};
    as_words.text_columns = {"*"};
    const auto names =
        expand_columns(split_column_list(flags.keys, rows.header), rows.header, "key");
    as_words.only_columns = names;
    const Table all = text.read(as_words);
    std::vector<Column> keys;
    keys.reserve(names.size());
    for (const std::string& name : names) keys.push_back(all.at(name));
    rows.keys = Table(std::move(keys), text.source());
  }
  return rows;
}

void check_flags(const PredictFlags& flags) {
  if (flags.data.path.empty()) {
    throw ConfigError(
        "which table should be predicted? For example:\n"
        "  knockout predict new.csv -m model.safetensors");
  }
  if (flags.model.path.empty()) {
    throw ConfigError("which model should predict? Name its file:  -m model.safetensors");
  }
  if (flags.output_path == "-") return;
  refuse_overwriting("-o", flags.output_path, {flags.data.path, flags.model.path});
  check_writable(flags.output_path);
}

void run_predict(const CLI::App& verb, const PredictFlags& flags) {
  check_flags(flags);
  const Model model = flags.model.load();
  Rows rows = read_rows(flags, model.schema());
  warn_of_absent_columns(verb, flags.common, rows.header, model, rows.inputs);
  warn_of_slow_blas(verb, flags.common);

  rows.inputs =
      read_as_model(verb, flags.common, model.schema(), std::move(rows.inputs), flags.threads);
  const OutsideTraining outside(model, rows.inputs);
  if (!outside.text().empty()) warn(verb, flags.common, outside.text());

  Table answers = predictions_to_table(
      model.predict(rows.inputs, flags.model.overrides(model.schema()), flags.threads));
  if (flags.flag_rows) answers.add_column(outside.flags("outside_training"));
  if (rows.keys.column_count() > 0) {
    join_columns(rows.keys, std::move(answers));
    answers = std::move(rows.keys);
  }
  const Stage stage("writing the answers");
  if (flags.common.json) {
    write_json(answers, flags.output_path);
  } else if (flags.output_path == "-" && has_terminal()) {
    write_out(write_csv_text(answers));  // a terminal obeys what a cell says; files keep it
    flush_output();
  } else {
    write_csv(answers, flags.output_path);
  }
}

}  // namespace

Verb setup_predict(CLI::App& command) {
  const auto flags = std::make_shared<PredictFlags>();
  CLI::App* const verb =
      command.add_subcommand("predict", "apply a model to a table, whatever is missing in it");
  verb->footer(kPredictExamples);
  add_data(*verb, flags->data,
           "CSV file (also .gz), or - for standard input. Columns that the model does not know are "
           "ignored, the target too",
           {"missing_words", "reason_words"});
  add_matrices(*verb, flags->data);
  verb->add_option("-o,--output", flags->output_path,
                   "Where the answers go; standard output by default. One number per row, or a "
                   "class and the probability of each class")
      ->option_text("FILE")
      ->group(kPredictWhat);
  add_list(*verb, "--key", flags->keys, "COLS", "Columns to copy in front of the answers")
      ->group(kPredictWhat);
  verb->add_flag("--flags", flags->flag_rows,
                 "A column more, outside_training: which inputs of the row hold what training "
                 "never saw")
      ->group(kPredictWhat);
  add_model(*verb, flags->model, kPredictWhat);
  add_threads(*verb, flags->threads);
  add_common(*verb, flags->common, "The answers as a JSON array of objects instead of CSV");
  return {verb, [verb, flags] { run_predict(*verb, *flags); }};
}

}  // namespace knockout::cli
