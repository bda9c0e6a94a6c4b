// SPDX-License-Identifier: Apache-2.0
#include "cli/option_page.h"

#include <limits>

#include "cli/flag_names.h"

namespace knockout::cli {
namespace {

constexpr const char* kOpening =
    R"(# Options

Every option of the C++ structs that `fit`, `compare` and `ampute` take, as the library describes it.
The command's flags, the ranges that are checked, the recipe in a model and the identity of a
checkpoint come from the same descriptions. This page is made by `knockout --options-page`; a test
fails when it is out of date.

"Learned" options change what is learned: they travel in the model, in its schema or its recipe, and
a checkpoint that was made with others is refused.
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

}  // namespace

std::string option_page() {
  std::string page = kOpening;
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

}  // namespace knockout::cli
