# The two commands a newcomer needs are `make demo` and `make test`. CMake does the work; this file
# installs what is missing and chooses the preset.
JOBS ?= $(shell nproc)

# The fuzzers of `make deep` run for so long each.
FUZZ_SECONDS ?= 600

.PHONY: help demo test build bench asan tsan deep format lint setup setup-test setup-nn setup-bench setup-lint clean
.NOTPARALLEL:

help:
	@echo "make demo     install what is needed, build the command, run the paper's simulation"
	@echo "make test     install what is needed, LibTorch too, build, run every test"
	@echo "make build    leave the command at build/knockout"
	@echo "make bench    measure speed beside the rivals"
	@echo "make asan     fast tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan     fast tests under the thread sanitizer"
	@echo "make deep     what a release needs beyond .ci/run; hours. FUZZ_SECONDS=600 for each fuzzer"
	@echo "make format   clang-format every source"
	@echo "make lint     clang-tidy every source, or FILES=..."
	@echo "make clean    remove every build folder"

# The command alone: no tests, no LibTorch.
demo: setup build/build.ninja
	cmake --build --preset release -j $(JOBS) --target knockout
	build/knockout demo

# The command, and knockout-nn beside it where there is LibTorch.
build: setup build/build.ninja
	cmake --build --preset release -j $(JOBS) --target command

# Configured anew: `make demo` had no tests, and LibTorch may have come after it.
test: setup-nn
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

asan tsan: %: setup-test build-%/build.ninja
	cmake --build --preset $@ -j $(JOBS)
	ctest --preset $@ -j $(JOBS)

bench: setup-bench build-bench/build.ninja
	cmake --build --preset bench -j $(JOBS)
	scripts/bench build-bench

deep:
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/deep

format: setup-lint
	scripts/format

lint: setup-nn setup-lint build-debug/build.ninja build-asan/build.ninja
	scripts/lint $(FILES)

setup:
	@scripts/setup build

setup-test:
	@scripts/setup build test media

setup-nn:
	@scripts/setup build test media nn

setup-bench:
	@scripts/setup build media nn bench

setup-lint:
	@scripts/setup lint

clean:
	rm -rf build build-*

# Configured once per preset; afterwards Ninja notices changed and new files by itself.
build/build.ninja: CMakePresets.json
	cmake --preset release -DKNOCKOUT_TESTS=OFF
	@touch $@

build-%/build.ninja: CMakePresets.json
	cmake --preset $*
	@touch $@
