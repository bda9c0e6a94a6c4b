// SPDX-License-Identifier: Apache-2.0
#include "media/volume/volume_error.h"

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {

void throw_bad_volume(const std::string& path, std::string_view what, std::string_view fix) {
  throw DataError(fmt::format("{}: {}.\n  {}", path, what, fix));
}

}  // namespace knockout
