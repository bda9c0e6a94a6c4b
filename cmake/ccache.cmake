# ccache when present. The base directory makes paths relative in its keys, so that a fresh clone in
# another folder still finds what an earlier one compiled; the sloppiness is what it asks for to cache
# files that use a precompiled header.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
