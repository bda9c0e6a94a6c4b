// SPDX-License-Identifier: Apache-2.0
//
// A model from a file, applied to a table that is not quite like the training data: a column is
// misspelt, and a category is new.
#include <cstdio>
#include <string>

#include "knockout/knockout.h"

int main() {
  std::string csv = "colour,size,price\n";
  for (int i = 0; i < 200; ++i) {
    const bool red = i % 2 == 0;
    const double price = (red ? 4.0 : 0.0) + i % 10 + 0.001 * i;
    csv += (red ? "red," : "blue,") + std::to_string(i % 10) + "," + std::to_string(price) + "\n";
  }
  // As load_model("model.safetensors") reads what model.save("model.safetensors") wrote.
  const std::string bytes =
      knockout::fit(knockout::read_csv_text(csv, "old.csv"), "price").model.to_bytes();
  knockout::Model model = knockout::model_from_bytes(bytes);

  const knockout::Table table =
      knockout::read_csv_text("colour,sizes\ngreen,3\nred,5\n", "new.csv");
  for (const std::string& note : model.notes_on(table)) std::puts(note.c_str());

  model.set_unseen_category(knockout::UnseenCategory::kMissing);  // or kError
  const knockout::TargetPrediction prices = model.predict(table).front();
  std::printf("green %.1f\nred   %.1f\n", prices.number(0), prices.number(1));
}
