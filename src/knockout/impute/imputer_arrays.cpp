// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/imputer_arrays.h"

#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/model/finite.h"

namespace knockout {
namespace {

template <typename T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, float>) return "F32";
  if constexpr (std::is_same_v<T, double>) return "F64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "I32";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "U8";
}

template <typename T>
std::vector<T> copy_of(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

[[noreturn]] void refuse(const std::string& name, std::string_view what) {
  throw ModelFileError(fmt::format("The imputer's array \"{}\" {}.", name, what));
}

}  // namespace

std::vector<std::string_view> ImputerArrays::types() {
  return {type_name<float>(), type_name<double>(), type_name<std::int32_t>(),
          type_name<std::uint8_t>()};
}

ImputerArrays::ImputerArrays(const SafetensorsBlocks& blocks) {
  for (const auto& [name, block] : blocks) {
    if (block.type == type_name<float>()) put(name, block.shape, copy_of<float>(block.bytes));
    if (block.type == type_name<double>()) put(name, block.shape, copy_of<double>(block.bytes));
    if (block.type == type_name<std::int32_t>()) {
      put(name, block.shape, copy_of<std::int32_t>(block.bytes));
    }
    if (block.type == type_name<std::uint8_t>()) {
      put(name, block.shape, copy_of<std::uint8_t>(block.bytes));
    }
  }
}

const ImputerArrays::Array& ImputerArrays::at(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) refuse(name, "is not there");
  return found->second;
}

template <typename T>
std::vector<T> ImputerArrays::take(const std::string& name, const Shape& shape) {
  const Array& array = at(name);
  if (!std::holds_alternative<std::vector<T>>(array.values)) refuse(name, "has another type");
  if (array.shape != shape) refuse(name, "has another shape than the rest asks for");
  std::vector<T> values = std::get<std::vector<T>>(std::move(arrays_.at(name).values));
  arrays_.erase(name);
  if constexpr (std::is_floating_point_v<T>) {
    if (!all_finite(std::span<const T>(values))) {
      refuse(name, "holds numbers that are not finite");
    }
  }
  return values;
}
template std::vector<float> ImputerArrays::take(const std::string&, const Shape&);
template std::vector<double> ImputerArrays::take(const std::string&, const Shape&);
template std::vector<std::int32_t> ImputerArrays::take(const std::string&, const Shape&);
template std::vector<std::uint8_t> ImputerArrays::take(const std::string&, const Shape&);

std::int64_t ImputerArrays::rows(const std::string& name) const {
  const Array& array = at(name);
  if (array.shape.size() != 2) refuse(name, "is not a matrix");
  return array.shape[0];
}

void ImputerArrays::require_all_taken() const {
  if (!arrays_.empty()) refuse(arrays_.begin()->first, "belongs to nothing");
}

SafetensorsBlocks ImputerArrays::blocks() const {
  SafetensorsBlocks blocks;
  for (const auto& [name, array] : arrays_) {
    blocks[name] = std::visit(
        [&shape = array.shape]<typename T>(const std::vector<T>& values) -> SafetensorsBlock {
          return {std::string(type_name<T>()),
                  shape,
                  {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}};
        },
        array.values);
  }
  return blocks;
}

}  // namespace knockout
