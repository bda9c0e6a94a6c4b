// SPDX-License-Identifier: Apache-2.0
// knockout inspect: what a table holds, before anything is learned from it.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/provenance.h"
#include "cli/report_output.h"
#include "cli/schema_output.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/stage.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/patterns.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/understand.h"

namespace knockout::cli {
namespace {

constexpr const char* kInspectExamples =
    R"(  knockout inspect patients.csv
      Kinds, ranges and gaps of the columns, and which of them go missing together.
  knockout inspect patients.csv --target survived
      As `knockout fit` would see it.
  knockout inspect patients.csv --na -999 --categorical ward --range age=0:120
      Try options out before a fit.
  knockout inspect patients.csv --report patients.html
      A page with charts, to send to whoever owns the data.
  knockout inspect patients.csv --json | jq '.columns[] | select(.missing > 0) | .name'
      For programs.
)";

constexpr std::size_t kPatternsShown = 10;
constexpr std::size_t kGapColumnsShown = 40;

struct InspectFlags {
  DataOptions data;
  SchemaFlags schema;
  CommonOptions common;
  DescribedFlags<EncodeOptions> encode;
  std::string report_path;
  int threads = 0;
};

/// Everything that is shown.
struct Inspection {
  Table table;
  InferredSchema inferred;
  std::vector<ColumnSummary> columns;
  Encoder encoder;
  std::vector<std::string> gap_columns;  ///< Inputs with gaps, in the order of the table.
  std::vector<PatternCount> patterns;    ///< Over these.
};

Inspection inspect(Input input, const EncodeOptions& encode, int threads) {
  Inspection found;
  UnderstoodTable understood = understand(std::move(input.table), input.schema, threads);
  found.table = std::move(understood.table);
  found.inferred = std::move(understood.inferred);
  const Stage stage("summing up the columns");
  found.columns = summarise_columns(found.table, found.inferred);
  found.encoder = Encoder::fit(found.table, found.inferred.schema, encode);
  for (const ColumnSummary& column : found.columns) {
    if (column.role == ColumnSummary::Role::kInput && column.missing > 0) {
      found.gap_columns.push_back(column.name);
    }
  }
  found.patterns = count_patterns(found.table, found.gap_columns);
  return found;
}

double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// --- for people ---

std::string values_text(const ColumnSummary& column, const ReadingIndex& readings) {
  if (!column.first_date.empty()) {
    return fmt::format("{} to {}", column.first_date, column.last_date);
  }
  if (column.low) {
    const auto text = [&](double number) { return number_text(number, column.name, readings); };
    return fmt::format("{} to {}, mean {}", text(*column.low), text(*column.high),
                       text(*column.mean));
  }
  if (column.distinct == 0) return "";
  std::vector<std::string> shown;
  for (const auto& count : column.counts) {
    if (shown.size() == column.counts_in_line) break;
    shown.push_back(
        fmt::format("{} {:.0f} %", count.label, 100 * share_of(count.rows, column.observed)));
  }
  return fmt::format("{}: {}{}", plural(column.distinct, "value"), fmt::join(shown, ", "),
                     column.distinct > shown.size() ? ", ..." : "");
}

std::string placeholder_text(const Encoder& encoder, std::size_t feature) {
  const FeatureCoding& coding = encoder.coding()[feature];
  const ColumnCodec& codec = codec_of(encoder.schema().features[feature]);
  if (!codec.takes_placeholder_numbers()) {
    return coding.code >= 0                                 ? "own codes"
           : coding.has_reason_flag || coding.has_said_flag ? "zeros, own flag"
                                                            : "zeros";
  }
  const std::string_view scaling = codec.scaling_text(coding);
  const PlaceholderValues& pair = coding.placeholders;
  if (!coding.gaps_inline) {
    return fmt::format(
        "{} ({})", coding.learned_reason || coding.learned_any_said() ? "own inputs" : "own input",
        scaling);
  }
  if (pair.missing == 0 && pair.for_a_reason == 0) return fmt::format("zeros ({})", scaling);
  return fmt::format("{}, {} ({})", short_number(pair.missing), short_number(pair.for_a_reason),
                     scaling);
}

std::string kind_text(const ColumnSummary& column, const Inspection& found) {
  if (column.role == ColumnSummary::Role::kWeight) return "weight";
  if (column.role == ColumnSummary::Role::kTarget) {
    return codec_of(column.kind).is_choice() ? "target, classes" : "target, a number";
  }
  const Feature& feature = found.inferred.schema.features[*column.feature];
  std::string text(to_string(column.kind));
  if (!feature.group.empty()) text += fmt::format(" in {}", feature.group);
  return text;
}

/// What is known about the columns in use, a row each.
report::Table column_table(const Table& table, const Inspection& found) {
  report::Table text{.caption = "The columns in use",
                     .header = {"column", "kind", "missing", "values", "placeholders"},
                     .alignment = "llrll"};
  const ReadingIndex readings = found.inferred.schema.reading.by_column();
  for (const ColumnSummary& column : found.columns) {
    if (column.role == ColumnSummary::Role::kSetAside) continue;
    text.rows.push_back({column.name, kind_text(column, found),
                         column.missing == 0 ? "" : percent(share_of(column.missing, table.rows())),
                         values_text(column, readings),
                         column.feature ? placeholder_text(found.encoder, *column.feature) : ""});
  }
  return text;
}

report::Table set_aside_table(const Inspection& found) {
  report::Table text{
      .caption = "Columns set aside", .header = {"column", "why"}, .alignment = "ll"};
  for (const ColumnSummary& column : found.columns) {
    if (column.role == ColumnSummary::Role::kSetAside) {
      text.rows.push_back({column.name, column.set_aside_reason});
    }
  }
  return text;
}

void print_columns(const Table& table, const Inspection& found) {
  const report::Table columns = column_table(table, found);
  TextTable text(columns.header, columns.alignment);
  for (const auto& row : columns.rows) text.add(row);
  print_out("{}", text.text());
  const report::Table aside = set_aside_table(found);
  if (aside.rows.empty()) return;
  print_out("\nset aside\n");
  for (const auto& row : aside.rows) print_out("  {}: {}\n", row[0], row[1]);
}

/// Columns down the page, patterns across it: x marks a gap.
void print_patterns(const Table& table, const Inspection& found) {
  if (found.gap_columns.empty()) return;
  const std::size_t shown = std::min(kPatternsShown, found.patterns.size());
  print_out("\nmissing together: {} {}\n",
            shown == found.patterns.size() ? "all of" : fmt::format("{} most frequent of", shown),
            plural(found.patterns.size(), "pattern"));
  std::vector<std::string> header = {"rows"}, shares = {""};
  for (std::size_t i = 0; i < shown; ++i) {
    header.push_back(with_thousands(found.patterns[i].rows));
    shares.push_back(percent(share_of(found.patterns[i].rows, table.rows())));
  }
  TextTable text(header, "l" + std::string(shown, 'r'));
  text.add(shares);
  const std::size_t columns = std::min(kGapColumnsShown, found.gap_columns.size());
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string& name = found.gap_columns[c];
    std::vector<std::string> line = {name};
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& missing = found.patterns[i].missing_columns;
      line.emplace_back(std::find(missing.begin(), missing.end(), name) != missing.end() ? "x"
                                                                                         : ".");
    }
    text.add(std::move(line));
  }
  print_out("{}", text.text());
  if (columns < found.gap_columns.size()) {
    print_out("  ... and {} with gaps (--json has all)\n",
              plural(found.gap_columns.size() - columns, "more column"));
  }
}

