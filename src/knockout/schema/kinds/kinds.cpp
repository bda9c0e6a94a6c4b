// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/kinds.h"

#include <array>

#include "knockout/base/enumerators.h"
#include "knockout/schema/kinds/categorical.h"
#include "knockout/schema/kinds/continuous.h"
#include "knockout/schema/kinds/date.h"
#include "knockout/schema/kinds/ordered.h"

namespace knockout {

std::span<const ColumnCodec* const> all_codecs() {
  static const ContinuousCodec continuous;
  static const CategoricalCodec categorical;
  static const DateCodec date;
  static const OrderedCodec ordered;
  static const std::array codecs = std::to_array<const ColumnCodec*>({
      &continuous,
      &categorical,
      &date,
      &ordered,
  });
  // An enumerator without a codec stops the compiler here; kinds_test sees to the order.
  static_assert(codecs.size() == enumerator_count<ColumnKind>());
  return codecs;
}

const ColumnCodec& codec_of(ColumnKind kind) {
  return *all_codecs()[static_cast<std::size_t>(kind)];
}

const ColumnCodec* codec_named(std::string_view name) {
  for (const ColumnCodec* codec : all_codecs()) {
    if (codec->name() == name) return codec;
  }
  return nullptr;
}

std::vector<std::string> columns_of_words(const SchemaOptions& options) {
  std::vector<std::string> columns;
  for (const ColumnCodec* codec : all_codecs()) {
    if (codec->wants_numbers()) continue;
    for (KindRequest& said : codec->requests(options)) columns.push_back(std::move(said.column));
  }
  return columns;
}

ColumnKind kind_of_plain(const Column& column) {
  return column.is_text() ? ColumnKind::kCategorical : ColumnKind::kContinuous;
}

ColumnKind kind_of_target(const Target& target) {
  return target.task == Task::kClassification ? ColumnKind::kCategorical : ColumnKind::kContinuous;
}

std::string_view to_string(ColumnKind kind) { return codec_of(kind).name(); }

}  // namespace knockout
