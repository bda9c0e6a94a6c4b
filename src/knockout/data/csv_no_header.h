// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "knockout/data/csv_sample.h"
#include "knockout/data/note.h"

namespace knockout {

/// Whether the first record is a row like those below, so that the file has no header: one of its
/// cells is a number above numbers, and another is a word that stands once more below. Names that
/// are years recur nowhere, and a header that is repeated recurs as a whole. Returns what is to be
/// told, nothing when the record may be a header.
std::optional<Note> find_missing_header(const std::vector<SampledRecord>& records);

}  // namespace knockout
