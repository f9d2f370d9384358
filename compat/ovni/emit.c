/* emit.c: recording events. An event goes straight into the mapped buffer of its thread; everything that is seldom due (a
 * full buffer, changed metadata, the events about a flush) happens when an event finds no room, which it is made to. */
#include "library.h"

#include "record/clock.h"

#define HEADER_BYTES sizeof(struct ovni_ev_header)
#define SIZE_CODES 0x0fU
#define JUMBO_SIZE_CODE 3
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

uint64_t ovni_clock_now(void) {
    return quipu__clock_now();
}

/* ---- Building events ---- */

void ovni_ev_set_clock(struct ovni_ev *ev, uint64_t clock) {
    ev->header.clock = clock;
}

uint64_t ovni_ev_get_clock(const struct ovni_ev *ev) {
    return ev->header.clock;
}

void ovni_ev_set_mcv(struct ovni_ev *ev, const char *mcv) {
    ev->header.model = (uint8_t)mcv[0];
    ev->header.category = (uint8_t)mcv[1];
    ev->header.value = (uint8_t)mcv[2];
}

/* A code of 0 stands for none, others for one byte more. */
static inline unsigned plain_payload_size(const struct ovni_ev *ev) {
    const unsigned code = ev->header.flags & SIZE_CODES;
    return code + (code != 0);
}

int ovni_payload_size(const struct ovni_ev *ev) {
    if (ev->header.flags & OVNI_EV_JUMBO)
        return (int)(sizeof ev->payload.jumbo.size + ev->payload.jumbo.size);
    return (int)plain_payload_size(ev);
}

int ovni_ev_size(const struct ovni_ev *ev) {
    return (int)HEADER_BYTES + ovni_payload_size(ev);
}

/* The sizes of most arguments, and of all of them at once, without a call. */
static inline void copy_payload(uint8_t *to, const uint8_t *from, size_t size) {
    switch (size) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 8);
        memcpy(to + 8, from + 8, 8);
        break;
    default:
        memcpy(to, from, size);
    }
}

void ovni_payload_add(struct ovni_ev *ev, const uint8_t *buf, int size) {
    const unsigned had = plain_payload_size(ev);
    const bool is_jumbo = ev->header.flags & OVNI_EV_JUMBO;
    if (UNLIKELY(is_jumbo || size < 2 || had + (unsigned)size > sizeof ev->payload)) {
        if (!atomic_load(&process.is_stopped))
            misuse(__func__,
                   is_jumbo ? "a jumbo event has no payload of its own"
                            : "%d bytes cannot be added to %u: 2 to 16 in all",
                   size, had);
        return;
    }
    copy_payload(ev->payload.u8 + had, buf, (size_t)size);
    ev->header.flags = (uint8_t)((ev->header.flags & ~SIZE_CODES) | (had + (unsigned)size - 1));
}

/* ---- The path that is seldom taken ---- */

/* Behind the last event there is always room for the pair: the buffer has slack. */
static void record_flush(uint64_t begin, uint64_t end) {
    const struct ovni_ev_header pair[2] = {{0, 'O', 'F', '[', begin}, {0, 'O', 'F', ']', end}};
    memcpy(thread.ring.data + thread.ring.head->used, pair, sizeof pair);
    quipu__ring_commit(&thread.ring, sizeof pair);
}

static bool write_out(const char *function) {
    thread.flush_begin = ovni_clock_now();
    if (!quipu__ring_write_out(&thread.ring)) {
        system_failed(function, thread.ring.stream_path);
        return false;
    }
    thread.flush_end = ovni_clock_now();
    return true;
}

/* What was due since the last event. */
static bool catch_up(const char *function) {
    if (!needs_thread(function))
        return false;
    if (thread.metadata_changed && !metadata_write(false)) {
        system_failed(function, thread.folder);
        return false;
    }
    if (thread.was_flushed)
        record_flush(thread.flush_begin, thread.flush_end);
    thread.was_flushed = false;
    thread.ring.limit = thread.ring.capacity;
    return true;
}

/* An event and the data behind it. The events about writing the buffer out follow the one that it was written for. */
static void __attribute__((noinline))
emit_slowly(const char *function, const void *event, size_t size, const uint8_t *data, size_t data_size) {
    if (!catch_up(function))
        return;
    uint8_t *room = quipu__ring_room(&thread.ring, size + data_size);
    const bool is_full = !room;
    if (is_full && !write_out(function))
        return;
    room = thread.ring.data + thread.ring.head->used;
    memcpy(room, event, size);
    if (data_size)
        memcpy(room + size, data, data_size);
    quipu__ring_commit(&thread.ring, size + data_size);
    if (is_full)
        record_flush(thread.flush_begin, thread.flush_end);
}

