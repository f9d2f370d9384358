/* model.h: what a trace is: clock, definitions, event kinds, events and batches.
 *
 * Every format is translated into this one vocabulary, and back. Time is an int64_t number of ticks since the
 * trace's origin; the clock says how long a tick is. It is never a double and never silently rounded.
 *
 * Definitions are numbered from 0 in the order in which a format declares them; events refer to them by
 * these numbers. A definition's native_id is the number that the format's files use.
 */
#ifndef QUIPU_MODEL_H
#define QUIPU_MODEL_H

#include <quipu/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Clock ---- */

/* The rate is a fraction, since a clock need not tick a whole number of times per second. */
struct quipu_clock {
    uint64_t ticks_per_second; /* 0: not known; ticks are then taken as nanoseconds */
    int64_t origin; /* what the files call time 0 of the model, in ticks: file time = time + origin */
    bool has_unix_origin;
    int64_t unix_origin_ns; /* time 0 of the model in nanoseconds since 1970 UTC, when known */
    uint64_t per_seconds;   /* seconds that ticks_per_second ticks take; 0 and 1: one */
};

/* Converts ticks to nanoseconds, rounding towards minus infinity; exact when the length of a tick is a whole number of
 * nanoseconds. Results beyond int64_t are cut to its range. */
QUIPU_API int64_t quipu_clock_ns(const struct quipu_clock *clock, int64_t ticks);

/* The first tick that is not before a time in nanoseconds. Results beyond int64_t are cut to its range. */
QUIPU_API int64_t quipu_clock_ticks(const struct quipu_clock *clock, int64_t ns);

/* ---- Definitions ---- */

/* How the clock of one location differs from that of the trace: time = local + offset + local * drift / 10^12, in
 * ticks, where local is what the location's own clock showed. Times of events are already corrected; a format that
 * stores local times undoes the correction. All zero: the same clock. */
struct quipu_clock_correction {
    int64_t offset; /* ticks */
    int64_t drift;  /* parts per 10^12 */
};

enum quipu_location_kind {
    QUIPU_LOCATION_UNKNOWN,
    QUIPU_LOCATION_MACHINE,
    QUIPU_LOCATION_NODE,
    QUIPU_LOCATION_PROCESS,
    QUIPU_LOCATION_THREAD,
    QUIPU_LOCATION_CPU,
    QUIPU_LOCATION_DEVICE,
    QUIPU_LOCATION_FILE_SYSTEM,
    QUIPU_LOCATION_APPLICATION, /* a job: processes that were started together */
    QUIPU_LOCATION_METER /* has values of counters only: nothing runs there, and analyses of what runs leave it out unless asked */
};

/* Where events happen. parent is QUIPU_NONE at the top. Numbers that are not known are -1, names "". */
struct quipu_location {
    uint64_t native_id;
    const char *name;
    enum quipu_location_kind kind;
    uint32_t parent;
    int64_t rank; /* in the world communicator */
    int64_t pid;  /* operating system's process number */
    int64_t tid;  /* operating system's or format's thread number */
    const char *host;
    struct quipu_clock_correction clock; /* of the clock that gave its times */
};

enum quipu_region_role {
#define QUIPU_REGION_ROLE(name, text, doc) QUIPU_REGION_##name,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
    QUIPU_REGION_ROLE_COUNT
};

/* Whether calls of a region lie inside each other. Calls of functions do; blocks that a user marks need not, nor do events of
 * formats that pair an end with the latest beginning of its own kind. */
enum quipu_nesting { QUIPU_NESTING_STRICT, QUIPU_NESTING_FREE };

/* What can be entered and left: functions, MPI calls, user blocks. */
struct quipu_region {
    uint64_t native_id;
    const char *name;
    const char *group; /* name of its group, may be "" */
    enum quipu_region_role role;
    uint32_t source; /* source location where it is defined, or QUIPU_NONE */
    enum quipu_nesting nesting;
};

/* A place in source code. A function that a compiler has inlined has places of its own. */
struct quipu_source {
    uint64_t native_id;
    const char *file;
    uint32_t line;
    const char *function; /* that it lies in, "" when that is not known */
    uint32_t
        caller; /* source location of the call that led there, as far as that is known: what the function is inlined into;
                        else QUIPU_NONE */
};

