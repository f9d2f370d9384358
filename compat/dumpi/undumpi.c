/* undumpi.c: reading all calls, or one by one, and handing them to callbacks. The structs of the record tables have the
 * layout of the argument structs, so a callback gets the decoded record itself. */
#include "calls.h"
#include "library.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(libundumpi_callbacks) == QUIPU__UNDUMPI_CALLS * sizeof(libundumpi_unsafe_fun),
               "callbacks are in the order of the record types");

static uint64_t bytes_before(uint64_t bound, uint64_t offset) {
    return bound > offset ? bound - offset : 0;
}

/* ---- All calls ---- */

struct reading {
    dumpi_profile *profile;
    struct dumpi_memory_buffer *own;
    const char *name;
    uint64_t tell_at; /* offset at which to say how far the reading is */
    void *userarg;
    struct quipu__stdio_lookahead lookahead; /* what stdio showed when it was looked at last */
    const uint8_t *at, *end;                 /* the next call in it, and the end of the calls in it */
    const uint8_t *skip_end;                 /* the same, or the pause when that comes first */
    size_t taken;                            /* bytes that stdio knows of */
    size_t pause;                            /* bytes after which something is to be done */
    libundumpi_unsafe_fun callouts[QUIPU__UNDUMPI_CALLS];
};

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* What stdio shows, with the offset in any case. */
static struct quipu__stdio_lookahead look_ahead(FILE *file) {
    struct quipu__stdio_lookahead lookahead = quipu__stdio_lookahead(file);
    if (lookahead.offset < 0)
        lookahead.offset = (int64_t)quipu__undumpi_position(file);
    return lookahead;
}

/* Goes on wherever the file is. */
static void look(struct reading *reading) {
    const dumpi_profile *profile = reading->profile;
    const struct quipu__stdio_lookahead lookahead = look_ahead(profile->file);
    const uint64_t pause =
        bytes_before(least(reading->tell_at, profile->terminate_pos), (uint64_t)lookahead.offset);
    reading->lookahead = lookahead;
    reading->at = lookahead.at;
    reading->end =
        lookahead.at + least(lookahead.left, bytes_before(reading->own->calls_end, (uint64_t)lookahead.offset));
    reading->taken = 0;
    reading->pause = (size_t)least(pause, SIZE_MAX);
    reading->skip_end = lookahead.at + least(pause, (uint64_t)(reading->end - lookahead.at));
}

/* Tells stdio and the profile how far the reading is. */
static inline void consume(struct reading *reading) {
    const size_t done = (size_t)(reading->at - reading->lookahead.at);
    quipu__stdio_skip(reading->profile->file, done - reading->taken);
    reading->taken = done;
    reading->profile->pos = (uint64_t)reading->lookahead.offset + done;
}

/* Skips calls without a callback, as far as that takes no decoding; not the one that ends where something is to be done. */
static inline void skip_calls(struct reading *reading) {
    const struct quipu__undumpi_stream *stream = &reading->own->stream;
    const uint8_t *at = reading->at;
    const uint8_t *const end = reading->skip_end;
    while (end - at >= QUIPU__DUMPI_RECORD_LEAST) {
        const uint32_t type = quipu__dumpi_type_of(quipu__load_be16(at));
        if (type == QUIPU_NONE || reading->callouts[type] || stream->whole[type] == QUIPU__UNDUMPI_VARIES ||
            (at[2] & QUIPU__DUMPI_MASK_COUNTERS))
            break;
        const size_t bytes = quipu__dumpi_head_bytes(at[2]) + stream->whole[type];
        if ((size_t)(end - at) <= bytes)
            break;
        at += bytes;
    }
    reading->at = at;
}

/* The first offset at which more than that many percent of the file are read. */
static uint64_t end_of_percent(const dumpi_profile *profile, uint64_t percent) {
    return ((percent + 1) * profile->total_file_size + 99) / 100;
}

/* Tells how far the reading is, and notes when to tell again. */
static void tell_progress(struct reading *reading) {
    const uint64_t percent = reading->profile->pos * 100 / reading->profile->total_file_size;
    printf("DUMPI trace %3d percent complete: %s\n", (int)percent, reading->name);
    fflush(stdout);
    reading->tell_at = end_of_percent(reading->profile, percent);
}

/* Reads a call that is not whole in what stdio shows. */
static enum quipu_status gather_call(struct reading *reading) {
    dumpi_profile *profile = reading->profile;
    consume(reading);
    const enum quipu_status status = quipu__undumpi_stream_gather(
        &reading->own->stream, profile->file, QUIPU_NONE, bytes_before(reading->own->calls_end, profile->pos));
    look(reading);
    profile->pos = (uint64_t)reading->lookahead.offset;
    return status;
}

/* Hands the call on that was decoded last. The callback may have moved the file. */
static inline void deliver(struct reading *reading, libundumpi_unsafe_fun callout) {
    consume(reading);
    quipu__undumpi_deliver(reading->own, callout, reading->userarg);
    const struct quipu__stdio_lookahead now = quipu__stdio_lookahead(reading->profile->file);
    if (QUIPU__UNLIKELY(now.at != reading->at || now.left != reading->lookahead.left - reading->taken))
        look(reading);
}

/* Does what is due at the pause; false: the reading ends here. */
static bool pause_reading(struct reading *reading) {
    const dumpi_profile *profile = reading->profile;
    consume(reading);
    const bool goes_on = profile->pos < profile->terminate_pos;
    if (goes_on && profile->pos >= reading->tell_at && profile->pos < reading->own->calls_end)
        tell_progress(reading);
    look(reading);
    return goes_on;
}

