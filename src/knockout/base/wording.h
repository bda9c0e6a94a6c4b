// SPDX-License-Identifier: Apache-2.0
// Counts, times and lists as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knockout {

std::string with_thousands(std::uint64_t number);                ///< "1,234,567"
std::string plural(std::uint64_t count, std::string_view noun);  ///< "1 row", "1,200 rows"
/// The verb of a count: "1 row lies", "2 rows lie".
std::string_view agreeing(std::uint64_t count, std::string_view one, std::string_view more);
std::string duration_text(double seconds);  ///< "0.8 s", "2 min 05 s"
/// At most `shown` of the items, then "and 7 more".
std::string short_list(const std::vector<std::string>& items, std::size_t shown);

}  // namespace knockout
