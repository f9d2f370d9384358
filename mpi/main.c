/* main.c: the program quipu-mpi: the command on all processes of MPI_COMM_WORLD, which share one trace.
 *
 * Rank 0 is the one that answers. What the others print goes nowhere; when one of them fails, its message goes to rank 0 in place of
 * what it knows, with the name of its host. MPI ends all processes when one of them dies.
 */
#include "dispatch.h"

#include <quipu/transport.h>

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- The transport ---- */

enum { TAG_SIZE, TAG_DATA };

/* A message goes in chunks, so that its size may be any and none needs room for what is dropped. */
enum { CHUNK = 1 << 20 };

static int chunk_of(size_t left) {
    return left < CHUNK ? (int)left : CHUNK;
}

/* MPI waits without giving the processor away, which takes it from the very process that is waited for when there are more processes than
 * processors. */
static void pause_before(unsigned tries) {
    static const struct timespec little = {.tv_nsec = 50000};
    enum { SPINS = 64, YIELDS = 1024 };
    if (tries >= YIELDS)
        nanosleep(&little, NULL);
    else if (tries >= SPINS)
        sched_yield();
}

static void send_part(const void *data, int size, MPI_Datatype type, uint32_t to, int tag) {
    MPI_Request request;
    int has_ended = 0;
    MPI_Isend(data, size, type, (int)to, tag, MPI_COMM_WORLD, &request);
    for (unsigned tries = 0; !has_ended; tries++) {
        pause_before(tries);
        MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE);
    }
}

static void receive_part(void *data, int size, MPI_Datatype type, uint32_t from, int tag) {
    int is_there = 0;
    for (unsigned tries = 0; !is_there; tries++) {
        pause_before(tries);
        MPI_Iprobe((int)from, tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
    MPI_Recv(data, size, type, (int)from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static enum quipu_status send_message(void *context, uint32_t to, const void *data, size_t size,
                                      struct quipu_error *err) {
    const uint64_t bytes = size;
    (void)context;
    (void)err; /* MPI's own handler ends all processes */
    send_part(&bytes, 1, MPI_UINT64_T, to, TAG_SIZE);
    for (size_t offset = 0; offset < size; offset += CHUNK)
        send_part((const char *)data + offset, chunk_of(size - offset), MPI_BYTE, to, TAG_DATA);
    return QUIPU_OK;
}

static enum quipu_status await_message(void *context, uint32_t from, size_t *size, struct quipu_error *err) {
    uint64_t bytes;
    (void)context;
    (void)err;
    receive_part(&bytes, 1, MPI_UINT64_T, from, TAG_SIZE);
    *size = (size_t)bytes;
    return QUIPU_OK;
}

static bool has_message(void *context, uint32_t from) {
    int is_there = 0;
    (void)context;
    MPI_Iprobe((int)from, TAG_SIZE, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    return is_there != 0;
}

static enum quipu_status receive_message(void *context, uint32_t from, void *data, size_t size,
                                         struct quipu_error *err) {
    static char dropped[CHUNK];
    (void)context;
    (void)err;
    for (size_t offset = 0; offset < size; offset += CHUNK)
        receive_part(data ? (char *)data + offset : dropped, chunk_of(size - offset), MPI_BYTE, from, TAG_DATA);
    return QUIPU_OK;
}

/* ---- Processes that do not answer ---- */

/* What is printed from now on goes nowhere, and what is said on standard error into a file that has no name; NULL: it goes nowhere too. */
static FILE *be_silent(void) {
    FILE *said = tmpfile();
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(said ? fileno(said) : nowhere, STDERR_FILENO);
        close(nowhere);
    }
    return said;
}

static void take_line(FILE *said, const char *start, char *text, size_t size) {
    char line[1024];
    if (!said || !fgets(line, sizeof line, said) || strncmp(line, start, strlen(start)) != 0)
        return;
    line[strcspn(line, "\n")] = '\0';
    snprintf(text, size, "%.*s", (int)(size - 1), line + strlen(start));
}

/* What a command has said before it ended with that exit code: a line with what was wrong, and maybe one with advice. */
static struct quipu_error failure_of(int code, FILE *said) {
    static const enum quipu_status statuses[] = {[EXIT_USAGE] = QUIPU_MISUSE,
                                                 [EXIT_DAMAGED] = QUIPU_CORRUPT,
                                                 [EXIT_UNREADABLE] = QUIPU_NOT_FOUND,
                                                 [EXIT_OUTPUT] = QUIPU_OUTPUT,
                                                 [EXIT_LIMIT] = QUIPU_LIMIT};
    struct quipu_error failure = QUIPU_ERROR_INIT;
    const size_t index = (size_t)code;
    const bool is_known = index < sizeof statuses / sizeof *statuses && statuses[index] != QUIPU_OK;
    failure.status = is_known ? statuses[index] : QUIPU_STOPPED;
    snprintf(failure.message, sizeof failure.message, "a process has ended with the exit code %d", code);
    if (said)
        rewind(said);
    take_line(said, "quipu: ", failure.message, sizeof failure.message);
    take_line(said, "  ", failure.advice, sizeof failure.advice);
    return failure;
}

/* ---- The program ---- */

int main(int argc, char **argv) {
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, size, len;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &len);
    struct quipu_transport transport = {.rank = (uint32_t)rank,
                                        .size = (uint32_t)size,
                                        .send = send_message,
                                        .await = await_message,
                                        .has_message = has_message,
                                        .receive = receive_message,
                                        .name = host};
    FILE *said = rank > 0 ? be_silent() : NULL;
    const int code = dispatch(argc, argv, &transport);
    const struct quipu_error failure = failure_of(code, said);
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_transport_end(&transport, rank > 0 && code != EXIT_FINE ? &failure : NULL, &err) < QUIPU_OK)
        MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
    MPI_Finalize();
    return rank > 0 ? EXIT_FINE : code;
}
