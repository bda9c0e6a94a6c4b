// SPDX-License-Identifier: Apache-2.0
#include "cli/warnings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace knockout::cli {
namespace {

TEST(Warnings, TellTenOfAKindAndHowManyMoreThereAre) {
  std::vector<Note> notes = {{"identifier", "id", "id is a name."}};
  for (int i = 0; i < 1'234; ++i) notes.push_back({"date_order", "d", "note " + std::to_string(i)});
  notes.push_back({"constant", "c", "c says nothing."});
  const std::vector<std::string> texts = few_of_each_kind(notes);
  ASSERT_EQ(texts.size(), 13U);
  EXPECT_EQ(texts[0], "id is a name.");
  EXPECT_EQ(texts[1], "note 0");
  EXPECT_EQ(texts[10], "note 9");
  EXPECT_EQ(texts[11], "1,224 more of this kind (date_order): inspect --json lists them.");
  EXPECT_EQ(texts[12], "c says nothing.");
}

TEST(Warnings, TellAllOfAKindThatHasTen) {
  const std::vector<Note> notes(10, {"constant", "c", "c says nothing."});
  EXPECT_EQ(few_of_each_kind(notes).size(), 10U);
  EXPECT_TRUE(few_of_each_kind({}).empty());
}

}  // namespace
}  // namespace knockout::cli
