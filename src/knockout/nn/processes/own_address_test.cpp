// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/processes/own_address.h"

#include <gtest/gtest.h>
#include <netdb.h>

#include <map>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

using namespace std::chrono_literals;
using Addresses = std::vector<std::string>;

/// A machine with these addresses of its own towards others.
auto machine(std::map<std::string, std::string> towards) {
  return [towards](const std::string& other) -> std::optional<std::string> {
    const auto found = towards.find(other);
    if (found == towards.end()) return std::nullopt;
    return found->second;
  };
}

TEST(OwnAddress, IsTheOneTowardsTheMaster) {
  const auto two_networks = machine({{"10.0.0.1", "10.0.0.2"}, {"192.0.2.1", "172.16.0.2"}});
  EXPECT_EQ(own_address("node1", {"10.0.0.1"}, two_networks), "10.0.0.2");
  EXPECT_EQ(own_address("node1", {"fd00::1", "10.0.0.1"}, two_networks), "10.0.0.2");
  EXPECT_EQ(own_address("node1", {"10.9.0.1"}, two_networks), std::nullopt);
}

TEST(OwnAddress, CanBeReachedByOthersWhereTheMastersNameIsALoopbackAddress) {
  const auto debian = machine({{"127.0.1.1", "127.0.0.1"}, {"192.0.2.1", "10.0.0.1"}});
  EXPECT_EQ(own_address("node1", {"127.0.1.1"}, debian), "10.0.0.1");
  const auto only_ipv6 = machine({{"::1", "::1"}, {"2001:db8::1", "fd00::1"}});
  EXPECT_EQ(own_address("node1", {"::1"}, only_ipv6), "fd00::1");
}

TEST(OwnAddress, StaysALoopbackAddressWhenThatIsMeantOrThereIsNoOther) {
  const auto debian = machine({{"127.0.0.1", "127.0.0.1"},
                               {"127.0.1.1", "127.0.0.1"},
                               {"::1", "::1"},
                               {"192.0.2.1", "10.0.0.1"}});
  for (const std::string master : {"localhost", "127.0.0.1", "127.0.1.1"}) {
    EXPECT_EQ(own_address(master, {"127.0.0.1"}, debian), "127.0.0.1") << master;
  }
  EXPECT_EQ(own_address("::1", {"::1"}, debian), "::1");
  const auto without_network = machine({{"127.0.1.1", "127.0.0.1"}});
  EXPECT_EQ(own_address("node1", {"127.0.1.1"}, without_network), "127.0.0.1");
}

TEST(MeansThisMachine, IsSaidByLoopbackAddressesAlone) {
  for (const std::string master : {"localhost", "127.0.0.1", "127.0.1.1", "::1"}) {
    EXPECT_TRUE(means_this_machine(master)) << master;
  }
  for (const std::string master : {"node1", "192.0.2.7", "12.7.0.1", "2001:db8::1", ""}) {
    EXPECT_FALSE(means_this_machine(master)) << master;
  }
}

TEST(AddressTowards, KnowsTheLoopbackInterface) {
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(address_towards("not an address"), std::nullopt);
}

TEST(AddressesOfMaster, ResolvesNamesAndAddresses) {
  EXPECT_EQ(addresses_of_master("192.0.2.7", 1s), Addresses{"192.0.2.7"});
  const Addresses local = addresses_of_master("localhost", 1s);
  ASSERT_FALSE(local.empty());
  EXPECT_TRUE(local[0] == "127.0.0.1" || local[0] == "::1") << local[0];
}

TEST(AddressesOfMaster, WaitsForANameThatIsNotKnownYet) {
  for (const int failure : {EAI_AGAIN, EAI_NONAME}) {
    int lookups = 0;
    const auto late = [&](const std::string& name) {
      EXPECT_EQ(name, "node1");
      return ++lookups < 2 ? NameLookup{failure} : NameLookup{0, {"10.0.0.1"}};
    };
    EXPECT_EQ(addresses_of_master("node1", 1min, late), Addresses{"10.0.0.1"});
    EXPECT_EQ(lookups, 2);
  }
}

TEST(AddressesOfMaster, DoesNotRepeatALookupThatCannotHelp) {
  int lookups = 0;
  const auto broken = [&](const std::string&) {
    ++lookups;
    return NameLookup{EAI_FAIL};
  };
  EXPECT_THROW(addresses_of_master("node1", 1min, broken), ConfigError);
  EXPECT_EQ(lookups, 1);
}

TEST(AddressesOfMaster, NamesAMasterThatIsNeverFound) {
  try {
    addresses_of_master("node1.invalid", 50ms);
    FAIL() << "expected an error";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("MASTER_ADDR=node1.invalid"), std::string::npos) << text;
    EXPECT_NE(text.find("machine of rank 0"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace knockout::nn
