// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace knockout {

/// One named list of a tf.train.Example. The bytes are views into what was parsed.
using TfFeature =
    std::variant<std::vector<std::string_view>, std::vector<float>, std::vector<std::int64_t>>;
using TfExample = std::map<std::string, TfFeature, std::less<>>;

/// Reads a tf.train.Example, which is how TFRecord files usually hold a row: a protobuf message
/// with a map from names to lists of bytes, of floats or of whole numbers. Fields that the message
/// does not have are passed over, and of two lists with the same name the last one counts, as
/// protobuf has it. Throws DataError that begins with `source` when the bytes are no such message.
/// The result points into `bytes`, which must outlive it.
///   const TfExample example = parse_tf_example(record.bytes, records.where());
TfExample parse_tf_example(std::string_view bytes, const std::string& source);

}  // namespace knockout
