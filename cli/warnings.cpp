// SPDX-License-Identifier: Apache-2.0
#include "cli/warnings.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "knockout/base/wording.h"

namespace knockout::cli {

std::vector<std::string> few_of_each_kind(const std::vector<Note>& notes) {
  constexpr std::size_t kShown = 10;
  std::map<std::string_view, std::size_t> count;
  for (const Note& note : notes) ++count[note.code];
  std::map<std::string_view, std::size_t> shown;
  std::vector<std::string> texts;
  for (const Note& note : notes) {
    const std::size_t place = ++shown[note.code];
    if (place <= kShown) texts.push_back(note.text);
    if (place == kShown && count[note.code] > kShown) {
      texts.push_back(fmt::format("{} more of this kind ({}): inspect --json lists them.",
                                  with_thousands(count[note.code] - kShown), note.code));
    }
  }
  return texts;
}

void warn_of(const CLI::App& verb, const CommonOptions& common, const std::vector<Note>& notes) {
  for (const std::string& text : few_of_each_kind(notes)) warn(verb, common, text);
}

}  // namespace knockout::cli
