// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/processes/process_group.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "knockout/base/clock.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/nn/processes/listening_socket.h"
#include "knockout/nn/processes/own_address.h"
#include "knockout/nn/processes/process_connection.h"
#include "knockout/nn/torch.h"

#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // the header is empty otherwise
#endif
#include <torch/csrc/distributed/c10d/exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace knockout::nn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// --- the connection ---

/// The first line of what a library says, without its full stop; the rest is a stack trace.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find_last_not_of(". ", text.find('\n') - 1) + 1);
}

/// LibTorch also logs the errors that it throws; the library prints nothing.
class QuietLog {
#ifdef C10_USE_GLOG
 public:
  QuietLog() : level_(std::exchange(FLAGS_minloglevel, google::GLOG_FATAL)) {}
  ~QuietLog() { FLAGS_minloglevel = level_; }

 private:
  int level_;
#endif
};

/// Gloo itself would take the address of the host's own name, which is missing in some containers
/// and on Debian is one (127.0.1.1) that other machines cannot reach.
std::shared_ptr<gloo::transport::Device> device_for(const Rendezvous& rendezvous) {
  const auto addresses = addresses_of_master(rendezvous.address, rendezvous.timeout);
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
  if (interface == nullptr || *interface == '\0') {
    const auto mine = own_address(rendezvous.address, addresses);
    if (mine) return c10d::ProcessGroupGloo::createDeviceForHostname(*mine);
    throw PeerError(
        fmt::format("There is no network route to MASTER_ADDR={}.", rendezvous.address));
  }
  try {
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  } catch (const std::exception&) {
    throw ConfigError(
        fmt::format("GLOO_SOCKET_IFNAME={}: there is no such network interface, or "
                    "it has no address.\n  `ip address` lists them.",
                    interface));
  }
}

[[noreturn]] void throw_lost_peer(const Rendezvous& rendezvous, const std::string& purpose,
                                  double waited_seconds, const std::string& cause) {
  const bool timed_out = cause.find("imed out") != std::string::npos ||
                         waited_seconds >= 0.9 * seconds_of(rendezvous.timeout);
  throw PeerError(fmt::format(
      "Process {} of {} {} while {}, after {} (timeout: {}).\n"
      "  Cause: {}.\n"
      "  The process that failed first says why. Started again, a training goes on from its last "
      "checkpoint, if it has one.\n"
      "  If a peer is only slow:  KNOCKOUT_TIMEOUT=SECONDS",
      rendezvous.rank, rendezvous.size,
      timed_out ? "has waited in vain for a peer" : "has lost a peer", purpose,
      duration_text(waited_seconds), duration_text(seconds_of(rendezvous.timeout)), cause));
}

/// Whether it comes from the network; all else is wrong in this process alone.
bool is_of_the_network(const std::exception& failure) {
  return dynamic_cast<const gloo::IoException*>(&failure) != nullptr ||
         dynamic_cast<const c10d::C10dError*>(&failure) != nullptr ||
         dynamic_cast<const std::system_error*>(&failure) != nullptr ||
         // The store has no type of its own for these.
         std::string_view(failure.what()).starts_with("Socket Timeout");
}

/// The same memory, for Gloo, which does not know all types (Bool and BFloat16, say).
torch::Tensor as_bytes(torch::Tensor tensor) {
  if (!tensor.is_contiguous() || !tensor.is_cpu()) return tensor;
  const auto keep_alive = [tensor](void*) {};
  return torch::from_blob(tensor.data_ptr(), {static_cast<std::int64_t>(tensor.nbytes())},
                          keep_alive, torch::kUInt8);
}

