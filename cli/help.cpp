// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <sstream>

#include "cli/output.h"

namespace knockout::cli {
namespace {

constexpr std::size_t kNameWidth = 30;

/// `text` broken into lines that start at column kNameWidth; the first follows `name`.
std::string entry(const std::string& name, const std::string& text) {
  std::string out = fmt::format("  {:<{}}", name, kNameWidth - 2);
  const std::string margin = "\n" + std::string(kNameWidth, ' ');
  std::size_t column = out.size();
  if (column > kNameWidth || out.back() != ' ') {
    out += margin;
    column = kNameWidth;
  }
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > kNameWidth && column + 1 + word.size() > page_width()) {
      out += margin;
      column = kNameWidth;
    }
    if (column > kNameWidth) out += ' ', ++column;
    out += word;
    column += word.size();
  }
  return out + "\n";
}

}  // namespace

std::string option_title(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string title;
  if (!option.get_snames().empty()) title = fmt::format("-{}, ", option.get_snames().front());
  title += "--" + option.get_lnames().front();
  if (!option.get_option_text().empty()) title += " " + option.get_option_text();
  return title;
}

std::string command_name(const CLI::App& app) {
  const CLI::App* const above = app.get_parent();
  return above == nullptr ? app.get_name() : command_name(*above) + " " + app.get_name();
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  std::string page = fmt::format("{}: {}\n\nExamples:\n{}", command_name(*app),
                                 app->get_description(), app->get_footer());
  for (const std::string& group : app->get_groups()) {
    if (group.empty()) continue;  // hidden
    page += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group() != group) continue;
      page += entry(option_title(*option), option->get_description());
    }
  }
  return page;
}

}  // namespace knockout::cli
