/* format.h: an OTF2 trace that is open, and what the files of this folder share.
 *
 *     NAME.otf2           the anchor: sizes, counts, properties
 *     NAME.def            the global definitions
 *     NAME.marker         markers, if there are any
 *     NAME/N.def          mapping tables and clock offsets of location N
 *     NAME/N.evt          its events
 *
 * libotf2 reads the records, applies mapping tables and corrects times (events.c, definitions.c). It trusts files: so a file is looked over
 * first (scan.c), and it is asked for exactly as many records as are sound. */
#ifndef QUIPU_OTF2_FORMAT_H
#define QUIPU_OTF2_FORMAT_H

#include <stdatomic.h>

#include "core/memory/charge.h"
#include "core/memory/map.h"
#include "formats/descriptor.h"
#include "formats/otf2/records.h"

enum { QUIPU__OTF2_SUFFIX_BYTES = 5 }; /* ".otf2" */

/* ---- Rules ---- */

enum quipu__otf2_rule {
#define RULE(name, id, severity, text, advice) QUIPU__OTF2_RULE_##name,
#include "formats/otf2/rules.def"
#undef RULE
    QUIPU__OTF2_RULE_COUNT
};
extern const struct quipu_rule quipu__otf2_rules[QUIPU__OTF2_RULE_COUNT];

/* ---- Bytes of files: scan.c, writer.c ---- */

enum {
    QUIPU__OTF2_ANCHOR_FIXED = 46,           /* bytes of an anchor file in front of its texts */
    QUIPU__OTF2_ANCHOR_TAIL = 8 + 4 + 4 + 3, /* and behind them: number of the trace, two counts, end */
    QUIPU__OTF2_HEADER_BYTES = 18,           /* of a chunk */
    QUIPU__OTF2_CHUNK_BEGINS = 3,
    QUIPU__OTF2_CHUNK_ENDS = 2,
    QUIPU__OTF2_FILE_ENDS = 1,
    QUIPU__OTF2_TIME = 5,       /* types in files of events: a time, */
    QUIPU__OTF2_ATTRIBUTES = 6, /* and attributes of the event behind it */
    QUIPU__OTF2_LONG = 255      /* length of a record: a longer one follows; of a number: it is undefined */
};

/* Types of values, by libotf2's numbers. */
enum {
    QUIPU__OTF2_U8 = 1,
    QUIPU__OTF2_U16,
    QUIPU__OTF2_U32,
    QUIPU__OTF2_U64,
    QUIPU__OTF2_I8,
    QUIPU__OTF2_I16,
    QUIPU__OTF2_I32,
    QUIPU__OTF2_I64,
    QUIPU__OTF2_F32,
    QUIPU__OTF2_F64,
    QUIPU__OTF2_STRING_REF,
    QUIPU__OTF2_LOCATION_REF = 13,
    QUIPU__OTF2_SOURCE_REF = 20,
    QUIPU__OTF2_CONTEXT_REF
};

/* Types of events that consist of one number, whose own length stands for theirs; undefined ones have no bytes. */
static inline bool quipu__otf2_is_single(uint32_t type) {
    return type == 12 || type == 13 || type == 16 || type == 17 || type == 20 || type == 21 || type == 24 ||
           type == 28 || type == 29 || type == 30;
}

/* ---- Looking over a file: scan.c ---- */

struct quipu__otf2_scan {
    uint64_t records;  /* that are sound, from the beginning */
    uint64_t offset;   /* where they end */
    uint64_t size;     /* of the file */
    const char *fault; /* what is wrong behind them; NULL: nothing */
};

/* chunk is the size of its chunks. What is wrong with the file is no failure. */
enum quipu_status quipu__otf2_scan(struct quipu__files *files, const char *path, enum quipu__otf2_group group,
                                   uint64_t chunk, struct quipu__otf2_scan *out, struct quipu_error *err);

/* Whether an anchor file has all that it begins to say. */
bool quipu__otf2_anchor_is_sound(const uint8_t *bytes, size_t size);

/* ---- Records from libotf2: events.c, definitions.c ---- */

