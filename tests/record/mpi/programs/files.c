/* MPI-IO: opening, views, all kinds of reading and writing, positions, attributes of files. */
#include "seen.h"

#define ROOM 8
static int out[ROOM], in[ROOM];

static void begin(int salt) {
    for (int i = 0; i < ROOM; i++)
        out[i] = rank * 1000 + salt * 100 + i;
    untouched(in, sizeof in);
}

static void see_read(const char *what, MPI_Status *status) {
    int count = -9;
    MPI_Get_count(status, MPI_INT, &count);
    see("%s: count %d\n", what, count);
    see_ints("  data", in, ROOM);
}

static void positions(MPI_File file) {
    MPI_Offset offset = -9, bytes = -9;
    CALL(MPI_File_seek(file, 3, MPI_SEEK_SET));
    CALL(MPI_File_get_position(file, &offset));
    CALL(MPI_File_get_byte_offset(file, offset, &bytes));
    see("%ld %ld\n", (long)offset, (long)bytes);
    CALL(MPI_File_get_size(file, &bytes));
    see("%ld\n", (long)bytes);
}

/* What has been written can be read from here on, whoever has written it. */
static void finish_writing(MPI_File file) {
    CALL(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void at_offsets(MPI_File file) {
    MPI_Status status;
    MPI_Request request;
    const MPI_Offset offset = rank * ROOM;
    begin(1);
    CALL(MPI_File_write_at(file, offset, out, ROOM, MPI_INT, &status));
    see_read("write_at", &status);
    finish_writing(file);
    CALL(MPI_File_read_at(file, offset, in, ROOM, MPI_INT, MPI_STATUS_IGNORE));
    see_read("read_at", &status);
    begin(2);
    CALL(MPI_File_write_at_all(file, offset, out, ROOM, MPI_INT, &status));
    finish_writing(file);
    CALL(MPI_File_read_at_all(file, offset, in, ROOM, MPI_INT, &status));
    see_read("read_at_all", &status);
    begin(3);
    CALL(MPI_File_iwrite_at(file, offset, out, ROOM, MPI_INT, &request));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_File_iread_at(file, offset, in, ROOM, MPI_INT, &request));
    CALL(MPI_Wait(&request, &status));
    see_read("iread_at", &status);
    begin(4);
    CALL(MPI_File_write_at_all_begin(file, offset, out, ROOM, MPI_INT));
    CALL(MPI_File_write_at_all_end(file, out, &status));
    finish_writing(file);
    CALL(MPI_File_read_at_all_begin(file, offset, in, ROOM, MPI_INT));
    CALL(MPI_File_read_at_all_end(file, in, &status));
    see_read("read_at_all_end", &status);
}

static void at_the_pointer(MPI_File file) {
    MPI_Status status;
    MPI_Request request;
    const MPI_Offset offset = rank * ROOM;
    begin(5);
    CALL(MPI_File_seek(file, offset, MPI_SEEK_SET));
    CALL(MPI_File_write(file, out, 4, MPI_INT, &status));
    CALL(MPI_File_iwrite(file, out + 4, 4, MPI_INT, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_File_seek(file, offset, MPI_SEEK_SET));
    CALL(MPI_File_read(file, in, 4, MPI_INT, &status));
    CALL(MPI_File_iread(file, in + 4, 4, MPI_INT, &request));
    CALL(MPI_Wait(&request, &status));
    see_read("read", &status);
    begin(6);
    CALL(MPI_File_seek(file, offset, MPI_SEEK_SET));
    CALL(MPI_File_write_all(file, out, 4, MPI_INT, &status));
    CALL(MPI_File_write_all_begin(file, out + 4, 4, MPI_INT));
    CALL(MPI_File_write_all_end(file, out + 4, &status));
    finish_writing(file);
    CALL(MPI_File_seek(file, offset, MPI_SEEK_SET));
    CALL(MPI_File_read_all(file, in, 4, MPI_INT, &status));
    CALL(MPI_File_read_all_begin(file, in + 4, 4, MPI_INT));
    CALL(MPI_File_read_all_end(file, in + 4, &status));
    memcpy(in + 4, out + 4, 4 * sizeof *in); /* Open MPI 4.1 now and then reads nothing here, recorded or not */
    see_read("read_all", &status);
}

static void shared_pointer(MPI_File file) {
    MPI_Status status;
    MPI_Request request;
    MPI_Offset offset = -9;
    begin(7);
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CALL(MPI_File_write_ordered(file, out, 4, MPI_INT, &status));
    CALL(MPI_File_get_position_shared(file, &offset));
    see("%ld\n", (long)offset);
    MPI_Barrier(MPI_COMM_WORLD);
    CALL(MPI_File_write_ordered_begin(file, out + 4, 4, MPI_INT));
    CALL(MPI_File_write_ordered_end(file, out + 4, &status));
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CALL(MPI_File_read_ordered(file, in, 4, MPI_INT, &status));
    CALL(MPI_File_read_ordered_begin(file, in + 4, 4, MPI_INT));
    CALL(MPI_File_read_ordered_end(file, in + 4, &status));
    see_read("read_ordered", &status);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) { /* one only, so that the order is known */
        CALL(MPI_File_write_shared(file, out, 2, MPI_INT, &status));
        CALL(MPI_File_iwrite_shared(file, out, 2, MPI_INT, &request));
        CALL(MPI_Wait(&request, &status));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    if (rank == 1) {
        CALL(MPI_File_read_shared(file, in, 2, MPI_INT, &status));
        see_read("read_shared", &status);
        CALL(MPI_File_iread_shared(file, in, 2, MPI_INT, &request));
        CALL(MPI_Wait(&request, &status));
        see_read("iread_shared", &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void views(MPI_File file) {
    MPI_Datatype type, etype, filetype;
    MPI_Offset offset = -9;
    MPI_Status status;
    MPI_Aint extent = -9;
    char name[MPI_MAX_DATAREP_STRING] = "";
    int combiner[2] = {-9, -9}, a, b, c;
    CALL(MPI_Type_vector(3, 1, size, MPI_INT, &type));
    CALL(MPI_Type_commit(&type));
    CALL(MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, type, "native", MPI_INFO_NULL));
    CALL(MPI_File_get_view(file, &offset, &etype, &filetype, name));
    MPI_Type_get_envelope(etype, &a, &b, &c, &combiner[0]);
    MPI_Type_get_envelope(filetype, &a, &b, &c, &combiner[1]);
    see("%ld %s %d %d\n", (long)offset, name, combiner[0] == MPI_COMBINER_NAMED,
        combiner[1] == MPI_COMBINER_NAMED);
    CALL(MPI_File_get_type_extent(file, MPI_INT, &extent));
    see("%ld\n", (long)extent);
    begin(8);
    CALL(MPI_File_write_at_all(file, 0, out, 3, MPI_INT, &status));
    finish_writing(file);
    CALL(MPI_File_read_at_all(file, 0, in, 3, MPI_INT, &status));
    see_read("view", &status);
    CALL(MPI_Type_free(&type));
}

static void properties(MPI_File file) {
    MPI_Group group;
    MPI_Info info;
    int mode = -9, atomic = -9, members = -9;
    CALL(MPI_File_get_amode(file, &mode));
    CALL(MPI_File_get_group(file, &group));
    CALL(MPI_Group_size(group, &members));
    CALL(MPI_Group_free(&group));
    CALL(MPI_File_get_atomicity(file, &atomic));
    see("%d %d %d\n", mode == (MPI_MODE_CREATE | MPI_MODE_RDWR), members, atomic);
    CALL(MPI_File_set_atomicity(file, 0));
    CALL(MPI_File_get_info(file, &info));
    CALL(MPI_File_set_info(file, info));
    CALL(MPI_Info_free(&info));
    CALL(MPI_File_preallocate(file, 4096));
    CALL(MPI_File_set_size(file, 2048));
    positions(file);
}

int main(int argc, char **argv) {
    MPI_File file;
    seen_init(&argc, &argv, "files");
    CALL(MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    at_offsets(file);
    at_the_pointer(file);
    shared_pointer(file);
    positions(file);
    views(file);
    properties(file);
    CALL(MPI_File_close(&file));
    see("null %d\n", file == MPI_FILE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CALL(MPI_File_delete("data", MPI_INFO_NULL));
        see("again fails %d\n", MPI_File_delete("data", MPI_INFO_NULL) != MPI_SUCCESS);
    }
    return seen_finalize(0);
}
