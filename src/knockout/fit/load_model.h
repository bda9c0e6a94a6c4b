// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "knockout/model/learner.h"
#include "knockout/model/model.h"

namespace knockout {

/// Every kind of learner there is. A new kind is a class in a stage of its own and a line here.
std::span<const LearnerKind> learner_kinds();

/// Reads what Model::save() wrote, now or in any earlier version. Throws FileError when the file
/// cannot be read and ModelFileError, with the reason, when it is not a whole, consistent model.
///   const Model model = load_model("model.safetensors");
Model load_model(const std::string& path);

/// The same from memory; `source` names the bytes in messages.
Model model_from_bytes(std::string_view bytes, const std::string& source = "the model");

}  // namespace knockout
