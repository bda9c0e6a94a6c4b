// SPDX-License-Identifier: Apache-2.0
#include "cli/model_facts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "cli/model_text.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "tests/forge_model.h"

namespace knockout::cli {
namespace {

TEST(ModelFacts, TellOfAModelWhateverItsFileSaysForPeople) {
  const Table table =
      read_csv_text("seen,y\n2020-01-05,2\n2021-02-03,3\n,1\n2020-09-09,5\n", "t.csv");
  FitOptions options;
  options.schema.targets = {"y"};
  options.schema.task = Task::kRegression;
  options.train.hidden = {2};
  options.train.networks = 1;
  options.train.steps = 2;
  ModelFile file = model_file_from_bytes(fit(table, options).model.to_bytes(), "sound");
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("facts_{}.model", ::getpid())).string();
  // What `describe` looks at of all that a recipe says.
  nlohmann::json& recipe = file.document["recipe"];
  recipe = {{"members", recipe["members"]}, {"train", {{"seed", recipe["train"]["seed"]}}}};
  int changes = 0;
  for (const char* part : {"provenance", "recipe"}) {
    test::for_each_change(
        file.document[part], [&](const nlohmann::json& changed, const std::string& place) {
          if (!changed.is_object()) return;  // the model is refused
          std::ofstream(path, std::ios::binary) << test::forged_file(file);
          EXPECT_NO_THROW(report::to_html(model_document(read_model_facts(path)))) << part << place;
          ++changes;
        });
  }
  std::filesystem::remove(path);
  EXPECT_GT(changes, 300);
}

}  // namespace
}  // namespace knockout::cli
