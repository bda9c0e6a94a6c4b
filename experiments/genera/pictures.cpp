// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/pictures.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "experiments/engine_studies.h"
#include "experiments/genera/picture_list.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/sha256.h"
#include "knockout/data/csv_writer.h"
#include "knockout/schema/column_list.h"
#include "media/arrays/npy_writer.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What decides the features: equal descriptions, equal features.
Json describe(const TreesOptions& options, const std::string& encoder,
              const PictureSummary& pictures) {
  return {{"encoder", sha256_of_file(encoder)},
          {"picture_side", options.picture_side},
          {"shorter_side", options.shorter_side},
          {"views", pictures.views},
          {"pictures", pictures.fingerprint}};
}

/// What encoding.json says, or null when the features are not there, not all of them, or made of
/// something else.
Json finished_encoding(const fs::path& folder, const Json& description) {
  const fs::path path = folder / "encoding.json";
  if (!fs::exists(path)) return nullptr;
  const Json found =
      Json::parse(read_bytes(path.string(), "the description of the features"), nullptr, false);
  const bool finished = found.is_object() && found.contains("left_out");
  return finished && found.value("made_of", Json()) == description ? found : nullptr;
}

void write_description(const fs::path& folder, const Json& description) {
  fs::create_directories(folder);
  write_atomically((folder / "encoding.json").string(), description.dump(2) + '\n');
}

/// Features that someone else made are never written over.
void require_ours(const fs::path& folder, const std::string& encoder) {
  if (!fs::exists(folder) || fs::is_empty(folder) || fs::exists(folder / "encoding.json")) return;
  throw ConfigError(fmt::format(
      "--encoder {}: its features would go to {}, which holds something else.\n  Drop --encoder to "
      "use what is there, or give the encoder's file another name.",
      encoder, folder.string()));
}

fs::path folder_of(const std::string& data, const std::string& encoder) {
  return fs::path(data) / fs::path(encoder).stem();
}

/// Says how far checking or encoding is.
class PictureProgress {
 public:
  PictureProgress(const StudyContext& run, std::size_t all) : run_(run), all_(all) {}
  void tell(std::size_t done, const std::string& doing) const {
    if (!run_.progress) return;
    StudyContext::Progress progress;
    progress.done = done;
    progress.all = all_;
    progress.share_done = static_cast<double>(done) / static_cast<double>(all_);
    progress.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    progress.seconds_left = done == 0 ? 0 : progress.seconds * (1.0 / progress.share_done - 1.0);
    progress.doing = doing;
    run_.progress(progress);
  }

