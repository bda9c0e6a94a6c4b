// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "knockout/schema/reading/date_cursor.h"

namespace knockout {

/// What follows a date.
struct TimeOfDay {
  std::string clock = {};  ///< "09:30:00.5"
  std::string zone = {};   ///< "Z", "+02:00" or nothing.
};

/// Reads the rest of a text: " 14:30", "T14:30:15.5+02:00", ", 2:30 PM", ":10:30:00".
std::optional<TimeOfDay> read_time(DateCursor& text);

}  // namespace knockout
