/* format.h: what the files of this folder share: an open trace and a pass over it.
 *
 * A trace is one file, and one stream. Opening it goes over the file once (scan.c): it collects the definitions, which may be
 * anywhere, and finds out which processes there are and where in the file each has its records. A file that is sorted by
 * time is one substream; in others each process has one of its own, with the spans of the file that it has to read. */
#ifndef QUIPU_PICL_FORMAT_H
#define QUIPU_PICL_FORMAT_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/descriptor.h"
#include "formats/picl/decode.h"
#include "formats/picl/events.h"
#include "formats/picl/records.h"
#include "model/reorder.h"
#include "schema/schema.h"

/* ---- Requests ---- */

/* Sends whose requests have a name, until they are complete. A name is used again and may stand for several sends: the first
 * one completes first. */

/* Requests whose process and name have the same hash are a list; so are the slots that are not used. */
struct quipu__picl_request {
    int64_t name;
    uint64_t request;
    uint32_t process;
    uint32_t next;
    uint32_t last; /* of the list that begins here */
};

struct quipu__picl_requests {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__picl_request) items;
    uint32_t unused;
    struct quipu__map first; /* by the hash of process and name */
};

void quipu__picl_requests_init(struct quipu__picl_requests *requests, struct quipu__memory *memory);
static inline void quipu__picl_requests_release(struct quipu__picl_requests *requests) {
    QUIPU__VEC_RELEASE(requests->memory, &requests->items);
    quipu__map_release(&requests->first);
}

static inline uint64_t quipu__picl_request_key(const struct quipu__picl_requests *requests, uint32_t process,
                                               int64_t name) {
    const int64_t pair[2] = {process, name};
    return quipu__hash(pair, sizeof pair, requests->first.seed);
}

/* From now on the name stands for that request, too. False when memory is out. */
QUIPU_CHECKED bool quipu__picl_requests_put(struct quipu__picl_requests *requests, uint32_t process,
                                            int64_t name, uint64_t request);

/* Removes and returns the first request of a name; QUIPU_UNKNOWN when there is none. */
uint64_t quipu__picl_requests_take(struct quipu__picl_requests *requests, uint32_t process, int64_t name);

/* ---- The old format ---- */

/* Records of the old format from lines, in either spelling, and what they are in the new format. */

enum {
    QUIPU__PICL_OLD_START = 1,
    QUIPU__PICL_OLD_OPEN = 2,
    QUIPU__PICL_OLD_LOAD = 3,
    QUIPU__PICL_OLD_BLOCKING = 7,
    QUIPU__PICL_OLD_WAKING = 8,
    QUIPU__PICL_OLD_COMPSTATS = 11,
    QUIPU__PICL_OLD_COMMSTATS = 12,
    QUIPU__PICL_OLD_MARK = 15,
    QUIPU__PICL_OLD_MESSAGE = 16,
    QUIPU__PICL_OLD_STOP = 17,
    QUIPU__PICL_OLD_BLOCK_BEGIN = 20,
    QUIPU__PICL_OLD_BLOCK_END = 21,
    QUIPU__PICL_OLD_MARKS = 22,
    QUIPU__PICL_OLD_KEYS = 25, /* numbers of keys, 0 included */
    QUIPU__PICL_OLD_HOST = -32768,
};

/* A row of old_format.def. */
struct quipu__picl_old_row {
    const char *keyword, *labels;
};
extern const struct quipu__picl_old_row quipu__picl_old_rows[QUIPU__PICL_OLD_KEYS];

/* One label: its text, how many integers follow it, and whether they are stored. Returns what follows it, NULL at the end. */
struct quipu__picl_old_label {
    const char *text;
    size_t len;
    uint32_t values;
    bool is_stored;
};
const char *quipu__picl_next_label(const char *labels, struct quipu__picl_old_label *out);

struct quipu__picl_old_record {
    int64_t key, time_us, node;
    const struct quipu_value *values;
    uint32_t value_count;
    bool is_verbose;
    const uint8_t *text;
    size_t len;
    uint64_t byte, line;
};

