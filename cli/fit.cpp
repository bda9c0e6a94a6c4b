// SPDX-License-Identifier: Apache-2.0
// knockout fit: from a table with gaps to a model.
#include "knockout/fit/fit.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/engine.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/schema_output.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/stage.h"
#include "knockout/eval/metrics.h"
#include "knockout/networks/trainer.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/target_scale.h"

namespace knockout::cli {
namespace {

constexpr const char* kFitExamples =
    R"(  knockout fit train.csv --target survived -m model.safetensors
      All by default: kinds and gaps are found, classes are predicted where the target has few values.
  knockout fit train.csv --target price -m model.safetensors --range age=0:120 --ignore id,name
      Some knowledge about the columns.
  knockout fit train.csv --target y -m model.safetensors --missing-at-random all
      The gaps come from chance alone: the model may learn from them as if they were knocked out.
  knockout fit train.csv --target y -m model.safetensors --group mri='vol_*' --unit-rate mri=0.5
      The columns vol_1, vol_2, ... go missing together, in half of the cases.
  knockout fit train.csv --target y -m model.safetensors --expect-missing clinic.csv
      The model will be used on tables with the gaps of clinic.csv.
  knockout fit train.csv --target y -m model.safetensors --checkpoints under_way
      For trainings of hours: one that is cut off goes on when it is started again.
  mpirun -n 4 knockout fit train.csv --target y -m model.safetensors
      Four processes train together; torchrun and whatever else sets RANK, WORLD_SIZE, MASTER_ADDR
      and MASTER_PORT will do. The model is the same.
)";

struct FitFlags {
  DataOptions data;
  SchemaFlags schema;
  CommonOptions common;
  std::string model_path;
  DescribedFlags<FitOptions> fit;
  DescribedFlags<KnockoutOptions> knockout;
  DescribedFlags<EncodeOptions> encode;
  DescribedFlags<TrainOptions> train;
  DescribedFlags<KnockoutTreeOptions> trees;
  std::string reference_path;
};

FitOptions options_of(const FitFlags& flags, const Input& input, const TrainOptions& train) {
  const std::vector<std::string> names = names_in(input);
  FitOptions options = flags.fit.read(names);
  options.schema = input.schema;
  options.knockout = flags.knockout.read(names);
  options.encode = flags.encode.read(names);
  options.train = train;
  options.trees = flags.trees.read();
  options.limits = flags.data.limits.read();
  if (!flags.reference_path.empty()) {
    options.expect_missing = read_csv(flags.reference_path, flags.data.csv(train.threads));
  }
  return options;
}

// --- what is printed ---

std::string describe_network(const FitReport& report) {
  constexpr std::size_t kShown = 10;  // of as many numbers as networks
  std::vector<std::string> steps, best;
  bool out_of_time = false;
  for (const NetworkReport& member : report.members) {
    steps.push_back(std::to_string(member.steps));
    best.push_back(std::to_string(member.best_step));
    out_of_time |= member.out_of_time;
  }
  return fmt::format("{} of {} units, steps {} of {} rows, best at {}{}{}",
                     plural(report.members.size(), "network"), fmt::join(report.train.hidden, "-"),
                     short_list(steps, kShown), report.train.batch_rows, short_list(best, kShown),
                     out_of_time ? " (the time limit ended the training)" : "",
                     report.resumed_steps > 0
                         ? fmt::format("; {} steps were done before an interruption",
                                       with_thousands(report.resumed_steps))
                         : "");
}

std::string describe_trees(const FitReport& report, int depth) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> rounds;
  for (const int count : report.tree_rounds) rounds.push_back(std::to_string(count));
  return fmt::format("{} of depth {}, rounds {}", plural(rounds.size(), "booster"), depth,
                     short_list(rounds, kShown));
}

/// The mean loss per label on held-out rows: of networks as they told it, in standardised units;
/// with trees, what the learners reached together.
double mean_validation_loss(const FitResult& fitted) {
  const FitReport& report = fitted.report;
  double sum = 0;
  if (!report.tree_rounds.empty()) {
    std::size_t rows = 0;
    for (const HeldOutLevel& level : report.held_out) {
      for (std::size_t t = 0; t < level.targets.size(); ++t) {
        const TargetCoding& coding = fitted.model.targets()[t];
        const bool is_number = coding.target.task == Task::kRegression;
        sum += level.targets[t].loss / (is_number ? coding.stddev * coding.stddev : 1.0);
        rows += level.targets[t].rows;
      }
    }
    return sum / static_cast<double>(rows);
  }
  for (const NetworkReport& member : report.members) sum += member.validation_loss;
  return sum / static_cast<double>(report.members.size());
}

