// SPDX-License-Identifier: Apache-2.0
// What a model is, in words: what `describe` shows on a terminal and on its page.
#pragma once

#include "cli/model_facts.h"
#include "knockout/report/document.h"

namespace knockout::cli {

/// How the cells of an input are read: the one place that says so. `readings` are those of the
/// model's schema.
std::string reading_text(const ModelFacts& facts, const ReadingIndex& readings,
                         const Feature& feature);
/// What a gap of an input means to the model.
std::string gap_text(const Feature& feature);
/// What the column held in training; "" where the file does not tell.
std::string seen_text(const ModelFacts& facts, const ReadingIndex& readings,
                      const std::string& column);

/// Levels of the number of missing inputs, joined until each has a fair share of the rows.
struct HeldOutRange {
  std::size_t least = 0, most = 0;
  std::vector<HeldOutLevel::Score> targets;
};
std::vector<HeldOutRange> held_out_ranges(const std::vector<HeldOutLevel>& levels,
                                          std::size_t at_most);

/// All of it, without the provenance of the description itself.
report::Document model_document(const ModelFacts& facts);

}  // namespace knockout::cli
