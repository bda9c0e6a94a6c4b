// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "knockout/schema/reading/number_format.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// The form that most cells of a column have.
CompoundNumber find_compound(const std::vector<WordCount>& words);

/// The number that a cell spells in a form, which is not kNone; plain numbers are read too.
std::optional<double> read_compound(std::string_view cell, CompoundNumber form);

/// What a form does, in words: "feet and inches, as inches".
std::string_view text_of(CompoundNumber form);

// The names are part of the model format: never change one.
std::string_view name_of(CompoundNumber form);
std::optional<CompoundNumber> find_compound_name(std::string_view name);

}  // namespace knockout
