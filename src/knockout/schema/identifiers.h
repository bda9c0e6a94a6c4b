// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "knockout/data/column.h"
#include "knockout/schema/column_profile.h"

namespace knockout {

/// Whether a column's name says that its values name rows: id, patient_id, recordId, uuid, key.
bool name_says_identifier(std::string_view name);

/// Why the words of a column name its rows rather than describe them: "looks like an identifier
/// (...)"; "" = they do not. Dates are for the caller to rule out.
std::string identifier_reason_of_words(const Column& column, const ColumnProfile& profile);

/// The same for numbers. Years, numbers with decimals and numbers that repeat name no rows.
std::string identifier_reason_of_numbers(const Column& column, const ColumnProfile& profile);

}  // namespace knockout
