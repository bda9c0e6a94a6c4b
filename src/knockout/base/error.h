// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// What a user can cause. A message says where, what was found, what was expected and how to fix
/// it. The library throws these and nothing else on purpose; assertions are for our own bugs.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The data cannot be used as they are (exit code 3 of the command).
class DataError : public Error {
 public:
  using Error::Error;
};

/// An option is wrong or two options contradict each other (exit code 2).
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A model file is damaged, from a newer version, or not a model (exit code 4).
class ModelFileError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be opened, read or written: full disk, no permission (exit code 5).
class FileError : public Error {
 public:
  using Error::Error;
};

/// Another process of a distributed training was lost, hangs, or works on something else (exit code
/// 6).
class PeerError : public Error {
 public:
  using Error::Error;
};

/// Training was asked to stop, by a std::stop_token, and did.
class Cancelled : public Error {
 public:
  Cancelled() : Error("Training was cancelled.") {}
};

/// Returns ` Did you mean "age"?` for the known name nearest to `unknown`, or "" when none is near.
/// Of very many or very long names, only the first are looked at.
std::string did_you_mean(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace knockout
