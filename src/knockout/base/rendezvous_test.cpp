// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/rendezvous.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "knockout/base/error.h"

namespace knockout {
namespace {

constexpr const char* kVariables[] = {
    "RANK",     "WORLD_SIZE",       "MASTER_ADDR",          "MASTER_PORT",         "PMI_RANK",
    "PMI_SIZE", "KNOCKOUT_TIMEOUT", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"};

/// What is read when exactly these variables are set.
std::optional<Rendezvous> rendezvous_with(const std::map<std::string, std::string>& variables) {
  for (const char* name : kVariables) ::unsetenv(name);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  struct Cleanup {
    ~Cleanup() {
      for (const char* name : kVariables) ::unsetenv(name);
    }
  } cleanup;
  return rendezvous_from_environment();
}

TEST(RendezvousFromEnvironment, IsNothingForAProcessOnItsOwn) {
  EXPECT_FALSE(rendezvous_with({}));
  EXPECT_FALSE(rendezvous_with({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  EXPECT_FALSE(rendezvous_with({{"MASTER_PORT", "1234"}}));
}

TEST(RendezvousFromEnvironment, ReadsWhatLaunchersSet) {
  const auto torchrun = rendezvous_with({{"RANK", "3"},
                                         {"WORLD_SIZE", "8"},
                                         {"MASTER_ADDR", "node1"},
                                         {"MASTER_PORT", "1234"},
                                         {"KNOCKOUT_TIMEOUT", "2.5"}});
  ASSERT_TRUE(torchrun);
  EXPECT_EQ(torchrun->rank, 3);
  EXPECT_EQ(torchrun->size, 8);
  EXPECT_EQ(torchrun->address, "node1");
  EXPECT_EQ(torchrun->port, 1234);
  EXPECT_EQ(torchrun->timeout.count(), 2500);
  const auto open_mpi =
      rendezvous_with({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_EQ(open_mpi->rank, 1);
  EXPECT_EQ(open_mpi->address, "127.0.0.1");
  EXPECT_EQ(open_mpi->port, 29500);
  const auto nested = rendezvous_with({{"RANK", "0"},
                                       {"WORLD_SIZE", "1"},
                                       {"OMPI_COMM_WORLD_RANK", "1"},
                                       {"OMPI_COMM_WORLD_SIZE", "2"}});
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->rank, 1);
  const auto mpich = rendezvous_with({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}});
  ASSERT_TRUE(mpich);
  EXPECT_EQ(mpich->size, 4);
}

TEST(RendezvousFromEnvironment, NamesTheVariableAndTheValueThatMakeNoSense) {
  const auto expect_refused = [](std::map<std::string, std::string> variables,
                                 const std::string& part) {
    try {
      rendezvous_with(variables);
      FAIL() << part;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_refused({{"RANK", "0"}}, "WORLD_SIZE is not");
  expect_refused({{"WORLD_SIZE", "2"}}, "RANK is not");
  expect_refused({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, "RANK=2");
  expect_refused({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}, "RANK=-1");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "two"}}, "WORLD_SIZE=two");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "70000"}},
                 "MASTER_PORT=70000");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"KNOCKOUT_TIMEOUT", "5m"}},
                 "KNOCKOUT_TIMEOUT=5m");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"KNOCKOUT_TIMEOUT", "0"}},
                 "KNOCKOUT_TIMEOUT=0");
  expect_refused({{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}, "PMI_RANK=x");
}

}  // namespace
}  // namespace knockout
