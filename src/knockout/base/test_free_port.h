// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace knockout {

/// For tests and benchmarks of several processes: a port of the loopback interface that nobody uses
/// at the moment.
inline int free_port() {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(handle, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(handle);
  return ntohs(address.sin_port);
}

}  // namespace knockout
