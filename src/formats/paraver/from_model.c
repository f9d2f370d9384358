/* from_model.c: the three files of Paraver from the events of any trace.
 *
 * A row of Paraver is a location. Regions show as the innermost one of each type, channels as their value, or the top of their stack;
 * when something ends, what is around it shows again (state/tracker.h). A message is a line of its own, which is written when its
 * receive is known to belong to its send; until then both wait. Threads of MPI programs are in states, a line each, which is written when it ends.
 * Times count from the first event.
 *
 * The file begins with the duration, and elsewhere than in a trace of an MPI program with the number of rows, which are known at its
 * end: then they are put there.
 */
#include "core/bounded.h"
#include "formats/descriptor.h"
#include "formats/details.h"
#include "formats/paraver/format.h"
#include "formats/paraver/names.h"
#include "formats/paraver/regions.h"
#include "formats/paraver/tasks.h"
#include "formats/prv.h"
#include "model/event.h"
#include "state/events.h"
#include "state/matcher.h"

/* ==== States of calls ==== */

static void put_state_line(struct quipu__prv *prv, const struct quipu__paraver_row *row, int64_t begin,
                           int64_t end, uint8_t state) {
    if (begin < end)
        quipu__prv_put_state(prv, &row->object, begin, end, state);
}

/* A thread is in a state from now on: the one before gets its line. */
static void paraver_enter_state(struct quipu__prv *prv, struct quipu__paraver_row *row, int64_t time,
                                enum quipu__paraver_state state) {
    if (row->state == (uint8_t)state)
        return;
    put_state_line(prv, row, row->since, time, row->state);
    row->since = time > row->since ? time : row->since;
    row->state = (uint8_t)state;
}

/* The last lines of all threads. A thread that computes does so up to its last event, one in a call stays there to the end. */
static void paraver_end_states(struct quipu__prv *prv, const struct quipu__paraver_tasks *tasks,
                               int64_t duration) {
    for (size_t i = 0; i < tasks->rows.count; i++) {
        const struct quipu__paraver_row *row = &tasks->rows.items[i];
        const int64_t last = row->last > row->since ? row->last : row->since;
        const int64_t end = row->state == QUIPU__PARAVER_STATE_RUNNING ? last : duration;
        put_state_line(prv, row, row->since, end, row->state);
        put_state_line(prv, row, end, duration, QUIPU__PARAVER_STATE_NOT_CREATED);
    }
}

enum { ROW_DIGITS = 10 };

/* An end of a message whose other end is still to come, or may be another one. */
struct waiting_end {
    int64_t logical, physical;
    uint64_t bytes;
    uint32_t row, next_unused;
    uint8_t kind;
    bool was_posted;
};

struct paraver {
    struct quipu__paraver_output output;
    struct quipu__memory *memory;
    uint64_t *dropped, *approximated; /* per kind */
    const struct quipu_definitions *definitions;
    struct quipu__prv prv;
    struct quipu__prv_tail tail;
    struct quipu__tracker tracker;
    bool is_started;
    int64_t origin, time; /* of the first event; of the one at hand after that; ns */
    int64_t unix_ns;      /* when it was; 2038-01-19 where that is not known */
    int64_t posted;       /* when the receive that the event at hand ends was posted; INT64_MIN: not known */
    uint32_t ended_roles; /* bit per role: regions that the event at hand leaves */
    bool has_ended_row;   /* and whether their location has a row */
    struct quipu__matcher messages; /* which ends of them belong together */
    struct quipu__communication_listener listener;
    uint64_t positions; /* of events of messages */
    struct waiting_end end_at_hand;
    bool has_waited; /* the end at hand is among those that wait */
    QUIPU__VEC(struct waiting_end) waiting;
    uint32_t unused_end; /* plus 1; 0: none */
    struct quipu__paraver_tasks tasks;
    struct quipu__paraver_regions regions;
    struct quipu__paraver_used used;
};

/* ---- Rows ---- */

