/* recorded.c: records of a stream, a call's two put together. A stream that ends inside a record, or is damaged, has no more. */
#include "record/mpi/recorded.h"

#include "core/error.h"
#include "core/files/recording.h"
#include "record/mpi/counters.h"

#include <string.h>

#define WINDOW ((size_t)64 << 10)

static bool is_head_good(const struct quipu__mpi_stream_head *head) {
    return memcmp(head->magic, QUIPU__MPI_MAGIC, sizeof head->magic) == 0 &&
           head->version == QUIPU__MPI_VERSION && head->size == sizeof *head &&
           head->table == quipu__mpi_calls_hash() && head->counters <= QUIPU__MPI_COUNTERS_MOST;
}

static enum quipu_status read_head(struct quipu__mpi_recorded *recorded, struct quipu_error *err) {
    struct quipu__input *input = recorded->input;
    const enum quipu_status status = quipu__input_more(input, sizeof recorded->head, err);
    if (status != QUIPU_OK && status != QUIPU_END)
        return status;
    if ((size_t)(input->end - input->at) < sizeof recorded->head)
        return QUIPU_END;
    memcpy(&recorded->head, input->at, sizeof recorded->head);
    input->at += sizeof recorded->head;
    return is_head_good(&recorded->head) ? QUIPU_OK : QUIPU_END;
}

enum quipu_status quipu__mpi_recorded_open(struct quipu__mpi_recorded *recorded, struct quipu__files *files,
                                           const char *path, struct quipu_error *err) {
    enum quipu__ring_state ring = QUIPU__RING_ABSENT;
    *recorded = (struct quipu__mpi_recorded){.memory = recorded->memory};
    enum quipu_status status = quipu__input_open(files, path, QUIPU__CODEC_NONE, WINDOW, &recorded->input, err);
    if (status == QUIPU_OK)
        status = quipu__recording_splice(files, path, recorded->input, &ring, err);
    recorded->is_damaged = ring == QUIPU__RING_DAMAGED;
    if (status == QUIPU_OK)
        status = read_head(recorded, err);
    if (status != QUIPU_OK)
        quipu__mpi_recorded_close(recorded);
    return status;
}

void quipu__mpi_recorded_close(struct quipu__mpi_recorded *recorded) {
    if (recorded->input)
        quipu__input_close(recorded->input);
    recorded->input = NULL;
    QUIPU__VEC_RELEASE(recorded->memory, &recorded->begin);
}

static bool is_record_good(const struct quipu__mpi_head *head) {
    const bool is_call = head->record <= QUIPU__MPI_FAILED;
    return head->size >= sizeof *head && head->size % 8 == 0 && head->record < QUIPU__MPI_RECORDS &&
           (!is_call || head->row < QUIPU__MPI_ROWS);
}

/* The record that the input stands before. QUIPU_END: there is none. */
static enum quipu_status look(struct quipu__mpi_recorded *recorded, struct quipu_error *err) {
    struct quipu__input *input = recorded->input;
    enum quipu_status status = quipu__input_more(input, sizeof recorded->record, err);
    const size_t left = (size_t)(input->end - input->at);
    if (status != QUIPU_OK || left < sizeof recorded->record) {
        recorded->is_damaged |= left > 0;
        return status == QUIPU_OK ? QUIPU_END : status;
    }
    memcpy(&recorded->record, input->at, sizeof recorded->record);
    if (!is_record_good(&recorded->record)) {
        recorded->is_damaged = true;
        return QUIPU_END;
    }
    status = quipu__input_more(input, recorded->record.size, err);
    if (status != QUIPU_OK)
        return status;
    if ((size_t)(input->end - input->at) < recorded->record.size) {
        recorded->is_damaged = true;
        return QUIPU_END;
    }
    recorded->data = input->at + sizeof recorded->record;
    recorded->size = recorded->record.size - sizeof recorded->record;
    recorded->taken = recorded->record.size;
    return QUIPU_OK;
}

static enum quipu_status begin_call(struct quipu__mpi_recorded *recorded, struct quipu_error *err) {
    recorded->begin.count = 0;
    if (recorded->size > 0 && !QUIPU__VEC_RESERVE(recorded->memory, &recorded->begin, recorded->size))
        return quipu__no_memory(err, recorded->size);
    if (recorded->size > 0)
        memcpy(recorded->begin.items, recorded->data, recorded->size);
    recorded->begin.count = recorded->size;
    recorded->start = recorded->record;
    recorded->is_active = true;
    const bool is_own = quipu__mpi_calls[recorded->record.row].number == QUIPU__MPI_OWN;
    recorded->happening = is_own ? QUIPU__MPI_CALL_STARTED : QUIPU__MPI_NO_MORE;
    return QUIPU_OK;
}

static void end_call(struct quipu__mpi_recorded *recorded) {
    const bool is_right = recorded->is_active && recorded->record.row == recorded->start.row;
    recorded->happening = is_right ? QUIPU__MPI_CALL : QUIPU__MPI_NO_MORE;
    recorded->is_damaged |= !is_right;
    recorded->is_active = false;
}

static void end_stream(struct quipu__mpi_recorded *recorded) {
    recorded->happening = recorded->is_active ? QUIPU__MPI_CALL_LEFT : QUIPU__MPI_NO_MORE;
    recorded->is_active = false;
    recorded->record = recorded->start;
    recorded->data = NULL;
    recorded->size = 0;
}

static enum quipu_status understand(struct quipu__mpi_recorded *recorded, struct quipu_error *err) {
    switch (recorded->record.record) {
    case QUIPU__MPI_BEGIN:
        return begin_call(recorded, err);
    case QUIPU__MPI_END:
    case QUIPU__MPI_FAILED:
        end_call(recorded);
        return QUIPU_OK;
    case QUIPU__MPI_REGION_ENTER:
        recorded->happening = QUIPU__MPI_ENTERED;
        return QUIPU_OK;
    case QUIPU__MPI_REGION_LEAVE:
        recorded->happening = QUIPU__MPI_LEFT;
        return QUIPU_OK;
    default:
        recorded->happening = QUIPU__MPI_ABOUT;
        return QUIPU_OK;
    }
}

enum quipu_status quipu__mpi_next(struct quipu__mpi_recorded *recorded, struct quipu_error *err) {
    recorded->happening = QUIPU__MPI_NO_MORE;
    while (recorded->happening == QUIPU__MPI_NO_MORE) {
        recorded->input->at += recorded->taken;
        recorded->taken = 0;
        enum quipu_status status = look(recorded, err);
        if (status == QUIPU_END) {
            end_stream(recorded);
            return QUIPU_OK;
        }
        if (status == QUIPU_OK)
            status = understand(recorded, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}
