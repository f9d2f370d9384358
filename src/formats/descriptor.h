/* descriptor.h: how the rest of the library sees a format: a const struct with named initialisers, made of small structs of functions,
 * each of which may be missing. This is the only interface between the formats and higher floors; a new format is a folder and one line
 * of formats.def.
 *
 * Reading: probe looks at bytes; open lists streams and completes the definitions; pass_open starts one pass over one stream, either
 * for records (substream QUIPU__RECORDS) or for the events of one substream; next_record and next_batch advance. A problem inside a
 * stream is a finding (trace->findings) and never ends another stream.
 *
 * Writing: create opens outputs, put_batch or put_record add to them, finish completes them. A foreign target has only this.
 *
 * Passes over the events of different substreams may run in several threads at the same time. What they share is either complete after
 * open or protected by a lock. A pass that finds something undefined may add it to trace->define; then one thread reads the trace
 * again, since the numbers depend on the order of passes.
 */
#ifndef QUIPU_FORMATS_DESCRIPTOR_H
#define QUIPU_FORMATS_DESCRIPTOR_H

#include <stddef.h>
#include "state/intervals.h"
#include <stdint.h>
#include "core/memory/vec.h"
#include "core/memory/buffer.h"
#include "core/error.h"
#include "core/text/findings.h"
#include "core/files/input.h"
#include "core/memory/memory.h"
#include "core/files/output.h"
#include "core/text/setting.h"
#include "core/slice.h"
#include "model/batch.h"
#include "model/define.h"
#include "model/filter.h"

#include <quipu/format.h>
#include <quipu/model.h>
#include <quipu/reader.h>
#include <quipu/schema.h>
#include <quipu/writer.h>

/* ---- Marks ---- */

/* Results of analyses, as slices on separate tracks and flows between them, for targets that draw. */

/* A track at a location, whose slices do not overlap. */
struct quipu__mark_track {
    const char *name;
    uint32_t location;
    uint32_t next;   /* with the same name and location; QUIPU_NONE: none */
    int64_t reached; /* end of its latest slice, ns */
};

/* A slice. A flow is a number that two slices share: it leaves one at its end, and reaches the other. */
struct quipu__mark {
    int64_t from, to; /* ns */
    const char *name;
    const char *peer; /* name of the other location involved; NULL: none */
    uint32_t track;
    uint64_t flow_out, flow_in; /* 0: none */
    bool is_reached_at_end;     /* by its flow, else at its beginning */
};

struct quipu__marks {
    QUIPU__VEC(struct quipu__mark_track) tracks;
    QUIPU__VEC(struct quipu__mark)
    items; /* the slice that a flow leaves comes before the one that it reaches */
};

/* ---- Active intervals ---- */

/* What records say about active intervals, so that higher floors can cut a trace and take snapshots without knowing the format. */

enum { QUIPU__TRANSITIONS_MOST = 2 }; /* of one record */

/* Most bytes of the struct of a record that a format fills here. */
#define QUIPU__BUILT_RECORD_BYTES 64

/* An active interval by the record that began it. */
struct quipu__active_record {
    const struct quipu_record_type *type;
    const void *data; /* of its struct */
    uint64_t time;    /* when it began */
    uint64_t count;   /* of class count: how often it occurred */
};

struct quipu__intervals {
    /* What the record begins and ends; returns the number of transitions. Locations are numbers in the format. For a call the second
     * word of the key is what is called; an end with QUIPU_UNKNOWN there ends the innermost call. */
    unsigned (*intervals_of)(const struct quipu_record *record,
                             struct quipu__transition out[QUIPU__TRANSITIONS_MOST]);

    /* Fills out, QUIPU__BUILT_RECORD_BYTES of zeros, with the record that ends a call. Returns its type. */
    const struct quipu_record_type *(*end_of)(const struct quipu__active_record *call, void *out);

    /* The transition of class count that the end of an interval is counted as; false for none. */
    bool (*counted)(const struct quipu__active_record *ended, struct quipu__transition *out);
};

/* ---- Snapshots ---- */

/* Records that say what is active at a time. */

/* What a snapshot says about itself: the number of its records for one location, and of locations in the snapshot. */
struct quipu__completeness {
    uint64_t records, locations;
};

struct quipu__scratch;

