// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_data.h"

#include <type_traits>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/engine.h"
#include "cli/output.h"
#include "cli/report_output.h"
#include "cli/study_output.h"
#include "experiments/data_study.h"
#include "knockout/schema/column_list.h"

namespace knockout::cli {
namespace {

using experiments::DataStudy;
using experiments::DataStudyContext;
using experiments::Setting;
using experiments::Synthesis;

constexpr const char* kSettings = "Hyper-parameters (the paper's are the defaults)";

std::string examples_of(const DataStudy& study) {
  return fmt::format(
      R"(  knockout reproduce {0} --data DIR --report {0}.html
{1}  knockout reproduce {0} --synthesize DIR
      A small made-up data set in the same layout, to try things out;
  knockout reproduce {0} --data DIR --quick
      then the whole path on it, with a small network, in minutes.

An interrupted run goes on where it was when the same command is given again. Under torchrun or
mpirun, processes share the work. docs/experiments/{0}.md has the details.
)",
      study.name, wrapped("The whole study on the real data: " + study.needs, 6));
}

/// "Down-samplings of the U-Net (default 4, quick 2)"
std::string help_of(const Setting& setting) {
  const std::string now = std::visit(
      [](const auto* field) -> std::string {
        using Value = std::remove_cvref_t<decltype(*field)>;
        if constexpr (std::is_same_v<Value, std::vector<int>>) {
          return fmt::format("{}", fmt::join(*field, ","));
        } else if constexpr (std::is_same_v<Value, bool>) {
          return *field ? "yes" : "no";
        } else {
          return fmt::format("{}", *field);
        }
      },
      setting.field);
  const std::string standard = now.empty() ? "none" : now;
  if (setting.quick.is_null()) return fmt::format("{} (default {})", setting.help, standard);
  std::string quick = setting.quick.dump();
  std::erase_if(quick, [](char letter) { return letter == '[' || letter == ']' || letter == '"'; });
  return fmt::format("{} (default {}, quick {})", setting.help, standard, quick);
}

std::string value_name_of(const Setting& setting) {
  if (!setting.value_name.empty()) return setting.value_name;
  if (!setting.choices.empty()) return fmt::format("{}", fmt::join(setting.choices, "|"));
  return std::visit(
      [](const auto* field) -> std::string {
        using Value = std::remove_cvref_t<decltype(*field)>;
        if constexpr (std::is_same_v<Value, bool>) return "yes|no";
        if constexpr (std::is_same_v<Value, std::string>) return "WORD";
        if constexpr (std::is_same_v<Value, double>) return "X";
        if constexpr (std::is_same_v<Value, std::vector<int>>) return "N,N";
        return "N";
      },
      setting.field);
}

CLI::Validator yes_or_no() {
  return CLI::Validator(
      [](std::string& word) {
        return word == "yes" || word == "no"
                   ? std::string()
                   : fmt::format("expected yes or no, found \"{}\".", word);
      },
      "");
}

CLI::Option* add_setting(CLI::App& app, const Setting& setting) {
  const std::string flag = "--" + setting.name;
  return std::visit(
      [&](auto* field) {
        using Value = std::remove_cvref_t<decltype(*field)>;
        CLI::Option* option = nullptr;
        if constexpr (std::is_same_v<Value, bool>) {
          option = app.add_option_function<std::string>(
              flag, [field](const std::string& word) { *field = word == "yes"; });
          option->check(yes_or_no());
        } else {
          option = app.add_option(flag, *field);
          if constexpr (std::is_same_v<Value, std::vector<int>>) {
            option->delimiter(',')->allow_extra_args(false);
          }
        }
        return option->description(help_of(setting))
            ->option_text(value_name_of(setting))
            ->group(kSettings);
      },
      setting.field);
}

}  // namespace

struct DataStudies::Entry {
  DataStudy study;
  CLI::App* app = nullptr;
  DataStudyContext run;
  Synthesis synthesis;
  std::vector<std::string> methods;
  StudyOutput output;
  std::vector<std::pair<std::string, CLI::Option*>> settings;

  void synthesize() const;
  void run_study();
};

void DataStudies::Entry::synthesize() const {
  // Of several processes the first one writes.
  if (const auto rendezvous = rendezvous_from_environment(); rendezvous && rendezvous->rank != 0) {
    return;
  }
  if (study.in_engine) {
    need_torch_engine(fmt::format("Making up data for the study {}", study.name));
  }
  Synthesis wanted = synthesis;
  wanted.seed = output.seed;
  const std::string written = study.synthesize(wanted);
  experiments::mark_made_up(wanted.folder, written);
  const std::string next =
      fmt::format("knockout reproduce {} --data {} --quick", study.name, wanted.folder);
  if (output.common.json) {
    print_json(
        {{"study", study.name}, {"folder", wanted.folder}, {"written", written}, {"next", next}});
  } else {
    print_out("{}\nNext:  {}\n", written, next);
  }
}

