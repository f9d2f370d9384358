/* format.h: a CHARISMA trace that is open: one file, the machine that it is of, and what all its passes share. */
#ifndef QUIPU_CHARISMA_FORMAT_H
#define QUIPU_CHARISMA_FORMAT_H

#include "formats/charisma/tracking.h"
#include "core/text/findings.h"
#include "core/files/input.h"
#include "formats/descriptor.h"
#include "model/reorder.h"

/* ---- The check ---- */

/* What a record means for those that follow, and the rules that it breaks: one look at each record, in file order. */

enum quipu__charisma_rule {
#define RULE(name, id, severity, text, advice) QUIPU__CHARISMA_RULE_##name,
#include "formats/charisma/rules.def"
#undef RULE
    QUIPU__CHARISMA_RULE_COUNT
};
extern const struct quipu_rule quipu__charisma_rules[QUIPU__CHARISMA_RULE_COUNT];

/* A record at hand. */
struct quipu__charisma_where {
    uint64_t byte, record;
    uint32_t type;
};

struct quipu__charisma_check {
    struct quipu__charisma_tracking tracking;
    struct quipu_findings *findings; /* NULL: rules are counted only */
    const char *path;
    bool only_defines;         /* what is needed for definitions is looked at, not each rule */
    uint64_t errors, warnings; /* broken rules of the codes E and W */
    struct quipu__charisma_where where;
    struct quipu_number latest; /* time stamp so far */
    bool has_latest, has_header;

    /* What the record at hand is about, for mapping it to events. QUIPU_NONE when it is about none. */
    uint32_t client, application, file;
    struct quipu__charisma_in_flight *ended; /* ASYNCH_END: the request; NULL when there is none */
    uint64_t first_transfers;                /* RW: number of its first entry among all of the trace */
};

void quipu__charisma_check_init(struct quipu__charisma_check *check, struct quipu__memory *memory,
                                const struct quipu__charisma_profile *profile, struct quipu_findings *findings,
                                const char *path);

static inline void quipu__charisma_check_release(struct quipu__charisma_check *check) {
    quipu__charisma_tracking_release(&check->tracking);
}

/* Looks at the next record of the file. COMP_RW gets its values here. */
void quipu__charisma_check_record(struct quipu__charisma_check *check, uint64_t byte, uint32_t type,
                                  union quipu__charisma_any *data);

/* The route of a request of one client that is not before the latest stamp; NULL when it is not known. */
QUIPU__INLINE const struct quipu__charisma_route *quipu__charisma_known_route(
    struct quipu__charisma_check *check, struct quipu_number latest, const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    const int64_t client_id = rw->requests->client_id;
    const struct quipu__charisma_route *route = quipu__charisma_route_of(tracking, client_id, rw->file_desc);
    const uint8_t kind = rw->operation_type & (uint8_t) ~(QUIPU__CHARISMA_WRITE | QUIPU__CHARISMA_ASYNCHRONOUS);
    const bool is_known = route->generation == tracking->generation && route->client_id == client_id &&
                          route->file_desc == rw->file_desc && kind == QUIPU__CHARISMA_OF_CLIENT &&
                          rw->appl_id == tracking->profile->no_app &&
                          !quipu__charisma_is_before(rw->starttime, latest);
    return is_known ? route : NULL;
}

/* The fast path, which most records take: the route of a synchronous request that breaks no rule. NULL for all others. */
QUIPU__INLINE const struct quipu__charisma_route *quipu__charisma_check_route(
    struct quipu__charisma_check *check, struct quipu_number latest, const struct quipu__charisma_rw *rw) {
    const struct quipu__charisma_route *route = quipu__charisma_known_route(check, latest, rw);
    const struct quipu__charisma_request *request = rw->requests;
    const unsigned direction = (rw->operation_type & QUIPU__CHARISMA_WRITE) / QUIPU__CHARISMA_WRITE;
    const bool is_regular = route && !(rw->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS) &&
                            (route->directions >> direction & 1) && (request->offset | request->IO_size) >= 0 &&
                            !quipu__charisma_is_before(rw->endtime, rw->starttime);
    return is_regular ? route : NULL;
}

