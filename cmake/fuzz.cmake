# Every fuzz/NAME.cpp defines LLVMFuzzerTestOneInput and becomes the program NAME. The preset
# `fuzz` instruments the library too.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "KNOCKOUT_FUZZ needs Clang's libFuzzer: use `cmake --preset fuzz`.")
endif()
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.cpp)
foreach(source IN LISTS fuzzers)
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE knockout_settings knockout_library)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
