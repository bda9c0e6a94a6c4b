// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/knockout.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/base/sha256.h"
#include "knockout/nn/module/flat_rows.h"
#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {
namespace {

std::string shape_text(torch::IntArrayRef shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// The shape of what has one entry per row, so that it broadcasts over a modality's elements.
std::vector<std::int64_t> broadcast_shape(std::int64_t rows, std::int64_t units,
                                          std::size_t dimensions) {
  std::vector<std::int64_t> shape(dimensions + 1, 1);
  shape[0] = rows;
  if (dimensions > 0) shape[1] = units;
  return shape;
}

/// Cells that hold a number. One subtraction tells NaN and infinities alike, in fewer passes over
/// the data than isfinite().
torch::Tensor finite_cells(const torch::Tensor& input) { return (input - input).eq(0); }

/// Which of the sampler's draws of a row says what unit comes back (KnockoutSampler).
constexpr std::uint32_t kRestoreDraw = 3;

/// The shape of a placeholder with numbers of its own: one where the modality has any size.
std::vector<std::int64_t> placeholder_shape(const Modality& modality) {
  std::vector<std::int64_t> shape = modality.shape;
  std::replace(shape.begin(), shape.end(), std::int64_t{-1}, std::int64_t{1});
  return shape;
}

bool fits(torch::IntArrayRef found, const std::vector<std::int64_t>& expected) {
  return std::equal(
      found.begin(), found.end(), expected.begin(), expected.end(),
      [](std::int64_t extent, std::int64_t wanted) { return wanted == -1 || extent == wanted; });
}

std::string describe(const Placeholder& placeholder) {
  std::string text;
  switch (placeholder.rule) {
    case Placeholder::Rule::kConstant:
      text = fmt::format("{:g}", placeholder.value);
      break;
    case Placeholder::Rule::kMean:
      text = "mean";
      break;
    case Placeholder::Rule::kLearned:
      text = "learned";
      break;
    case Placeholder::Rule::kCode:
      return "code";
  }
  if (placeholder.for_a_reason) text += fmt::format("/{:g}", *placeholder.for_a_reason);
  return text;
}

}  // namespace

KnockoutImpl::KnockoutImpl(KnockoutModuleOptions options)
    : options_(std::move(options)), units_(units_of(options_)) {
  for (Modality& modality : options_.modalities)
    modality.placeholder = checked_placeholder(modality);
  sampler_.emplace(units_.plan, Random(options_.seed, Stream::kKnockout, options_.member));
  reset();
}

void KnockoutImpl::reset() {
  placeholders_.clear();
  reason_placeholders_.clear();
  observed_.clear();
  for (const Modality& modality : options_.modalities) {
    const Placeholder& placeholder = *modality.placeholder;
    const bool learned = placeholder.rule == Placeholder::Rule::kLearned;
    const bool mean = placeholder.rule == Placeholder::Rule::kMean;
    const auto keep = [&](const std::string& name, double value, bool whole_shape) {
      const torch::Tensor tensor =
          torch::full(whole_shape ? placeholder_shape(modality) : std::vector<std::int64_t>{},
                      value, torch::kFloat32);
      return learned ? register_parameter(name, tensor) : register_buffer(name, tensor);
    };
    placeholders_.push_back(
        keep(modality.name + "_placeholder", placeholder.value, learned || mean));
    reason_placeholders_.push_back(
        placeholder.for_a_reason
            ? keep(modality.name + "_reason_placeholder", *placeholder.for_a_reason, learned)
            : torch::Tensor());
    observed_.push_back(
        mean ? register_buffer(modality.name + "_observed",
                               torch::zeros(placeholder_shape(modality), torch::kInt64))
             : torch::Tensor());
  }
  step_ = register_buffer("step", torch::zeros({}, torch::kInt64));
  step_version_ = -1;
}

void KnockoutImpl::pretty_print(std::ostream& stream) const {
  std::vector<std::string> parts;
  for (std::size_t m = 0; m < options_.modalities.size(); ++m) {
    const Modality& modality = options_.modalities[m];
    parts.push_back(fmt::format("{} {}{}{}: {}", modality.name, shape_text(modality.shape),
                                modality.separate_features ? " separately" : "",
                                modality.group.empty() ? "" : " with " + modality.group,
                                describe(*modality.placeholder)));
  }
  const std::vector<double> rates = plan().expected_rates();
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  stream << fmt::format("knockout::nn::Knockout({}; units={}, rate={:.3g}", fmt::join(parts, ", "),
                        plan().units, *least);
  if (*most > *least) stream << fmt::format(" to {:.3g}", *most);
  // Rates do not tell plans apart, and the trainer tells networks apart by what they print.
  Sha256 hash;
  hash.add(plan_to_json(plan()).dump());
  stream << fmt::format(", plan={}, seed={}, member={}{}{})", hash.finish().substr(0, 12),
                        options_.seed, options_.member,
                        plan().keep_at_least_one ? ", keeps one" : "",
                        options_.one_mask_per_batch ? ", one mask per batch" : "");
}

// --- the step ---

/// Reads the buffer only after somebody else wrote to it (a loaded checkpoint, a move to another
/// device): reading it at each pass would make the host wait for the device.
std::int64_t KnockoutImpl::current_step() {
  if (step_version_ != static_cast<std::int64_t>(step_._version()) ||
      step_data_ != step_.data_ptr()) {
    remember_step(step_.item<std::int64_t>());
  }
  return host_step_;
}

void KnockoutImpl::write_step(std::int64_t step) {
  const torch::NoGradGuard no_gradients;
  step_.fill_(step);
  remember_step(step);
}

void KnockoutImpl::remember_step(std::int64_t step) {
  host_step_ = step;
  step_version_ = step_._version();
  step_data_ = step_.data_ptr();
}

void KnockoutImpl::to(torch::Device device, bool non_blocking) {
  to(device, placeholders_.front().scalar_type(), non_blocking);
}

void KnockoutImpl::to(torch::Dtype type, bool non_blocking) {
  to(step_.device(), type, non_blocking);
}

void KnockoutImpl::to(torch::Device device, torch::Dtype type, bool non_blocking) {
  const std::int64_t step = current_step();
  std::vector<torch::Tensor> counts;
  for (const torch::Tensor& cells : observed_) {
    counts.push_back(cells.defined() ? cells.data() : torch::Tensor());
  }
  Module::to(device, type, non_blocking);
  for (std::size_t m = 0; m < counts.size(); ++m) {
    if (counts[m].defined()) observed_[m].set_data(counts[m].to(device, non_blocking));
  }
  step_.set_data(torch::full({}, step, torch::TensorOptions(torch::kInt64).device(device)));
  remember_step(step);
}

void KnockoutImpl::set_step(std::int64_t step, std::uint32_t first_row) {
  write_step(step);
  first_row_ = first_row;
}

torch::Tensor KnockoutImpl::draw(std::int64_t step, std::int64_t rows) const {
  if (options_.one_mask_per_batch) {
    const torch::Tensor mask = torch::empty({plan().units}, torch::kUInt8);
    sampler_->draw(static_cast<std::uint64_t>(step), /*row=*/0,
                   {mask.data_ptr<std::uint8_t>(), static_cast<std::size_t>(plan().units)});
    return mask.repeat({rows, 1});
  }
  const torch::Tensor mask = torch::empty({rows, plan().units}, torch::kUInt8);
  sampler_->draw_rows(static_cast<std::uint64_t>(step), first_row_, static_cast<std::size_t>(rows),
                      {mask.data_ptr<std::uint8_t>(), static_cast<std::size_t>(mask.numel())});
  return mask;
}

torch::Tensor KnockoutImpl::next_mask(std::int64_t rows, torch::Device device) {
  const std::int64_t step = current_step();
  const torch::Tensor mask = draw(step, rows);
  write_step(step + 1);
  return device.is_cpu() ? mask : mask.to(device, /*non_blocking=*/true);
}

// --- substitution ---

torch::Tensor KnockoutImpl::forward(const torch::Tensor& input, const torch::Tensor& presence) {
  if (options_.modalities.size() != 1) {
    refuse_modalities(
        fmt::format("one tensor was given for {} modalities.", options_.modalities.size()));
  }
  return forward_all({input}, presence).front();
}

std::vector<torch::Tensor> KnockoutImpl::forward_all(const std::vector<torch::Tensor>& inputs,
                                                     const torch::Tensor& presence) {
  const std::int64_t rows = check_inputs(inputs, presence);
  const torch::Tensor absent =
      presence.defined() ? presence.to(torch::kBool).logical_not() : torch::Tensor();
  torch::Tensor mask;
  if (is_training()) {
    const std::int64_t step = current_step();
    mask = next_mask(rows, step_.device());
    if (plan().keep_at_least_one) {
      mask = spare_one(mask, restore_draws(step, rows), inputs, absent);
    }
  }

  std::optional<torch::ScalarType> type;
  for (const torch::Tensor& input : inputs) {
    if (input.defined() && input.is_floating_point()) type = input.scalar_type();
  }
  std::vector<torch::Tensor> outputs;
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    outputs.push_back(substitute(m, inputs, rows, mask, absent));
    // What is not there at all has the type of what is.
    if (!inputs[m].defined() && type && !is_code(m)) outputs.back() = outputs.back().to(*type);
  }
  return outputs;
}

