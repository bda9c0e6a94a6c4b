// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/genera.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "experiments/engine_studies.h"
#include "experiments/genera/picture_encoding.h"
#include "experiments/genera/training.h"
#include "experiments/genera/view_set.h"
#include "experiments/test_text.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "media/arrays/npy_writer.h"
#include "media/image/imagenet.h"
#include "media/image/picture.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own, empty.
fs::path fresh_folder() {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder =
      fs::path(testing::TempDir()) / fmt::format("{}_{}", test->test_suite_name(), test->name());
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

/// A view whose row r, column c holds 10 r + c.
void write_view(const fs::path& path, std::size_t rows, std::size_t columns, int bad_row = -1) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns; ++c) {
      values.push_back(
          static_cast<int>(row) == bad_row && c == 1 ? kNan : static_cast<float>(10 * row + c));
    }
  }
  fs::create_directories(path.parent_path());
  write_npy(path.string(), values, rows, columns);
}

/// What the call complains about; "" if it does not.
template <typename Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<ViewSet> read(const fs::path& folder, BadFiles& bad, ViewSetOptions options = {}) {
  return read_view_sets(folder.string(), options, bad);
}

std::string complaint_about(const fs::path& folder, const ViewSetOptions& options = {}) {
  return complaint([&] {
    BadFiles bad;
    read(folder, bad, options);
  });
}

TEST(ViewSet, KeepsTheMostFrequentClassesAndTheirRows) {
  const fs::path folder = fresh_folder();
  write_view(folder / "street.npy", 6, 2);
  write_view(folder / "aerial.npy", 6, 3);
  write_npy((folder / "labels.npy").string(), std::vector<std::int64_t>{4, 9, 7, 7, 9, 9});
  BadFiles bad;
  const std::vector<ViewSet> sets = read(folder, bad, {.classes = 2});
  ASSERT_EQ(sets.size(), 1U);
  const ViewSet& set = sets[0];
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(set.classes, (std::vector<std::string>{"9", "7"}));
  EXPECT_EQ(set.labels, (std::vector<int>{0, 1, 1, 0, 0}));
  EXPECT_EQ(set.other_rows, 1U);
  ASSERT_EQ(set.views.size(), 2U);
  EXPECT_EQ(set.views[0].name, "aerial");
  EXPECT_EQ(set.views[0].width, 3U);
  EXPECT_EQ(set.views[1].values,
            (std::vector<float>{10, 11, 20, 21, 30, 31, 40, 41, 50, 51}));  // row 0 is gone
}

TEST(ViewSet, ReadsFoldersOfFeaturesThatShareNamedLabelsAndASplit) {
  const fs::path folder = fresh_folder();
  for (const std::string set : {"resnet50", "vit_b_16"}) {
    write_view(folder / set / "aerial.npy", 3, 2);
    write_view(folder / set / "street.npy", 3, 2);
  }
  write_text(folder / "labels.csv", "id,genus,split\n1,acer,train\n2,tilia,val\n3,acer,test\n");
  BadFiles bad;
  const std::vector<ViewSet> sets = read(folder, bad);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[1].name, "vit_b_16");
  EXPECT_EQ(sets[1].classes, (std::vector<std::string>{"acer", "tilia"}));
  EXPECT_EQ(sets[1].parts, (std::vector<Part>{Part::kTraining, Part::kValidation, Part::kTest}));
  EXPECT_EQ(read(folder, bad, {.sets = {"resnet50"}}).size(), 1U);
  EXPECT_TRUE(contains(complaint_about(folder, {.sets = {"resnet"}}), "resnet50"));
  EXPECT_TRUE(contains(complaint_about(folder, {.views = {"aerial", "stret"}}), "\"street\""));
}

TEST(ViewSet, NamesTheFileWhoseRowsAreNotThoseOfTheLabels) {
  const fs::path folder = fresh_folder();
  write_view(folder / "aerial.npy", 4, 2);
  write_view(folder / "street.npy", 3, 2);
  write_npy((folder / "labels.npy").string(), std::vector<std::int64_t>{0, 1, 0, 1});
  const std::string message = complaint_about(folder);
  EXPECT_TRUE(contains(message, (folder / "street.npy").string())) << message;
  EXPECT_TRUE(contains(message, "3 rows")) << message;
  EXPECT_TRUE(contains(message, "4 labels")) << message;
}