/* The next records of the file are so many such requests: what the last of them says. */
QUIPU__INLINE void quipu__charisma_check_routed(struct quipu__charisma_check *check, uint64_t byte,
                                                struct quipu_number latest, uint32_t count) {
    check->where.byte = byte;
    check->where.record += count;
    check->where.type = QUIPU__CHARISMA_TYPE_rw;
    check->client = check->application = check->file = QUIPU_NONE;
    check->ended = NULL;
    check->latest = quipu__charisma_stamp(latest);
    check->tracking.transfer_count += count;
    check->first_transfers = check->tracking.transfer_count - 1;
}

/* The end of the trace: what is open, and what has not ended. cut: the trace goes on, so that is no fault. */
void quipu__charisma_check_end(struct quipu__charisma_check *check, bool cut);

/* The descriptor that an entry of a request is for; NULL when it is not open. *is_inherited when it was opened by another. */
struct quipu__charisma_handle *quipu__charisma_target(struct quipu__charisma_check *check, bool is_of_client,
                                                      uint32_t application, uint32_t client, int64_t file_desc,
                                                      bool *is_inherited);

/* Reports a broken rule about the record at hand. type and field may be "". */
void quipu__charisma_find(struct quipu__charisma_check *check, enum quipu__charisma_rule rule,
                          const char *field, const char *expected, const char *found, ...) QUIPU_PRINTF(5, 6);

/* ---- The fast path for an RW record with one request (codec.c) ----
 *
 * Where its numbers lie is taken from the machine's plans once, so that each is one load of eight bytes and two shifts; everything
 * else is decoded by the plans. */

enum quipu__charisma_fast_field {
    QUIPU__CHARISMA_FAST_STARTTIME,
    QUIPU__CHARISMA_FAST_ENDTIME,
    QUIPU__CHARISMA_FAST_FILE_DESC,
    QUIPU__CHARISMA_FAST_OPERATION_TYPE,
    QUIPU__CHARISMA_FAST_ASYNC_ID,
    QUIPU__CHARISMA_FAST_APPL_ID,
    QUIPU__CHARISMA_FAST_NUM_CLIENTS,
    QUIPU__CHARISMA_FAST_OFFSET, /* from here on of the request */
    QUIPU__CHARISMA_FAST_MEMORY_OFFSET,
    QUIPU__CHARISMA_FAST_IO_SIZE,
    QUIPU__CHARISMA_FAST_CLIENT_ID,
    QUIPU__CHARISMA_FAST_FIELDS
};

struct quipu__charisma_fast_number {
    uint16_t offset; /* in the record */
    uint8_t shift;   /* of the bits that are not its own */
    uint64_t sign;   /* its highest bit, when it is signed */
};

struct quipu__charisma_fast_request {
    uint32_t bytes;  /* of a record with one request; 0: the machine has numbers that are not for this */
    uint32_t window; /* that must be readable */
    uint8_t type[2]; /* the first bytes of a record of type RW */
    bool is_time_real, is_time_signed;
    struct quipu__charisma_fast_number numbers[QUIPU__CHARISMA_FAST_FIELDS];
    const struct quipu__charisma_fast_loops *loops; /* for the machine's byte order and lengths */
};

/* Bytes, and how many records of them are wanted. */
struct quipu__charisma_span {
    const uint8_t *at, *end;
    uint32_t most;
};

/* A synchronous request of one client on a route, which is good until a record without one is checked. Stamps are bits, as in
 * quipu_number. */
struct quipu__charisma_routed {
    const struct quipu__charisma_route *route;
    int64_t starttime, endtime, offset, IO_size;
    uint64_t memory_offset;
    uint8_t operation_type;
};

/* What the fast path does, for one kind of machine. Records may begin where they are said to, by the function below. */
struct quipu__charisma_fast_loops {
    /* Decodes and checks a record, whose list is the caller's. False when it has not one request. offset: its own in the file. */
    bool (*next)(const struct quipu__charisma_fast_request *fast, struct quipu__charisma_check *check,
                 uint64_t offset, const uint8_t *record, union quipu__charisma_any *out,
                 struct quipu__charisma_single_request *list);

