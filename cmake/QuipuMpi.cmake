# quipu_mpis: the MPIs whose headers are installed, of openmpi and mpich. What needs an MPI is built with each of them, or
# with the first one.
set(quipu_mpis)
set(module_of_openmpi ompi-c)
set(module_of_mpich mpich)
foreach(mpi openmpi mpich)
    pkg_check_modules(quipu_${mpi} ${module_of_${mpi}})
    if(quipu_${mpi}_FOUND)
        list(APPEND quipu_mpis ${mpi})
    else()
        message(STATUS "programs with ${mpi} are neither recorded nor run with libpicl: its headers are not installed")
    endif()
endforeach()

# Compiles a target with the headers of an MPI.
function(quipu_use_mpi_headers target mpi)
    target_include_directories(${target} SYSTEM PRIVATE ${quipu_${mpi}_INCLUDE_DIRS})
endfunction()

# The same, linked with it.
function(quipu_link_mpi target mpi)
    quipu_use_mpi_headers(${target} ${mpi})
    target_link_directories(${target} PRIVATE ${quipu_${mpi}_LIBRARY_DIRS})
    target_link_libraries(${target} PRIVATE ${quipu_${mpi}_LIBRARIES})
endfunction()
