// SPDX-License-Identifier: Apache-2.0
#include "cli/option_page.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/flag_names.h"
#include "cli/help.h"

namespace knockout::cli {
namespace {

constexpr const char* kOpening =
    R"(# Options

First every option of the C++ structs, as the library describes it. The command's flags, the ranges
that are checked, the recipe in a model and the identity of a checkpoint come from the same
descriptions. Then, verb by verb, which of them the command takes and what else it takes. This page
is made by `knockout --options-page`; a test fails when it is out of date.

"Learned" options change what is learned. Those of a fit travel in the model, in its schema or its
recipe, and a checkpoint that was made with others is refused.
)";

/// In a cell of a Markdown table.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

std::string range_cell(const NumberRange& range) {
  const std::string text = range.text();
  return text == "any" ? "" : text;
}

std::string struct_tables() {
  std::string page;
  std::string_view last;
  for_each_described_option([&](std::string_view options, const auto& described) {
    if (options != last) {
      page += fmt::format(
          "\n## {}\n\n| field | flag | range | default | what it does | learned |\n"
          "|---|---|---|---|---|---|\n",
          options);
      last = options;
    }
    std::string flag;
    if (!described.group.empty()) {
      const std::string value = value_name(described);
      flag =
          fmt::format("`--{}{}{}`", flag_of(described), value.empty() ? "" : " ", escaped(value));
    }
    const std::string by_default = default_text(described);
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", described.name, flag,
                        range_cell(described.range), by_default.empty() ? "off" : by_default,
                        escaped(described.help), described.learned == Learned::kYes ? "yes" : "no");
  });
  return page;
}

/// The flags of all structs with their help. A verb may have one of the same name that says
/// something else.
std::set<std::pair<std::string, std::string_view>> described_flags() {
  std::set<std::pair<std::string, std::string_view>> flags;
  for_each_described_option([&](std::string_view, const OptionText& text) {
    if (!text.group.empty()) flags.emplace(flag_of(text), text.help);
  });
  return flags;
}

/// What a verb takes: a table of what no struct describes, and the names of the rest.
std::string verb_table(const CLI::App& verb) {
  const auto described = described_flags();
  std::string rows, others;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty() || option == verb.get_help_ptr()) continue;
    const std::string title = option_title(*option), help = option->get_description();
    const bool is_known = std::any_of(described.begin(), described.end(), [&](const auto& flag) {
      return option->check_lname(flag.first) && help.starts_with(flag.second);
    });
    if (is_known) {
      others += fmt::format("{}`--{}`", others.empty() ? "" : ", ", option->get_lnames().front());
    } else {
      rows += fmt::format("| `{}` | {} |\n", escaped(title), escaped(help));
    }
  }
  return fmt::format("\n## {}\n\n{}.\n\n| flag | what it does |\n|---|---|\n{}{}",
                     command_name(verb), escaped(verb.get_description()), rows,
                     others.empty() ? "" : fmt::format("\nDescribed above: {}.\n", others));
}

}  // namespace

std::string option_page(const CLI::App& command) {
  std::string page = kOpening + struct_tables();
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    page += verb_table(*verb);
  }
  return page + "\nThe studies have flags of their own ([experiments/](experiments/README.md)).\n";
}

}  // namespace knockout::cli
