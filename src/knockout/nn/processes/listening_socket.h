// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace knockout::nn {

/// The sockets on which this process waits for connections to a port.
std::vector<int> listening_sockets(int port);

/// Lets only processes of this machine connect to a port on which this process listens: LibTorch's
/// store listens on every interface and cannot be told otherwise. Returns whether it was possible:
/// Linux 5.7 and later allow it to everybody, before that to root.
bool listen_on_loopback_only(int port);

}  // namespace knockout::nn
