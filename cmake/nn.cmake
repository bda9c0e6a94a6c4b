# The LibTorch engine: a stage like the others, but in a library of its own (knockout::nn), so that
# whoever does not need LibTorch does not load it. <torch/torch.h> takes half a minute to compile, so
# it is compiled once, here; knockout_use_nn lends it to whoever stands on the engine.
file(STRINGS cmake/stages.txt line REGEX "^nn:")
string(REGEX REPLACE "^nn: *" "" below "${line}")
separate_arguments(below)
knockout_add_stage(nn src/knockout/nn ${below})
if(NOT TARGET knockout_nn)
  return()
endif()
# The arithmetic is done inside LibTorch, so that more than -O1 only doubles the time to compile.
target_link_libraries(knockout_nn PUBLIC ${TORCH_LIBRARIES})
target_compile_options(knockout_nn PRIVATE ${quick_to_compile})
knockout_precompile(knockout_nn <torch/torch.h>)

add_library(knockout_nn_library STATIC $<TARGET_OBJECTS:knockout_nn>)
add_library(knockout::nn ALIAS knockout_nn_library)
set_target_properties(knockout_nn_library PROPERTIES OUTPUT_NAME knockout_nn EXPORT_NAME nn)
target_link_libraries(knockout_nn_library PUBLIC knockout_library ${TORCH_LIBRARIES})

function(knockout_use_nn target)
  target_link_libraries(${target} PRIVATE knockout_settings knockout_nn_library)
  target_compile_options(${target} PRIVATE ${quick_to_compile})
  knockout_precompile(${target} REUSE_FROM knockout_nn)
endfunction()

if(TARGET nn_test)
  knockout_precompile(nn_test REUSE_FROM knockout_nn)
  set_tests_properties(nn PROPERTIES LABELS nn)
endif()

# The parts of the paper's studies that train LibTorch networks: experiments/**/torch_*.cpp.
if(TARGET knockout_experiments)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS experiments/torch_*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  add_library(knockout_experiments_nn OBJECT ${sources})
  target_link_libraries(knockout_experiments_nn PUBLIC knockout_experiments knockout_experiments_media ${media_libraries})
  knockout_use_nn(knockout_experiments_nn)
  if(tests AND KNOCKOUT_TESTS)
    add_executable(experiments_nn_test ${tests})
    knockout_prepare_test(experiments_nn_test)
    target_link_libraries(experiments_nn_test PRIVATE knockout_experiments_nn knockout_experiments
                          knockout_experiments_media ${media_libraries})
    knockout_use_nn(experiments_nn_test)
    add_test(NAME experiments_nn COMMAND experiments_nn_test)
    set_tests_properties(experiments_nn PROPERTIES LABELS nn TIMEOUT 300)
  endif()
endif()

# The command with the engine in it, which `knockout` starts when it is needed (cli/engine.h).
if(TARGET knockout)
  add_executable(knockout-nn cli/main_nn.cpp)
  target_link_libraries(knockout-nn PRIVATE knockout_cli knockout_experiments knockout_experiments_nn
                        knockout_experiments_media ${media_libraries} knockout_nn_library)
  add_dependencies(command knockout-nn)
  install(TARGETS knockout-nn DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/knockout)
endif()