/* The row of a location, counted from 1; 0: it has none, or memory is out. Tasks of an MPI program are those of the beginning. */
static uint32_t row_of(struct paraver *own, uint32_t location) {
    struct quipu__paraver_tasks *tasks = &own->tasks;
    if (location >= tasks->row_of.count)
        return 0;
    if (tasks->row_of.items[location] == 0 && (own->regions.is_mpi || !quipu__paraver_add_row(tasks, location)))
        return 0;
    return tasks->row_of.items[location];
}

static bool put(struct paraver *own, uint32_t location, uint32_t type, int64_t value) {
    const uint32_t row = row_of(own, location);
    const struct quipu__prv_type text = quipu__prv_type(type);
    quipu__prv_set_tail(&own->tail, own->time, &text, value);
    if (row > 0)
        quipu__prv_put_at(&own->prv, &own->tasks.rows.items[row - 1].object, &own->tail);
    return row > 0;
}

/* ---- Regions and channels ---- */

static const struct quipu__paraver_region *region_at(const struct paraver *own, uint64_t region) {
    static const struct quipu__paraver_region unknown = {.role = QUIPU_REGION_FUNCTION,
                                                         .state = QUIPU__PARAVER_STATE_UNCHANGED};
    return region < own->regions.items.count ? &own->regions.items.items[region] : &unknown;
}

static bool put_region(struct paraver *own, uint32_t location, enum quipu_region_role role, int64_t value) {
    return put(own, location, quipu__paraver_role(own->regions.is_mpi, role).type, value);
}

/* Is told of every interval of a stack that ends. A region that ends is a line of its own, also where what is around it shows again. */
static void ended(void *context, const struct quipu__interval *interval) {
    struct paraver *own = context;
    if (interval->list != QUIPU__INTERVAL_call)
        return;
    const uint8_t role = region_at(own, interval->key[1])->role;
    own->ended_roles |= 1u << role;
    own->has_ended_row =
        put_region(own, own->tracker.states.items[interval->state].location, (enum quipu_region_role)role, 0);
}

/* Is told of a request that ends. */
static void removed(void *context, const struct quipu__interval *interval) {
    struct paraver *own = context;
    if (interval->list == QUIPU__INTERVAL_request && interval->kind == QUIPU_KIND_recv_post)
        own->posted = interval->time;
}

static void start_tracker(struct paraver *own) {
    uint32_t interval_classes =
        QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_stack);
    if (own->regions.is_mpi)
        interval_classes |= QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_request);
    struct quipu__tracker_options options = quipu__event_tracker_options(own->definitions, interval_classes);
    options.ends = 0;
    options.payload_room = 0;
    options.ended = ended;
    options.removed = own->regions.is_mpi ? removed : NULL;
    options.context = own;
    quipu__tracker_init(&own->tracker, own->memory, &options);
    own->is_started = true;
}

/* Goes from the innermost active call of a location outwards. */
static const struct quipu__interval *innermost_call(const struct paraver *own, uint32_t location) {
    const uint32_t state = quipu__tracker_latest(&own->tracker, location);
    if (state == QUIPU_NONE)
        return NULL;
    const uint32_t number = quipu__active_at(&own->tracker, state, QUIPU__INTERVAL_call).newest;
    return number == QUIPU_NONE ? NULL : quipu__interval_at(&own->tracker, number);
}

static const struct quipu__interval *call_around(const struct paraver *own,
                                                 const struct quipu__interval *call) {
    return call->older == QUIPU_NONE ? NULL : quipu__interval_at(&own->tracker, call->older);
}

/* The value of the innermost region of a role that is active at a location; 0: none. */
static int64_t innermost(const struct paraver *own, uint32_t location, enum quipu_region_role role) {
    const struct quipu__interval *call = innermost_call(own, location);
    for (int depth = 0; call && depth < QUIPU__LOOK_OUT_MOST; depth++, call = call_around(own, call))
        if (call->key[1] != QUIPU_UNKNOWN && region_at(own, call->key[1])->role == role)
            return region_at(own, call->key[1])->value;
    return 0;
}

