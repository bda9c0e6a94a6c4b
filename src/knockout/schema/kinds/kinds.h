// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

/// Every kind of column, in the order of ColumnKind.
std::span<const ColumnCodec* const> all_codecs();

const ColumnCodec& codec_of(ColumnKind kind);
inline const ColumnCodec& codec_of(const Feature& feature) { return codec_of(feature.kind); }
/// nullptr for a name that is none.
const ColumnCodec* codec_named(std::string_view name);

/// The columns that options say are of a kind whose cells are best read as words.
std::vector<std::string> columns_of_words(const SchemaOptions& options);

/// What a column is that is no input: words are categories, everything else is numbers.
ColumnKind kind_of_plain(const Column& column);
/// What the labels of a target are: categories or numbers.
ColumnKind kind_of_target(const Target& target);

}  // namespace knockout