/* An ordered set of locations. Members are location numbers; for a communicator, member r has rank r. */
struct quipu_group {
    uint64_t native_id;
    const char *name;
    bool is_communicator;
    uint32_t member_count;
    const uint32_t *members;
    const uint32_t *remote_members; /* intercommunicators: the other group, else NULL */
    uint32_t remote_member_count;
};

struct quipu_file {
    uint64_t native_id;
    const char *name;
    const char *group; /* name of its group, may be "" */
};

enum quipu_metric_value { QUIPU_METRIC_U64, QUIPU_METRIC_I64, QUIPU_METRIC_F64 };

/* What a value stands for: since the start, at this point, since the last value, until the next value. */
enum quipu_metric_mode { QUIPU_METRIC_ACCUMULATED, QUIPU_METRIC_POINT, QUIPU_METRIC_LAST, QUIPU_METRIC_NEXT };

struct quipu_metric {
    uint64_t native_id;
    const char *name;
    const char *group;
    const char *unit;
    enum quipu_metric_value value;
    enum quipu_metric_mode mode;
    uint32_t properties; /* the format's own bits, 0 when there are none */
};

struct quipu_marker {
    uint64_t native_id;
    const char *name;
    uint32_t severity; /* 0 unknown, 1 error, 2 warning, 3 hint */
};

/* The name of one value of a channel. */
struct quipu_value_label {
    int64_t value;
    const char *text;
};

/* A variable of a location over time: one value, or a stack of values. Labels are in ascending order of their values; values
 * without a label are plain numbers. */
struct quipu_channel {
    uint64_t native_id;
    const char *name;
    bool is_stack;
    bool is_run_state; /* its value 1 says that a location runs, at its CPU; every other one that it does not */
    const struct quipu_value_label *labels; /* NULL when there are none */
    uint32_t label_count;
};

/* The label of a channel's value; NULL when it has none. */
QUIPU_API const char *quipu_channel_label(const struct quipu_channel *channel, int64_t value);

struct quipu_task_type {
    uint64_t native_id;
    const char *name;
};

enum quipu_value_type {
    QUIPU_VALUE_CHAR,
    QUIPU_VALUE_I8,
    QUIPU_VALUE_U8,
    QUIPU_VALUE_I16,
    QUIPU_VALUE_U16,
    QUIPU_VALUE_I32,
    QUIPU_VALUE_U32,
    QUIPU_VALUE_I64,
    QUIPU_VALUE_U64,
    QUIPU_VALUE_F32,
    QUIPU_VALUE_F64,
    QUIPU_VALUE_BYTES, /* the numbers so far are those of OTF_Type */
    QUIPU_VALUE_STRING
};

/* A typed value with a key. Integers are in i or u by their sign, F32 and F64 in f, bytes and strings in
 * data with their size. */
struct quipu_value {
    uint32_t key; /* number of the attribute key; in native records the record's own number */
    uint8_t type; /* enum quipu_value_type */
    uint32_t size;
    union {
        int64_t i;
        uint64_t u;
        double f;
        const char *data;
    };
};

struct quipu_domain;

/* The meaning of an attribute's key. */
struct quipu_attribute_key {
    uint64_t native_id;
    const char *name;
    const char *doc;
    enum quipu_value_type type;
    bool is_json; /* values are texts that hold JSON, such as lists */
    const struct quipu_domain
        *domain; /* names of values as in native records (schema.h); NULL: they have none */
};

/* Lists of definitions of one class: numbers 0 to count - 1. */
struct quipu_locations { /* where events happen: machines, nodes, processes, threads, CPUs */
    const struct quipu_location *items;
    uint32_t count;
};
struct quipu_regions { /* what can be entered and left: functions, MPI calls, user blocks */
    const struct quipu_region *items;
    uint32_t count;
};
struct quipu_sources { /* places in source code */
    const struct quipu_source *items;
    uint32_t count;
};
struct quipu_groups { /* groups of locations and communicators */
    const struct quipu_group *items;
    uint32_t count;
};
struct quipu_files { /* files that are read and written */
    const struct quipu_file *items;
    uint32_t count;
};
struct quipu_metrics { /* counters and gauges */
    const struct quipu_metric *items;
    uint32_t count;
};
struct quipu_markers { /* types of markers */
    const struct quipu_marker *items;
    uint32_t count;
};
struct quipu_channels { /* variables of a location over time */
    const struct quipu_channel *items;
    uint32_t count;
};
struct quipu_task_types { /* types of tasks */
    const struct quipu_task_type *items;
    uint32_t count;
};
struct quipu_attribute_keys { /* meanings of attribute keys */
    const struct quipu_attribute_key *items;
    uint32_t count;
};

