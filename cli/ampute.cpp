// SPDX-License-Identifier: Apache-2.0
// knockout ampute: makes gaps of a known kind.
#include "knockout/mask/ampute.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "knockout/data/csv_writer.h"

namespace knockout::cli {
namespace {

constexpr const char* kAmputeExamples =
    R"(  knockout ampute data.csv --mechanism mcar --rate 0.3 --keep y -o gaps.csv
      Three cells in ten of every column but y go missing, by chance alone (MCAR).
  knockout ampute data.csv --mechanism mar --drivers age,sex --keep y -o gaps.csv
      Whether a cell goes missing depends on age and sex, which stay (MAR).
  knockout ampute data.csv --mechanism mnar --rate 0.1 --keep y -o gaps.csv
      The values above the 90th percentile of each column go missing (MNAR).
)";

struct AmputeFlags {
  DataOptions data;
  CommonOptions common;
  std::string output_path = "-";
  DescribedFlags<AmputeOptions> said;
  int threads = 0;
};

std::size_t observed_cells(const Column& column) {
  std::size_t observed = 0;
  for (std::size_t row = 0; row < column.size(); ++row) observed += column.observed(row);
  return observed;
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
    print_out("{}\n", result.dump(2));
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
  // Keys such as 007 must come out as they went in.
  if (options.mechanism != Mechanism::kMar) {
    csv.text_columns.insert(csv.text_columns.end(), options.keep.begin(), options.keep.end());
  }
  const Table table = read_csv(flags.data.path, csv);
  options = flags.said.read(table.names());
  const Table amputed = ampute(table, options);

  CsvWriteOptions write;
  if (!csv.reason_words.empty()) write.reason_word = csv.reason_words.front();
  write_csv(amputed, flags.output_path, write);
  report(verb, flags, table, amputed);
}

}  // namespace

Verb setup_ampute(CLI::App& command) {
  const auto flags = std::make_shared<AmputeFlags>();
  CLI::App* const verb =
      command.add_subcommand("ampute", "remove cells from a table, to try things out");
  verb->footer(kAmputeExamples);
  add_data(*verb, flags->data, "CSV file (also .gz), or - for standard input");
  flags->said.add(*verb);
  verb->add_option("-o,--output", flags->output_path, "Standard output by default")
      ->option_text("FILE")
      ->group(flags->said.option("mechanism")->get_group());
  add_threads(*verb, flags->threads);
  add_common(*verb, flags->common, "How many cells went missing, as a JSON object");
  return {verb, [verb, flags] { run_ampute(*verb, *flags); }};
}

}  // namespace knockout::cli