/* The innermost call of MPI that is active at a location; NULL: none. */
static const struct quipu__interval *innermost_mpi(const struct paraver *own, uint32_t location) {
    const struct quipu__interval *call = innermost_call(own, location);
    for (int depth = 0; call && depth < QUIPU__LOOK_OUT_MOST; depth++, call = call_around(own, call))
        if (region_at(own, call->key[1])->is_call)
            return call;
    return NULL;
}

/* What a thread is in by its calls: computing, unless one of them says otherwise. */
static enum quipu__paraver_state state_of(const struct paraver *own, uint32_t location) {
    const struct quipu__interval *call = innermost_call(own, location);
    for (int depth = 0; call && depth < QUIPU__LOOK_OUT_MOST; depth++, call = call_around(own, call)) {
        const uint8_t state = region_at(own, call->key[1])->state;
        if (state != QUIPU__PARAVER_STATE_UNCHANGED)
            return (enum quipu__paraver_state)state;
    }
    return QUIPU__PARAVER_STATE_RUNNING;
}

/* The value on top of a channel's stack at a location; 0: none. */
static int64_t top_of(const struct paraver *own, uint32_t location, uint32_t channel) {
    const uint32_t state = quipu__tracker_latest(&own->tracker, location);
    uint32_t number = quipu__active_at(&own->tracker, state, QUIPU__INTERVAL_channel_stack).newest;
    for (int depth = 0; number != QUIPU_NONE && depth < QUIPU__LOOK_OUT_MOST; depth++) {
        const struct quipu__interval *interval = quipu__interval_at(&own->tracker, number);
        if (interval->key[0] == channel)
            return (int64_t)interval->key[1];
        number = interval->older;
    }
    return 0;
}

static bool put_enter(struct paraver *own, const struct quipu_event *event) {
    if (event->object >= own->regions.items.count)
        return false;
    struct quipu__paraver_region *region = &own->regions.items.items[event->object];
    region->is_used = true;
    return put_region(own, event->location, (enum quipu_region_role)region->role, region->value);
}

/* All calls of MPI show in one view of Paraver, whatever their types: what is around the one that ends comes last. */
static bool put_leave(struct paraver *own, const struct quipu_event *event) {
    bool has_row = own->has_ended_row;
    for (unsigned role = 0; role < QUIPU_REGION_ROLE_COUNT; role++) {
        const bool is_stacked = quipu__paraver_is_stacked(own->regions.is_mpi, (enum quipu_region_role)role);
        const int64_t around = (own->ended_roles >> role & 1) != 0 && !is_stacked
                                   ? innermost(own, event->location, (enum quipu_region_role)role)
                                   : 0;
        if (around != 0)
            has_row = put_region(own, event->location, (enum quipu_region_role)role, around);
    }
    const struct quipu__interval *around = innermost_mpi(own, event->location);
    if (own->ended_roles != 0 && around) {
        const struct quipu__paraver_region *region = region_at(own, around->key[1]);
        if (own->ended_roles != 1u << region->role)
            has_row = put_region(own, event->location, (enum quipu_region_role)region->role, region->value);
    }
    return own->ended_roles != 0 && has_row;
}

static bool put_state(struct paraver *own, const struct quipu_event *event) {
    if (event->object >= own->definitions->channels.count)
        return false;
    const int64_t value = event->kind == QUIPU_KIND_state_pop ? top_of(own, event->location, event->object)
                                                              : (int64_t)event->value;
    return put(own, event->location, QUIPU__PARAVER_CHANNELS + event->object, value) &&
           quipu__paraver_use(own->memory, &own->used.channels, event->object);
}

/* ---- Metrics ---- */

/* Paraver knows whole numbers of 63 bits only. False when the value is none, and too large for one. */
static bool whole_number(struct paraver *own, const struct quipu_value *value, int64_t *out) {
    if (value->type != QUIPU_VALUE_F64) {
        *out = value->i;
        return value->type == QUIPU_VALUE_I64 || value->u <= INT64_MAX;
    }
    if (!(value->f > -9e18 && value->f < 9e18))
        return false;
    *out = (int64_t)(value->f < 0 ? value->f - 0.5 : value->f + 0.5);
    if ((double)*out != value->f)
        own->approximated[QUIPU_KIND_metric]++;
    return true;
}

