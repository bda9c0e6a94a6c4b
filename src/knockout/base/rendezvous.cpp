// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/rendezvous.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// A variable that is set and not empty.
std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

int whole_number(const char* name, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw ConfigError(
        fmt::format("{}={}: expected a whole number from {} to {}.", name, text, least, most));
  }
  return value;
}

/// Which two variables say who this process is, for each kind of launcher.
struct Launcher {
  const char* rank;
  const char* size;
};
constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI_RANK", "PMI_SIZE"}};
constexpr int kMostProcesses = 1'000'000;

std::chrono::milliseconds timeout_from(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || !(seconds >= 0.001 && seconds <= 1e7)) {
    throw ConfigError(fmt::format(
        "KNOCKOUT_TIMEOUT={}: expected the seconds to wait for a peer, for example 300.", text));
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace

std::optional<Rendezvous> rendezvous_from_environment() {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = variable(launcher.rank), size = variable(launcher.size);
    if (!rank && !size) continue;
    if (!rank || !size) {
      throw ConfigError(
          fmt::format("{} is set but {} is not.\n"
                      "  A process of a distributed training needs both.",
                      rank ? launcher.rank : launcher.size, rank ? launcher.size : launcher.rank));
    }
    Rendezvous rendezvous;
    rendezvous.size = whole_number(launcher.size, *size, 1, kMostProcesses);
    rendezvous.rank = whole_number(launcher.rank, *rank, 0, rendezvous.size - 1);
    if (const auto address = variable("MASTER_ADDR")) rendezvous.address = *address;
    if (const auto port = variable("MASTER_PORT")) {
      rendezvous.port = whole_number("MASTER_PORT", *port, 1, 65535);
    }
    if (const auto timeout = variable("KNOCKOUT_TIMEOUT")) {
      rendezvous.timeout = timeout_from(*timeout);
    }
    // Another launcher may know more: a job of one task can start mpirun.
    if (rendezvous.size > 1) return rendezvous;
  }
  return std::nullopt;
}

}  // namespace knockout
