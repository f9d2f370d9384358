! What Fortran programs see of MPI, through mpif.h, the module mpi or the module mpi_f08 (-DUSE_MPI, -DUSE_MPI_F08): arguments that
! only Fortran has (logicals, strings, named constants, indices from 1), statuses, callbacks. See seen.h.
#if defined(USE_MPI_F08)
#define HANDLE(kind) type(kind)
#define NUMBER(handle) handle%MPI_VAL
#else
#define HANDLE(kind) integer
#define NUMBER(handle) handle
#endif

module seen
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if !defined(USE_MPI) && !defined(USE_MPI_F08)
    include 'mpif.h'
#endif
    integer, parameter :: out = 20
    integer :: rank, size_of_world, error
contains
    subroutine see(what, values)
        character(*), intent(in) :: what
        integer, intent(in) :: values(:)
        write (out, '(a,":",64(1x,i0))') what, values
    end subroutine

    subroutine see_one(what, number)
        character(*), intent(in) :: what
        integer, intent(in) :: number
        write (out, '(a,":",1x,i0)') what, number
    end subroutine

#if defined(USE_MPI_F08)
    subroutine see_status(what, status)
        character(*), intent(in) :: what
        type(MPI_Status), intent(in) :: status
        integer :: bytes
        call MPI_Get_count(status, MPI_INTEGER, bytes, error)
        call see(what, [status%MPI_SOURCE, status%MPI_TAG, bytes])
    end subroutine
#else
    subroutine see_status(what, status)
        character(*), intent(in) :: what
        integer :: status(MPI_STATUS_SIZE), bytes
        call MPI_Get_count(status, MPI_INTEGER, bytes, error)
        call see(what, [status(MPI_SOURCE), status(MPI_TAG), bytes])
        status(MPI_ERROR) = 0 ! not set by all calls
        call see(what, status)
    end subroutine
#endif
end module

module callbacks
    use seen
    implicit none
contains
#if defined(USE_MPI_F08)
    subroutine copy_attribute(comm, key, extra, value, new_value, flag, code)
        type(MPI_Comm) :: comm
#else
    subroutine copy_attribute(comm, key, extra, value, new_value, flag, code)
        integer :: comm
#endif
        integer :: key, code, members
        integer(kind=MPI_ADDRESS_KIND) :: extra, value, new_value
        logical :: flag
        call MPI_Comm_size(comm, members, code)
        call see('copy', [int(extra), int(value), members])
        new_value = value + 1
        flag = .true.
        code = MPI_SUCCESS
    end subroutine

    subroutine delete_attribute(comm, key, value, extra, code)
        HANDLE(MPI_Comm) :: comm
        integer :: key, code
        integer(kind=MPI_ADDRESS_KIND) :: value, extra
        call see('delete', [int(extra), int(value)])
        code = MPI_SUCCESS
    end subroutine

    subroutine on_error(comm, code)
        HANDLE(MPI_Comm) :: comm
        integer :: code, error_class
        call MPI_Error_class(code, error_class, error)
        call see_one('handler', error_class)
    end subroutine
end module

program fortran
    use callbacks
    implicit none
    character(32) :: name
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size_of_world, error)
    write (name, '("fortran.",i0)') rank
    open (out, file=name)
    call messages()
    call completion()
    call collectives()
    call strings()
    call logicals()
    call attributes()
    call errors()
    call datatypes()
    call input_and_output()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
    call see_one('finalize', error)
    close (out)
contains
    subroutine messages()
        integer :: values(4), got(4), to, from
        HANDLE(MPI_Request) :: requests(2)
#if defined(USE_MPI_F08)
        type(MPI_Status) :: status, statuses(2)
#else
        integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
        status = 0
        statuses = 0
