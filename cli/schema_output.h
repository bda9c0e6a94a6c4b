// SPDX-License-Identifier: Apache-2.0
// What the columns of a table were taken for, in words.
#pragma once

#include <string>
#include <string_view>

#include "knockout/schema/infer.h"

namespace knockout::cli {

/// "risk (regression)", "outcome (classes ill, well)".
std::string describe_target(const Target& target);

/// What a model is about to learn, for people: what it predicts, from which columns of which kinds,
/// and what was set aside. Lines of "predicts", "inputs" and "set aside".
std::string describe_schema(const InferredSchema& inferred);

/// A rounded number as the cells of a column write it: with their unit or currency.
std::string number_text(double number, std::string_view column, const ReadingIndex& readings);

}  // namespace knockout::cli
