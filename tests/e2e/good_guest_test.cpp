// SPDX-License-Identifier: Apache-2.0
// The library is a guest in the program that uses it: what it finds there, it leaves as it was.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

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
