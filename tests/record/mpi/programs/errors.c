/* Errors that are returned, handlers of errors, codes and classes of the program's own. */
#include "seen.h"

/* MPICH's codes are numbered differently in each run; their classes are not. */
static void see_code(const char *what, int code) {
    int error_class = -9, len = -9;
    char text[MPI_MAX_ERROR_STRING] = "";
    see("%s %s", what, code == MPI_SUCCESS ? "succeeds" : "fails");
    const int a = MPI_Error_class(code, &error_class), b = MPI_Error_string(code, text, &len);
    see(" class %d (%d) length %d (%d)\n", error_class, a, len > 0, b);
}
#define FAULTY(call) see_code(#call, call)

static void on_comm(MPI_Comm *comm, int *code, ...) {
    int error_class = -9;
    MPI_Error_class(*code, &error_class); /* a call within a call */
    see("handler of %s: class %d\n", *comm == MPI_COMM_WORLD ? "world" : "another", error_class);
}

static void on_file(MPI_File *file, int *code, ...) {
    int error_class = -9;
    MPI_Error_class(*code, &error_class);
    see("handler of a file: null %d class %d\n", *file == MPI_FILE_NULL, error_class);
}

static void on_window(MPI_Win *window, int *code, ...) {
    int error_class = -9;
    MPI_Error_class(*code, &error_class);
    see("handler of a window: null %d class %d\n", *window == MPI_WIN_NULL, error_class);
}

static void wrong_arguments(void) {
    int value = 5, flag = -9;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    FAULTY(MPI_Send(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD));
    FAULTY(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    FAULTY(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
    FAULTY(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    FAULTY(MPI_Recv(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FAULTY(MPI_Isend(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &request));
    see("request is null %d\n", request == MPI_REQUEST_NULL);
    FAULTY(MPI_Irecv(&value, -2, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    FAULTY(MPI_Iprobe(size, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    FAULTY(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
    FAULTY(MPI_Reduce(&value, &flag, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD));
    FAULTY(MPI_Type_contiguous(-1, MPI_INT, &type));
    FAULTY(MPI_Type_vector(1, -1, 1, MPI_INT, &type));
    FAULTY(MPI_Type_commit(&type));
    FAULTY(MPI_Comm_split(MPI_COMM_WORLD, -4, 0, &(MPI_Comm){MPI_COMM_NULL}));
    FAULTY(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){1000}, (int[]){0}, 0, &(MPI_Comm){MPI_COMM_NULL}));
    FAULTY(MPI_Group_incl(MPI_GROUP_EMPTY, 1, (int[]){0}, &(MPI_Group){MPI_GROUP_NULL}));
    FAULTY(MPI_Comm_free_keyval(&(int){MPI_KEYVAL_INVALID}));
    FAULTY(MPI_Info_delete(MPI_INFO_NULL, "key"));
    FAULTY(MPI_Error_class(123456789, &flag));
}

static void truncated(void) {
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int values[12];
    if (rank == 0)
        for (int i = 0; i < 3; i++)
            MPI_Send((int[]){1, 2, 3, 4}, 4, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 1)
        return;
    untouched(values, sizeof values);
    untouched(statuses, sizeof statuses);
    MPI_Irecv(values, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(values + 4, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(values + 8, 4, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[2]);
    const int code = MPI_Waitall(3, requests, statuses);
    see("in status %d\n", code == MPI_ERR_IN_STATUS);
    for (int i = 0; i < 3; i++)
        see_code("status", statuses[i].MPI_ERROR);
    see_ints("values", values, 4);
    see_ints("values", values + 8, 4);
}

static void truncated_without_statuses(void) {
    int values[4];
    if (rank == 0)
        MPI_Send((int[]){1, 2, 3, 4}, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank != 1)
        return;
    MPI_Status status;
    untouched(&status, sizeof status);
    FAULTY(MPI_Recv(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));
    see("source %d tag %d\n", status.MPI_SOURCE, status.MPI_TAG);
}

static void own_codes(void) {
    int own_class = -9, own_code = -9, len = -9, flag = -9, *last = NULL;
    char text[MPI_MAX_ERROR_STRING] = "";
    CALL(MPI_Add_error_class(&own_class));
    CALL(MPI_Add_error_code(own_class, &own_code));
    CALL(MPI_Add_error_string(own_code, "the program's own"));
    CALL(MPI_Error_string(own_code, text, &len));
    see("class %d code %d %s %d\n", own_class, own_code, text, len);
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    see("last %d %d\n", flag, flag ? *last : -1);
    FAULTY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, own_code));
}

static void handlers(void) {
    MPI_Errhandler ours, found, of_file, of_window;
    MPI_Comm comm;
    MPI_Win window;
    int value;
    CALL(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found));
    see("returns %d\n", found == MPI_ERRORS_RETURN);
    CALL(MPI_Errhandler_free(&found));
    CALL(MPI_Comm_create_errhandler(on_comm, &ours));
    see_handle("handler", MPI_Errhandler, ours);
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, ours));
    CALL(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found));
    see("ours %d\n", found == ours);
    wrong_arguments();
    truncated_without_statuses();
    own_codes();
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    FAULTY(MPI_Send(&value, 1, MPI_INT, size + 3, 0, comm));
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Errhandler_free(&ours));
    CALL(MPI_File_create_errhandler(on_file, &of_file));
    CALL(MPI_File_set_errhandler(MPI_FILE_NULL, of_file));
    MPI_File file = MPI_FILE_NULL;
    FAULTY(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CALL(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_OTHER));
    CALL(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    CALL(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    CALL(MPI_Win_create_errhandler(on_window, &of_window));
    CALL(MPI_Win_set_errhandler(window, of_window));
    CALL(MPI_Win_get_errhandler(window, &found));
    see("ours %d\n", found == of_window);
    CALL(MPI_Win_call_errhandler(window, MPI_ERR_OTHER));
    FAULTY(MPI_Put(&value, 1, MPI_INT, size + 2, 0, 1, MPI_INT, window));
    CALL(MPI_Win_free(&window));
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "errors");
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    wrong_arguments();
    truncated();
    truncated_without_statuses();
    own_codes();
    handlers();
    return seen_finalize(0);
}