    /* Passes over the requests on known routes that the bytes of a span begin with, of which no more is checked; returns how many.
     * offset: of the span in the file. */
    uint32_t (*skip_requests)(const struct quipu__charisma_fast_request *fast,
                              struct quipu__charisma_check *check, uint64_t offset,
                              const struct quipu__charisma_span *span);

    /* The same of synchronous ones, which it checks; says what they are. */
    uint32_t (*next_requests)(const struct quipu__charisma_fast_request *fast,
                              struct quipu__charisma_check *check, uint64_t offset,
                              const struct quipu__charisma_span *span, struct quipu__charisma_routed *out);
};

/* Whether a record with one request may begin here: all that the fast path looks at can be read. */
QUIPU__INLINE bool quipu__charisma_fast_begins(const struct quipu__charisma_fast_request *fast,
                                               const uint8_t *at, const uint8_t *end) {
    return (size_t)(end - at) >= fast->window && at[0] == fast->type[0] && at[1] == fast->type[1];
}

/* ---- Machines ---- */

/* A machine ready for reading and writing: the plans of its records. */
struct quipu__charisma_machine_codec {
    struct quipu__charisma_profile profile;
    struct quipu__binary_codec *binary;
    uint32_t fixed[QUIPU__CHARISMA_TYPE_COUNT]; /* bytes of a record before its list, if it has one */
    uint16_t header_text;                       /* offset of the free text in a header */
    struct quipu__charisma_fast_request fast;
};

enum quipu_status quipu__charisma_codec_init(struct quipu__charisma_machine_codec *codec,
                                             struct quipu__memory *memory,
                                             const struct quipu__charisma_profile *profile,
                                             struct quipu_error *err);
void quipu__charisma_codec_release(struct quipu__charisma_machine_codec *codec);

/* Appends a record; a failure is the buffer's. *narrowed grows by the values that the machine cannot hold. */
void quipu__charisma_encode(const struct quipu__charisma_machine_codec *codec, uint32_t type,
                            const union quipu__charisma_any *data, struct quipu__buffer *out,
                            uint64_t *narrowed);

/* ---- Going over the records of a file (reader.c) ---- */

struct quipu__charisma_walk {
    struct quipu__memory *memory;
    const struct quipu__charisma_machine_codec *codec;
    struct quipu__input *input;
    struct quipu__binary_decoder decoder;
    struct quipu__charisma_check check;
    bool has_started, has_ended;
    bool has_records;    /* between the head of the file and its end */
    bool resynchronises; /* continues after damage with the next bytes that certainly are records */

    /* The record at hand. */
    uint32_t type;
    uint64_t offset, bytes;
    union quipu__charisma_any data;
    struct quipu__charisma_single_request single; /* list of a request that took the fast path */

    uint64_t skipped; /* bytes that were no records */
};

/* findings may be NULL. */
enum quipu_status quipu__charisma_walk_open(struct quipu__charisma_walk *walk, struct quipu__memory *memory,
                                            struct quipu__files *files, const char *path,
                                            const struct quipu__charisma_machine_codec *codec,
                                            struct quipu_findings *findings, size_t window,
                                            struct quipu_error *err);
void quipu__charisma_walk_close(struct quipu__charisma_walk *walk);

/* The next record, decoded and checked. QUIPU_END after the last. */
enum quipu_status quipu__charisma_walk_next(struct quipu__charisma_walk *walk, struct quipu_error *err);

/* Goes over the synchronous requests on known routes that come next and that the window shows, at most so many; returns how many.
 * out says what they are. NULL is for definitions: asynchronous ones too are passed over, and only the time is looked at. The
 * walk is at no record then. */
uint32_t quipu__charisma_walk_requests(struct quipu__charisma_walk *walk, struct quipu__charisma_routed *out,
                                       uint32_t most);

/* ---- Choosing a machine (detect.c) ---- */

/* Seconds since 1970 that a header has: others tell that it is of another machine. The first stands for no date. */
#define QUIPU__CHARISMA_EARLIEST_DATE INT64_C(473385600) /* 1985-01-01 */
#define QUIPU__CHARISMA_LATEST_DATE INT64_C(4102444800)  /* 2100-01-01 */

