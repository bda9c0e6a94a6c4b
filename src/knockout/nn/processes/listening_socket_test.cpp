// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/processes/listening_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "knockout/base/test_free_port.h"
#include "knockout/nn/processes/process_group.h"

namespace knockout::nn {
namespace {

using namespace std::chrono_literals;

/// The network interface to which a socket is bound; "" = all of them.
std::string interface_of(int handle) {
  char name[IFNAMSIZ] = "";
  socklen_t length = sizeof name;
  EXPECT_EQ(::getsockopt(handle, SOL_SOCKET, SO_BINDTODEVICE, name, &length), 0);
  return name;
}

bool can_connect(int port) {
  const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected =
      ::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(handle);
  return connected;
}

TEST(ListeningSocket, IsFoundByItsPortAlone) {
  const int port = free_port();
  EXPECT_TRUE(listening_sockets(port).empty());
  EXPECT_FALSE(listen_on_loopback_only(port));
}

TEST(ListeningSocket, OfALoopbackMasterIsReachedOnTheLoopbackInterfaceOnly) {
  const int port = free_port();
  const ProcessGroup alone({.rank = 0, .size = 1, .port = port, .timeout = 5s});
  const std::vector<int> sockets = listening_sockets(port);
  ASSERT_FALSE(sockets.empty());
  for (const int handle : sockets) {
    const std::string interface = interface_of(handle);
    EXPECT_NE(interface, "") << "it listens on every interface";
    EXPECT_EQ(interface.substr(0, 2), "lo");
  }
  EXPECT_TRUE(can_connect(port));
}

}  // namespace
}  // namespace knockout::nn
