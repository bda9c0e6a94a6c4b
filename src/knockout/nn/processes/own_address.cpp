// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/processes/own_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"

namespace knockout::nn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLookups(500);
/// A name that a launcher is about to announce comes sooner; one that is mistyped never comes.
constexpr std::chrono::milliseconds kLongestLookup(60'000);
/// Addresses of the documentation (RFC 5737, RFC 3849), which stand for any other machine.
constexpr const char* kElsewhere[] = {"192.0.2.1", "2001:db8::1"};
constexpr const char* kAnyPort = "9";

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

/// Returns the failure of getaddrinfo.
int find_addresses(const std::string& name, int flags, AddressList& result) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(name.c_str(), kAnyPort, &hints, &found);
  if (failure == 0) result.reset(found);
  return failure;
}

std::optional<std::string> text_of(const sockaddr* address, socklen_t length) {
  char text[NI_MAXHOST] = "";
  if (::getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) {
    return std::nullopt;
  }
  return text;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

NameLookup look_up(const std::string& name) {
  NameLookup result;
  AddressList list(nullptr, &::freeaddrinfo);
  result.failure = find_addresses(name, 0, list);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    if (auto text = text_of(each->ai_addr, each->ai_addrlen)) result.addresses.push_back(*text);
  }
  return result;
}

std::vector<std::string> addresses_of_master(
    const std::string& name, std::chrono::milliseconds timeout,
    const std::function<NameLookup(const std::string&)>& look_up_name) {
  const Clock::time_point start = Clock::now(), end = start + std::min(timeout, kLongestLookup);
  while (true) {
    NameLookup found = look_up_name(name);
    if (found.failure == 0) return std::move(found.addresses);
    const bool may_come = found.failure == EAI_AGAIN || found.failure == EAI_NONAME;
    if (!may_come || Clock::now() >= end) {
      const std::chrono::duration<double> waited = Clock::now() - start;
      throw ConfigError(
          fmt::format("MASTER_ADDR={}: {} (looked up for {}).\n"
                      "  Give the name or address of the machine of rank 0.",
                      name, ::gai_strerror(found.failure), duration_text(waited.count())));
    }
    std::this_thread::sleep_until(std::min(end, Clock::now() + kBetweenLookups));
  }
}

bool means_this_machine(const std::string& master) {
  return master == "localhost" || is_loopback(master);
}

std::optional<std::string> address_towards(const std::string& other) {
  AddressList list(nullptr, &::freeaddrinfo);
  if (find_addresses(other, AI_NUMERICHOST, list) != 0) return std::nullopt;
  const int handle = ::socket(list->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return std::nullopt;
  // Connecting a datagram socket sends nothing: it only chooses the route.
  sockaddr_storage local = {};
  socklen_t length = sizeof local;
  auto* const address = reinterpret_cast<sockaddr*>(&local);
  const bool has_route = ::connect(handle, list->ai_addr, list->ai_addrlen) == 0 &&
                         ::getsockname(handle, address, &length) == 0;
  ::close(handle);
  return has_route ? text_of(address, length) : std::nullopt;
}

std::optional<std::string> own_address(
    const std::string& master, const std::vector<std::string>& addresses_of_master,
    const std::function<std::optional<std::string>(const std::string&)>& towards) {
  std::optional<std::string> mine;
  for (const std::string& address : addresses_of_master) {
    mine = towards(address);
    if (mine) break;
  }
  if (!mine || !is_loopback(*mine) || means_this_machine(master)) return mine;
  for (const char* const elsewhere : kElsewhere) {
    const auto reachable = towards(elsewhere);
    if (reachable && !is_loopback(*reachable)) return reachable;
  }
  return mine;
}

}  // namespace knockout::nn
