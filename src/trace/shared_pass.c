/* shared_pass.c: distributes the events of a pass over a whole stream to its substreams. What has been decoded stays where it is until it is given:
 * the events of a substream that wait are a list through the decoded batches, so that a substream takes a few bytes, however many there are. */
#include "trace/shared_pass.h"

#include "core/error.h"

/* Events that may wait: more than enough for substreams that were written side by side. */
enum { WAITING_MOST = 1 << 18, EVENT_BYTES = 104, DECODED_MOST = 2048 };

/* An event that waits: the number of its batch, from 1 on, and its index there; 0: none. */
typedef uint64_t position;

static inline position position_of(uint64_t number, uint32_t event) {
    return number << 32 | event;
}

struct substream {
    position first, last; /* that wait */
    uint64_t decoded;     /* number of its events that the shared pass has given */
    struct quipu__source
        *own; /* replaces the shared pass when the substreams are too far apart; NULL: it has not been opened */
};

/* A batch with events that wait. */
struct decoded {
    struct quipu__batch *batch; /* NULL: all have been given */
    position *next;             /* of the same substream, by event */
    uint32_t room, left;        /* of next; events that wait */
};

struct quipu__shared_pass {
    struct quipu__trace *trace;
    struct quipu__filter filter; /* without regions, which need the state of a substream */
    struct quipu__share share;
    struct quipu__counts *counts; /* of the whole pass */
    struct quipu__counts own;     /* of this stream; NULL records_of before it is opened */
    struct quipu__source whole;
    QUIPU__VEC(struct decoded) decoded; /* in their order; the first one has the number first_number */
    uint64_t first_number;
    QUIPU__VEC(struct decoded) unused; /* room for further ones */
    uint32_t capacity;                 /* of a batch */
    struct substream *substreams;
    uint32_t substream_count, users;
    size_t waiting, waiting_most; /* events, with those beside them in their batches that have been given */
    bool has_ended, is_split;
};

/* ---- Making and freeing ---- */

static size_t records_of_bytes(const struct quipu__trace *trace) {
    return (trace->format->info.schema->type_count + 1) * sizeof(uint64_t);
}

enum quipu_status quipu__shared_pass_new(struct quipu__trace *trace, uint32_t stream,
                                         const struct quipu__filter *filter, struct quipu__shared_pass **out,
                                         struct quipu_error *err) {
    const uint32_t count = trace->streams.items[stream].substreams;
    struct quipu__shared_pass *shared = *out = quipu__alloc_zero(trace->memory, sizeof *shared);
    if (!shared)
        return quipu__no_memory(err, sizeof *shared);
    shared->trace = trace;
    shared->filter = quipu__within_filter(filter);
    shared->whole = (struct quipu__source){.stream = stream, .substream = QUIPU__ALL_SUBSTREAMS};
    shared->users = shared->substream_count = count;
    shared->first_number = 1;
    shared->substreams = quipu__alloc_zero(trace->memory, count * sizeof *shared->substreams);
    if (shared->substreams)
        return QUIPU_OK;
    quipu__release(trace->memory, shared, sizeof *shared);
    *out = NULL;
    return quipu__no_memory(err, count * sizeof(struct substream));
}

static void release_own(struct quipu__shared_pass *shared, struct substream *it) {
    if (it->own)
        quipu__source_close(it->own, shared->trace);
    quipu__release(shared->trace->memory, it->own, it->own ? sizeof *it->own : 0);
    it->own = NULL;
}

static void release_decoded(struct quipu__memory *memory, struct decoded *decoded) {
    quipu__batch_free(decoded->batch);
    quipu__release(memory, decoded->next, decoded->room * sizeof *decoded->next);
}

static struct decoded *decoded_of(const struct quipu__shared_pass *shared, position event) {
    return &shared->decoded.items[(event >> 32) - shared->first_number];
}

/* A batch whose events have all been given is room for another one. */
static void put_away(struct quipu__shared_pass *shared, struct decoded *decoded) {
    struct quipu__memory *memory = shared->trace->memory;
    shared->waiting -= decoded->batch->batch.count;
    quipu__batch_clear(decoded->batch);
    if (!QUIPU__VEC_PUT(memory, &shared->unused, *decoded))
        release_decoded(memory, decoded);
    *decoded = (struct decoded){0};
    size_t empty = 0;
    while (empty < shared->decoded.count && !shared->decoded.items[empty].batch)
        empty++;
    if (empty < shared->decoded.count && empty <= shared->decoded.count / 2)
        return;
    shared->decoded.count -= empty;
    shared->first_number += empty;
    memmove(shared->decoded.items, shared->decoded.items + empty,
            shared->decoded.count * sizeof *shared->decoded.items);
}

/* Drops the first event of a substream that waits. */
static void drop_first(struct quipu__shared_pass *shared, struct substream *it) {
    struct decoded *decoded = decoded_of(shared, it->first);
    it->first = decoded->next[(uint32_t)it->first];
    if (--decoded->left == 0)
        put_away(shared, decoded);
}

