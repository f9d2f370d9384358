/* from_model.h: what writing events and writing their definitions share. */
#ifndef QUIPU_OTF_FROM_MODEL_H
#define QUIPU_OTF_FROM_MODEL_H

#include "core/memory/vec.h"
#include "core/bounded.h"
#include "core/memory/map.h"
#include "formats/otf/writer.h"

/* ---- Tokens ---- */

/* Numbers of the model's definitions become tokens of the files.
 *
 * A definition keeps its own number (native_id) when all of its class have numbers that can be tokens; then a trace that
 * is read and written again keeps its tokens. Else all get their index plus 1. 0 is never a token.
 */

struct quipu__otf_token {
    uint32_t token; /* 0: none yet */
    bool used;      /* something refers to it: it must be defined */
};

struct quipu__otf_tokens {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__otf_token) at; /* by number */
    struct quipu__map taken;                /* token -> number, 0 for one without definition */
    bool decided, by_index;
    uint32_t highest, lowest_free; /* tokens; all below lowest_free are taken */
};

/* The native number of definition number. */
typedef uint64_t quipu__otf_native_fn(const void *definitions, uint32_t number);

void quipu__otf_tokens_init(struct quipu__otf_tokens *tokens, struct quipu__memory *memory);
void quipu__otf_tokens_release(struct quipu__otf_tokens *tokens);

/* Gives the definitions up to count their tokens; may be called again when there are more. */
QUIPU_CHECKED bool quipu__otf_tokens_extend(struct quipu__otf_tokens *tokens, const void *definitions,
                                            uint32_t count, quipu__otf_native_fn *native);

/* The token of one definition of a class of which only few are wanted: its own number when that is free. Returns 0 when
 * memory is out. */
uint32_t quipu__otf_tokens_want(struct quipu__otf_tokens *tokens, uint32_t number, uint64_t native);

/* Reserves a token that nothing has. Returns 0 when memory is out. */
uint32_t quipu__otf_tokens_fresh(struct quipu__otf_tokens *tokens);

/* What is known of a location while its events are written. */
struct quipu__otf_location_stream {
    uint32_t stream;             /* 0: none yet */
    bool is_mapped;              /* it has records */
    uint64_t next_id;            /* number for the next operation that begins without one */
    uint64_t active_collectives; /* collective operations that have not ended */
};

/* Names that are defined once: of groups of functions, files and counters, and of source files. */
struct quipu__otf_names {
    QUIPU__VEC(const char *) at; /* name n has token n + 1 */
    size_t defined;              /* so many have been written */
    struct quipu__map number_of; /* by hash of the name */
};

/* event_records.c: a record that an event becomes. */
struct quipu__otf_made {
    enum quipu__otf_type type; /* QUIPU__OTF_TYPE_COUNT: nothing to write yet */
    union quipu__otf_any data;
};

/* A record of statistics that lacks figures. */
struct quipu__otf_held_summary {
    struct quipu__otf_made made;
    uint32_t missing; /* bit for each field; 0: has been written */
    uint64_t hash;    /* of what it is about */
};

/* Those of one time and location. */
struct quipu__otf_summaries {
    uint32_t location;
    uint64_t time; /* as the file has it */
    QUIPU__VEC(struct quipu__otf_held_summary) held;
    struct quipu__map numbers; /* hash -> the last one held with it */
    bool has_dropped;
    uint64_t dropped_offset; /* of the last record that is not written */
};

struct quipu__otf_model_writer {
    struct quipu__otf_writer *writer;
    const struct quipu_definitions *definitions;
    struct quipu__otf_tokens locations, regions, collops, sources, groups, files, metrics, markers, keys;
    QUIPU__VEC(uint8_t) collop_operations;                          /* by region: enum quipu_collective */
    uint32_t operation_tokens[QUIPU_COLLECTIVE_COUNT];              /* collectives that no region names */
    QUIPU__VEC(struct quipu__otf_location_stream) location_streams; /* by location */
    struct quipu__otf_names function_groups, counter_groups, file_groups, source_files;
    struct quipu__otf_summaries summaries;
    struct quipu__scratch scratch;        /* texts and key-values of the event at hand */
    struct quipu__keyed_scanner *scanner; /* of events */
    const struct quipu__keyed_pattern *patterns[QUIPU_KIND_COUNT]; /* of the fast kinds */
    int64_t shift;                                                 /* added to all times */
    int64_t
        scale; /* ticks of the file in one of the trace: OTF's clocks tick a whole number of times a second */
    int64_t latest; /* later times do not fit */
    bool has_times;
    uint64_t first, last; /* times written */
};

/* A time as the file has it; negative when that cannot be written. */
static inline int64_t quipu__otf_file_time(const struct quipu__otf_model_writer *model, int64_t time) {
    const int64_t ticks = quipu__bounded_sum(time, model->shift);
    return (uint64_t)ticks <= (uint64_t)model->latest ? ticks * model->scale : -1;
}

/* The token of a definition, which is defined from now on; 0 for one that is not known. */
static inline uint32_t quipu__otf_use(struct quipu__otf_tokens *tokens, uint32_t number) {
    if (number >= tokens->at.count)
        return 0;
    tokens->at.items[number].used = true;
    return tokens->at.items[number].token;
}

/* A number as 32 bits: 0 when it is not known. */
static inline uint32_t quipu__otf_cut(uint64_t value) {
    if (value == QUIPU_UNKNOWN)
        return 0;
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* The token of a name, new or known; 0 when memory is out. */
uint32_t quipu__otf_name_token(struct quipu__otf_model_writer *model, struct quipu__otf_names *names,
                               const char *name);

/* event_records.c: the record that an event becomes. False when its values do not allow it; the kind must be one that can. */
bool quipu__otf_can_make(enum quipu_kind kind);
QUIPU_CHECKED bool quipu__otf_make(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                   struct quipu__otf_made *made);

/* Fills the fields of a record of snapshots or statistics, but for figures, from columns and attributes. False when they cannot
 * be written. */
QUIPU_CHECKED bool quipu__otf_fill_fields(struct quipu__otf_model_writer *model,
                                          const struct quipu_event *event, struct quipu__otf_made *made);

/* The record that a figure completes, or none yet. Figures that no record has are dropped. */
void quipu__otf_hold_summary(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                             struct quipu__otf_made *made);

/* definition_writer.c: the file of definitions, and the lines of the master control file. */
enum quipu_status quipu__otf_put_definitions(struct quipu__otf_model_writer *model, struct quipu_error *err);

#endif
