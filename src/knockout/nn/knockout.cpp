// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/knockout.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw ConfigError("Knockout: " + what); }

std::string shape_text(torch::IntArrayRef shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void check_modality(const Modality& modality) {
  if (modality.name.empty()) refuse("every modality needs a name.");
  if (modality.name.find('.') != std::string::npos) {
    refuse(
        fmt::format("the name \"{}\" holds a dot, which LibTorch keeps for paths.", modality.name));
  }
  for (const std::int64_t extent : modality.shape) {
    if (extent < 1) {
      refuse(fmt::format("modality \"{}\" has the shape {}; every extent must be at least 1.",
                         modality.name, shape_text(modality.shape)));
    }
  }
  if (modality.separate_features && modality.shape.empty()) {
    refuse(fmt::format("modality \"{}\" is one number and has no features to separate.",
                       modality.name));
  }
  if (!(modality.knockout_rate <= 1.0)) {
    refuse(fmt::format("modality \"{}\" has the knockout rate {}; expected a probability.",
                       modality.name, modality.knockout_rate));
  }
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
  }
  if (placeholder.for_a_reason) text += fmt::format("/{:g}", *placeholder.for_a_reason);
  return text;
}

}  // namespace

KnockoutImpl::KnockoutImpl(KnockoutModuleOptions options) : options_(std::move(options)) {
  if (options_.modalities.empty()) refuse("there must be at least one modality.");
  std::map<std::string, UnitRange> groups;
  std::vector<double> rates;
  for (const Modality& modality : options_.modalities) {
    check_modality(modality);
    if (std::count_if(options_.modalities.begin(), options_.modalities.end(),
                      [&](const Modality& other) { return other.name == modality.name; }) > 1) {
      refuse(fmt::format("two modalities are called \"{}\".", modality.name));
    }
    UnitRange range{.begin = static_cast<std::int64_t>(unit_names_.size()), .count = 1};
    if (modality.separate_features) {
      if (!modality.group.empty()) {
        refuse(
            fmt::format("modality \"{}\" cannot go missing with its group \"{}\" and feature by "
                        "feature.",
                        modality.name, modality.group));
      }
      range.count = modality.shape[0];
    } else if (!modality.group.empty()) {
      const auto [known, is_new] = groups.emplace(modality.group, range);
      if (!is_new) {
        unit_ranges_.push_back(known->second);
        continue;
      }
    }
    for (std::int64_t i = 0; i < range.count; ++i) {
      const std::string& name = modality.group.empty() ? modality.name : modality.group;
      unit_names_.push_back(modality.separate_features ? fmt::format("{}[{}]", name, i) : name);
      rates.push_back(modality.knockout_rate);
    }
    unit_ranges_.push_back(range);
  }

  const int units = static_cast<int>(unit_names_.size());
  if (options_.plan) {
    plan_ = *options_.plan;
    if (plan_.units != units) {
      refuse(fmt::format("the plan is for {} units, and the modalities have {}: {}.", plan_.units,
                         units, fmt::join(unit_names_, ", ")));
    }
  } else {
    for (double& rate : rates) {
      if (rate < 0) rate = paper_rate(units);
    }
    plan_.units = units;
    plan_.parts = {{.unit_rates = rates}};
  }
  plan_.never_missing.resize(units, false);
  plan_.keep_at_least_one |= options_.keep_at_least_one;
  try {
    plan_ = plan_from_json(plan_to_json(plan_));  // which checks everything
  } catch (const Error& error) {
    refuse(fmt::format("the plan makes no sense: {}", error.what()));
  }
  sampler_.emplace(plan_, Random(options_.seed, Stream::kKnockout, options_.member));
  reset();
}