static void release_substream(struct quipu__shared_pass *shared, struct substream *it) {
    while (it->first != 0)
        drop_first(shared, it);
    release_own(shared, it);
}

/* Adds the counts, only at the end: a pass that was given up does not count. */
static void add_counts(struct quipu__shared_pass *shared) {
    shared->counts->records += shared->own.records;
    shared->counts->skipped += shared->own.skipped;
    for (uint32_t i = 0; i < shared->trace->format->info.schema->type_count; i++)
        shared->counts->records_of[i] += shared->own.records_of[i];
}

static void free_shared(struct quipu__shared_pass *shared) {
    struct quipu__memory *memory = shared->trace->memory;
    for (uint32_t i = 0; i < shared->substream_count; i++)
        release_substream(shared, &shared->substreams[i]);
    quipu__source_close(&shared->whole, shared->trace);
    for (size_t i = 0; i < shared->decoded.count; i++)
        release_decoded(memory, &shared->decoded.items[i]);
    for (size_t i = 0; i < shared->unused.count; i++)
        release_decoded(memory, &shared->unused.items[i]);
    QUIPU__VEC_RELEASE(memory, &shared->decoded);
    QUIPU__VEC_RELEASE(memory, &shared->unused);
    if (shared->own.records_of) {
        add_counts(shared);
        quipu__release(memory, shared->own.records_of, records_of_bytes(shared->trace));
    }
    quipu__release(memory, shared->substreams, shared->substream_count * sizeof *shared->substreams);
    quipu__release(memory, shared, sizeof *shared);
}

void quipu__shared_pass_leave(struct quipu__shared_pass *shared, uint32_t substream) {
    release_substream(shared, &shared->substreams[substream]);
    if (--shared->users == 0)
        free_shared(shared);
}

enum quipu_status quipu__shared_pass_open(struct quipu__shared_pass *shared, const struct quipu__share *share,
                                          struct quipu__counts *counts, struct quipu_error *err) {
    struct quipu__memory *memory = shared->trace->memory;
    if (shared->own.records_of)
        return QUIPU_OK;
    shared->own.records_of = quipu__alloc_zero(memory, records_of_bytes(shared->trace));
    if (!shared->own.records_of)
        return quipu__no_memory(err, records_of_bytes(shared->trace));
    shared->counts = counts;
    shared->share = *share;
    const size_t left = memory->limit > memory->used ? (memory->limit - memory->used) / 8 / EVENT_BYTES : 0;
    shared->waiting_most = left < WAITING_MOST ? left : WAITING_MOST;
    const uint64_t together = (uint64_t)share->capacity * shared->substream_count;
    shared->capacity = together < DECODED_MOST ? (uint32_t)together : DECODED_MOST;
    shared->capacity = shared->capacity > share->capacity ? shared->capacity : share->capacity;
    enum quipu_status status =
        quipu__source_open(&shared->whole, shared->trace, &shared->filter, share, &shared->own, err);
    shared->has_ended = status != QUIPU_OK;
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- Distributing ---- */

/* Puts the events of a batch behind those of their substreams that wait. */
static void distribute(struct quipu__shared_pass *shared, struct decoded *decoded, uint64_t number) {
    const struct quipu_batch *batch = &decoded->batch->batch;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct substream *it = &shared->substreams[shared->trace->format->reading->substream_of(
            shared->trace, batch->stream, batch->location[i])];
        if (it->first == 0)
            it->first = position_of(number, i);
        else
            decoded_of(shared, it->last)->next[(uint32_t)it->last] = position_of(number, i);
        it->last = position_of(number, i);
        it->decoded++;
    }
    decoded->left = batch->count;
    shared->waiting += batch->count;
}

/* Room for a batch, and for the list. */
static enum quipu_status find_room(struct quipu__shared_pass *shared, struct decoded *out,
                                   struct quipu_error *err) {
    if (shared->unused.count > 0) {
        *out = shared->unused.items[--shared->unused.count];
        return QUIPU_OK;
    }
    *out = (struct decoded){0};
    return quipu__batch_new(shared->trace->memory, shared->capacity, &out->batch, err);
}

/* What a batch of the pass may have grown to. */
static enum quipu_status make_list(struct quipu__memory *memory, struct decoded *decoded,
                                   struct quipu_error *err) {
    const uint32_t count = decoded->batch->batch.count, room = decoded->batch->batch.capacity;
    if (count > decoded->room) {
        quipu__release(memory, decoded->next, decoded->room * sizeof *decoded->next);
        decoded->next = quipu__alloc(memory, room * sizeof *decoded->next);
        decoded->room = decoded->next ? room : 0;
    }
    if (count > decoded->room)
        return quipu__no_memory(err, room * sizeof *decoded->next);
    memset(decoded->next, 0, count * sizeof *decoded->next);
    return QUIPU_OK;
}

