// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/model_file.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/model/test_safetensors.h"

namespace knockout {
namespace {

using nlohmann::json;

ModelFile small_model() {
  ModelFile file;
  file.tensors["member.0.layer.0.weight"] = {{2, 3}, {1, -2.5f, 3e-38f, 4, 5, 6}};
  file.tensors["member.0.layer.0.bias"] = {{3}, {0.1f, -0.0f, 3.4e38f}};
  file.tensors["empty"] = {{0, 4}, {}};
  file.tensors["scalar"] = {{}, {7}};
  file.document = {{"engine", "tabular"},
                   {"names", {"größe", "a\"b", "line\nbreak"}},
                   {"numbers", {0.1, 1e-300, -7, 18446744073709551615u}}};
  return file;
}

bool same(const ModelFile& a, const ModelFile& b) {
  if (a.document != b.document || a.tensors.size() != b.tensors.size()) return false;
  for (const auto& [name, tensor] : a.tensors) {
    const auto other = b.tensors.find(name);
    if (other == b.tensors.end() || other->second.shape != tensor.shape ||
        other->second.values.size() != tensor.values.size()) {
      return false;
    }
    if (!tensor.values.empty() && std::memcmp(other->second.values.data(), tensor.values.data(),
                                              4 * tensor.values.size()) != 0) {
      return false;
    }
  }
  return true;
}

/// What reading these bytes says; "" when they load.
std::string refusal(std::string_view bytes) {
  try {
    model_file_from_bytes(bytes, "m.safetensors");
  } catch (const ModelFileError& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The header as any safetensors reader sees it, and the data after it.
struct Parts {
  json header;
  std::string data;
};
Parts take_apart(const std::string& bytes) {
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = 256 * length + static_cast<unsigned char>(bytes[i]);
  return {json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

TEST(ModelFile, ReadsBackWhatItWrote) {
  ModelFile expected = small_model();
  expected.document["format"] = "knockout-model";
  expected.document["format_version"] = 2;
  EXPECT_TRUE(same(model_file_from_bytes(model_file_to_bytes(small_model()), "m"), expected));
}

TEST(ModelFile, SameContentGivesSameBytes) {
  ModelFile other_order;
  const ModelFile model = small_model();
  for (auto tensor = model.tensors.rbegin(); tensor != model.tensors.rend(); ++tensor) {
    other_order.tensors[tensor->first] = tensor->second;
  }
  other_order.document = {{"numbers", model.document["numbers"]}};
  other_order.document["names"] = model.document["names"];
  other_order.document["engine"] = "tabular";
  EXPECT_EQ(model_file_to_bytes(model), model_file_to_bytes(other_order));
  // What was read can be written again, byte for byte.
  const std::string bytes = model_file_to_bytes(model);
  EXPECT_EQ(model_file_to_bytes(model_file_from_bytes(bytes, "m")), bytes);
}

TEST(ModelFile, IsASafetensorsFileByItsSpecification) {
  const std::string bytes = model_file_to_bytes(small_model());
  const Parts parts = take_apart(bytes);
  EXPECT_EQ((bytes.size() - parts.data.size()) % 8, 0u);
  EXPECT_EQ(bytes[8], '{');
  ASSERT_EQ(parts.header.size(), 5u);
  const json weight = parts.header["member.0.layer.0.weight"];
  EXPECT_EQ(weight["dtype"], "F32");
  EXPECT_EQ(weight["shape"], (json{2, 3}));
  const std::size_t begin = weight["data_offsets"][0], end = weight["data_offsets"][1];
  ASSERT_EQ(end - begin, 24u);
  float second = 0;
  std::memcpy(&second, parts.data.data() + begin + 4, 4);
  EXPECT_EQ(second, -2.5f);
  for (const auto& [key, value] : parts.header["__metadata__"].items()) {
    EXPECT_TRUE(value.is_string()) << key;
  }
}

TEST(ModelFile, ChecksumIsTheDocumentedCrc) {
  ModelFile file;
  file.tensors["w"] = {{2}, {1.0f, -1.0f}};
  file.document = json::object();
  const Parts parts = take_apart(model_file_to_bytes(file));
  const std::string document = parts.header["__metadata__"]["knockout"];
  // Lengths are 64-bit little-endian: name, rank, sides, data; then the document.
  const std::string content = length_prefix(1) + "w" + length_prefix(1) + length_prefix(2) +
                              parts.data + length_prefix(document.size()) + document;
  std::uint32_t crc = 0xffffffff;  // CRC-32 bit by bit, polynomial 0xEDB88320
  for (const unsigned char byte : content) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  EXPECT_EQ(parts.header["__metadata__"]["checksum"], fmt::format("crc32:{:08x}", ~crc));
}

TEST(ModelFile, LoadsAFileThatAnotherProgramWroteAgain) {
  // The same content with other key order, other offsets and extra metadata.
  Parts parts = take_apart(model_file_to_bytes(small_model()));
  const std::string bias = parts.data.substr(0, 12);
  json& header = parts.header;
  ASSERT_EQ(header["member.0.layer.0.bias"]["data_offsets"], (json{0, 12}));
  for (auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    for (json& offset : entry["data_offsets"]) offset = offset.get<int>() - 12;
  }
  const int rest = static_cast<int>(parts.data.size()) - 12;
  header["member.0.layer.0.bias"]["data_offsets"] = {rest, rest + 12};
  header["empty"]["data_offsets"] = {0, 0};
  header["__metadata__"]["saved_by"] = "somebody";
  const std::string bytes = file_of(header.dump(2), parts.data.substr(12) + bias);
  ModelFile expected = small_model();
  expected.document["format"] = "knockout-model";
  expected.document["format_version"] = 2;
  EXPECT_TRUE(same(model_file_from_bytes(bytes, "m"), expected));
}

TEST(ModelFile, RefusesEveryTruncationAndEveryExtension) {
  const std::string bytes = model_file_to_bytes(small_model());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(refusal(std::string_view(bytes).substr(0, size)), "") << size << " bytes";
  }
  EXPECT_TRUE(mentions(refusal(bytes.substr(0, bytes.size() - 1)), "cut short"));
  EXPECT_TRUE(mentions(refusal(bytes.substr(0, bytes.size() / 2)), "cut short"));
  EXPECT_TRUE(mentions(refusal(bytes + '\0'), "too long"));
}

TEST(ModelFile, NeverLoadsOtherContentWhenAByteChanges) {
  const std::string bytes = model_file_to_bytes(small_model());
  const ModelFile original = model_file_from_bytes(bytes, "m");
  std::vector<unsigned char> changes = {0xff, 0x20 ^ '\t', 0x55};
  for (int bit = 0; bit < 8; ++bit) changes.push_back(static_cast<unsigned char>(1u << bit));
  int loaded = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned char change : changes) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      try {
        ASSERT_TRUE(same(model_file_from_bytes(damaged, "m"), original)) << "byte " << at;
        ++loaded;
        ASSERT_EQ(damaged[at], '\t') << "byte " << at;  // white space for white space
      } catch (const ModelFileError&) {
      }
    }
  }
  EXPECT_LT(loaded, 8);  // no more than the padding
}

TEST(ModelFile, RefusesHostileHeaders) {
  const std::string bytes = model_file_to_bytes(small_model());
  const Parts good = take_apart(bytes);
  const std::string entry = "/member.0.layer.0.weight";
  const std::vector<std::pair<std::string, json>> changes = {
      {entry + "/dtype", "F64"},
      {entry + "/dtype", 32},
      {entry + "/shape", {3, 2}},  // the right size, but the checksum knows better
      {entry + "/shape", {2, -3}},
      {entry + "/shape", {-2, -3}},
      {entry + "/shape", {2.0, 3}},
      {entry + "/shape", {4294967296u, 4294967296u}},
      {entry + "/shape", {4611686018427387904u, 4}},
      {entry + "/shape", {18446744073709551615u}},
      {entry + "/shape", {9223372036854775807u, 2, 0}},
      {entry + "/shape", 6},
      {entry + "/data_offsets", {12, 13}},
      {entry + "/data_offsets", {36, 12}},
      {entry + "/data_offsets", {12, 36, 36}},
      {entry + "/data_offsets", {0, 24}},   // overlaps
      {entry + "/data_offsets", {16, 40}},  // leaves a gap
      {entry + "/data_offsets", {18446744073709551600u, 8}},
      {entry + "/data_offsets", {-8, 16}},
      {entry + "/data_offsets", "12"},
      {entry + "/surprise", 1},
      {entry, nullptr},
      {"/another", {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}}},
      {"/__metadata__/checksum", "crc32:00000000"},
      {"/__metadata__/checksum", ""},
      {"/__metadata__/number", 1},
      {"/__metadata__/knockout", "{}"},
      {"/__metadata__/knockout", "[]"},
      {"/__metadata__/knockout", "{"},
      {"/__metadata__/knockout", json::object()},
      {"/__metadata__", "text"},
  };
  for (const auto& [pointer, value] : changes) {
    json header = good.header;
    header[json::json_pointer(pointer)] = value;
    EXPECT_NE(refusal(file_of(header.dump(), good.data)), "") << pointer << " = " << value;
  }
  for (const char* key : {"checksum", "knockout"}) {
    json header = good.header;
    header["__metadata__"].erase(key);
    EXPECT_NE(refusal(file_of(header.dump(), good.data)), "") << "without " << key;
  }
  EXPECT_EQ(refusal(file_of(good.header.dump(), good.data)),
            "");  // the changes made the difference
}

TEST(ModelFile, RefusesHugeHeadersDeepNestingAndDoubleKeysWithoutReadingOn) {
  EXPECT_TRUE(mentions(refusal(length_prefix(100000001) + "{}"), "allowed"));
  EXPECT_TRUE(mentions(refusal(length_prefix(~0ull) + "{}"), "allowed"));
  EXPECT_TRUE(mentions(refusal(length_prefix(~0ull - 7) + "{}"), "allowed"));
  EXPECT_TRUE(mentions(refusal(length_prefix(1000) + "{}"), "cut short"));
  EXPECT_TRUE(mentions(refusal(file_of("{\"a\":" + std::string(1000000, '['), "")), "nested"));
  EXPECT_TRUE(mentions(refusal(file_of(R"({"a":1,"a":2})", "")), "twice"));
}

TEST(ModelFile, RefusesNumbersThatAreNotFinite) {
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    ModelFile file = small_model();
    file.tensors["scalar"].values[0] = bad;
    EXPECT_THROW(model_file_to_bytes(file), ModelFileError);
    file = small_model();
    file.document["numbers"].push_back(bad);
    EXPECT_THROW(model_file_to_bytes(file), ModelFileError);
  }
  // One that another program wrote, checksum and all: 1.0 with its exponent bits set is infinite.
  ModelFile file;
  file.tensors["w"] = {{1}, {1.0f}};
  file.document = json::object();
  Parts parts = take_apart(model_file_to_bytes(file));
  const float infinite = INFINITY;
  std::memcpy(parts.data.data(), &infinite, 4);
  const std::string document = parts.header["__metadata__"]["knockout"];
  const std::string content = length_prefix(1) + "w" + length_prefix(1) + length_prefix(1) +
                              parts.data + length_prefix(document.size()) + document;
  std::uint32_t crc = 0xffffffff;
  for (const unsigned char byte : content) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  parts.header["__metadata__"]["checksum"] = fmt::format("crc32:{:08x}", ~crc);
  EXPECT_TRUE(mentions(refusal(file_of(parts.header.dump(), parts.data)), "not finite"));
}

