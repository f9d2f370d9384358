/* transfers.c: events of files, and of one-sided communication. A transfer of a file may go on after the call that begins it: non-blocking ones are found again
 * by their request, split collective ones by their file handle. */
#include "formats/dumpi/events.h"

/* ---- Files ---- */

static uint32_t file_of(const struct quipu__dumpi_current_call *call) {
    return quipu__tokens_get(&call->events->files, (uint16_t)HANDLE(call, file));
}

static void add_handle(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time,
                       uint32_t operation) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    batch->object[i] = file_of(call);
    batch->id[i] = (uint16_t)HANDLE(call, file);
    batch->operation[i] = operation;
}

static void on_io_open(struct quipu__dumpi_current_call *call) {
    const uint32_t group = quipu__dumpi_group_of(call->events, HANDLE(call, scope));
    quipu__gate_knows(quipu__dumpi_windows_put(&call->events->windows,
                                               QUIPU__DUMPI_OF_FILE | (uint16_t)HANDLE(call, file), group));
    add_handle(call, QUIPU_KIND_io_open, call->stop, (uint32_t)(uint16_t)HANDLE(call, amode));
}

static void on_io_close(struct quipu__dumpi_current_call *call) {
    add_handle(call, QUIPU_KIND_io_close, call->start, 0);
}

static void on_io_unlink(struct quipu__dumpi_current_call *call) {
    const uint32_t i = add(call, QUIPU_KIND_io_unlink, call->stop);
    if (i == QUIPU_NONE)
        return;
    call->batch->batch.object[i] = quipu__dumpi_file_named(call->events->own, LIST(call, filename));
    call->batch->batch.value[i] = 0;
}

static void on_io_resize(struct quipu__dumpi_current_call *call) {
    const uint32_t i = add(call, QUIPU_KIND_io_resize, call->stop);
    if (i == QUIPU_NONE)
        return;
    call->batch->batch.object[i] = file_of(call);
    call->batch->batch.bytes[i] = WIDE(call, size);
    call->batch->batch.value[i] = QUIPU_UNKNOWN;
}

static void add_transfer(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time,
                         const struct quipu__dumpi_transfer *transfer) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    batch->object[i] = transfer->file;
    batch->operation[i] = transfer->operation;
    batch->tag[i] = transfer->handle;
    batch->value[i] = transfer->offset;
    batch->bytes[i] = transfer->bytes;
    batch->id[i] = transfer->id;
}

static struct quipu__dumpi_transfer transfer_of(struct quipu__dumpi_current_call *call) {
    return (struct quipu__dumpi_transfer){
        .is_active = true,
        .file = file_of(call),
        .handle = (uint16_t)HANDLE(call, file),
        .operation = call->row->operation,
        .offset = HAS(call, offset) ? WIDE(call, offset) : QUIPU_UNKNOWN,
        .bytes =
            HAS(call, count) ? quipu__dumpi_bytes_of(call, NUMBER(call, count), HANDLE(call, datatype)) : 0,
        .id = call->events->next_id++,
    };
}

/* A transfer ends with the bytes of its status, if it has one. */
void quipu__dumpi_end_transfer(struct quipu__dumpi_current_call *call, struct quipu__dumpi_transfer *transfer,
                               const struct quipu__dumpi_status *status) {
    transfer->is_active = false;
    if (status && status->bytes >= 0)
        transfer->bytes = (uint64_t)status->bytes;
    add_transfer(call, QUIPU_KIND_io_end, call->stop, transfer);
}

static void on_io(struct quipu__dumpi_current_call *call) {
    struct quipu__dumpi_transfer transfer = transfer_of(call);
    add_transfer(call, QUIPU_KIND_io_begin, call->start, &transfer);
    quipu__dumpi_end_transfer(call, &transfer, status_at(call, 0));
}

/* A transfer that continues after the call, found again by a number. */
static void begin_transfer(struct quipu__dumpi_current_call *call, bool is_split, int32_t number) {
    struct quipu__dumpi_transfer *transfer =
        quipu__dumpi_transfer_at(&call->events->requests, is_split, number);
    if (!transfer)
        return;
    *transfer = transfer_of(call);
    transfer->is_split = is_split;
    transfer->number = number;
    add_transfer(call, QUIPU_KIND_io_begin, call->start, transfer);
}