void KnockoutImpl::reset() {
  placeholders_.clear();
  reason_placeholders_.clear();
  observed_.clear();
  for (const Modality& modality : options_.modalities) {
    const Placeholder& placeholder = modality.placeholder;
    const bool learned = placeholder.rule == Placeholder::Rule::kLearned;
    const bool mean = placeholder.rule == Placeholder::Rule::kMean;
    const auto keep = [&](const std::string& name, double value, bool whole_shape) {
      const torch::Tensor tensor = torch::full(
          whole_shape ? modality.shape : std::vector<std::int64_t>{}, value, torch::kFloat32);
      return learned ? register_parameter(name, tensor) : register_buffer(name, tensor);
    };
    placeholders_.push_back(
        keep(modality.name + "_placeholder", placeholder.value, learned || mean));
    reason_placeholders_.push_back(
        placeholder.for_a_reason
            ? keep(modality.name + "_reason_placeholder", *placeholder.for_a_reason, learned)
            : torch::Tensor());
    observed_.push_back(mean ? register_buffer(modality.name + "_observed",
                                               torch::zeros(modality.shape, torch::kFloat32))
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
                                describe(modality.placeholder)));
  }
  const std::vector<double> rates = plan_.expected_rates();
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  stream << fmt::format("knockout::nn::Knockout({}; units={}, rate={:.3g}", fmt::join(parts, ", "),
                        plan_.units, *least);
  if (*most > *least) stream << fmt::format(" to {:.3g}", *most);
  stream << fmt::format(", seed={}{})", options_.seed,
                        plan_.keep_at_least_one ? ", keeps one" : "");
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
  Module::to(device, type, non_blocking);
  step_.set_data(torch::full({}, step, torch::TensorOptions(torch::kInt64).device(device)));
  remember_step(step);
}

void KnockoutImpl::set_step(std::int64_t step, std::uint32_t first_row) {
  write_step(step);
  first_row_ = first_row;
}

torch::Tensor KnockoutImpl::draw(std::int64_t step, std::int64_t rows) const {
  const torch::Tensor mask = torch::empty({rows, plan_.units}, torch::kUInt8);
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
    refuse(fmt::format("one tensor was given for {} modalities.", options_.modalities.size()));
  }
  return forward_all({input}, presence).front();
}

std::vector<torch::Tensor> KnockoutImpl::forward_all(const std::vector<torch::Tensor>& inputs,
                                                     const torch::Tensor& presence) {
  const std::int64_t rows = check_inputs(inputs, presence);
  torch::Tensor mask = is_training() ? next_mask(rows, step_.device()) : torch::Tensor();
  const torch::Tensor absent =
      presence.defined() ? presence.to(torch::kBool).logical_not() : torch::Tensor();
  if (mask.defined() && plan_.keep_at_least_one) mask = spare_the_last(mask, inputs, absent);

  std::optional<torch::ScalarType> type;
  for (const torch::Tensor& input : inputs) {
    if (input.defined()) type = input.scalar_type();
  }
  std::vector<torch::Tensor> outputs;
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    outputs.push_back(substitute(m, inputs[m], rows, mask, absent));
    // What is not there at all has the type of what is.
    if (!inputs[m].defined() && type) outputs.back() = outputs.back().to(*type);
  }
  return outputs;
}

std::int64_t KnockoutImpl::check_inputs(const std::vector<torch::Tensor>& inputs,
                                        const torch::Tensor& presence) const {
  const auto modalities = static_cast<std::int64_t>(options_.modalities.size());
  if (inputs.size() != options_.modalities.size()) {
    refuse(
        fmt::format("{} inputs were given for {} modalities; give an undefined tensor for one "
                    "that is absent.",
                    inputs.size(), modalities));
  }
  std::int64_t rows = presence.defined() ? presence.size(0) : -1;
  if (presence.defined() && (presence.dim() != 2 || presence.size(1) != modalities)) {
    refuse(fmt::format("the presence mask has the shape {}; expected [rows, {}].",
                       shape_text(presence.sizes()), modalities));
  }
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!inputs[m].defined()) continue;
    const torch::IntArrayRef found = inputs[m].sizes();
    const std::vector<std::int64_t>& expected = options_.modalities[m].shape;
    if (found.empty() || found.slice(1) != torch::IntArrayRef(expected)) {
      refuse(fmt::format("modality \"{}\" has the shape {}; expected [rows{}{}].",
                         options_.modalities[m].name, shape_text(found),
                         expected.empty() ? "" : ", ", fmt::join(expected, ", ")));
    }
    if (!inputs[m].is_floating_point()) {
      refuse(fmt::format("modality \"{}\" holds integers; categories go through KnockoutEmbedding.",
                         options_.modalities[m].name));
    }
    if (rows >= 0 && found[0] != rows) {
      refuse(fmt::format("modality \"{}\" has {} rows where the others have {}.",
                         options_.modalities[m].name, found[0], rows));
    }
    rows = found[0];
  }
  if (rows < 0) {
    refuse("every modality is absent, so the number of rows is unknown; give a presence mask.");
  }
  return rows;
}