std::int64_t KnockoutImpl::check_inputs(const std::vector<torch::Tensor>& inputs,
                                        const torch::Tensor& presence) const {
  const auto modalities = static_cast<std::int64_t>(options_.modalities.size());
  if (inputs.size() != options_.modalities.size()) {
    refuse_modalities(
        fmt::format("{} inputs were given for {} modalities; give an undefined tensor for one "
                    "that is absent.",
                    inputs.size(), modalities));
  }
  if (presence.defined() && (presence.dim() != 2 || presence.size(1) != modalities)) {
    refuse_modalities(fmt::format("the presence mask has the shape {}; expected [rows, {}].",
                                  shape_text(presence.sizes()), modalities));
  }
  std::int64_t rows = presence.defined() ? presence.size(0) : -1;
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!inputs[m].defined()) continue;
    const torch::IntArrayRef found = inputs[m].sizes();
    const std::vector<std::int64_t>& expected = options_.modalities[m].shape;
    if (found.empty() || !fits(found.slice(1), expected)) {
      refuse_modalities(fmt::format("modality \"{}\" has the shape {}; expected [rows{}{}].",
                                    options_.modalities[m].name, shape_text(found),
                                    expected.empty() ? "" : ", ", fmt::join(expected, ", ")));
    }
    if (is_code(m) && !c10::isIntegralType(inputs[m].scalar_type(), /*includeBool=*/false)) {
      refuse_modalities(
          fmt::format("modality \"{}\" has the codes of categories, which are integers, not {}.",
                      options_.modalities[m].name, c10::toString(inputs[m].scalar_type())));
    }
    if (!is_code(m) && !inputs[m].is_floating_point()) {
      refuse_modalities(
          fmt::format("modality \"{}\" holds {}; expected floating-point numbers.\n"
                      "  Categories take Placeholder::code(), and go on to KnockoutEmbedding.",
                      options_.modalities[m].name, c10::toString(inputs[m].scalar_type())));
    }
    if (rows >= 0 && found[0] != rows) {
      refuse_modalities(fmt::format("modality \"{}\" has {} rows where the others have {}.",
                                    options_.modalities[m].name, found[0], rows));
    }
    rows = found[0];
  }
  if (rows < 0) {
    refuse_modalities(
        "every modality is absent, so the number of rows is unknown; give a presence mask.");
  }
  return rows;
}

