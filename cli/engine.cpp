// SPDX-License-Identifier: Apache-2.0
#include "cli/engine.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/heartbeat.h"
#include "cli/provenance.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/kernels/blas.h"

namespace knockout::cli {
namespace {

namespace fs = std::filesystem;

std::optional<TorchEngine>& engine() {
  static std::optional<TorchEngine> linked;
  return linked;
}

/// knockout-nn in the build folder, or where it is installed; empty when in neither.
fs::path find_engine_program() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& candidate :
       {folder / "knockout-nn", folder / ".." / "libexec" / "knockout" / "knockout-nn"}) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace

void set_torch_engine(TorchEngine linked) { engine() = std::move(linked); }

bool torch_engine_available() { return engine().has_value() || !find_engine_program().empty(); }

void need_torch_engine(std::string_view what_for) {
  if (engine().has_value()) return;
  const fs::path program = find_engine_program();
  if (program.empty()) {
    throw ConfigError(fmt::format(
        "{} needs the LibTorch engine, and this build has none: there is no knockout-nn "
        "beside the command.\n"
        "  On Debian and Ubuntu:  scripts/setup build media nn  in the source folder; then build "
        "and install again.",
        what_for));
  }
  // OpenBLAS chooses its kernels while LibTorch is loaded: this is the last moment to have a say.
  if (const char* core_type = suitable_core_type()) {
    setenv("OPENBLAS_CORETYPE", core_type, /*overwrite=*/0);
  }
  execv(program.c_str(), command_arguments());
  throw FileError(
      fmt::format("{}: cannot be started: {}.", program.string(), std::strerror(errno)));
}

MethodMaker torch_methods_for(const std::vector<std::string>& methods) {
  const auto found = std::find_if(methods.begin(), methods.end(), needs_torch);
  if (found == methods.end()) return {};
  need_torch_engine("The method " + *found);
  return engine()->methods;
}

std::unique_ptr<AllReduce> connect_processes(const CLI::App& verb, const CommonOptions& common) {
  const std::optional<Rendezvous> rendezvous = rendezvous_from_environment();
  if (!rendezvous) return nullptr;
  need_torch_engine("Training with several processes");
  if (rendezvous->rank != 0) stop_watching();  // the first process speaks for all
  if (rendezvous->rank == 0) {
    note(verb, common,
         fmt::format("the first of {} processes, waiting for the others at {}:{}.",
                     rendezvous->size, rendezvous->address, rendezvous->port));
  }
  return engine()->connect(*rendezvous);
}

int threads_beside_peers(const AllReduce& processes) {
  // How many there are on this machine is what torchrun, Open MPI and MPICH tell; others leave it
  // open, and too few threads cost less than too many.
  int peers_here = processes.size();
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* value = std::getenv(name)) peers_here = std::max(1, std::atoi(value));
  }
  return std::max(1, resolve_threads(0) / peers_here);
}

}  // namespace knockout::cli