static bool put_metric(struct paraver *own, const struct quipu_event *event) {
    const struct quipu_value value = quipu__metric_value(own->definitions, event);
    int64_t number;
    if (event->object >= own->definitions->metrics.count || !whole_number(own, &value, &number))
        return false;
    return put(own, event->location, QUIPU__PARAVER_METRICS + event->object, number) &&
           quipu__paraver_use(own->memory, &own->used.metrics, event->object);
}

/* ---- Messages ---- */

static struct waiting_end *new_end(struct paraver *own, uint32_t *number) {
    if (own->unused_end > 0) {
        *number = own->unused_end - 1;
        own->unused_end = own->waiting.items[*number].next_unused;
        return &own->waiting.items[*number];
    }
    *number = (uint32_t)own->waiting.count;
    return QUIPU__VEC_ADD(own->memory, &own->waiting);
}

static int64_t since_origin(const struct paraver *own, int64_t ticks) {
    const int64_t ns = quipu_clock_ns(&own->definitions->clock, ticks);
    return ns > own->origin ? quipu__bounded_difference(ns, own->origin) : 0;
}

/* An end is physical when its event is. It is logical when its call of MPI began, of a receive that was posted when that was. */
static void make_end(struct paraver *own, const struct quipu_event *event, struct waiting_end *out) {
    const struct quipu__interval *call = innermost_mpi(own, event->location);
    *out = (struct waiting_end){.logical = own->time,
                                .physical = own->time,
                                .bytes = event->bytes,
                                .row = row_of(own, event->location),
                                .kind = event->kind,
                                .was_posted = own->posted != INT64_MIN && event->kind == QUIPU_KIND_recv};
    if (out->was_posted)
        out->logical = since_origin(own, own->posted);
    else if (call)
        out->logical = since_origin(own, call->time);
}

static struct quipu__prv_end prv_end(const struct paraver *own, const struct waiting_end *end) {
    return (struct quipu__prv_end){&own->tasks.rows.items[end->row - 1].object, end->logical, end->physical};
}

/* The matching says of each end when it comes, of both when they belong together, and of those that have no other one at the end. Messages of
 * which only one end is ever there count as dropped; those of locations without a row are not shown. */
static uint32_t wait_for_other_end(void *context, struct quipu__message_end *end) {
    struct paraver *own = context;
    uint32_t number;
    (void)end;
    struct waiting_end *waiting = own->end_at_hand.row > 0 ? new_end(own, &number) : NULL;
    if (!waiting)
        return QUIPU_NONE;
    *waiting = own->end_at_hand;
    own->dropped[waiting->kind]++;
    own->has_waited = true;
    return number;
}

static struct waiting_end take_end(struct paraver *own, uint32_t number) {
    if (number == QUIPU_NONE)
        return (struct waiting_end){.row = 0};
    struct waiting_end *waiting = &own->waiting.items[number];
    const struct waiting_end taken = *waiting;
    waiting->next_unused = own->unused_end;
    own->unused_end = number + 1;
    return taken;
}

/* The posting of a receive is told by its message alone, and a message has one size, which is what was sent. */
static void complete_message(void *context, const struct quipu__message_end *send,
                             const struct quipu__message_end *receive) {
    struct paraver *own = context;
    const struct waiting_end sent = take_end(own, send->mark), received = take_end(own, receive->mark);
    if (sent.row == 0 || received.row == 0)
        return;
    const struct quipu__prv_end from = prv_end(own, &sent), to = prv_end(own, &received);
    const uint64_t known = sent.bytes == QUIPU_UNKNOWN ? received.bytes : sent.bytes;
    const uint64_t bytes = known == QUIPU_UNKNOWN ? 0 : known;
    own->approximated[QUIPU_KIND_recv] += bytes != received.bytes;
    own->approximated[QUIPU_KIND_send] += bytes != sent.bytes;
    quipu__prv_put_message(&own->prv, &from, &to, bytes, send->tag);
    own->dropped[QUIPU_KIND_send]--;
    own->dropped[QUIPU_KIND_recv]--;
    own->dropped[QUIPU_KIND_recv_post] -= received.was_posted;
}

