/* resume.c: resuming in the middle of a substream: what a pass over events knows there, as packed numbers.
 *
 *     place of the next call      bytes from the first one, its index, the wall time before it
 *     clock                       roll-overs, end of the latest call, time of the latest event
 *     numbers                     the next one of a collective or transfer
 *     windows, requests, transfers    how many, then each
 *
 * Only what is active is stored. The meaning of handles of communicators and files follows from the place: the next call
 * finds out. */
#include "formats/dumpi/events.h"

#include "core/error.h"
#include "core/memory/pack.h"

/* Times of files and roll-overs stay far below this, so sums of such times do not overflow. */
#define TIME_LIMIT (INT64_C(1) << 62)

/* A definition, or QUIPU_NONE. */
static void pack_number(struct quipu__buffer *out, uint32_t number) {
    quipu__pack_u64(out, (uint32_t)(number + 1));
}

static uint32_t unpack_number(struct quipu__slice *from, uint32_t count) {
    return (uint32_t)quipu__unpack_up_to(from, count) - 1;
}

static int32_t unpack_i32(struct quipu__slice *from) {
    const int64_t value = quipu__unpack_i64(from);
    from->failed = from->failed || value < INT32_MIN || value > INT32_MAX;
    return from->failed ? 0 : (int32_t)value;
}

static int64_t unpack_time(struct quipu__slice *from) {
    const int64_t time = quipu__unpack_i64(from);
    from->failed = from->failed || time < -TIME_LIMIT || time > TIME_LIMIT;
    return from->failed ? 0 : time;
}

/* A count of items of at least one byte each. */
static uint64_t unpack_count(struct quipu__slice *from) {
    return quipu__unpack_up_to(from, quipu__slice_left(from));
}

/* ---- Saving ---- */

static void save_windows(const struct quipu__dumpi_windows *windows, struct quipu__buffer *out) {
    quipu__pack_u64(out, windows->list.count);
    for (size_t i = 0; i < windows->list.count; i++) {
        quipu__pack_u64(out, windows->list.items[i].handle);
        pack_number(out, windows->list.items[i].group);
    }
}

enum { IS_SENDING = 1, IS_PERSISTENT = 2, WAS_CANCELLED = 4, IS_TOGETHER = 8, REQUEST_FLAGS = 15 };

static void save_request(const struct quipu__dumpi_request *request, struct quipu__buffer *out) {
    quipu__pack_i64(out, request->number);
    quipu__pack_u64(out, (request->kind == QUIPU__DUMPI_SENDING ? IS_SENDING : 0) |
                             (request->kind == QUIPU__DUMPI_TOGETHER ? IS_TOGETHER : 0) |
                             (request->is_persistent ? IS_PERSISTENT : 0) |
                             (request->was_cancelled ? WAS_CANCELLED : 0));
    quipu__pack_u64(out, request->active);
    pack_number(out, request->group);
    quipu__pack_i64(out, request->rank);
    quipu__pack_i64(out, request->tag);
    quipu__pack_u64(out, request->bytes);
    if (request->kind == QUIPU__DUMPI_TOGETHER) {
        quipu__pack_u64(out, request->received);
        quipu__pack_u64(out, request->id);
    }
}

static void save_requests(const struct quipu__dumpi_requests *requests, struct quipu__buffer *out) {
    uint64_t count = 0;
    for (size_t i = 0; i < requests->list.count; i++)
        count += requests->list.items[i].kind != QUIPU__DUMPI_NO_REQUEST;
    quipu__pack_u64(out, count);
    for (size_t i = 0; i < requests->list.count; i++)
        if (requests->list.items[i].kind != QUIPU__DUMPI_NO_REQUEST)
            save_request(&requests->list.items[i], out);
}

static void save_transfer(const struct quipu__dumpi_transfer *transfer, struct quipu__buffer *out) {
    quipu__pack_u64(out, transfer->is_split);
    quipu__pack_i64(out, transfer->number);
    pack_number(out, transfer->file);
    quipu__pack_u64(out, transfer->handle);
    quipu__pack_u64(out, transfer->operation);
    quipu__pack_u64(out, transfer->offset);
    quipu__pack_u64(out, transfer->bytes);
    quipu__pack_u64(out, transfer->id);
}

static void save_transfers(const struct quipu__dumpi_requests *requests, struct quipu__buffer *out) {
    uint64_t count = 0;
    for (size_t i = 0; i < requests->transfer_list.count; i++)
        count += requests->transfer_list.items[i].is_active;
    quipu__pack_u64(out, count);
    for (size_t i = 0; i < requests->transfer_list.count; i++)
        if (requests->transfer_list.items[i].is_active)
            save_transfer(&requests->transfer_list.items[i], out);
}

