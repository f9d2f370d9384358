/* events.c: events as transitions. Calls are most of what happens; they take a fast path. */
#include "state/events.h"

#include "state/calls.h"

/* ---- The tables ---- */

/* The columns that are the key of a class, as bits; if the id is among them and not known, those of the stand-in. For a stack
 * the stand-in is the value on it. */
static const struct row {
    uint32_t key, stand_in;
    bool is_stack;
} rows[QUIPU__INTERVAL_CLASSES] = {
#define INTERVAL(name, discipline, its_key, its_stand_in, doc)                                                 \
    [QUIPU__INTERVAL_##name].key = (its_key), [QUIPU__INTERVAL_##name].stand_in = (its_stand_in),              \
    [QUIPU__INTERVAL_##name].is_stack = QUIPU__DISCIPLINE_##discipline == QUIPU__DISCIPLINE_STACK,
#define BEGINS(interval_class, kind)
#define SHARES(interval_class, kind)
#define ENDS(interval_class, kind)
#include "state/intervals.def"
};

/* What events of a kind do: numbers of classes plus 1. */
static const struct {
    uint8_t begins, ends, change;
} transitions[QUIPU_KIND_COUNT] = {
#define INTERVAL(name, discipline, key, stand_in, doc)
#define BEGINS(interval_class, kind)                                                                           \
    [QUIPU_KIND_##kind].begins = QUIPU__INTERVAL_##interval_class + 1,                                         \
    [QUIPU_KIND_##kind].change = QUIPU__BEGINS,
#define SHARES(interval_class, kind)                                                                           \
    [QUIPU_KIND_##kind].begins = QUIPU__INTERVAL_##interval_class + 1,                                         \
    [QUIPU_KIND_##kind].change = QUIPU__BEGINS_BESIDE,
#define ENDS(interval_class, kind) [QUIPU_KIND_##kind].ends = QUIPU__INTERVAL_##interval_class + 1,
#include "state/intervals.def"
};

const uint32_t quipu__kind_columns[QUIPU_KIND_COUNT] = {
#define QUIPU_KIND(name, family, doc) [QUIPU_KIND_##name] = 0
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc) | 1u << QUIPU_COLUMN_##column
#define QUIPU_KIND_END(name) ,
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

const struct quipu__event_columns quipu__unknown_columns = {.object = QUIPU_NONE,
                                                            .peer = QUIPU_NONE,
                                                            .group = QUIPU_NONE,
                                                            .operation = QUIPU_NONE,
                                                            .bytes = QUIPU_UNKNOWN,
                                                            .value = QUIPU_UNKNOWN,
                                                            .id = QUIPU_UNKNOWN};

bool quipu__kind_begins(enum quipu_kind kind, enum quipu__interval_class interval_class) {
    return transitions[kind].begins == interval_class + 1u;
}

bool quipu__kind_ends(enum quipu_kind kind, enum quipu__interval_class interval_class) {
    return transitions[kind].ends == interval_class + 1u;
}

bool quipu__events_have(enum quipu__interval_class interval_class) {
    for (unsigned kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (quipu__kind_begins((enum quipu_kind)kind, interval_class))
            return true;
    return false;
}

struct quipu__tracker_options quipu__event_tracker_options(const struct quipu_definitions *definitions,
                                                           uint32_t interval_classes) {
    return (struct quipu__tracker_options){.definitions = definitions,
                                           .interval_classes = interval_classes,
                                           .ends = interval_classes,
                                           .payload_room = sizeof(struct quipu__event_columns)};
}

static size_t payload_bytes(const struct quipu__tracker *tracker) {
    return tracker->options.payload_room ? sizeof(struct quipu__event_columns) : 0;
}

/* ---- Keys ---- */

/* Makes unknown numbers of all columns equal. */
static uint64_t column_of(const struct quipu__event_columns *columns, enum quipu_column column) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        return (c_type)-1 == columns->name ? QUIPU_UNKNOWN : (uint64_t)columns->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
    return 0;
}

static void add_words(const struct quipu__event_columns *columns, uint32_t which, uint64_t *words) {
    for (unsigned column = 0; which >> column != 0; column++)
        if ((which >> column & 1) != 0)
            *words++ = column_of(columns, (enum quipu_column)column);
}

#define ID_BIT (1u << QUIPU_COLUMN_id)

/* False when the columns have no key: events without id cannot be tracked in a class whose only key is the id. */
static bool set_key(struct quipu__transition *transition, const struct quipu__event_columns *columns) {
    const struct row *row = &rows[transition->interval_class];
    memset(transition->key, 0, sizeof transition->key);
    transition->key_form = 0;
    if (row->is_stack) {
        add_words(columns, row->key, transition->key);
        add_words(columns, row->stand_in, transition->key + 1);
        return true;
    }
    const bool has_stand_in = (row->key & ID_BIT) != 0 && columns->id == QUIPU_UNKNOWN;
    transition->key_form = has_stand_in;
    add_words(columns, has_stand_in ? row->stand_in : row->key, transition->key);
    return !has_stand_in || row->stand_in != 0;
}

/* ---- Ends ---- */

/* Whether an end may belong to a beginning with another key. */
static bool may_end(enum quipu__interval_class interval_class, const struct quipu__event_columns *begin,
                    const struct quipu__event_columns *end) {
    return interval_class == QUIPU__INTERVAL_io_operation
               ? quipu__may_end_operation(begin, end)
               : begin->id == end->id && (begin->object == QUIPU_NONE || end->object == QUIPU_NONE);
}

/* The end may know the file or its handle while the beginning does not, or the other way round. */
static bool may_be_vague(const struct quipu__tracker *tracker, enum quipu__interval_class interval_class) {
    return tracker->options.payload_room > 0 &&
           (interval_class == QUIPU__INTERVAL_io_operation || interval_class == QUIPU__INTERVAL_file);
}

static uint32_t find_vaguely(const struct quipu__tracker *tracker, uint32_t state,
                             enum quipu__interval_class interval_class,
                             const struct quipu__event_columns *end) {
    uint32_t number = quipu__active_at(tracker, state, interval_class).newest;
    for (uint32_t looked = 0; number != QUIPU_NONE && looked < QUIPU__LOOK_OUT_MOST; looked++) {
        const struct quipu__interval *interval = quipu__interval_at(tracker, number);
        if (may_end(interval_class, quipu__interval_columns(tracker, interval), end))
            return number;
        number = interval->older;
    }
    return QUIPU_NONE;
}

uint32_t quipu__tracker_find_columns(const struct quipu__tracker *tracker, uint32_t state,
                                     enum quipu__interval_class interval_class,
                                     const struct quipu__event_columns *columns) {
    struct quipu__transition transition = {.interval_class = interval_class, .change = QUIPU__ENDS};
    if (!set_key(&transition, columns))
        return QUIPU_NONE;
    const uint32_t number = quipu__tracker_find(tracker, state, &transition);
    if (!may_be_vague(tracker, interval_class) ||
        (number != QUIPU_NONE &&
         may_end(interval_class, quipu__interval_columns(tracker, quipu__interval_at(tracker, number)),
                 columns)))
        return number;
    return find_vaguely(tracker, state, interval_class, columns);
}

/* ---- Events ---- */

static struct quipu__event_columns columns_of(const struct quipu_batch *batch, uint32_t event) {
    const uint32_t known = quipu__kind_columns[batch->kind[event]];
    struct quipu__event_columns columns = quipu__unknown_columns;
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    if ((known >> QUIPU_COLUMN_##name & 1) != 0)                                                               \
        columns.name = batch->name[event];
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    return columns;
}

/* The target records the end of such a put. */
static bool ends_elsewhere(enum quipu_kind kind, const struct quipu__event_columns *columns) {
    return kind == QUIPU_KIND_rma_begin && columns->operation == QUIPU_RMA_PUT_REMOTE_END;
}

/* An event at a location state. */
struct occurrence {
    uint32_t state;
    enum quipu_kind kind;
    int64_t time;
    struct quipu__event_columns columns;
};

static bool add(struct quipu__tracker *tracker, const struct occurrence *event,
                enum quipu__interval_class interval_class, enum quipu__change change) {
    struct quipu__transition transition = {.interval_class = interval_class, .change = change};
    const struct quipu__beginning beginning = {event->time, (uint16_t)event->kind, &event->columns,
                                               payload_bytes(tracker)};
    const uint32_t ended =
        change == QUIPU__ENDS && may_be_vague(tracker, interval_class)
            ? quipu__tracker_find_columns(tracker, event->state, interval_class, &event->columns)
            : QUIPU_NONE;
    if (ended == QUIPU_NONE)
        return !set_key(&transition, &event->columns) ||
               quipu__tracker_add(tracker, event->state, &transition, &beginning);
    quipu__tracker_end(tracker, ended);
    return true;
}

/* An operation on a file that begins and ends may open or close the file. */
static bool finish_operation(struct quipu__tracker *tracker, struct occurrence event) {
    struct quipu__event_columns *columns = &event.columns;
    const bool opens = columns->operation == QUIPU_IO_OPEN;
    columns->id = (uint64_t)columns->tag;
    columns->tag = -1;
    columns->operation = QUIPU_NONE;
    columns->bytes = columns->value = QUIPU_UNKNOWN;
    event.kind = opens ? QUIPU_KIND_io_open : QUIPU_KIND_io_close;
    return add(tracker, &event, QUIPU__INTERVAL_file, opens ? QUIPU__BEGINS : QUIPU__ENDS);
}

/* A location may move another one to a CPU. */
static uint32_t state_of_subject(struct quipu__tracker *tracker, uint32_t state, uint32_t subject) {
    const struct quipu_definitions *definitions = tracker->options.definitions;
    return definitions && subject < definitions->locations.count
               ? quipu__tracker_locate(tracker, subject, tracker->states.items[state].stream)
               : state;
}

static bool track(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t index,
                  uint32_t state) {
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[index];
    struct occurrence event = {state, kind, batch->time[index], columns_of(batch, index)};
    if (kind == QUIPU_KIND_affinity)
        event.state = state_of_subject(tracker, state, event.columns.object);
    if (event.state == QUIPU_NONE)
        return false;
    const uint32_t tracked = tracker->options.interval_classes << 1; /* as transitions has them */
    bool done = true;
    if ((tracked >> transitions[kind].ends & 1) != 0)
        done = add(tracker, &event, (enum quipu__interval_class)(transitions[kind].ends - 1), QUIPU__ENDS);
    if (done && (tracked >> transitions[kind].begins & 1) != 0 && !ends_elsewhere(kind, &event.columns))
        done = add(tracker, &event, (enum quipu__interval_class)(transitions[kind].begins - 1),
                   (enum quipu__change)transitions[kind].change);
    if (done && kind == QUIPU_KIND_io_end && quipu__tracks(tracker, QUIPU__INTERVAL_file) &&
        (event.columns.operation == QUIPU_IO_OPEN || event.columns.operation == QUIPU_IO_CLOSE))
        done = finish_operation(tracker, event);
    return done;
}

/* A location's CPU and the values of its channels end with it. */
static void end_location(struct quipu__tracker *tracker, uint32_t state) {
    static const enum quipu__interval_class ended[] = {QUIPU__INTERVAL_cpu, QUIPU__INTERVAL_channel_value,
                                                       QUIPU__INTERVAL_channel_stack};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        while (quipu__active_at(tracker, state, ended[i]).count > 0)
            quipu__tracker_remove(tracker, quipu__active_at(tracker, state, ended[i]).newest);
}

bool quipu__tracker_add_event(struct quipu__tracker *tracker, const struct quipu_batch *batch, uint32_t event,
                              uint32_t stream) {
    const uint8_t kind = batch->kind[event];
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], stream);
    if (QUIPU__UNLIKELY(state == QUIPU_NONE))
        return false;
    if (batch->time[event] > tracker->last)
        tracker->last = batch->time[event];
    if (kind == QUIPU_KIND_enter)
        return !quipu__tracks(tracker, QUIPU__INTERVAL_call) ||
               quipu__tracker_enter(tracker, batch, event, state);
    if (kind == QUIPU_KIND_leave)
        return quipu__tracker_leave(tracker, batch->object[event], state) ||
               track(tracker, batch, event, state);
    if (tracker->options.has_messages && (kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv) &&
        !quipu__matcher_add_event(&tracker->matcher, batch, event))
        return false;
    if (kind == QUIPU_KIND_location_end)
        end_location(tracker, state);
    return (transitions[kind].begins | transitions[kind].ends) == 0 || track(tracker, batch, event, state);
}

bool quipu__tracker_put_columns(struct quipu__tracker *tracker, uint32_t state, uint32_t list,
                                enum quipu_kind kind, int64_t time,
                                const struct quipu__event_columns *columns) {
    struct quipu__transition transition = {.interval_class = quipu__list_class(list)};
    if (!set_key(&transition, columns))
        return true;
    struct quipu__interval interval = {.time = time,
                                       .state = state,
                                       .kind = (uint16_t)kind,
                                       .list = (uint8_t)list,
                                       .key_form = transition.key_form};
    memcpy(interval.key, transition.key, sizeof interval.key);
    return quipu__slot_put(tracker, &interval, columns, payload_bytes(tracker));
}
