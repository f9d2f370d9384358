! Regions of a program in Fortran.
program regions
    implicit none
    include 'mpif.h'
    integer :: i, error
    call MPI_Init(error)
    do i = 1, 2
        call quipu_region_begin('step  ')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call quipu_region_end('step')
    end do
    call MPI_Finalize(error)
end program
