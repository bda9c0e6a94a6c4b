# The library, its headers, the command, and what find_package(knockout) reads.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/knockout)

install(TARGETS knockout_library EXPORT knockout-targets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Public headers only; the component nn has its own.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/public_headers.txt)
file(STRINGS cmake/public_headers.txt public_headers REGEX "^knockout/")
foreach(header IN LISTS public_headers)
  if(header MATCHES "^knockout/nn/" AND NOT TARGET knockout_nn_library)
    continue()
  endif()
  cmake_path(GET header PARENT_PATH folder)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/knockout/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knockout/base)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/knockout-config.cmake.in knockout-config.cmake
                              INSTALL_DESTINATION ${package_directory})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(knockout-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT knockout-targets NAMESPACE knockout:: DESTINATION ${package_directory})
install(FILES ${PROJECT_BINARY_DIR}/knockout-config.cmake
              ${PROJECT_BINARY_DIR}/knockout-config-version.cmake
        DESTINATION ${package_directory})

# The LibTorch engine is a component, so that the rest can be used without LibTorch.
if(TARGET knockout_nn_library)
  install(TARGETS knockout_nn_library EXPORT knockout-nn-targets)
  install(EXPORT knockout-nn-targets NAMESPACE knockout:: DESTINATION ${package_directory})
endif()
