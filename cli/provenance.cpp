// SPDX-License-Identifier: Apache-2.0
#include "cli/provenance.h"

#include <chrono>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/flag_names.h"
#include "knockout/base/sha256.h"
#include "knockout/base/stage.h"
#include "knockout/base/version.h"
#include "knockout/data/text_file.h"

namespace knockout::cli {
namespace {

std::string& command_text() {
  static std::string text = "knockout";
  return text;
}

char**& arguments() {
  static char** argv = nullptr;
  return argv;
}

}  // namespace

char* const* command_arguments() { return arguments(); }

void remember_command(int argc, char** argv) {
  arguments() = argv;
  // Without the folder of the program, which says nothing to others.
  std::string text = "knockout";
  for (int i = 1; i < argc; ++i) text.append(" ").append(shell_word(argv[i]));
  command_text() = std::move(text);
}

report::Provenance make_provenance(std::optional<std::uint64_t> seed,
                                   const std::vector<std::string>& data_paths, double seconds) {
  report::Provenance provenance{.command = command_text(),
                                .version = std::string(kVersion),
                                .seed = seed ? std::to_string(*seed) : "",
                                .data = {},
                                .date = {},
                                .seconds = seconds};
  const Stage stage("taking the fingerprints of the files");
  for (const std::string& path : data_paths) {
    // A pipe has no second reading.
    std::error_code unknown;
    const bool is_file = std::filesystem::is_regular_file(path, unknown);
    provenance.data.push_back(
        {.path = source_name(path), .sha256 = is_file ? sha256_of_file(path) : ""});
  }
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  provenance.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now));
  return provenance;
}

nlohmann::ordered_json provenance_json(const report::Provenance& provenance) {
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  for (const report::Provenance::Data& file : provenance.data) {
    nlohmann::ordered_json item = {{"path", file.path}};
    item["sha256"] =
        file.sha256.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(file.sha256);
    if (!file.description.empty()) item["description"] = file.description;
    data.push_back(std::move(item));
  }
  return {{"command", provenance.command}, {"version", provenance.version},
          {"seed", provenance.seed},       {"data", data},
          {"date", provenance.date},       {"seconds", provenance.seconds}};
}

}  // namespace knockout::cli
