! sites.F90: calls of MPI from a program, a function of a module, and one inside of it; with mpi_f08 where MODULE says so.
module exchanging
   use MODULE
   implicit none
contains
   subroutine exchange(value)
      double precision, intent(inout) :: value
      double precision :: total
      integer :: ierror
      call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
      value = total
      call synchronize()
   contains
      subroutine synchronize()
         integer :: error
         call MPI_Barrier(MPI_COMM_WORLD, error)
         if (error /= 0) value = 0
      end subroutine
   end subroutine
end module

program sites
   use MODULE
   use exchanging
   implicit none
   integer :: ierror, rank
   double precision :: value
   value = 1
   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call exchange(value)
   call MPI_Finalize(ierror)
   if (value < 1) stop 1
end program
