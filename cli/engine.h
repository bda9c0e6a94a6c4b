// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "knockout/base/all_reduce.h"
#include "knockout/base/rendezvous.h"
#include "knockout/methods/methods.h"

namespace knockout::cli {

// LibTorch takes half a second to load, so the command has two programs: `knockout` without it, and
// `knockout-nn`, the same with it, which the first starts in its own place when the work asks for
// it.

/// What only knockout-nn can do.
struct TorchEngine {
  MethodMaker methods;
  std::function<std::unique_ptr<AllReduce>(const Rendezvous&)> connect;
};

/// Called by knockout-nn before anything else.
void set_torch_engine(TorchEngine engine);

/// Whether this is knockout-nn, or knockout-nn is there to be started.
bool torch_engine_available();

/// Starts knockout-nn in place of this process; returns when this already is knockout-nn. Call it
/// before reading or writing anything. Throws ConfigError when it is not there; `what_for` is the
/// subject of the message ("The method miwae").
void need_torch_engine(std::string_view what_for);

/// Makes those of these methods that need LibTorch; empty when none does. May start knockout-nn.
MethodMaker torch_methods_for(const std::vector<std::string>& methods);

/// The other processes that train together with this one, when the environment says that there are
/// any (WORLD_SIZE, or what mpirun sets); null otherwise. The first one says, unless it is to be
/// quiet, that it waits for them.
std::unique_ptr<AllReduce> connect_processes(const CLI::App& verb, const CommonOptions& common);

/// The cores of this machine, shared fairly with the other processes that run on it.
int threads_beside_peers(const AllReduce& processes);

}  // namespace knockout::cli