/* The machine that was traced; 0: not known. */
struct quipu_system {
    uint64_t processors;
    uint64_t io_nodes; /* nodes that serve files */
    uint64_t disks;
};

/* All definitions of a trace. Owned by its reader; complete once the reader is open, except that what a damaged trace
 * uses without defining it is added when it is met. */
struct quipu_definitions {
    struct quipu_clock clock;
    struct quipu_system system;
    uint32_t io_create_flag; /* flag of io_open for a file that is created; 0: none */
    bool has_call_sites;     /* enters may say where they were made, in the attribute QUIPU_KEY_SOURCE */
    struct quipu_locations locations;
    struct quipu_regions regions;
    struct quipu_sources sources;
    struct quipu_groups groups;
    struct quipu_files files;
    struct quipu_metrics metrics;
    struct quipu_markers markers;
    struct quipu_channels channels;
    struct quipu_task_types task_types;
    struct quipu_attribute_keys attribute_keys;
};

/* ---- Events ---- */

enum quipu_kind {
#define QUIPU_KIND(name, family, doc) QUIPU_KIND_##name,
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc)
#define QUIPU_KIND_END(name)
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
    QUIPU_KIND_COUNT
};

/* A set of kinds: bit k is kind k. */
typedef uint64_t quipu_kinds;
#define QUIPU_KIND_BIT(kind) ((quipu_kinds)1 << (kind))
#define QUIPU_ALL_KINDS (~(quipu_kinds)0)

/* The columns that an event's own fields lie in. kinds.def says which kind uses which column for what; the
 * other columns of an event hold nothing meaningful. */
enum quipu_column {
#define QUIPU_COLUMN(name, c_type, doc) QUIPU_COLUMN_##name,
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    QUIPU_COLUMN_COUNT
};

/* What a number in a column refers to. */
enum quipu_refers {
    QUIPU_REFERS_NOTHING, /* unsigned number */
    QUIPU_REFERS_SIGNED,  /* signed number */
    QUIPU_REFERS_BITS,    /* value of a metric: read as the metric says */
    QUIPU_REFERS_LOCATION,
    QUIPU_REFERS_REGION,
    QUIPU_REFERS_GROUP,
    QUIPU_REFERS_FILE,
    QUIPU_REFERS_METRIC,
    QUIPU_REFERS_MARKER,
    QUIPU_REFERS_CHANNEL,
    QUIPU_REFERS_TASK_TYPE,
    QUIPU_REFERS_CHANNEL_VALUE, /* signed value of the event's channel, which may have a label for it */
    QUIPU_REFERS_TEXT,          /* text of the event, in its attributes under QUIPU_KEY_TEXT */
    QUIPU_REFERS_IO_OPERATION,
    QUIPU_REFERS_COLLECTIVE,
    QUIPU_REFERS_RMA_OPERATION,
    QUIPU_REFERS_STATISTIC
};

struct quipu_kind_field {
    const char *name; /* key in JSON, column name in tables */
    enum quipu_column column;
    enum quipu_refers refers;
    const char *doc;
};

struct quipu_kind_info {
    const char *name;   /* for example "enter" */
    const char *family; /* for example "region" */
    const char *doc;
    const struct quipu_kind_field *fields;
    size_t field_count;
};

/* The description of a kind; NULL for any other number. */
QUIPU_API const struct quipu_kind_info *quipu_kind_at(enum quipu_kind kind);

/* The kind with that name, or QUIPU_KIND_COUNT. */
QUIPU_API enum quipu_kind quipu_kind_find(const char *name);

/* Values of the operation column. */
enum quipu_io_operation {
#define QUIPU_IO(name, text) QUIPU_IO_##name,
#include <quipu/operations.def>
#undef QUIPU_IO
    QUIPU_IO_COUNT
};
enum quipu_collective {
#define QUIPU_COLLECTIVE(name, text, shape) QUIPU_COLLECTIVE_##name,
#include <quipu/operations.def>
#undef QUIPU_COLLECTIVE
    QUIPU_COLLECTIVE_COUNT
};
enum quipu_rma_operation {
#define QUIPU_RMA(name, text) QUIPU_RMA_##name,
#include <quipu/operations.def>
#undef QUIPU_RMA
    QUIPU_RMA_COUNT
};