TEST(ViewSet, ListsRowsThatCannotBeUsedAndLeavesThemOut) {
  const fs::path folder = fresh_folder();
  write_view(folder / "aerial.npy", 5, 2, 3);
  write_view(folder / "street.npy", 5, 2);
  write_npy((folder / "labels.npy").string(), std::vector<std::int64_t>{0, 1, -1, 0, 1});
  BadFiles bad;
  const ViewSet set = read(folder, bad)[0];
  EXPECT_EQ(set.labels, (std::vector<int>{1, 0, 0}));  // "1" is the more frequent one now
  EXPECT_EQ(set.views[0].values, (std::vector<float>{0, 1, 10, 11, 40, 41}));
  ASSERT_EQ(bad.size(), 2U);
  const std::string message = complaint([&] { bad.throw_unless_skipped(false, "tree"); });
  EXPECT_TRUE(contains(message, "labels.npy, row 3: label -1 is out of range")) << message;
  EXPECT_TRUE(contains(message, "aerial.npy, row 4: column 2 is not a finite number")) << message;
}

TEST(ViewSet, SaysWhatIsMissing) {
  const fs::path folder = fresh_folder();
  EXPECT_TRUE(contains(complaint_about(folder), "there are no views"));
  EXPECT_TRUE(contains(complaint_about(folder / "nowhere"), "is not a folder"));
  write_view(folder / "aerial.npy", 2, 2);
  EXPECT_TRUE(contains(complaint_about(folder), "at least two views"));
  write_view(folder / "street.npy", 2, 2);
  EXPECT_TRUE(contains(complaint_about(folder), "labels.npy"));
  write_npy((folder / "labels.npy").string(), std::vector<std::int64_t>{5, 5});
  EXPECT_TRUE(contains(complaint_about(folder), "fewer than two classes"));
  write_npy((folder / "labels.npy").string(), std::vector<std::int64_t>{5, 6});
  EXPECT_EQ(complaint_about(folder), "");
  write_npy((folder / "split.npy").string(), std::vector<std::int64_t>{0, 3});
  EXPECT_TRUE(contains(complaint_about(folder), "split.npy, row 2"));
  fs::remove(folder / "split.npy");
  write_text(folder / "street.npy", "no matrix");
  EXPECT_TRUE(contains(complaint_about(folder), "street.npy: this is no NumPy file"));
}

TEST(ViewSet, ReadsTablesThatWereAskedForWithLabelsOfAnotherName) {
  const fs::path folder = fresh_folder();
  write_text(folder / "gene.csv", "\"A.1\",B\n-0.5,1\n2,3\n4,\n5,6\n");
  write_text(folder / "lipid.csv", "C\n0.25\n2\n3\n4\n");
  write_text(folder / "diet.csv", "\"diet\"\n\"sun\"\n\"fish\"\n\"sun\"\n\"sun\"\n");
  EXPECT_TRUE(view_set_folders(folder.string()).empty()) << "no table is a view by itself";
  BadFiles bad;
  const ViewSet set = read(folder, bad, {.views = {"lipid", "gene"}, .labels = "diet"})[0];
  ASSERT_EQ(set.views.size(), 2U);
  EXPECT_EQ(set.views[0].values, (std::vector<float>{0.25F, 2, 4}));
  EXPECT_EQ(set.views[1].values, (std::vector<float>{-0.5F, 1, 2, 3, 5, 6}));
  EXPECT_EQ(set.classes, (std::vector<std::string>{"sun", "fish"}));
  EXPECT_EQ(bad.size(), 1U) << "the row with a gap";
  EXPECT_TRUE(contains(complaint_about(folder, {.views = {"gene", "diet"}, .labels = "diet"}),
                       "column \"diet\": holds text"));
  EXPECT_TRUE(contains(complaint_about(folder, {.views = {"gene", "lipid"}}), "--labels"));
}

