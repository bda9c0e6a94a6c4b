// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_cells.h"

#include <algorithm>

#include "knockout/data/csv_clean_text.h"
#include "knockout/data/csv_header.h"
#include "knockout/data/csv_records.h"

namespace knockout {
namespace {

std::size_t count_characters(const char* begin, const char* end) {
  return static_cast<std::size_t>(std::count_if(
      begin, end, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Old line ends are written anew; nothing else is.
bool same_but_for_line_ends(std::string_view original, std::string_view clean) {
  return std::equal(original.begin(), original.end(), clean.begin(), clean.end(),
                    [](char a, char b) { return a == b || (a == '\r' && b == '\n'); });
}

/// Blank lines at the end of a file are no rows, even where it has one column.
std::string_view without_blank_end(std::string_view body) {
  const std::size_t last = body.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  return body.substr(0, body.find('\n', last) + 1);
}

/// A cell and its bytes, blanks and quotes included, without a CR before the line end.
struct CellBytes {
  CsvCell cell;
  const char* begin;
  const char* end;
};

void for_each_cell(const CsvPrologue& prologue,
                   const std::function<void(const CellBytes& cell)>& visit) {
  const CsvLayout& layout = prologue.layout;
  // Records of one column may be blank lines; others never are.
  const std::string_view body =
      layout.names.size() == 1 ? without_blank_end(prologue.body) : prologue.body;
  const char* const end = body.data() + body.size();
  std::uint64_t record_line = 0;
  const auto read_cell = [&](std::size_t column, const char* p, std::uint64_t& line) {
    if (column == 0) record_line = line;
    const CsvField field = read_sound_field(layout, column, p, end, line);
    const char* cell_end = field.end;
    while (*field.end == '\n' && cell_end != p && cell_end[-1] == '\r') --cell_end;
    visit({{record_line, column, layout.names[column]}, p, cell_end});
    return field.end;
  };
  walk_records(layout, body.data(), end, prologue.body_line, read_cell,
               [](std::uint64_t) { return true; });
}

}  // namespace

CsvOffsets::CsvOffsets(std::string_view original, std::string_view clean)
    : begin_(clean.data()), last_(clean.data()) {
  const std::size_t characters = count_characters(begin_, begin_ + clean.size());
  if (original.size() >= clean.size() &&
      same_but_for_line_ends(original.substr(original.size() - clean.size()), clean)) {
    how_ = How::kSameBytes;
    skipped_ = original.size() - clean.size();
  } else if (characters == original.size()) {
    how_ = How::kByteForCharacter;
  }
}

std::size_t CsvOffsets::operator()(const char* p) {
  if (how_ == How::kSameBytes) return skipped_ + static_cast<std::size_t>(p - begin_);
  last_characters_ += count_characters(last_, p);
  last_ = p;
  return last_characters_;
}

std::string empty_csv_cells(std::string_view text, const std::string& source,
                            const CsvOptions& options,
                            const std::function<bool(const CsvCell& cell)>& removed) {
  // The reader wants a line end after the last line.
  const bool is_ended = text.ends_with('\n');
  const std::string copy = is_ended ? "" : std::string(text) + '\n';
  const std::string_view ended = is_ended ? text : copy;
  const CsvCleanText clean(ended, source, options.threads);
  CsvOffsets offset_of(ended, clean.view());
  const std::string_view kept = offset_of.is_known() ? ended : clean.view();
  const auto place_of = [&](const char* p) {
    return offset_of.is_known() ? offset_of(p) : static_cast<std::size_t>(p - clean.view().data());
  };

  const CsvPrologue prologue = read_prologue(clean.view(), source, options);
  const bool is_alone = prologue.layout.names.size() == 1;
  std::string out;
  out.reserve(kept.size());
  std::size_t copied = 0;  // what stands before it is in `out`
  for_each_cell(prologue, [&](const CellBytes& found) {
    if (!removed(found.cell)) return;
    const std::size_t begin = place_of(found.begin);
    out += kept.substr(copied, begin - copied);
    if (is_alone) out += "\"\"";
    copied = place_of(found.end);
  });
  out += kept.substr(copied);
  if (!is_ended) out.pop_back();
  return out;
}

}  // namespace knockout
