/* sums.c: see sums.h. */
#include "convert/sums.h"

#include "core/error.h"

#include <stdlib.h>

void quipu__sums_init(struct quipu__sums *sums, const struct quipu__trace *trace, struct quipu__state *state) {
    *sums = (struct quipu__sums){.trace = trace, .state = state};
}

void quipu__sums_release(struct quipu__sums *sums) {
    for (size_t i = 0; i < sums->at.count; i++) {
        QUIPU__VEC_RELEASE(sums->trace->memory, &sums->at.items[i].sums);
        QUIPU__VEC_RELEASE(sums->trace->memory, &sums->at.items[i].calls);
        quipu__map_release(&sums->at.items[i].numbers);
    }
    QUIPU__VEC_RELEASE(sums->trace->memory, &sums->at);
}

/* ---- Adding up ---- */

static struct quipu__sums_at *find_location(struct quipu__sums *sums, uint32_t index) {
    while (sums->at.count <= index) {
        struct quipu__sums_at *at = QUIPU__VEC_ADD(sums->trace->memory, &sums->at);
        if (!at)
            return NULL;
        quipu__map_init(&at->numbers, sums->trace->memory);
    }
    return &sums->at.items[index];
}

static uint64_t map_key(enum quipu__sum_class class_of, uint64_t object) {
    return (uint64_t)class_of << 60 ^ object;
}

static struct quipu__sum *find_sum(const struct quipu__sums *sums, struct quipu__sums_at *at,
                                   enum quipu__sum_class class_of, uint64_t object) {
    const uint32_t known = quipu__map_get(&at->numbers, map_key(class_of, object));
    if (known != QUIPU_NONE)
        return &at->sums.items[known];
    struct quipu__sum *sum = QUIPU__VEC_ADD(sums->trace->memory, &at->sums);
    if (!sum || !quipu__map_put(&at->numbers, map_key(class_of, object), (uint32_t)at->sums.count - 1))
        return NULL;
    sum->class_of = class_of;
    sum->object = object;
    at->is_sorted = false;
    return sum;
}

/* Adds to a sum; less takes away again. */
static bool add(const struct quipu__sums *sums, struct quipu__sums_at *at, const struct quipu__sum *more,
                bool less) {
    struct quipu__sum *sum = find_sum(sums, at, more->class_of, more->object);
    for (unsigned i = 0; sum && i < QUIPU__SUM_NUMBERS; i++)
        sum->n[i] += less ? 0 - more->n[i] : more->n[i];
    return sum != NULL;
}

static struct quipu__sum time_of_call(const struct quipu__call *call, uint64_t end, uint64_t inner) {
    const uint64_t time = end > call->begin ? end - call->begin : 0;
    return (struct quipu__sum){QUIPU__SUM_CALLS, call->region, {0, time > inner ? time - inner : 0, time}};
}

static bool begin_call(const struct quipu__sums *sums, struct quipu__sums_at *at, uint64_t region,
                       uint64_t time) {
    const struct quipu__sum one = {QUIPU__SUM_CALLS, region, {1}};
    struct quipu__call *call = QUIPU__VEC_ADD(sums->trace->memory, &at->calls);
    if (call)
        *call = (struct quipu__call){.region = region, .begin = time};
    return call && add(sums, at, &one, false);
}

static bool end_call(const struct quipu__sums *sums, struct quipu__sums_at *at, uint64_t time) {
    if (at->calls.count == 0)
        return true;
    const struct quipu__call *call = &at->calls.items[--at->calls.count];
    const struct quipu__sum taken = time_of_call(call, time, call->inner);
    if (at->calls.count > 0)
        at->calls.items[at->calls.count - 1].inner += taken.n[2];
    return add(sums, at, &taken, false);
}

/* Adds what a record says. A collective operation counts when it ends, as what its beginning has said. */
static bool add_record(const struct quipu__sums *sums, struct quipu__sums_at *at,
                       const struct quipu_record *record, const struct quipu__turn *turn) {
    const bool is_collective = turn && turn->class_of == QUIPU__OPEN_COLLECTIVE;
    const struct quipu__open *begin = NULL;
    struct quipu_record begun = *record;
    struct quipu__sum sum;
    if (is_collective && turn->begins)
        return true;
    if (is_collective && (begin = quipu__state_find(sums->state, turn))) {
        begun.type = begin->type;
        begun.data = begin->data;
    }
    return !sums->state->states->sum(sums->trace, &begun, &sum) || add(sums, at, &sum, false);
}

