// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_reader.h"

#include <algorithm>
#include <utility>

#include "knockout/base/stage.h"
#include "knockout/data/csv_body.h"
#include "knockout/data/csv_clean_text.h"
#include "knockout/data/csv_header.h"
#include "knockout/data/text_file.h"

namespace knockout {
namespace {

Table read_clean_text(const CsvCleanText& text, const std::string& source,
                      const CsvOptions& options) {
  const Stage stage("taking " + source + " apart");
  const CsvPrologue prologue = read_prologue(text.view(), source, options);
  Table table = read_body(prologue, options);
  const std::vector<Note> about_cells = table.take_notes();
  for (const auto* notes : {&text.notes(), &prologue.notes, &about_cells}) {
    for (const Note& note : *notes) table.add_note(note);
  }
  return table;
}

TextBuffer load_ended_text(const std::string& path, const Limits& limits) {
  TextBuffer text = load_text(path, limits);
  if (!text.view().ends_with('\n')) text.append("\n");
  return text;
}

}  // namespace

std::vector<std::string> usual_missing_words() {
  return {"NA",  "N/A", "NaN",  "nan", "null",   "NULL",    "None",    "?",  "#N/A",
          "n/a", "NAN", "<NA>", "NaT", "#NULL!", "#DIV/0!", "#VALUE!", "\\N"};
}

struct CsvText::Loaded {
  Loaded(const std::string& path, int threads, const Limits& limits)
      : source(source_name(path)),
        bytes(load_ended_text(path, limits)),
        clean(bytes.view(), source, threads) {}

  std::string source;
  TextBuffer bytes;
  CsvCleanText clean;
};

CsvText::CsvText(std::unique_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}
CsvText::CsvText(CsvText&&) noexcept = default;
CsvText& CsvText::operator=(CsvText&&) noexcept = default;
CsvText::~CsvText() = default;

CsvText CsvText::load(const std::string& path, int threads, const Limits& limits) {
  return CsvText(std::make_unique<const Loaded>(path, threads, limits));
}

const std::string& CsvText::source() const { return loaded_->source; }

std::vector<std::string> CsvText::names(const CsvOptions& options) const {
  return read_prologue(loaded_->clean.view(), loaded_->source, options).names();
}

Table CsvText::read(const CsvOptions& options) const {
  return read_clean_text(loaded_->clean, loaded_->source, options);
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  return CsvText::load(path, options.threads, options.limits).read(options);
}

Table read_csv_text(std::string_view text, const std::string& source, const CsvOptions& options) {
  std::string ended;
  if (!text.ends_with('\n')) {
    ended = std::string(text) + '\n';
    text = ended;
  }
  return read_clean_text(CsvCleanText(text, source, options.threads), source, options);
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  // Greedy with one step back: after a mismatch, let the last star take one more character.
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

}  // namespace knockout