struct quipu__picl_old_decoder {
    QUIPU__VEC(struct quipu_value) values;
    bool was_compressed, was_verbose, was_mixed;
    /* records of the new format that the last one stands for, and the next of them */
    struct quipu__picl_record converted[2];
    struct quipu_value statistics[4]; /* values of those that need more than integers */
    unsigned converted_count, converted_next;
};

static inline void quipu__picl_old_release(struct quipu__picl_old_decoder *old, struct quipu__memory *memory) {
    QUIPU__VEC_RELEASE(memory, &old->values);
}

/* The record of the line at decoder->at; the same steps as quipu__picl_decode. */
enum quipu__picl_decoded quipu__picl_old_decode(struct quipu__picl_decoder *decoder,
                                                struct quipu__picl_old_decoder *old,
                                                struct quipu__picl_old_record *record);

/* Fills old->converted with what a record is in the new format. */
void quipu__picl_old_to_new(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *record);

/* ---- An open trace ---- */

/* Consecutive lines: bytes from begin to end, of which the first one has that number. */
struct quipu__picl_span {
    uint64_t begin, end, line;
};
typedef QUIPU__VEC(struct quipu__picl_span) quipu__picl_spans;

/* Most spans of a process that are kept apart; then the last one grows over what lies between. */
#define QUIPU__PICL_SPANS_MOST 64

/* Window of the scan. */
#define QUIPU__PICL_SCAN_WINDOW ((size_t)256 << 10)

/* A pair of processor and process that has records, or is named by those of others. */
struct quipu__picl_process {
    int64_t processor, process;
    bool is_traced;      /* has events */
    bool has_own_number; /* its process id says which it is */
    quipu__picl_spans spans;
    uint32_t location;  /* in the model */
    uint32_t substream; /* that gives its events */
};

/* A label (record of type -5). */
struct quipu__picl_label {
    int64_t event, processor, process;
    const char *text;
    size_t len;
};

enum quipu__picl_variant { QUIPU__PICL_NEW_FORMAT, QUIPU__PICL_COMPRESSED, QUIPU__PICL_VERBOSE };

/* Attributes for data without a column: most values of a record that get a key each. */
#define QUIPU__PICL_DATA_KEYS 16

/* More than there are names of data fields in events.def. */
#define QUIPU__PICL_FIELD_NAMES 40

/* Names of the attributes of this format's events; those of data fields follow (events.def). */
enum quipu__picl_key {
    QUIPU__PICL_KEY_MARK,  /* on enter: the record was a mark */
    QUIPU__PICL_KEY_EVENT, /* event type of a user-defined record or message */
    QUIPU__PICL_KEY_DATA,  /* data1 to data16: values of users' events */
    QUIPU__PICL_KEY_FIELD = QUIPU__PICL_KEY_DATA + QUIPU__PICL_DATA_KEYS,
    QUIPU__PICL_KEY_COUNT = QUIPU__PICL_KEY_FIELD + QUIPU__PICL_FIELD_NAMES
};

/* What the fast path does with the entries or exits of an event type. */
enum quipu__picl_action {
    QUIPU__PICL_ACTION_OTHER,   /* leaves them to to_model.c */
    QUIPU__PICL_ACTION_CALL,    /* a region is entered or left */
    QUIPU__PICL_ACTION_SEND,    /* and a message is sent */
    QUIPU__PICL_ACTION_RECEIVE, /* and one is received */
    QUIPU__PICL_ACTION_MARKER,  /* of user-defined records, whatever their event type is */
};

/* Places of what messages say among the values of a record; -1 for what they do not say. */
struct quipu__picl_message_values {
    int bytes, tag, processor, process;
};

/* Records of an event type: exits, entries, marks. */
#define QUIPU__PICL_SIDES (QUIPU__PICL_MARK - QUIPU__PICL_EXIT + 1)

/* What the first values of an event type's records become (define.c). */
struct quipu__picl_plan {
    uint32_t keys[QUIPU__PICL_SIDES]
                 [QUIPU__PICL_FAST_VALUES]; /* attributes; QUIPU_NONE for values of columns */
    enum quipu__picl_action at_entry, at_exit;
    struct quipu__picl_message_values message; /* of the entry that sends, of the exit that receives */
};

