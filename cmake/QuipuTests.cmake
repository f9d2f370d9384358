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
# What a test needs beyond that is said in a comment before it, "needs: WORD". The tests of a word that this machine does not have are
# skipped as one, needs/WORD, which prints them and says what is missing.
#
# tests/data holds no tests. Exit code 77 of a script, skip() and unittest's skip count as skipped.
get_property(product DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# The interpreter itself: what a manager of versions puts before it takes as long as many a test.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

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
    "QUIPU_CFLAGS=${test_cflags}" "CC=${CMAKE_C_COMPILER}" "LC_ALL=C"
    "HWLOC_HIDE_ERRORS=2" "UCX_LOG_LEVEL=fatal") # libraries of MPI, which complain where there is no /sys

# The files of tests are many, small and written through to the disk, which takes much of the time: in memory, where it has room and
# programs can be started from it.
execute_process(COMMAND sh -c "df -Pk /dev/shm | awk 'NR == 2 { exit $4 < 2000000 }' && file=$(mktemp -p /dev/shm) && echo exit >$file && chmod +x $file && $file && rm $file"
    RESULT_VARIABLE memory_failed OUTPUT_QUIET ERROR_QUIET)
if(NOT memory_failed)
    list(APPEND test_environment "TMPDIR=/dev/shm")
endif()

# ---- What tests need ----

#     quipu_need(WORD ADVICE sentence CONDITION...)
set(needs)
macro(quipu_need word advice)
    list(APPEND needs ${word})
    set(advice_of_${word} "${advice}")
    set(skipped_for_${word})
    if(${ARGN})
        set(has_${word} ON)
    else()
        set(has_${word} OFF)
    endif()
endmacro()

macro(quipu_find_all out_found)
    set(${out_found} ON)
    foreach(program ${ARGN})
        find_program(${program}_program ${program})
        mark_as_advanced(${program}_program)
        if(NOT ${program}_program)
            set(${out_found} OFF)
        endif()
    endforeach()
endmacro()

quipu_find_all(has_programs lmp hpcc NPopenmpi dgpart vite)
quipu_find_all(has_speedscope speedscope)
quipu_find_all(has_browsers chromium chromedriver tidy)
quipu_find_all(has_compiler go)
execute_process(COMMAND ${python} -c "import perfetto, mpi4py" RESULT_VARIABLE python_failed ERROR_QUIET)
execute_process(COMMAND ${python} -c "import sys; sys.path.append('/usr/lib/python3/dist-packages'); import selenium"
    RESULT_VARIABLE selenium_failed ERROR_QUIET)
set(shared ${PROJECT_SOURCE_DIR}/../shared)
quipu_need(shared "the collection of real traces is not beside the project" EXISTS ${shared}/traces)
quipu_need(oracle "the second implementation of the analyses is not beside the project" EXISTS ${shared}/check/analysis-oracle)
quipu_need(large "large programs are not installed: tools/install-deps --optional" has_programs)
quipu_need(python "Python has not both: pip install perfetto protobuf mpi4py" NOT python_failed)
quipu_need(go "Go is not installed: tools/install-deps --optional" has_compiler)
quipu_need(node "speedscope is not installed: npm install -g speedscope" has_speedscope)
quipu_need(browser "chromium, its driver, selenium, tidy or civetweb are not there: tools/install-deps --optional" has_browsers AND quipu_view AND NOT selenium_failed)

# Open MPI's launcher makes a folder for all of its runs, and the last one that ends removes it, maybe just before another
# one uses it: so each test has one of its own.
function(quipu_add_test name)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES
        ENVIRONMENT "${test_environment};OMPI_MCA_orte_tmpdir_base=${CMAKE_BINARY_DIR}/Testing/mpi/${name}" TIMEOUT 300 SKIP_RETURN_CODE 77
        SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] 1 test;OK \\(skipped=1\\)")
endfunction()

