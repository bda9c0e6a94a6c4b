// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/reading_options.h"

#include "knockout/data/csv_reader.h"

namespace knockout {

std::vector<std::string> missing_words_of_files(const ReadingOptions& options) {
  std::vector<std::string> words;
  if (!options.only_said_words) words = CsvOptions().missing_words;
  std::erase(words, "None");
  words.insert(words.end(), options.missing_words.begin(), options.missing_words.end());
  return words;
}

}  // namespace knockout
