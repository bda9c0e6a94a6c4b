// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace knockout {

/// Whether whole numbers are names rather than amounts, though nothing but the column's name or
/// their length says so: postcodes and telephone numbers by name, keys of other tables that repeat
/// (customer_id), versions, barcodes (12 digits or more, all of one length).
bool are_code_numbers(std::string_view column, std::span<const double> numbers);

}  // namespace knockout