enum quipu_status quipu__sums_follow(struct quipu__sums *sums, const struct quipu_record *record,
                                     struct quipu_error *err) {
    struct quipu__turn turns[QUIPU__TURNS_MOST];
    uint64_t time, location;
    if (!quipu__state_place(sums->state, record, &time, &location))
        return QUIPU_OK;
    const uint32_t index = quipu__state_locate(sums->state, location);
    struct quipu__sums_at *at = index == QUIPU_NONE ? NULL : find_location(sums, index);
    if (!at)
        return quipu__no_memory(err, sizeof *at);
    const unsigned count = sums->state->states->turns(record, turns);
    bool done = add_record(sums, at, record, count > 0 ? turns : NULL);
    if (count > 0 && turns[0].class_of == QUIPU__OPEN_CALL && done)
        done = turns[0].begins ? begin_call(sums, at, turns[0].key[0], time) : end_call(sums, at, time);
    return done ? QUIPU_OK : quipu__no_memory(err, sizeof(struct quipu__sum));
}

/* ---- Writing ---- */

static int compare_sums(const void *left, const void *right) {
    const struct quipu__sum *a = left, *b = right;
    if (a->class_of != b->class_of)
        return a->class_of < b->class_of ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

static bool sort_sums(struct quipu__sums_at *at) {
    bool done = true;
    if (at->is_sorted || at->sums.count == 0)
        return true;
    qsort(at->sums.items, at->sums.count, sizeof *at->sums.items, compare_sums);
    for (size_t i = 0; i < at->sums.count && done; i++)
        done = quipu__map_put(&at->numbers, map_key(at->sums.items[i].class_of, at->sums.items[i].object),
                              (uint32_t)i);
    at->is_sorted = true;
    return done;
}

/* Adds the time that open calls have taken so far, or takes it away again. */
static bool add_open_calls(const struct quipu__sums *sums, struct quipu__sums_at *at, uint64_t time,
                           bool less) {
    uint64_t inner = 0;
    bool done = true;
    for (size_t i = at->calls.count; i-- > 0 && done;) {
        const struct quipu__sum taken =
            time_of_call(&at->calls.items[i], time, at->calls.items[i].inner + inner);
        inner = taken.n[2];
        done = add(sums, at, &taken, less);
    }
    return done;
}

/* Sums of groups are made of those of their members. */
static bool add_groups(const struct quipu__sums *sums, struct quipu__sums_at *at) {
    const size_t count = at->sums.count;
    struct quipu__sum group;
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        struct quipu__sum *sum = &at->sums.items[i];
        if (sum->class_of == QUIPU__SUM_CALL_GROUPS || sum->class_of == QUIPU__SUM_FILE_GROUPS)
            memset(sum->n, 0, sizeof sum->n);
    }
    for (size_t i = 0; i < count && done; i++) {
        group = at->sums.items[i];
        if (sums->state->states->group_of(sums->trace, &at->sums.items[i], &group))
            done = add(sums, at, &group, false);
    }
    return done;
}

enum quipu_status quipu__sums_put(struct quipu__sums *sums, uint32_t location, uint64_t time,
                                  const struct quipu_stream *events, struct quipu_writer *writer,
                                  struct quipu_error *err) {
    struct quipu__sums_at *at = find_location(sums, location);
    struct quipu_stream stream = *events;
    stream.kind = QUIPU_STREAM_STATISTICS;
    if (!at || !add_open_calls(sums, at, time, false) || !add_groups(sums, at) || !sort_sums(at))
        return quipu__no_memory(err, sizeof *at);
    enum quipu_status status = quipu_writer_begin_stream(writer, &stream, err);
    for (size_t i = 0; i < at->sums.count && status == QUIPU_OK; i++) {
        struct quipu__made made = {.data = {0}};
        const struct quipu_record_type *type = sums->state->states->summary_of(&at->sums.items[i], made.data);
        const struct quipu_record record =
            quipu__state_record(sums->state, &made, type, time, sums->state->at.items[location].location);
        status = quipu_writer_put_record(writer, &record, err);
    }
    if (!add_open_calls(sums, at, time, true) && status == QUIPU_OK)
        status = quipu__no_memory(err, sizeof *at);
    return status;
}
