# make install: headers, libraries, command, man pages, completions, documents, pkg-config and CMake packages.
# What is installed finds its parts relative to itself, so the prefix may be chosen, and changed, afterwards.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quipu)

foreach(kind shared static)
    set_target_properties(quipu_${kind} PROPERTIES EXPORT_NAME quipu-${kind})
    install(TARGETS quipu_${kind} EXPORT quipu_${kind}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT quipu_${kind} NAMESPACE quipu:: FILE quipu-${kind}.cmake DESTINATION ${package_dir})
endforeach()
if(quipu_sql)
    install(TARGETS quipu_sqlite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET quipu_record_mpi)
    install(EXPORT quipu_mpi NAMESPACE quipu:: FILE quipu-mpi.cmake DESTINATION ${package_dir})
endif()
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

set(quipu_needs ${quipu_packages})
list(FILTER quipu_needs INCLUDE REGEX "^PkgConfig::")
list(TRANSFORM quipu_needs REPLACE "^PkgConfig::" "")
configure_package_config_file(cmake/quipu-config.cmake.in quipu-config.cmake INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(quipu-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quipu-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/quipu-config-version.cmake
    DESTINATION ${package_dir})

# An environment module: module use PREFIX/share/quipu/modulefiles && module load quipu.
file(RELATIVE_PATH prefix_from_modulefile /${CMAKE_INSTALL_DATADIR}/quipu/modulefiles/quipu/${PROJECT_VERSION} /)
configure_file(cmake/modulefile.in modulefile @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/quipu/modulefiles/quipu
    RENAME ${PROJECT_VERSION})
