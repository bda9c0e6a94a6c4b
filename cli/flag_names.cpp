// SPDX-License-Identifier: Apache-2.0
#include "cli/flag_names.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/help.h"
#include "cli/option_page.h"

namespace knockout::cli {
namespace {

/// Fields whose flags are not made from descriptions.
const std::multimap<std::string, std::string, std::less<>>& other_flags() {
  static const std::multimap<std::string, std::string, std::less<>> flags = {
      {"text_columns", "categorical"},
      {"expect_missing", "expect-missing"},
      {"max_patterns", "max-patterns"},
      {"max_missing", "max-missing"},
      {"key", "key"}};
  return flags;
}

using FlagsOfFields = std::multimap<std::string, std::string, std::less<>>;

const FlagsOfFields& flags_of_fields() {
  static const FlagsOfFields flags = [] {
    auto all = other_flags();
    for_each_described_option([&](std::string_view, const OptionText& text) {
      if (!text.group.empty()) all.emplace(text.name, flag_of(text));
    });
    return all;
  }();
  return flags;
}

bool has_flag(const CLI::App& verb, const std::string& flag) {
  return verb.get_option_no_throw("--" + flag) != nullptr;
}

/// The verb that has this flag, `fit` before others; null when none has.
const CLI::App* owner_of(const std::string& flag, const CLI::App& asked) {
  const CLI::App* const command = asked.get_parent();
  if (command == nullptr) return nullptr;
  const CLI::App* owner = nullptr;
  for (const CLI::App* verb : command->get_subcommands([](const CLI::App*) { return true; })) {
    if (!has_flag(*verb, flag)) continue;
    if (owner == nullptr || verb->get_name() == "fit") owner = verb;
  }
  return owner;
}

/// How a field is said on the command line.
struct SaidFlag {
  std::string flag = {};     ///< "--categorical"; "" = there is no such field.
  std::string of_verb = {};  ///< The verb whose option it is, where the one at work lacks it.
};

SaidFlag flag_of_field(std::string_view field, const CLI::App& verb) {
  const auto [begin, end] = flags_of_fields().equal_range(field);
  if (begin == end) return {};
  for (auto known = begin; known != end; ++known) {
    if (has_flag(verb, known->second)) return {"--" + known->second};
  }
  const CLI::App* const owner = owner_of(begin->second, verb);
  return {"--" + begin->second, owner == nullptr ? "" : command_name(*owner)};
}

/// Whether the sentence so far says already that an option of another verb is meant.
bool says_fit_again(std::string_view before) {
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  return line.find("fit again") != std::string_view::npos;
}

/// What stands between the backquote at `begin` and the one that closes it; `end` is behind that.
std::string quoted_at(std::string_view message, std::size_t begin, std::size_t& end) {
  std::string text;
  for (end = begin + 1; end < message.size(); ++end) {
    if (message[end] == '`') {
      if (end + 1 == message.size() || message[end + 1] != '`') break;
      ++end;  // written twice
    }
    text += message[end];
  }
  ++end;
  return text;
}

}  // namespace

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./,:+%@=").find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  });
  // "--range age=5:: the column ..." would be hard to read, and so would "--range age=: ..." and
  // "--decimal-mark ..".
  const bool ends_oddly = word.ends_with(':') || word.ends_with('=') || word.ends_with('.');
  if (plain && !ends_oddly) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string flag_of(const OptionText& text) {
  std::string flag(text.flag.empty() ? text.name : text.flag);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag.substr(0, flag.find(','));
}

std::string all_flags_of(const OptionText& text) {
  std::string flags = "--" + flag_of(text);
  for (std::size_t comma = text.flag.find(','); comma != std::string_view::npos;
       comma = text.flag.find(',', comma + 1)) {
    const std::string_view rest = text.flag.substr(comma + 1);
    flags += ",--" + std::string(rest.substr(0, rest.find(',')));
  }
  return flags;
}

std::string with_flags(std::string_view message, const CLI::App& verb) {
  std::string out;
  std::size_t at = 0;
  while (at < message.size()) {
    const std::size_t begin = std::min(message.find('`', at), message.size());
    out += message.substr(at, begin - at);
    if (begin == message.size()) break;
    std::size_t end = 0;
    const std::string quoted = quoted_at(message, begin, end);
    constexpr std::string_view kEquals = " = ";
    const std::size_t equals = quoted.find(kEquals);
    const SaidFlag said = flag_of_field(quoted.substr(0, equals), verb);
    if (said.flag.empty()) {  // some other text in backquotes
      out += '`';
      at = begin + 1;
      continue;
    }
    const bool needs_owner = !said.of_verb.empty() && !says_fit_again(out);
    out += said.flag;
    if (equals != std::string::npos) {
      out += " " + shell_word(quoted.substr(equals + kEquals.size()));
    }
    if (needs_owner) out += fmt::format(" (an option of {})", said.of_verb);
    at = end;
  }
  return out;
}

}  // namespace knockout::cli