TEST(TreesScore, IsTheF1OfPaperAndPencil) {
  // Class 0: 2 hits, 3 there, 2 named: 4/5. Class 1: 1 hit, 1 there, 3 named: 2/4.
  // Class 2: 0 hits, 1 there, 0 named: 0. Class 3: neither there nor named.
  const std::vector<int> truth = {0, 0, 0, 1, 2}, predicted = {0, 0, 1, 1, 1};
  EXPECT_DOUBLE_EQ(f1_score(truth, predicted, 4, "macro"), (0.8 + 0.5 + 0.0) / 3);
  EXPECT_DOUBLE_EQ(f1_score(truth, predicted, 4, "weighted"), (3 * 0.8 + 1 * 0.5 + 0.0) / 5);
  EXPECT_DOUBLE_EQ(f1_score(truth, predicted, 4, "micro"), 0.6);
}

/// Two narrow views that both tell the class, with some noise.
ViewSet two_views(std::size_t rows) {
  const Random random(5, Stream::kSimulation);
  ViewSet set{.name = "made_up",
              .views = {{"a", 20, {}}, {"b", 3, {}}},
              .classes = {"x", "y"},
              .labels = {},
              .parts = {}};
  for (std::uint32_t row = 0; row < rows; ++row) {
    const int label = random.bits(0, row, 0) % 3 == 0 ? 1 : 0;
    set.labels.push_back(label);
    for (View& view : set.views) {
      for (std::uint32_t c = 0; c < view.width; ++c) {
        view.values.push_back(static_cast<float>(2 * label + random.normal(view.width, row, c)));
      }
    }
  }
  return set;
}

TEST(TreesSplit, GivesEveryClassItsShareAndAnotherSeedOtherRows) {
  const ViewSet set = two_views(200);
  const std::vector<Part> parts = split_rows(set, 0.2, 0.3, 1);
  for (const int label : {0, 1}) {
    double rows = 0, test = 0, validation = 0;
    for (std::size_t row = 0; row < set.rows(); ++row) {
      if (set.labels[row] != label) continue;
      rows += 1;
      test += parts[row] == Part::kTest;
      validation += parts[row] == Part::kValidation;
    }
    EXPECT_EQ(test, std::round(0.3 * rows));
    EXPECT_EQ(validation, std::round(0.2 * rows));
  }
  EXPECT_EQ(parts, split_rows(set, 0.2, 0.3, 1));
  EXPECT_NE(parts, split_rows(set, 0.2, 0.3, 2));
}

TEST(TreesTraining, PutsZerosInPlaceOfViewsAndKnocksOutWhatTheMethodSays) {
  const ViewSet set = two_views(100);
  TreesOptions options;
  options.hidden = {4};
  options.steps = 2;
  const std::vector<Part> parts = split_rows(set, 0.2, 0.2, 0);
  const double paper = 1 - std::sqrt(0.5);                 // half of the rows keep both views
  const double of_features = 1 - std::pow(0.5, 1.0 / 23);  // or all of their features
  struct Expected {
    std::string method;
    std::size_t units;
    double rate;
  };
  for (const auto& [method, units, rate] :
       {Expected{kCommonBaseline, 2, 0}, Expected{kKnockoutFeatures, 23, of_features},
        Expected{kKnockoutStructured, 2, paper}}) {
    const Model model = fit_views(set, parts, method, options, 0, {}, {}).model;
    EXPECT_EQ(model.encoder().width(), 23) << method;
    EXPECT_EQ(model.encoder().missing_values(), std::vector<float>(23, 0.0F)) << method;
    ASSERT_EQ(model.encoder().units().size(), units) << method;
    for (const double found : model.plan().expected_rates()) EXPECT_NEAR(found, rate, 1e-9);
  }
  options.feature_rate = "same";
  const Model as_views = fit_views(set, parts, kKnockoutFeatures, options, 0, {}, {}).model;
  for (const double found : as_views.plan().expected_rates()) EXPECT_NEAR(found, paper, 1e-9);
}

TEST(TreesPatterns, AreAllCombinationsThatLeaveAView) {
  ViewSet set = two_views(4);
  EXPECT_EQ(view_patterns(set).size(), 3U);
  set.views.push_back({"c", 1, {}});
  EXPECT_EQ(view_patterns(set).size(), 7U);
}

/// The study with a small network.
DataStudy small_study(const std::vector<std::pair<std::string, nlohmann::json>>& settings = {}) {
  DataStudy study = make_trees_study();
  for (const Setting& setting : study.settings.all()) {
    for (const auto& wanted : settings) {
      if (wanted.first != setting.name) continue;
      std::visit([&](auto* field) { wanted.second.get_to(*field); }, setting.field);
    }
  }
  return study;
}