void DataStudies::Entry::run_study() {
  const std::string title = fmt::format("The study {}", study.name);
  if (study.needs_engine ? study.needs_engine(run.data) : study.in_engine) need_torch_engine(title);
  const std::unique_ptr<AllReduce> processes = connect_processes(*app, output.common);
  const bool leads = processes == nullptr || processes->rank() == 0;
  if (study.programs && leads) {
    const std::vector<std::string> programs = study.programs(run.data);
    if (!programs.empty()) {
      warn(*app, output.common, experiments::warning_of_programs(programs));
    }
  }
  output.run.processes = processes.get();
  if (processes != nullptr && output.run.threads == 0) {
    output.run.threads = threads_beside_peers(*processes);
  }
  choose_journal_folder(output);
  if (run.checkpoint_folder.empty()) run.checkpoint_folder = output.run.journal_folder;
  if (run.repetitions == 0) run.repetitions = run.quick ? 3 : study.repetitions;
  run.methods = split_column_list(methods, {});
  run.seed = output.seed;
  run_and_show(
      *app, output,
      [&](const experiments::StudyContext& how) {
        run.run = how;
        experiments::StudyResult result = study.run(run);
        result.data["made_up_data"] = experiments::is_made_up(run.data);
        if (result.data["made_up_data"]) {
          result.document.summary =
              "The data are made up (--synthesize): nothing here is a finding about the "
              "world.\n\n" +
              result.document.summary;
        }
        if (run.quick) {
          result.document.summary += "\n\nQuick settings: small and short, not the paper's.";
        }
        return result;
      },
      Show::kAll);
}

DataStudies::DataStudies(CLI::App& reproduce) {
  for (DataStudy& study : experiments::data_studies()) {
    auto entry = std::make_unique<Entry>();
    entry->study = std::move(study);
    const DataStudy& made = entry->study;
    CLI::App* const app = reproduce.add_subcommand(made.name, made.description);
    entry->app = app;
    app->footer(examples_of(made));
    app->add_option("--data", entry->run.data,
                    "The folder with the data set, as its owners ship it")
        ->option_text("DIR")
        ->group(kTheData);
    app->add_option("--synthesize", entry->synthesis.folder,
                    "Write a small made-up data set in that layout into a new folder, and stop")
        ->option_text("DIR")
        ->group(kTheData);
    app->add_option("--synthesize-size", entry->synthesis.size,
                    "Of the made-up data set: subjects, images or rows (default: enough for "
                    "--quick)")
        ->option_text("N")
        ->transform(whole_number(0))
        ->group(kTheData);
    app->add_flag("--no-signal", entry->synthesis.no_signal,
                  "A made-up data set whose labels have nothing to do with the inputs: a control")
        ->group(kTheData);
    app->add_flag("--skip-bad", entry->run.skip_bad,
                  "Go on without what cannot be read, and list it")
        ->group(kTheData);
    app->add_option("--repetitions", entry->run.repetitions,
                    fmt::format("How many {} (default {} as in the paper, quick 3)",
                                made.repetition_name, made.repetitions))
        ->option_text("N")
        ->transform(whole_number(1))
        ->group(kWhatIsStudied);
    app->add_flag("--quick", entry->run.quick,
                  "Small networks and short training, for the made-up data")
        ->group(kWhatIsStudied);
    add_list(*app, "--methods", entry->methods, "NAMES",
             fmt::format("Which of {} (default: all)", fmt::join(made.methods, ", ")))
        ->group(kWhatIsStudied);
    for (const Setting& setting : made.settings.all()) {
      entry->settings.emplace_back(setting.name, add_setting(*app, setting));
    }
    add_journal(*app, entry->output);
    app->add_option("--checkpoints", entry->run.checkpoint_folder,
                    "Where trainings that are under way are kept (default: in the user's cache "
                    "folder)")
        ->option_text("DIR")
        ->group(kWhatComesOut);
    add_study_output(*app, entry->output);
    entries_.push_back(std::move(entry));
  }
}

DataStudies::~DataStudies() = default;

bool DataStudies::run() const {
  for (const auto& entry : entries_) {
    if (!entry->app->parsed()) continue;
    std::vector<std::string> given;
    for (const auto& [name, option] : entry->settings) {
      if (option->count() > 0) given.push_back(name);
    }
    if (entry->run.quick) entry->study.settings.make_quick(given);
    entry->study.settings.check();
    const bool reads = !entry->run.data.empty(), writes = !entry->synthesis.folder.empty();
    if (reads == writes) {
      throw ConfigError(fmt::format(
          "{}\n  --data DIR        the folder with the data set: {}\n  --synthesize DIR  write a "
          "small made-up one, to try things out",
          reads ? "--data and --synthesize: one after the other, please." : "which data?",
          entry->study.needs));
    }
    if (writes) {
      entry->synthesize();
    } else {
      entry->run_study();
    }
    return true;
  }
  return false;
}

std::vector<std::pair<std::string, std::string>> DataStudies::list() const {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const auto& entry : entries_) {
    listed.emplace_back(entry->study.name, entry->study.description);
  }
  return listed;
}

}  // namespace knockout::cli
