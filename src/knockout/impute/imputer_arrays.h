// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "knockout/model/safetensors.h"

namespace knockout {

/// The named arrays of a fitted imputer on their way into a file and out of it.
class ImputerArrays {
 public:
  using Shape = std::vector<std::int64_t>;

  ImputerArrays() = default;
  /// Of a file. REQUIRES: blocks of types().
  explicit ImputerArrays(const SafetensorsBlocks& blocks);
  static std::vector<std::string_view> types();

  /// T is float, double, std::int32_t or std::uint8_t.
  template <typename T>
  void put(const std::string& name, Shape shape, std::vector<T> values) {
    arrays_[name] = {std::move(shape), std::move(values)};
  }
  /// Takes an array out. Throws ModelFileError unless it is there with this type and shape, and all
  /// its numbers are finite.
  template <typename T>
  std::vector<T> take(const std::string& name, const Shape& shape);
  /// The number of rows of an array that has two sides. Throws ModelFileError.
  std::int64_t rows(const std::string& name) const;

  /// Throws ModelFileError when an array was not taken.
  void require_all_taken() const;
  /// Views of the arrays, which must outlive it.
  SafetensorsBlocks blocks() const;

 private:
  struct Array {
    Shape shape;
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::int32_t>,
                 std::vector<std::uint8_t>>
        values;
  };
  const Array& at(const std::string& name) const;

  std::map<std::string, Array> arrays_;
};

}  // namespace knockout