/* Where libotf2's callbacks put records. */
struct quipu__otf2_sink {
    struct quipu__scratch scratch; /* lists and texts */
    union quipu__otf2_any record;
    enum quipu__otf2_type type;
    bool without_attributes;
    uint64_t unknown; /* records of types that libotf2 does not know, so far */
    /* Takes the record; false to stop behind it. */
    bool (*add)(struct quipu__otf2_sink *sink);
};

/* Where the attributes of a record are: the last field of events. */
static inline const struct quipu_value **quipu__otf2_attributes(struct quipu__otf2_sink *sink) {
    const struct quipu_record_type *type = &quipu__otf2_types[sink->type];
    return (const struct quipu_value **)(void *)((uint8_t *)&sink->record +
                                                 type->fields[type->field_count - 1].offset);
}

/* A file that libotf2 reads: the events of a location, definitions or markers. */
struct quipu__otf2_file;

/* location: of files of events and local definitions. records: how many are sound, of the local definitions too. */
struct quipu__otf2_source {
    const char *anchor;
    enum quipu__otf2_group group;
    uint64_t location;
    uint64_t local_records; /* of the location's definitions, which are needed for its events */
    bool raw_times;         /* times are not corrected */
    bool raw_numbers;       /* nor numbers translated */
    size_t memory;          /* that libotf2 will hold at most */
};

/* The property that says which time is 0 where it is not the offset of the clock. */
#define QUIPU__OTF2_TIME_ZERO "QUIPU::TIME_ZERO"

/* What the anchor file says. */
struct quipu__otf2_anchor {
    uint64_t time_zero;                     /* QUIPU_UNKNOWN: the offset of the clock */
    uint64_t event_chunk, definition_chunk; /* bytes of a chunk of the files */
    uint64_t locations, definitions;
    uint32_t snapshots, thumbnails;
    uint8_t version[3]; /* of the library that wrote it */
};
/* ---- The trace ---- */

struct quipu__otf2_location {
    uint64_t id;
    uint32_t number; /* in the model */
    uint64_t events; /* as defined */
};

/* What communicators and windows mean for ranks in events. */
struct quipu__otf2_comm {
    uint32_t number,
        other; /* in the model; other: the side of the remote group of an inter-communicator, QUIPU_NONE */
    uint32_t rank_count,
        other_count; /* locations of the model by their ranks, as the locations of this side name them, and */
    const uint32_t *ranks, *others; /* as those of the other side do; NULL: none */
    bool is_self;                   /* each location is alone */
};

/* A metric class or instance: its members are metrics of the model from first on. */
struct quipu__otf2_metric {
    uint32_t count;
    const uint32_t *members; /* numbers in the model */
};

/* A marker, and where and when it is. */
struct quipu__otf2_marked {
    const struct quipu__otf2_MARKER *marker;
    uint32_t location;
};

/* Definitions of one type, copied. */
struct quipu__otf2_saved {
    QUIPU__VEC(void *) items;
};

/* What tokens of the files stand for, by class. */
enum quipu__otf2_class {
    QUIPU__OTF2_CLASS_string,  /* index of the saved definition */
    QUIPU__OTF2_CLASS_region,  /* number in the model, as below */
    QUIPU__OTF2_CLASS_comm,    /* index in comms */
    QUIPU__OTF2_CLASS_window,  /* the same, of its communicator */
    QUIPU__OTF2_CLASS_context, /* number of the region */
    QUIPU__OTF2_CLASS_source,
    QUIPU__OTF2_CLASS_context_source, /* of a calling context: where it is, and where it was called */
    QUIPU__OTF2_CLASS_call_site,
    QUIPU__OTF2_CLASS_metric, /* index in metrics */
    QUIPU__OTF2_CLASS_member,
    QUIPU__OTF2_CLASS_io_handle, /* number of the file */
    QUIPU__OTF2_CLASS_io_file,
    QUIPU__OTF2_CLASS_attribute,
    QUIPU__OTF2_CLASS_marker,
    QUIPU__OTF2_CLASS_group, /* index of the saved definition */
    QUIPU__OTF2_CLASS_location,
    QUIPU__OTF2_CLASS_location_group,
    QUIPU__OTF2_CLASS_node,
    QUIPU__OTF2_CLASS_COUNT
};