bool KnockoutImpl::is_code(std::size_t modality) const {
  return options_.modalities[modality].placeholder->rule == Placeholder::Rule::kCode;
}

/// Which cells hold something. A code that is no category stays, to be refused by what it goes to.
torch::Tensor KnockoutImpl::cells_there(std::size_t modality, const torch::Tensor& input) const {
  if (!is_code(modality)) return finite_cells(input.detach());
  return input.ne(-1).logical_and_(input.ne(-2));
}

std::vector<std::int64_t> KnockoutImpl::absent_shape(
    std::size_t modality, std::int64_t rows, const std::vector<torch::Tensor>& inputs) const {
  const std::vector<std::int64_t>& shape = options_.modalities[modality].shape;
  std::vector<std::int64_t> full = {rows};
  full.insert(full.end(), shape.begin(), shape.end());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    for (std::size_t m = 0; m < inputs.size() && full[d + 1] < 0; ++m) {
      const std::vector<std::int64_t>& other = options_.modalities[m].shape;
      if (inputs[m].defined() && other.size() == shape.size() && other[d] == -1) {
        full[d + 1] = inputs[m].size(static_cast<std::int64_t>(d) + 1);
      }
    }
    if (full[d + 1] < 0) {
      refuse_modalities(fmt::format(
          "modality \"{}\" is absent and its shape {} does not say how large it is; nor does "
          "another one.\n  Give a tensor of NaN of the right size.",
          options_.modalities[modality].name, shape_text(shape)));
    }
  }
  return full;
}

