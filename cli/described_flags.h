// SPDX-License-Identifier: Apache-2.0
// Flags made from the descriptions of an options struct.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cli/flag_names.h"
#include "cli/option_page.h"
#include "cli/parse_values.h"

namespace knockout::cli {

/// The described options of a struct on the command line.
///   DescribedFlags<TrainOptions> train;
///   train.add(verb);
///   TrainOptions options = train.read();   // once the command line is parsed
template <typename Options>
class DescribedFlags {
 public:
  /// Adds a flag for every option of these names; without any, for all that belong on a command
  /// line.
  void add(CLI::App& verb, const std::vector<std::string>& only = {}) {
    for_each_option<Options>([&](const auto& described) {
      const bool asked = std::find(only.begin(), only.end(), described.name) != only.end();
      if (described.group.empty() || (!only.empty() && !asked)) return;
      options_[std::string(described.name)] = add_one(verb, described);
    });
  }

  /// Adds all that belong on a command line but these.
  void add_all_but(CLI::App& verb, const std::vector<std::string>& without) {
    std::vector<std::string> names;
    for_each_option<Options>([&](const auto& described) {
      if (std::find(without.begin(), without.end(), described.name) == without.end()) {
        names.emplace_back(described.name);
      }
    });
    add(verb, names);
  }

  /// The parser's option for a field, for what no description says: `option("a")->needs(...)`.
  CLI::Option* option(const std::string& name) const { return options_.at(name); }
  bool is_given(const std::string& name) const { return option(name)->count() > 0; }
  /// What was typed for a field, before it is read.
  std::vector<std::string> texts(const std::string& name) const { return option(name)->results(); }

  /// The options, those not given at their defaults. Lists of names are taken apart, but never
  /// within one of `names`. Throws ConfigError that names the flag.
  Options read(const std::vector<std::string>& names = {}) const {
    Options options;
    for_each_option<Options>([&](const auto& described) {
      const auto found = options_.find(std::string(described.name));
      if (found == options_.end() || found->second->count() == 0) return;
      set(described, found->second->results(), names, options.*described.member);
    });
    return options;
  }

 private:
  template <typename Value>
  static constexpr bool kIsList =
      !std::is_arithmetic_v<Value> && !std::is_enum_v<Value> && !kIsOptional<Value> &&
      !std::same_as<Value, KnockoutRate> && !std::same_as<Value, ClassWeights> &&
      !std::same_as<Value, RemovalRule>;
  /// Numbers and words of a list are checked while the command line is parsed; what may name
  /// columns must wait until these are known.
  template <typename Value>
  static constexpr bool kIsPlain = std::is_arithmetic_v<Value> || std::is_enum_v<Value> ||
                                   (kIsOptional<Value> &&
                                    !std::same_as<Value, std::optional<std::string>>) ||
                                   std::same_as<Value, std::vector<int>>;

  template <typename Value>
  static Typed typed_of(const Option<Options, Value>& described,
                        const std::vector<std::string>& texts,
                        const std::vector<std::string>& names) {
    return {.texts = texts,
            .names = names,
            .range = described.range,
            .is_time = described.value == "TIME"};
  }

  template <typename Value>
  static CLI::Option* add_one(CLI::App& verb, const Option<Options, Value>& described) {
    std::string help(described.help);
    const std::string by_default = default_text(described);
    const bool is_told =
        by_default.empty() || by_default == "none" || by_default.starts_with("found");
    if (!is_told) help += fmt::format(" (default {})", by_default);
    CLI::Option* made = nullptr;
    if constexpr (std::same_as<Value, bool>) {
      made = verb.add_flag(all_flags_of(described))->description(help);
    } else {
      made = verb.add_option(all_flags_of(described))->description(help);
      made->option_text(value_name(described));
      if constexpr (kIsList<Value>) {
        made->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
      }
      if constexpr (kIsPlain<Value>) {
        made->check([described](const std::string& text) {
          try {
            Value value{};
            parse(typed_of(described, {text}, {}), value);
          } catch (const ConfigError& error) {
            return std::string(error.what());
          }
          return std::string();
        });
      }
    }
    return made->group(std::string(described.group));
  }

  template <typename Value>
  static void set(const Option<Options, Value>& described, const std::vector<std::string>& texts,
                  const std::vector<std::string>& names, Value& value) {
    if constexpr (std::same_as<Value, bool>) {
      value = true;
    } else {
      try {
        parse(typed_of(described, texts, names), value);
      } catch (const ConfigError& error) {
        throw ConfigError(
            fmt::format("--{} {}: {}", flag_of(described), shell_word(texts.back()), error.what()));
      }
    }
  }

  std::map<std::string, CLI::Option*> options_;
};

}  // namespace knockout::cli
