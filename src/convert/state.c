/* state.c: see state.h. Lists are short, so they are searched one by one; the limit keeps traces of messages that nobody
 * receives from growing without bounds. */
#include "convert/state.h"

#include "core/error.h"
#include "trace/records.h"

#include <stdlib.h>

/* Open things of one class at one location; the oldest one is given up beyond it. */
enum { OPEN_MOST = 1 << 16 };

void quipu__state_init(struct quipu__state *state, struct quipu__memory *memory,
                       const struct quipu__format *format, uint32_t classes) {
    *state = (struct quipu__state){.memory = memory,
                                   .states = format->states,
                                   .schema = format->info.schema,
                                   .time = quipu__common_field(format->info.schema, QUIPU_ROLE_TIME),
                                   .location = quipu__common_field(format->info.schema, QUIPU_ROLE_LOCATION),
                                   .classes = classes};
    quipu__map_init(&state->numbers, memory);
    quipu__scratch_init(&state->scratch, memory);
}

static void release_locations(struct quipu__state *state) {
    for (size_t i = 0; i < state->at.count; i++)
        for (unsigned class_of = 0; class_of < QUIPU__OPEN_CLASSES; class_of++)
            QUIPU__VEC_RELEASE(state->memory, &state->at.items[i].of[class_of].list);
    QUIPU__VEC_RELEASE(state->memory, &state->at);
    QUIPU__VEC_RELEASE(state->memory, &state->early);
    quipu__map_release(&state->numbers);
}

void quipu__state_release(struct quipu__state *state) {
    release_locations(state);
    quipu__scratch_release(&state->scratch);
}

void quipu__state_clear(struct quipu__state *state) {
    release_locations(state);
    quipu__map_init(&state->numbers, state->memory);
}

bool quipu__state_place(const struct quipu__state *state, const struct quipu_record *record, uint64_t *time,
                        uint64_t *location) {
    int64_t value;
    if (!record->common)
        return false;
    quipu_field_get_i64(state->time, record->common, &value);
    *time = (uint64_t)value;
    quipu_field_get_i64(state->location, record->common, &value);
    *location = (uint64_t)value;
    return true;
}

/* ---- Following ---- */

uint32_t quipu__state_locate(struct quipu__state *state, uint64_t location) {
    const uint32_t known = quipu__map_get(&state->numbers, location);
    if (known != QUIPU_NONE)
        return known;
    struct quipu__open_at *at = QUIPU__VEC_ADD(state->memory, &state->at);
    if (!at || !quipu__map_put(&state->numbers, location, (uint32_t)state->at.count - 1))
        return QUIPU_NONE;
    at->location = location;
    at->stream = QUIPU_NONE;
    return (uint32_t)state->at.count - 1;
}

static struct quipu__open_at *find_location(struct quipu__state *state, uint64_t location) {
    const uint32_t index = quipu__state_locate(state, location);
    return index == QUIPU_NONE ? NULL : &state->at.items[index];
}

static bool is_followed(const struct quipu__state *state, enum quipu__open_class class_of) {
    return (state->classes >> class_of & 1) != 0;
}

static size_t find_open(const struct quipu__open_list *open, const struct quipu__turn *end) {
    size_t i = 0;
    while (i < open->list.count && memcmp(open->list.items[i].key, end->key, sizeof end->key) != 0)
        i++;
    return i;
}

const struct quipu__open *quipu__state_find(const struct quipu__state *state, const struct quipu__turn *end) {
    const uint32_t index = quipu__map_get(&state->numbers, end->location);
    const struct quipu__open_list *open =
        index == QUIPU_NONE ? NULL : &state->at.items[index].of[end->class_of];
    const size_t place = open ? find_open(open, end) : 0;
    return open && place < open->list.count ? &open->list.items[place] : NULL;
}

static void remove_open(struct quipu__open_list *open, size_t index) {
    struct quipu__open *at = open->list.items;
    memmove(&at[index], &at[index + 1], (open->list.count - index - 1) * sizeof *at);
    open->list.count--;
}

/* A message that was received at the very time of its sending may come first. */
static bool is_early(struct quipu__state *state, const struct quipu__turn *turn, uint64_t time) {
    if (time != state->early_time)
        state->early.count = 0;
    for (size_t i = 0; i < state->early.count; i++) {
        const struct quipu__turn *early = &state->early.items[i];
        if (early->location != turn->location || memcmp(early->key, turn->key, sizeof turn->key) != 0)
            continue;
        state->early.items[i] = state->early.items[--state->early.count];
        return true;
    }
    return false;
}

