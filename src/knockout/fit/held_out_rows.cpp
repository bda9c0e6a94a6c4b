// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/held_out_rows.h"

#include <algorithm>

#include "knockout/model/write_placeholders.h"

namespace knockout {

HeldOutRows::HeldOutRows(const HeldOutJudge& judge, int member)
    : judge_(judge),
      split_(split_rows(judge.examples, judge.hold_out, member)),
      sampler_(held_out_sampler(judge.plan, judge.hold_out, member)) {
  for (const Feature& feature : judge.encoder.schema().features) {
    columns_.push_back(judge.table.find(feature.name));
  }
}

/// Inputs that the row lacks by itself or that `mask` takes from it.
std::size_t HeldOutRows::missing_inputs(std::uint32_t row,
                                        std::span<const std::uint8_t> mask) const {
  const auto is_gap = [&](std::size_t feature) {
    return columns_[feature] == nullptr || !columns_[feature]->observed(row);
  };
  std::size_t missing = 0;
  for (std::size_t u = 0; u < mask.size(); ++u) {
    const std::vector<std::size_t>& features = judge_.encoder.units()[u].features;
    missing +=
        mask[u] != KnockoutSampler::kKept || std::all_of(features.begin(), features.end(), is_gap);
  }
  return missing;
}

std::size_t HeldOutRows::rows_at_once() const {
  constexpr std::size_t kRowsAtOnce = 1024;
  constexpr std::size_t kNumbersAtOnce = std::size_t{1} << 22;  // encoded: 17 MB per thread
  const auto width = static_cast<std::size_t>(std::max(1, judge_.encoder.width()));
  return std::clamp<std::size_t>(kNumbersAtOnce / width, 1, kRowsAtOnce);
}

std::size_t HeldOutRows::parts() const {
  return (split_.judged_rows() + rows_at_once() - 1) / rows_at_once();
}

HeldOutRows::Block HeldOutRows::block(std::size_t part) const {
  const std::size_t begin = part * rows_at_once();
  const std::size_t end = std::min(split_.judged_rows(), begin + rows_at_once());
  const EncodedRows& inputs = judge_.examples.inputs;
  const std::size_t width = inputs.width, codes = inputs.code_count, count = end - begin;
  Block made{std::vector<float>(count * width), std::vector<std::int32_t>(count * codes),
             std::vector<std::uint32_t>(count), std::vector<std::size_t>(count)};
  std::vector<std::uint8_t> mask(judge_.encoder.units().size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t source = split_.source(begin + i);
    std::copy_n(inputs.values.data() + source * width, width, made.values.data() + i * width);
    std::copy_n(inputs.codes.data() + source * codes, codes, made.codes.data() + i * codes);
    sampler_.draw(0, static_cast<std::uint32_t>(begin + i), mask);
    write_placeholders(judge_.encoder, mask, made.values.data() + i * width,
                       made.codes.data() + i * codes);
    made.sources[i] = source;
    made.missing[i] = missing_inputs(source, mask);
  }
  return made;
}

HeldOutRows::Answers HeldOutRows::answers(const Learner& learner, const Block& block) const {
  Answers answers;
  std::vector<double*> pointers;
  for (const TargetCoding& coding : judge_.targets) {
    answers.emplace_back(block.sources.size() * coding.answer_width());
  }
  pointers.reserve(answers.size());
  for (std::vector<double>& of_target : answers) pointers.push_back(of_target.data());
  const EncodedBlock encoded = block.encoded();
  learner.answer(encoded, *learner.make_workspace(encoded.rows), pointers);
  return answers;
}

}  // namespace knockout
