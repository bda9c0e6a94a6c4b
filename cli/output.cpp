// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
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

void write_out(std::string_view text) {
  const std::string safe = printable(text);
  static_cast<void>(std::fwrite(safe.data(), 1, safe.size(), stdout));
}

void print_json(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
  static_cast<void>(std::fputc('\n', stdout));
}

void tell_raw(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

void tell(std::string_view line) noexcept {
  try {
    tell_raw(printable(line) + '\n');
  } catch (const std::bad_alloc&) {
    tell_raw("there is not enough memory to say what happened.\n");
  }
}

std::optional<std::size_t> terminal_width() {
  if (isatty(STDOUT_FILENO) != 1) return std::nullopt;
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