enum {
    QUIPU__OTF2_DEFINITIONS,
    QUIPU__OTF2_FIRST_EVENTS
}; /* numbers of streams; behind them that of the markers */

struct quipu__otf2_trace {
    struct quipu__trace *trace;
    struct quipu__memory *memory;
    struct quipu__arena arena;
    const char *anchor;
    int stem; /* bytes of its path without the suffix */
    struct quipu__otf2_anchor head;
    struct quipu__otf2_scan definitions, markers; /* of their files */
    const char *marker_path;                      /* NULL: there are none */
    bool raw_times;
    bool keeps_numbers; /* passes over records give numbers and times as their files have them: for copying */
    struct quipu__otf2_saved saved[QUIPU__OTF2_TYPE_COUNT];
    struct quipu__tokens tokens[QUIPU__OTF2_CLASS_COUNT];
    QUIPU__VEC(struct quipu__otf2_location) locations;
    QUIPU__VEC(struct quipu__otf2_comm) comms;
    QUIPU__VEC(struct quipu__otf2_metric) metrics;
    uint32_t most_members;  /* of a metric class */
    uint32_t *field_keys;   /* number of the attribute key by type and field; QUIPU_NONE */
    uint32_t *groups;       /* processes and accelerators of location groups, by index: numbers in the model */
    atomic_uint open_files; /* of events */
    int64_t origin;
    QUIPU__VEC(struct quipu__otf2_marked) marked; /* by location and time */
};

enum { QUIPU__OTF2_FIELDS_MOST = 12 };

static inline struct quipu__otf2_trace *quipu__otf2_of(const struct quipu__trace *trace) {
    return trace->own;
}

const char *quipu__otf2_text(const struct quipu__otf2_trace *own, uint32_t string);

/* Makes the model's definitions of those that were saved. */
enum quipu_status quipu__otf2_define(struct quipu__otf2_trace *own, struct quipu_error *err);

/* ---- Passes ---- */

/* What a completion says no more than a number of. */
struct quipu__otf2_active {
    uint64_t bytes;
    uint32_t operation, peer; /* peer: the next one that is free */
};

/* Collective operations of a location that are within each other: MPI's are not, those of other formats may be. */
enum { QUIPU__OTF2_OPEN_MOST = 4 };

/* What its end says of a collective operation that ends so far behind its beginning that they may be in different batches. */
enum { QUIPU__OTF2_NEAR = 8 }; /* records from one to the other: these are in one batch */
struct quipu__otf2_far {
    uint64_t number, position; /* of the beginning among those of the location, and among the records */
    uint64_t id, bytes, value;
    uint32_t group, peer, operation;
    uint32_t region; /* known once it has begun */
    uint32_t
        older; /* while ends are looked for: the one of the same id that had not ended when it began; QUIPU_NONE: none */
};

struct quipu__otf2_pass {
    struct quipu__pass common;
    struct quipu__otf2_sink sink;
    struct quipu__otf2_trace *own;
    struct quipu__otf2_file *file,
        *local; /* of the location's definitions: a pass over records reads them first */
    const char *path;
    struct quipu__otf2_source source; /* of the file */
    struct quipu__otf2_scan scan, local_scan;
    uint64_t position; /* records of the file that have been read */
    uint32_t location; /* in the model */
    uint32_t most;     /* events that a record makes at most */

