// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "knockout/data/note.h"

namespace knockout::cli {

/// Notes for people: at most ten of a kind, and how many more of it there are. A table of 100,000
/// columns has as many to tell; programs get all of them (`--json`).
std::vector<std::string> few_of_each_kind(const std::vector<Note>& notes);

/// Warns of them so.
void warn_of(const CLI::App& verb, const CommonOptions& common, const std::vector<Note>& notes);

}  // namespace knockout::cli
