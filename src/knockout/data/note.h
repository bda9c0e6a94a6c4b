// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace knockout {

/// Something a person should hear about how a table was read or understood.
struct Note {
  /// What it is about, for programs: "stray_words", "identifier". Part of `--json`: never change
  /// one.
  std::string code = {};
  std::string column = {};  ///< "" = the whole table.
  /// Complete sentences that name the column and the field that overrides.
  std::string text = {};
};

/// The sentences alone.
inline std::vector<std::string> texts_of(const std::vector<Note>& notes) {
  std::vector<std::string> texts;
  texts.reserve(notes.size());
  for (const Note& note : notes) texts.push_back(note.text);
  return texts;
}

}  // namespace knockout
