// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "knockout/base/error.h"
#include "knockout/report/document.h"

namespace knockout::report {
namespace {

namespace fs = std::filesystem;

class WriteReport : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "knockout-report-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  fs::path folder_;
};

TEST(JsonPathOf, ReplacesTheEndingOfAPage) {
  EXPECT_EQ(json_path_of("out.html"), "out.json");
  EXPECT_EQ(json_path_of("a.b/out.HTM"), "a.b/out.json");
  EXPECT_EQ(json_path_of("report"), "report.json");
  EXPECT_EQ(json_path_of("out.json"), "out.json.json");  // never the page itself
  EXPECT_EQ(json_path_of("a/.html"), "a/.html.json");
}

TEST_F(WriteReport, WritesThePageAndItsNumbersBesideIt) {
  Document document;
  document.title = "A page";
  const nlohmann::ordered_json data = {{"z", 1.0 / 3}, {"a", "caf\xE9"}};
  write_report(document, data, (folder_ / "out.html").string());
  EXPECT_EQ(read(folder_ / "out.html"), to_html(document));
  const auto back = nlohmann::ordered_json::parse(read(folder_ / "out.json"));
  EXPECT_EQ(back.at("z"), 1.0 / 3);
  EXPECT_EQ(back.begin().key(), "z");
}

TEST_F(WriteReport, LeavesBothOldFilesWhereOneCannotBeWritten) {
  std::ofstream(folder_ / "out.html") << "old";
  fs::create_directory(folder_ / "out.json");  // a folder cannot be replaced by a file
  EXPECT_THROW(write_report({}, {}, (folder_ / "out.html").string()), FileError);
  EXPECT_EQ(read(folder_ / "out.html"), "old");
  EXPECT_THROW(write_report({}, {}, (folder_ / "no/out.html").string()), FileError);
}

}  // namespace
}  // namespace knockout::report
