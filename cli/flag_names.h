// SPDX-License-Identifier: Apache-2.0
// The library's messages name fields, `never_missing`; people who type commands know flags.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "knockout/base/option.h"

namespace knockout::cli {

/// A word as it would be typed after an option in a shell.
std::string shell_word(std::string_view word);

/// The flag of a described option, without the dashes: its first name.
std::string flag_of(const OptionText& text);
/// All its names as the parser wants them: "--weights,--weight".
std::string all_flags_of(const OptionText& text);

/// The message with the flag in the place of each field: "`ignore = a b`" becomes "--ignore 'a b'".
/// Of two fields with one name, the one that `verb` has an option for is meant; where it has none,
/// the text says whose option it is: "--categorical zip (an option of knockout fit)".
std::string with_flags(std::string_view message, const CLI::App& verb);

}  // namespace knockout::cli
