// SPDX-License-Identifier: Apache-2.0
// Options described once: the description serves checks, the command line, the JSON of a model, the
// identity of a checkpoint and docs/options.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "knockout/base/enumerators.h"

namespace knockout {

/// The numbers that an option takes, without limits unless said.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool high_excluded = false;

  /// Never true for NaN and infinities.
  bool contains(double number) const;
  std::string text() const;  ///< "from 0 to below 1", "above 0", "any".
};

/// Whether an option changes what is learned. Those that do travel in the model and are part of a
/// checkpoint's identity.
enum class Learned { kYes, kNo };

/// All about an option but where its value stands.
struct OptionText {
  std::string_view name;        ///< Of the field: what messages of the library say.
  std::string_view value = {};  ///< What follows the flag: "N", "COLS". Words of an enum need none.
  std::string_view help;
  std::string_view group = {};   ///< Heading of the help page; "" = not on the command line.
  std::string_view unsaid = {};  ///< The default in words, where its value does not say it.
  NumberRange range = {};
  /// "" = the name with dashes. "weights,weight" are two names of one.
  std::string_view flag = {};
  Learned learned = Learned::kYes;
};

/// One field of an options struct and its description. A struct `S` describes its fields in
/// `constexpr auto descriptions_of(const S*)`, a tuple of these: adding an option is adding the
/// field and its description there. A field that is forgotten stops the compiler.
///   option(&TrainOptions::momentum, {.name = "momentum", .help = "Of SGD", ...})
template <typename Options, typename Value>
struct Option : OptionText {
  Value Options::*member;
};
template <typename Options, typename Value>
constexpr Option<Options, Value> option(Value Options::*member, const OptionText& text) {
  return {text, member};
}

/// Stands for a field of any type where a struct's fields are counted; nothing is ever made of it.
struct AnyField {
  // From a const reference, so that a constructor that takes an AnyField as it is, such as that of
  // std::optional<int>, fits better and the choice is clear.
  template <typename Field>
  operator Field() const&;  // NOLINT(google-explicit-constructor)
};

/// How many fields a struct has, all of which can be left out: as many as braces take.
template <typename Struct, typename... Taken>
constexpr std::size_t count_fields() {
  if constexpr (requires { Struct{Taken{}..., AnyField{}}; }) {
    return count_fields<Struct, Taken..., AnyField>();
  } else {
    return sizeof...(Taken);
  }
}

/// Whether each field of a struct is described, or named in `constexpr auto undescribed_of(const
/// S*)`: a tuple of pointers to what is no option but a function to call, or a struct of options.
template <typename Options>
constexpr bool names_every_field() {
  constexpr const Options* kNone = nullptr;
  std::size_t named = std::tuple_size_v<decltype(descriptions_of(kNone))>;
  if constexpr (requires { undescribed_of(kNone); }) {
    named += std::tuple_size_v<decltype(undescribed_of(kNone))>;
  }
  return named == count_fields<Options>();
}

/// Calls `visit` with every described option of a struct, in order.
template <typename Options, typename Visit>
void for_each_option(Visit visit) {
  static_assert(names_every_field<Options>(),
                "A field has no description: give it one in descriptions_of(), or name it in "
                "undescribed_of().");
  std::apply([&](const auto&... described) { (visit(described), ...); },
             descriptions_of(static_cast<const Options*>(nullptr)));
}

/// A word for each value of an enum: `names_of(Enum{})` lists them, name_of() looks one up. An
/// enumerator without a word stops the compiler.
template <typename Enum>
struct EnumName {
  std::string_view name;
  Enum value;
};
template <typename Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view name_of(Enum value) {
  static_assert(std::tuple_size_v<decltype(names_of(Enum{}))> == enumerator_count<Enum>(),
                "names_of() does not name every enumerator once.");
  for (const EnumName<Enum>& entry : names_of(Enum{})) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsVariant = false;
template <typename... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;

/// Calls `visit` with every number that stands directly in an option's value.
template <typename Value, typename Visit>
void for_each_number(const Value& value, Visit visit) {
  if constexpr (std::is_arithmetic_v<Value> && !std::same_as<Value, bool>) {
    visit(static_cast<double>(value));
  } else if constexpr (kIsOptional<Value>) {
    if (value) for_each_number(*value, visit);
  } else if constexpr (kIsVariant<Value>) {
    std::visit([&](const auto& alternative) { for_each_number(alternative, visit); }, value);
  } else if constexpr (std::same_as<Value, std::vector<int>> ||
                       std::same_as<Value, std::vector<double>>) {
    for (const auto number : value) visit(static_cast<double>(number));
  }
}

/// Throws ConfigError naming the field.
void require_in_range(const OptionText& text, double number);

/// Throws ConfigError for the first described option whose numbers are not in its range.
template <typename Options>
void check_ranges(const Options& options) {
  for_each_option<Options>([&](const auto& described) {
    for_each_number(options.*described.member,
                    [&](double number) { require_in_range(described, number); });
  });
}

/// A field in a message: `never_missing`. The command shows its flag instead.
std::string field(std::string_view name);
/// A field with a value that would help: `never_missing = age`.
std::string field(std::string_view name, std::string_view value);

}  // namespace knockout