    /* Events: */
    struct quipu__batch *batch;
    const struct quipu__otf2_comm *comm; /* the communicator of the record */
    QUIPU__VEC(uint32_t) calls;          /* regions that are active */
    uint32_t open_collectives[QUIPU__OTF2_OPEN_MOST],
        open_count;       /* events of the batch that await their end, */
    uint32_t open_gap;    /* the same; QUIPU_NONE */
    uint32_t unended;     /* beginnings of the batch whose end is in none so far */
    uint64_t collectives; /* operations that have begun */
    bool
        has_far; /* the rest of the file has been looked through for ends that are far, or for beginnings without one */
    size_t next_far;                        /* the first that has not begun */
    QUIPU__VEC(struct quipu__otf2_far) far; /* by number; an operation that never ends has no group */
    struct quipu__map far_of;               /* number in far of the latest that has begun, by id */
    uint64_t task;                          /* that runs; QUIPU_UNKNOWN: none */
    struct quipu__map tasks;                /* that have run */
    struct quipu__map active_of;            /* number in active by a hash of what a completion says */
    QUIPU__VEC(struct quipu__otf2_active) active;
    uint32_t free_active;
    size_t marker, marker_end; /* those of the location that are left */
    bool has_failed;           /* memory is out */
};

/* Puts what the end says into the beginning. */
static inline void quipu__otf2_set_end(struct quipu_batch *batch, uint32_t begin,
                                       const struct quipu__otf2_far *end) {
    batch->group[begin] = end->group;
    batch->peer[begin] = end->peer;
    batch->bytes[begin] = end->bytes;
    batch->value[begin] = end->value;
    batch->operation[begin] = end->operation;
}

static inline struct quipu__otf2_far quipu__otf2_end_of(const struct quipu_batch *batch, uint32_t end) {
    return (struct quipu__otf2_far){.id = batch->id[end],
                                    .bytes = batch->bytes[end],
                                    .value = batch->value[end],
                                    .group = batch->group[end],
                                    .peer = batch->peer[end],
                                    .operation = batch->operation[end]};
}

/* Makes events of the record in the sink, and of a marker. */
void quipu__otf2_to_model(struct quipu__otf2_pass *pass);
void quipu__otf2_add_marker(struct quipu__otf2_pass *pass, const struct quipu__otf2_MARKER *marker);

const struct quipu__mapping *quipu__otf2_mapping(uint32_t type);

/* Whether a field of events becomes an attribute. */
bool quipu__otf2_is_attribute(uint32_t type, uint32_t field);

enum quipu_score quipu__otf2_probe(const struct quipu__probe *probe);

/* reader.c; absent.c where the library was built without libotf2. */
extern const struct quipu__reading quipu__otf2_reading;

/* ---- Records as bytes: encode.c ---- */

/* Without a loop, so that compilers make one store of it: writing calls is a tenth faster (bench/otf2_writers). */
static inline void quipu__otf2_store_64(uint8_t *at, uint64_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
    at[4] = (uint8_t)(value >> 32);
    at[5] = (uint8_t)(value >> 40);
    at[6] = (uint8_t)(value >> 48);
    at[7] = (uint8_t)(value >> 56);
}

/* How many bytes it has, and these; the undefined one has all bits set. */
static inline uint8_t *quipu__otf2_store_number(uint8_t *at, uint64_t value, uint64_t undefined) {
    uint8_t *const length = at++;
    if (value == undefined) {
        *length = QUIPU__OTF2_LONG;
        return at;
    }
    *at = (uint8_t)value; /* most are small */
    for (at += value > 0, value >>= 8; QUIPU__UNLIKELY(value > 0); value >>= 8)
        *at++ = (uint8_t)value;
    *length = (uint8_t)(at - length - 1);
    return at;
}

/* The lowest bytes of a number. */
void quipu__otf2_put_raw(struct quipu__buffer *out, uint64_t value, size_t bytes);

/* The type of a value in libotf2's numbers, which values that libotf2 has read retain in their size. */
uint32_t quipu__otf2_type_of_value(const struct quipu_value *value);

/* A record behind its attributes; of an event without its time. */
void quipu__otf2_encode(struct quipu__buffer *out, const struct quipu_record_type *type, const void *data);

/* ---- Writing: writer.c ---- */

enum { QUIPU__OTF2_EVENT_CHUNK = 1 << 20, QUIPU__OTF2_SMALL_CHUNK = 1 << 18 };

/* A file that is written in chunks. */
struct quipu__otf2_out {
    struct quipu__file *file; /* NULL: none */
    uint64_t records;         /* in it */
    uint64_t chunk;           /* bytes of a chunk */
    uint64_t begins,
        left;      /* of the chunk at hand: its offset, and bytes that are free; left 0: there is none yet */
    uint64_t time; /* of the last event */
    bool has_time, is_events;
};

