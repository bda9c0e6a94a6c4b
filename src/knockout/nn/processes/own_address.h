// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// How a process finds the address under which the others can reach it. Addresses are texts such as
// "192.0.2.7" or "2001:db8::7".
namespace knockout::nn {

/// What the resolver knows about a name: addresses, or an error code of getaddrinfo.
struct NameLookup {
  int failure = 0;
  std::vector<std::string> addresses = {};
};
NameLookup look_up(const std::string& name);

/// The addresses of MASTER_ADDR. A launcher may start processes before their names are known, so a
/// name that is not found is looked up again for a minute, or until the timeout. Throws ConfigError
/// then, and at once for other errors.
std::vector<std::string> addresses_of_master(
    const std::string& name, std::chrono::milliseconds timeout,
    const std::function<NameLookup(const std::string&)>& look_up_name = look_up);

/// Whether MASTER_ADDR says that all processes are on one machine: "localhost" or a loopback
/// address, but not a name that happens to stand for one.
bool means_this_machine(const std::string& master);

/// The address of this machine on the way to another one, found without sending anything; nothing
/// when there is no route.
std::optional<std::string> address_towards(const std::string& other);

/// The address of this machine for its peers, nothing when it has no route to the master. That is
/// the one towards the master; but where the name of the master, as on Debian in /etc/hosts of the
/// master itself, stands for a loopback address, it is one that other machines can reach, if there
/// is any.
std::optional<std::string> own_address(
    const std::string& master, const std::vector<std::string>& addresses_of_master,
    const std::function<std::optional<std::string>(const std::string&)>& towards = address_towards);

}  // namespace knockout::nn
