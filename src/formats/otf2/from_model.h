/* from_model.h: what from_model.c, which writes events, record_makers.c, which makes records of them, and definition_writer.c,
 * which writes what they have used, share. */
#ifndef QUIPU_OTF2_FROM_MODEL_H
#define QUIPU_OTF2_FROM_MODEL_H

#include "formats/otf2/format.h"

#include <string.h>

#define UNDEFINED UINT32_MAX

/* Keys that are built in, and types that a key can be defined with. */
enum { BUILT_IN_KEYS = 2, VALUE_TYPES = 32 };

/* Levels of locations that are looked at: damaged traces have circles of them. */
enum { LEVELS_MOST = 64 };

/* Numbers of definitions that have been used, in the order of their first use, and which of them each number of the model is. */
struct numbering {
    QUIPU__VEC(uint32_t) tokens, numbers;
};

/* An operation that has begun and not ended, by a hash of what both ends say, and what only the beginning of some says. */
struct open_operation {
    uint64_t key, id;
    uint64_t bytes, value;
    uint32_t operation, peer, group;
    bool is_said_at_end; /* its record of the beginning says nothing of it */
};

/* Where events happen. */
struct track {
    struct quipu__otf2_out out;
    uint32_t location;
    int64_t last;      /* time of its latest event, in the model */
    bool is_off;       /* recording is off, */
    uint64_t on_again; /* until this time of the file */
    uint64_t next_id;
    QUIPU__VEC(uint32_t) calls; /* regions that are entered, in the model */
    QUIPU__VEC(struct open_operation) operations;
};

struct handle {
    uint32_t file; /* in the model, QUIPU_NONE */
    uint64_t number;
};

struct quipu__otf2_model {
    struct quipu__otf2_writer *writer;
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    const struct quipu_batch *batch; /* at hand, and the event of it */
    uint32_t event;
    struct quipu__scratch scratch;     /* of the record at hand */
    struct quipu__arena arena;         /* texts, tracks */
    QUIPU__VEC(struct track *) tracks; /* by location; NULL: no events yet */
    struct numbering regions, comms, windows, files, metrics, markers, keys;
    struct numbering sources, contexts; /* places in source code, and those of which the function is known */
    QUIPU__VEC(const char *) strings;
    struct quipu__map string_of; /* hash of a text -> string */
    QUIPU__VEC(struct handle) handles;
    struct quipu__map handle_of;         /* hash of a handle -> its number */
    QUIPU__VEC(uint32_t) world;          /* locations by rank */
    QUIPU__VEC(uint32_t) rank_of;        /* by location; QUIPU_NONE */
    struct quipu__map members;           /* hash of group and location -> rank */
    QUIPU__VEC(uint8_t) group_is_mapped; /* its members are in the map */
    QUIPU__VEC(uint8_t) operation_of;    /* by region: its collective operation plus 1 */
    bool has_native_ids, has_note;       /* has_native_ids: numbers of the source tell locations apart */
    uint64_t last;                       /* time */
    bool has_times;
    int64_t first;         /* time of the trace, at most 0 */
    int64_t origin, scale; /* ticks at time 0, and ticks of the file in one of the trace */
    int64_t ticks_most;    /* of the trace that fit the file */
};

typedef struct quipu__otf2_model model;

/* The token of a definition, which is used from now on. QUIPU_NONE counts as one, too, with numbers that start from -1. */
static inline uint32_t use(model *m, struct numbering *of, uint32_t number, uint32_t count) {
    if (number >= count)
        return UNDEFINED;
    if (number >= of->tokens.count) {
        const size_t more = number + 1 - of->tokens.count;
        if (!QUIPU__VEC_RESERVE(m->memory, &of->tokens, more))
            return UNDEFINED;
        of->tokens.count += more;
    }
    if (of->tokens.items[number] == 0) {
        uint32_t *slot = QUIPU__VEC_ADD(m->memory, &of->numbers);
        if (!slot)
            return UNDEFINED;
        *slot = number;
        of->tokens.items[number] = (uint32_t)of->numbers.count;
    }
    return of->tokens.items[number] - 1;
}

static inline const struct quipu_location *location_at(const model *m, uint32_t number) {
    return number < m->definitions->locations.count ? &m->definitions->locations.items[number] : NULL;
}

/* Parts of the machine; CPUs only as long as nothing happens there. */
static inline bool is_node(const model *m, uint32_t number) {
    switch (location_at(m, number)->kind) {
    case QUIPU_LOCATION_MACHINE:
    case QUIPU_LOCATION_NODE:
    case QUIPU_LOCATION_CPU:
    case QUIPU_LOCATION_FILE_SYSTEM:
    case QUIPU_LOCATION_APPLICATION:
        return true;
    case QUIPU_LOCATION_UNKNOWN:
    case QUIPU_LOCATION_PROCESS:
    case QUIPU_LOCATION_THREAD:
    case QUIPU_LOCATION_DEVICE:
    case QUIPU_LOCATION_METER:
        return false;
    }
    return false;
}

/* The process or accelerator that a location belongs to: itself, or what is above a thread or stream. */
static inline uint32_t owner_of(const model *m, uint32_t number) {
    uint32_t owner = number;
    for (unsigned level = 0; level < LEVELS_MOST; level++) {
        const struct quipu_location *location = location_at(m, owner),
                                    *parent = location_at(m, location->parent);
        const bool is_stream = location->kind == QUIPU_LOCATION_DEVICE;
        if (is_node(m, owner) || location->kind == QUIPU_LOCATION_PROCESS || !parent ||
            is_node(m, location->parent) || (is_stream && parent->kind != QUIPU_LOCATION_DEVICE))
            return owner;
        owner = location->parent;
    }
    return number;
}

/* Numbers of parts of the machine, where something happens in them, are out of the way of others. */
static inline uint64_t id_of(const model *m, uint32_t location) {
    const uint64_t first_node = UINT64_C(1) << 62;
    if (is_node(m, location))
        return first_node + location;
    return m->has_native_ids ? location_at(m, location)->native_id : location;
}

/* ---- from_model.c ---- */

/* A record that an event becomes. */
struct made {
    enum quipu__otf2_type type;
    union quipu__otf2_any data;
    uint64_t used; /* attributes that are fields of it, as bits */
    bool is_cut;   /* a value is not known or another one */
    bool is_impossible;
};

/* The number of a text; UNDEFINED when memory is out. */
uint32_t quipu__otf2_intern(model *m, const char *text, size_t len);

/* Fills a record by its row. */
void quipu__otf2_fill(model *m, const struct quipu_event *event, enum quipu__otf2_type type, struct made *made);

/* The event's text, and that it is a field of the record; NULL: none. */
const struct quipu_value *quipu__otf2_take_text(const struct quipu_event *event, struct made *made);

/* ---- record_makers.c ---- */

typedef void make_fn(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                     struct made *made);

/* By kind; NULL: from_model.c makes the record, or there is none. */
extern make_fn *const quipu__otf2_makers[QUIPU_KIND_COUNT];

/* ---- definition_writer.c ---- */

/* The value of an attribute that is a place in source code: a calling context where its function is known. */
struct quipu_value quipu__otf2_store_source(model *m, uint32_t number);

/* All files but those of events that there are. */
enum quipu_status quipu__otf2_put_definitions(model *m, struct quipu_error *err);

#endif
