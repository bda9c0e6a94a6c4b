// SPDX-License-Identifier: Apache-2.0
#include "cli/report_output.h"

#include <fmt/format.h>

#include <variant>

#include "cli/options.h"
#include "cli/output.h"
#include "knockout/base/error.h"

namespace knockout::cli {

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out, line;
  const auto end_line = [&] {
    out += std::string(line.empty() ? 0 : indent, ' ') + line + '\n';
    line.clear();
  };
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > page_width()) end_line();
    line += (line.empty() ? "" : " ") + word;
    if (end < text.size() && text[end] == '\n') end_line();
    begin = end + 1;
  }
  if (!line.empty()) end_line();
  return out;
}

void add_report(CLI::App& verb, std::string& path) {
  verb.add_option("--report", path,
                  "Write a page with charts that opens in any browser, offline, and beside it "
                  "the numbers as JSON")
      ->option_text("FILE.html")
      ->group(kWhatComesOut);
}

void check_report(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return;
  if (!path.ends_with(".html") && !path.ends_with(".htm")) {
    throw ConfigError(fmt::format("--report {}: expected a name that ends in .html.", path));
  }
  for (const std::string& output : {path, report::json_path_of(path)}) {
    refuse_overwriting("--report", output, inputs);
    check_writable(output);
  }
}

void print_table(const report::Table& table) {
  std::string alignment = table.alignment;
  if (alignment.empty()) alignment = "l" + std::string(table.header.size() - 1, 'r');
  TextTable text(table.header, alignment);
  for (const auto& row : table.rows) text.add(row);
  print_out("{}\n{}\n", wrapped(table.caption), text.text());
  if (!table.note.empty()) print_out("{}\n", wrapped(table.note));
}

void print_document(const report::Document& document) {
  print_out("{}\n\n{}\n", document.title, wrapped(document.summary));
  for (const report::Section& section : document.sections) {
    for (const report::Block& block : section.blocks) {
      if (const auto* table = std::get_if<report::Table>(&block)) print_table(*table);
      if (const auto* text = std::get_if<report::Text>(&block)) {
        print_out("{}\n", wrapped(text->text));
      }
    }
  }
}

}  // namespace knockout::cli