/// Readable where the loss has a natural scale: one target, and all rows and classes count alike.
std::string describe_validation(const Table& table, const FitResult& fitted, bool weighted) {
  const double loss = mean_validation_loss(fitted);
  const Schema& schema = fitted.report.inferred.schema;
  if (weighted || schema.targets.size() != 1) return fmt::format("loss {:.4f}", loss);
  const Target& target = schema.targets[0];
  if (target.task == Task::kRegression) {
    // Of labels that are learned as they are, the loss is in their own units.
    const double rmse = std::sqrt(loss) * fitted.model.targets()[0].stddev;
    const double share_left = rmse / target_scale(table, target).stddev;
    return fmt::format("R2 {:.3f}, RMSE {} in the units of {}", 1 - share_left * share_left,
                       short_number(rmse), target.name);
  }
  return fmt::format("log loss {:.3f}, where the base rates alone give {:.3f}", loss,
                     base_rate_log_loss(table.at(target.name), target));
}

/// What is known before training.
void print_prepared(const FitReport& report) {
  std::string rows = with_thousands(report.rows);
  if (report.rows_without_label > 0) {
    rows += fmt::format(", {} of them without a label", with_thousands(report.rows_without_label));
  }
  print_out("{}{}", labelled("rows", rows), describe_schema(report.inferred));
}

void print_trained(const FitFlags& flags, const Table& table, const FitResult& fitted) {
  const FitReport& report = fitted.report;
  const Schema& schema = report.inferred.schema;
  if (!report.members.empty()) print_out("{}", labelled("training", describe_network(report)));
  if (!report.tree_rounds.empty()) {
    print_out("{}", labelled("trees", describe_trees(report, flags.trees.read().depth)));
  }
  if (!report.weights.empty()) {
    print_out("{}", labelled("weights", fmt::format("networks {}, trees {}", report.weights[0],
                                                    report.weights[1])));
  }
  if (!std::isnan(mean_validation_loss(fitted))) {
    const bool weighted =
        !schema.weight_column.empty() || weighs_classes(flags.fit.read().class_weights);
    print_out("{}",
              labelled("validation", describe_validation(table, fitted, weighted) +
                                         " (on rows held out, inputs knocked out as in training)"));
  }
  print_out("{}{}", labelled("time", duration_text(report.seconds)),
            labelled("model", flags.model_path));
}

void print_fit_json(const FitFlags& flags, const FitResult& fitted) {
  const FitReport& report = fitted.report;
  nlohmann::ordered_json members = nlohmann::ordered_json::array();
  for (const NetworkReport& member : report.members) {
    members.push_back({{"steps", member.steps},
                       {"best_step", member.best_step},
                       {"training_loss", number_or_null(member.training_loss)},
                       {"validation_loss", number_or_null(member.validation_loss)},
                       {"out_of_time", member.out_of_time}});
  }
  nlohmann::ordered_json set_aside = nlohmann::ordered_json::array();
  for (const UnusedColumn& aside : report.inferred.set_aside) {
    set_aside.push_back({{"column", aside.column}, {"reason", aside.reason}});
  }
  print_json({{"model", flags.model_path},
              {"rows", report.rows},
              {"rows_without_label", report.rows_without_label},
              {"schema", schema_to_json(report.inferred.schema)},
              {"set_aside", set_aside},
              {"warnings", notes_json(report.inferred.notes)},
              {"notes", report.notes},
              {"hidden", report.train.hidden},
              {"recipe", fitted.model.recipe()},
              {"networks", members},
              {"tree_rounds", report.tree_rounds},
              {"weights", report.weights},
              {"held_out", fitted.model.provenance().at("held_out")},
              {"resumed_steps", report.resumed_steps},
              {"seconds", report.seconds}});
}

/// Gaps of a table that lacks some of the inputs say that those are always missing: seldom meant.
void warn_of_columns_not_expected(const CLI::App& verb, const FitFlags& flags, const Schema& schema,
                                  const Table& expected) {
  std::vector<std::string> absent;
  for (const Feature& feature : schema.features) {
    if (expected.find(feature.name) == nullptr) absent.push_back(feature.name);
  }
  if (absent.empty() || absent.size() == schema.features.size()) return;  // all: an error
  warn(verb, flags.common,
       fmt::format("{} lacks {} of {} ({}): the model expects tables in which they are always "
                   "missing.",
                   expected.source(), absent.size(), plural(schema.features.size(), "input"),
                   short_list(absent, 5)));
}

