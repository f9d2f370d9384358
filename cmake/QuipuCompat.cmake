# What the drop-in libraries have in common. They and their commands may shadow the originals, so they are installed as a component
# of their own (make install-compat), and may have a folder of their own, from which quipu-compat-env runs programs.
set(QUIPU_COMPAT_FOLDER "" CACHE STRING "Folder below the prefix for the drop-in libraries and commands, for example lib/quipu/compat")

#     quipu_install_compat(TARGETS|FILES|... list [kind] DESTINATION folder)
function(quipu_install_compat)
    list(POP_BACK ARGN folder)
    if(QUIPU_COMPAT_FOLDER)
        string(PREPEND folder ${QUIPU_COMPAT_FOLDER}/)
    endif()
    install(${ARGN} ${folder} COMPONENT compat EXCLUDE_FROM_ALL)
endfunction()

if(QUIPU_COMPAT_FOLDER)
    file(RELATIVE_PATH compat_from_bin /${CMAKE_INSTALL_BINDIR} /${QUIPU_COMPAT_FOLDER})
    configure_file(compat/quipu-compat-env.in quipu-compat-env @ONLY)
    install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/quipu-compat-env DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compat EXCLUDE_FROM_ALL)
    configure_file(compat/quipu-compat-env.1.in quipu-compat-env.1 @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quipu-compat-env.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT compat EXCLUDE_FROM_ALL)
endif()

# lib<NAME>.so in build/compat/lib, installed. EXPORTS is a version script of the names that programs know.
#
#     quipu_add_compat_library(TARGET NAME VERSION v SOVERSION v SOURCES list [LINK list] [EXPORTS map])
function(quipu_add_compat_library target name)
    cmake_parse_arguments(ARG "" "VERSION;SOVERSION;EXPORTS" "SOURCES;LINK" ${ARGN})
    add_library(${target} SHARED ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE ${ARG_LINK})
    target_link_options(${target} PRIVATE LINKER:--as-needed)
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name} VERSION ${ARG_VERSION} SOVERSION ${ARG_SOVERSION} LINKER_LANGUAGE C
        LIBRARY_OUTPUT_DIRECTORY ${QUIPU_COMPAT_DIR}/lib)
    if(ARG_EXPORTS)
        set(map ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_EXPORTS})
        target_link_options(${target} PRIVATE LINKER:--version-script=${map})
        set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
    endif()
    if(NOT QUIPU_SANITIZE)
        target_link_options(${target} PRIVATE LINKER:-z,defs) # clang's sanitizers leave their symbols open
    endif()
    quipu_install_compat(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# lib<NAME>.a in build/compat/lib, installed. It has one object: the library's own objects and what they use of Quipu, with all names
# local but those that programs know. So it needs no archive of ours beside it, and can be linked beside any of them, also whole.
#
#     quipu_add_compat_archive(TARGET NAME OBJECTS list KEEP patterns)
function(quipu_add_compat_archive target name)
    cmake_parse_arguments(ARG "" "" "OBJECTS;KEEP" ${ARGN})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    set(archive ${QUIPU_COMPAT_DIR}/lib/lib${name}.a)
    list(TRANSFORM ARG_KEEP PREPEND "--keep-global-symbol=")
    add_custom_command(OUTPUT ${archive}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} ${ARG_OBJECTS} $<TARGET_FILE:quipu_static>
        COMMAND ${CMAKE_OBJCOPY} --wildcard ${ARG_KEEP} ${object}
        COMMAND ${CMAKE_OBJCOPY} --strip-unneeded ${object}
        COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
        COMMAND ${CMAKE_AR} rcs ${archive} ${object}
        DEPENDS ${ARG_OBJECTS} quipu_static
        COMMENT "Making lib${name}.a" COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${target} ALL DEPENDS ${archive})
    quipu_install_compat(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Headers in these folders of build/compat/include and of what is installed.
#
#     quipu_add_compat_headers(FOLDERS list HEADERS list)
function(quipu_add_compat_headers)
    cmake_parse_arguments(ARG "" "" "FOLDERS;HEADERS" ${ARGN})
    foreach(folder IN LISTS ARG_FOLDERS)
        foreach(header IN LISTS ARG_HEADERS)
            get_filename_component(name ${header} NAME)
            configure_file(${header} ${QUIPU_COMPAT_DIR}/include/${folder}/${name} COPYONLY)
        endforeach()
        quipu_install_compat(FILES ${ARG_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    endforeach()
endfunction()

# <NAME>.pc of the build and, with other folders, of what is installed. The folder with headers lies below build/compat/include; what
# includes NAME/header.h finds it from the folder above in what is installed.
#
#     quipu_add_compat_package(NAME BUILT folder INSTALLED folder)
function(quipu_add_compat_package name)
    cmake_parse_arguments(ARG "" "BUILT;INSTALLED" "" ${ARGN})
    set(prefix_from_pc ../..)
    set(pc_libdir lib)
    set(pc_includedir ${ARG_BUILT})
    configure_file(${name}.pc.in ${QUIPU_COMPAT_DIR}/lib/pkgconfig/${name}.pc @ONLY)
    file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
    set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
    set(pc_includedir ${ARG_INSTALLED})
    configure_file(${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
    quipu_install_compat(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# A command in build/compat/bin, installed.
function(quipu_add_compat_command name)
    add_executable(${name} ${ARGN})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${QUIPU_COMPAT_DIR}/bin)
    quipu_install_compat(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