static void end_transfer(struct quipu__dumpi_current_call *call, bool is_split, int32_t number,
                         const struct quipu__dumpi_status *status) {
    struct quipu__dumpi_transfer *transfer =
        quipu__dumpi_transfer_find(&call->events->requests, is_split, number);
    if (transfer)
        quipu__dumpi_end_transfer(call, transfer, status);
}

static void on_io_start(struct quipu__dumpi_current_call *call) {
    begin_transfer(call, false, NUMBER(call, request));
}

static void on_io_begin(struct quipu__dumpi_current_call *call) {
    begin_transfer(call, true, HANDLE(call, file));
}

static void on_io_end(struct quipu__dumpi_current_call *call) {
    end_transfer(call, true, HANDLE(call, file), status_at(call, 0));
}

static void io_complete(struct quipu__dumpi_current_call *call, int32_t number, uint32_t status) {
    end_transfer(call, false, number, status_at(call, status));
}

static void on_io_wait(struct quipu__dumpi_current_call *call) {
    complete_one(call, io_complete);
}

static void on_io_waitany(struct quipu__dumpi_current_call *call) {
    complete_any(call, io_complete);
}

static void on_io_waitall(struct quipu__dumpi_current_call *call) {
    complete_all(call, io_complete);
}

static void on_io_waitsome(struct quipu__dumpi_current_call *call) {
    complete_some(call, io_complete);
}

/* ---- One-sided communication ---- */

static void on_win_create(struct quipu__dumpi_current_call *call) {
    const uint32_t group = quipu__dumpi_group_of(call->events, HANDLE(call, comm));
    quipu__gate_knows(quipu__dumpi_windows_put(&call->events->windows, (uint16_t)HANDLE(call, scope), group));
}

static void add_rma(struct quipu__dumpi_current_call *call, enum quipu_kind kind, int64_t time) {
    const uint32_t i = add(call, kind, time);
    struct quipu_batch *batch = &call->batch->batch;
    if (i == QUIPU_NONE)
        return;
    const uint32_t group = quipu__dumpi_windows_get(&call->events->windows, (uint16_t)HANDLE(call, scope));
    batch->operation[i] = call->row->operation;
    batch->peer[i] = quipu__dumpi_peer_of(call->events, group, NUMBER(call, dest));
    batch->group[i] = group;
    batch->tag[i] = 0;
    batch->bytes[i] = quipu__dumpi_bytes_of(call, NUMBER(call, count), HANDLE(call, datatype));
    batch->value[i] = QUIPU_UNKNOWN;
}

static void on_rma(struct quipu__dumpi_current_call *call) {
    add_rma(call, QUIPU_KIND_rma_begin, call->start);
    add_rma(call, QUIPU_KIND_rma_end, call->stop);
}

quipu__dumpi_event_fn *const quipu__dumpi_transfer_classes[QUIPU__DUMPI_CALL_CLASS_LEAVE + 1] = {
    [QUIPU__DUMPI_CALL_CLASS_WIN_CREATE] = on_win_create,
    [QUIPU__DUMPI_CALL_CLASS_RMA] = on_rma,
    [QUIPU__DUMPI_CALL_CLASS_IO_OPEN] = on_io_open,
    [QUIPU__DUMPI_CALL_CLASS_IO_CLOSE] = on_io_close,
    [QUIPU__DUMPI_CALL_CLASS_IO_UNLINK] = on_io_unlink,
    [QUIPU__DUMPI_CALL_CLASS_IO_RESIZE] = on_io_resize,
    [QUIPU__DUMPI_CALL_CLASS_IO] = on_io,
    [QUIPU__DUMPI_CALL_CLASS_IO_START] = on_io_start,
    [QUIPU__DUMPI_CALL_CLASS_IO_BEGIN] = on_io_begin,
    [QUIPU__DUMPI_CALL_CLASS_IO_END] = on_io_end,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAIT] = on_io_wait,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAITANY] = on_io_waitany,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAITALL] = on_io_waitall,
    [QUIPU__DUMPI_CALL_CLASS_IO_WAITSOME] = on_io_waitsome,
};
