/* repair.h: what the writer uses when it writes the records of a damaged trace. */
#ifndef QUIPU_OTF_REPAIR_H
#define QUIPU_OTF_REPAIR_H

#include "formats/otf/writer.h"
#include "formats/time_queue.h"
#include "state/tracker.h"

/* What a repair does. */
enum quipu__otf_repair {
#define REPAIR(name, id, severity, text) QUIPU__OTF_REPAIR_##name,
#include "formats/otf/repairs.def"
#undef REPAIR
    QUIPU__OTF_REPAIR_COUNT
};

/* A process that has records in a stream. */
struct quipu__otf_share {
    uint32_t process, stream;
    uint64_t count;
};

/* The calls of a process: a location state of the tracker. */
struct quipu__otf_calls {
    uint32_t process, state;
    uint32_t beyond; /* calls beyond the greatest depth */
};

struct quipu__otf_repairing {
    struct quipu__otf_writer *writer;
    struct quipu__repairing *repairing;
    struct quipu__memory *memory;
    /* the whole trace */
    QUIPU__VEC(struct quipu__otf_share) shares;
    struct quipu__map share_numbers; /* stream and process -> share */
    struct quipu__map homes;         /* process -> its stream */
    uint32_t unused[2];              /* unused numbers of streams, for streams that cannot be named */
    struct quipu__map defined[QUIPU__OTF_CLASS_COUNT], used[QUIPU__OTF_CLASS_COUNT];
    QUIPU__VEC(uint64_t) uses; /* class and token of what is used, sorted */
    bool has_resolution;
    bool is_missing; /* a stream is */
    /* the stream at hand */
    const char *path;
    enum quipu__otf_file file;
    uint32_t stream;
    bool is_skipped, is_master;
    bool
        has_state; /* a time and a process have been set: from then on their largest values are ordinary values */
    bool has_written; /* a record with ordinary time and process has been written */
    bool has_only;
    uint32_t only; /* its only process */
    QUIPU__VEC(struct quipu__otf_calls) calls;
    struct quipu__map call_numbers; /* process -> calls */
    struct quipu__tracker active;   /* calls; the second word of a key is the function */
    struct quipu__time_queue queue; /* encoded records that wait */
    uint64_t offset, line;          /* of the current record */
};

/* Until a time and a process have been set, their largest values mean none. */
static inline bool quipu__otf_repair_is_state(const struct quipu__otf_common *common) {
    return common->time != QUIPU__KEYED_NO_TIME && common->process != QUIPU__KEYED_NO_PROCESS;
}

/* repair.c: one stream after the other. */
enum quipu_status quipu__otf_repair_begin(struct quipu__otf_writer *writer, const struct quipu_stream *stream,
                                          bool *is_wanted, struct quipu_error *err);
enum quipu_status quipu__otf_repair_record(struct quipu__otf_repairing *repairing,
                                           const struct quipu_record *record, struct quipu_error *err);
void quipu__otf_repair_free(struct quipu__otf_writer *writer);

/* Definitions and the master control file, after all streams. A stream of events, snapshots or statistics keeps its number if the
 * master control file can name it. */
enum quipu_status quipu__otf_repair_finish(struct quipu__otf_repairing *repairing, struct quipu_error *err);

#endif