struct quipu__picl_trace {
    struct quipu__trace *trace;
    enum quipu__picl_variant variant;
    struct quipu__picl_scope scope;
    struct quipu__arena arena;
    uint32_t decimals; /* of a second; ticks are 10^-decimals seconds */
    bool is_sorted;    /* all events are in order of time: one substream */
    bool has_messages; /* records of type -7, which need not be in order */
    bool
        calls_are_users; /* user events are the calls, and system events inside them say what they do: these are not calls */
    uint64_t carriage_return; /* number of the first line that ends in one, 0 for none */
    QUIPU__VEC(struct quipu__picl_process) processes; /* ascending by processor and process after the scan */
    struct quipu__map process_numbers;                /* key of a pair -> process */
    struct quipu__map processors;                     /* processor -> its first process */
    QUIPU__VEC(uint32_t) substreams;                  /* their processes, when the trace is not sorted */
    quipu__picl_spans others;                         /* lines of no process; the first substream reads them */
    QUIPU__VEC(struct quipu__picl_label) labels;
    QUIPU__VEC(int64_t) events;                      /* event types that are used */
    QUIPU__VEC(int64_t) relatives;                   /* those that statistics are relative to, each once */
    struct quipu__map regions;                       /* event type -> region */
    uint32_t region_of[2 * QUIPU__PICL_EVENT_LIMIT]; /* the same for -1023 to 1023, by the number + 1024 */
    const struct quipu__picl_event *rows[QUIPU__PICL_EVENT_LIMIT]; /* of events.def, by the same */
    struct quipu__picl_plan user_plan;                             /* of events without a row */
    const struct quipu__picl_plan *plans[QUIPU__PICL_EVENT_LIMIT]; /* by the same; 0: of all users' events */
    struct quipu__map groups;  /* identifier of a processor or process subset -> group */
    struct quipu__map files;   /* hash of a name -> file */
    struct quipu__map markers; /* user-defined record type -> marker */
    QUIPU__VEC(int64_t) marker_types;
    uint32_t world;                       /* group of all processes but the host's */
    uint32_t keys[QUIPU__PICL_KEY_COUNT]; /* numbers of attribute keys, QUIPU_NONE for none */
};

/* scan.c: reads the file for all of the above that are not numbers of the model. */
extern const struct quipu__survey quipu__picl_survey;

/* define.c: adds everything to the model. */
enum quipu_status quipu__picl_define(struct quipu__picl_trace *own, struct quipu_error *err);

/* The process with these numbers; QUIPU_NONE when there is none. */
uint32_t quipu__picl_process_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process);

/* The other side of a message; process QUIPU__PICL_ALL: the first one of the processor. */
uint32_t quipu__picl_peer_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process);

/* Numbers in the model, QUIPU_NONE for what does not occur. */
static inline uint32_t quipu__picl_region_of(const struct quipu__picl_trace *own, int64_t event) {
    return event > -QUIPU__PICL_EVENT_LIMIT && event < QUIPU__PICL_EVENT_LIMIT
               ? own->region_of[event + QUIPU__PICL_EVENT_LIMIT]
               : quipu__map_get(&own->regions, (uint64_t)event);
}
uint32_t quipu__picl_group_of(const struct quipu__picl_trace *own, int64_t record_type, int64_t identifier);

static inline uint32_t quipu__picl_file_of(const struct quipu__picl_trace *own, const char *name, size_t len) {
    return quipu__map_get(&own->files, quipu__hash(name, len, own->files.seed));
}

/* Whether records of an event type stand inside of calls and are none. */
static inline bool quipu__picl_is_within_call(const struct quipu__picl_trace *own, int64_t event) {
    return own->calls_are_users && event < QUIPU__PICL_ALL && event >= QUIPU__PICL_SYSTEM_LAST;
}

/* Row of an event type, NULL for those without one. */
static inline const struct quipu__picl_event *quipu__picl_row_of(const struct quipu__picl_trace *own,
                                                                 int64_t event) {
    return event < 0 && event > -QUIPU__PICL_EVENT_LIMIT ? own->rows[-event] : NULL;
}

/* The plan of an event type; NULL when it has none. */
static inline const struct quipu__picl_plan *quipu__picl_plan_of(const struct quipu__picl_trace *own,
                                                                 int64_t event) {
    if (event <= -QUIPU__PICL_EVENT_LIMIT)
        return NULL;
    return own->plans[event < 0 ? -event : 0];
}