/// Told before training: whoever has to change an option should not wait for the end.
void print_prepared(const CLI::App& verb, const FitFlags& flags, const FitOptions& options,
                    const FitReport& report) {
  warn_of(verb, flags.common, report.inferred.notes);
  if (options.expect_missing) {
    warn_of_columns_not_expected(verb, flags, report.inferred.schema, *options.expect_missing);
  }
  for (const std::string& text : report.notes) note(verb, flags.common, text);
  if (!report.cost.empty()) note(verb, flags.common, report.cost + ".");
  if (flags.common.json) return;
  print_prepared(report);
  static_cast<void>(std::fflush(stdout));  // a failure shows at the end, when the model is safe
}

void check_flags(const FitFlags& flags) {
  if (flags.data.path.empty()) {
    throw ConfigError(
        "which table should be learned from? For example:\n"
        "  knockout fit train.csv --target y -m model.safetensors");
  }
  if (!flags.schema.said.is_given("targets")) {
    throw ConfigError("which column should be predicted? Name it:  --target COLUMN");
  }
  if (flags.model_path.empty()) {
    throw ConfigError("where should the model go? Name a file:  -m model.safetensors");
  }
  if (flags.model_path == "-") {
    throw ConfigError("-m -: a model is a file, it cannot go to standard output.");
  }
  std::vector<std::string> inputs = flags.data.files();
  inputs.push_back(flags.reference_path);
  refuse_overwriting("-m", flags.model_path, inputs);
}

void run_fit(const CLI::App& verb, FitFlags& flags) {
  check_flags(flags);
  const std::unique_ptr<AllReduce> processes = connect_processes(verb, flags.common);
  TrainOptions train = flags.train.read();
  train.processes = processes.get();
  if (processes != nullptr && train.threads == 0) train.threads = threads_beside_peers(*processes);
  // All processes end with the same model; the first one speaks and writes for all.
  const bool leads = processes == nullptr || processes->rank() == 0;
  if (leads) check_writable(flags.model_path);
  if (train.checkpoint_folder && std::filesystem::exists(*train.checkpoint_folder)) {
    create_folder(*train.checkpoint_folder, "the checkpoint folder");  // throws if it is a file
  }
  flags.common.quiet |= !leads;

  const Input input = read_input(flags.data, flags.schema, train.threads);
  FitOptions options = options_of(flags, input, train);
  options.on_prepared = [&](const FitReport& report) {
    if (leads) print_prepared(verb, flags, options, report);
  };
  warn_of_slow_blas(verb, flags.common);

  FitResult fitted = [&] {
    ProgressLine progress(flags.common.quiet);
    return fit(input.table, options, progress.function());
  }();
  const Stage stage("writing the model");
  if (leads) fitted.model.save(flags.model_path);
  // Nobody forgets where the training stood before the model is safe.
  if (processes != nullptr) {
    double saved = 1;
    processes->sum(std::span(&saved, 1));
  }
  remove_checkpoints(fitted.report.train);
  if (!leads) return;

  for (Note& each : fitted.report.inferred.notes) each.text = with_flags(each.text, verb);
  if (flags.common.json) {
    print_fit_json(flags, fitted);
  } else {
    print_trained(flags, input.table, fitted);
  }
}

}  // namespace

Verb setup_fit(CLI::App& command) {
  const auto flags = std::make_shared<FitFlags>();
  CLI::App* const verb = command.add_subcommand("fit", "train a model on a table with gaps");
  verb->footer(kFitExamples);
  add_data(*verb, flags->data, "CSV file (also .gz), or - for standard input");
  add_matrices(*verb, flags->data);
  flags->schema.said.add(*verb, {"targets"});
  const std::string learned = flags->schema.said.option("targets")->get_group();
  verb->add_option("-m,--model", flags->model_path, "Where the model goes")
      ->option_text("FILE")
      ->group(learned);
  flags->fit.add(*verb);
  add_schema(*verb, flags->schema);
  flags->knockout.add(*verb);
  verb->add_option("--expect-missing", flags->reference_path,
                   "A table whose gaps look like those of the tables to come")
      ->option_text("FILE")
      ->group(flags->knockout.option("rate")->get_group());
  flags->schema.said.add(*verb, {"unseen_category"});
  flags->encode.add(*verb);
  flags->train.add(*verb);
  flags->trees.add(*verb);
  flags->train.option("checkpoint_seconds")->needs(flags->train.option("checkpoint_folder"));
  add_common(*verb, flags->common, "The summary as one JSON object, at the end");
  return {verb, [verb, flags] { run_fit(*verb, *flags); }};
}

}  // namespace knockout::cli