static enum quipu_status decode(struct quipu__shared_pass *shared, struct quipu_error *err) {
    struct quipu__memory *memory = shared->trace->memory;
    const uint64_t before = shared->own.bytes;
    struct decoded decoded;
    enum quipu_status status = find_room(shared, &decoded, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__source_fill(&shared->whole, shared->trace, &shared->filter, decoded.batch, err);
    shared->counts->bytes += shared->own.bytes - before;
    shared->has_ended = status == QUIPU_END;
    if (status == QUIPU_OK)
        status = make_list(memory, &decoded, err);
    if (status == QUIPU_OK && !QUIPU__VEC_PUT(memory, &shared->decoded, decoded))
        status = quipu__no_memory(err, sizeof decoded);
    if (status == QUIPU_OK)
        distribute(shared, &shared->decoded.items[shared->decoded.count - 1],
                   shared->first_number + shared->decoded.count - 1);
    else
        release_decoded(memory, &decoded);
    return status;
}

/* ---- Going apart ---- */

static bool is_behind(void *skipped, const struct quipu_batch *batch, uint32_t event) {
    (void)batch;
    return event >= *(const uint64_t *)skipped;
}

/* Fills the batch with the first events of the substream's own pass that the shared one has not given. */
static enum quipu_status skip_decoded(struct quipu__shared_pass *shared, struct substream *it,
                                      struct quipu__batch *batch, struct quipu_error *err) {
    while (it->decoded > 0) {
        const enum quipu_status status =
            quipu__source_fill(it->own, shared->trace, &shared->filter, batch, err);
        if (status != QUIPU_OK)
            return status;
        uint64_t skipped = it->decoded < batch->batch.count ? it->decoded : batch->batch.count;
        it->decoded -= skipped;
        quipu__batch_keep(batch, is_behind, &skipped);
        if (batch->batch.count > 0)
            return QUIPU_OK;
    }
    return quipu__source_fill(it->own, shared->trace, &shared->filter, batch, err);
}

/* Drops the counts of the shared pass, since its substreams count again. */
static void split(struct quipu__shared_pass *shared) {
    quipu__source_close(&shared->whole, shared->trace);
    memset(shared->own.records_of, 0, records_of_bytes(shared->trace));
    shared->own.records = shared->own.skipped = 0;
    shared->is_split = true;
}

/* Findings up to where the shared pass was are not reported again. */
static enum quipu_status begin_own(struct quipu__shared_pass *shared, uint32_t substream,
                                   struct quipu__batch *batch, struct quipu_error *err) {
    struct substream *it = &shared->substreams[substream];
    struct quipu_findings *findings = shared->trace->findings, *again;
    enum quipu_status status = quipu__findings_new(shared->trace->memory, &again, err);
    if (status != QUIPU_OK)
        return status;
    *it->own = (struct quipu__source){.stream = shared->whole.stream, .substream = substream};
    shared->trace->findings = again;
    status = quipu__source_open(it->own, shared->trace, &shared->filter, &shared->share, &shared->own, err);
    if (status == QUIPU_OK)
        status = skip_decoded(shared, it, batch, err);
    shared->trace->findings = findings;
    quipu__findings_free(again);
    return status;
}

static enum quipu_status next_of_own(struct quipu__shared_pass *shared, uint32_t substream,
                                     struct quipu__batch *batch, struct quipu_error *err) {
    struct substream *it = &shared->substreams[substream];
    if (!it->own) {
        it->own = quipu__alloc_zero(shared->trace->memory, sizeof *it->own);
        return it->own ? begin_own(shared, substream, batch, err) : quipu__no_memory(err, sizeof *it->own);
    }
    return quipu__source_fill(it->own, shared->trace, &shared->filter, batch, err);
}

/* ---- Giving ---- */

/* Fills the batch with events of the substream that wait. QUIPU_END: there are none. */
static enum quipu_status give(struct quipu__shared_pass *shared, struct substream *it,
                              struct quipu__batch *batch, struct quipu_error *err) {
    if (it->first == 0)
        return QUIPU_END;
    while (it->first != 0 && quipu__batch_left(batch) > 0) {
        const struct quipu_batch *from = &decoded_of(shared, it->first)->batch->batch;
        const uint32_t event = (uint32_t)it->first;
        uint32_t attribute = from->attribute_count > 0 ? quipu__batch_attributes_of(from, event) : 0;
        if (!quipu__batch_copy(batch, from, event, &attribute))
            return quipu__no_memory(err, sizeof(struct quipu_event));
        drop_first(shared, it);
    }
    return QUIPU_OK;
}

enum quipu_status quipu__shared_pass_next(struct quipu__shared_pass *shared, uint32_t substream,
                                          struct quipu__batch *batch, struct quipu_error *err) {
    struct substream *it = &shared->substreams[substream];
    enum quipu_status status;
    while ((status = give(shared, it, batch, err)) == QUIPU_END) {
        if (shared->is_split)
            return next_of_own(shared, substream, batch, err);
        if (shared->has_ended)
            return QUIPU_END;
        if (shared->waiting > shared->waiting_most) {
            split(shared);
            continue;
        }
        status = decode(shared, err);
        if (status != QUIPU_OK && status != QUIPU_END)
            return status;
    }
    return status;
}
