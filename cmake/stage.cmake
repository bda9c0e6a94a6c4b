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
    # A test finds optional data at ../shared/data of the source folder, or where the environment
    # variable KNOCKOUT_SHARED_DATA says.
    target_compile_definitions(${name}_test PRIVATE KNOCKOUT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${quick_to_compile})
    foreach(stage IN ITEMS ${name} LISTS below)
      if(TARGET knockout_${stage})
        target_link_libraries(${name}_test PRIVATE knockout_${stage})
      endif()
    endforeach()
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 300)
  endif()
endfunction()