 private:
  const StudyContext& run_;
  std::size_t all_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Leaves the trees whose pictures can all be used; the others go to `bad`. Preparing a picture
/// takes little time beside encoding it, and hours of encoding must not end in one that cannot be
/// used.
void check_pictures(PictureList& list, const TreesOptions& options, const StudyContext& run,
                    BadFiles& bad) {
  const PictureProgress progress(run, list.trees.size());
  std::vector<std::string> reasons(list.trees.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(list.trees.size(), run.threads, [&](std::size_t i) {
    try {
      for (const PicturePlace& picture : list.trees[i].pictures) {
        engine_studies().picture_planes(read_picture_bytes(picture), picture.name(),
                                        options.shorter_side, options.picture_side);
      }
    } catch (const Error& error) {
      reasons[i] = error.what();
    }
    const std::scoped_lock lock(mutex);
    progress.tell(++done, "checking pictures");
  });
  std::vector<PicturedTree> readable;
  for (std::size_t i = 0; i < list.trees.size(); ++i) {
    if (reasons[i].empty()) {
      readable.push_back(list.trees[i]);
    } else {
      bad.add(fmt::format("{}/{}", list.trees[i].genus, list.trees[i].id), reasons[i]);
    }
  }
  list.trees = std::move(readable);
}

void write_labels(const fs::path& path, const std::vector<PicturedTree>& trees) {
  std::vector<std::optional<std::string>> ids, genera, parts;
  for (const PicturedTree& tree : trees) {
    ids.push_back(tree.id);
    genera.push_back(tree.genus);
    parts.push_back(tree.part);
  }
  std::vector<Column> columns = {Column::words("id", ids), Column::words("genus", genera)};
  const bool has_split = !trees.empty() && !trees.front().part.empty();
  if (has_split) columns.push_back(Column::words("split", parts));
  write_csv(Table(std::move(columns)), path.string());
}

void encode(const TreesOptions& options, const std::string& encoder, const PictureList& list,
            const fs::path& folder, const StudyContext& run) {
  const PictureProgress progress(run, list.trees.size() * list.views.size());
  for (std::size_t v = 0; v < list.views.size(); ++v) {
    PictureEncoding encoding{.encoder = encoder,
                             .pictures = {},
                             .side = options.picture_side,
                             .shorter_side = options.shorter_side,
                             .batch = options.encoder_batch};
    for (const PicturedTree& tree : list.trees) encoding.pictures.push_back(tree.pictures[v]);
    encoding.progress = [&](std::size_t done) {
      progress.tell(v * list.trees.size() + done,
                    fmt::format("{}, encoding {}", folder.filename().string(), list.views[v]));
    };
    const std::vector<std::vector<float>> rows = engine_studies().encode_pictures(encoding);
    std::vector<float> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    write_npy((folder / (list.views[v] + ".npy")).string(), values, rows.size(), rows[0].size());
  }
  write_labels(folder / "labels.csv", list.trees);
}

}  // namespace

std::vector<std::string> encoders_of(const TreesOptions& options) {
  if (options.encoder.empty()) return {};
  return split_column_list({options.encoder}, {});
}

std::vector<std::string> encoders_to_run(const TreesOptions& options, const std::string& data) {
  std::vector<std::string> encoders = encoders_of(options);
  if (encoders.empty()) return encoders;
  const PictureSummary pictures = summarize_pictures(data, options);
  std::erase_if(encoders, [&](const std::string& encoder) {
    const Json description = describe(options, encoder, pictures);
    return !finished_encoding(folder_of(data, encoder), description).is_null();
  });
  return encoders;
}

bool trees_need_engine(const TreesOptions& options, const std::string& data) {
  return !encoders_to_run(options, data).empty();
}

void encode_missing_sets(const TreesOptions& options, const DataStudyContext& run, BadFiles& bad) {
  if (options.encoder.empty()) return;
  if (options.shorter_side < options.picture_side) {
    throw ConfigError(fmt::format(
        "--shorter-side {}: expected {} or more, the side of the square that is cut out "
        "(--picture-side).",
        options.shorter_side, options.picture_side));
  }
  const PictureSummary pictures = summarize_pictures(run.data, options);
  std::set<std::string> known;  // two encoders leave out the same trees
  const auto leave_out = [&](const Json& left_out) {
    for (const Json& each : left_out) {
      const std::string what = each.at("what");
      if (known.insert(what).second) bad.add(what, each.at("reason"));
    }
  };
  for (const std::string& encoder : encoders_of(options)) {
    const Json description = describe(options, encoder, pictures);
    const fs::path folder = folder_of(run.data, encoder);
    const Json finished = finished_encoding(folder, description);
    if (!finished.is_null()) {
      leave_out(finished.at("left_out"));
      continue;
    }
    if (run.run.processes != nullptr && run.run.processes->size() > 1) {
      throw ConfigError(
          "Several processes cannot encode pictures.\n  Run the study once in one process: what it "
          "encodes is kept, and later runs may have several.");
    }
    BadFiles unusable;
    PictureList list = list_pictures(run.data, options, unusable);
    check_pictures(list, options, run.run, unusable);
    leave_out(unusable.json());
    bad.throw_unless_skipped(run.skip_bad, "tree");
    if (list.trees.empty()) {
      throw DataError(fmt::format("{}: no tree is left: none has usable pictures in every view.",
                                  pictures_folder(run.data)));
    }
    require_ours(folder, encoder);
    write_description(folder, {{"made_of", description}});
    encode(options, encoder, list, folder, run.run);
    write_description(folder, {{"made_of", description}, {"left_out", unusable.json()}});
  }
}

}  // namespace knockout::experiments