/* Each function that returns a record type fills out, QUIPU__BUILT_RECORD_BYTES of zeros, with the struct of a record of it. */
struct quipu__snapshots {
    /* The classes that have records, in the order in which a snapshot has them. */
    const enum quipu__interval_class *interval_classes;
    size_t interval_class_count;

    /* The record that says at a later time that an interval is active. */
    const struct quipu_record_type *(*snapshot_of)(enum quipu__interval_class interval_class,
                                                   const struct quipu__active_record *active, void *out);

    /* The reverse: fills begin, QUIPU__BUILT_RECORD_BYTES of zeros to which out->data then points, with the record that began the
     * interval which a snapshot record says is active. False for other records. */
    bool (*active_of)(const struct quipu_record *snapshot, enum quipu__interval_class *interval_class,
                      struct quipu__active_record *out, void *begin);

    /* The record that says what a snapshot of a location consists of, with a text in scratch; NULL when memory is out. And
     * what such a record says; false for others. */
    const struct quipu_record_type *(*completeness_record)(const struct quipu__completeness *complete,
                                                           struct quipu__scratch *scratch, void *out);
    bool (*completeness_of)(const struct quipu_record *record, struct quipu__completeness *out);

    /* The definition that announces snapshots or statistics at a time, the time for which a definition announces snapshots, and the
     * definition with the range of all times. */
    const struct quipu_record_type *(*sample_point)(uint64_t time, bool of_statistics, void *out);
    bool (*announces)(const struct quipu_record *definition, uint64_t *time);
    const struct quipu_record_type *(*time_range)(uint64_t first, uint64_t last, void *out);
};

/* ---- Statistics ---- */

/* What records add to the statistics of their location, and the records that contain these. */

/* Classes of statistics. */
enum quipu__statistic_class {
    QUIPU__STATISTIC_CALLS,
    QUIPU__STATISTIC_CALL_GROUPS,
    QUIPU__STATISTIC_MESSAGES, /* the object is 0 */
    QUIPU__STATISTIC_COLLECTIVES,
    QUIPU__STATISTIC_FILES,
    QUIPU__STATISTIC_FILE_GROUPS,
    QUIPU__STATISTIC_CLASSES
};
enum { QUIPU__STATISTIC_VALUES = 7 };

/* What a record adds, or the sum. */
struct quipu__statistic {
    enum quipu__statistic_class statistic_class;
    uint64_t object;                          /* number in the format: region, operation, file, group of them */
    uint64_t values[QUIPU__STATISTIC_VALUES]; /* of the class's first statistic and the following ones */
};

/* The first figure of a class; its figures are consecutive in the model's list. */
static inline enum quipu_statistic quipu__statistic_first(enum quipu__statistic_class statistic_class) {
    static const enum quipu_statistic first[QUIPU__STATISTIC_CLASSES] = {
        [QUIPU__STATISTIC_CALLS] = QUIPU_STATISTIC_CALLS,
        [QUIPU__STATISTIC_CALL_GROUPS] = QUIPU_STATISTIC_GROUP_CALLS,
        [QUIPU__STATISTIC_MESSAGES] = QUIPU_STATISTIC_MESSAGES_SENT,
        [QUIPU__STATISTIC_COLLECTIVES] = QUIPU_STATISTIC_COLLECTIVES_SENT,
        [QUIPU__STATISTIC_FILES] = QUIPU_STATISTIC_OPENS,
        [QUIPU__STATISTIC_FILE_GROUPS] = QUIPU_STATISTIC_GROUP_OPENS};
    return first[statistic_class];
}

struct quipu__trace;

struct quipu__statistics {
    /* What a record adds, except for calls, which are intervals. False for nothing. */
    bool (*statistic_of)(const struct quipu__trace *trace, const struct quipu_record *record,
                         struct quipu__statistic *out);

    /* The group that the object of a statistic belongs to: sets class and object of the group's. False for none. */
    bool (*group_of)(const struct quipu__trace *trace, const struct quipu__statistic *member,
                     struct quipu__statistic *out);

    /* Fills out, QUIPU__BUILT_RECORD_BYTES of zeros, with the record that tells a statistic. Returns its type. */
    const struct quipu_record_type *(*summary_of)(const struct quipu__statistic *statistic, void *out);
};

/* What a probe may examine: the path, its kind, and the first bytes of a file or the names in a directory. Files compressed by gzip or
 * zstd look uncompressed: the bytes are decompressed, and path and names lack the suffix. */
