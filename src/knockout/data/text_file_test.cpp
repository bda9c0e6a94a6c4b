// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/text_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

std::string gzip(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::vector<std::string> names_in(const std::string& path) { return CsvText::load(path).names(); }

class TextFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "knockout_text_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  fs::path folder_;
};

template <typename Exception, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

std::string many_rows(int rows) {
  std::string text = "a,b\n";
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + ",x" + std::to_string(i % 7) + "\n";
  return text;
}

TEST_F(TextFileTest, LoadsFilesOfAnySizeUnchanged) {
  for (const int rows : {0, 1, 1000, 300'000}) {
    const std::string text = many_rows(rows);
    EXPECT_EQ(load_text(put("plain.csv", text)).view(), text);
  }
  EXPECT_EQ(load_text(put("empty.csv", "")).view(), "");
}

TEST_F(TextFileTest, DecompressesGzipInOneOrSeveralMembers) {
  const std::string text = many_rows(300'000);
  EXPECT_EQ(load_text(put("one.csv.gz", gzip(text))).view(), text);
  const std::string several = gzip(text.substr(0, 1000)) + gzip("") + gzip(text.substr(1000));
  EXPECT_EQ(load_text(put("several.csv", several)).view(), text);
  EXPECT_EQ(load_text(put("padded.gz", gzip(text) + std::string(512, '\0'))).view(), text);
}

TEST_F(TextFileTest, RefusesGzipThatIsCutOffAnywhere) {
  const std::string whole = gzip(many_rows(20));
  for (std::size_t length = 2; length < whole.size(); ++length) {
    const std::string path = put("cut.gz", whole.substr(0, length));
    const std::string message = message_of<DataError>([&] { load_text(path); });
    ASSERT_NE(message.find("cut off"), std::string::npos) << length << ": " << message;
  }
}

TEST_F(TextFileTest, RefusesDamagedGzip) {
  std::string damaged = gzip(many_rows(1000));
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  const std::string path = put("damaged.gz", damaged);
  EXPECT_NE(message_of<DataError>([&] { load_text(path); }).find(path), std::string::npos);
  const std::string junk = put("junk.gz", gzip("a\n1\n") + "junk");
  EXPECT_NE(message_of<DataError>([&] { load_text(junk); }), "");
}

TEST_F(TextFileTest, ReadsAGzippedTable) {
  const Table table = read_csv(put("t.csv.gz", gzip("a,b\n1,x\n2,y")));
  EXPECT_EQ(listed(table.at("a").numbers()), (std::vector<double>{1, 2}));
}

TEST_F(TextFileTest, ReadsStandardInput) {
  const std::string path = put("in.csv", "a,b\n1,2\nx,3\n1,2,3\n");
  const int kept = ::dup(STDIN_FILENO);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  const std::string message = message_of<DataError>([] { read_csv("-"); });
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(file);
  EXPECT_EQ(message.find("standard input:4: 3 fields"), 0U) << message;
}

TEST_F(TextFileTest, ReadsNamesThatAreLong) {
  const std::string long_name(3'000'000, 'n');
  EXPECT_EQ(names_in(put("long.csv", "a,\"x\n" + long_name + "\"\n1,2\n")),
            (std::vector<std::string>{"a", "x\n" + long_name}));
  EXPECT_THROW(names_in(put("open.csv", "a,\"b\n" + long_name)), DataError);
}

TEST_F(TextFileTest, AsksForNamesAndReadsTheSameTextTwice) {
  const CsvText text = CsvText::load(put("t.csv", "a,b\n1,x\n2,y\n"));
  EXPECT_EQ(text.source(), folder_ / "t.csv");
  EXPECT_EQ(text.names(), (std::vector<std::string>{"a", "b"}));
  CsvOptions options;
  options.only_columns = {"b"};
  EXPECT_EQ(text.names(options), text.names());
  EXPECT_EQ(text.read(options).names(), (std::vector<std::string>{"b"}));
  options.has_header = false;
  options.only_columns.reset();
  EXPECT_EQ(text.read(options).rows(), 3U);
}

TEST_F(TextFileTest, ReadsANamedPipeOnce) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string rows = many_rows(100'000);  // more than a pipe holds
  std::thread writer([&] { std::ofstream(pipe) << rows; });
  const CsvText text = CsvText::load(pipe);
  writer.join();
  EXPECT_EQ(text.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(text.read().rows(), 100'000U);
}

/// A header of that many bytes at least, and its names.
std::pair<std::string, std::vector<std::string>> wide_header(std::size_t bytes) {
  std::string line;
  std::vector<std::string> names;
  while (line.size() < bytes) {
    names.push_back("a_name_of_some_length_" + std::to_string(names.size()));
    line += (names.size() > 1 ? "," : "") + names.back();
  }
  return {line, names};
}

TEST_F(TextFileTest, ReadsAHeaderOfMoreThanOneMebibyte) {
  const auto [header, names] = wide_header((1U << 20) + 5);
  const std::string row(names.size() - 1, ',');
  EXPECT_EQ(names_in(put("wide.csv", header + "\n" + row + "\n")), names);
  EXPECT_EQ(names_in(put("wide.csv.gz", gzip(header + "\n" + row + "\n"))), names);
  EXPECT_EQ(names_in(put("crlf.csv", header + "\r\n" + row + "\r\n")), names);
  EXPECT_EQ(names_in(put("macintosh.csv", header + "\r" + row + "\r")), names);
  EXPECT_EQ(names_in(put("mark.csv", "\xEF\xBB\xBF" + header + "\n")), names);
  EXPECT_EQ(names_in(put("endless.csv", header)), names);
  EXPECT_EQ(names_in(put("endless.csv.gz", gzip(header))), names);
  const Table table = read_csv(folder_ / "wide.csv");
  EXPECT_EQ(table.names(), names);
  EXPECT_EQ(table.rows(), 1U);
}

TEST_F(TextFileTest, ReadsAHeaderOfMoreThanEightMebibytes) {
  const auto [header, names] = wide_header((9U << 20));
  EXPECT_EQ(names_in(put("wide.csv", header + "\n")), names);
  EXPECT_EQ(names_in(put("endless.csv", header)), names);
}

TEST_F(TextFileTest, RefusesTheHeaderOfAnEmptyFile) {
  for (const char* nothing : {"", "\n", "\r", "\r\n", "\xEF\xBB\xBF"}) {
    EXPECT_THROW(names_in(put("empty.csv", nothing)), DataError) << nothing;
    EXPECT_THROW(read_csv(folder_ / "empty.csv"), DataError) << nothing;
  }
}

TEST_F(TextFileTest, SuggestsANearNameForAMissingFile) {
  put("patients.csv", "a\n1\n");
  const std::string message = message_of<FileError>([&] { read_csv(folder_ / "patiens.csv"); });
  EXPECT_NE(message.find("patiens.csv"), std::string::npos) << message;
  EXPECT_NE(message.find("Did you mean \"patients.csv\"?"), std::string::npos) << message;
}

TEST_F(TextFileTest, RefusesAFolder) {
  const std::string message = message_of<FileError>([&] { read_csv(folder_); });
  EXPECT_NE(message.find("Is a directory"), std::string::npos) << message;
}

TEST_F(TextFileTest, RefusesAFileWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read anything";
  const std::string path = put("secret.csv", "a\n1\n");
  fs::permissions(path, fs::perms::none);
  EXPECT_NE(message_of<FileError>([&] { read_csv(path); }).find("Permission denied"),
            std::string::npos);
}

}  // namespace
}  // namespace knockout
