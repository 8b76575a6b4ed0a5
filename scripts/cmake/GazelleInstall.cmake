# What `cmake --install` puts where: the archives, their headers, gazelle-hub, and the files by which find_package(gazellemq) and
# pkg-config find them. Everything installed may be moved as a whole.
option(GAZELLEMQ_INSTALL "Install the libraries and the hub" ${PROJECT_IS_TOP_LEVEL})
if(NOT GAZELLEMQ_INSTALL)
    return()
endif()
include(CMakePackageConfigHelpers)

install(TARGETS gazellemq_client gazellemq_hub EXPORT gazellemqTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS gazelle-hub RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET gazelle)
    install(TARGETS gazelle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Two ways to write it: <PublisherClient.hpp> with the targets' include directory, <gazellemq/PublisherClient.hpp> without.
set(includeDir ${CMAKE_INSTALL_INCLUDEDIR}/gazellemq)
install(DIRECTORY client_lib/include/ hub/include/ DESTINATION ${includeDir} FILES_MATCHING PATTERN "*.hpp")

set(packageDir ${CMAKE_INSTALL_LIBDIR}/cmake/gazellemq)
configure_package_config_file(scripts/cmake/gazellemqConfig.cmake.in gazellemqConfig.cmake INSTALL_DESTINATION ${packageDir})
write_basic_package_version_file(gazellemqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gazellemqConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/gazellemqConfigVersion.cmake
    DESTINATION ${packageDir})
install(EXPORT gazellemqTargets NAMESPACE gazellemq:: DESTINATION ${packageDir})

# The .pc files name everything from where they are; an absolute directory stays as it is.
set(pcDir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE absoluteLibDir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${absoluteLibDir}/pkgconfig OUTPUT_VARIABLE upToPrefix)
cmake_path(APPEND pcLibDir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pcIncludeDir "\${prefix}" ${includeDir})
foreach(part client hub)
    configure_file(scripts/cmake/gazellemq-${part}.pc.in gazellemq-${part}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gazellemq-${part}.pc DESTINATION ${pcDir})
endforeach()