struct quipu__probe {
    struct quipu__files *files; /* to read files of a directory */
    const char *path;
    bool is_directory;
    const uint8_t *head; /* up to QUIPU__PROBE_BYTES */
    size_t head_len;
    uint64_t size;            /* of the file, QUIPU_UNKNOWN for pipes */
    const char *const *names; /* directory: names in it, ascending */
    size_t name_count;
};
#define QUIPU__PROBE_BYTES 4096

struct quipu__index;

/* A trace open for reading. The trace layer owns it; a format fills streams, variant, define and own. */
struct quipu__trace {
    const struct quipu__format *format;
    const char *path;
    const struct quipu_reader_options *options; /* defaults are filled in */
    struct quipu__memory *memory;
    struct quipu__files *files;
    struct quipu_findings *findings;
    struct quipu__define *define;
    QUIPU__VEC(struct quipu_stream) streams; /* texts live in the definitions' arena */
    QUIPU__VEC(const char *) other_files;    /* files of the trace that are not streams, and texts as above */
    const char *variant;
    uint64_t bytes_total; /* of all files, QUIPU_UNKNOWN for pipes */
    void *own;            /* the format's private state */
    bool is_repaired;     /* passes continue after damage wherever possible, whatever the format's rules say */

    const struct quipu__index
        *index; /* the trace layer's: passes that begin late resume from it; may be NULL */
};

/* Adds to the other files. path lives as long as the trace. */
static inline enum quipu_status quipu__trace_add_file(struct quipu__trace *trace, const char *path,
                                                      struct quipu_error *err) {
    const char **file = QUIPU__VEC_ADD(trace->memory, &trace->other_files);
    if (!file)
        return quipu__no_memory(err, sizeof *file);
    *file = path;
    return QUIPU_OK;
}

#define QUIPU__RECORDS UINT32_MAX /* substream: records in file order */
#define QUIPU__ALL_SUBSTREAMS                                                                                  \
    (UINT32_MAX - 1) /* substream: the events of all of them, see enum quipu__substreams */

/* How the substreams of a stream lie in its file, which determines how often a pass over all of them decodes a record. */
enum quipu__substreams {
    QUIPU__SUBSTREAMS_SCANNED, /* a pass reads the whole file and gives the events of its substream */
    QUIPU__SUBSTREAMS_APART,   /* a pass reads only the extents of its substream, which opening has found */
    QUIPU__SUBSTREAMS_TOGETHER, /* as SCANNED; also, a pass of QUIPU__ALL_SUBSTREAMS gives all events, in time order per substream */
};

/* One pass over one stream. A format extends it by putting it first in its own struct. At their ends, the substreams of a stream have
 * together counted the same records as one pass over records: each those of its own events, and the first one also those that belong to
 * no substream. */
struct quipu__pass {
    struct quipu__trace *trace;
    uint32_t stream, substream;
    const struct quipu__filter *filter;
    size_t window;        /* size of the input buffer to use */
    uint64_t records;     /* native records decoded so far */
    uint64_t *records_of; /* the same per type of the schema; may be NULL */
    uint64_t bytes;       /* of the file, consumed so far */
    uint64_t skipped;     /* bytes of damage among them; counted by passes over records */
};

/* A trace being repaired: the writer of its format completes it and reports here what it does. */
struct quipu__repairing {
    struct quipu__trace *trace;     /* the damaged one */
    struct quipu_findings *changes; /* findings by the rules of repairs */
    uint64_t dropped;               /* records that were read but cannot stay */
    uint64_t added;                 /* records that were missing */
};

/* Bytes of consecutive records of one time and location, for copying within a format. */
struct quipu__span {
    uint64_t time;        /* as the format has it, below 2^63 */
    const uint8_t *bytes; /* QUIPU__SPAN_SLACK more bytes can be read after them */
    uint32_t len, head;   /* bytes, and how many of them before the first record say time and location */
    uint32_t location;    /* as the format has it */
    bool has_head;        /* the head says both */
};
#define QUIPU__SPAN_SLACK 32

/* A trace that is being written. The trace layer owns it; a format fills own. */
/* A field that a target wrote differently, and in how many copied records. */
struct quipu__approximation {
    const struct quipu_record_type *type;
    uint16_t field;
    const char *reason; /* static */
    uint64_t records;
};

