# Tests by their place: every test function is a ctest case of its own, named FOLDER/FILE.FUNCTION.
#
#   tests/**/test_*.c    a cmocka program; it lists its functions once, in QUIPU_TESTS(...) of tests/harness.h;
#                        those of tests/compat/NAME link with the drop-in library compat_NAME, those of tests/record
#                        with the recorders' core
#   tests/**/test_*.py   a unittest script, standard library only
#   tests/**/*.sh        a command test: a script beside its expected output, see tests/run-command-test
#   tests/faults/shim.c  makes calls of the system fail; "make faults" runs all of what tests/faults/test_faults.py samples
#   tests/formats/otf/changed/  builds OTF with other keywords, for test_changed_key.py
#   tests/work/steps.c   counts the steps of a second build of the command, for tests/work/test_work.py
#
# tests/data holds no tests. Exit code 77 of a script, skip() and unittest's skip count as skipped.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(tests_dir ${CMAKE_CURRENT_SOURCE_DIR}/tests)
file(GLOB_RECURSE test_programs CONFIGURE_DEPENDS tests/test_*.c)
file(GLOB_RECURSE test_scripts CONFIGURE_DEPENDS tests/test_*.py)
file(GLOB_RECURSE command_tests CONFIGURE_DEPENDS tests/*.sh)
list(FILTER test_programs EXCLUDE REGEX "/tests/data/")
list(FILTER test_scripts EXCLUDE REGEX "/tests/data/")
list(FILTER command_tests EXCLUDE REGEX "/tests/data/")

set(test_cflags ${CMAKE_C_FLAGS})
if(QUIPU_SANITIZE)
    string(APPEND test_cflags " -fsanitize=${QUIPU_SANITIZE}")
endif()
set(test_environment
    "QUIPU_SOURCE=${CMAKE_CURRENT_SOURCE_DIR}" "QUIPU_BUILD=${CMAKE_CURRENT_BINARY_DIR}"
    "QUIPU_CFLAGS=${test_cflags}" "CC=${CMAKE_C_COMPILER}" "LC_ALL=C")

function(quipu_add_test name)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES
        ENVIRONMENT "${test_environment}" TIMEOUT 300 SKIP_RETURN_CODE 77
        SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] 1 test;OK \\(skipped=1\\)")
endfunction()

# The name of a test file without its folder tests/ and its suffix: formats/otf/test_reader.
function(quipu_test_name file out_name)
    file(RELATIVE_PATH name ${tests_dir} ${file})
    string(REGEX REPLACE "\\.[a-z]+$" "" name ${name})
    set(${out_name} ${name} PARENT_SCOPE)
endfunction()

add_library(quipu_harness STATIC tests/harness.c tests/harness.h)
target_include_directories(quipu_harness PUBLIC tests src)
target_compile_definitions(quipu_harness PUBLIC _XOPEN_SOURCE=700
    PRIVATE HARNESS_SOURCE="${CMAKE_CURRENT_SOURCE_DIR}" HARNESS_BUILD="${CMAKE_CURRENT_BINARY_DIR}")
target_link_libraries(quipu_harness PUBLIC quipu_warnings quipu_static PkgConfig::CMOCKA Threads::Threads)

# Loaded ahead of everything, the sanitizers' own library too, so it cannot be sanitized itself.
add_library(quipu_faults SHARED tests/faults/shim.c tests/faults/calls.def)
if(QUIPU_SANITIZE)
    target_compile_options(quipu_faults PRIVATE -fno-sanitize=all)
    target_link_options(quipu_faults PRIVATE -fno-sanitize=all)
endif()
target_link_libraries(quipu_faults PRIVATE quipu_warnings Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(quipu_faults PROPERTIES OUTPUT_NAME faults C_EXTENSIONS ON C_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)

# What is recorded while calls fail; its own are tried again.
add_executable(quipu_recorded tests/faults/recorded.c)
target_link_libraries(quipu_recorded PRIVATE quipu_warnings)
set_target_properties(quipu_recorded PROPERTIES OUTPUT_NAME recorded
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)

# Sanitizers take steps of their own, so steps are counted without them only.
if(QUIPU_SANITIZE)
    list(FILTER test_scripts EXCLUDE REGEX "/tests/work/")
else()
    add_subdirectory(tests/work)
endif()
add_subdirectory(tests/formats/otf/changed)

if(NOT TARGET quipu_record_mpi_collecting)
    list(FILTER test_programs EXCLUDE REGEX "/tests/record/mpi/")
endif()

foreach(source IN LISTS test_programs)
    quipu_test_name(${source} name)
    string(REPLACE "/" "-" target ${name})
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)
    target_link_libraries(${target} PRIVATE quipu_harness PkgConfig::ZLIB PkgConfig::ZSTD)
    add_dependencies(${target} quipu)
    if(name MATCHES "^compat/([a-z]+)/")
        target_link_libraries(${target} PRIVATE compat_${CMAKE_MATCH_1})
    endif()
    if(name MATCHES "^record/")
        target_link_libraries(${target} PRIVATE quipu_record_core)
    endif()
    if(name MATCHES "^record/mpi/")
        target_link_libraries(${target} PRIVATE quipu_record_mpi_collecting)
    endif()

    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} functions REGEX "^static void test_[A-Za-z0-9_]+\\(void \\*\\*")
    foreach(function IN LISTS functions)
        string(REGEX REPLACE "^static void (test_[A-Za-z0-9_]+).*" "\\1" function ${function})
        quipu_add_test(${name}.${function} ${target} ${function})
    endforeach()
endforeach()

foreach(script IN LISTS test_scripts)
    quipu_test_name(${script} name)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    file(STRINGS ${script} lines REGEX "^class |^    def test_")
    foreach(line IN LISTS lines)
        if(line MATCHES "^class ([A-Za-z0-9_]+)")
            set(class ${CMAKE_MATCH_1})
        elseif(line MATCHES "def (test_[A-Za-z0-9_]+)")
            quipu_add_test(${name}.${CMAKE_MATCH_1} ${Python3_EXECUTABLE} -B ${script} ${class}.${CMAKE_MATCH_1})
        endif()
    endforeach()
endforeach()

foreach(script IN LISTS command_tests)
    quipu_test_name(${script} name)
    quipu_add_test(${name} ${tests_dir}/run-command-test ${script})
endforeach()