/// The low half of a row's draw times the units: the high half has said which unit the sampler
/// gives back, and the low one does not depend on it. [rows], 32 uniform bits each.
torch::Tensor KnockoutImpl::restore_draws(std::int64_t step, std::int64_t rows) const {
  const Random random(options_.seed, Stream::kKnockout, options_.member);
  const torch::Tensor draws = torch::empty({rows}, torch::kInt64);
  auto* const values = draws.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint32_t drawn_row =
        options_.one_mask_per_batch ? 0 : first_row_ + static_cast<std::uint32_t>(row);
    const std::uint64_t bits =
        random.bits(static_cast<std::uint64_t>(step), drawn_row, kRestoreDraw);
    values[row] =
        static_cast<std::int64_t>(bits * static_cast<std::uint64_t>(plan().units) & 0xffffffffU);
  }
  return draws.to(step_.device(), /*non_blocking=*/true);
}

/// A row that would lose everything it has gets one unit back; the sampler itself does that for
/// complete rows, but does not know what was missing already.
torch::Tensor KnockoutImpl::spare_one(const torch::Tensor& mask, const torch::Tensor& draws,
                                      const std::vector<torch::Tensor>& inputs,
                                      const torch::Tensor& absent) const {
  torch::Tensor available = torch::zeros_like(mask, torch::kBool);
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!inputs[m].defined()) continue;
    const ModalityUnits::Range range = units_.ranges[m];
    torch::Tensor there = cells_there(m, inputs[m]);
    if (!options_.modalities[m].separate_features) {
      there = flat_rows(there).any(/*dim=*/1, /*keepdim=*/true);
    } else if (there.dim() > 2) {
      there = there.flatten(2).any(/*dim=*/2);
    }
    if (absent.defined()) {
      const auto modality = static_cast<std::int64_t>(m);
      there = there.logical_and(absent.narrow(1, modality, 1).logical_not());
    }
    available.narrow(1, range.begin, range.count).logical_or_(there);
  }
  const torch::Tensor something_stays = available.logical_and(mask.eq(0)).any(1, /*keepdim=*/true);
  const torch::Tensor place = available.cumsum(1);  // among the available units, from 1
  const torch::Tensor chosen =
      torch::bitwise_right_shift(draws * available.sum(1), 32).add(1).unsqueeze(1);
  const torch::Tensor comes_back =
      place.eq(chosen).logical_and(available).logical_and(something_stays.logical_not());
  return mask.masked_fill(comes_back, KnockoutSampler::kKept);
}

torch::Tensor KnockoutImpl::substitute(std::size_t modality,
                                       const std::vector<torch::Tensor>& inputs, std::int64_t rows,
                                       const torch::Tensor& mask,
                                       const torch::Tensor& absent) const {
  const std::vector<std::int64_t>& shape = options_.modalities[modality].shape;
  const ModalityUnits::Range range = units_.ranges[modality];
  const torch::Tensor& reason_placeholder = reason_placeholders_[modality];
  // Codes may come in bytes, which have no -1.
  const torch::Tensor input = inputs[modality].defined() && is_code(modality)
                                  ? inputs[modality].to(torch::kInt64)
                                  : inputs[modality];
  const auto per_unit = [&](const torch::Tensor& flags, std::int64_t begin, std::int64_t count) {
    return flags.narrow(1, begin, count).reshape(broadcast_shape(rows, count, shape.size()));
  };

  const torch::Tensor knocked_out =
      mask.defined() ? per_unit(mask, range.begin, range.count) : torch::Tensor();
  const torch::Tensor present =
      absent.defined() ? per_unit(absent, static_cast<std::int64_t>(modality), 1).logical_not()
                       : torch::Tensor();
  torch::Tensor placeholder = placeholders_[modality];
  torch::Tensor for_a_reason;  // which cells take the second placeholder
  if (reason_placeholder.defined()) {
    if (knocked_out.defined())
      for_a_reason = knocked_out.eq(KnockoutSampler::kKnockedOutForAReason);
    if (input.defined()) {
      torch::Tensor told = is_code(modality) ? input.eq(-2) : input.detach().isinf();
      // Whatever the cells of an absent modality hold.
      if (present.defined()) told = told.logical_and(present);
      if (knocked_out.defined()) {  // the induced mask wins over the observed one
        told = told.logical_and(knocked_out.eq(KnockoutSampler::kKept));
        for_a_reason = for_a_reason.logical_or(told);
      } else {
        for_a_reason = told;
      }
    }
  }
  if (for_a_reason.defined())
    placeholder = torch::where(for_a_reason, reason_placeholder, placeholder);
  if (!input.defined()) {
    if (is_code(modality)) placeholder = placeholder.to(torch::kInt64);
    // A layer behind may work in place.
    return placeholder.expand(absent_shape(modality, rows, inputs)).clone();
  }

  torch::Tensor kept = cells_there(modality, input);
  if (knocked_out.defined()) kept = kept.logical_and_(knocked_out.eq(KnockoutSampler::kKept));
  if (present.defined()) kept = kept.logical_and_(present);
  return torch::where(kept, input, placeholder.to(input.dtype()));
}

