// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/data/note.h"
#include "knockout/schema/reading/number_column.h"
#include "knockout/schema/reading/said_words.h"

namespace knockout {

/// What a person should hear of a column of words that is read as numbers, stray words aside.
/// `numbers` are its values.
void note_numbers(const std::string& column, const NumbersFound& found,
                  std::span<const double> numbers, std::vector<Note>& notes);

/// The same for a column that the file already holds as numbers.
void note_plain_numbers(const Column& column, std::span<const double> numbers,
                        const SaidWords& said, std::vector<Note>& notes);

/// The same for a column of words that is not read as numbers, though it may look so. Silent where
/// the schema will set the column aside, which then gives the same reason.
void note_number_like(const std::string& column, const std::vector<WordCount>& words,
                      const NumbersFound& found, std::vector<Note>& notes);

}  // namespace knockout
