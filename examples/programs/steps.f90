! steps.f90: a program of MPI that marks its steps as regions. It is linked with the recorder, ahead of MPI, and needs no preloading:
!
!     mpifort steps.f90 $(quipu record --flags) -o steps
program steps
    use mpi
    implicit none
    integer :: step, error
    call MPI_Init(error)
    do step = 1, 3
        call quipu_region_begin('step')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call quipu_region_end('step')
    end do
    call MPI_Finalize(error)
end program