struct quipu__output_trace {
    const struct quipu__format *format;
    const char *path;
    const struct quipu_writer_options *options; /* defaults are filled in */
    struct quipu__settings settings;            /* values of the options that the format declares */
    struct quipu__memory *memory;
    struct quipu__outputs *outputs;
    const struct quipu_definitions *definitions; /* NULL until defined */
    uint64_t *dropped, *approximated; /* per kind: events that are not written, or with another value */
    QUIPU__VEC(struct quipu__approximation) approximations;
    struct quipu__repairing *repairing; /* NULL: records are copied as they are */
    enum quipu_order order;             /* of writing; create may change it */
    uint64_t resolution;                /* of writing; the format may change it until the first batch is put */
    bool takes_spans;                   /* put_spans can be used; create says so */
    const struct quipu__trace
        *source; /* what is copied or translated, when it is of this format: its variant is kept */
    void *own;
};

/* Notes that a field of a record is not written unchanged. When memory is out, the gate remembers. */
void quipu__output_approximates(struct quipu__output_trace *output, const struct quipu_record_type *type,
                                uint16_t field, const char *reason);

/* What happens to one field of a record type in events, and which events the type makes: for the conversion report. */
enum quipu__outcome {
    QUIPU__OUTCOME_EXACT,
    QUIPU__OUTCOME_RESPELLED, /* the value is the same, only its spelling in the file is not kept */
    QUIPU__OUTCOME_APPROXIMATED,
    QUIPU__OUTCOME_ATTRIBUTE,
    QUIPU__OUTCOME_DROPPED
};
struct quipu__field_outcome {
    uint16_t field; /* index in the record type */
    enum quipu__outcome outcome;
    enum quipu_column column; /* unless dropped: where the value goes; QUIPU_COLUMN_COUNT: elsewhere */
    const char *reason;       /* one phrase why it is not exact, "" for exact ones */
    uint32_t statistics;      /* which figures it becomes: bits of enum quipu_statistic; 0: none */
};
struct quipu__mapping {
    quipu_kinds kinds;                         /* events that records of the type can make; 0: none */
    bool is_definition;                        /* becomes a definition or describes the trace */
    const struct quipu__field_outcome *fields; /* those not listed are attributes (or part of the definition) */
    size_t field_count;
    uint32_t
        definitions; /* for a definition: classes that it belongs to, QUIPU__DEFINES(…), or fields of others that it gives,
                        QUIPU__DEFINES_FIELD(…), or QUIPU__DEFINES_NOTHING; 0: it describes the trace */
};

/* ---- What a format can do: a struct of functions for each; a format without it leaves the pointer NULL ---- */

/* Rules beyond those of the format: what a program requires of its traces. Run after check. */
struct quipu__rule_set {
    const char *name;
    enum quipu_status (*check)(struct quipu__trace *trace, struct quipu_error *err);
};

/* Reading. A minimal reader has everything except check and what concerns substreams. */
struct quipu__reading {
    enum quipu_score (*probe)(const struct quipu__probe *probe);

    /* Lists the streams and completes the definitions. Cleans up after itself when it fails. */
    enum quipu_status (*open)(struct quipu__trace *trace, struct quipu_error *err);
    void (*close)(struct quipu__trace *trace);

    /* Starts a pass; common holds stream, substream, filter and window. For a stream that is missing or unusable: a finding and
     * QUIPU_END. QUIPU_IO, here and below, ends only the stream: the caller makes it a finding. */
    enum quipu_status (*pass_open)(const struct quipu__pass *common, struct quipu__pass **out,
                                   struct quipu_error *err);
    void (*pass_close)(struct quipu__pass *pass);

    /* QUIPU_OK with a record, or QUIPU_END. */
    enum quipu_status (*next_record)(struct quipu__pass *pass, struct quipu_record *out,
                                     struct quipu_error *err);

    /* Fills the cleared batch with the next events of the substream that the filter passes, in time order. QUIPU_OK with at least one
     * event or QUIPU_END. The format may leave filtering to the caller, but should skip what it can skip cheaply; if it has left out
     * everything that the filter does not pass, it sets is_selected of the batch. */
    enum quipu_status (*next_batch)(struct quipu__pass *pass, struct quipu__batch *batch,
                                    struct quipu_error *err);