std::string summary_text(const Table& table, const Inspection& found) {
  std::size_t missing = 0, inputs = 0;
  for (const ColumnSummary& column : found.columns) {
    if (column.role != ColumnSummary::Role::kInput) continue;
    missing += column.missing;
    ++inputs;
  }
  return fmt::format("{}: {}, {}; {} of the cells of {} are missing", table.source(),
                     plural(table.rows(), "row"), plural(table.column_count(), "column"),
                     percent(share_of(missing, inputs * table.rows())), plural(inputs, "input"));
}

void print_inspection(const Table& table, const Inspection& found) {
  print_out("{}\n", wrapped(summary_text(table, found)));
  print_columns(table, found);
  print_patterns(table, found);
}

// --- as a page ---

report::BarChart gap_chart(const Table& table, const Inspection& found) {
  report::BarChart chart{.title = "Missing cells per input", .value_label = "share of the rows"};
  for (const ColumnSummary& column : found.columns) {
    if (column.role != ColumnSummary::Role::kInput || column.missing == 0) continue;
    const double share = share_of(column.missing, table.rows());
    chart.bars.push_back({column.name, share, share, share});
  }
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  return chart;
}

report::PatternGrid pattern_grid(const Inspection& found) {
  report::PatternGrid grid{.title = "Inputs that are missing together",
                           .value_label = "rows",
                           .inputs = found.gap_columns};
  for (const PatternCount& pattern : found.patterns) {
    const HashSet<std::string_view> gaps(pattern.missing_columns.begin(),
                                         pattern.missing_columns.end());
    std::vector<bool> missing;
    for (const std::string& name : found.gap_columns) missing.push_back(gaps.contains(name));
    grid.patterns.push_back(
        {missing, with_thousands(pattern.rows), static_cast<double>(pattern.rows)});
  }
  return grid;
}

report::Document document_of(const Table& table, const Inspection& found) {
  report::Document document{.title = "What the table holds",
                            .summary = summary_text(table, found) + "."};
  report::Section columns{"Columns", {column_table(table, found)}};
  if (const report::Table aside = set_aside_table(found); !aside.rows.empty()) {
    columns.blocks.emplace_back(aside);
  }
  document.sections.push_back(std::move(columns));
  if (!found.gap_columns.empty()) {
    document.sections.push_back({"Gaps", {gap_chart(table, found), pattern_grid(found)}});
  }
  std::string said;
  const auto say = [&](const std::string& text) { said += (said.empty() ? "" : "\n\n") + text; };
  for (const std::string& text : few_of_each_kind(found.inferred.notes)) say(text);
  for (const std::string& text : found.encoder.notes()) say(text);
  if (!said.empty()) document.sections.push_back({"Good to know", {report::Text{said}}});
  return document;
}