static enum quipu_status read_calls(struct reading *reading) {
    struct quipu__undumpi_stream *stream = &reading->own->stream;
    look(reading);
    stream->decoder.engine.limit = QUIPU__DUMPI_RECORD_LIMIT;
    for (;;) {
        skip_calls(reading);
        const uint8_t *next = NULL;
        if (QUIPU__LIKELY(quipu__dumpi_decode(&stream->decoder, reading->at, reading->end, &next) ==
                          QUIPU__DUMPI_OK)) {
            reading->at = next;
        } else {
            const enum quipu_status status = gather_call(reading);
            if (status != QUIPU_OK)
                return status;
        }
        const libundumpi_unsafe_fun callout = reading->callouts[stream->decoder.type];
        if (callout)
            deliver(reading, callout);
        if (QUIPU__UNLIKELY((size_t)(reading->at - reading->lookahead.at) >= reading->pause) &&
            !pause_reading(reading))
            return QUIPU_END;
    }
}

int undumpi_read_stream_full(const char *metaname, dumpi_profile *profile,
                             const libundumpi_callbacks *callbacks, void *userarg, bool print_progress) {
    struct reading reading = {.profile = profile,
                              .own = quipu__undumpi_reader(profile),
                              .name = metaname ? metaname : "",
                              .tell_at = UINT64_MAX,
                              .userarg = userarg};
    if (!reading.own)
        return 0;
    if (callbacks)
        memcpy(reading.callouts, callbacks, sizeof reading.callouts);
    if (!dumpi_start_stream_read(profile))
        return 1;
    if (print_progress && profile->total_file_size > 0)
        reading.tell_at = end_of_percent(profile, 0);
    reading.own = quipu__undumpi_reader(profile);
    quipu__undumpi_note(reading.own, read_calls(&reading), &reading.own->stream.error);
    profile->pos = quipu__undumpi_position(profile->file);
    return 1;
}

int undumpi_read_stream(dumpi_profile *profile, const libundumpi_callbacks *callbacks, void *userarg,
                        bool print_progress) {
    return undumpi_read_stream_full(NULL, profile, callbacks, userarg, print_progress);
}

/* ---- Call by call ---- */

/* The number of the next call, which is taken; END_OF_STREAM at the end. */
static uint32_t take_number(dumpi_profile *profile, uint64_t calls_end) {
    uint8_t number[2];
    FILE *file = profile->file;
    const struct quipu__stdio_lookahead lookahead = look_ahead(file);
    if ((uint64_t)lookahead.offset >= calls_end)
        return DUMPI_END_OF_STREAM;
    if (lookahead.left < sizeof number)
        return fread(number, 1, sizeof number, file) == sizeof number ? quipu__load_be16(number)
                                                                      : DUMPI_END_OF_STREAM;
    quipu__stdio_skip(file, sizeof number);
    return quipu__load_be16(lookahead.at);
}

int undumpi_read_single_call(dumpi_profile *profile, struct libundumpi_cbpair *bindings, void *userarg,
                             int *mpi_finalized) {
    struct dumpi_memory_buffer *own = bindings ? quipu__undumpi_reader(profile) : NULL;
    if (!own)
        return 0;
    own->fault[0] = '\0';
    const uint32_t id = take_number(profile, own->calls_end);
    const uint32_t type = quipu__dumpi_type_of(id);
    if (type == QUIPU_NONE) {
        profile->pos = quipu__undumpi_position(profile->file);
        if (id != DUMPI_END_OF_STREAM && id != DUMPI_ALL_FUNCTIONS)
            snprintf(own->fault, sizeof own->fault, "byte %llu: there is no record type of that number",
                     (unsigned long long)profile->pos - 2);
        return 0;
    }
    const libdumpi_do_callback handler =
        bindings[id].handler ? bindings[id].handler : quipu__undumpi_grabs[type];
    handler(profile, bindings[id].callout, userarg);
    if (type == QUIPU__DUMPI_TYPE_finalize && mpi_finalized)
        *mpi_finalized = 1;
    return own->fault[0] == '\0';
}

/* ---- Callbacks ---- */

void libundumpi_clear_callbacks(libundumpi_callbacks *callbacks) {
    if (callbacks)
        *callbacks = (libundumpi_callbacks){.on_send = NULL};
}

void libundumpi_set_callbacks(libundumpi_callbacks *callbacks, dumpi_generic_call handler) {
    for (size_t type = 0; callbacks && type < QUIPU__UNDUMPI_CALLS; type++)
        memcpy((char *)callbacks + type * sizeof handler, &handler, sizeof handler);
}

/* Every number has a handler, also where there is no callback: calls have to be read to get to the next. */
void libundumpi_populate_handlers(const libundumpi_callbacks *callbacks, libundumpi_cbpair *bindings) {
    (void)callbacks;
    for (uint32_t id = 0; bindings && id < DUMPI_END_OF_STREAM; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        bindings[id].handler = type == QUIPU_NONE ? NULL : quipu__undumpi_grabs[type];
    }
    if (bindings)
        bindings[DUMPI_ALL_FUNCTIONS].handler = libundumpi_grab_all_functions;
}

void libundumpi_populate_callouts(const libundumpi_callbacks *callbacks, libundumpi_cbpair *bindings) {
    for (uint32_t id = 0; bindings && id < DUMPI_END_OF_STREAM; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        libundumpi_unsafe_fun *callout = &bindings[id].callout;
        *callout = NULL;
        if (callbacks && type != QUIPU_NONE)
            memcpy(callout, (const char *)callbacks + type * sizeof *callout, sizeof *callout);
    }
}

void libundumpi_populate_callbacks(const libundumpi_callbacks *callbacks, libundumpi_cbpair *bindings) {
    libundumpi_populate_handlers(callbacks, bindings);
    libundumpi_populate_callouts(callbacks, bindings);
}