static void drop_end(void *context, const struct quipu__message_end *end) {
    take_end(context, end->mark);
}

/* Whether another location that may stand for the same end is in a call of MPI that began before the posting. */
static bool is_earlier_active(const void *context, const struct quipu__posting *posting) {
    const struct paraver *own = context;
    const struct quipu__ends *locations = &own->messages.locations;
    for (uint32_t i = quipu__ends_next(locations, posting->location); i != posting->location;
         i = quipu__ends_next(locations, i)) {
        const struct quipu__interval *call = innermost_mpi(own, i);
        if (call && since_origin(own, call->time) < posting->time)
            return true;
    }
    return false;
}

static void start_messages(struct paraver *own) {
    own->listener = (struct quipu__communication_listener){.context = own,
                                                           .end = wait_for_other_end,
                                                           .matched = complete_message,
                                                           .unmatched = drop_end,
                                                           .send_unmatched = drop_end};
    quipu__matcher_init(&own->messages, own->memory, own->definitions);
    quipu__matcher_listen(&own->messages, &own->listener, NULL);
    own->messages.context = own;
    if (quipu__has_threads(own->definitions) && quipu__ends_standing(&own->messages.locations, 0))
        own->messages.is_earlier_active = is_earlier_active;
}

static void follow_messages(struct paraver *own, const struct quipu_batch *batch, uint32_t index,
                            const struct quipu_event *event) {
    const bool is_end = event->kind == QUIPU_KIND_send || event->kind == QUIPU_KIND_recv;
    own->has_waited = false;
    if (event->kind == QUIPU_KIND_leave && own->messages.is_earlier_active &&
        region_at(own, event->object)->is_call)
        quipu__matcher_retry(&own->messages, event->location);
    if (!is_end && event->kind != QUIPU_KIND_recv_post && event->kind != QUIPU_KIND_send_complete &&
        event->kind != QUIPU_KIND_cancel)
        return;
    if (is_end)
        make_end(own, event, &own->end_at_hand);
    const uint64_t position = own->positions++;
    const struct quipu__event_in_call where = {
        own->time,
        position,
        QUIPU_NONE,
        {is_end ? own->end_at_hand.logical : own->time, event->location, position}};
    quipu__matcher_pair_event(&own->messages, batch, index, &where);
}

/* ---- What types.def says ---- */

/* In the order of kinds, a kind's own together. */
static const struct shown {
    uint8_t kind, type, column; /* QUIPU_COLUMN_COUNT: 0 is shown */
    bool is_mpi;                /* in traces of MPI programs only */
} shown[] = {
#define TYPE(name, number, label, refers)
#define MPI_TYPE(name, number, label, meaning)
#define SHOWS(kind, column, type) {QUIPU_KIND_##kind, QUIPU__PARAVER_##type, QUIPU_COLUMN_##column, false},
#define SHOWS_MPI(kind, column, type) {QUIPU_KIND_##kind, QUIPU__PARAVER_##type, QUIPU_COLUMN_##column, true},
#define CLEARS(kind, type) {QUIPU_KIND_##kind, QUIPU__PARAVER_##type, QUIPU_COLUMN_COUNT, false},
#include "formats/paraver/types.def"
};

/* A location may move another one to a CPU. */
static uint32_t location_of(const struct paraver *own, const struct quipu_event *event) {
    const bool has_subject =
        event->kind == QUIPU_KIND_affinity && event->object < own->definitions->locations.count;
    return has_subject ? event->object : event->location;
}

/* What a number means, by its type; false when the type does not show it. */
static bool meant(const struct paraver *own, const struct quipu_event *event,
                  const struct quipu__paraver_type_row *type, int64_t *number) {
    const uint32_t task = quipu__paraver_task_of(&own->tasks, (uint32_t)*number);
    switch (type->meaning) {
    case QUIPU__PARAVER_RANK:
        *number = (int64_t)task - 1;
        return task > 0;
    case QUIPU__PARAVER_OWN:
        *number = 1;
        return task > 0 && task == quipu__paraver_task_of(&own->tasks, event->location);
    case QUIPU__PARAVER_WITHIN_IO:
        return innermost(own, event->location, QUIPU_REGION_MPI_IO) != 0;
    case QUIPU__PARAVER_SAME:
        *number += type->refers != QUIPU_REFERS_NOTHING;
    }
    return true;
}

