// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/encode/encoder.h"
#include "knockout/schema/infer.h"

namespace knockout::test {

/// For tests: an encoder of what the table shows, which writes placeholders inline.
inline Encoder fit(const Table& table, const SchemaOptions& schema = {},
                   const EncodeOptions& options = {.inline_placeholders = true}) {
  return Encoder::fit(table, infer_schema(table, schema).schema, options);
}

}  // namespace knockout::test