double mean_of(const StudyResult& result, const std::string& set, const std::string& method,
               const std::string& pattern) {
  return result.data.at("scores")
      .at(set)
      .at("methods")
      .at(method)
      .at("patterns")
      .at(pattern)
      .at("mean");
}

// That it finds the signal and no more is tested through the command (tests/studies).
TEST(Trees, ScoresEveryPatternOfSynthesizedViews) {
  const fs::path folder = fresh_folder();
  DataStudy study = small_study({{"sets", "vit_b_16"}, {"hidden", {16}}, {"steps", 40}});
  study.synthesize({.folder = folder.string(), .size = 200});
  DataStudyContext run{.data = folder.string(), .repetitions = 1};
  run.methods = {kCommonBaseline, kKnockoutStructured};
  const StudyResult result = study.run(run);
  for (const std::string pattern : {"aerial+street", "aerial", "street"}) {
    const double f1 = mean_of(result, "vit_b_16", kKnockoutStructured, pattern);
    EXPECT_TRUE(f1 >= 0 && f1 <= 1) << pattern << ' ' << f1;
  }
  const auto& gain = result.data.at("scores").at("vit_b_16").at("gain_over").at(kCommonBaseline);
  EXPECT_TRUE(gain.contains("missing") && gain.contains("complete")) << gain;
  EXPECT_EQ(result.data.at("sets").at("vit_b_16").at("views").at("aerial"), 768);
  EXPECT_NE(result.journal, nullptr);
}

TEST(Trees, ReadsTheSixViewsOfTheDigits) {
  const char* const given = std::getenv("KNOCKOUT_SHARED_DATA");
  const fs::path root = given != nullptr
                            ? fs::path(given)
                            : fs::path(__FILE__).parent_path() / "../../../shared/data";
  const fs::path folder = root / "multiview/mfeat";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no views in " << folder;
  BadFiles bad;
  const ViewSet set = read(folder, bad)[0];
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(set.rows(), 2000U);
  EXPECT_EQ(set.classes.size(), 10U);
  std::vector<std::size_t> widths;
  for (const View& view : set.views) widths.push_back(view.width);
  EXPECT_EQ(widths, (std::vector<std::size_t>{216, 76, 64, 6, 240, 47}));
  EXPECT_EQ(view_patterns(set).size(), 63U);
}

/// Writes a picture of one colour.
void write_colour(const fs::path& path, std::uint8_t red) {
  fs::create_directories(path.parent_path());
  Picture picture{.width = 4, .height = 4, .rgb = std::vector<std::uint8_t>(48, red)};
  write_png(picture, path.string());
}

int encoded_pictures = 0;

/// Stands for the engine: the red of a picture's first pixel, and its double.
std::vector<std::vector<float>> encode_red(const PictureEncoding& encoding) {
  std::vector<std::vector<float>> rows;
  for (const PicturePlace& place : encoding.pictures) {
    const Picture picture = decode_picture(read_picture_bytes(place), place.name());
    const auto red = static_cast<float>(picture.rgb[0]);
    rows.push_back({red, 2 * red});
    ++encoded_pictures;
  }
  return rows;
}

