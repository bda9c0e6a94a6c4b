// SPDX-License-Identifier: Apache-2.0
// The installed headers compile on their own, the library links, and its answers are right. Leaves
// model.safetensors, new.csv and expected.txt in the folder it is given, for the installed command.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "knockout/knockout.h"

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  ++failures;
}

bool near(double value, double expected, double tolerance) {
  return std::abs(value - expected) < tolerance;
}

}  // namespace

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  expect(knockout::kVersion == EXPECTED_VERSION, "the header has the version of the package");

  // The dose is 10 for one group and 30 for the other, and 0.1 more for each year of age.
  std::string csv = "age,group,dose\n";
  for (int row = 0; row < 400; ++row) {
    const int age = 20 + row % 50;
    const bool first = row % 4 == 0;
    csv += std::to_string(age) + (first ? ",a," : ",b,") +
           std::to_string((first ? 10 : 30) + 0.1 * age) + "\n";
  }
  knockout::FitOptions options;
  options.schema.targets = {"dose"};
  options.train.steps = 1500;
  const auto fitted = knockout::fit(knockout::read_csv_text(csv, "doses.csv"), options);

  const std::string asked = "age,group\n40,a\n40,b\n,a\n,\n";
  const knockout::Table table = knockout::read_csv_text(asked, "new.csv");
  const std::vector<double> doses = fitted.model.predict(table)[0].values;
  expect(doses.size() == 4, "there is a prediction for each row");
  expect(near(doses[0], 14, 1) && near(doses[1], 34, 1), "complete rows are predicted");
  expect(near(doses[2], 10 + 0.1 * 44.5, 1.5), "without the age, the group's mean is predicted");
  expect(near(doses[3], 25 + 0.1 * 44.5, 4), "without anything, the mean is predicted");

  const std::string path = folder + "/model.safetensors";
  fitted.model.save(path);
  expect(knockout::load_model(path).predict(table)[0].values == doses,
         "a model predicts the same after saving and loading");
  bool refused = false;
  try {
    knockout::load_model(arguments[0]);
  } catch (const knockout::ModelFileError&) {
    refused = true;
  }
  expect(refused, "a file that is no model is refused with ModelFileError");

  std::ofstream(folder + "/new.csv") << asked;
  std::ofstream expected(folder + "/expected.txt");
  for (const double dose : doses) expected << std::to_string(dose) << '\n';
  return failures;
}