struct quipu__otf2_writer {
    struct quipu__output_trace *output;
    struct quipu__memory *memory;
    struct quipu__arena arena;                                  /* names of files */
    struct quipu__otf2_trace *source;                           /* that is copied */
    struct quipu__otf2_out definitions, markers, events, local; /* the latter of a location that is copied */
    struct quipu__otf2_out *current;
    struct quipu__buffer text;              /* bytes for the current file */
    QUIPU__VEC(const char *) written;       /* paths */
    QUIPU__VEC(uint64_t) copied;            /* locations that are copied */
    uint64_t event_chunk, definition_chunk; /* bytes of a chunk */
    uint64_t locations;                     /* that are defined */
    uint64_t time_zero;                     /* of the file, where that is not its offset; else QUIPU_UNKNOWN */
    bool copies;
    struct quipu__otf2_repair *repair; /* NULL: records are copied as they are */
    struct quipu__otf2_model *model;   /* from_model.c: NULL as long as there are no events */
};

enum quipu_status quipu__otf2_begin_file(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                         enum quipu__otf2_group group, uint64_t location,
                                         struct quipu_error *err);
enum quipu_status quipu__otf2_end_file(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                       struct quipu_error *err);
enum quipu_status quipu__otf2_put_record(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                         enum quipu__otf2_type type, const void *data, struct quipu_error *err);

/* Calls without attributes, most of all records, one after the other: what there is room for, and where the next one is put. */
struct quipu__otf2_calls {
    enum quipu_status status; /* of a file that could not be written: then none fits */
    uint32_t fit;             /* calls; 0 at the end of a chunk, too */
    uint8_t *at;
    uint64_t time; /* of the last event, if there is one in the chunk */
    bool has_time;
};
enum { QUIPU__OTF2_CALL_BYTES = 1 + 8 + 1 + 1 + 4 };

struct quipu__otf2_calls quipu__otf2_begin_calls(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                                 uint32_t count, struct quipu_error *err);

QUIPU__INLINE void quipu__otf2_store_call(struct quipu__otf2_calls *calls, bool is_enter, uint64_t time,
                                          uint32_t region) {
    const enum quipu__otf2_type type = is_enter ? QUIPU__OTF2_TYPE_ENTER : QUIPU__OTF2_TYPE_LEAVE;
    uint8_t *at = calls->at;
    *at = QUIPU__OTF2_TIME;
    quipu__otf2_store_64(at + 1, time);
    at += calls->has_time && time == calls->time ? 0 : 1 + 8;
    *at++ = (uint8_t)quipu__otf2_types[type].id;
    calls->at = quipu__otf2_store_number(at, region, UINT32_MAX);
    calls->time = time;
    calls->has_time = true;
}

static inline void quipu__otf2_end_calls(struct quipu__otf2_writer *writer, struct quipu__otf2_out *out,
                                         const struct quipu__otf2_calls *calls, uint32_t count) {
    if (count == 0)
        return;
    const size_t bytes = (size_t)(calls->at - (writer->text.data + writer->text.len));
    writer->text.len += bytes;
    out->left -= bytes;
    out->records += count;
    out->time = calls->time;
    out->has_time = true;
}

extern const struct quipu__copying quipu__otf2_copying;
extern const struct quipu__writing quipu__otf2_writing;

/* from_model.c: events as records. */
struct quipu__otf2_modelling {
    struct quipu__capabilities capabilities;
    enum quipu_status (*put_batch)(struct quipu__otf2_writer *writer, const struct quipu_batch *batch,
                                   struct quipu_error *err);
    void (*end_events)(struct quipu__otf2_writer *writer);
    enum quipu_status (*complete)(struct quipu__otf2_writer *writer, struct quipu_error *err); /* definitions */
    void (*release)(struct quipu__otf2_writer *writer);
};
extern const struct quipu__otf2_modelling quipu__otf2_modelling;

#endif
