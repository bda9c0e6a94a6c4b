// SPDX-License-Identifier: Apache-2.0
// Checkpoints and imputers that somebody forged, with a right checksum: each is refused with a
// ModelFileError, or does what it is for.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../forge_model.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/impute/fitted_imputer.h"
#include "knockout/networks/checkpoint.h"
#include "knockout/schema/infer.h"

namespace knockout::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Table& rows() {
  static const Table table = read_csv_text(
      "age,size,town,seen,a\n"
      "20,1,Ulm,2020-01-05,1\n"
      "30,,Bonn,2021-03-01,\n"
      ",2,Kiel,,3\n"
      "50,4,Ulm,2020-07-09,4\n"
      "60,8,,2022-12-31,5\n"
      "70,3,Bonn,2020-02-02,6\n",
      "rows.csv");
  return table;
}

/// The bytes of as many equal numbers.
template <typename Number>
std::string filled_with(Number number, const SafetensorsBlock& block) {
  std::string bytes;
  while (bytes.size() < block.bytes.size()) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return bytes;
}

TEST(ForgedCheckpoint, OfAnyOtherJsonIsReadOrRefused) {
  const TrainingIdentity identity = {{"the columns", "a"}, {"the labels", "b"}};
  const NetworkTrainingState state{.report = {.steps = 12, .best_step = 9, .training_loss = 0.1},
                                   .averaged = {1},
                                   .weights = {2},
                                   .first_moment = {3},
                                   .second_moment = {4}};
  const ModelFile file = model_file_from_bytes(state_to_bytes(state, identity), "sound");
  const auto outcome = [&](const json& document, const auto& tensors) -> std::string {
    try {
      state_from_bytes(forged_file(document.dump(), tensors), identity, "it");
    } catch (const ModelFileError& error) {
      return error.what();
    } catch (const ConfigError&) {
      return "it is of another training";
    }
    return "it was taken";
  };
  json document = file.document;
  for_each_change(document, [&](const json& changed, const std::string& place) {
    EXPECT_NO_THROW(outcome(changed, file.tensors)) << place;
  });
  for (const auto& [name, tensor] : file.tensors) {
    auto tensors = file.tensors;
    tensors.erase(name);
    EXPECT_TRUE(contains(outcome(document, tensors), "it has no \"" + name + "\""));
  }
  document["training"]["report"]["steps"] = 1e300;  // no integer holds it
  EXPECT_TRUE(contains(outcome(document, file.tensors), "\"steps\" must be a whole number"));
}

/// What is wrong with what an imputer of these bytes fills in; "" = nothing.
std::string trouble_with_imputer(const std::string& bytes) {
  try {
    const auto imputer = imputer_from_bytes(bytes, "forged.imputer");
    try {
      const Table filled = imputer->apply(rows(), 1);
      for (const Column& column : filled.columns()) {
        for (std::size_t row = 0; row < filled.rows(); ++row) {
          if (!column.is_text() && column.observed(row) && !std::isfinite(column.number(row))) {
            return "a number is not finite";
          }
        }
      }
    } catch (const DataError&) {  // cells that the changed schema refuses
    }
  } catch (const ModelFileError&) {
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(ForgedImputer, IsRefusedOrFillsWithFiniteNumbers) {
  const Schema schema = infer_schema(rows(), {}).schema;
  for (const ImputerKind kind : imputer_kinds()) {
    const std::string bytes = fit_imputer(kind, rows(), schema, {.trees = 2})->to_bytes();
    SealedContent content = unseal(kImputerFormat, bytes, ImputerArrays::types(), "sound");
    int shown = 0;
    const auto expect_harmless = [&](const json& document, const std::string& place) {
      const std::string trouble =
          trouble_with_imputer(sealed_anew(document.dump(), content.blocks));
      if (!trouble.empty() && ++shown <= 10) {
        ADD_FAILURE() << to_string(kind) << place << ": " << trouble;
      }
    };
    for_each_change(content.document["learned"], [&](const json&, const std::string& place) {
      expect_harmless(content.document, "/learned" + place);
    });
    for_each_change(content.document["inputs"]["inputs"],
                    [&](const json&, const std::string& place) {
                      expect_harmless(content.document, "/inputs/inputs" + place);
                    });
    // Numbers that are finite one by one, and not when they are added up.
    std::vector<std::string> changed;
    changed.reserve(content.blocks.size());
    for (auto& [name, block] : content.blocks) {
      if (block.type == "F32")
        block.bytes = changed.emplace_back(filled_with(std::numeric_limits<float>::max(), block));
      if (block.type == "F64") block.bytes = changed.emplace_back(filled_with(1.7e308, block));
    }
    expect_harmless(content.document, " with numbers that overflow");
  }
}

}  // namespace
}  // namespace knockout::test
