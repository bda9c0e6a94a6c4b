// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/column_codec.h"

#include <limits>

#include <fmt/format.h>

#include "knockout/schema/identifiers.h"

namespace knockout {
namespace {

/// How many of the first kinds of gaps training showed, each of which has an input.
int inputs_before(const FeatureCoding& coding, std::size_t kinds) {
  int inputs = 0;
  for (std::size_t k = 0; k < kinds; ++k) inputs += coding.learned(static_cast<GapKind>(k)) ? 1 : 0;
  return inputs;
}

}  // namespace

std::string InferredColumn::at(std::size_t row) const {
  return fmt::format("{}, column \"{}\"", table.where(row), column.name());
}

std::string ColumnCodec::counted(std::size_t columns) const {
  return fmt::format("{} {}", columns, name());
}

std::vector<KindRequest> ColumnCodec::requests(const SchemaOptions&) const { return {}; }

std::vector<KindRequest> ColumnCodec::requests_for(const std::vector<std::string>& columns) {
  std::vector<KindRequest> requests;
  requests.reserve(columns.size());
  for (const std::string& column : columns) requests.push_back({.column = column});
  return requests;
}

bool ColumnCodec::keeps_request(const Column&, const ColumnProfile&) const { return true; }

std::optional<RowNames> ColumnCodec::row_names(const Column&, const ColumnProfile&) const {
  return std::nullopt;
}

bool ColumnCodec::may_be_codes(const ColumnProfile&) const { return false; }

void ColumnCodec::describe(const InferredColumn&, Feature&, std::vector<Note>&) const {}

double ColumnCodec::read_word(std::string_view) const { return kUnreadable; }

void ColumnCodec::add_details(double, std::vector<float>&) const {}

Support ColumnCodec::support(const Feature& feature) const {
  if (feature.lower && feature.upper) return Support::kInterval;
  return feature.lower || feature.upper ? Support::kHalfLine : Support::kRealLine;
}

int ColumnCodec::value_inputs(const Feature&, const FeatureCoding&) const { return 1; }

int ColumnCodec::own_gap_inputs(const Feature& feature, const FeatureCoding& coding) {
  if (coding.gaps_inline || feature.never_missing) return 0;
  return inputs_before(coding, kGapKinds);
}

void ColumnCodec::lay_out(const Feature& feature, bool, FeatureCoding& coding) const {
  coding.width = value_inputs(feature, coding) + own_gap_inputs(feature, coding);
}

void ColumnCodec::write_gap(const Feature& feature, const FeatureCoding& coding, GapKind kind,
                            std::span<float> inputs) const {
  if (coding.gaps_inline) {
    inputs[0] = static_cast<float>(coding.placeholders.of(kind));
    return;
  }
  const int own = own_gap_inputs(feature, coding);
  if (own == 0) return;
  // After the value's inputs, in the order of GapKind, those that training showed.
  const int at = inputs_before(coding, static_cast<std::size_t>(kind));
  inputs[inputs.size() - static_cast<std::size_t>(own - at)] = kGapInput;
}

std::pair<double, double> ColumnCodec::fillable_range(const Feature& feature, double,
                                                      double) const {
  constexpr double kAny = std::numeric_limits<double>::max();  // not infinity: files hold it
  return {feature.lower.value_or(-kAny), feature.upper.value_or(kAny)};
}

double ColumnCodec::number_of(const Feature&, double reading) const { return reading; }

std::string_view ColumnCodec::scaling_text(const FeatureCoding& coding) const {
  switch (coding.support) {
    case Support::kInterval:
      return "0 to 1";
    case Support::kHalfLine:
      return "from 0";
    case Support::kRealLine:
      break;
  }
  return coding.bends() ? "robust" : "Z-score";
}

}  // namespace knockout
