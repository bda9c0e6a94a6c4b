// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/write_placeholders.h"

#include <algorithm>

#include "knockout/mask/sampler.h"

namespace knockout {

void write_placeholders(const Encoder& encoder, std::span<const std::uint8_t> mask, float* values,
                        std::int32_t* codes) {
  const auto& units = encoder.units();
  for (std::size_t u = 0; u < mask.size(); ++u) {
    if (mask[u] == KnockoutSampler::kKept) continue;
    const KnockoutUnit& unit = units[u];
    const bool for_a_reason = mask[u] == KnockoutSampler::kKnockedOutForAReason;
    const auto& placeholders = for_a_reason ? encoder.reason_values() : encoder.missing_values();
    const auto& placeholder_codes = for_a_reason ? encoder.reason_codes() : encoder.missing_codes();
    std::copy_n(placeholders.data() + unit.begin, unit.width, values + unit.begin);
    std::copy_n(placeholder_codes.data() + unit.code_begin, unit.code_count,
                codes + unit.code_begin);
  }
}

}  // namespace knockout
