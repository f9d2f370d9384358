# Static archives of the drop-in libraries. An archive has one object: the library's own objects and what they use of
# Quipu, with all names local but those that programs know. So it needs no archive of ours beside it, and can be linked beside
# any of them, also whole.
#
#     quipu_add_archive(TARGET NAME OBJECTS list KEEP patterns)     lib<NAME>.a in build/compat/lib, installed
function(quipu_add_archive target name)
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
    install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