/* What a summary event counts: calls of a region, messages, collective operations, operations on files. One vocabulary
 * for the statistics of all formats; each event has one figure. */
enum quipu_statistic {
#define QUIPU_STATISTIC(name, text, is_time) QUIPU_STATISTIC_##name,
#include <quipu/operations.def>
#undef QUIPU_STATISTIC
    QUIPU_STATISTIC_COUNT
};

/* Whether the values of a statistic are ticks of the trace's clock. */
QUIPU_API bool quipu_statistic_is_time(uint32_t statistic);

/* How data flows in a collective operation. */
enum quipu_collective_shape {
    QUIPU_SHAPE_UNKNOWN,
    QUIPU_SHAPE_BARRIER,
    QUIPU_SHAPE_ONE_TO_ALL,
    QUIPU_SHAPE_ALL_TO_ONE,
    QUIPU_SHAPE_ALL_TO_ALL
};

/* Text of an operation's value, for example "read"; "unknown" for other numbers. */
QUIPU_API const char *quipu_operation_name(enum quipu_refers refers, uint32_t operation);

/* Data flow of a collective operation. */
QUIPU_API enum quipu_collective_shape quipu_collective_shape(uint32_t collective);

/* Attribute keys below 2^31 are numbers of attribute_keys definitions; the rest are built in. */
#define QUIPU_KEY_TEXT UINT32_C(0xfffffff0)   /* text of a note or marker */
#define QUIPU_KEY_SOURCE UINT32_C(0xfffffff1) /* number of the source location of a call */

/* Name of an attribute's key: "text", "source" or the definition's name. */
QUIPU_API const char *quipu_key_name(const struct quipu_definitions *definitions, uint32_t key);

/* One attribute of one event of a batch. */
struct quipu_attribute {
    uint32_t event; /* index of the event in its batch; attributes are in the order of events */
    struct quipu_value value;
};

/* A few thousand events of one stream as columns, in the order of the stream. The columns are plain arrays
 * in the layout of Arrow. Reused: contents live until the next batch of the same reader. */
struct quipu_batch {
    uint32_t count;
    uint32_t capacity;
    uint32_t stream; /* index of the stream; QUIPU_NONE when streams are merged */
    int64_t *time;
    uint8_t *kind;
    uint32_t *location;
    uint64_t *byte_offset; /* of the source record */
    uint32_t *object;      /* what it is about: region, metric, file, channel, marker or task type */
    uint32_t *peer;        /* the location on the other side, or the root */
    uint32_t *group;       /* communicator or window */
    uint32_t *operation;   /* which operation, by the kind's list */
    int64_t *tag;          /* message tag, handle of a file */
    uint64_t *bytes;       /* bytes sent, moved or transferred; file of a statistic */
    uint64_t *value;       /* bytes received, file offset, value of a metric or state */
    uint64_t *id;          /* number that ties events together: request, handle, task, matching id */
    const struct quipu_attribute *attributes;
    uint32_t attribute_count;
    int64_t complete_to; /* no event from this batch on is earlier; INT64_MIN when not known */
};

/* One event as a row: what quipu_reader_next gives. */
struct quipu_event {
    int64_t time;
    uint8_t kind;
    uint32_t location;
    uint32_t stream;
    uint64_t byte_offset; /* of the source record */
    uint32_t object;      /* what it is about: region, metric, file, channel, marker or task type */
    uint32_t peer;        /* the location on the other side, or the root */
    uint32_t group;       /* communicator or window */
    uint32_t operation;   /* which operation, by the kind's list */
    int64_t tag;          /* message tag, handle of a file */
    uint64_t bytes;       /* bytes sent, moved or transferred; file of a statistic */
    uint64_t value;       /* bytes received, file offset, value of a metric or state */
    uint64_t id;          /* number that ties events together: request, handle, task, matching id */
    const struct quipu_attribute *attributes; /* borrowed until the next event */
    uint32_t attribute_count;
};

/* Reads a column of an event as a signed 64-bit number; unsigned numbers keep their bits. */
QUIPU_API int64_t quipu_event_get(const struct quipu_event *event, enum quipu_column column);

#ifdef __cplusplus
}
#endif
#endif
