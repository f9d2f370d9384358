/* capture.c: the record of a call. */
#include "record/mpi/capture.h"

#include "record/clock.h"
#include "record/mpi/modules.h"
#include "record/mpi/process.h"

#include <errno.h>
#include <string.h>

/* The most that numbers, handles and single statuses take; lists are looked at. */
#define SMALL_STAGE ((size_t)QUIPU__MPI_TOKENS * 32)

static uint8_t *put_number(uint8_t *at, int64_t value) {
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

static void put_head(uint8_t *room, size_t bytes, enum quipu__mpi_record record, uint16_t row, int64_t time) {
    const struct quipu__mpi_head head = {(uint32_t)bytes, (uint16_t)record, row, time};
    memcpy(room, &head, sizeof head);
}

/* Values of counters, 8 bytes each. */
static uint8_t *put_counters(const struct quipu__mpi_thread *thread, uint8_t *at) {
    if (__builtin_expect(thread->counters.count == 0, 1))
        return at;
    quipu__mpi_counters_read(&thread->counters, at);
    return at + (size_t)thread->counters.count * 8;
}

static void record_begin(struct quipu__mpi_frame *frame) {
    const bool has_cpu = quipu__mpi_process.clocks & QUIPU__MPI_CPU;
    const size_t counters = (size_t)frame->thread->counters.count * 8;
    const size_t site = quipu__mpi_process.has_call_sites ? 8 : 0;
    if (site > 0)
        quipu__mpi_note_module(frame->thread, (uint64_t)(uintptr_t)frame->caller);
    const size_t bytes = frame->call->has_entry_lists ? quipu__mpi_entry_bytes(frame) : SMALL_STAGE;
    uint8_t *room =
        quipu__mpi_room(frame->thread, sizeof(struct quipu__mpi_head) + 8 + counters + site + bytes);
    frame->is_recorded = room != NULL;
    if (!room)
        return;
    uint8_t *at = room + sizeof(struct quipu__mpi_head);
    uint8_t *const cpu = at;
    uint8_t *const values = has_cpu ? at + 8 : at;
    at = quipu__mpi_put_entry(frame, values + counters + site);
    if (site > 0)
        put_number(values + counters, (int64_t)(uintptr_t)frame->caller);
    put_counters(frame->thread, values);
    if (has_cpu)
        put_number(cpu, quipu__mpi_cpu_now());
    const int64_t time = (int64_t)quipu__clock_now();
    put_head(room, (size_t)(at - room), QUIPU__MPI_BEGIN, frame->row, time);
    quipu__mpi_commit(frame->thread, room, (size_t)(at - room));
    if (__builtin_expect(time >= frame->thread->delay_due, 0))
        quipu__mpi_put_delay(frame->thread, time, false);
}

static void record_end(struct quipu__mpi_frame *frame, int result) {
    const int64_t time = (int64_t)quipu__clock_now();
    const bool has_cpu = quipu__mpi_process.clocks & QUIPU__MPI_CPU;
    const int64_t cpu = has_cpu ? quipu__mpi_cpu_now() : 0;
    const size_t counters = (size_t)frame->thread->counters.count * 8;
    uint8_t values[QUIPU__MPI_COUNTERS_MOST * 8];
    put_counters(frame->thread, values);
    if (__builtin_expect(time >= frame->thread->delay_due, 0))
        quipu__mpi_put_delay(frame->thread, time, true);
    if (result == 0 && frame->call->has_questions)
        quipu__mpi_answer(frame);
    const size_t bytes = frame->call->has_exit_lists ? quipu__mpi_exit_bytes(frame, result) : SMALL_STAGE;
    uint8_t *room = quipu__mpi_room(frame->thread, sizeof(struct quipu__mpi_head) + 16 + counters + bytes);
    if (!room)
        return;
    uint8_t *at = room + sizeof(struct quipu__mpi_head);
    if (has_cpu)
        at = put_number(at, cpu);
    memcpy(at, values, counters);
    at += counters;
    if (result != 0)
        at = put_number(at, result);
    at = quipu__mpi_put_exit(frame, result, at);
    put_head(room, (size_t)(at - room), result == 0 ? QUIPU__MPI_END : QUIPU__MPI_FAILED, frame->row, time);
    quipu__mpi_commit(frame->thread, room, (size_t)(at - room));
}

static void count(uint32_t number) {
    const uint32_t total = QUIPU__MPI_COUNTED - 1;
    if (!quipu__mpi_process.is_counting || number >= total)
        return;
    __atomic_fetch_add(&quipu__mpi_process.called[number], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&quipu__mpi_process.called[total], 1, __ATOMIC_RELAXED);
}

/* A function of Fortran that calls the same function of C is one call. */
static bool is_same_call(const struct quipu__mpi_thread *thread, enum quipu__mpi_row row,
                         enum quipu__mpi_language language) {
    return thread->depth == 1 && language == QUIPU__MPI_C && thread->fortran_row == (uint32_t)row;
}

/* ---- Sessions ---- */

/* The last argument of the call, which is a handle. */
static uint64_t handle_of(const struct quipu__mpi_frame *frame) {
    return (uint64_t)quipu__mpi_scalar(frame, &frame->call->tokens[frame->call->token_count - 1]);
}

static void follow_sessions(const struct quipu__mpi_frame *frame) {
    if (frame->row == QUIPU__MPI_Session_init)
        quipu__mpi_session_initialized(frame->thread, handle_of(frame));
    if (frame->row == QUIPU__MPI_Comm_create_from_group)
        quipu__mpi_session_communicator(frame->thread, handle_of(frame));
    if (frame->is_leaving_session)
        quipu__mpi_session_left(frame->thread);
}

void quipu__mpi_begin(struct quipu__mpi_frame *frame, enum quipu__mpi_row row, word *words,
                      enum quipu__mpi_language language) {
    const int reason = errno;
    quipu__mpi_find();
    struct quipu__mpi_thread *thread = quipu__mpi_thread();
    frame->thread = thread;
    frame->is_recorded = frame->is_leaving_session = false;
    if (!thread)
        return;
    frame->row = (uint16_t)row;
    if (is_same_call(thread, row, language)) {
        thread->depth++;
        return;
    }
    if (thread->depth == 0)
        thread->fortran_row = language == QUIPU__MPI_C ? QUIPU__MPI_ROWS : (uint32_t)row;
    count(quipu__mpi_calls[row].number);
    const bool is_wanted = quipu__mpi_process.is_recording && quipu__mpi_process.is_recorded[row];
    if (thread->depth++ > 0 || !is_wanted) {
        thread->ignored[row]++;
        errno = reason;
        return;
    }
    frame->call = &quipu__mpi_calls[row];
    frame->words = words;
    frame->language = (uint8_t)language;
    frame->is_remote = false;
    frame->is_leaving_session = (row == QUIPU__MPI_Comm_free || row == QUIPU__MPI_Comm_disconnect) &&
                                quipu__mpi_process.has_session_comm &&
                                quipu__mpi_session_leaving(thread, handle_of(frame));
    if (row == QUIPU__MPI_Finalize) {
        quipu__mpi_finalizing(thread);
        thread->delay_due = thread->delay_due == INT64_MAX ? INT64_MAX : 0;
    }
    record_begin(frame);
    if (frame->is_recorded && frame->call->status >= 0)
        quipu__mpi_fill_statuses(frame);
    if (row == QUIPU__MPI_Abort)
        quipu__mpi_end_recording();
    errno = reason;
}

static bool is_initialization(uint16_t row) {
    return row == QUIPU__MPI_Init || row == QUIPU__MPI_Init_thread;
}

void quipu__mpi_end(struct quipu__mpi_frame *frame, int result) {
    struct quipu__mpi_thread *thread = frame->thread;
    const int reason = errno;
    if (!thread)
        return;
    if (frame->is_recorded)
        record_end(frame, result);
    if (thread->depth == 1 && result == 0 && is_initialization(frame->row))
        quipu__mpi_initialized(thread);
    if (thread->depth == 1 && result == 0)
        follow_sessions(frame);
    if (thread->depth == 1 && frame->row == QUIPU__MPI_Finalize)
        quipu__mpi_put_counts(thread);
    thread->depth--;
    if (thread->depth == 0 && frame->row == QUIPU__MPI_Finalize)
        quipu__mpi_end_recording();
    errno = reason;
}