TEST(Trees, EncodesPicturesOnceAndListsTreesWithoutAllOfThem) {
  const fs::path folder = fresh_folder();
  for (int tree = 0; tree < 40; ++tree) {
    const std::string name = fmt::format("{}/{:02}.png", tree % 2 == 0 ? "acer" : "tilia", tree);
    const auto red = static_cast<std::uint8_t>(tree % 2 == 0 ? tree : 200 + tree);
    write_colour(folder / "images/aerial" / name, red);
    if (tree != 7) write_colour(folder / "images/street" / name, red);
  }
  write_text(folder / "images/street/acer/08.png", "no picture");
  write_text(folder / "red.pt", "what the encoder is");
  EngineStudies engine;
  engine.encode_pictures = encode_red;
  engine.picture_planes = imagenet_planes;
  set_engine_studies(engine);

  const std::string encoder = (folder / "red.pt").string();
  DataStudy study = small_study({{"encoder", encoder}, {"hidden", {4}}, {"steps", 20}});
  DataStudyContext run{.data = folder.string(), .repetitions = 1};
  EXPECT_TRUE(study.needs_engine(run.data));
  EXPECT_EQ(study.programs(run.data), std::vector<std::string>{encoder});
  const std::string message = complaint([&] { study.run(run); });
  EXPECT_TRUE(contains(message, (folder / "images/street/tilia/07").string())) << message;
  EXPECT_TRUE(contains(message, (folder / "images/street/acer/08.png").string())) << message;
  EXPECT_EQ(encoded_pictures, 0);

  run.skip_bad = true;
  StudyResult result = study.run(run);
  EXPECT_EQ(encoded_pictures, 2 * 38);
  EXPECT_EQ(result.data.at("sets").at("red").at("rows"), 38);
  EXPECT_EQ(result.data.at("bad").size(), 2U);
  BadFiles bad;
  const ViewSet set = read(folder, bad)[0];
  EXPECT_EQ(set.classes, (std::vector<std::string>{"acer", "tilia"}));
  EXPECT_EQ(set.views[1].values[2], 2.0F);  // the second tree of acer is 02
  EXPECT_EQ(set.views[1].values[3], 4.0F);

  EXPECT_FALSE(study.needs_engine(run.data));
  EXPECT_TRUE(study.programs(run.data).empty()) << "nothing is left to be loaded";
  result = study.run(run);
  EXPECT_EQ(encoded_pictures, 2 * 38);
  EXPECT_EQ(result.data.at("bad").size(), 2U);
  const fs::path picture = folder / "images/aerial/acer/02.png";
  fs::last_write_time(picture, fs::last_write_time(picture) + std::chrono::seconds(1));
  EXPECT_TRUE(study.needs_engine(run.data));  // as large as before, yet another picture
  study.run(run);
  EXPECT_FALSE(study.needs_engine(run.data));
  write_text(folder / "red.pt", "another encoder");
  EXPECT_TRUE(study.needs_engine(run.data));
  set_engine_studies({});
}

/// Pictures in two views, and what is enough of an encoder to come to the check of the pictures.
class UnencodedTrees : public testing::Test {
 protected:
  UnencodedTrees() { set_engine_studies({.picture_planes = imagenet_planes}); }
  ~UnencodedTrees() override { set_engine_studies({}); }
  void write_trees(const Picture& picture) {
    for (const std::string place : {"aerial/acer", "street/acer", "aerial/tilia", "street/tilia"}) {
      fs::create_directories(folder_ / "images" / place);
      write_png(picture, (folder_ / "images" / place / "1.png").string());
    }
    write_text(folder_ / "red.pt", "what the encoder is");
  }
  std::string complaint_of(std::vector<std::pair<std::string, nlohmann::json>> settings = {}) {
    settings.emplace_back("encoder", (folder_ / "red.pt").string());
    return complaint([&] { small_study(settings).run(run_); });
  }

  const fs::path folder_ = fresh_folder();
  DataStudyContext run_{.data = folder_.string(), .repetitions = 1, .skip_bad = true};
};

TEST_F(UnencodedTrees, EndWithTheirFolderWhenNoPictureCanBeUsed) {
  const Picture hairline{.width = 2, .height = 20000, .rgb = std::vector<std::uint8_t>(120000)};
  write_trees(hairline);
  const std::string skipping = complaint_of();
  EXPECT_TRUE(contains(skipping, (folder_ / "images").string() + ": no tree is left")) << skipping;
  run_.skip_bad = false;
  std::size_t told = 0;
  run_.run.progress = [&](const StudyContext::Progress& progress) { told = progress.done; };
  const std::string message = complaint_of();
  const std::string path = (folder_ / "images/aerial/tilia/1.png").string();
  EXPECT_TRUE(contains(message, path + ": a picture of 2 x 20000 pixels")) << message;
  EXPECT_EQ(told, 2U);
}

TEST_F(UnencodedTrees, RefuseASquareLargerThanThePictureItIsCutFrom) {
  write_trees({.width = 4, .height = 4, .rgb = std::vector<std::uint8_t>(48)});
  EXPECT_TRUE(contains(complaint_of({{"shorter-side", 200}}), "--shorter-side 200: expected 224"));
}

}  // namespace
}  // namespace knockout::experiments
