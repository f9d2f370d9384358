/* format.h: shared by the files of this folder: an open trace, its files and tokens, and a pass over one file. */
#ifndef QUIPU_OTF_FORMAT_H
#define QUIPU_OTF_FORMAT_H

#include "core/memory/vec.h"
#include "formats/descriptor.h"
#include "formats/otf/lines.h"
#include "model/reorder.h"
#include "state/events.h"

/* ---- Rules ---- */

enum quipu__otf_rule {
#define RULE(name, id, severity, text, advice) QUIPU__OTF_RULE_##name,
#include "formats/otf/rules.def"
#undef RULE
    QUIPU__OTF_RULE_COUNT
};
extern const struct quipu_rule quipu__otf_rules[QUIPU__OTF_RULE_COUNT];

/* ---- Definitions ---- */

/* The record that defines a class, and its fields, QUIPU__OTF_NO_FIELD for none. */
#define QUIPU__OTF_NO_FIELD 0xff
struct quipu__otf_definer {
    const char *domain;
    enum quipu__otf_type type;
    uint8_t token, name, text, first, second, list;
};
extern const struct quipu__otf_definer quipu__otf_definers[QUIPU__OTF_CLASS_COUNT];

/* A definition as in the files. Texts and lists live in the trace's arena. */
struct quipu__otf_definition {
    uint32_t token;
    uint32_t first, second;
    const char *name, *text; /* NULL when missing */
    const uint32_t *list;
    uint32_t list_count;
    bool is_text; /* a key: its byte arrays are texts */
};

/* All definitions of a class in the order of the files. */
struct quipu__otf_class_list {
    struct quipu__tokens tokens; /* token -> index */
    QUIPU__VEC(struct quipu__otf_definition) definitions;
    struct quipu__tokens late; /* tokens used but not defined -> number in the model; protected by late_lock */
};

/* How the bits of a counter's value become those of a metric's. */
enum quipu__otf_number {
    QUIPU__OTF_AS_IS,
    QUIPU__OTF_SIGNED16,
    QUIPU__OTF_SIGNED32,
    QUIPU__OTF_UNSIGNED16,
    QUIPU__OTF_UNSIGNED32,
    QUIPU__OTF_FLOAT
};

/* ---- An open trace ---- */

/* One file of the trace; stream i of the trace is file i. */
struct quipu__otf_stream_file {
    enum quipu__otf_file file;
    uint32_t id;     /* stream */
    bool compressed; /* its name ends in .z */
    bool packed;     /* it lies in blocks of shared files (IOFSL) */
};

struct quipu__otf_trace {
    struct quipu__trace *trace;
    const char *stub; /* the name without .otf */
    QUIPU__VEC(struct quipu__otf_stream_file) stream_files;
    struct quipu__otf_MasterServers servers; /* mode 0: no shared files */
    struct quipu__map mapping;               /* process -> stream, from the master control file */
    bool has_mapping;
    struct quipu__map attributes_of;      /* process or group -> its list of attributes */
    struct quipu__otf_values next_values; /* while definitions are read: key-values of the next one */
    struct quipu__map values_of_processes, values_of_groups,
        values_of_sources; /* token and key -> a token, or the number of a text */
    QUIPU__VEC(const char *) value_texts;
    struct quipu__arena arena; /* texts of the definitions in the files */
    struct quipu__otf_class_list definition_classes[QUIPU__OTF_CLASS_COUNT];
    struct quipu__keyed_scanner *scanners[QUIPU__OTF_STREAM_FILES]; /* by kind of file */
    uint32_t first_collop; /* regions from here on are collective operations */
    uint8_t *collectives;  /* enum quipu_collective per collective operation */
    uint8_t *numbers;      /* enum quipu__otf_number per counter */
    uint32_t collective_count, number_count;
    struct quipu__lock *late_lock;
    uint32_t field_keys[QUIPU__OTF_TYPE_COUNT][8]; /* attribute keys of fields, 0: none yet, else number + 1 */
};

/* Lines of a kind of file; set p and end. */
static inline struct quipu__keyed_lines quipu__otf_lines_of(const struct quipu__otf_trace *own,
                                                            enum quipu__otf_file file) {
    return (struct quipu__keyed_lines){.grammar = &quipu__otf_grammar,
                                       .scanner = file < QUIPU__OTF_STREAM_FILES ? own->scanners[file] : NULL,
                                       .kind = (uint8_t)file,
                                       .watches_texts = true,
                                       .state = QUIPU__KEYED_STATE_INIT,
                                       .seen = QUIPU__KEYED_NOTHING_SEEN};
}

/* rules.c: adds a finding about a file of the trace. */
void quipu__otf_find(const struct quipu__otf_trace *own, enum quipu__otf_rule rule, const char *file,
                     const char *expected, const char *found, ...) QUIPU_PRINTF(5, 6);

/* files.c: which files the trace has, and opening them. */
enum quipu_status quipu__otf_find_files(struct quipu__otf_trace *own, struct quipu_error *err);
enum quipu_status quipu__otf_open_file(const struct quipu__otf_trace *own, uint32_t stream_file, size_t window,
                                       struct quipu__input **out, void **packed, size_t *packed_size,
                                       struct quipu_error *err);

