// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "cli/flag_names.h"
#include "cli/heartbeat.h"
#include "cli/help.h"
#include "cli/option_page.h"
#include "cli/output.h"
#include "cli/provenance.h"
#include "cli/verb.h"
#include "knockout/base/error.h"
#include "knockout/base/version.h"

namespace knockout::cli {
namespace {

// Part of the interface: scripts rely on them. --help lists them.
enum ExitCode {
  kDone = 0,
  kOurFault = 1,
  kUsage = 2,
  kData = 3,
  kModelFile = 4,
  kFile = 5,
  kPeer = 6
};

constexpr const char* kOverview =
    R"(knockout trains one network that predicts well with any of its inputs missing.

  knockout fit train.csv --target survived -m model.safetensors
  knockout predict new.csv -m model.safetensors -o predictions.csv

  demo       the paper's simulation end to end, in under a minute
  inspect    what a table holds: kinds, ranges, gaps, and which columns go missing together
  fit        train a model on a table with gaps
  describe   what a model predicts, from which columns, and how good it was
  predict    apply a model to a table, whatever is missing in it
  evaluate   how good predictions are when inputs are missing, pattern by pattern
  compare    cross-validate Knockout and its rivals on your own data
  ampute     remove cells from a table, to try things out
  reproduce  run a study of the paper

  knockout VERB --help     examples and every option of a verb
  knockout --version

Exit codes: 0 done, 2 wrong options, 3 unusable data, 4 unusable model file, 5 a file that cannot be
read or written, 6 a lost process of a distributed training, 1 anything else.
)";

/// A closed standard stream would be handed out again as the next file that is opened, and messages
/// would end up in a model. The replacement fails every read and write instead.
void occupy_closed_streams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) == -1) {
      static_cast<void>(open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY));
    }
  }
}

void prepare(CLI::App& app) {
  app.allow_extras();
  app.set_help_flag("-h,--help", "This page")->group("Everywhere");
  app.formatter(std::make_shared<HelpFormatter>());
}

/// What was asked for: the verb, or the study of `knockout reproduce STUDY`.
const CLI::App& innermost(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : innermost(*below.front());
}

std::string option_name(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

/// Without other spellings of an option: help does not show them.
std::vector<std::string> shown_option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

/// What the parser did not understand.
void refuse_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& argument) {
    return argument.size() > 1 && argument[0] == '-';
  });
  if (option != extras.end()) {
    throw ConfigError(fmt::format("unknown option \"{}\".{}", option_name(*option),
                                  did_you_mean(option_name(*option), shown_option_names(app))));
  }
  throw ConfigError(
      fmt::format("unexpected argument \"{}\".\n  A value that holds blanks must "
                  "stand in quotes, and an option may be repeated.",
                  extras.front()));
}

void refuse_unknown_verb(const CLI::App& command, const std::vector<Verb>& verbs) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  if (extras.front().starts_with('-')) refuse_extras(command);
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) names.push_back(verb.app->get_name());
  throw ConfigError(fmt::format("unknown verb \"{}\".{}\n  The verbs: {}.", extras.front(),
                                did_you_mean(extras.front(), names), fmt::join(names, ", ")));
}

/// The parser's own words for an option without a value, or with one too many, are hard to read.
std::string parse_message(const CLI::ParseError& error) {
  std::string message = error.what();
  if (error.get_name() != "ArgumentMismatch") return message;
  const std::string option = message.substr(0, message.find(':'));
  return message.ends_with(" missing") ? option + " needs a value."
                                       : option + " may be given only once.";
}

bool is_quiet(const CLI::App& verb) {
  const CLI::Option* const option = verb.get_option_no_throw("--quiet");
  return option != nullptr && option->count() > 0;
}

int fail(const std::string& who, const std::string& message, ExitCode code) {
  tell(who + ": " + message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App command;
  command.name("knockout");
  command.allow_extras();
  command.set_help_flag("-h,--help");
  command.set_version_flag("--version", fmt::format("knockout {}", kVersion));
  bool wants_option_page = false;  // for who works on knockout: docs/options.md is made with it
  command.add_flag("--options-page", wants_option_page)->group("");
  command.formatter(std::make_shared<CLI::FormatterLambda>(
      [](const CLI::App*, const std::string&, CLI::AppFormatMode) { return kOverview; }));
  const std::vector<Verb> verbs = setup_verbs(command);
  for (const Verb& verb : verbs) {
    prepare(*verb.app);
    for (CLI::App* const study : verb.app->get_subcommands({})) prepare(*study);
  }

  std::string who = "knockout";
  try {
    try {
      command.parse(argc, argv);
    } catch (const CLI::CallForVersion& version) {
      print_out("{}\n", version.what());
      flush_output();
      return kDone;
    } catch (const CLI::CallForHelp&) {
      const CLI::App& asked = innermost(command);
      print_out("{}", &asked == &command ? kOverview : asked.help());
      flush_output();
      return kDone;
    }
    if (wants_option_page) {
      print_out("{}", option_page(command));
      flush_output();
      return kDone;
    }
    for (const Verb& verb : verbs) {
      if (!verb.app->parsed()) continue;
      who = command_name(innermost(*verb.app));
      refuse_extras(innermost(*verb.app));
      const Watcher watcher(who, is_quiet(innermost(*verb.app)));
      verb.run();
      flush_output();
      return kDone;
    }
    refuse_unknown_verb(command, verbs);
    print_out("{}", kOverview);
    flush_output();
    return kDone;
  } catch (const CLI::ParseError& error) {
    for (const Verb& verb : verbs) {
      if (verb.app->parsed()) who = command_name(innermost(*verb.app));
    }
    return fail(
        who, fmt::format("{}\n  Examples and all options:  {} --help", parse_message(error), who),
        kUsage);
  } catch (const ConfigError& error) {
    return fail(who, with_flags(error.what(), innermost(command)), kUsage);
  } catch (const DataError& error) {
    return fail(who, with_flags(error.what(), innermost(command)), kData);
  } catch (const ModelFileError& error) {
    return fail(who, with_flags(error.what(), innermost(command)), kModelFile);
  } catch (const FileError& error) {
    return fail(who, with_flags(error.what(), innermost(command)), kFile);
  } catch (const PeerError& error) {
    return fail(who, with_flags(error.what(), innermost(command)), kPeer);
  } catch (const std::bad_alloc&) {
    return fail(who, "there is not enough memory for this.", kOurFault);
  } catch (const std::exception& error) {
    return fail(who,
                fmt::format("{}\n  This should not have happened: please report it, with the "
                            "command and the version ({}).",
                            error.what(), kVersion),
                kOurFault);
  }
}

}  // namespace

std::vector<Verb> setup_verbs(CLI::App& command) {
  return {setup_demo(command),     setup_inspect(command), setup_fit(command),
          setup_describe(command), setup_predict(command), setup_evaluate(command),
          setup_compare(command),  setup_ampute(command),  setup_reproduce(command)};
}

int run_command(int argc, char** argv) {
  // `knockout predict ... | head -1` ends quietly, even when the parent ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // Beyond a file size limit a write fails, with a message, instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  occupy_closed_streams();
  remember_command(argc, argv);
  return run(argc, argv);
}

}  // namespace knockout::cli