/* ---- Emitting ---- */

/* What the program has just stored byte by byte is read byte by byte: a processor waits for narrow stores before a wide load of
 * them, which costs as much as all the rest (15 of 40 ns with clock_gettime). What is copied behind a shorter payload is
 * overwritten by the next event. */
static inline void copy_event(uint8_t *room, const struct ovni_ev *ev, bool has_payload) {
    const volatile struct ovni_ev_header *header = &ev->header;
    const uint8_t bytes[4] = {header->flags, header->model, header->category, header->value};
    const uint64_t clock = header->clock;
    memcpy(room, bytes, sizeof bytes);
    memcpy(room + sizeof bytes, &clock, sizeof clock);
    if (!has_payload)
        return;
    const volatile union ovni_ev_payload *payload = &ev->payload; /* two loads, not one of 16 bytes */
    const uint64_t first = payload->u64[0], second = payload->u64[1];
    memcpy(room + HEADER_BYTES, &first, sizeof first);
    memcpy(room + HEADER_BYTES + sizeof first, &second, sizeof second);
}

void ovni_ev_emit(struct ovni_ev *ev) {
    const size_t size = HEADER_BYTES + plain_payload_size(ev);
    uint8_t *room = quipu__ring_room(&thread.ring, size);
    if (UNLIKELY(!room || (ev->header.flags & OVNI_EV_JUMBO))) {
        if (!(ev->header.flags & OVNI_EV_JUMBO))
            emit_slowly(__func__, ev, size, NULL, 0);
        else if (needs_thread(__func__))
            misuse(__func__, "a jumbo event, whose data is not in it: ovni_ev_jumbo_emit writes such events");
        return;
    }
    copy_event(room, ev, size > HEADER_BYTES);
    quipu__ring_commit(&thread.ring, size);
}

void ovni_ev_jumbo_emit(struct ovni_ev *ev, const uint8_t *buf, uint32_t bufsize) {
    const size_t head = HEADER_BYTES + sizeof bufsize, size = head + (size_t)bufsize;
    if (!needs_thread(__func__))
        return;
    if (ovni_payload_size(ev) > 0 || size >= OVNI_MAX_EV_BUF) {
        misuse(__func__, "a jumbo event of %u bytes: it may have no payload and at most %lld bytes", bufsize,
               OVNI_MAX_EV_BUF - (long long)head - 1);
        return;
    }
    ev->header.flags = (uint8_t)((ev->header.flags & ~SIZE_CODES) | OVNI_EV_JUMBO | JUMBO_SIZE_CODE);
    ev->payload.jumbo.size = bufsize;
    uint8_t *room = quipu__ring_room(&thread.ring, size);
    if (UNLIKELY(!room)) {
        emit_slowly(__func__, ev, head, buf, bufsize);
        return;
    }
    memcpy(room, ev, head);
    if (bufsize)
        memcpy(room + head, buf, bufsize);
    quipu__ring_commit(&thread.ring, size);
}

void ovni_flush(void) {
    if (!needs_process(__func__) || !needs_thread(__func__))
        return;
    if (thread.ring.limit == 0 && !catch_up(__func__))
        return;
    if (!write_out(__func__))
        return;
    thread.was_flushed = true;
    ask_for_attention();
}

void events_finish(void) {
    thread.was_flushed = false;
}

/* ---- Marks ---- */

struct __attribute__((__packed__)) mark_event {
    struct ovni_ev_header header;
    int64_t value;
    int32_t type;
};

static inline void emit_mark(const char *function, char what, int32_t type, int64_t value) {
    const struct mark_event event = {
        {sizeof value + sizeof type - 1, 'O', 'M', (uint8_t)what, ovni_clock_now()}, value, type};
    if (UNLIKELY(value == 0)) {
        if (needs_thread(function))
            misuse(function, "0 is no value of a mark");
        return;
    }
    uint8_t *room = quipu__ring_room(&thread.ring, sizeof event);
    if (UNLIKELY(!room)) {
        emit_slowly(function, &event, sizeof event, NULL, 0);
        return;
    }
    memcpy(room, &event, sizeof event);
    quipu__ring_commit(&thread.ring, sizeof event);
}

void ovni_mark_push(int32_t type, int64_t value) {
    emit_mark(__func__, '[', type, value);
}

void ovni_mark_pop(int32_t type, int64_t value) {
    emit_mark(__func__, ']', type, value);
}

void ovni_mark_set(int32_t type, int64_t value) {
    emit_mark(__func__, '=', type, value);
}
