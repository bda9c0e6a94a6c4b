// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "knockout/encode/encoder.h"

namespace knockout {

/// X'(M, X) of the paper: writes placeholders over the inputs and codes of the units that `mask`
/// knocks out. The mask speaks KnockoutSampler's language: kKnockedOut takes the first placeholder,
/// kKnockedOutForAReason the second. `codes` may be null where nothing is embedded. REQUIRES: a
/// mask of one entry per unit of the encoder, a row of its width.
void write_placeholders(const Encoder& encoder, std::span<const std::uint8_t> mask, float* values,
                        std::int32_t* codes);

}  // namespace knockout
