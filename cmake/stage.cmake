# knockout_precompile(TARGET HEADERS... | REUSE_FROM OTHER): headers that take long to compile and that
# most files of the target include, compiled once. The options are what ccache needs to cache files
# that use them.
function(knockout_precompile target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                         $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# Every test program has the same ones, but for those that use LibTorch (cmake/nn.cmake).
if(KNOCKOUT_TESTS)
  file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cpp "")
  add_library(knockout_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(knockout_test_headers PRIVATE knockout_settings GTest::gtest_main)
  target_compile_definitions(knockout_test_headers PRIVATE KNOCKOUT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(knockout_test_headers PRIVATE ${quick_to_compile})
  knockout_precompile(knockout_test_headers <gtest/gtest.h> <nlohmann/json.hpp> <fmt/format.h>)
endif()

# knockout_prepare_test(TARGET): what all of them are compiled with. A test finds optional data at
# ../shared/data of the source folder, or where the environment variable KNOCKOUT_SHARED_DATA says.
function(knockout_prepare_test target)
  target_compile_definitions(${target} PRIVATE KNOCKOUT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE knockout_settings GTest::gtest_main)
  target_compile_options(${target} PRIVATE ${quick_to_compile})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 6)  # quicker to change
endfunction()

# knockout_add_stage(NAME FOLDER [BELOW...]): the sources of FOLDER as the object library
# knockout_NAME, its *_test.cpp as the program NAME_test and the ctest test NAME. BELOW are the
# stages it stands on; what they stand on follows. A folder without sources adds nothing.
function(knockout_add_stage name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/torch_[^/]*\\.cpp$")  # those use the engine: cmake/nn.cmake
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main|/main_nn)\\.cpp$")

  set(below ${ARGN})
  foreach(stage IN LISTS ARGN)
    list(APPEND below ${knockout_${stage}_below})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set(knockout_${name}_below ${below} PARENT_SCOPE)
  if(NOT sources)
    return()
  endif()

  add_library(knockout_${name} OBJECT ${sources})
  target_link_libraries(knockout_${name} PUBLIC knockout_settings)
  if(tests AND KNOCKOUT_TESTS)
    add_executable(${name}_test ${tests})
    knockout_prepare_test(${name}_test)
    if(NOT name STREQUAL "nn")
      knockout_precompile(${name}_test REUSE_FROM knockout_test_headers)
    endif()
    foreach(stage IN ITEMS ${name} LISTS below)
      if(TARGET knockout_${stage})
        target_link_libraries(${name}_test PRIVATE knockout_${stage})
      endif()
    endforeach()
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 300)
  endif()
endfunction()