    /* How the substreams of a stream lie; NULL: scanned. And, for those that lie together, which of them has the events of a location,
     * which must all be in the same one. */
    enum quipu__substreams (*substreams)(const struct quipu__trace *trace, uint32_t stream);
    uint32_t (*substream_of)(const struct quipu__trace *trace, uint32_t stream, uint32_t location);
    bool spreads_locations; /* the events of a location may lie in several streams */

    /* Which events record types become: one mapping per type of the schema. */
    const struct quipu__mapping *(*mapping)(uint32_t type);

    /* The region that every record of a type enters with its first event; QUIPU_NONE when there is none. NULL: no type has one. The
     * report distinguishes records of different types by it. */
    uint32_t (*region_of_type)(const struct quipu__trace *trace, uint32_t type);

    /* Rules about a stream by itself, after all records were read, for each stream in turn. May be NULL. */
    enum quipu_status (*check_stream)(struct quipu__trace *trace, uint32_t stream, struct quipu_error *err);

    /* Rules about the trace as a whole, behind those. May be NULL. */
    enum quipu_status (*check)(struct quipu__trace *trace, struct quipu_error *err);

    /* Rules of check/model_rules.def that rules of the format replace, as identifiers separated by blanks: they only inform. NULL:
     * none. */
    const char *replaced_rules;

    /* Rules of the format that records break when others are lost or misread, in the same form: their findings beside damage may follow
     * from it, and "quipu check" lists these on request. */
    const char *dependent_rules;

    const struct quipu__rule_set *rule_sets; /* NULL: none */
    size_t rule_set_count;
};

/* What can be told of a trace only after reading all of it: definitions that stand among the events, and properties of streams. A format
 * that has this only lists streams and other files when it opens a trace. Then either make reads everything, or load takes what an index
 * has of it. */
struct quipu__survey {
    enum quipu_status (*make)(struct quipu__trace *trace, struct quipu_error *err);

    /* Appends what make has found. */
    enum quipu_status (*save)(const struct quipu__trace *trace, struct quipu__buffer *out,
                              struct quipu_error *err);

    /* Finds the same in such bytes, which come from a file and are not trusted: QUIPU_CORRUPT when they cannot be right; then the trace is
     * opened again. */
    enum quipu_status (*load)(struct quipu__trace *trace, struct quipu__slice bytes, struct quipu_error *err);
};

/* Beginning in the middle of a substream, from what an index has saved. Formats that find a time by themselves, by the filter, do not
 * need this. */
struct quipu__resuming {
    /* Appends what a pass over events must know to continue after the batches that it has given; changes nothing. It may continue a bit
     * before: then it gives events again, all of them in time order. Nothing where no pass can continue. */
    enum quipu_status (*save)(const struct quipu__pass *pass, struct quipu__buffer *out,
                              struct quipu_error *err);

    /* What it appends has events that were read already, so passes that are saved read their attributes. */
    bool keeps_events;

    /* Makes a new pass over the same substream, with a filter from a later time on, continue there: it gives the events that the saved pass
     * would have given next. Sets pass->bytes to where it continues. Its input comes from a file and is not trusted: QUIPU_CORRUPT when it cannot
     * be right. */
    enum quipu_status (*resume)(struct quipu__pass *pass, struct quipu__slice bytes, struct quipu_error *err);
};

/* Copying records within the format, as convert, cut, merge and repair do. Needs writing, for create and finish. */
struct quipu__copying {
    /* The records that follow belong to this stream of the input. */
    enum quipu_status (*begin_stream)(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err);
    enum quipu_status (*put_record)(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err);

    /* put_record respects options.streams; then records of a kind of stream come merged by time. */
    bool distributes_records;

    /* Optional, both or none: records as unchanged bytes. next_spans gives the next records, valid until the pass is used again, and
     * counts them; 0 when the next record cannot be given this way: then next_record gives it, or QUIPU_END. */
    uint32_t (*next_spans)(struct quipu__pass *pass, struct quipu__span *spans, uint32_t capacity);
    enum quipu_status (*put_spans)(struct quipu__output_trace *output, const struct quipu__span *const *spans,
                                   uint32_t count, struct quipu_error *err);
};

/* What a writer can represent of a kind of events; it cannot write kinds that are not listed. */
struct quipu__kind_capability {
    enum quipu_kind kind;
    uint32_t columns; /* columns that it keeps: QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) … */
};
#define QUIPU__COLUMN(name) (UINT32_C(1) << QUIPU_COLUMN_##name)

