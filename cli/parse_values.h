// SPDX-License-Identifier: Apache-2.0
// What people type, as the values that options hold. Text becomes types here and nowhere else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/ascii.h"
#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/eval/compare.h"
#include "knockout/mask/plan.h"
#include "knockout/model/targets.h"
#include "knockout/schema/infer.h"

namespace knockout::cli {

/// An option as typed. Lists are taken apart, but never within one of the `names` of columns and
/// groups.
struct Typed {
  std::vector<std::string> texts;       ///< More than one where the option was repeated.
  std::vector<std::string> names = {};  ///< Columns and groups.
  NumberRange range = {};
  bool is_time = false;  ///< A number may have a unit: 30s, 5m, 1h.

  const std::string& text() const { return texts.back(); }
};

// Each sets `value` or throws ConfigError, which says what was expected but not of which option.

void parse(const Typed& typed, bool& value);  ///< "yes", "no"
void parse(const Typed& typed, char& value);  ///< One character, or "tab".
void parse(const Typed& typed, int& value);
void parse(const Typed& typed, std::uint64_t& value);
void parse(const Typed& typed, double& value);
void parse(const Typed& typed, std::string& value);
void parse(const Typed& typed, std::vector<int>& value);           ///< "128,128"
void parse(const Typed& typed, std::vector<double>& value);        ///< "0.4,0.8"
void parse(const Typed& typed, std::vector<std::string>& value);   ///< Names of columns: "age,bmi".
void parse(const Typed& typed, std::vector<ColumnRange>& value);   ///< "age=0:120", "income=0:".
void parse(const Typed& typed, std::vector<ColumnGroup>& value);   ///< "mri=vol_*,thickness"
void parse(const Typed& typed, std::vector<ColumnLevels>& value);  ///< "pain=none,some,much"
void parse(const Typed& typed, std::vector<MissingIn>& value);     ///< "age=98,99"
void parse(const Typed& typed, KnockoutRate& value);               ///< "auto", "paper", "0.3"
void parse(const Typed& typed, std::vector<UnitRate>& value);      ///< "age=0.1,mri=0.5"
void parse(const Typed& typed, std::vector<CorrelatedUnits>& value);  ///< "height,weight=0.8"
void parse(const Typed& typed, std::vector<KnockoutPattern>& value);  ///< "age+bmi=3", "none=1"
void parse(const Typed& typed, Placeholders& value);                  ///< "income=20", "age=mean"
void parse(const Typed& typed, ClassWeights& value);                  ///< "balanced", "yes=3,no=1"
void parse(const Typed& typed, RemovalRule& value);                   ///< "none", "mcar:0.3"
void parse(const Typed& typed, std::vector<RemovalRule>& value);      ///< "none,mcar:0.3"

template <typename Enum>
requires std::is_enum_v<Enum>
void parse(const Typed& typed, Enum& value) {
  const std::string word = ascii_lower(typed.text());
  std::vector<std::string> known;
  for (const EnumName<Enum>& entry : names_of(Enum{})) {
    if (entry.name == word) {
      value = entry.value;
      return;
    }
    known.emplace_back(entry.name);
  }
  throw ConfigError(fmt::format("expected {}, found \"{}\".{}", fmt::join(known, " or "),
                                typed.text(), did_you_mean(word, known)));
}

/// "auto" is what is absent.
template <typename Value>
void parse(const Typed& typed, std::optional<Value>& value) {
  if (!std::same_as<Value, std::string> && typed.text() == "auto") {
    value.reset();
    return;
  }
  parse(typed, value.emplace());
}

/// "adam|sgd" for an enum; "" for other types.
template <typename Value>
std::string words_of_type(const Value*) {
  std::string words;
  if constexpr (std::is_enum_v<Value>) {
    for (const EnumName<Value>& entry : names_of(Value{})) {
      words.append(words.empty() ? "" : "|").append(entry.name);
    }
  }
  return words;
}
template <typename Value>
std::string words_of_type(const std::optional<Value>*) {
  return words_of_type(static_cast<const Value*>(nullptr));
}

}  // namespace knockout::cli