#endif
        to = mod(rank + 1, size_of_world)
        from = mod(rank + size_of_world - 1, size_of_world)
        values = [rank, 2, 3, 4]
        call MPI_Sendrecv(values, 4, MPI_INTEGER, to, rank, got, 4, MPI_INTEGER, from, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
        call see('got', got)
        call see_status('status', status)
        call MPI_Irecv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(values, 3, MPI_INTEGER, to, 7, MPI_COMM_WORLD, requests(2), error)
        call MPI_Waitall(2, requests, statuses, error)
#if defined(USE_MPI_F08)
        call see_status('first', statuses(1))
#else
        call see_status('first', statuses(:, 1))
#endif
        call MPI_Send(values, 2, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, error)
        call MPI_Recv(got, 4, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call see('got', got)
        call MPI_Recv_init(got, 4, MPI_INTEGER, from, 9, MPI_COMM_WORLD, requests(1), error)
        call MPI_Send_init(values, 4, MPI_INTEGER, to, 9, MPI_COMM_WORLD, requests(2), error)
        call MPI_Startall(2, requests, error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call MPI_Start(requests(1), error)
        call MPI_Cancel(requests(1), error)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)
        if (requests(2) == MPI_REQUEST_NULL) call see('null', [1])
        call see('got', got)
    end subroutine

    ! Rank 1 has six receives, of which three arrive.
    subroutine completion()
        integer :: values(6), indices(6), count, index, i, round
        logical :: done
        HANDLE(MPI_Request) :: requests(6)
#if defined(USE_MPI_F08)
        type(MPI_Status) :: statuses(6), status, ignored
#else
        integer :: statuses(MPI_STATUS_SIZE, 6), status(MPI_STATUS_SIZE), ignored(MPI_STATUS_SIZE)
#endif
        do round = 1, 6
            values = -1
            indices = -77
#if !defined(USE_MPI_F08)
            statuses = -5
            status = -5
#endif
            if (rank == 1) then
                do i = 1, 6
                    call MPI_Irecv(values(i), 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, requests(i), error)
                end do
            end if
            call MPI_Barrier(MPI_COMM_WORLD, error)
            if (rank == 0) then
                do i = 6, 2, -2
                    call MPI_Ssend(i * 11, 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD, error)
                end do
            end if
            call MPI_Barrier(MPI_COMM_WORLD, error)
            if (rank /= 1) cycle
            do i = 2, 6, 2
                done = .false.
                do while (.not. done)
                    call MPI_Request_get_status(requests(i), done, ignored, error)
                end do
            end do
            count = -9
            index = -9
            done = .false.
            if (round == 1) call MPI_Waitsome(6, requests, count, indices, statuses, error)
            if (round == 2) call MPI_Testsome(6, requests, count, indices, statuses, error)
            if (round == 3) call MPI_Testsome(6, requests, count, indices, MPI_STATUSES_IGNORE, error)
            if (round == 4) call MPI_Waitany(6, requests, index, status, error)
            if (round == 5) call MPI_Testany(6, requests, index, done, status, error)
            if (round == 6) call MPI_Testall(6, requests, done, statuses, error)
            call see('count and index', [round, count, index])
            write (out, *) done
            call see('indices', indices)
            call see('values', values)
            if (round == 4 .or. round == 5) call see_status('status', status)
            if (round < 3) then
                do i = 1, count
#if defined(USE_MPI_F08)
                    call see_status('statuses', statuses(i))
#else
                    call see_status('statuses', statuses(:, i))
#endif
                end do
            end if
            do i = 1, 6
                if (requests(i) == MPI_REQUEST_NULL) cycle
                call see('left', [i])
                call MPI_Cancel(requests(i), error)
                call MPI_Wait(requests(i), MPI_STATUS_IGNORE, error)
            end do
        end do
    end subroutine

    subroutine collectives()
        integer :: values(8), got(8), i
        HANDLE(MPI_Request) :: request
        double precision :: real_values(3), reals(3)
        values = [(rank * 10 + i, i = 1, 8)]
        got = -1
        call MPI_Allreduce(values, got, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call see('allreduce', got)
        call MPI_Allreduce(MPI_IN_PLACE, got, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
        call see('in place', got)
        call MPI_Bcast(values, 8, MPI_INTEGER, 2, MPI_COMM_WORLD, error)
        call see('bcast', values)
        call MPI_Gather(values, 2, MPI_INTEGER, got, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
        call see('gather', got)
        call MPI_Alltoall(values, 2, MPI_INTEGER, got, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
        call see('alltoall', got)
        call MPI_Iallgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call see('iallgather', got)
        real_values = [1d0 / (rank + 3), 2d0, 3d0 / (rank + 7)]
        call MPI_Allreduce(real_values, reals, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        write (out, '(3z17.16)') reals
    end subroutine

    subroutine strings()
        character(MPI_MAX_OBJECT_NAME) :: name
        character(20) :: value
        character(MPI_MAX_ERROR_STRING) :: text
        character(MPI_MAX_PROCESSOR_NAME) :: processor
        HANDLE(MPI_Comm) :: comm
        HANDLE(MPI_Info) :: info
        integer :: length
        logical :: found
        call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
        call see('comm', [NUMBER(comm)])
        call MPI_Comm_set_name(comm, ' a name with blanks   ', error)
        call MPI_Comm_get_name(comm, name, length, error)
        call see('name '//trim(name), [length])
        call MPI_Comm_free(comm, error)
        call MPI_Info_create(info, error)
        call MPI_Info_set(info, 'key  ', '  value ', error)
        call MPI_Info_get(info, 'key', 20, value, found, error)
        write (out, *) found, '[', value, ']'
        call MPI_Info_get(info, 'none', 20, value, found, error)
        write (out, *) found
        call MPI_Info_free(info, error)
        call MPI_Error_string(MPI_ERR_COUNT, text, length, error)
        call see(trim(text), [length])
        call MPI_Get_processor_name(processor, length, error)
        call see(trim(processor), [length])
    end subroutine

    subroutine logicals()
        HANDLE(MPI_Comm) :: grid, row
        HANDLE(MPI_Op) :: op
        integer :: dims(2), coords(2), from, to
        logical :: periods(2), flag
        dims = 0
        call MPI_Dims_create(size_of_world, 2, dims, error)
        call see('dims', dims)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, error)
        periods = .false.
        call MPI_Cart_get(grid, 2, dims, periods, coords, error)
        write (out, *) dims, periods, coords
        call MPI_Cart_shift(grid, 0, 1, from, to, error)
        call see('shift', [from, to])
        call MPI_Cart_sub(grid, [.true., .false.], row, error)
        call MPI_Comm_size(row, from, error)
        call see('row', [from])
        call MPI_Comm_free(row, error)
        call MPI_Comm_free(grid, error)
        call MPI_Op_create(twice, .true., op, error)
        from = -1
        call MPI_Allreduce(rank, from, 1, MPI_INTEGER, op, MPI_COMM_WORLD, error)
        call see('own operation', [from])
        call MPI_Op_free(op, error)
        call MPI_Initialized(flag, error)
        write (out, *) flag
        call MPI_Is_thread_main(flag, error)
        write (out, *) flag
        call MPI_Iprobe(MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, error)
        write (out, *) flag
    end subroutine

#if defined(USE_MPI_F08)
    subroutine twice(from, to, count, type)
        use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
        type(c_ptr), value :: from, to
        integer :: count
        type(MPI_Datatype) :: type
        integer, pointer :: a(:), b(:)
        call c_f_pointer(from, a, [count])
        call c_f_pointer(to, b, [count])
        b = b + 2 * a
    end subroutine
#else
    subroutine twice(from, to, count, type)
        integer :: count, type
        integer :: from(count), to(count)
        to = to + 2 * from
    end subroutine
#endif

    subroutine attributes()
        integer :: key
        integer(kind=MPI_ADDRESS_KIND) :: extra, value
        HANDLE(MPI_Comm) :: comm, twin
        logical :: found
        extra = 5
        call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, extra, error)
        call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
        value = 40
        call MPI_Comm_set_attr(comm, key, value, error)
        call MPI_Comm_dup(comm, twin, error)
        value = 0
        call MPI_Comm_get_attr(twin, key, value, found, error)
        write (out, *) found, value
        call MPI_Comm_free(twin, error)
        call MPI_Comm_free(comm, error)
        call MPI_Comm_free_keyval(key, error)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found, error)
        write (out, *) found, value
    end subroutine

    subroutine errors()
        HANDLE(MPI_Errhandler) :: handler
        integer :: code, error_class
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
        call MPI_Send(code, -1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, code)
        call MPI_Error_class(code, error_class, error)
        call see('class', [error_class])
        call MPI_Comm_create_errhandler(on_error, handler, error)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, error)
        call MPI_Send(code, 1, MPI_INTEGER, size_of_world + 4, 0, MPI_COMM_WORLD, code)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, error)
        call MPI_Errhandler_free(handler, error)
    end subroutine

    subroutine datatypes()
        HANDLE(MPI_Datatype) :: type
        integer :: bytes, position
        integer(kind=MPI_ADDRESS_KIND) :: lower, extent, address
        integer :: values(12), got(12)
        character :: packed(64)
        call MPI_Type_vector(3, 2, 4, MPI_INTEGER, type, error)
        call MPI_Type_commit(type, error)
        call MPI_Type_size(type, bytes, error)
        call MPI_Type_get_extent(type, lower, extent, error)
        call see('type', [NUMBER(type), bytes, int(lower), int(extent)])
        values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        got = -1
        position = 0
        call MPI_Pack(values, 1, type, packed, 64, position, MPI_COMM_WORLD, error)
        bytes = position
        position = 0
        call MPI_Unpack(packed, bytes, position, got, 1, type, MPI_COMM_WORLD, error)
        call see('unpacked', got)
        call MPI_Type_free(type, error)
        call MPI_Get_address(values(1), address, error)
        call MPI_Type_create_hindexed(1, [2], [address], MPI_INTEGER, type, error)
        call MPI_Type_commit(type, error)
        call MPI_Sendrecv(MPI_BOTTOM, 1, type, rank, 3, got, 2, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call see('from the bottom', got)
        call MPI_Type_free(type, error)
    end subroutine

    subroutine input_and_output()
        HANDLE(MPI_File) :: file
        integer(kind=MPI_OFFSET_KIND) :: offset
        integer :: values(4), got(4)
#if defined(USE_MPI_F08)
        type(MPI_Status) :: status
#else
        integer :: status(MPI_STATUS_SIZE)
        status = 0
#endif
        values = rank + 100
        got = -1
        offset = rank * 16
        call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
        call MPI_File_write_at_all(file, offset, values, 4, MPI_INTEGER, status, error)
        call MPI_File_read_at_all(file, offset, got, 4, MPI_INTEGER, status, error)
        call see('read', got)
        call MPI_File_close(file, error)
    end subroutine
end program
