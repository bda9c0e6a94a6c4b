// SPDX-License-Identifier: Apache-2.0
// knockout ampute: makes gaps of a known kind.
#include "knockout/mask/ampute.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/stage.h"
#include "knockout/data/csv_cells.h"
#include "knockout/data/text_file.h"
#include "knockout/schema/column_list.h"

namespace knockout::cli {
namespace {

constexpr const char* kAmputeExamples =
    R"(  knockout ampute data.csv --mechanism mcar --rate 0.3 --keep y -o gaps.csv
      Three cells in ten of every column but y go missing, by chance alone (MCAR).
  knockout ampute data.csv --mechanism mar --drivers age,sex --keep y -o gaps.csv
      Whether a cell goes missing depends on age and sex, which stay (MAR).
  knockout ampute data.csv --mechanism mnar --rate 0.1 --keep y -o gaps.csv
      The values above the 90th percentile of each column go missing (MNAR).
  Everything that is not removed stays as it was written, byte for byte.
)";

struct AmputeFlags {
  DataOptions data;
  CommonOptions common;
  std::string output_path = "-";
  DescribedFlags<AmputeOptions> said;
  std::vector<std::string> categorical;
  int threads = 0;
};

std::size_t observed_cells(const Column& column) {
  std::size_t observed = 0;
  for (std::size_t row = 0; row < column.size(); ++row) observed += column.observed(row);
  return observed;
}

/// Finds the row of the table that a record became, by its line: not every record is a row.
/// Records must come in the order of the file.
class RowFinder {
 public:
  explicit RowFinder(const Table& table) : table_(table) {}

  std::optional<std::size_t> row_at(std::uint64_t line) {
    if (line == line_) return row_;
    line_ = line;
    const bool is_next = found_ < table_.rows() &&
                         table_.where(found_) == fmt::format("{}:{}", table_.source(), line);
    row_ = is_next ? std::optional(found_++) : std::nullopt;
    return row_;
  }
  std::size_t found() const { return found_; }

 private:
  const Table& table_;
  std::size_t found_ = 0;
  std::uint64_t line_ = 0;
  std::optional<std::size_t> row_;
};

/// The file's own text without the cells that `after` lacks: every other byte stays as it was.
std::string text_without_removed(std::string_view text, const CsvOptions& csv, const Table& before,
                                 const Table& after) {
  RowFinder rows(before);
  std::vector<const Column*> columns_before, columns_after;  // of the file; null = not in the table
  const auto is_removed = [&](const CsvCell& cell) {
    if (cell.column == columns_before.size()) {  // the first record
      columns_before.push_back(before.find(cell.name));
      columns_after.push_back(after.find(cell.name));
    }
    const std::optional<std::size_t> row = rows.row_at(cell.line);
    const Column* const column = columns_before[cell.column];
    return row && column != nullptr && column->observed(*row) &&
           !columns_after[cell.column]->observed(*row);
  };
  std::string kept = empty_csv_cells(text, before.source(), csv, is_removed);
  if (rows.found() != before.rows()) throw std::logic_error("Rows were not found in the text.");
  return kept;
}

void write_text(const std::string& text, const std::string& path) {
  if (path != "-") {
    write_atomically(path, text);
    return;
  }
  if (has_terminal()) {
    write_out(text);  // a terminal obeys what a cell says; files keep it
  } else {
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
  }
  flush_output();
}

void report(const CLI::App& verb, const AmputeFlags& flags, const Table& before,
            const Table& after) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  std::size_t observed = 0, left = 0;
  for (std::size_t i = 0; i < before.column_count(); ++i) {
    const std::size_t column_before = observed_cells(before.column(i));
    const std::size_t column_after = observed_cells(after.column(i));
    observed += column_before;
    left += column_after;
    columns.push_back({{"column", before.column(i).name()},
                       {"observed", column_before},
                       {"removed", column_before - column_after}});
  }
  if (flags.common.json) {
    const nlohmann::ordered_json result = {{"output", flags.output_path},
                                           {"rows", before.rows()},
                                           {"observed", observed},
                                           {"removed", observed - left},
                                           {"columns", columns}};
    print_json(result);
  } else {
    const double share =
        observed == 0 ? 0.0 : static_cast<double>(observed - left) / static_cast<double>(observed);
    note(verb, flags.common,
         fmt::format("removed {} of {} ({})", with_thousands(observed - left),
                     plural(observed, "cell"), percent(share)));
  }
}

void check_flags(const AmputeFlags& flags, const AmputeOptions& options) {
  if (flags.data.path.empty()) {
    throw ConfigError(
        "which table should lose cells? For example:\n"
        "  knockout ampute data.csv --mechanism mcar --rate 0.3 -o gaps.csv");
  }
  if (options.smooth && options.mechanism != Mechanism::kMnar) {
    throw ConfigError(
        "--smooth says how gaps depend on the value itself.\n  It goes with:  --mechanism mnar");
  }
  if (flags.output_path == "-") {
    if (flags.common.json) {
      throw ConfigError("--json reports on standard output, so the table needs a file:  -o FILE");
    }
    return;
  }
  refuse_overwriting("-o", flags.output_path, {flags.data.path});
  check_writable(flags.output_path);
}

void run_ampute(const CLI::App& verb, const AmputeFlags& flags) {
  AmputeOptions options = flags.said.read();
  check_flags(flags, options);
  CsvOptions csv = flags.data.csv(flags.threads);
  // What loses no cells and drives none need not be numbers.
  if (options.mechanism != Mechanism::kMar) {
    csv.text_columns.insert(csv.text_columns.end(), options.keep.begin(), options.keep.end());
  }
  for (const std::string& name : split_column_list(flags.categorical, {})) {
    csv.text_columns.push_back(name);
  }
  const TextBuffer text = load_text(flags.data.path, csv.limits);
  const Table table = read_csv_text(text.view(), source_name(flags.data.path), csv);
  options = flags.said.read(table.names());
  const Stage stage("removing cells and writing the rest");
  const Table amputed = ampute(table, options);
  write_text(text_without_removed(text.view(), csv, table, amputed), flags.output_path);
  report(verb, flags, table, amputed);
}

}  // namespace

Verb setup_ampute(CLI::App& command) {
  const auto flags = std::make_shared<AmputeFlags>();
  CLI::App* const verb =
      command.add_subcommand("ampute", "remove cells from a table, to try things out");
  verb->footer(kAmputeExamples);
  add_data(*verb, flags->data, "CSV file (also .gz), or - for standard input");
  add_list(*verb, "--categorical", flags->categorical, "COLS",
           "Columns whose values are names, numbers or not")
      ->group(kTheData);
  flags->said.add(*verb);
  verb->add_option("-o,--output", flags->output_path, "Standard output by default")
      ->option_text("FILE")
      ->group(flags->said.option("mechanism")->get_group());
  add_threads(*verb, flags->threads);
  add_common(*verb, flags->common, "How many cells went missing, as a JSON object");
  return {verb, [verb, flags] { run_ampute(*verb, *flags); }};
}

}  // namespace knockout::cli