/* Reports that a file was not read, or not to its end. */
void quipu__otf_lose_file(const struct quipu__otf_trace *own, uint32_t stream_file, enum quipu_status status,
                          const struct quipu_error *trouble);

/* definitions.c: reading all definitions, and what tokens mean. */
enum quipu_status quipu__otf_read_definitions(struct quipu__otf_trace *own, struct quipu_error *err);

/* define_model.c: adds all of them to the model. False when memory is out. */
QUIPU_CHECKED bool quipu__otf_define_model(struct quipu__otf_trace *own);

/* The role of a function, by its name and that of its group. */
enum quipu_region_role quipu__otf_region_role(const char *name, const char *group);

/* token_numbers.c: number in the model of a token; an undefined token gets a definition. QUIPU_NONE when memory is out. */
uint32_t quipu__otf_number(struct quipu__otf_trace *own, enum quipu__otf_class class_of, uint32_t token);

/* Number of a token that is defined in the files, else QUIPU_NONE. */
static inline uint32_t quipu__otf_defined(const struct quipu__otf_trace *own, enum quipu__otf_class class_of,
                                          uint32_t token) {
    return quipu__tokens_get(&own->definition_classes[class_of].tokens, token);
}

/* The attribute key of a field without a column. */
uint32_t quipu__otf_field_key(struct quipu__otf_trace *own, enum quipu__otf_type type, uint32_t field);

/* ---- A pass over one part ---- */

/* A marker, kept until all are read: marker files are not sorted. */
struct quipu__otf_marker_event {
    int64_t time;
    uint32_t token, process;
    uint64_t offset;
    const char *text; /* sized; lives in texts */
    const struct quipu_value *keyvalues;
};

/* What only events need. */
struct quipu__otf_event_state {
    struct quipu__tokens late[QUIPU__OTF_CLASS_COUNT]; /* results of quipu__otf_number in this pass */
    struct quipu__tracker active;                      /* see quipu__otf_begin_collective */
    struct quipu__tracker before; /* what was active at the start of a pass over a window */
};

struct quipu__otf_pass {
    struct quipu__pass pass;
    struct quipu__otf_trace *own;
    const struct quipu__otf_stream_file *stream_file;
    const char *path;
    struct quipu__input *input;
    void *packed; /* contents of a packed file */
    size_t packed_size;
    struct quipu__keyed_lines lines;
    struct quipu__keyed_twins twins; /* enter and leave, if the file has them */
    uint64_t line;                   /* number of the next line, from 1 */
    uint64_t index;                  /* of the next record */
    struct quipu__scratch scratch;
    struct quipu__otf_values values;
    bool has_state;   /* a time line and a process line have been read */
    bool values_used; /* the values belong to the record delivered last */
    bool is_cut;      /* the last line has no end */
    bool has_ended;   /* findings about the end of the file have been reported */
    union quipu__otf_any data;
    struct quipu__otf_common common;
    uint64_t *records_of;     /* where records are counted per type */
    uint64_t *own_records_of; /* the same of a pass whose records are not counted elsewhere, else NULL */

    /* events */
    int64_t time;                    /* of the next record, in the model */
    uint32_t location;               /* of the next record */
    struct quipu__keyed_state state; /* the state from which time and location were made */
    bool is_unsorted;                /* the time has gone back */
    bool has_record;                 /* a parsed record of type did not fit into the last batch */
    enum quipu__otf_type type;
    uint64_t offset;
    struct quipu__tokens located;          /* processes that had records, to their locations */
    struct quipu__otf_event_state *events; /* NULL before the first batch: it is large */
    struct quipu__reorder due;             /* events that records have announced for a later time */
    int64_t next_due;                      /* time of the next one, INT64_MAX when there is none */
    /* windows of time */
    uint64_t start;       /* offset in the file on disk where reading started */
    uint64_t start_time;  /* the time there */
    uint64_t searched;    /* bytes read to find it, and to look back */
    uint64_t looked_back; /* what began between here and start is known */
    bool ends_early;      /* the file looks sorted: nothing is read after the window */
    /* markers */
    bool markers_read;
    QUIPU__VEC(struct quipu__otf_marker_event) marker_events;
    struct quipu__arena texts;
    size_t next_marker;
};

static inline bool quipu__otf_has_state_lines(enum quipu__otf_file file) {
    return file == QUIPU__OTF_EVENTS || file == QUIPU__OTF_SNAPSHOTS || file == QUIPU__OTF_STATISTICS;
}

/* rules.c: adds a finding at the line of the pass that starts at byte. */
void quipu__otf_find_here(const struct quipu__otf_pass *pass, enum quipu__otf_rule rule, uint64_t byte,
                          const char *type, const char *field, const char *found, ...) QUIPU_PRINTF(6, 7);

