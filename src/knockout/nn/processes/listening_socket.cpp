// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/processes/listening_socket.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <string>

namespace knockout::nn {
namespace {

bool listens_on(int handle, int port) {
  int listens = 0;
  socklen_t length = sizeof listens;
  if (::getsockopt(handle, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0) {
    return false;
  }
  sockaddr_storage address = {};
  length = sizeof address;
  if (::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &length) != 0) return false;
  if (address.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port) == port;
  }
  return address.ss_family == AF_INET6 &&
         ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port) == port;
}

/// "lo"; empty where there is none.
std::string loopback_interface() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> list(found, &::freeifaddrs);
  for (const ifaddrs* each = list.get(); each != nullptr; each = each->ifa_next) {
    if ((each->ifa_flags & IFF_LOOPBACK) != 0) return each->ifa_name;
  }
  return {};
}

}  // namespace

std::vector<int> listening_sockets(int port) {
  std::vector<int> sockets;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string name = entry.path().filename().string();
    int handle = -1;
    std::from_chars(name.data(), name.data() + name.size(), handle);
    if (handle >= 0 && listens_on(handle, port)) sockets.push_back(handle);
  }
  return sockets;
}

bool listen_on_loopback_only(int port) {
  const std::string interface = loopback_interface();
  const std::vector<int> sockets = listening_sockets(port);
  if (interface.empty() || sockets.empty()) return false;
  bool all_bound = true;
  for (const int handle : sockets) {
    const auto length = static_cast<socklen_t>(interface.size());
    all_bound = ::setsockopt(handle, SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(), length) == 0 &&
                all_bound;
  }
  return all_bound;
}

}  // namespace knockout::nn
