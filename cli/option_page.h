// SPDX-License-Identifier: Apache-2.0
// The described options of all structs: the list that names them, and docs/options.md.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/parse_values.h"
#include "knockout/base/limits.h"
#include "knockout/data/csv_reader.h"
#include "knockout/encode/encoder.h"
#include "knockout/eval/compare.h"
#include "knockout/fit/fit.h"
#include "knockout/impute/imputer.h"
#include "knockout/mask/ampute.h"

namespace knockout::cli {

/// Calls `visit(name of the struct, option)` for each.
template <typename Visit>
void for_each_described_option(Visit visit) {
  const auto walk = [&]<typename Options>(std::string_view name, const Options*) {
    for_each_option<Options>([&](const auto& described) { visit(name, described); });
  };
  walk("CsvOptions", static_cast<const CsvOptions*>(nullptr));
  walk("SchemaOptions", static_cast<const SchemaOptions*>(nullptr));
  walk("ReadingOptions", static_cast<const ReadingOptions*>(nullptr));
  walk("EncodeOptions", static_cast<const EncodeOptions*>(nullptr));
  walk("KnockoutOptions", static_cast<const KnockoutOptions*>(nullptr));
  walk("FitOptions", static_cast<const FitOptions*>(nullptr));
  walk("TrainOptions", static_cast<const TrainOptions*>(nullptr));
  walk("GapOverrides", static_cast<const GapOverrides*>(nullptr));
  walk("ImputerOptions", static_cast<const ImputerOptions*>(nullptr));
  walk("KnockoutTreeOptions", static_cast<const KnockoutTreeOptions*>(nullptr));
  walk("CompareOptions", static_cast<const CompareOptions*>(nullptr));
  walk("AmputeOptions", static_cast<const AmputeOptions*>(nullptr));
  walk("Limits", static_cast<const Limits*>(nullptr));
}

/// How help calls a value: the words of an enum, or what the description says.
template <typename Options, typename Value>
std::string value_name(const Option<Options, Value>& described) {
  if constexpr (std::same_as<Value, bool>) {
    return "";
  } else {
    const std::string words = words_of_type(static_cast<const Value*>(nullptr));
    return words.empty() ? std::string(described.value) : words;
  }
}

/// The default, in words where the value does not say it; "" for a switch, which is off.
template <typename Options, typename Value>
std::string default_text(const Option<Options, Value>& described) {
  if (!described.unsaid.empty()) return std::string(described.unsaid);
  if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(Options{}.*described.member));
  } else if constexpr (std::same_as<Value, bool>) {
    return "";
  } else {
    std::string text;
    for_each_number(Options{}.*described.member, [&](double number) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", number);
    });
    return text;
  }
}

/// docs/options.md as it must be, of a command with all its verbs. `knockout --options-page >
/// docs/options.md` writes it.
std::string option_page(const CLI::App& command);

}  // namespace knockout::cli
