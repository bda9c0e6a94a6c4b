// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// A file in a data set that says it is not the paper's, and what it is instead.
inline constexpr const char* kStandInNote = "stand_in.txt";

/// Writes the emoji of a folder in the layout of UPMC Food-101: real pictures with real texts for
/// who does not have that data set. `source` holds emoji_cifarformat.bin (the records of CIFAR-10:
/// label, then 32 x 32 pixels) and text.csv (a row for each, with the columns text, category and
/// label). The dish is the category, the title the name; about a quarter is for the test. Beside
/// them a tokenizer learned from the training titles, and the note. Returns the size of the
/// vocabulary. Throws FileError and DataError that name the file.
int write_emoji_as_dishes(const std::string& source, const Synthesis& synthesis);

}  // namespace knockout::experiments
