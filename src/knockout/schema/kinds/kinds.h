// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

/// Every kind of column, in the order of ColumnKind.
std::span<const ColumnCodec* const> all_codecs();

const ColumnCodec& codec_of(ColumnKind kind);
inline const ColumnCodec& codec_of(const Feature& feature) { return codec_of(feature.kind); }
/// nullptr for a name that is none.
const ColumnCodec* codec_named(std::string_view name);

/// What a column is that is no input: words are categories, everything else is numbers.
ColumnKind kind_of_plain(const Column& column);
/// What the labels of a target are: categories or numbers.
ColumnKind kind_of_target(const Target& target);

}  // namespace knockout
