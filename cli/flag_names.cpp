// SPDX-License-Identifier: Apache-2.0
#include "cli/flag_names.h"

#include <algorithm>
#include <map>

#include "cli/option_page.h"

namespace knockout::cli {
namespace {

/// Fields whose flags are not made from descriptions.
const std::multimap<std::string, std::string, std::less<>>& other_flags() {
  static const std::multimap<std::string, std::string, std::less<>> flags = {
      {"text_columns", "categorical"},
      {"has_header", "header"},
      {"delimiter", "delimiter"},
      {"decimal_mark", "decimal-mark"},
      {"missing_for_a_reason", "missing-for-a-reason"},
      {"expect_missing", "expect-missing"},
      {"key", "key"}};
  return flags;
}

std::string flag_of_field(std::string_view field, const CLI::App& verb) {
  static const std::multimap<std::string, std::string, std::less<>> flags = [] {
    auto all = other_flags();
    for_each_described_option([&](std::string_view, const OptionText& text) {
      if (!text.group.empty()) all.emplace(text.name, flag_of(text));
    });
    return all;
  }();
  const auto [begin, end] = flags.equal_range(field);
  for (auto known = begin; known != end; ++known) {
    if (verb.get_option_no_throw("--" + known->second) != nullptr) return "--" + known->second;
  }
  return begin == end ? "" : "--" + begin->second;  // of another verb: "fit again without ..."
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
  if (plain) return std::string(word);
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
    const std::string flag = flag_of_field(quoted.substr(0, equals), verb);
    if (flag.empty()) {  // some other text in backquotes
      out += '`';
      at = begin + 1;
      continue;
    }
    out += flag;
    if (equals != std::string::npos) {
      out += " " + shell_word(quoted.substr(equals + kEquals.size()));
    }
    at = end;
  }
  return out;
}

}  // namespace knockout::cli
