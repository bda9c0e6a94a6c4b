// SPDX-License-Identifier: Apache-2.0
// A report in a real browser: it is drawn in light and dark, printed, and asks the network for
// nothing. Without Chromium the test is skipped. KNOCKOUT_KEEP_PAGES=DIR keeps pages and pictures,
// for people to look at.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "sample_document.h"

namespace knockout::report {
namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;  // what ctest takes for a skipped test

std::string find_browser() {
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const fs::path path = fs::path(folder) / name;
      if (::access(path.c_str(), X_OK) == 0) return path.string();
    }
  }
  return "";
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Red, green and blue of the top left corner of a PNG, which is the colour of the page. The first
/// pixel stands as it is whatever the filter of its line, since there is nothing before it.
std::array<int, 3> corner_colour(const std::string& png) {
  const std::size_t data = png.find("IDAT");
  if (!png.starts_with("\x89PNG") || data == std::string::npos) return {-1, -1, -1};
  std::array<unsigned char, 4> out = {};
  z_stream stream{};
  inflateInit(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(png.data() + data + 4));
  stream.avail_in = static_cast<uInt>(png.size() - data - 4);
  stream.next_out = out.data();
  stream.avail_out = out.size();
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return {out[1], out[2], out[3]};
}

/// What the browser left behind.
struct Visit {
  std::string result;           ///< The picture or the document.
  std::string console;          ///< Errors and warnings about the page.
  std::set<std::string> hosts;  ///< That were asked for something.
};

class ReportInBrowser : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    browser_ = find_browser();
    if (browser_.empty()) {
      std::cout << "skipped: no chromium, chromium-browser or google-chrome in PATH\n";
      std::exit(kSkipped);
    }
    const char* const kept = std::getenv("KNOCKOUT_KEEP_PAGES");
    std::string pattern = (fs::temp_directory_path() / "knockout-pages-XXXXXX").string();
    folder_ = kept != nullptr ? fs::absolute(kept) : fs::path(mkdtemp(pattern.data()));
    fs::create_directories(folder_);
    write_report(test::sample_document(), nlohmann::ordered_json::object(),
                 (folder_ / "page.html").string());
    std::ofstream(folder_ / "blank.html") << "<!DOCTYPE html><title>blank</title>";
    std::ofstream(folder_ / "chatty.html")
        << "<!DOCTYPE html><img src='http://127.0.0.1:9/x.png'><script>console.error(1)</script>";
  }
  static void TearDownTestSuite() {
    if (std::getenv("KNOCKOUT_KEEP_PAGES") == nullptr) fs::remove_all(folder_);
    fs::remove_all(folder_ / "profile");
  }

  static Visit visit(const std::string& page, const std::string& result, const std::string& flags) {
    const auto quoted = [](const fs::path& path) { return "'" + path.string() + "'"; };
    const fs::path log = folder_ / (result + ".log");
    const fs::path net_log = folder_ / (result + ".net.json");
    // One profile for all visits: the first one pays for it.
    const std::string command =
        "timeout 100 " + quoted(browser_) +
        " --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run"
        " --disable-background-networking --disable-component-update --disable-sync"
        " --disable-extensions --disable-dev-shm-usage --enable-logging=stderr --v=0"
        " --user-data-dir=" +
        quoted(folder_ / "profile") + " --log-net-log=" + quoted(net_log) + " " + flags +
        quoted(folder_ / result) + " " + quoted("file://" + (folder_ / page).string()) + " >" +
        quoted(log) + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << read(log);
    Visit visit{read(folder_ / result), {}, {}};
    std::istringstream lines(read(log));
    for (std::string line; std::getline(lines, line);) {
      if (line.find(":CONSOLE") != std::string::npos) visit.console += line + "\n";
    }
    const std::string requests = read(net_log);
    const std::regex url("\"url\":\"[a-z]+://([^/:\"]+)");
    // The browser itself asks its maker for updates and the time, whatever the page.
    const std::regex makers("(.*\\.)?(google|googleapis|gstatic|gvt1)\\.com");
    for (auto it = std::sregex_iterator(requests.begin(), requests.end(), url);
         it != std::sregex_iterator(); ++it) {
      const std::string host = (*it)[1];
      if (!std::regex_match(host, makers)) visit.hosts.insert(host);
    }
    return visit;
  }

  static inline std::string browser_;
  static inline fs::path folder_;
};

constexpr const char* kPicture = "--window-size=1100,7200 --screenshot=";

TEST_F(ReportInBrowser, IsDrawnInLightAndInDark) {
  const std::string blank = visit("blank.html", "blank.png", kPicture).result;
  const std::string light = visit("page.html", "light.png", kPicture).result;
  const std::string dark =
      visit("page.html", "dark.png", std::string("--force-dark-mode ") + kPicture).result;
  EXPECT_GT(light.size(), 200'000U);
  EXPECT_GT(light.size(), 5 * blank.size());
  EXPECT_GT(dark.size(), 200'000U);
  EXPECT_EQ(corner_colour(light), (std::array{0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(corner_colour(dark), (std::array{0x14, 0x17, 0x1B}));  // --ground of the style
}

TEST_F(ReportInBrowser, AsksNobodyForAnythingAndLeavesTheConsoleEmpty) {
  const Visit quiet = visit("page.html", "quiet.png", kPicture);
  EXPECT_EQ(quiet.console, "");
  EXPECT_EQ(quiet.hosts, std::set<std::string>{});
  const Visit chatty = visit("chatty.html", "chatty.png", kPicture);  // the check can fail
  EXPECT_NE(chatty.console, "");
  EXPECT_EQ(chatty.hosts, std::set<std::string>{"127.0.0.1"});
}

TEST_F(ReportInBrowser, PrintsOnSeveralPages) {
  const std::string paper =
      visit("page.html", "paper.pdf", "--no-pdf-header-footer --print-to-pdf=").result;
  ASSERT_TRUE(paper.starts_with("%PDF"));
  const std::regex page("/Type ?/Page[^s]");
  const auto pages =
      std::distance(std::sregex_iterator(paper.begin(), paper.end(), page), std::sregex_iterator());
  EXPECT_GE(pages, 4);
  EXPECT_LE(pages, 30);  // long tables stay in the file
}

}  // namespace
}  // namespace knockout::report
