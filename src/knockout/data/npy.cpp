// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/data/text_file.h"

namespace knockout {
namespace {

using namespace std::string_view_literals;

[[noreturn]] void throw_bad(const std::string& source, std::string_view what,
                            std::string_view fix) {
  throw DataError(fmt::format("{}: {}.\n  {}", source, what, fix));
}

constexpr std::string_view kWriteAgain = "Write the file again with numpy.save().";

struct NpyHeader {
  char byte_order = '<';
  std::string type;  ///< Kind and size: "f8".
  bool fortran_order = false;
  std::size_t rows = 0;
  std::size_t columns = 1;
  std::string_view data;
};

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

/// What follows `'key':` in the header, which is a Python dictionary of three known keys.
std::string_view value_of(std::string_view header, std::string_view key,
                          const std::string& source) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  const std::size_t colon = header.find(':', std::min(at, header.size()));
  if (at == std::string_view::npos || colon == std::string_view::npos) {
    throw_bad(source, fmt::format("the NumPy header has no \"{}\"", key), kWriteAgain);
  }
  std::string_view value = header.substr(colon + 1);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  return value;
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& source) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) {
    throw_bad(source, "the shape in the NumPy header cannot be read", kWriteAgain);
  }
  std::vector<std::size_t> shape;
  text = text.substr(1, close - 1);
  while (true) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) return shape;
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) {
      throw_bad(source, "the shape in the NumPy header cannot be read", kWriteAgain);
    }
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

NpyHeader parse_header(std::string_view file, const std::string& source) {
  if (!file.starts_with("\x93NUMPY"sv) || file.size() < 10) {
    throw_bad(source, "this is no NumPy file (.npy)", "Write one with numpy.save().");
  }
  const int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3) {
    throw_bad(source, fmt::format("NumPy file format {} is not known (1, 2 and 3 are)", version),
              kWriteAgain);
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_at = 8 + length_bytes;
  const std::size_t length =
      file.size() < header_at ? file.size() : little_endian(file.substr(8, length_bytes));
  if (length > file.size() - std::min(header_at, file.size())) {
    throw_bad(source, "the file ends within the NumPy header", "Copy or write it again.");
  }
  const std::string_view text = file.substr(header_at, length);

  NpyHeader header;
  header.data = file.substr(header_at + length);
  const std::string_view description = value_of(text, "descr", source);
  const std::size_t close = description.find('\'', 1);
  if (!description.starts_with('\'') || close == std::string_view::npos || close < 3) {
    throw_bad(source, "records with named fields are not a matrix of numbers",
              "Save one field, or a plain array, with numpy.save().");
  }
  header.byte_order = description[1];
  header.type = std::string(description.substr(2, close - 2));
  header.fortran_order = value_of(text, "fortran_order", source).starts_with("True");
  const std::vector<std::size_t> shape = parse_shape(value_of(text, "shape", source), source);
  if (shape.empty() || shape.size() > 2) {
    throw_bad(source,
              fmt::format("the array has {} dimensions where 1 or 2 are expected", shape.size()),
              "Save it as rows by columns: numpy.save(path, x.reshape(len(x), -1)).");
  }
  header.rows = shape[0];
  if (shape.size() == 2) header.columns = shape[1];
  if (header.rows == 0 || header.columns == 0) {
    throw_bad(source, fmt::format("the array is empty ({} x {})", header.rows, header.columns),
              "At least one row and one column are expected.");
  }
  return header;
}

/// One stored number as a double. `swap` says that its bytes are in the other order.
template <typename T>
double number_at(const char* bytes, bool swap) {
  char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (swap) std::reverse(copy, copy + sizeof(T));
  T value;
  std::memcpy(&value, copy, sizeof(T));
  return static_cast<double>(value);
}

using ReadNumber = double (*)(const char*, bool);

struct NpyType {
  std::string_view name;
  std::size_t size;
  ReadNumber read;
};

constexpr NpyType kTypes[] = {
    {"f8", 8, number_at<double>},        {"f4", 4, number_at<float>},
    {"b1", 1, number_at<std::uint8_t>},  {"i1", 1, number_at<std::int8_t>},
    {"i2", 2, number_at<std::int16_t>},  {"i4", 4, number_at<std::int32_t>},
    {"i8", 8, number_at<std::int64_t>},  {"u1", 1, number_at<std::uint8_t>},
    {"u2", 2, number_at<std::uint16_t>}, {"u4", 4, number_at<std::uint32_t>},
    {"u8", 8, number_at<std::uint64_t>},
};

const NpyType& type_of(const NpyHeader& header, const std::string& source) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const NpyType& type) { return type.name == header.type; });
  const bool known_order = "<>|="sv.find(header.byte_order) != std::string_view::npos;
  if (found == std::end(kTypes) || !known_order) {
    throw_bad(
        source,
        fmt::format("numbers of type \"{}{}\" cannot be read", header.byte_order, header.type),
        "Convert them: numpy.save(path, x.astype(\"float32\")).");
  }
  return *found;
}

void check_size(const NpyHeader& header, std::size_t size, const std::string& source) {
  const std::size_t cells_in_file = header.data.size() / size;
  const bool too_short = header.columns > cells_in_file / header.rows;  // cannot overflow
  if (too_short) {
    throw_bad(
        source,
        fmt::format("the file ends before its {} x {} numbers do", header.rows, header.columns),
        "Copy or write it again.");
  }
  const std::size_t surplus = header.data.size() - header.rows * header.columns * size;
  if (surplus != 0) {
    throw_bad(
        source,
        fmt::format("{} bytes follow the {} x {} numbers", surplus, header.rows, header.columns),
        kWriteAgain);
  }
}

}  // namespace

Table read_npy(const std::string& path, const std::string& prefix, const Limits& limits) {
  const std::string source = source_name(path);
  const TextBuffer file = load_text(path, limits);
  const NpyHeader header = parse_header(file.view(), source);
  const NpyType& type = type_of(header, source);
  check_size(header, type.size, source);
  // A column takes hundreds of bytes: one row of millions is more than its numbers.
  check_columns(limits, header.columns, source);
  check_cells(limits, header.rows, header.columns, source);
  constexpr bool kLittleEndian = std::endian::native == std::endian::little;
  const bool swap = header.byte_order == (kLittleEndian ? '>' : '<');
  const std::size_t row_step = type.size * (header.fortran_order ? 1 : header.columns);
  const std::size_t column_step = type.size * (header.fortran_order ? header.rows : 1);

  std::vector<Column> columns;
  columns.reserve(header.columns);
  for (std::size_t c = 0; c < header.columns; ++c) {
    std::vector<double> numbers(header.rows);
    const char* bytes = header.data.data() + c * column_step;
    for (double& number : numbers) {
      number = type.read(bytes, swap);
      bytes += row_step;
    }
    columns.push_back(Column::numbers(fmt::format("{}_{}", prefix, c), std::move(numbers)));
  }
  Table table(std::move(columns), source, header.rows);
  table.set_rows_are_lines(false);
  return table;
}

}  // namespace knockout