class GlooConnection : public ProcessGroup::Connection {
 public:
  explicit GlooConnection(const Rendezvous& rendezvous) : rendezvous_(rendezvous) {
    const QuietLog quiet;
    const Clock::time_point start = Clock::now();
    try {
      const auto options = c10d::ProcessGroupGloo::Options::create(rendezvous.timeout);
      options->devices.push_back(device_for(rendezvous));
      c10d::TCPStoreOptions store_options;
      store_options.port = static_cast<std::uint16_t>(rendezvous.port);
      store_options.isServer = rendezvous.rank == 0;
      store_options.numWorkers = static_cast<std::size_t>(rendezvous.size);
      store_options.timeout = rendezvous.timeout;
      store_options.waitWorkers = false;  // it would wait for several timeouts; Gloo waits for one
      const auto store = c10::make_intrusive<c10d::TCPStore>(rendezvous.address, store_options);
      // Whoever can connect takes part in the training: where nobody else should, nobody else can.
      if (rendezvous.rank == 0 && means_this_machine(rendezvous.address)) {
        listen_on_loopback_only(rendezvous.port);
      }
      group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rendezvous.rank, rendezvous.size,
                                                           options);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& failure) {
      const std::string cause = first_line(failure.what());
      if (cause.find("already in use") != std::string::npos) {
        throw ConfigError(
            fmt::format("MASTER_PORT={} is in use on this machine.\n"
                        "  Give all processes another one.",
                        rendezvous.port));
      }
      if (!is_of_the_network(failure)) throw;
      throw_lost_peer(rendezvous,
                      fmt::format("meeting the others at MASTER_ADDR:MASTER_PORT = {}:{}",
                                  rendezvous.address, rendezvous.port),
                      seconds_since(start), cause);
    }
  }

  Wait start_sum(torch::Tensor tensor, std::string purpose) override {
    std::vector<torch::Tensor> tensors = {std::move(tensor)};
    return start([&] { return group_->allreduce(tensors); }, std::move(purpose));
  }

  Wait start_broadcast(torch::Tensor tensor, std::string purpose, int from) override {
    std::vector<torch::Tensor> tensors = {as_bytes(std::move(tensor))};
    c10d::BroadcastOptions options;
    options.rootRank = from;
    return start([&] { return group_->broadcast(tensors, options); }, std::move(purpose));
  }

 private:
  template <typename Call>
  Wait start(const Call& call, std::string purpose) {
    const auto work = rethrowing(purpose, call);
    return [this, work, purpose] { rethrowing(purpose, [&] { return work->wait(); }); };
  }

  template <typename Call>
  auto rethrowing(const std::string& purpose, const Call& call) const {
    const Clock::time_point start = Clock::now();
    try {
      return call();
    } catch (const std::exception& failure) {
      if (!is_of_the_network(failure)) throw;
      throw_lost_peer(rendezvous_, purpose, seconds_since(start), first_line(failure.what()));
    }
  }

  Rendezvous rendezvous_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

template <typename Number>
torch::Tensor tensor_over(std::span<Number> values, torch::ScalarType type) {
  return torch::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, type);
}

}  // namespace

ProcessGroup::ProcessGroup(const Rendezvous& rendezvous)
    : ProcessGroup(rendezvous, std::make_unique<GlooConnection>(rendezvous)) {}

ProcessGroup::ProcessGroup(const Rendezvous& rendezvous, std::unique_ptr<Connection> connection)
    : rendezvous_(rendezvous), connection_(std::move(connection)) {}

ProcessGroup::~ProcessGroup() = default;

void ProcessGroup::sum(std::span<float> values) {
  if (values.empty()) return;
  connection_->start_sum(tensor_over(values, torch::kFloat32), "adding up numbers")();
}

void ProcessGroup::sum(std::span<double> values) {
  if (values.empty()) return;
  connection_->start_sum(tensor_over(values, torch::kFloat64), "adding up numbers")();
}

void ProcessGroup::broadcast(std::span<std::byte> bytes, int from) {
  if (bytes.empty()) return;
  connection_->start_broadcast(tensor_over(bytes, torch::kUInt8), "sending what one process has",
                               from)();
}

}  // namespace knockout::nn