/* A call for which the batch had no room is the next one. */
enum quipu_status quipu__dumpi_pass_save(const struct quipu__pass *common, struct quipu__buffer *out,
                                         struct quipu_error *err) {
    const struct quipu__dumpi_pass *pass = (const struct quipu__dumpi_pass *)common;
    const struct quipu__dumpi_events *events = pass->events;
    const struct quipu__dumpi_walk *walk = &pass->walk;
    const uint64_t offset = events->waits_for_room ? events->current.offset : quipu__input_offset(walk->input);
    quipu__pack_u64(out, offset - walk->file->calls_at);
    quipu__pack_u64(out, walk->index - events->waits_for_room);
    quipu__pack_i64(out, walk->last_wall);
    quipu__pack_u64(out, (uint64_t)events->wall.rollover_ns / QUIPU__DUMPI_ROLLOVER_NS);
    quipu__pack_i64(out, events->wall.last_stop);
    quipu__pack_i64(out, events->last_time);
    quipu__pack_u64(out, events->next_id);
    quipu__pack_u64(out, events->is_inside);
    save_windows(&events->windows, out);
    save_requests(&events->requests, out);
    save_transfers(&events->requests, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

/* ---- Going on ---- */

/* One of a list; false when memory is out. */
typedef bool resume_one(struct quipu__dumpi_events *events, struct quipu__slice *from);

static bool resume_window(struct quipu__dumpi_events *events, struct quipu__slice *from) {
    const uint32_t handle = (uint32_t)quipu__unpack_up_to(from, QUIPU__DUMPI_HANDLES_MOST - 1);
    const uint32_t group = unpack_number(from, events->groups->count);
    return from->failed || quipu__dumpi_windows_put(&events->windows, handle, group);
}

static bool resume_request(struct quipu__dumpi_events *events, struct quipu__slice *from) {
    struct quipu__dumpi_request resumed = {.number = unpack_i32(from)};
    const uint64_t flags = quipu__unpack_up_to(from, REQUEST_FLAGS);
    resumed.kind = (flags & IS_SENDING) ? QUIPU__DUMPI_SENDING : QUIPU__DUMPI_RECEIVING;
    resumed.is_persistent = (flags & IS_PERSISTENT) != 0;
    resumed.was_cancelled = (flags & WAS_CANCELLED) != 0;
    resumed.active = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
    resumed.group = unpack_number(from, events->groups->count);
    resumed.rank = unpack_i32(from);
    resumed.tag = unpack_i32(from);
    resumed.bytes = quipu__unpack_u64(from);
    if ((flags & IS_TOGETHER) != 0) {
        resumed.kind = QUIPU__DUMPI_TOGETHER;
        resumed.received = quipu__unpack_u64(from);
        resumed.id = quipu__unpack_u64(from);
    }
    if (from->failed)
        return true;
    struct quipu__dumpi_request *request = quipu__dumpi_request_at(&events->requests, resumed.number);
    if (request)
        *request = resumed;
    return request != NULL;
}

static bool resume_transfer(struct quipu__dumpi_events *events, struct quipu__slice *from) {
    const uint32_t files = events->own->trace->define->definitions.files.count;
    struct quipu__dumpi_transfer resumed = {.is_active = true};
    resumed.is_split = quipu__unpack_up_to(from, 1) != 0;
    resumed.number = unpack_i32(from);
    resumed.file = unpack_number(from, files);
    resumed.handle = (uint32_t)quipu__unpack_up_to(from, UINT16_MAX);
    resumed.operation = (uint32_t)quipu__unpack_up_to(from, QUIPU_IO_COUNT - 1);
    resumed.offset = quipu__unpack_u64(from);
    resumed.bytes = quipu__unpack_u64(from);
    resumed.id = quipu__unpack_u64(from);
    if (from->failed)
        return true;
    struct quipu__dumpi_transfer *transfer =
        quipu__dumpi_transfer_at(&events->requests, resumed.is_split, resumed.number);
    if (transfer)
        *transfer = resumed;
    return transfer != NULL;
}

static bool resume_list(struct quipu__dumpi_events *events, struct quipu__slice *from, resume_one *resume) {
    bool done = true;
    for (uint64_t left = unpack_count(from); done && left > 0 && !from->failed; left--)
        done = resume(events, from);
    return done;
}

static void resume_clock(struct quipu__dumpi_events *events, struct quipu__slice *from) {
    events->wall.rollover_ns =
        (int64_t)quipu__unpack_up_to(from, QUIPU__DUMPI_ROLLOVERS) * QUIPU__DUMPI_ROLLOVER_NS;
    events->wall.last_stop = unpack_time(from);
    events->last_time = quipu__unpack_i64(from);
}

enum quipu_status quipu__dumpi_pass_resume(struct quipu__pass *common, struct quipu__slice bytes,
                                           struct quipu_error *err) {
    struct quipu__dumpi_pass *pass = (struct quipu__dumpi_pass *)common;
    struct quipu__dumpi_events *events = pass->events;
    struct quipu__dumpi_walk *walk = &pass->walk;
    const struct quipu__dumpi_file *file = walk->file;
    struct quipu__slice from = bytes;
    const uint64_t calls_bytes = file->calls_end > file->calls_at ? file->calls_end - file->calls_at : 0;
    const uint64_t offset = file->calls_at + quipu__unpack_up_to(&from, calls_bytes);
    walk->index = quipu__unpack_u64(&from);
    walk->last_wall = unpack_time(&from);
    resume_clock(events, &from);
    events->next_id = quipu__unpack_u64(&from);
    events->is_inside = quipu__unpack_up_to(&from, 1) != 0;
    if (!resume_list(events, &from, resume_window) || !resume_list(events, &from, resume_request) ||
        !resume_list(events, &from, resume_transfer))
        return quipu__no_memory(err, events->memory->used);
    if (from.failed || quipu__slice_left(&from) > 0)
        return quipu__fail(err, QUIPU_CORRUPT, "what was kept of a place in %s is damaged", file->path);
    common->bytes = offset;
    return quipu__dumpi_walk_seek(walk, offset, err);
}
