/* library.h: what the files of the library share: the private half of a profile. Everything that the public members of a
 * profile say is taken from them at each call, since a program may change them. */
#ifndef COMPAT_DUMPI_LIBRARY_H
#define COMPAT_DUMPI_LIBRARY_H

#include "stream.h"
#include "writer.h"

#include <dumpi/libundumpi/bindings.h>

#define QUIPU__UNDUMPI_CALLS QUIPU__DUMPI_TYPE_head /* types of calls come first */

struct dumpi_memory_buffer {
    bool is_reading, is_writing; /* which of the following were made */
    uint32_t read_version, write_version;
    struct quipu__undumpi_stream stream;
    uint64_t calls_end; /* reading: where the next section begins */
    struct quipu__undumpi_writer writer;
    struct quipu__scratch scratch; /* writing: lists of the current call */
    dumpi_perfinfo perf;           /* reading: names of the counters, and their values in the current call */
    int32_t label_count;
    char *window; /* what stdio reads ahead into */
    char fault[512];
};

/* What reading or writing needs, made where it is missing. NULL without profile, without memory, and for reading
 * without file. */
struct dumpi_memory_buffer *quipu__undumpi_reader_slow(dumpi_profile *profile);
struct dumpi_memory_buffer *quipu__undumpi_writer_of(dumpi_profile *profile);

static inline uint32_t quipu__undumpi_version(const dumpi_profile *profile) {
    const unsigned char *version = (const unsigned char *)profile->version;
    const uint32_t number = QUIPU__DUMPI_VERSION(version[0], version[1], version[2]);
    return number ? number : QUIPU__DUMPI_NEWEST;
}

static inline struct dumpi_memory_buffer *quipu__undumpi_reader(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = profile ? profile->membuf : NULL;
    if (QUIPU__UNLIKELY(!own || !own->is_reading || !profile->file ||
                        own->read_version != quipu__undumpi_version(profile)))
        own = quipu__undumpi_reader_slow(profile);
    if (QUIPU__LIKELY(own != NULL)) {
        own->stream.decoder.cpu_bias_ns = profile->cpu_time_offset * INT64_C(1000000000);
        own->stream.decoder.wall_bias_ns = profile->wall_time_offset * INT64_C(1000000000);
    }
    return own;
}

/* Notes why reading or writing stopped, "" when it did not. */
void quipu__undumpi_note_slow(struct dumpi_memory_buffer *own, const struct quipu_error *error);
static inline void quipu__undumpi_note(struct dumpi_memory_buffer *own, enum quipu_status status,
                                       const struct quipu_error *error) {
    own->fault[0] = '\0';
    if (QUIPU__UNLIKELY(status < 0))
        quipu__undumpi_note_slow(own, error);
}

/* Gives the decoded call the form that programs know. Lists of ranges are lists of pointers there. */
bool quipu__undumpi_present_ranges(struct dumpi_memory_buffer *own);
static inline bool quipu__undumpi_present(struct dumpi_memory_buffer *own) {
    const uint32_t type = own->stream.decoder.type;
    if (QUIPU__LIKELY(type != QUIPU__DUMPI_TYPE_group_range_incl && type != QUIPU__DUMPI_TYPE_group_range_excl))
        return true;
    return quipu__undumpi_present_ranges(own);
}

static inline dumpi_clock quipu__undumpi_clock(int64_t time) {
    int64_t seconds = time / 1000000000;
    int32_t rest = (int32_t)(time % 1000000000);
    if (QUIPU__UNLIKELY(rest < 0)) {
        rest += 1000000000;
        seconds--;
    }
    return (dumpi_clock){(int32_t)(uint32_t)(uint64_t)seconds, rest};
}

/* The counters of the call that was decoded last. */
static inline const dumpi_perfinfo *quipu__undumpi_counters(struct dumpi_memory_buffer *own) {
    const struct quipu__dumpi_counter *counters = own->stream.decoder.common.counters;
    const uint32_t count = quipu_sized_count(counters);
    own->perf.count = count < DUMPI_MAX_PERFCTRS ? (int32_t)count : DUMPI_MAX_PERFCTRS;
    for (int32_t i = 0; i < own->perf.count; i++) {
        own->perf.invalue[i] = counters[i].in;
        own->perf.outvalue[i] = counters[i].out;
    }
    return &own->perf;
}

/* Hands the call that was decoded last to a callback; returns what that returns. */
static inline int quipu__undumpi_deliver(struct dumpi_memory_buffer *own, libundumpi_unsafe_fun callout,
                                         void *userarg) {
    const struct quipu__dumpi_call *call = &own->stream.decoder.common;
    const dumpi_time cpu = {quipu__undumpi_clock(call->cpu_start), quipu__undumpi_clock(call->cpu_stop)};
    const dumpi_time wall = {quipu__undumpi_clock(call->wall_start), quipu__undumpi_clock(call->wall_stop)};
    if (!quipu__undumpi_present(own))
        return 0;
    return callout(&own->stream.decoder.data, call->thread, &cpu, &wall, quipu__undumpi_counters(own), userarg);
}

/* The offset at which calls end at the latest, by the public members of a profile. */
uint64_t quipu__undumpi_calls_end(const dumpi_profile *profile);

/* Puts copies in place of the lists and strings of a call in a struct of size bytes, each with a zero behind it. False
 * without memory; the struct is all zeros then. */
bool quipu__undumpi_detach(const struct quipu_record_type *type, void *val, size_t size);

#endif