/* Finds the profile of a file among the built-in ones. *same_reading lists others that read the same, "" when there are none;
 * it lives in the arena. */
enum quipu_status quipu__charisma_detect(struct quipu__trace *trace, struct quipu__charisma_profile *out,
                                         const char **same_reading, struct quipu_error *err);

/* Options of the writer. */
#define QUIPU__CHARISMA_OPTION_MACHINE "machine"
#define QUIPU__CHARISMA_OPTION_COMPRESS "compress"

/* ---- A trace ---- */

#define QUIPU__CHARISMA_FIELDS_MOST 16

struct quipu__charisma_trace {
    struct quipu__trace *trace;
    struct quipu__memory *memory;
    struct quipu__charisma_machine_codec codec;

    /* Definitions, by the numbers that tracking.h gives to instances and files. */
    QUIPU__VEC(uint32_t) locations, files;
    uint32_t keys[QUIPU__CHARISMA_TYPE_COUNT]
                 [QUIPU__CHARISMA_FIELDS_MOST]; /* of fields that become attributes */
    uint32_t memory_offset_key, returned_key;
    uint32_t opened_as_key; /* for opens under a name that is not the file's last one; QUIPU_NONE: none */

    /* Time of a stamp: ticks since the header's. */
    struct quipu_number origin;
    double real_ticks; /* ticks per unit of a stamp with a fraction */
    int64_t disorder;  /* how far, in ticks, times go back at most; INT64_MAX: as far or farther */
};

static inline struct quipu__charisma_trace *quipu__charisma_of(const struct quipu__trace *trace) {
    return trace->own;
}

/* Reads all records and makes the definitions of them (define.c). */
extern const struct quipu__survey quipu__charisma_survey;

/* The name of a file with its folder, as a record that opens it says; "" of other records, and when memory is out, which the gate knows. */
const char *quipu__charisma_path(const struct quipu__charisma_walk *walk, struct quipu__buffer *out);

/* Whether a record opens or closes no descriptor (-1): then it only says what a file is called from then on, and makes no event. */
bool quipu__charisma_only_names(const struct quipu__charisma_walk *walk);

/* The earliest event that the current record makes; false when it makes none. */
bool quipu__charisma_first_time(const struct quipu__charisma_trace *own,
                                const struct quipu__charisma_walk *walk, int64_t *out);

/* Ticks of the model for a stamp; beyond the range its limit. */
int64_t quipu__charisma_time(const struct quipu__charisma_trace *own, struct quipu_number stamp);

/* ---- Passes ---- */

struct quipu__charisma_pass {
    struct quipu__pass common;
    struct quipu__charisma_walk walk;
    struct quipu__reorder reorder; /* ends of requests */
    struct quipu__buffer path;
    int64_t watermark; /* time of the latest record so far, INT64_MIN at first */
    bool has_record;   /* the walk is at one whose events are not in a batch yet */
    bool is_drained;   /* all records are read; what is held is given */
};

enum quipu_status quipu__charisma_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                            struct quipu_error *err);
void quipu__charisma_pass_close(struct quipu__pass *common);
enum quipu_status quipu__charisma_next_record(struct quipu__pass *common, struct quipu_record *out,
                                              struct quipu_error *err);
enum quipu_status quipu__charisma_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                             struct quipu_error *err);

/* Counts the current record of the walk, or that many before it; counts the bytes at the end. */
void quipu__charisma_count(struct quipu__charisma_pass *pass, uint32_t type, uint32_t count);
void quipu__charisma_count_bytes(struct quipu__charisma_pass *pass);

/* Beginning in the middle (resume.c). */
extern const struct quipu__resuming quipu__charisma_resuming;

/* The column of io_begin and io_end that a descriptor goes to. */
#define QUIPU__CHARISMA_HANDLE tag
#define QUIPU__CHARISMA_HANDLE_TYPE int64_t

const struct quipu__mapping *quipu__charisma_mapping(uint32_t type);

#endif