static bool end(struct quipu__state *state, struct quipu__open_list *open, const struct quipu__turn *turn,
                uint64_t time) {
    if (turn->class_of == QUIPU__OPEN_CALL) {
        open->list.count -= open->list.count > 0;
        return true;
    }
    const size_t place = find_open(open, turn);
    if (place < open->list.count) {
        remove_open(open, place);
        return true;
    }
    if (turn->class_of != QUIPU__OPEN_MESSAGE)
        return true;
    if (time != state->early_time)
        state->early.count = 0;
    state->early_time = time;
    struct quipu__turn *early = QUIPU__VEC_ADD(state->memory, &state->early);
    if (early)
        *early = *turn;
    return early != NULL;
}

/* Half of all at once, so that what is open for ever costs a step for each that is added. */
static void forget_oldest(struct quipu__open_list *open) {
    open->list.count = OPEN_MOST;
    memmove(open->list.items, open->list.items + OPEN_MOST, OPEN_MOST * sizeof *open->list.items);
}

/* Adds what a record begins. */
static bool open_one(struct quipu__state *state, struct quipu__open_list *open, const struct quipu__open *new) {
    if (open->list.count == 2 * OPEN_MOST)
        forget_oldest(open);
    struct quipu__open *added = QUIPU__VEC_ADD(state->memory, &open->list);
    if (added)
        *added = *new;
    return added != NULL;
}

static struct quipu__open opened_by(const struct quipu_record *record, const struct quipu__turn *turn,
                                    uint64_t time) {
    struct quipu__open open = {.type = record->type, .time = time, .count = 1};
    memcpy(open.key, turn->key, sizeof open.key);
    memcpy(open.data, record->data, record->type->size);
    return open;
}

static bool count(struct quipu__state *state, struct quipu__open_list *counts, const struct quipu__open *one) {
    const struct quipu__turn turn = {.key = {one->key[0], one->key[1], one->key[2]}};
    const size_t place = find_open(counts, &turn);
    if (place == counts->list.count)
        return open_one(state, counts, one);
    counts->list.items[place].count++;
    return true;
}

static bool begin(struct quipu__state *state, struct quipu__open_list *open, const struct quipu__turn *turn,
                  const struct quipu_record *record, uint64_t time) {
    if (turn->class_of == QUIPU__OPEN_MESSAGE && is_early(state, turn, time))
        return true;
    if (turn->class_of == QUIPU__OPEN_VALUE)
        end(state, open, turn, time);
    const struct quipu__open new = opened_by(record, turn, time);
    return turn->class_of == QUIPU__OPEN_COUNT ? count(state, open, &new) : open_one(state, open, &new);
}

/* Counts what a turn is about to end. */
static bool count_ended(struct quipu__state *state, struct quipu__open_at *at, const struct quipu__turn *turn) {
    const struct quipu__open_list *open = &at->of[turn->class_of];
    const size_t place = is_followed(state, QUIPU__OPEN_COUNT) ? find_open(open, turn) : open->list.count;
    struct quipu__turn counted;
    if (turn->class_of == QUIPU__OPEN_CALL || place == open->list.count ||
        !state->states->counted(&open->list.items[place], &counted))
        return true;
    struct quipu__open one = open->list.items[place];
    memcpy(one.key, counted.key, sizeof one.key);
    one.count = 1;
    return count(state, &at->of[QUIPU__OPEN_COUNT], &one);
}

static bool take_turn(struct quipu__state *state, const struct quipu__turn *turn,
                      const struct quipu_record *record, uint64_t time) {
    struct quipu__open_at *at = find_location(state, turn->location);
    struct quipu__open_list *open = at ? &at->of[turn->class_of] : NULL;
    if (!open)
        return false;
    if (turn->begins)
        return begin(state, open, turn, record, time);
    return count_ended(state, at, turn) && end(state, open, turn, time);
}

enum quipu_status quipu__state_follow(struct quipu__state *state, const struct quipu_record *record,
                                      struct quipu_error *err) {
    struct quipu__turn turns[QUIPU__TURNS_MOST];
    uint64_t time, location;
    bool done = true;
    if (!quipu__state_place(state, record, &time, &location))
        return QUIPU_OK;
    struct quipu__open_at *own = find_location(state, location);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->stream = record->stream;
    const unsigned turn_count = state->states->turns(record, turns);
    for (unsigned i = 0; i < turn_count && done; i++)
        done = !is_followed(state, turns[i].class_of) || take_turn(state, &turns[i], record, time);
    return done ? QUIPU_OK : quipu__no_memory(err, sizeof(struct quipu__open));
}

/* ---- Snapshots taken earlier ---- */

