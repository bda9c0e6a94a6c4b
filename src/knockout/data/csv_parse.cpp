// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_parse.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "knockout/data/csv_number.h"
#include "knockout/data/csv_records.h"

namespace knockout {
namespace {

using Kind = ColumnPlan::Kind;

/// Where the cells of one column go: all that the inner loop needs, side by side.
struct Destination {
  Kind kind = Kind::kSkip;
  char decimal_mark = '.';
  char bare_mark = '.';  ///< The same in fields without quotes, which cannot contain a delimiter.
  double* numbers = nullptr;
  std::int32_t* codes = nullptr;
  CellState* states = nullptr;
  bool count_gap_words = false;
};

class RangeParser {
 public:
  RangeParser(const CsvLayout& layout, const std::vector<ColumnPlan>& plans,
              const GapWords& gap_words, const CsvRange& range, std::size_t first_row,
              std::vector<CsvCells>& columns)
      : layout_(layout), gap_words_(gap_words), range_(range) {
    destinations_.resize(columns.size());
    result_.words.resize(columns.size());
    result_.not_numbers.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      CsvCells& column = columns[i];
      const char mark = plans[i].decimal_mark;
      constexpr char kNoMark = '\0';  // which no text contains
      destinations_[i] = {plans[i].kind,
                          mark,
                          mark == layout.dialect.delimiter ? kNoMark : mark,
                          column.numbers.data(),
                          column.codes.data(),
                          column.states.data(),
                          plans[i].count_gap_words};
      if (plans[i].kind == Kind::kSkip) continue;
      destinations_[i].states += first_row;
      if (plans[i].kind == Kind::kNumber) {
        destinations_[i].numbers += first_row;
      } else {
        destinations_[i].codes += first_row;
      }
    }
  }

  RangeResult parse() && {
    try {
      std::uint64_t expected_line = 0;
      walk_records(
          layout_, range_.begin, range_.end, range_.first_line,
          [&](std::size_t column, const char* p, std::uint64_t& line) {
            return read_cell(column, p, line);
          },
          [&](std::uint64_t line) {
            if (line != expected_line) result_.line_jumps.push_back({row_, line});
            expected_line = line + 1;
            ++row_;
            return true;
          });
    } catch (...) {
      result_.error = std::current_exception();
    }
    result_.rows = row_;
    return std::move(result_);
  }

 private:
  const char* read_cell(std::size_t column, const char* p, std::uint64_t& line) {
    if (column == 0 && row_ == range_.max_records) [[unlikely]] {
      throw std::logic_error("the scan and the parser disagree on the number of records");
    }
    const Destination& out = destinations_[column];
    if (out.kind != Kind::kNumber) return read_word(column, p, line);
    const char delimiter = layout_.dialect.delimiter;
    if (*p == delimiter) {
      out.states[row_] = CellState::kMissing;
      return p;
    }
    double value = 0.0;
    const char* const end = read_number_field(p, range_.end, delimiter, out.bare_mark, value);
    if (end != nullptr) [[likely]] {
      out.numbers[row_] = value;
      return end;
    }
    return read_odd_number(column, p, line);
  }

  /// A numeric cell with blanks or quotes around it, a gap, or a word.
  const char* read_odd_number(std::size_t column, const char* p, std::uint64_t& line) {
    const CsvField field = read_sound_field(layout_, column, p, range_.end, line);
    Destination& out = destinations_[column];
    const std::string_view cell = trim(field.text);
    if (const std::optional<CellState> gap = gap_words_.state_of(cell)) {
      out.states[row_] = *gap;
      return field.end;
    }
    const ParsedNumber number = parse_number(cell, out.decimal_mark);
    if (number.kind == NumberKind::kInfinity) {
      out.states[row_] = state_of_number(number.value);
    } else if (number.kind == NumberKind::kNumber) {
      out.numbers[row_] = number.value;
    } else {
      result_.not_numbers[column] = true;
      out.kind = Kind::kSkip;  // the column is parsed again, as words
    }
    return field.end;
  }

  const char* read_word(std::size_t column, const char* p, std::uint64_t& line) {
    const CsvField field = read_sound_field(layout_, column, p, range_.end, line);
    const Destination& out = destinations_[column];
    if (out.kind == Kind::kSkip) return field.end;
    const std::string_view cell = trim(field.text);
    if (const auto gap = gap_words_.state_of(cell); gap && cell != kNone) {
      out.states[row_] = *gap;
      out.codes[row_] = -1;
      if (out.count_gap_words && !cell.empty()) ++result_.gap_words[column][std::string(cell)];
      return field.end;
    }
    WordTable& words = result_.words[column];
    if (!field.has_doubled_quotes) {
      out.codes[row_] = words.find_or_add(field.text);
      return field.end;
    }
    std::string word = unescape(field);
    out.codes[row_] = words.find(word);
    if (out.codes[row_] < 0) {
      result_.unescaped.push_back(std::move(word));
      out.codes[row_] = words.find_or_add(result_.unescaped.back());
    }
    return field.end;
  }

  const CsvLayout& layout_;
  const GapWords& gap_words_;
  const CsvRange& range_;
  std::vector<Destination> destinations_;
  RangeResult result_;
  std::size_t row_ = 0;
};

}  // namespace

RangeResult parse_range(const CsvLayout& layout, const std::vector<ColumnPlan>& plans,
                        const GapWords& gap_words, const CsvRange& range, std::size_t first_row,
                        std::vector<CsvCells>& columns) {
  return RangeParser(layout, plans, gap_words, range, first_row, columns).parse();
}

}  // namespace knockout