/* False for what is not known. */
static bool value_of(const struct paraver *own, const struct quipu_event *event, const struct shown *what,
                     const struct quipu__paraver_type_row *type, int64_t *out) {
    *out = 0;
    if (what->column == QUIPU_COLUMN_COUNT)
        return true;
    *out = quipu_event_get(event, (enum quipu_column)what->column);
    return !quipu__is_unknown((enum quipu_column)what->column, (uint64_t)*out) && meant(own, event, type, out);
}

static bool put_columns(struct paraver *own, const struct quipu_event *event) {
    bool has_some = false;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (shown[i].kind != event->kind || (shown[i].is_mpi && !own->regions.is_mpi))
            continue;
        int64_t value;
        const struct quipu__paraver_type_row type =
            quipu__paraver_type(own->regions.is_mpi, (enum quipu__paraver_type)shown[i].type);
        if (!value_of(own, event, &shown[i], &type, &value) ||
            !put(own, location_of(own, event), type.number, value))
            continue;
        own->used.types |= UINT64_C(1) << shown[i].type;
        has_some = true;
    }
    return has_some;
}

/* ---- Events ---- */

static bool put_event(struct paraver *own, const struct quipu_event *event) {
    switch (event->kind) {
    case QUIPU_KIND_enter:
        return put_enter(own, event);
    case QUIPU_KIND_leave:
        return put_leave(own, event);
    case QUIPU_KIND_state_set:
    case QUIPU_KIND_state_push:
    case QUIPU_KIND_state_pop:
        return put_state(own, event);
    case QUIPU_KIND_metric:
        return put_metric(own, event);
    case QUIPU_KIND_send:
    case QUIPU_KIND_recv:
        return own->has_waited;
    case QUIPU_KIND_recv_post:
        return false; /* counts as dropped until its message comes */
    default:
        return put_columns(own, event);
    }
}

/* Lines are in the order of time: one that goes back, in a damaged trace or to 0 where that is allowed, is that of the line before. */
static void set_time(struct paraver *own, const struct quipu_event *event) {
    const int64_t time = since_origin(own, event->time);
    const bool is_before = quipu_clock_ns(&own->definitions->clock, event->time) < own->origin;
    own->approximated[event->kind] += is_before || time < own->time;
    own->time = time > own->time ? time : own->time;
}

static void follow_state(struct paraver *own, const struct quipu_event *event) {
    const uint32_t number = row_of(own, event->location);
    struct quipu__paraver_row *row = number > 0 ? &own->tasks.rows.items[number - 1] : NULL;
    if (!row)
        return;
    row->last = own->time;
    if (event->kind == QUIPU_KIND_enter || event->kind == QUIPU_KIND_leave)
        paraver_enter_state(&own->prv, row, own->time, state_of(own, event->location));
    else if (row->state == QUIPU__PARAVER_STATE_NOT_CREATED)
        paraver_enter_state(&own->prv, row, own->time, QUIPU__PARAVER_STATE_RUNNING);
}

static enum quipu_status write_lines(void *context, const void *data, size_t size, struct quipu_error *err) {
    return quipu__file_write(context, data, size, err);
}

/* The date in the head of a trace that has none, as ovniemu has it: all seconds that fit into 31 bits. */
#define UNKNOWN_DATE_NS (INT64_C(2147483640) * 1000000000)