/* What something open has as its key follows from the record that began it. */
static bool find_key(const struct quipu__state *state, enum quipu__open_class class_of, uint64_t location,
                     struct quipu__open *open) {
    struct quipu__turn turns[QUIPU__TURNS_MOST];
    struct quipu__made made;
    memcpy(made.data, open->data, sizeof open->data);
    const struct quipu_record began = quipu__state_record(state, &made, open->type, open->time, location);
    const unsigned turn_count = state->states->turns(&began, turns);
    for (unsigned i = 0; i < turn_count; i++) {
        if (turns[i].class_of != class_of || !turns[i].begins)
            continue;
        memcpy(open->key, turns[i].key, sizeof open->key);
        return true;
    }
    return false;
}

enum quipu_status quipu__state_take_snapshot(struct quipu__state *state, const struct quipu_record *record,
                                             uint32_t stream, bool *taken, struct quipu_error *err) {
    struct quipu__open open = {.type = NULL};
    enum quipu__open_class class_of;
    uint64_t time, location;
    *taken = quipu__state_place(state, record, &time, &location) &&
             state->states->open_of(record, &class_of, &open) && find_key(state, class_of, location, &open);
    if (!*taken)
        return QUIPU_OK;
    struct quipu__open_at *at = find_location(state, location);
    if (!at || (is_followed(state, class_of) && !open_one(state, &at->of[class_of], &open)))
        return quipu__no_memory(err, sizeof open);
    at->stream = stream;
    return QUIPU_OK;
}

/* ---- Order ---- */

static int compare_locations(const void *left, const void *right) {
    const struct quipu__open_at *a = left, *b = right;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

bool quipu__state_sort(struct quipu__state *state) {
    bool done = true;
    if (state->at.count > 0)
        qsort(state->at.items, state->at.count, sizeof *state->at.items, compare_locations);
    for (size_t i = 0; i < state->at.count && done; i++)
        done = quipu__map_put(&state->numbers, state->at.items[i].location, (uint32_t)i);
    return done;
}

/* ---- Making records ---- */

struct quipu_record quipu__state_record(const struct quipu__state *state, struct quipu__made *made,
                                        const struct quipu_record_type *type, uint64_t time,
                                        uint64_t location) {
    memset(made->common, 0, sizeof made->common);
    quipu__store_i64(state->time, made->common, (int64_t)time);
    quipu__store_i64(state->location, made->common, (int64_t)location);
    return (struct quipu_record){.type = type,
                                 .data = made->data,
                                 .common = made->common,
                                 .line = QUIPU_UNKNOWN,
                                 .byte_offset = QUIPU_UNKNOWN};
}

static uint64_t count_open(const struct quipu__open_at *at) {
    uint64_t count = 0;
    for (unsigned class_of = 0; class_of < QUIPU__OPEN_CLASSES; class_of++)
        count += at->of[class_of].list.count;
    return count;
}

static enum quipu_status put_completeness(struct quipu__state *state, const struct quipu__open_at *at,
                                          uint64_t time, uint64_t locations, struct quipu_writer *writer,
                                          struct quipu_error *err) {
    const struct quipu__completeness complete = {count_open(at), locations};
    struct quipu__made made = {.data = {0}};
    quipu__scratch_reset(&state->scratch);
    const struct quipu_record_type *type =
        state->states->completeness_record(&complete, &state->scratch, made.data);
    if (!type)
        return quipu__no_memory(err, sizeof made);
    const struct quipu_record record = quipu__state_record(state, &made, type, time, at->location);
    return quipu_writer_put_record(writer, &record, err);
}

static enum quipu_status put_class(const struct quipu__state *state, const struct quipu__open_at *at,
                                   enum quipu__open_class class_of, uint64_t time, struct quipu_writer *writer,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < at->of[class_of].list.count && status == QUIPU_OK; i++) {
        struct quipu__made made = {.data = {0}};
        const struct quipu_record_type *type =
            state->states->snapshot_of(class_of, &at->of[class_of].list.items[i], made.data);
        const struct quipu_record record = quipu__state_record(state, &made, type, time, at->location);
        status = quipu_writer_put_record(writer, &record, err);
    }
    return status;
}

enum quipu_status quipu__state_put_snapshots(struct quipu__state *state, const struct quipu__open_at *at,
                                             uint64_t time, uint64_t locations,
                                             const struct quipu_stream *events, struct quipu_writer *writer,
                                             struct quipu_error *err) {
    struct quipu_stream stream = *events;
    stream.kind = QUIPU_STREAM_SNAPSHOTS;
    if (locations == 0 && count_open(at) == 0)
        return QUIPU_OK;
    enum quipu_status status = quipu_writer_begin_stream(writer, &stream, err);
    if (status == QUIPU_OK && locations > 0)
        status = put_completeness(state, at, time, locations, writer, err);
    for (unsigned class_of = 0; class_of < QUIPU__OPEN_CLASSES && status == QUIPU_OK; class_of++)
        status = put_class(state, at, (enum quipu__open_class)class_of, time, writer, err);
    return status;
}