TEST(ModelFile, RefusesNamesThatAreNotUtf8BeforeAnythingIsWritten) {
  ModelFile file = small_model();
  file.document["names"].push_back(
      "gr\xf6\xdf"
      "e");  // Latin-1
  EXPECT_THROW(model_file_to_bytes(file), DataError);
  file = small_model();
  file.tensors
      ["gr\xf6\xdf"
       "e"] = {{1}, {0}};
  EXPECT_THROW(model_file_to_bytes(file), DataError);
}

TEST(ModelFile, SaysWhichVersionANewerFileHas) {
  Parts parts = take_apart(model_file_to_bytes(small_model()));
  const auto with_version = [&](const json& version) {
    json document = json::parse(parts.header["__metadata__"]["knockout"].get<std::string>());
    document["format_version"] = version;
    json header = parts.header;
    header["__metadata__"]["knockout"] = document.dump();
    header["from_the_future"] = {{"dtype", "F8"}};  // a newer format may hold anything
    return refusal(file_of(header.dump(), parts.data));
  };
  const std::string message = with_version(3);
  EXPECT_TRUE(mentions(message, "version 3")) << message;
  EXPECT_TRUE(mentions(message, "up to 2")) << message;
  EXPECT_TRUE(mentions(message, "newer knockout")) << message;
  for (const json& version : {json(0), json(-1), json("1"), json(1.5), json()}) {
    EXPECT_TRUE(mentions(with_version(version), "which version")) << version;
  }
}

