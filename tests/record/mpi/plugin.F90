! plugin.F90: a library in Fortran that a program opens after it has called MPI in C: sums up what the ranks have, and hands it round.
subroutine plugin(answer) bind(c, name="plugin")
    use, intrinsic :: iso_c_binding
    implicit none
    include "mpif.h"
    integer(c_int), intent(out) :: answer
    integer :: rank, size, total, got, ierror
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
    call MPI_ALLREDUCE(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_SENDRECV(total * rank, 1, MPI_INTEGER, mod(rank + 1, size), 3, got, 1, MPI_INTEGER, mod(rank + size - 1, size), 3, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    answer = total + got
end subroutine
