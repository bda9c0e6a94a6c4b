// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/join.h"

#include <fmt/format.h>

#include <utility>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"

namespace knockout {

void join_columns(Table& table, Table extra) {
  if (extra.rows() != table.rows()) {
    throw DataError(
        fmt::format("{}: {} rows where {} has {}.\n"
                    "  Row by row, the two must describe the same things in the same order.",
                    extra.source(), extra.rows(), table.source(), table.rows()));
  }
  HashSet<std::string_view> known;
  for (const Column& column : table.columns()) known.insert(column.name());
  for (const Column& column : extra.columns()) {
    if (!known.contains(column.name())) continue;
    throw DataError(fmt::format("{}: {} has a column \"{}\" already.\n  Choose another name.",
                                extra.source(), table.source(), column.name()));
  }
  std::vector<Column> joined = table.take_columns();
  for (Column& column : extra.take_columns()) joined.push_back(std::move(column));
  table.replace_columns(std::move(joined));
}

}  // namespace knockout
