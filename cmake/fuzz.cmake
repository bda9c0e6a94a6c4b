# Every fuzz/NAME.cpp defines LLVMFuzzerTestOneInput and becomes the program NAME. The preset `fuzz`
# makes fuzzers of them, with Clang's libFuzzer, and instruments the library too. Every other build
# with tests makes programs that only run the inputs they are given. In both, the test NAME runs the
# target's own seeds and what fuzzing has found before: fuzz/seeds/NAME/.
if(KNOCKOUT_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "KNOCKOUT_FUZZ needs Clang's libFuzzer: use `cmake --preset fuzz`.")
endif()
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.cpp)
if(NOT KNOCKOUT_FUZZ)
  add_library(knockout_fuzz_replay OBJECT ${PROJECT_SOURCE_DIR}/fuzz/shared/replay.cpp)
  target_link_libraries(knockout_fuzz_replay PRIVATE knockout_settings)
endif()
foreach(source IN LISTS fuzzers)
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE KNOCKOUT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE knockout_settings knockout_library ${media_libraries})
  if(KNOCKOUT_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_compile_options(${name} PRIVATE ${quick_to_compile})
    target_link_libraries(${name} PRIVATE knockout_fuzz_replay)
    # What the precompiled headers were compiled with, without which the compiler passes them over.
    target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_DEFINITIONS>)
    knockout_precompile(${name} REUSE_FROM knockout_test_headers)
  endif()
  if(KNOCKOUT_TESTS)
    add_test(NAME ${name} COMMAND bash ${PROJECT_SOURCE_DIR}/fuzz/shared/run_seeds $<TARGET_FILE:${name}>)
    set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 300)
  endif()
endforeach()
# What can be read of LibTorch's checkpoints without LibTorch.
target_sources(checkpoint_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/src/knockout/nn/training/checkpoint_content.cpp)