/* The tasks of an MPI program are those that are defined before the first event. */
static enum quipu_status begin_tasks(struct paraver *own, struct quipu_error *err) {
    struct quipu__buffer head;
    if (!quipu__paraver_make_tasks(&own->tasks, own->definitions))
        return quipu__no_memory(err, own->definitions->locations.count);
    for (size_t i = 0; i < own->tasks.rows.count; i++)
        own->tasks.rows.items[i].state = QUIPU__PARAVER_STATE_NOT_CREATED;
    quipu__buffer_init(&head, own->memory, 0);
    quipu__paraver_put_head(&head, &own->tasks, own->definitions, own->unix_ns);
    const struct quipu_sink sink = {write_lines, own->output.prv};
    const enum quipu_status status =
        head.failed
            ? quipu__no_memory(err, head.len)
            : quipu__prv_begin_with(&own->prv, own->memory, (const char *)head.data, head.len, sink, err);
    quipu__buffer_release(&head);
    return status;
}

/* The first event decides when the trace begins; without one, its clock does. */
static enum quipu_status begin(struct paraver *own, int64_t ticks, struct quipu_error *err) {
    const struct quipu_clock *clock = &own->definitions->clock;
    const struct quipu_sink sink = {write_lines, own->output.prv};
    own->origin = quipu_clock_ns(clock, ticks);
    own->unix_ns =
        clock->has_unix_origin ? quipu__bounded_sum(clock->unix_origin_ns, own->origin) : UNKNOWN_DATE_NS;
    own->regions.is_mpi = quipu__paraver_is_mpi(own->definitions) && quipu__paraver_has_tasks(own->definitions);
    start_tracker(own);
    start_messages(own);
    return own->regions.is_mpi ? begin_tasks(own, err)
                               : quipu__prv_begin(&own->prv, own->memory, ROW_DIGITS, sink, err);
}

/* Takes in what has been defined since. */
static bool add_definitions(struct paraver *own) {
    return quipu__paraver_add_regions(own->memory, &own->regions, own->definitions) &&
           (own->regions.is_mpi || quipu__paraver_add_rows(&own->tasks, own->definitions));
}

static enum quipu_status put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    struct paraver *own = output->own;
    uint32_t cursor = 0;
    own->definitions = output->definitions;
    if (batch->count == 0)
        return QUIPU_OK;
    const enum quipu_status status = own->is_started ? QUIPU_OK : begin(own, batch->time[0], err);
    own->prv.err = err;
    if (status != QUIPU_OK)
        return status;
    if (!add_definitions(own))
        return quipu__no_memory(err, own->definitions->locations.count);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        set_time(own, &event);
        own->ended_roles = 0;
        own->has_ended_row = false;
        own->posted = INT64_MIN;
        if (!quipu__tracker_add_event(&own->tracker, batch, i, 0))
            return quipu__no_memory(err, sizeof event);
        follow_messages(own, batch, i, &event);
        if (!put_event(own, &event))
            own->dropped[event.kind]++;
        if (own->regions.is_mpi)
            follow_state(own, &event);
    }
    return own->prv.status != QUIPU_OK ? own->prv.status : quipu__memory_status(own->memory, err);
}

/* ---- The files ---- */

static void abandon(struct quipu__output_trace *output) {
    struct paraver *own = output->own;
    if (own->is_started)
        quipu__tracker_release(&own->tracker);
    quipu__buffer_release(&own->output.lines);
    quipu__prv_release(&own->prv, own->memory);
    if (own->is_started)
        quipu__matcher_release(&own->messages);
    QUIPU__VEC_RELEASE(own->memory, &own->waiting);
    quipu__paraver_tasks_release(&own->tasks);
    QUIPU__VEC_RELEASE(own->memory, &own->regions.items);
    quipu__paraver_used_release(own->memory, &own->used);
    quipu__release(output->memory, own, sizeof *own);
    output->own = NULL;
}

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct paraver *own = quipu__alloc_zero(output->memory, sizeof *own);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->memory = output->memory;
    own->dropped = output->dropped;
    own->approximated = output->approximated;
    quipu__paraver_tasks_init(&own->tasks, own->memory);
    quipu__buffer_init(&own->output.lines, own->memory, 0);
    output->own = own;
    enum quipu_status status = quipu__outputs_add(output->outputs, output->path, 0, &own->output.prv, err);
    if (status != QUIPU_OK)
        abandon(output);
    return status;
}