/// Rows that would lose everything they have keep it all; the sampler itself looks after complete
/// rows, but does not know what was missing already.
torch::Tensor KnockoutImpl::spare_the_last(const torch::Tensor& mask,
                                           const std::vector<torch::Tensor>& inputs,
                                           const torch::Tensor& absent) const {
  const std::int64_t rows = mask.size(0);
  torch::Tensor available = torch::zeros_like(mask, torch::kBool);
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!inputs[m].defined()) continue;
    const UnitRange range = unit_ranges_[m];
    torch::Tensor there =
        finite_cells(inputs[m].detach()).reshape({rows, range.count, -1}).any(/*dim=*/2);
    if (absent.defined()) {
      const auto modality = static_cast<std::int64_t>(m);
      there = there.logical_and(absent.narrow(1, modality, 1).logical_not());
    }
    available.narrow(1, range.begin, range.count).logical_or_(there);
  }
  const torch::Tensor something_stays = available.logical_and(mask.eq(0)).any(1, /*keepdim=*/true);
  return mask * something_stays;
}

torch::Tensor KnockoutImpl::substitute(std::size_t modality, const torch::Tensor& input,
                                       std::int64_t rows, const torch::Tensor& mask,
                                       const torch::Tensor& absent) const {
  const std::vector<std::int64_t>& shape = options_.modalities[modality].shape;
  const UnitRange range = unit_ranges_[modality];
  const torch::Tensor& reason_placeholder = reason_placeholders_[modality];
  const auto per_unit = [&](const torch::Tensor& flags, std::int64_t begin, std::int64_t count) {
    return flags.narrow(1, begin, count).reshape(broadcast_shape(rows, count, shape.size()));
  };

  torch::Tensor knocked_out = mask.defined() ? per_unit(mask, range.begin, range.count) : mask;
  torch::Tensor placeholder = placeholders_[modality];
  torch::Tensor for_a_reason;  // which cells take the second placeholder
  if (reason_placeholder.defined()) {
    if (knocked_out.defined())
      for_a_reason = knocked_out.eq(KnockoutSampler::kKnockedOutForAReason);
    if (input.defined()) {
      torch::Tensor infinite = input.detach().isinf();
      if (absent.defined()) {  // whatever the cells of an absent modality hold
        infinite = infinite.logical_and(
            per_unit(absent, static_cast<std::int64_t>(modality), 1).logical_not());
      }
      if (knocked_out.defined()) {  // the induced mask wins over the observed one
        infinite = infinite.logical_and(knocked_out.eq(KnockoutSampler::kKept));
        for_a_reason = for_a_reason.logical_or(infinite);
      } else {
        for_a_reason = infinite;
      }
    }
  }
  if (for_a_reason.defined())
    placeholder = torch::where(for_a_reason, reason_placeholder, placeholder);
  if (!input.defined()) {
    std::vector<std::int64_t> full = {rows};
    full.insert(full.end(), shape.begin(), shape.end());
    return placeholder.expand(full).clone();  // a layer behind may work in place
  }

  torch::Tensor kept = finite_cells(input.detach());
  if (knocked_out.defined()) kept = kept.logical_and_(knocked_out.eq(KnockoutSampler::kKept));
  if (absent.defined()) {
    kept =
        kept.logical_and_(per_unit(absent, static_cast<std::int64_t>(modality), 1).logical_not());
  }
  return torch::where(kept, input, placeholder.to(input.dtype()));
}

