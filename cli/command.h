// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace knockout::cli {

/// The `knockout` command: finds the verb, runs it, and turns errors into messages and exit codes.
int run_command(int argc, char** argv);

}  // namespace knockout::cli