/* reader.c: the passes of the descriptor. */
enum quipu_status quipu__otf_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                       struct quipu_error *err);
void quipu__otf_pass_close(struct quipu__pass *pass);
enum quipu_status quipu__otf_next_record(struct quipu__pass *pass, struct quipu_record *out,
                                         struct quipu_error *err);

/* spans.c */
uint32_t quipu__otf_next_spans(struct quipu__pass *pass, struct quipu__span *spans, uint32_t capacity);

/* The next line of the file that is a record, with its type and data set and its key-values collected; unknown and malformed
 * lines are records of type UnknownRecord. *offset is where it begins. QUIPU_END at the end. */
enum quipu_status quipu__otf_next_line(struct quipu__otf_pass *pass, enum quipu__otf_type *type,
                                       uint64_t *offset, struct quipu_error *err);

/* events.c: batches. */
enum quipu_status quipu__otf_next_batch(struct quipu__pass *pass, struct quipu__batch *batch,
                                        struct quipu_error *err);

/* fast_events.c: reads lines of the common spelling into the batch, until a line is spelled differently, the window is nearly
 * used up or the batch is full. Leaves out what the filter does not pass. */
void quipu__otf_read_fast(struct quipu__otf_pass *pass, struct quipu__batch *batch);

/* search.c: makes a pass start where the window of its filter begins, and says whether it may end after it. If a search fails,
 * everything is read. */
enum quipu_status quipu__otf_search(struct quipu__otf_pass *pass, struct quipu_error *err);

/* Where reading can start: a pair of state lines, a number of bytes of text after an offset on disk, which is that of the pair
 * or of a flush point. */
struct quipu__otf_start {
    bool found;
    uint64_t offset, skip, time;
};

/* Finds the first start that is not before an offset, and before limit. */
enum quipu_status quipu__otf_find_start(struct quipu__otf_pass *pass, uint64_t offset, uint64_t limit,
                                        struct quipu__otf_start *out);

/* Makes a pass begin there. */
enum quipu_status quipu__otf_start_at(struct quipu__otf_pass *pass, const struct quipu__otf_start *start,
                                      struct quipu_error *err);

/* Bytes of the file that a pass has consumed. */
static inline uint64_t quipu__otf_bytes(const struct quipu__otf_pass *pass) {
    return quipu__input_consumed(pass->input) - pass->start + pass->searched;
}

/* to_model.c: turns a record into events. */
enum quipu_status quipu__otf_to_model(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint64_t offset,
                                      struct quipu__batch *batch, struct quipu_error *err);
const struct quipu__mapping *quipu__otf_mapping(uint32_t type);

/* The column that a field's value goes into, QUIPU_COLUMN_COUNT for attributes. */
enum quipu_column quipu__otf_column_of(enum quipu__otf_type type, uint32_t field);

/* The figure in a field of a statistics record; QUIPU_NONE for none. */
uint32_t quipu__otf_statistic_of(enum quipu__otf_type type, uint32_t field);

/* Adds the announced events that are due, as far as there is room. */
enum quipu_status quipu__otf_give_due(struct quipu__otf_pass *pass, int64_t until, struct quipu__batch *batch,
                                      struct quipu_error *err);

/* Most ends that are held: beyond that an operation ends when it begins. */
enum { QUIPU__OTF_DUE_LIMIT = 1 << 16 };

/* The same for this pass, with a finding for each undefined token. */
uint32_t quipu__otf_pass_number(struct quipu__otf_pass *pass, enum quipu__otf_class class_of, uint32_t token,
                                const char *field);

/* The end of a collective operation names only the number with which it began at its location, so the tracker keeps the columns
 * of beginnings. A pass is one sequence, so there is one state; the key is number and location.
 *
 * Remembers what begins with this event, whose columns are set but for the operation. False when memory is out. */
QUIPU_CHECKED bool quipu__otf_begin_collective(struct quipu__otf_pass *pass, struct quipu_batch *batch,
                                               uint32_t event);

/* Whether the beginning of the operation with that number is known at the location that the pass is at. */
bool quipu__otf_knows_begin(const struct quipu__otf_pass *pass, uint64_t id);

/* Completes an event, whose location and number are set, from its beginning in this pass; false when there was none. */
QUIPU_CHECKED bool quipu__otf_end_collective(struct quipu__otf_pass *pass, struct quipu_batch *batch,
                                             uint32_t event);

/* The value of a metric in the model. */
uint64_t quipu__otf_metric_value(const struct quipu__otf_trace *own, uint32_t metric, uint64_t value);

/* intervals.c, snapshots.c, statistics.c */
extern const struct quipu__intervals quipu__otf_intervals;
extern const struct quipu__snapshots quipu__otf_snapshots;
extern const struct quipu__statistics quipu__otf_statistics;

/* check.c */
enum quipu_status quipu__otf_check(struct quipu__trace *trace, struct quipu_error *err);

/* writer.c, from_model.c */
extern const struct quipu__capabilities quipu__otf_capabilities;
extern const struct quipu__copying quipu__otf_copying;
extern const struct quipu__writing quipu__otf_writing;
enum quipu_status quipu__otf_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                       struct quipu_error *err);

#endif
