// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <string>

namespace knockout {

/// Says what is being done for as long as it lives, so that somebody who watches from another
/// thread can tell a person: the library itself prints nothing. One lock each; not for inner loops.
///   const Stage stage("reading patients.csv");
class Stage {
 public:
  explicit Stage(std::string what);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  std::list<std::string>::iterator place_;
};

/// What was begun last, by any thread of the process, and is not over; "" = nothing that says so.
std::string current_stage();

}  // namespace knockout
