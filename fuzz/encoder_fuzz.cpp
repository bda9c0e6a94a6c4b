// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the way from a table to the inputs of a network. The first two bytes choose
// options; the rest, up to a NUL, is a training table, and what follows is a later one. Either is
// refused with a DataError or a ConfigError, or its inputs are finite, the same every time, the
// same for a row alone, and the same after the encoder's way through JSON.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/understand.h"

namespace {

using namespace knockout;

void require_sound(const EncodedRows& rows, const Encoder& encoder) {
  fuzz::require(rows.values.size() == rows.rows * static_cast<std::size_t>(rows.width) &&
                    rows.codes.size() == rows.rows * encoder.embedded().size(),
                "an input in every place");
  for (const float value : rows.values) fuzz::require(std::isfinite(value), "finite inputs");
  for (std::size_t i = 0; i < rows.codes.size(); ++i) {
    const EmbeddedColumn& column = encoder.embedded()[i % encoder.embedded().size()];
    fuzz::require(rows.codes[i] >= 0 && rows.codes[i] < column.table_rows(),
                  "codes of the embedding");
  }
}

/// `count` rows of `a` from row `begin` on against all of `b`, bit for bit.
void require_same(const EncodedRows& a, std::size_t begin, std::size_t count,
                  const EncodedRows& b) {
  const auto same = [&](const auto& x, const auto& y, std::size_t width) {
    return y.size() == count * width &&
           (y.empty() ||
            std::memcmp(x.data() + begin * width, y.data(), y.size() * sizeof(y[0])) == 0);
  };
  fuzz::require(same(a.values, b.values, a.width) && same(a.codes, b.codes, a.code_count),
                "the same inputs");
}

/// Encodes a table that was read as the schema says.
void check_rows(const Encoder& encoder, const Table& table) {
  const EncodedRows rows = encoder.encode(table, {}, 1);
  require_sound(rows, encoder);
  if (rows.rows == 0) return;
  require_same(rows, 0, rows.rows, encoder.encode(table, {}, 2));
  const std::size_t last = rows.rows - 1;
  require_same(rows, last, 1, encoder.encode(table.take_rows({last}), {}, 1));
  const Encoder copy = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
  require_same(rows, 0, rows.rows, copy.encode(table, {}, 1));
}

SchemaOptions schema_options(std::uint8_t choices) {
  SchemaOptions options;
  if ((choices & 1) != 0) options.targets = {"y"};
  if ((choices & 2) != 0) options.categorical = {"a*"};
  if ((choices & 4) != 0) options.continuous = {"b*"};
  if ((choices & 8) != 0) options.groups = {{"both", {"a", "b"}}};
  if ((choices & 16) != 0) options.missing_at_random = {"all"};
  if ((choices & 32) != 0) options.unseen_category = UnseenCategory::kError;
  if ((choices & 64) != 0) options.ranges = {{"b", 0.0, 10.0}};
  if ((choices & 128) != 0) options.ordered = {{"c", {"low", "mid", "high"}}};
  return options;
}

EncodeOptions encode_options(std::uint8_t choices) {
  EncodeOptions options;
  if ((choices & 1) != 0) options.inline_placeholders = true;
  if ((choices & 2) != 0) options.max_one_hot = 1;
  if ((choices & 4) != 0) options.rare_rows = 0;
  if ((choices & 8) != 0) options.scaling = Scaling::kZScore;
  if ((choices & 16) != 0) options.clip_stddevs = std::nullopt;
  return options;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  using namespace std::string_literals;
  const std::string table =
      "a,b,c,d,y\n1,x,low,2020-01-02,1\n2,y,mid,2021-03-04,0\n,x,high,,1\n4,,low,2022-05-06,0\n";
  return {"\0\0"s + table, "\1\2"s + table + "\0a,b,c\n9,z,low\n"s, "\x92\1"s + table,
          "\x41\x1f"s + "a,b,y\n1,2,3\n1e30,5,4\n-3,,inf\n7,1e-300,2\n"s,
          "\0\0a;b\n1,5;3 %\n2,5;4 %\n1.000,0;<5 %\n"s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::size_t end = std::min(rest.find('\0'), rest.size());
  try {
    const UnderstoodTable training =
        understand(read_csv_text(rest.substr(0, end), "train.csv", {.threads = 1}),
                   schema_options(data[0]), 1);
    const Schema& schema = training.inferred.schema;
    const Encoder encoder = Encoder::fit(training.table, schema, encode_options(data[1]));
    check_rows(encoder, training.table);
    if (end == rest.size()) return 0;
    Table room;
    const Table later = read_csv_text(rest.substr(end + 1), "later.csv", {.threads = 1});
    check_rows(encoder, read_as(schema, later, room, 1));
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  return 0;
}
