/* shared_pass.c: distributes the events of a pass over a whole stream to its substreams. */
#include "trace/shared_pass.h"

#include "core/error.h"

/* Events that may wait: more than enough for substreams that were written side by side. */
enum { WAITING_MOST = 1 << 18, EVENT_BYTES = 96 };

struct substream {
    QUIPU__VEC(struct quipu__batch *) waiting; /* full batches, from first on */
    size_t first;
    struct quipu__batch *filling; /* the batch after them, or NULL */
    uint64_t decoded;             /* number of its events that the shared pass has given */
    struct quipu__source own;     /* replaces the shared pass when the substreams are too far apart */
};

struct quipu__shared_pass {
    struct quipu__trace *trace;
    struct quipu__filter filter; /* without regions, which need the state of a substream */
    struct quipu__share share;
    struct quipu__counts *counts; /* of the whole pass */
    struct quipu__counts own;     /* of this stream; NULL records_of before it is opened */
    struct quipu__source whole;
    struct quipu__batch *decoded; /* the latest batch of the pass */
    struct substream *substreams;
    uint32_t substream_count, users;
    size_t waiting, waiting_most; /* events */
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
    shared->substreams = quipu__alloc_zero(trace->memory, count * sizeof *shared->substreams);
    if (shared->substreams)
        return QUIPU_OK;
    quipu__release(trace->memory, shared, sizeof *shared);
    *out = NULL;
    return quipu__no_memory(err, count * sizeof(struct substream));
}

static void release_substream(struct quipu__shared_pass *shared, struct substream *it) {
    for (size_t i = it->first; i < it->waiting.count; i++)
        quipu__batch_free(it->waiting.items[i]);
    QUIPU__VEC_RELEASE(shared->trace->memory, &it->waiting);
    quipu__batch_free(it->filling);
    it->filling = NULL;
    it->first = 0;
    quipu__source_close(&it->own, shared->trace);
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
    quipu__batch_free(shared->decoded);
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
    enum quipu_status status = quipu__batch_new(memory, share->capacity, &shared->decoded, err);
    if (status == QUIPU_OK)
        status = quipu__source_open(&shared->whole, shared->trace, &shared->filter, share, &shared->own, err);
    shared->has_ended = status != QUIPU_OK;
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- Distributing ---- */

/* The batch that the next event of a substream goes to; NULL when memory is out. */
static struct quipu__batch *room_for_event(struct quipu__shared_pass *shared, struct substream *it) {
    struct quipu__memory *memory = shared->trace->memory;
    if (it->filling && quipu__batch_left(it->filling) > 0)
        return it->filling;
    if (it->filling) {
        if (!QUIPU__VEC_PUT(memory, &it->waiting, it->filling))
            return NULL;
    }
    if (quipu__batch_new(memory, shared->share.capacity, &it->filling, NULL) != QUIPU_OK)
        return NULL;
    it->filling->batch.stream = shared->whole.stream;
    return it->filling;
}

static enum quipu_status distribute(struct quipu__shared_pass *shared, struct quipu_error *err) {
    const struct quipu_batch *batch = &shared->decoded->batch;
    uint32_t attribute = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t number =
            shared->trace->format->reading->substream_of(shared->trace, batch->stream, batch->location[i]);
        struct substream *it = &shared->substreams[number];
        struct quipu__batch *to = room_for_event(shared, it);
        if (!to || !quipu__batch_copy(to, batch, i, &attribute))
            return quipu__no_memory(err, sizeof(struct quipu_event));
        it->decoded++;
    }
    shared->waiting += batch->count;
    return QUIPU_OK;
}

static enum quipu_status decode(struct quipu__shared_pass *shared, struct quipu_error *err) {
    const uint64_t before = shared->own.bytes;
    const enum quipu_status status =
        quipu__source_fill(&shared->whole, shared->trace, &shared->filter, shared->decoded, err);
    shared->counts->bytes += shared->own.bytes - before;
    shared->has_ended = status == QUIPU_END;
    return status == QUIPU_OK ? distribute(shared, err) : status;
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
            quipu__source_fill(&it->own, shared->trace, &shared->filter, batch, err);
        if (status != QUIPU_OK)
            return status;
        uint64_t skipped = it->decoded < batch->batch.count ? it->decoded : batch->batch.count;
        it->decoded -= skipped;
        quipu__batch_keep(batch, is_behind, &skipped);
        if (batch->batch.count > 0)
            return QUIPU_OK;
    }
    return quipu__source_fill(&it->own, shared->trace, &shared->filter, batch, err);
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
    it->own = (struct quipu__source){.stream = shared->whole.stream, .substream = substream};
    shared->trace->findings = again;
    status = quipu__source_open(&it->own, shared->trace, &shared->filter, &shared->share, &shared->own, err);
    if (status == QUIPU_OK)
        status = skip_decoded(shared, it, batch, err);
    shared->trace->findings = findings;
    quipu__findings_free(again);
    return status;
}

static enum quipu_status next_of_own(struct quipu__shared_pass *shared, uint32_t substream,
                                     struct quipu__batch *batch, struct quipu_error *err) {
    struct substream *it = &shared->substreams[substream];
    if (!it->own.pass)
        return begin_own(shared, substream, batch, err);
    return quipu__source_fill(&it->own, shared->trace, &shared->filter, batch, err);
}

/* ---- Giving ---- */

/* Exchanges the first waiting batch for the contents of batch; false when none waits. */
static bool give(struct quipu__shared_pass *shared, struct substream *it, struct quipu__batch *batch) {
    const bool is_full = it->first < it->waiting.count;
    struct quipu__batch *first = is_full ? it->waiting.items[it->first] : it->filling;
    if (!first || first->batch.count == 0)
        return false;
    const struct quipu__batch given = *first;
    *first = *batch;
    *batch = given;
    quipu__batch_clear(first);
    first->batch.stream = batch->batch.stream;
    shared->waiting -= batch->batch.count;
    if (!is_full)
        return true;
    quipu__batch_free(first);
    if (++it->first == it->waiting.count)
        it->first = it->waiting.count = 0;
    return true;
}

enum quipu_status quipu__shared_pass_next(struct quipu__shared_pass *shared, uint32_t substream,
                                          struct quipu__batch *batch, struct quipu_error *err) {
    struct substream *it = &shared->substreams[substream];
    while (!give(shared, it, batch)) {
        if (shared->is_split)
            return next_of_own(shared, substream, batch, err);
        if (shared->has_ended)
            return QUIPU_END;
        if (shared->waiting > shared->waiting_most) {
            split(shared);
            continue;
        }
        const enum quipu_status status = decode(shared, err);
        if (status != QUIPU_OK && status != QUIPU_END)
            return status;
    }
    return QUIPU_OK;
}
