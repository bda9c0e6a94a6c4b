// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/reading_options.h"

#include "knockout/data/csv_reader.h"

namespace knockout {

std::vector<std::string> ReadingOptions::said_missing_words() const {
  std::vector<std::string> words = missing_words;
  words.insert(words.end(), only_missing_words.begin(), only_missing_words.end());
  return words;
}

std::vector<std::string> missing_words_of_files(const ReadingOptions& options) {
  std::vector<std::string> words;
  if (!options.only_said()) words = CsvOptions().missing_words;
  std::erase(words, "None");
  const std::vector<std::string> said = options.said_missing_words();
  words.insert(words.end(), said.begin(), said.end());
  return words;
}

}  // namespace knockout