TEST(ModelFile, SaysWhatAFileIsThatIsNoModel) {
  using namespace std::string_literals;
  EXPECT_TRUE(mentions(refusal(""), "empty"));
  EXPECT_TRUE(mentions(refusal("age,bmi\n30,22.5\n41,NA\n"), "CSV"));
  EXPECT_TRUE(mentions(refusal("x"), "text file"));
  EXPECT_TRUE(mentions(refusal("{\"a\": 1, \"b\": 2}"), "JSON"));
  EXPECT_TRUE(mentions(refusal("PK\x03\x04"s + std::string(100, '\0')), "zip"));
  EXPECT_TRUE(mentions(refusal("\x80\x02}q\0"s + std::string(100, '\1')), "pickle"));
  EXPECT_TRUE(mentions(refusal("\x1f\x8b\x08"s + std::string(100, '\0')), "gzip"));
  EXPECT_TRUE(mentions(refusal("\x89HDF\r\n\x1a\n"s + std::string(100, '\0')), "HDF5"));
  EXPECT_TRUE(mentions(refusal(std::string(100, '\0')), "not a knockout model"));
  const std::string foreign = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  EXPECT_TRUE(mentions(refusal(file_of(foreign, std::string(4, '\0'))), "another program"));
  const std::string pytorch =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})";
  EXPECT_TRUE(mentions(refusal(file_of(pytorch, std::string(4, '\0'))), "another program"));
  EXPECT_TRUE(mentions(refusal(""), "m.safetensors: "));  // and where it is
}

}  // namespace
}  // namespace knockout
