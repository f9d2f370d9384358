/* state.c: see state.h. Lists are short, so they are searched one by one; the limit keeps traces of messages that nobody
 * receives from growing without bounds. */
#include "convert/state.h"

#include "core/error.h"
#include "schema/schema.h"
#include "trace/records.h"

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
}

void quipu__state_release(struct quipu__state *state) {
    for (size_t i = 0; i < state->at.count; i++)
        for (unsigned class_of = 0; class_of < QUIPU__OPEN_CLASSES; class_of++)
            QUIPU__VEC_RELEASE(state->memory, &state->at.at[i].of[class_of].list);
    QUIPU__VEC_RELEASE(state->memory, &state->at);
    QUIPU__VEC_RELEASE(state->memory, &state->early);
    quipu__map_release(&state->numbers);
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
    return index == QUIPU_NONE ? NULL : &state->at.at[index];
}

static size_t find_open(const struct quipu__open_list *open, const struct quipu__turn *end) {
    size_t i = 0;
    while (i < open->list.count && memcmp(open->list.at[i].key, end->key, sizeof end->key) != 0)
        i++;
    return i;
}

const struct quipu__open *quipu__state_find(const struct quipu__state *state, const struct quipu__turn *end) {
    const uint32_t index = quipu__map_get(&state->numbers, end->location);
    const struct quipu__open_list *open = index == QUIPU_NONE ? NULL : &state->at.at[index].of[end->class_of];
    const size_t place = open ? find_open(open, end) : 0;
    return open && place < open->list.count ? &open->list.at[place] : NULL;
}

static void remove_open(struct quipu__open_list *open, size_t index) {
    struct quipu__open *at = open->list.at;
    memmove(&at[index], &at[index + 1], (open->list.count - index - 1) * sizeof *at);
    open->list.count--;
}

/* A message that was received at the very time of its sending may come first. */
static bool is_early(struct quipu__state *state, const struct quipu__turn *turn, uint64_t time) {
    if (time != state->early_time)
        state->early.count = 0;
    for (size_t i = 0; i < state->early.count; i++) {
        const struct quipu__turn *early = &state->early.at[i];
        if (early->location != turn->location || memcmp(early->key, turn->key, sizeof turn->key) != 0)
            continue;
        state->early.at[i] = state->early.at[--state->early.count];
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

static bool begin(struct quipu__state *state, struct quipu__open_list *open, const struct quipu__turn *turn,
                  const struct quipu_record *record, uint64_t time) {
    if (turn->class_of == QUIPU__OPEN_MESSAGE && is_early(state, turn, time))
        return true;
    if (turn->class_of == QUIPU__OPEN_VALUE)
        end(state, open, turn, time);
    if (open->list.count == OPEN_MOST)
        remove_open(open, 0);
    struct quipu__open *added = QUIPU__VEC_ADD(state->memory, &open->list);
    if (!added)
        return false;
    added->type = record->type;
    added->time = time;
    memcpy(added->key, turn->key, sizeof added->key);
    memcpy(added->data, record->data, record->type->size);
    return true;
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
    const unsigned count = state->states->turns(record, turns);
    for (unsigned i = 0; i < count && done; i++) {
        if (!(state->classes >> turns[i].class_of & 1))
            continue;
        struct quipu__open_at *at = find_location(state, turns[i].location);
        struct quipu__open_list *open = at ? &at->of[turns[i].class_of] : NULL;
        done = open && (turns[i].begins ? begin(state, open, &turns[i], record, time)
                                        : end(state, open, &turns[i], time));
    }
    return done ? QUIPU_OK : quipu__no_memory(err, sizeof(struct quipu__open));
}

/* ---- Making records ---- */

struct quipu_record quipu__state_record(const struct quipu__state *state, struct quipu__made *made,
                                        const struct quipu_record_type *type, uint64_t time,
                                        uint64_t location) {
    memset(made->common, 0, sizeof made->common);
    quipu__store_i64(state->time, made->common, (int64_t)time);
    quipu__store_i64(state->location, made->common, (int64_t)location);
    return (struct quipu_record){
        .type = type, .data = made->data, .common = made->common, .line = QUIPU_UNKNOWN, .at = QUIPU_UNKNOWN};
}

static enum quipu_status put_class(const struct quipu__state *state, const struct quipu__open_at *at,
                                   enum quipu__open_class class_of, uint64_t time, struct quipu_writer *writer,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < at->of[class_of].list.count && status == QUIPU_OK; i++) {
        const struct quipu__open *open = &at->of[class_of].list.at[i];
        struct quipu__made made = {.data = {0}};
        const struct quipu_record_type *type =
            state->states->snapshot_of(class_of, open->type, open->data, open->time, made.data);
        const struct quipu_record record = quipu__state_record(state, &made, type, time, at->location);
        status = quipu_writer_put_record(writer, &record, err);
    }
    return status;
}

enum quipu_status quipu__state_put_snapshots(const struct quipu__state *state, const struct quipu__open_at *at,
                                             uint64_t time, const struct quipu_stream *events,
                                             struct quipu_writer *writer, struct quipu_error *err) {
    struct quipu_stream stream = *events;
    stream.kind = QUIPU_STREAM_SNAPSHOTS;
    enum quipu_status status = quipu_writer_begin_stream(writer, &stream, err);
    for (unsigned class_of = 0; class_of < QUIPU__OPEN_CLASSES && status == QUIPU_OK; class_of++)
        status = put_class(state, at, (enum quipu__open_class)class_of, time, writer, err);
    return status;
}
