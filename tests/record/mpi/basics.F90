! basics.F90: messages, requests and strings in Fortran, on two processes; with mpif.h, mpi or mpi_f08.
program basics
#if defined(WITH_F08)
  use mpi_f08
#elif defined(WITH_MODULE)
  use mpi
#endif
  implicit none
#if !defined(WITH_F08) && !defined(WITH_MODULE)
  include 'mpif.h'
#endif
#ifdef WITH_F08
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Datatype) :: column
  type(MPI_Comm) :: other
#else
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), column, other
#endif
  integer :: ierror, rank, done, indices(2), length, number
  integer :: out(4), into(4)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  out = rank
  call MPI_Irecv(into, 4, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, requests(2), ierror)
  requests(1) = MPI_REQUEST_NULL
  call MPI_Send(out, 4, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, ierror)
  call MPI_Waitsome(2, requests, done, indices, statuses, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, ierror)
  call MPI_Comm_set_name(other, 'second  ', ierror)
  call MPI_Comm_get_name(other, name, length, ierror)
  call MPI_Type_contiguous(3, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_commit(column, ierror)
  call MPI_Sendrecv(out, 1, MPI_INTEGER, 1 - rank, 4, into, 1, MPI_INTEGER, 1 - rank, 4, other, MPI_STATUS_IGNORE, ierror)
  call MPI_Recv(into, 1, MPI_INTEGER, MPI_PROC_NULL, 4, other, status, ierror)
  call MPI_Allreduce(rank, number, 1, MPI_INTEGER, MPI_SUM, other, ierror)
  call MPI_Type_free(column, ierror)
  call MPI_Comm_free(other, ierror)
  print '(a,i0,1x,i0,1x,a)', 'total ', number, done, trim(name)
  call MPI_Finalize(ierror)
end program basics
