// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/write_placeholders.h"

#include <gtest/gtest.h>

#include "knockout/mask/sampler.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

constexpr auto kKept = KnockoutSampler::kKept;
constexpr auto kOut = KnockoutSampler::kKnockedOut;
constexpr auto kReason = KnockoutSampler::kKnockedOutForAReason;

TEST(KnockOut, LooksExactlyLikeAGapOfTheTable) {
  const Table table({test::numbers("x", {0, test::kGap, 2}), test::words("c", {"a", "", "b"}),
                     test::words("many", {"p", "q", ""})});
  const Encoder encoder = Encoder::fit(
      table, infer_schema(table, {.categorical = {"c", "many"}}).schema, {.max_one_hot = 1});
  const Table full({test::numbers("x", {2}), test::words("c", {"b"}), test::words("many", {"q"})});
  const Table gaps(
      {test::numbers("x", {test::kGap}), test::words("c", {""}), test::words("many", {""})});
  for (const bool reason : {false, true}) {
    EncodedRows row = encoder.encode(full);
    const std::vector<std::uint8_t> mask(3, reason ? kReason : kOut);
    write_placeholders(encoder, mask, row.values.data(), row.codes.data());
    const GapOverrides said = reason ? GapOverrides{.missing_for_a_reason = {"all"}}
                                     : GapOverrides{.missing_at_random = {"all"}};
    const EncodedRows expected = encoder.encode(gaps, said);
    EXPECT_EQ(row.values, expected.values) << reason;
    EXPECT_EQ(row.codes, expected.codes) << reason;
  }
}

TEST(KnockOut, LeavesKeptUnitsAlone) {
  const Table table({test::numbers("x", {0, 2}), test::numbers("z", {0, 2})});
  const Encoder encoder = Encoder::fit(table, infer_schema(table, {}).schema);
  EncodedRows rows = encoder.encode(table);
  const std::vector<float> before = rows.values;
  const std::vector<std::uint8_t> mask = {kKept, kOut};
  write_placeholders(encoder, mask, rows.values.data(), nullptr);
  EXPECT_EQ(rows.values[0], before[0]);
  EXPECT_NE(rows.values[2], before[2]);
  EXPECT_EQ(std::vector<float>(rows.values.begin() + 4, rows.values.end()),
            std::vector<float>(before.begin() + 4, before.end()))
      << "the other row";
}

}  // namespace
}  // namespace knockout
