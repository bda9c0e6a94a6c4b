// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/data/json_writer.h"
#include "knockout/report/text.h"

namespace knockout::cli {

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += report::clean(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

namespace {

using SayClock = std::chrono::steady_clock;

/// What several threads write, and what they know of it.
struct Said {
  std::recursive_mutex mutex;
  SayClock::time_point last = SayClock::now();
  bool in_passing = false;  ///< The last line on the terminal is to be taken away.
};
Said& said() {
  static Said state;
  return state;
}

void put_error(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
  said().last = SayClock::now();
}

void put_out(std::string_view text) {
  const std::scoped_lock lock(said().mutex);
  clear_status();
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
  said().last = SayClock::now();
}

/// Lines after the first begin with two blanks.
std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const std::string_view rest = text.substr(i + 1);
    if (text[i] == '\n' && !rest.empty() && rest[0] != '\n' && !rest.starts_with("  ")) out += "  ";
  }
  return out;
}

}  // namespace

void write_out(std::string_view text) { put_out(printable(text)); }

void print_json(const nlohmann::ordered_json& json) { put_out(json_text(json) + '\n'); }

bool has_error_terminal() {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  return terminal;
}

SayClock::time_point last_said() {
  const std::scoped_lock lock(said().mutex);
  return said().last;
}

void clear_status() noexcept {
  const std::scoped_lock lock(said().mutex);
  if (said().in_passing) put_error("\r\x1b[K");
  said().in_passing = false;
}

void tell(std::string_view line) noexcept {
  const std::scoped_lock lock(said().mutex);
  clear_status();
  try {
    put_error(indented(printable(line)) + '\n');
  } catch (const std::bad_alloc&) {
    put_error("there is not enough memory to say what happened.\n");
  }
}

void show_status(std::string_view line) noexcept {
  if (!has_error_terminal()) return tell(line);
  const std::scoped_lock lock(said().mutex);
  clear_status();
  try {
    put_error(report::clean(line));
    said().in_passing = true;
  } catch (const std::bad_alloc&) {  // it was of no use later anyway
  }
}

bool has_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::optional<std::size_t> terminal_width() {
  if (!has_terminal()) return std::nullopt;
  if (const char* const said = std::getenv("COLUMNS")) {
    const int columns = std::atoi(said);
    if (columns > 0) return static_cast<std::size_t>(columns);
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::size_t page_width() {
  constexpr std::size_t kWidest = 100, kLeast = 50;
  return std::clamp(terminal_width().value_or(kWidest), kLeast, kWidest);
}

void flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return;
  throw FileError(
      fmt::format("cannot write to standard output: {}.", std::generic_category().message(errno)));
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", 100 * share);
}

std::string short_number(double number) {
  if (std::abs(number) < 1e15 && number == std::trunc(number)) return fmt::format("{:.0f}", number);
  const bool large = std::abs(number) >= 1000 && std::abs(number) < 1e7;  // 24958, not 2.496e+04
  return large ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
}

}  // namespace knockout::cli
