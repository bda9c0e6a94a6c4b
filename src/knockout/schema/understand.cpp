// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/understand.h"

#include <utility>

#include "knockout/base/stage.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

/// What the options for the schema say about the meaning of cells.
ReadingOptions reading_options(const SchemaOptions& options) {
  ReadingOptions reading = options.reading;
  reading.text_columns = columns_of_words(options);
  reading.number_columns = options.continuous;
  reading.target_columns = options.targets;
  reading.ignored_columns = options.ignore;
  return reading;
}

}  // namespace

UnderstoodTable understand(Table table, const SchemaOptions& options, int threads) {
  std::vector<Note> notes = table.notes();
  const Stage stage("finding out what the columns of " + table.source() + " hold");
  TableReading reading = TableReading::learn(table, reading_options(options), notes, threads);
  table = reading.apply(std::move(table), notes, false, threads);
  InferredSchema inferred = infer_schema(table, options);
  inferred.schema.reading = std::move(reading);
  inferred.notes.insert(inferred.notes.begin(), notes.begin(), notes.end());
  return {std::move(table), std::move(inferred)};
}

Table read_as(const Schema& schema, Table table, std::vector<Note>& notes, int threads) {
  const Stage stage("reading the cells of " + table.source() + " as the model does");
  const bool strict = schema.unseen_category == UnseenCategory::kError;
  return schema.reading.apply(std::move(table), notes, strict, threads);
}

const Table& read_as(const Schema& schema, const Table& table, Table& room, int threads) {
  if (schema.reading.leaves_alone(table)) return table;
  std::vector<Note> unheard;
  room = read_as(schema, table, unheard, threads);
  return room;
}

}  // namespace knockout