// --- for programs ---

nlohmann::ordered_json column_json(const ColumnSummary& column, const Inspection& found) {
  nlohmann::ordered_json json = {{"name", column.name},
                                 {"role", to_string(column.role)},
                                 {"kind", to_string(column.kind)},
                                 {"observed", column.observed},
                                 {"missing", column.missing},
                                 {"missing_for_a_reason", column.missing_for_a_reason},
                                 {"below_limit", column.below_limit},
                                 {"above_limit", column.above_limit}};
  const std::optional<Task> task = codec_of(column.kind).task_of_target();
  if (column.role == ColumnSummary::Role::kTarget && task) json["task"] = to_string(*task);
  if (column.role == ColumnSummary::Role::kSetAside) json["reason"] = column.set_aside_reason;
  if (column.low) {
    json["low"] = *column.low;
    json["high"] = *column.high;
    json["mean"] = *column.mean;
  }
  if (!column.first_date.empty()) {
    json["low"] = column.first_date;
    json["high"] = column.last_date;
  }
  if (column.distinct > 0) json["distinct"] = column.distinct;
  for (const auto& count : column.counts) {
    json[std::string(column.counts_name)].push_back({{"value", count.label}, {"rows", count.rows}});
  }
  if (column.feature) {
    const FeatureCoding& coding = found.encoder.coding()[*column.feature];
    json["group"] = found.inferred.schema.features[*column.feature].group;
    if (codec_of(column.kind).takes_placeholder_numbers()) {
      json["center"] = coding.center;
      json["spread"] = coding.spread;
      if (coding.gaps_inline) {
        json["placeholder"] = coding.placeholders.missing;
        json["reason_placeholder"] = coding.placeholders.for_a_reason;
        if (coding.learned_said) json["said_placeholder"] = coding.placeholders.said;
        if (coding.learned_below) json["below_placeholder"] = coding.placeholders.below;
        if (coding.learned_above) json["above_placeholder"] = coding.placeholders.above;
      }
    }
  }
  return json;
}

nlohmann::ordered_json to_json(const Table& table, const Inspection& found) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array(),
                         patterns = nlohmann::ordered_json::array();
  for (const ColumnSummary& column : found.columns) columns.push_back(column_json(column, found));
  for (const PatternCount& pattern : found.patterns) {
    patterns.push_back({{"rows", pattern.rows}, {"missing", pattern.missing_columns}});
  }
  return {{"source", table.source()},
          {"rows", table.rows()},
          {"columns", columns},
          {"patterns", patterns},
          {"warnings", notes_json(found.inferred.notes)},
          {"notes", found.encoder.notes()}};
}

void write_page(const InspectFlags& flags, const Table& table, const Inspection& found,
                double seconds) {
  report::Document document = document_of(table, found);
  document.provenance = make_provenance(std::nullopt, flags.data.files(), seconds);
  nlohmann::ordered_json data = to_json(table, found);
  data["provenance"] = provenance_json(document.provenance);
  report::write_report(document, data, flags.report_path);
}

void run_inspect(const CLI::App& verb, const InspectFlags& flags) {
  if (flags.data.path.empty()) {
    throw ConfigError("which table should be looked at? For example:\n  knockout inspect data.csv");
  }
  check_report(flags.report_path, flags.data.files());
  const auto start = std::chrono::steady_clock::now();
  Inspection found = inspect(read_input(flags.data, flags.schema, flags.threads),
                             flags.encode.read(), flags.threads);
  for (Note& each : found.inferred.notes) each.text = with_flags(each.text, verb);
  if (!flags.report_path.empty()) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    write_page(flags, found.table, found, elapsed.count());
  }
  if (flags.common.json) {
    print_json(to_json(found.table, found));
    return;
  }
  print_inspection(found.table, found);
  flush_output();
  warn_of(verb, flags.common, found.inferred.notes);
  for (const std::string& text : found.encoder.notes()) note(verb, flags.common, text);
}

}  // namespace

Verb setup_inspect(CLI::App& command) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* const verb = command.add_subcommand(
      "inspect", "what a table holds: kinds, ranges, gaps, and which columns go missing together");
  verb->footer(kInspectExamples);
  add_data(*verb, flags->data, "CSV file (also .gz), or - for standard input");
  add_matrices(*verb, flags->data);
  flags->schema.said.add(*verb, {"targets"});
  add_schema(*verb, flags->schema);
  flags->encode.add(*verb, {"inline_placeholders"});
  add_report(*verb, flags->report_path);
  add_threads(*verb, flags->threads);
  add_common(*verb, flags->common, "All of it as one JSON object");
  return {verb, [verb, flags] { run_inspect(*verb, *flags); }};
}

}  // namespace knockout::cli
