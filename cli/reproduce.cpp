// SPDX-License-Identifier: Apache-2.0
// knockout reproduce: the studies of the paper; and knockout demo, the first of them in a minute.
#include <memory>

#include "cli/engine.h"
#include "cli/options.h"
#include "cli/reproduce_data.h"
#include "cli/study_output.h"
#include "cli/verb.h"
#include "experiments/study.h"
#include "knockout/schema/column_list.h"

namespace knockout::cli {
namespace {

using experiments::Recipe;
using experiments::Study;
using experiments::StudyOptions;

constexpr const char* kReproduceExamples =
    R"(  knockout reproduce regression --report regression.html
      Figure 1 of the paper: every method but MIWAE and supMIWAE, ten repetitions, trained by our
      recipe and by the paper's, an hour on two cores.
  knockout reproduce regression --recipe ours
      By ours alone, which takes minutes: the paper's has ten times the arithmetic, about 15 s on
      one core for each training on 3,000 rows.
  knockout reproduce regression --methods knockout,miwae,supmiwae --repetitions 1 --recipe ours
      Those two as well, which take minutes for each training.
  knockout reproduce classification-mixed --quick
      One repetition, in a minute.
  knockout reproduce regression --methods knockout,mice,boosting --repetitions 3
      Some of the methods (knockout compare --help lists them).

An interrupted run goes on where it was when the same command is given again.
)";

constexpr const char* kDemoExamples =
    R"(  knockout demo
      The paper's regression simulation in short, with a report to look at.
  knockout demo --seed 1
      Another mean and covariance.
)";

struct StudyFlags {
  std::string study;
  std::vector<std::string> methods;
  std::string recipe;  ///< "" = nobody said.
  StudyOptions options;
  StudyOutput output;
};

void run_study(const CLI::App& verb, const Study& study, const StudyFlags& flags,
               StudyOptions options, Show show) {
  options.seed = flags.output.seed;
  run_and_show(
      verb, flags.output,
      [&](const experiments::StudyContext& run) {
        options.run = run;
        return study.run(options);
      },
      show);
}

/// Every study with what it is, a line each.
std::string listed_studies(const DataStudies& data_studies) {
  std::string listed = "On simulated data:\n";
  for (const Study& study : experiments::studies()) {
    listed += fmt::format("  {:<27} {}\n", study.name, study.description);
  }
  listed += "\nOn real data, each with options of its own (knockout reproduce NAME --help):\n";
  for (const auto& [name, description] : data_studies.list()) {
    listed += fmt::format("  {:<27} {}\n", name, description);
  }
  return listed;
}

const Study& find_study(const std::string& name, const DataStudies& data_studies) {
  std::vector<std::string> names;
  for (const Study& study : experiments::studies()) {
    if (study.name == name) return study;
    names.push_back(study.name);
  }
  for (const auto& [known, description] : data_studies.list()) names.push_back(known);
  throw ConfigError(fmt::format("unknown study \"{}\".{}\n\n{}", name, did_you_mean(name, names),
                                listed_studies(data_studies)));
}

/// Which recipes of training a study shows; a quick look has no time for the paper's.
std::vector<Recipe> chosen_recipes(const StudyFlags& flags, const Study& study) {
  if (!flags.recipe.empty() && !study.has_recipes) {
    throw ConfigError(fmt::format("--recipe: the study {} trains in one way only.", study.name));
  }
  const std::string said =
      flags.recipe.empty() ? (flags.options.quick ? "ours" : "both") : flags.recipe;
  if (said == "both") return {Recipe::kOurs, Recipe::kPaper};
  for (const auto& [name, recipe] : names_of(Recipe{})) {
    if (said == name) return {recipe};
  }
  throw ConfigError(fmt::format("--recipe {}: expected ours, paper or both.", said));
}

void run_reproduce(const CLI::App& verb, StudyFlags& flags, const DataStudies& data_studies) {
  if (!verb.get_subcommands().empty()) {
    for (const CLI::Option* option : verb.get_options()) {
      if (option->count() == 0) continue;
      throw ConfigError(
          fmt::format("{}: options stand behind the name of the study.", option->get_name()));
    }
    data_studies.run();
    return;
  }
  if (flags.study.empty()) {
    throw ConfigError("which study?\n\n" + listed_studies(data_studies));
  }
  const Study& study = find_study(flags.study, data_studies);
  StudyOptions options = flags.options;
  options.recipes = chosen_recipes(flags, study);
  options.methods = split_column_list(flags.methods, {});
  for (std::string& method : options.methods) method = find_method_name(method);
  options.torch_methods = torch_methods_for(options.methods);
  choose_journal_folder(flags.output);
  run_study(verb, study, flags, options, Show::kAll);
}

void run_demo(const CLI::App& verb, const StudyFlags& flags) {
  StudyOptions options = flags.options;
  options.quick = true;
  options.recipes = {Recipe::kOurs};
  options.methods = {"knockout",       "dropout", "common-baseline",
                     "zero-indicator", "mice",    "boosting"};
  run_study(verb, experiments::studies().front(), flags, options, Show::kFirstSection);
}

}  // namespace

Verb setup_reproduce(CLI::App& command) {
  const auto flags = std::make_shared<StudyFlags>();
  CLI::App* const verb = command.add_subcommand("reproduce", "run a study of the paper");
  std::string footer = kReproduceExamples;
  const auto data_studies = std::make_shared<DataStudies>(*verb);
  verb->footer(footer + "\n" + listed_studies(*data_studies));
  verb->add_option("study", flags->study, "Which study")
      ->option_text("NAME")
      ->group(kWhatIsStudied);
  verb->add_option("--repetitions", flags->options.repetitions,
                   "New data and new models so many times (default 10, as in the paper)")
      ->option_text("N")
      ->transform(whole_number(1))
      ->group(kWhatIsStudied);
  verb->add_flag("--quick", flags->options.quick,
                 "One repetition, and fewer test rows where there are many: a minute")
      ->group(kWhatIsStudied);
  add_list(*verb, "--methods", flags->methods, "NAMES",
           "Which methods (default: the study's own, which its page names)")
      ->group(kWhatIsStudied);
  verb->add_option("--recipe", flags->recipe,
                   "How the networks of a simulation are trained: ours, as the paper does it, or "
                   "both (default both, with --quick ours)")
      ->option_text("ours|paper|both")
      ->group(kWhatIsStudied);
  add_journal(*verb, flags->output);
  add_study_output(*verb, flags->output);
  return {verb, [verb, flags, data_studies] { run_reproduce(*verb, *flags, *data_studies); }};
}

Verb setup_demo(CLI::App& command) {
  const auto flags = std::make_shared<StudyFlags>();
  flags->output.report_path = "knockout_demo.html";
  CLI::App* const verb =
      command.add_subcommand("demo", "the paper's simulation end to end, in under a minute");
  verb->footer(kDemoExamples);
  add_study_output(*verb, flags->output);
  return {verb, [verb, flags] { run_demo(*verb, *flags); }};
}

}  // namespace knockout::cli
