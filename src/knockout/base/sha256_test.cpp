// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "knockout/base/error.h"

namespace knockout {
namespace {

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

// The examples that NIST publishes with FIPS 180-4.
TEST(Sha256, AgreesWithThePublishedExamples) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                      "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreCut) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * 37);
  // Every length crosses the padding's cases: 55, 56, 63, 64 bytes and so on.
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const std::string_view all(bytes.data(), length);
    for (const std::size_t cut : {std::size_t{1}, length / 3, length / 2, std::size_t{64}}) {
      if (cut > length) continue;
      Sha256 hash;
      hash.add(all.substr(0, cut));
      hash.add(all.substr(cut));
      EXPECT_EQ(hash.finish(), sha256_of(all)) << length << " bytes cut at " << cut;
    }
  }
}

// Oracle: head -c N /dev/zero | sha256sum (GNU coreutils 9.1).
TEST(Sha256, PadsEveryLengthAroundTheEndOfABlock) {
  EXPECT_EQ(sha256_of(std::string(55, '\0')),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(sha256_of(std::string(56, '\0')),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(sha256_of(std::string(64, '\0')),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

TEST(Sha256OfFile, HashesTheBytesOfTheFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("knockout-sha256-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << std::string(1'000'000, 'a');
  EXPECT_EQ(sha256_of_file(path.string()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::filesystem::remove(path);
}

TEST(Sha256OfFile, NamesAFileThatCannotBeRead) {
  try {
    sha256_of_file("no/such/file.csv");
    FAIL() << "expected a FileError";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/file.csv"), std::string::npos);
  }
  EXPECT_THROW(sha256_of_file("."), FileError);
}

}  // namespace
}  // namespace knockout