void KnockoutImpl::observe(const std::vector<torch::Tensor>& inputs,
                           const torch::Tensor& presence) {
  const torch::NoGradGuard no_gradients;
  const std::int64_t rows = check_inputs(inputs, presence);
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!observed_[m].defined() || !inputs[m].defined()) continue;
    const std::vector<std::int64_t>& shape = options_.modalities[m].shape;
    torch::Tensor there = finite_cells(inputs[m]);
    if (presence.defined()) {
      const auto modality = static_cast<std::int64_t>(m);
      const torch::Tensor present = presence.narrow(1, modality, 1).to(torch::kBool);
      there.logical_and_(present.reshape(broadcast_shape(rows, 1, shape.size())));
    }
    std::vector<std::int64_t> averaged = {0};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == -1) averaged.push_back(static_cast<std::int64_t>(d) + 1);
    }
    const auto sum = [&](const torch::Tensor& cells) {
      return cells.sum(averaged, /*keepdim=*/true).squeeze(0);
    };
    const torch::Tensor& mean = placeholders_[m];
    const auto precise = torch::promote_types(mean.scalar_type(), torch::kFloat32);
    const torch::Tensor distance = inputs[m].to(precise) - mean.to(precise);
    observed_[m].add_(sum(there));
    // The mean moves by the summed distance to it, over all cells seen so far.
    mean.add_(sum(distance.masked_fill(there.logical_not(), 0)) / observed_[m].clamp_min(1));
  }
}

bool KnockoutImpl::needs_means() const {
  return std::any_of(observed_.begin(), observed_.end(), [](const torch::Tensor& cells) {
    return cells.defined() && !cells.any().item<bool>();
  });
}

bool KnockoutImpl::ever_knocks_out() const {
  const std::vector<double> rates = plan().expected_rates();
  return std::any_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
}

void check_knockouts(torch::nn::Module& network) {
  std::vector<const KnockoutImpl*> known;
  for (const std::shared_ptr<torch::nn::Module>& module : network.modules(/*include_self=*/false)) {
    const auto* knockout = module->as<KnockoutImpl>();
    if (knockout == nullptr || std::count(known.begin(), known.end(), knockout) > 0) continue;
    if (knockout->needs_means()) {
      refuse_modalities(
          "a placeholder is the mean of the training inputs, and none was observed.\n"
          "  Call observe() once for each training batch before training.");
    }
    for (const KnockoutImpl* other : known) {
      if (other->options().seed == knockout->options().seed &&
          other->options().member == knockout->options().member && other->ever_knocks_out() &&
          knockout->ever_knocks_out()) {
        refuse_modalities(
            "two modules of the network have the same seed and member, so that their inputs would "
            "always go missing together.\n"
            "  Give each another `member`: 0, 1, 2, ...");
      }
    }
    known.push_back(knockout);
  }
}

void set_knockout_step(torch::nn::Module& network, std::int64_t step, std::uint32_t first_row) {
  for (const std::shared_ptr<torch::nn::Module>& module : network.modules(/*include_self=*/false)) {
    if (auto* knockout = module->as<KnockoutImpl>()) knockout->set_step(step, first_row);
  }
  if (auto* knockout = network.as<KnockoutImpl>()) knockout->set_step(step, first_row);
}

}  // namespace knockout::nn
