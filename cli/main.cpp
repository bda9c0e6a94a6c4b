// SPDX-License-Identifier: Apache-2.0
// knockout: the command. It starts in milliseconds because LibTorch is not in it; what needs
// LibTorch is handed on to knockout-nn (cli/engine.h).
#include "cli/command.h"

int main(int argc, char** argv) { return knockout::cli::run_command(argc, argv); }