# A test, or one more of those that are skipped for a word. An unknown word is an error: it would skip nothing.
macro(quipu_add_test_that_needs word name)
    if("${word}" STREQUAL "" OR has_${word})
        quipu_add_test(${name} ${ARGN})
    elseif(DEFINED has_${word})
        list(APPEND skipped_for_${word} ${name})
    else()
        message(FATAL_ERROR "${name} needs ${word}, of which cmake/QuipuTests.cmake knows nothing")
    endif()
endmacro()

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
    add_subdirectory(tests/work EXCLUDE_FROM_ALL)
endif()
add_subdirectory(tests/formats/otf/changed EXCLUDE_FROM_ALL)

if(NOT TARGET quipu_python)
    list(FILTER test_scripts EXCLUDE REGEX "/tests/python/")
endif()

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
    file(STRINGS ${source} lists REGEX "^QUIPU_TESTS\\(")
    if(NOT lists)
        message(FATAL_ERROR "${source} does not list its tests in QUIPU_TESTS, so each of them would run all")
    endif()
    file(STRINGS ${source} lines REGEX "^static void test_[A-Za-z0-9_]+\\(void \\*\\*|^/\\* needs: ")
    set(word)
    foreach(line IN LISTS lines)
        if(line MATCHES "needs: ([a-z]+)")
            set(word ${CMAKE_MATCH_1})
        elseif(line MATCHES "^static void (test_[A-Za-z0-9_]+)")
            quipu_add_test_that_needs("${word}" ${name}.${CMAKE_MATCH_1} ${target} ${CMAKE_MATCH_1})
            set(word)
        endif()
    endforeach()
endforeach()

foreach(script IN LISTS test_scripts)
    quipu_test_name(${script} name)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    file(STRINGS ${script} lines REGEX "^class |^    def test_|^    # needs: |^    # runs alone: ")
    set(word)
    set(runs_alone OFF)
    foreach(line IN LISTS lines)
        if(line MATCHES "needs: ([a-z]+)")
            set(word ${CMAKE_MATCH_1})
        elseif(line MATCHES "runs alone: ")
            set(runs_alone ON)
        elseif(line MATCHES "^class ([A-Za-z0-9_]+)")
            set(class ${CMAKE_MATCH_1})
        elseif(line MATCHES "def (test_[A-Za-z0-9_]+)")
            set(test ${name}.${CMAKE_MATCH_1})
            quipu_add_test_that_needs("${word}" ${test} ${python} -B ${script} ${class}.${CMAKE_MATCH_1})
            if(TEST ${test})
                set_tests_properties(${test} PROPERTIES RUN_SERIAL ${runs_alone})
            endif()
            set(word)
            set(runs_alone OFF)
        endif()
    endforeach()
endforeach()

# It may have to fill an environment first.
if(TEST python/test_package.Package.test_package_is_a_wheel_that_needs_nothing_else)
    set_tests_properties(python/test_package.Package.test_package_is_a_wheel_that_needs_nothing_else PROPERTIES TIMEOUT 1200)
endif()

foreach(script IN LISTS command_tests)
    quipu_test_name(${script} name)
    quipu_add_test(${name} ${tests_dir}/run-command-test ${script})
endforeach()

# make test prints it.
set(skipped)
foreach(word IN LISTS needs)
    if(skipped_for_${word})
        list(LENGTH skipped_for_${word} count)
        list(JOIN skipped_for_${word} "\n    " names)
        set(text "${count} tests are skipped: ${advice_of_${word}}\n    ${names}\n")
        string(APPEND skipped "${text}")
        quipu_add_test(needs/${word} sh -c "printf %s \"$1\" && exit 77" sh "${text}")
    endif()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/skipped-tests "${skipped}")

# All that the tests run: make test builds it.
get_property(test_targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(REMOVE_ITEM test_targets ${product})
set_target_properties(${test_targets} PROPERTIES EXCLUDE_FROM_ALL ON)
get_property(folders DIRECTORY PROPERTY SUBDIRECTORIES)
list(FILTER folders INCLUDE REGEX "/(bench|fuzz|tests/.*)$")
foreach(folder IN LISTS folders)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND test_targets ${targets})
endforeach()
list(REMOVE_ITEM test_targets run-bench)
add_custom_target(build-tests DEPENDS ${test_targets})
