// SPDX-License-Identifier: Apache-2.0
// Documents on a terminal, and as report files.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "knockout/report/document.h"

namespace knockout::cli {

inline constexpr const char* kWhatComesOut = "What comes out";

/// --report FILE
void add_report(CLI::App& verb, std::string& path);
/// Throws, before the work rather than after it, ConfigError for a report that would overwrite an
/// input or has no .html ending, FileError for one that cannot be written.
void check_report(const std::string& path, const std::vector<std::string>& inputs);

/// The summary and the tables, for people.
void print_document(const report::Document& document);
void print_table(const report::Table& table);
/// Words in lines of at most 100 characters, each after so many blanks.
std::string wrapped(const std::string& text, std::size_t indent = 0);

}  // namespace knockout::cli
