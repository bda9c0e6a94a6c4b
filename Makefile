# The two commands a newcomer needs are `make demo` and `make test`. CMake does the work; this file
# installs what is missing and chooses the preset.
JOBS ?= $(shell nproc)

.PHONY: help demo test build bench asan tsan format lint setup setup-nn setup-bench setup-lint clean
.NOTPARALLEL:

help:
	@echo "make demo     install what is needed, build, run the paper's simulation"
	@echo "make test     install what is needed, LibTorch too, build, run every test"
	@echo "make build    leave the command at build/knockout"
	@echo "make bench    measure speed beside the rivals"
	@echo "make asan     fast tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan     fast tests under the thread sanitizer"
	@echo "make format   clang-format every source"
	@echo "make lint     clang-tidy every source, or FILES=..."
	@echo "make clean    remove every build folder"

demo: build
	build/knockout demo

# Configured anew, since LibTorch may have come after `make demo`.
test: setup-nn
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

build: setup build/build.ninja
	cmake --build --preset release -j $(JOBS)

asan tsan: %: setup build-%/build.ninja
	cmake --build --preset $@ -j $(JOBS)
	ctest --preset $@ -j $(JOBS)

bench: setup-bench build-bench/build.ninja
	cmake --build --preset bench -j $(JOBS)
	scripts/bench build-bench

format: setup-lint
	scripts/format

lint: build-debug/build.ninja setup-lint
	scripts/lint $(FILES)

setup:
	@scripts/setup build

setup-nn:
	@scripts/setup build nn

setup-bench:
	@scripts/setup build nn bench

setup-lint:
	@scripts/setup lint

clean:
	rm -rf build build-debug build-asan build-tsan build-bench build-fuzz

# Configured once per preset; afterwards Ninja notices changed and new files by itself.
build/build.ninja: CMakePresets.json
	cmake --preset release
	@touch $@

build-%/build.ninja: CMakePresets.json
	cmake --preset $*
	@touch $@
