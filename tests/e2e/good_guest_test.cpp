// SPDX-License-Identifier: Apache-2.0
// The library is a guest in the program that uses it: what it finds there, it leaves as it was.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <locale>
#include <string>
#include <vector>

#include "knockout/base/rendezvous.h"
#include "knockout/knockout.h"

namespace knockout {
namespace {

/// What is shared by all of a program and by nobody owned.
struct Surroundings {
  std::vector<std::string> environment;
  char** environment_at = nullptr;
  int openmp_threads = 0;
  bool operator==(const Surroundings&) const = default;
};

class GoodGuest : public testing::Test {
 protected:
  void SetUp() override {
    void* const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) GTEST_SKIP() << "there is no OpenMP";
    set_threads_ = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    get_threads_ = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
    ASSERT_TRUE(set_threads_ != nullptr && get_threads_ != nullptr);
    set_threads_(7);
    before_ = look();
    ASSERT_EQ(before_.openmp_threads, 7);
  }

  Surroundings look() const {
    Surroundings found{.environment_at = environ, .openmp_threads = get_threads_()};
    for (char** entry = environ; *entry != nullptr; ++entry) found.environment.emplace_back(*entry);
    return found;
  }

  static Table flowers() {
    std::string csv = "petal,sepal,colour,species\n";
    for (int i = 0; i < 120; ++i) {
      const double size = 0.01 * (i % 20);
      csv += i % 2 == 0
                 ? std::to_string(1.4 + size) + ",5.0,white,small\n"
                 : std::to_string(5.1 + size) + "," + (i % 3 == 0 ? "" : "6.5") + ",,large\n";
    }
    return read_csv_text(csv, "flowers.csv");
  }

  void (*set_threads_)(int) = nullptr;
  int (*get_threads_)() = nullptr;
  Surroundings before_;
};

TEST_F(GoodGuest, LeavesNoTraceOfAFitAndAPrediction) {
  FitOptions options;
  options.schema.targets = {"species"};
  options.train.steps = 50;
  const FitResult fitted = fit(flowers(), options);
  EXPECT_EQ(look(), before_);
  const auto predictions = fitted.model.predict(flowers());
  EXPECT_EQ(predictions.front().rows(), 120U);
  EXPECT_EQ(look(), before_);
}

/// Numbers and letters as a program's own locale may write them.
struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// A program that speaks German or Turkish, as far as the machine knows how.
class ForeignLocale {
 public:
  ForeignLocale() : streams_(std::locale::global(std::locale(std::locale(), new Commas))) {
    for (const char* name : {"tr_TR.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
      if (setlocale(LC_ALL, name) != nullptr) return;
    }
  }
  ~ForeignLocale() {
    std::locale::global(streams_);
    setlocale(LC_ALL, "C");
  }
  ForeignLocale(const ForeignLocale&) = delete;
  ForeignLocale& operator=(const ForeignLocale&) = delete;

 private:
  std::locale streams_;
};

TEST_F(GoodGuest, WorksTheSameUnderTheLocaleOfItsHost) {
  const std::string csv = write_csv_text(flowers());
  const auto work = [&] {
    const Table table = read_csv_text(csv, "flowers.csv");
    FitOptions options;
    options.schema.targets = {"species"};
    options.train.steps = 50;
    const Model fitted = fit(table, options).model;
    const Model model = model_from_bytes(fitted.to_bytes());
    std::string all = model.to_bytes() + write_csv_text(predictions_to_table(model.predict(table)));
    for (const ImputerKind kind : imputer_kinds()) {
      all += fit_imputer(kind, table, model.schema())->to_bytes();
    }
    setenv("RANK", "0", 1);
    setenv("WORLD_SIZE", "2", 1);
    setenv("KNOCKOUT_TIMEOUT", "2.5", 1);
    all += std::to_string(rendezvous_from_environment()->timeout.count());
    for (const char* name : {"RANK", "WORLD_SIZE", "KNOCKOUT_TIMEOUT"}) unsetenv(name);
    return all;
  };
  const std::string expected = work();
  const ForeignLocale foreign;
  EXPECT_TRUE(work() == expected);
}

TEST_F(GoodGuest, LeavesNoTraceOfImputers) {
  Schema schema;
  schema.features = {{.name = "petal"},
                     {.name = "sepal"},
                     {.name = "colour", .kind = ColumnKind::kCategorical, .categories = {"white"}}};
  for (const ImputerKind kind : imputer_kinds()) {
    const auto imputer = fit_imputer(kind, flowers(), schema);
    EXPECT_EQ(look(), before_) << to_string(kind);
    EXPECT_EQ(imputer->apply(flowers()).rows(), 120U);
    EXPECT_EQ(look(), before_) << to_string(kind);
  }
}

}  // namespace
}  // namespace knockout