void KnockoutImpl::observe(const std::vector<torch::Tensor>& inputs,
                           const torch::Tensor& presence) {
  const torch::NoGradGuard no_gradients;
  const std::int64_t rows = check_inputs(inputs, presence);
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!observed_[m].defined() || !inputs[m].defined()) continue;
    torch::Tensor there = finite_cells(inputs[m]);
    if (presence.defined()) {
      const auto modality = static_cast<std::int64_t>(m);
      const torch::Tensor present = presence.narrow(1, modality, 1).to(torch::kBool);
      there.logical_and_(
          present.reshape(broadcast_shape(rows, 1, options_.modalities[m].shape.size())));
    }
    const torch::Tensor& mean = placeholders_[m];
    const torch::Tensor distance =
        torch::where(there, inputs[m].to(mean.dtype()) - mean, torch::zeros({}, mean.options()));
    observed_[m].add_(there.sum(0));
    // The mean moves by the summed distance to it, over all cells seen so far.
    mean.add_(distance.sum(0) / observed_[m].clamp_min(1));
  }
}

// --- categories ---

KnockoutEmbeddingImpl::KnockoutEmbeddingImpl(Options options) : options_(options) {
  if (options_.categories < 1 || options_.dimension < 1 || options_.columns < 1) {
    throw ConfigError("KnockoutEmbedding: categories, dimension and columns must be at least 1.");
  }
  reset();
}

void KnockoutEmbeddingImpl::reset() {
  knockout_ = register_module(
      "knockout",
      Knockout(KnockoutModuleOptions{.modalities = {{.name = "code",
                                                     .shape = {options_.columns},
                                                     .knockout_rate = options_.knockout_rate,
                                                     .separate_features = true}},
                                     .seed = options_.seed,
                                     .member = options_.member}));
  // Two more rows: missing, and missing for a reason.
  weight_ =
      register_parameter("weight", torch::randn({options_.categories + 2, options_.dimension}));
}

void KnockoutEmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << fmt::format("knockout::nn::KnockoutEmbedding(categories={}, dimension={}, columns={})",
                        options_.categories, options_.dimension, options_.columns);
}

torch::Tensor KnockoutEmbeddingImpl::forward(const torch::Tensor& codes) {
  const std::int64_t categories = options_.categories;
  const bool is_matrix = codes.dim() == 2;
  if ((is_matrix ? codes.size(1) : codes.dim() == 1 ? 1 : -1) != options_.columns) {
    throw ConfigError(
        fmt::format("KnockoutEmbedding: codes have the shape {}; expected [rows, {}].",
                    shape_text(codes.sizes()), options_.columns));
  }
  if (codes.device().is_cpu() && codes.numel() > 0 &&
      (codes.min().item<std::int64_t>() < -2 || codes.max().item<std::int64_t>() >= categories)) {
    throw DataError(fmt::format(
        "KnockoutEmbedding: codes go from {} to {}; expected 0 to {}, -1 for missing, -2 for "
        "missing "
        "for a reason.",
        codes.min().item<std::int64_t>(), codes.max().item<std::int64_t>(), categories - 1));
  }
  // -1 and -2 become the two last rows. On a device where nothing was checked, a code beyond the
  // categories must not land there: it moves out of the table, where LibTorch refuses it.
  torch::Tensor row = torch::where(codes.lt(0), categories - 1 - codes,
                                   torch::where(codes.ge(categories), codes + 2, codes));
  if (is_training()) {
    const torch::Tensor mask =
        knockout_->next_mask(codes.size(0), codes.device()).reshape(codes.sizes());
    row =
        torch::where(mask.eq(KnockoutSampler::kKept), row, mask.to(row.dtype()) + (categories - 1));
  }
  return torch::embedding(weight_, row);
}

bool KnockoutImpl::needs_means() const {
  return std::any_of(observed_.begin(), observed_.end(), [](const torch::Tensor& cells) {
    return cells.defined() && !cells.any().item<bool>();
  });
}

void check_knockouts(torch::nn::Module& network) {
  std::vector<const KnockoutImpl*> known;
  for (const std::shared_ptr<torch::nn::Module>& module : network.modules(/*include_self=*/false)) {
    const auto* knockout = module->as<KnockoutImpl>();
    if (knockout == nullptr || std::count(known.begin(), known.end(), knockout) > 0) continue;
    if (knockout->needs_means()) {
      refuse(
          "a placeholder is the mean of the training inputs, and none was observed.\n"
          "  Call observe() once for each training batch before training.");
    }
    for (const KnockoutImpl* other : known) {
      if (other->options().seed == knockout->options().seed &&
          other->options().member == knockout->options().member) {
        refuse(
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