static enum quipu_status write_file(struct quipu__output_trace *output, const char *suffix,
                                    const struct quipu__buffer *text, struct quipu_error *err) {
    struct quipu__file *file;
    if (text->failed)
        return quipu__no_memory(err, text->len);
    const enum quipu_status status = quipu__paraver_add_file(output, suffix, &file, err);
    return status == QUIPU_OK ? quipu__file_write(file, text->data, text->len, err) : status;
}

static enum quipu_status write_names(struct quipu__output_trace *output, struct quipu_error *err) {
    const struct paraver *own = output->own;
    struct quipu__buffer text;
    quipu__buffer_init(&text, own->memory, 0);
    quipu__paraver_put_pcf(&text, own->definitions, &own->regions, &own->used);
    enum quipu_status status = write_file(output, ".pcf", &text, err);
    text.len = 0;
    quipu__paraver_put_row(&text, own->definitions, &own->tasks);
    if (status == QUIPU_OK)
        status = write_file(output, ".row", &text, err);
    quipu__buffer_release(&text);
    return status;
}

/* The head with what is known at the end. */
static enum quipu_status complete_head(struct paraver *own, struct quipu_error *err) {
    char head[QUIPU__PRV_HEAD_MOST + QUIPU__PARAVER_HEAD_MOST];
    const size_t len = own->regions.is_mpi
                           ? quipu__paraver_head(head, own->unix_ns, own->time)
                           : quipu__prv_head(head, own->time, (uint32_t)own->tasks.rows.count, ROW_DIGITS);
    return quipu__file_overwrite(own->output.prv, 0, head, len, err);
}

/* A trace without events has rows and names all the same. */
static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    static const struct quipu_definitions nothing;
    struct paraver *own = output->own;
    if (own->output.has_records)
        return quipu__paraver_end_copy(output, err);
    own->definitions = output->definitions ? output->definitions : &nothing;
    enum quipu_status status = own->is_started ? QUIPU_OK : begin(own, 0, err);
    own->prv.err = err;
    if (status == QUIPU_OK)
        quipu__matcher_finish(&own->messages);
    if (status == QUIPU_OK && !add_definitions(own))
        return quipu__no_memory(err, own->definitions->locations.count);
    if (status == QUIPU_OK && own->regions.is_mpi)
        paraver_end_states(&own->prv, &own->tasks, own->time);
    if (status == QUIPU_OK)
        status = quipu__prv_flush(&own->prv);
    if (status == QUIPU_OK)
        status = complete_head(own, err);
    return status == QUIPU_OK ? write_names(output, err) : status;
}

/* ---- The target ---- */

static const struct quipu__kind_capability kinds[] = {
    {QUIPU_KIND_enter, QUIPU__COLUMN(object)},
    {QUIPU_KIND_leave, QUIPU__COLUMN(object)},
    {QUIPU_KIND_send, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes)},
    {QUIPU_KIND_recv, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes)},
    {QUIPU_KIND_recv_post, 0},
    {QUIPU_KIND_state_set, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_state_push, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_state_pop, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_metric, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_affinity, QUIPU__COLUMN(object)},
#define TYPE(name, number, label, refers)
#define MPI_TYPE(name, number, label, meaning)
#define SHOWS(kind, column, type) {QUIPU_KIND_##kind, QUIPU__COLUMN(column)},
#define SHOWS_MPI(kind, column, type) {QUIPU_KIND_##kind, 0},
#define CLEARS(kind, type) {QUIPU_KIND_##kind, 0},
#include "formats/paraver/types.def"
};
static const struct quipu__capabilities capabilities = {
    .kinds = kinds,
    .kind_count = sizeof kinds / sizeof *kinds,
    .definitions = QUIPU__DEFINES(locations) | QUIPU__DEFINES(regions) | QUIPU__DEFINES(metrics) |
                   QUIPU__DEFINES(channels) | QUIPU__DEFINES_FIELD(locations, name),
};

const struct quipu__writing quipu__paraver_writing = {
    .order = QUIPU_ORDER_TIME,
    .resolution = UINT64_C(1000000000),
    .capabilities = &capabilities,
    .create = create,
    .put_batch = put_batch,
    .finish = finish,
    .abandon = abandon,
};
