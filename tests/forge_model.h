// SPDX-License-Identifier: Apache-2.0
// Files that somebody changed and sealed again with a right checksum: a CRC is no signature.
// Written from docs/model_format.md, not with the library's own sealing, which refuses much.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/model/model_file.h"
#include "knockout/model/safetensors.h"

namespace knockout::test {

/// A document, as text of any kind, and tensors under a checksum that fits them.
inline std::string sealed_anew(const std::string& document, const SafetensorsBlocks& blocks) {
  Crc32 crc;
  const auto add_text = [&](std::string_view text) {
    crc.add(little_endian(text.size()));
    crc.add(text);
  };
  for (const auto& [name, block] : blocks) {
    add_text(name);
    crc.add(little_endian(block.shape.size()));
    for (const std::int64_t side : block.shape) {
      crc.add(little_endian(static_cast<std::uint64_t>(side)));
    }
    crc.add(block.bytes);
  }
  add_text(document);
  return safetensors_to_bytes(blocks, {{"knockout", document}, {"checksum", crc.text()}});
}

/// A file of float tensors, whatever they hold.
inline std::string forged_file(const std::string& document,
                               const std::map<std::string, Tensor>& tensors) {
  SafetensorsBlocks blocks;
  for (const auto& [name, tensor] : tensors) {
    blocks[name] = {"F32",
                    tensor.shape,
                    {reinterpret_cast<const char*>(tensor.values.data()),
                     tensor.values.size() * sizeof(float)}};
  }
  return sealed_anew(document, blocks);
}
inline std::string forged_file(const ModelFile& file) {
  return forged_file(file.document.dump(), file.tensors);
}

/// Calls `visit` for every change of a JSON tree: each value becomes one of every other type and of
/// other sizes, or goes; each object gains an entry, each list loses or repeats one.
/// `place` says which change it is.
inline void for_each_change(
    nlohmann::json& whole,
    const std::function<void(const nlohmann::json& changed, const std::string& place)>& visit) {
  using nlohmann::json;
  static const std::vector<json> kOthers = {
      json(),        json(true),       json(0),          json(-1),
      json(0.5),     json(-1e300),     json(1e300),      json(1e-300),
      json(""),      json("x"),        json(2147483648), json(18446744073709551615U),
      json::array(), json::array({0}), json::object()};
  std::function<void(json&, const std::string&)> walk = [&](json& node, const std::string& place) {
    const json before = node;
    for (const json& other : kOthers) {
      if (other == before && other.type() == before.type()) continue;
      node = other;
      visit(whole, place + " = " + other.dump());
    }
    node = before;
    if (before.is_object()) {
      node["unknown"] = 1;
      visit(whole, place + " with an entry more");
      for (const auto& item : before.items()) {
        node = before;
        node.erase(item.key());
        visit(whole, place + " without " + item.key());
      }
      node = before;
      for (const auto& item : before.items()) walk(node[item.key()], place + "/" + item.key());
    } else if (before.is_array() && !before.empty()) {
      node.push_back(before.back());
      visit(whole, place + " with its last twice");
      node = before;
      node.erase(node.size() - 1);
      visit(whole, place + " without its last");
      node = before;
      for (std::size_t i = 0; i < before.size(); ++i)
        walk(node[i], place + "/" + std::to_string(i));
    }
  };
  walk(whole, "");
}

}  // namespace knockout::test
