// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/stop.h"

#include <utility>

#include "knockout/base/error.h"

namespace knockout {
namespace {

thread_local std::stop_token token_in_force;

}  // namespace

StopScope::StopScope(const std::stop_token& token) : before_(token_in_force) {
  if (token.stop_possible()) token_in_force = token;
}

StopScope::~StopScope() { token_in_force = std::move(before_); }

std::stop_token current_stop_token() { return token_in_force; }

void throw_if_stopped() {
  if (token_in_force.stop_requested()) throw Cancelled();
}

}  // namespace knockout