/* Attribute key of a value of an entry, exit or mark; QUIPU_NONE when a column holds it, or nothing. */
uint32_t quipu__picl_key_of_value(const struct quipu__picl_trace *own, const struct quipu__picl_event *row,
                                  int64_t record_type, uint32_t index);

/* The value of a record as an integer; false when it has none at that place, or another type. */
static inline bool quipu__picl_integer(const struct quipu__picl_record *record, uint32_t index, int64_t *out) {
    if (index >= record->value_count)
        return false;
    if (record->is_fast) {
        *out = record->integers[index];
        return true;
    }
    *out = record->values[index].i;
    return record->values[index].type == QUIPU_VALUE_I64;
}

/* What a record adds to the volume of its event type; -1 when it adds nothing. In check.c. */
int64_t quipu__picl_volume_of(const struct quipu__picl_record *record, const struct quipu__picl_event *row);

/* ---- A walk over the file: records of either format as records of the new one ---- */

struct quipu__picl_walk {
    struct quipu__picl_trace *own;
    struct quipu__input *input;
    struct quipu__picl_decoder decoder;
    struct quipu__picl_old_decoder old;
    struct quipu_error trouble; /* of reading */
};

enum quipu_status quipu__picl_walk_open(struct quipu__picl_walk *walk, struct quipu__picl_trace *own,
                                        size_t window, struct quipu_error *err);
void quipu__picl_walk_close(struct quipu__picl_walk *walk);

/* Offset of the next record that has not been read yet. */
static inline uint64_t quipu__picl_walk_offset(const struct quipu__picl_walk *walk) {
    return walk->decoder.offset - (uint64_t)(walk->decoder.end - walk->decoder.at);
}

/* Whether the line of the last record has more: of several records on one line, or of one of the old format that stands for several. */
static inline bool quipu__picl_walk_is_inside(const struct quipu__picl_walk *walk) {
    return quipu__picl_is_inside(&walk->decoder) || walk->old.converted_next < walk->old.converted_count;
}

/* One step: a record (QUIPU_OK with is_record), a line without one (QUIPU_OK without), or QUIPU_END. */
enum quipu_status quipu__picl_walk_step(struct quipu__picl_walk *walk, struct quipu__picl_record *record,
                                        bool *is_record, struct quipu_error *err);

/* The same with the records of the old format as they are. */
enum quipu_status quipu__picl_walk_old_step(struct quipu__picl_walk *walk,
                                            struct quipu__picl_old_record *record, bool *is_record,
                                            struct quipu_error *err);

/* Goes over all records of the file, and calls for each. */
enum quipu_status quipu__picl_walk_all(struct quipu__picl_trace *own, struct quipu__picl_record *record,
                                       void (*look)(void *context), void *context, struct quipu_error *err);

/* ---- A pass ---- */

/* An entry whose exit needs to know it. */
struct quipu__picl_entry_values {
    int64_t event;
    int64_t integers[3];
    uint32_t count, file;
    uint64_t request; /* of the send that begins */
};
typedef QUIPU__VEC(struct quipu__picl_entry_values) quipu__picl_entries;

/* What a pass knows of a process. */
struct quipu__picl_progress {
    quipu__picl_entries entries;
    uint64_t requests; /* of sends that have begun */
    int64_t time; /* of the last event; where all are one substream, that of the first process is that of all */
};

/* A deviation that waits until it is known whose record it is. */
struct quipu__picl_deferred_report {
    enum quipu__picl_rule rule;
    uint64_t line, byte;
    char found[61];
};

/* The location of a process that messages name. */
struct quipu__picl_peer {
    int64_t processor, process;
    uint32_t location; /* QUIPU_NONE: nothing is known yet, or there is none */
};

struct quipu__picl_pass {
    struct quipu__pass pass;
    struct quipu__picl_trace *own;
    const char *path;
    struct quipu__picl_walk walk;
    uint64_t own_records_of[QUIPU__PICL_TYPE_COUNT];
    uint64_t *records_of;
    uint64_t index; /* of the next record */
    struct quipu__picl_deferred_report reports[8];
    unsigned report_count;