/* What a writer can represent of the model: the other half of the conversion report. */
struct quipu__capabilities {
    const struct quipu__kind_capability *kinds;
    size_t kind_count;
    uint32_t statistics; /* figures that it keeps: bits of enum quipu_statistic */
    uint32_t
        definitions; /* classes that it keeps, QUIPU__DEFINES(…), and their texts, QUIPU__DEFINES_FIELD(…); 0: all */
    bool everything; /* all kinds with all columns and figures; the members above are ignored */
    bool attributes; /* keeps attributes of events */
};
#define QUIPU__STATISTIC(name) (UINT32_C(1) << QUIPU_STATISTIC_##name)

/* The kinds that can be written, whether a column of at least one of some kinds is kept, and whether one of some figures is (always
 * true for no figures). */
quipu_kinds quipu__capable_kinds(const struct quipu__capabilities *capabilities);
/* Whether one of some classes of definitions, or of their fields, is kept; always true for none. */
bool quipu__keeps_definitions(const struct quipu__capabilities *capabilities, uint32_t definitions);
bool quipu__keeps_statistic(const struct quipu__capabilities *capabilities, uint32_t statistics);
bool quipu__keeps_column(const struct quipu__capabilities *capabilities, quipu_kinds kinds,
                         enum quipu_column column);

/* Writing from events. */
struct quipu__writing {
    enum quipu_order order;                                                    /* see quipu_writer_order */
    enum quipu_order (*order_of)(const struct quipu_definitions *definitions); /* NULL: always the same */
    uint64_t resolution; /* times that a second has: those between are rounded and counted; 0: ticks are kept */
    const struct quipu__capabilities *capabilities;
    /* Databases (QUIPU_IS_DATABASE) have only capabilities: they are written as a whole. */
    enum quipu_status (*create)(struct quipu__output_trace *output, struct quipu_error *err);
    enum quipu_status (*put_batch)(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                   struct quipu_error *err);
    /* Draws results of analyses, after the last batch. NULL: cannot. */
    enum quipu_status (*put_marks)(struct quipu__output_trace *output, const struct quipu__marks *marks,
                                   struct quipu_error *err);
    /* Writes what the events leave over, such as calls that never end, so that losses can be counted before finish. NULL: nothing is
     * left over. */
    enum quipu_status (*end_events)(struct quipu__output_trace *output, struct quipu_error *err);
    /* Writes the rest to the outputs; the caller commits them. */
    enum quipu_status (*finish)(struct quipu__output_trace *output, struct quipu_error *err);
    void (*abandon)(struct quipu__output_trace *output); /* frees own; also called after finish */
};

/* A format: its public description, and what it can do; NULL: cannot. */
struct quipu__format {
    struct quipu_format info;
    const struct quipu__reading *reading;       /* records and events from bytes */
    const struct quipu__survey *survey;         /* what takes a look at everything */
    const struct quipu__resuming *resuming;     /* checkpoints in an index */
    const struct quipu__copying *copying;       /* records to records */
    const struct quipu__intervals *intervals;   /* what records begin and end: for cutting */
    const struct quipu__snapshots *snapshots;   /* records that say what is active; needs intervals */
    const struct quipu__statistics *statistics; /* records that sum up; needs snapshots, which announce them */
    const struct quipu__writing *writing;       /* a trace from events */
    const struct quipu__record_file
        *record_file; /* of formats that stand on record_file.h: what it must know of them */
    const struct quipu__program_target *program_target; /* the same of those that stand on program.h */
};

static inline enum quipu__substreams quipu__substreams_of(const struct quipu__trace *trace, uint32_t stream) {
    const struct quipu__reading *reading = trace->format->reading;
    return reading->substreams ? reading->substreams(trace, stream) : QUIPU__SUBSTREAMS_SCANNED;
}

static inline bool quipu__format_gives_spans(const struct quipu__format *format) {
    return format->copying && format->copying->next_spans;
}

/* All formats, in the order of formats.def. */
const struct quipu__format *quipu__format_at(size_t index);
const struct quipu__format *quipu__format_find(const char *name);

/* For formats whose traces consist of several files: fails when the trace comes from a pipe. advice says what to name instead. */
enum quipu_status quipu__format_refuse_pipe(const struct quipu__trace *trace, const char *advice,
                                            struct quipu_error *err);

#endif
