// SPDX-License-Identifier: Apache-2.0
// Text from files that would steer a terminal, through every verb.
#include <set>

#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

/// Bytes and characters that steer a terminal or turn the direction of writing, among the text.
std::set<unsigned> steering_in(const std::string& text) {
  std::set<unsigned> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
    };
    if ((byte(0) < 0x20 && text[i] != '\n') || byte(0) == 0x7F) found.insert(byte(0));
    if (byte(0) == 0xC2 && byte(1) < 0xA0) found.insert(byte(1));
    const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
    if ((three >= 0xE280AA && three <= 0xE280AE) || (three >= 0xE281A6 && three <= 0xE281A9)) {
      found.insert(three);
    }
  }
  return found;
}

class HostileText : public CommandTest {
 protected:
  // ESC, CSI of 8 bits, DEL, BEL, an override and an isolate.
  static constexpr const char* kEvil =
      "\x1b[31m\xC2\x9B"
      "2J\x7F\x07\xE2\x80\xAE\xE2\x81\xA6";

  /// Names of columns, cells, classes and a file that are all hostile.
  void write_hostile() const {
    const std::string evil = kEvil;
    std::string csv = "n" + evil + ",c" + evil + ",y" + evil + "\n";
    for (int r = 0; r < 60; ++r) {
      csv += r % 9 == 0 ? "" : std::to_string(r % 7) + ".5";
      csv += (r % 2 == 0 ? ",calm" : ",word") + evil + (r % 3 == 0 ? ",\"no" : ",\"yes") + evil +
             "\nfake: line\"\n";
    }
    write(file(), csv);
    write("broken" + evil + ".csv", csv + "too,many,fields" + evil + ",here\n");
  }
  static std::string file() { return std::string("data") + kEvil + ".csv"; }
  static std::string target() { return std::string("y") + kEvil; }
};

TEST_F(HostileText, NamesCellsClassesAndFilesReachNoStreamRaw) {
  write_hostile();
  const std::string broken = std::string("broken") + kEvil + ".csv", evil = kEvil;
  const std::vector<std::vector<std::string>> commands = {
      quick({"fit", file(), "--target", target(), "-m", "m.st"}),
      quick({"fit", file(), "--target", target(), "-m", "m.st", "--json"}),
      {"inspect", file(), "--target", target()},
      {"inspect", file(), "--json"},
      {"inspect", broken},
      {"describe", "m.st"},
      {"describe", "m.st", "--json"},
      {"predict", file(), "-m", "m.st", "--json", "--key", "c" + evil},
      {"predict", file(), "-m", "m.st", "-o", "out.csv"},
      {"predict", "absent" + evil, "-m", "m.st"},
      {"evaluate", file(), "-m", "m.st"},
      {"evaluate", file(), "-m", "m.st", "--json"},
      {"evaluate", file(), "-m", "absent" + evil},
      quick({"compare", file(), "--target", target(), "--methods", "linear", "--folds", "2"}),
      quick({"compare", file(), "--target", target(), "--methods", "linear", "--folds", "2",
             "--json"}),
      {"compare", file(), "--target", "z" + evil, "--methods", evil},
      {"ampute", file(), "--rate", "0.3", "-o", "gaps.csv"},
      {"ampute", file(), "--rate", "0.3", "-o", "gaps.csv", "--json"},
      {"ampute", file(), "--rate", "0.3", "--mechanism", evil},
      {"reproduce", evil},
      {evil}};
  for (const auto& arguments : commands) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(steering_in(outcome.out), std::set<unsigned>()) << arguments[0] << outcome.out;
    EXPECT_EQ(steering_in(outcome.err), std::set<unsigned>()) << arguments[0] << outcome.err;
    EXPECT_FALSE(contains("\n" + outcome.err, "\nfake")) << "a cell poses as a message";
  }
  EXPECT_TRUE(contains(read("out.csv"), kEvil)) << "a file keeps what cells hold";
}

TEST_F(HostileText, JsonReadsBackAsWhatTheFileHolds) {
  write_hostile();
  const Outcome inspected = run({"inspect", file(), "--json", "-q"});
  const auto json = nlohmann::json::parse(inspected.out);
  EXPECT_EQ(json["columns"][2]["name"], target());
}

TEST_F(HostileText, TablesAreCleanOnATerminalAndKeptInAPipe) {
  write_hostile();
  ASSERT_EQ(run(quick({"fit", file(), "--target", target(), "-m", "m.st", "-q"})).exit_code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"predict", file(), "-m", "m.st", "-q"}, {"ampute", file(), "--rate", "0.3", "-q"}};
  for (const auto& arguments : commands) {
    EXPECT_EQ(steering_in(on_terminal(arguments, 80)), std::set<unsigned>()) << arguments[0];
    EXPECT_TRUE(contains(run(arguments).out, kEvil)) << arguments[0];
  }
}

}  // namespace
}  // namespace knockout::test
