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
    const char *name;
    uint64_t tell_at; /* offset at which to say how far the reading is */
    void *userarg;
    libundumpi_unsafe_fun callouts[QUIPU__UNDUMPI_CALLS];
};

/* Skips calls that nobody waits for, as far as stdio has read ahead, that takes no decoding, and stays before the
 * bound. */
static inline struct quipu__stdio_ahead skip_calls(const struct reading *reading,
                                             const struct quipu__undumpi_stream *stream, FILE *file,
                                             struct quipu__stdio_ahead ahead, uint64_t bound) {
    const uint8_t *at = ahead.at;
    const uint8_t *const end = at + (ahead.left < bound ? ahead.left : (size_t)bound);
    while (end - at >= QUIPU__DUMPI_RECORD_LEAST) {
        const uint32_t type = quipu__dumpi_type_of(quipu__load_be16(at));
        if (type == QUIPU_NONE || reading->callouts[type] || stream->whole[type] == QUIPU__UNDUMPI_VARIES ||
            (at[2] & QUIPU__DUMPI_MASK_COUNTERS))
            break;
        const size_t bytes = quipu__dumpi_head_bytes(at[2]) + stream->whole[type];
        if ((size_t)(end - at) < bytes)
            break;
        at += bytes;
    }
    const size_t skipped = (size_t)(at - ahead.at);
    quipu__stdio_skip(file, skipped);
    return (struct quipu__stdio_ahead){at, ahead.left - skipped, ahead.passed + skipped,
                                 ahead.offset + (int64_t)skipped};
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Tells how far the reading is, and notes when to tell again. */
static void tell_progress(struct reading *reading) {
    const uint64_t total = reading->profile->total_file_size ? reading->profile->total_file_size : 1;
    const uint64_t percent = least(reading->profile->pos * 100 / total, 100);
    printf("DUMPI trace   %d percent complete: %s\n", (int)percent, reading->name);
    reading->tell_at = (percent + 1) * total / 100 + 1;
}

/* What stdio shows, with the offset in any case. */
static inline struct quipu__stdio_ahead look_ahead(FILE *file) {
    struct quipu__stdio_ahead ahead = quipu__stdio_ahead(file);
    if (QUIPU__UNLIKELY(ahead.offset < 0))
        ahead.offset = (int64_t)quipu__undumpi_position(file);
    return ahead;
}

/* Reads on from wherever the file is, since a callback may have moved it. */
static enum quipu_status read_calls(struct reading *reading, struct dumpi_memory_buffer *own) {
    dumpi_profile *profile = reading->profile;
    struct quipu__undumpi_stream *stream = &own->stream;
    for (;;) {
        struct quipu__stdio_ahead ahead = look_ahead(profile->file);
        const uint64_t pause = least(least(reading->tell_at, profile->terminate_pos), own->calls_end);
        ahead = skip_calls(reading, stream, profile->file, ahead, bytes_before(pause, (uint64_t)ahead.offset));
        const uint64_t bound = bytes_before(own->calls_end, (uint64_t)ahead.offset);
        const enum quipu_status status =
            quipu__undumpi_stream_next(stream, profile->file, QUIPU_NONE, ahead, bound);
        if (QUIPU__UNLIKELY(status != QUIPU_OK))
            return status;
        const libundumpi_unsafe_fun callout = reading->callouts[stream->decoder.type];
        profile->pos = quipu__undumpi_position(profile->file);
        if (callout)
            quipu__undumpi_deliver(own, callout, reading->userarg);
        if (QUIPU__UNLIKELY(profile->pos >= reading->tell_at))
            tell_progress(reading);
        if (QUIPU__UNLIKELY(profile->pos >= profile->terminate_pos))
            return QUIPU_END;
    }
}

int undumpi_read_stream_full(const char *metaname, dumpi_profile *profile, const libundumpi_callbacks *callbacks,
                             void *userarg, bool print_progress) {
    struct reading reading = {profile, metaname ? metaname : "", print_progress ? 0 : UINT64_MAX, userarg,
                              {NULL}};
    if (!quipu__undumpi_reader(profile))
        return 0;
    if (callbacks)
        memcpy(reading.callouts, callbacks, sizeof reading.callouts);
    if (!dumpi_start_stream_read(profile))
        return 1;
    struct dumpi_memory_buffer *own = quipu__undumpi_reader(profile);
    if (own)
        quipu__undumpi_note(own, read_calls(&reading, own), &own->stream.error);
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
    const struct quipu__stdio_ahead ahead = look_ahead(file);
    if ((uint64_t)ahead.offset >= calls_end)
        return DUMPI_END_OF_STREAM;
    if (ahead.left < sizeof number)
        return fread(number, 1, sizeof number, file) == sizeof number ? quipu__load_be16(number)
                                                                      : DUMPI_END_OF_STREAM;
    quipu__stdio_skip(file, sizeof number);
    return quipu__load_be16(ahead.at);
}

int undumpi_read_single_call(dumpi_profile *profile, struct libundumpi_cbpair *pairs, void *userarg,
                             int *mpi_finalized) {
    struct dumpi_memory_buffer *own = pairs ? quipu__undumpi_reader(profile) : NULL;
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
    const libdumpi_do_callback handler = pairs[id].handler ? pairs[id].handler : quipu__undumpi_grabs[type];
    handler(profile, pairs[id].callout, userarg);
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
void libundumpi_populate_handlers(const libundumpi_callbacks *callbacks, libundumpi_cbpair *pairs) {
    (void)callbacks;
    for (uint32_t id = 0; pairs && id < DUMPI_END_OF_STREAM; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        pairs[id].handler = type == QUIPU_NONE ? NULL : quipu__undumpi_grabs[type];
    }
    if (pairs)
        pairs[DUMPI_ALL_FUNCTIONS].handler = libundumpi_grab_all_functions;
}

void libundumpi_populate_callouts(const libundumpi_callbacks *callbacks, libundumpi_cbpair *pairs) {
    for (uint32_t id = 0; pairs && id < DUMPI_END_OF_STREAM; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        libundumpi_unsafe_fun *callout = &pairs[id].callout;
        *callout = NULL;
        if (callbacks && type != QUIPU_NONE)
            memcpy(callout, (const char *)callbacks + type * sizeof *callout, sizeof *callout);
    }
}

void libundumpi_populate_callbacks(const libundumpi_callbacks *callbacks, libundumpi_cbpair *pairs) {
    libundumpi_populate_handlers(callbacks, pairs);
    libundumpi_populate_callouts(callbacks, pairs);
}
