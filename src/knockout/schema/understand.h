// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/data/table.h"
#include "knockout/schema/infer.h"

namespace knockout {

/// A table as analysis needs it, and what its columns are.
struct UnderstoodTable {
  Table table;
  InferredSchema inferred;
};

/// Learns what the cells of a table mean, reads them so, and infers what each column is. The schema
/// keeps the reading, so that later tables are read alike; the notes are those of the file's
/// reader, of the reading and of the inference. Deterministic, whatever the number of threads.
/// Throws as infer_schema() does.
///   const UnderstoodTable patients = understand(read_csv("patients.csv"), {.targets = {"risk"}});
UnderstoodTable understand(Table table, const SchemaOptions& options, int threads = 0);

/// A later table, read as the schema's reading says: what training saw as numbers are numbers, and
/// so on. A word that says nothing there is missing and told in `notes` or, where the schema is
/// strict about what training never saw (UnseenCategory::kError), a DataError.
Table read_as(const Schema& schema, Table table, std::vector<Note>& notes, int threads = 0);

/// The same for who needs no notes. Gives the table itself where there is nothing to do; otherwise
/// `room` takes the copy.
const Table& read_as(const Schema& schema, const Table& table, Table& room, int threads = 0);

}  // namespace knockout
