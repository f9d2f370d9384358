# make install: headers, libraries, command, man pages, completions, documents, pkg-config and CMake packages.
# What is installed finds its parts relative to itself, so the prefix may be chosen, and changed, afterwards.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Quipu)

set_target_properties(quipu_shared PROPERTIES EXPORT_NAME quipu)
set_target_properties(quipu_static PROPERTIES EXPORT_NAME quipu-static)
foreach(kind shared static)
    install(TARGETS quipu_${kind} EXPORT quipu_${kind}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT quipu_${kind} NAMESPACE quipu:: FILE Quipu-${kind}.cmake DESTINATION ${package_dir})
endforeach()
install(DIRECTORY include/quipu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS quipu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${share_dir}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}
    PATTERN stamp EXCLUDE)
file(GLOB documents CONFIGURE_DEPENDS *.md LICENSE)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The drop-in libraries and commands may shadow the originals, so they are a component of their own (make install-compat).

file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
list(JOIN quipu_modules " " pc_modules)
configure_file(cmake/quipu.pc.in quipu.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quipu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/QuipuConfig.cmake.in QuipuConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(QuipuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/QuipuConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/QuipuConfigVersion.cmake
    DESTINATION ${package_dir})