    /* records */
    struct quipu__scratch scratch;
    union quipu__picl_record_any data;

    /* events */
    quipu__picl_spans spans; /* to read, in order; none: all */
    size_t span;             /* the one that is read */
    uint32_t process;        /* the one whose events are given, QUIPU_NONE for all */
    struct quipu__picl_record record;
    bool has_record;                            /* did not fit into the last batch */
    uint32_t record_process;                    /* of the record */
    int64_t processor_of_last, process_of_last; /* whose location is the last one */
    uint32_t last;
    uint64_t scale_of[QUIPU__PICL_DECIMALS_MOST + 1]; /* ticks per unit of a number with that many decimals */
    uint64_t
        mantissa_most[QUIPU__PICL_DECIMALS_MOST + 1]; /* of such a decimal whose ticks fit without a look */
    struct quipu__reorder due;
    int64_t next_due;
    struct quipu__picl_peer sent_to, received_from; /* the other sides of the last messages */
    struct quipu__picl_progress *progress;          /* per process */
    struct quipu__picl_requests requests;           /* of sends, under the names that they have got */
    bool is_rounded;
};

/* The process of a record, QUIPU_NONE for records of none: most often that of the record before. */
static inline uint32_t quipu__picl_process_at(struct quipu__picl_pass *pass, int64_t processor,
                                              int64_t process) {
    if (pass->last != QUIPU_NONE && processor == pass->processor_of_last && process == pass->process_of_last)
        return pass->last;
    pass->last = quipu__picl_process_of(pass->own, processor, process);
    pass->processor_of_last = processor;
    pass->process_of_last = process;
    return pass->last;
}

/* Ticks of a record's time. */
static inline int64_t quipu__picl_ticks_of(struct quipu__picl_pass *pass,
                                           const struct quipu__picl_decimal *time) {
    int64_t ticks;
    const uint32_t decimals = quipu__picl_decimals_of(time);
    if (QUIPU__LIKELY(time->exponent <= 0 && decimals <= pass->own->decimals && !time->is_cut)) {
        const uint64_t scale = pass->scale_of[decimals];
        if (QUIPU__LIKELY(time->mantissa <= pass->mantissa_most[decimals]))
            return time->is_negative ? -(int64_t)(time->mantissa * scale) : (int64_t)(time->mantissa * scale);
    }
    pass->is_rounded |= !quipu__picl_to_ticks(time, pass->own->decimals, &ticks);
    return ticks;
}

static inline int64_t quipu__picl_time_of(struct quipu__picl_pass *pass) {
    return quipu__picl_ticks_of(pass, &pass->record.time);
}

/* reader.c */
enum quipu_status quipu__picl_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                        struct quipu_error *err);
void quipu__picl_pass_close(struct quipu__pass *pass);
enum quipu_status quipu__picl_next_record(struct quipu__pass *pass, struct quipu_record *out,
                                          struct quipu_error *err);
enum quipu_status quipu__picl_next_batch(struct quipu__pass *pass, struct quipu__batch *batch,
                                         struct quipu_error *err);
extern const struct quipu__resuming quipu__picl_resuming;

/* fast_line.c: adds the events of the next lines as long as they are calls, with or without a message, and there is room. Another
 * record that was met is pass->record. False when memory is out. */
bool quipu__picl_take_calls(struct quipu__picl_pass *pass, struct quipu__batch *batch);

/* to_model.c: the location of a process that messages name; QUIPU_NONE when there is none. */
uint32_t quipu__picl_location_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process);

/* to_model.c: adds the events of pass->record, which belongs to a process, at a time. */
enum quipu_status quipu__picl_to_model(struct quipu__picl_pass *pass, uint32_t process, int64_t time,
                                       struct quipu__batch *batch, struct quipu_error *err);
uint32_t quipu__picl_events_most(const struct quipu__picl_pass *pass);
const struct quipu__mapping *quipu__picl_mapping_of(uint32_t type);

/* check.c */
enum quipu_status quipu__picl_check(struct quipu__trace *trace, struct quipu_error *err);

/* paragraph.c */
enum quipu_status quipu__picl_check_paragraph(struct quipu__trace *trace, struct quipu_error *err);

#endif
