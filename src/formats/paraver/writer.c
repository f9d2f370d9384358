/* writer.c: the three files of Paraver from the events of any trace.
 *
 * A row of Paraver is a location. Regions show as the innermost one of each role, channels as their value, or the top of their stack;
 * when something ends, what is around it shows again (state/tracker.h). A message is a line of its own, which is written when its
 * second end is known; until then the first one waits. Times count from the first event.
 *
 * The file begins with the duration and the number of rows, which are known at its end: then they are put there.
 */
#include "core/bounded.h"
#include "core/text.h"
#include "formats/descriptor.h"
#include "formats/details.h"
#include "formats/paraver/names.h"
#include "formats/prv.h"
#include "model/event.h"
#include "state/events.h"
#include "state/message_table.h"

enum { ROW_DIGITS = 10 };

/* An end of a message whose other end is still to come. */
struct waiting_end {
    struct quipu__prv_end end;
    uint64_t bytes;
    uint32_t next_unused;
    uint8_t kind;
};

struct paraver {
    struct quipu__memory *memory;
    uint64_t *dropped, *approximated; /* per kind */
    const struct quipu_definitions *definitions;
    struct quipu__prv prv;
    struct quipu__prv_tail tail;
    struct quipu__file *prv_file, *pcf_file, *row_file;
    struct quipu__tracker tracker;
    bool is_started;
    int64_t origin, time, duration; /* of the first event; of the one at hand and the last one after that; ns */
    uint32_t ended_roles;           /* bit per role: regions that the event at hand leaves */
    struct quipu__message_table messages;
    struct quipu__map waiting_of; /* numbers of messages: the end that waits */
    QUIPU__VEC(struct waiting_end) waiting;
    uint32_t unused_end;            /* plus 1; 0: none */
    QUIPU__VEC(uint32_t) row_of;    /* locations: their rows, counted from 1; 0: none yet */
    QUIPU__VEC(uint32_t) locations; /* rows: their locations */
    struct quipu__paraver_used used;
};

/* ---- Rows ---- */

static bool add_row(struct paraver *own, uint32_t location) {
    uint32_t *row = QUIPU__VEC_ADD(own->memory, &own->locations);
    if (!row)
        return false;
    *row = location;
    own->row_of.items[location] = (uint32_t)own->locations.count;
    return true;
}

/* Machines and the like only group others: they get a row when something happens there. */
static bool has_row(const struct quipu_location *location) {
    return location->kind == QUIPU_LOCATION_PROCESS || location->kind == QUIPU_LOCATION_THREAD ||
           location->kind == QUIPU_LOCATION_DEVICE;
}

/* Gives new locations their rows, in the order of their definitions. */
static bool add_rows(struct paraver *own) {
    const struct quipu_locations *locations = &own->definitions->locations;
    const size_t known = own->row_of.count;
    if (known == locations->count)
        return true;
    if (!QUIPU__VEC_RESERVE(own->memory, &own->row_of, locations->count - known))
        return false;
    own->row_of.count = locations->count;
    bool is_done = true;
    for (size_t i = known; i < locations->count && is_done; i++)
        is_done = !has_row(&locations->items[i]) || add_row(own, (uint32_t)i);
    return is_done;
}

/* The row of a location; 0 when memory is out. */
static uint32_t row_of(struct paraver *own, uint32_t location) {
    return own->row_of.items[location] > 0 || add_row(own, location) ? own->row_of.items[location] : 0;
}

/* ---- Regions and channels ---- */

static void put(struct paraver *own, uint32_t location, uint32_t type, int64_t value) {
    const uint32_t row = row_of(own, location);
    const struct quipu__prv_type text = quipu__prv_type(type);
    quipu__prv_set_tail(&own->tail, own->time, &text, value);
    if (row > 0)
        quipu__prv_put(&own->prv, row, &own->tail);
}

static enum quipu_region_role role_of(const struct paraver *own, uint64_t region) {
    return region < own->definitions->regions.count ? own->definitions->regions.items[region].role
                                                    : QUIPU_REGION_FUNCTION;
}

/* Is told of every interval of a stack that ends. */
static void ended(void *context, const struct quipu__interval *interval) {
    struct paraver *own = context;
    if (interval->list == QUIPU__INTERVAL_call)
        own->ended_roles |= 1u << role_of(own, interval->key[1]);
}

static bool start_tracker(struct paraver *own) {
    if (own->is_started)
        return true;
    struct quipu__tracker_options options =
        quipu__event_tracker_options(own->definitions, QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call) |
                                                           QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_stack));
    options.ends = 0;
    options.payload_room = 0;
    options.ended = ended;
    options.context = own;
    quipu__tracker_init(&own->tracker, own->memory, &options);
    own->is_started = true;
    return true;
}

/* The innermost region of a role that is active at a location, counted from 1; 0: none. */
static int64_t innermost(const struct paraver *own, uint32_t location, enum quipu_region_role role) {
    const uint32_t state = quipu__tracker_latest(&own->tracker, location);
    uint32_t number = quipu__active_at(&own->tracker, state, QUIPU__INTERVAL_call).newest;
    for (int depth = 0; number != QUIPU_NONE && depth < QUIPU__LOOK_OUT_MOST; depth++) {
        const struct quipu__interval *interval = quipu__interval_at(&own->tracker, number);
        if (interval->key[1] != QUIPU_UNKNOWN && role_of(own, interval->key[1]) == role)
            return (int64_t)interval->key[1] + 1;
        number = interval->older;
    }
    return 0;
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
    if (event->object >= own->definitions->regions.count)
        return false;
    put(own, event->location, QUIPU__PARAVER_ROLES + role_of(own, event->object), (int64_t)event->object + 1);
    return quipu__paraver_use(own->memory, &own->used.regions, event->object);
}

static bool put_leave(struct paraver *own, const struct quipu_event *event) {
    for (unsigned role = 0; role < QUIPU_REGION_ROLE_COUNT; role++)
        if ((own->ended_roles >> role & 1) != 0)
            put(own, event->location, QUIPU__PARAVER_ROLES + role,
                innermost(own, event->location, (enum quipu_region_role)role));
    return own->ended_roles != 0;
}

static bool put_state(struct paraver *own, const struct quipu_event *event) {
    if (event->object >= own->definitions->channels.count)
        return false;
    const int64_t value = event->kind == QUIPU_KIND_state_pop ? top_of(own, event->location, event->object)
                                                              : (int64_t)event->value;
    put(own, event->location, QUIPU__PARAVER_CHANNELS + event->object, value);
    return quipu__paraver_use(own->memory, &own->used.channels, event->object);
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
    put(own, event->location, QUIPU__PARAVER_METRICS + event->object, number);
    return quipu__paraver_use(own->memory, &own->used.metrics, event->object);
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

/* Messages of which only one end is ever there count as dropped. */
static void wait_for_other_end(struct paraver *own, const struct quipu_event *event, uint64_t message) {
    uint32_t number;
    const uint32_t row = row_of(own, event->location);
    struct waiting_end *end = new_end(own, &number);
    if (end && quipu__map_put(&own->waiting_of, message, number))
        *end = (struct waiting_end){{row, own->time}, event->bytes, 0, event->kind};
    own->dropped[event->kind]++;
}

static void complete_message(struct paraver *own, const struct quipu_event *event, uint64_t message,
                             uint32_t number) {
    struct waiting_end *other = &own->waiting.items[number];
    const struct quipu__prv_end end = {row_of(own, event->location), own->time};
    const bool is_send = event->kind == QUIPU_KIND_send;
    const uint64_t bytes = event->bytes == QUIPU_UNKNOWN ? other->bytes : event->bytes;
    quipu__prv_put_message(&own->prv, is_send ? end : other->end, is_send ? other->end : end,
                           bytes == QUIPU_UNKNOWN ? 0 : bytes, event->tag);
    quipu__map_remove(&own->waiting_of, message);
    other->next_unused = own->unused_end;
    own->dropped[other->kind]--;
    own->unused_end = number + 1;
}

/* Sends and receives of a key belong together by their order (state/message_table.h). */
static bool put_message(struct paraver *own, const struct quipu_batch *batch, uint32_t index,
                        const struct quipu_event *event) {
    const uint64_t message = quipu__message_table_number(&own->messages, own->definitions, batch, index);
    const uint32_t waiting = message ? quipu__map_get(&own->waiting_of, message) : QUIPU_NONE;
    if (message && waiting != QUIPU_NONE)
        complete_message(own, event, message, waiting);
    else if (message)
        wait_for_other_end(own, event, message);
    return message != 0;
}

/* ---- What types.def says ---- */

/* In the order of kinds, a kind's own together. */
static const struct shown {
    uint8_t kind, type, column; /* QUIPU_COLUMN_COUNT: 0 is shown */
} shown[] = {
#define TYPE(name, number, label, refers)
#define SHOWS(kind, column, type) {QUIPU_KIND_##kind, QUIPU__PARAVER_##type, QUIPU_COLUMN_##column},
#define CLEARS(kind, type) {QUIPU_KIND_##kind, QUIPU__PARAVER_##type, QUIPU_COLUMN_COUNT},
#include "formats/paraver/types.def"
};

/* A location may move another one to a CPU. */
static uint32_t location_of(const struct paraver *own, const struct quipu_event *event) {
    const bool has_subject =
        event->kind == QUIPU_KIND_affinity && event->object < own->definitions->locations.count;
    return has_subject ? event->object : event->location;
}

/* False for what is not known. */
static bool value_of(const struct quipu_event *event, const struct shown *what, int64_t *out) {
    const bool is_number = quipu__paraver_types[what->type].refers == QUIPU_REFERS_NOTHING;
    *out = 0;
    if (what->column == QUIPU_COLUMN_COUNT)
        return true;
    const int64_t number = quipu_event_get(event, (enum quipu_column)what->column);
    if (quipu__is_unknown((enum quipu_column)what->column, (uint64_t)number))
        return false;
    *out = is_number ? number : number + 1;
    return true;
}

static bool put_columns(struct paraver *own, const struct quipu_event *event) {
    bool has_some = false;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        int64_t value;
        if (shown[i].kind != event->kind || !value_of(event, &shown[i], &value))
            continue;
        put(own, location_of(own, event), quipu__paraver_types[shown[i].type].number, value);
        own->used.types |= UINT64_C(1) << shown[i].type;
        has_some = true;
    }
    return has_some;
}

/* ---- Events ---- */

static bool put_event(struct paraver *own, const struct quipu_batch *batch, uint32_t index,
                      const struct quipu_event *event) {
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
        return put_message(own, batch, index, event);
    default:
        return put_columns(own, event);
    }
}

/* Times of damaged traces may go back to before the first one. */
static void set_time(struct paraver *own, int64_t ticks) {
    const int64_t ns = quipu_clock_ns(&own->definitions->clock, ticks);
    if (own->origin == INT64_MIN)
        own->origin = ns;
    own->time = ns > own->origin ? quipu__bounded_difference(ns, own->origin) : 0;
    own->duration = own->time > own->duration ? own->time : own->duration;
}

static enum quipu_status put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    struct paraver *own = output->own;
    uint32_t cursor = 0;
    own->definitions = output->definitions;
    own->prv.err = err;
    if (!start_tracker(own) || !add_rows(own))
        return quipu__no_memory(err, own->definitions->locations.count);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        set_time(own, event.time);
        own->ended_roles = 0;
        if (!quipu__tracker_add_event(&own->tracker, batch, i, 0))
            return quipu__no_memory(err, sizeof event);
        if (!put_event(own, batch, i, &event))
            own->dropped[event.kind]++;
    }
    return own->prv.status != QUIPU_OK ? own->prv.status : quipu__memory_status(own->memory, err);
}

/* ---- The files ---- */

static enum quipu_status write_lines(void *context, const void *data, size_t size, struct quipu_error *err) {
    return quipu__file_write(context, data, size, err);
}

/* A file beside the .prv file. */
static enum quipu_status add_file(struct quipu__output_trace *output, const char *suffix,
                                  struct quipu__file **out, struct quipu_error *err) {
    const size_t len = strlen(output->path) - (quipu__ends_with(output->path, ".prv") ? strlen(".prv") : 0);
    char *path = quipu__alloc(output->memory, len + strlen(suffix) + 1);
    if (!path)
        return quipu__no_memory(err, len);
    memcpy(path, output->path, len);
    memcpy(path + len, suffix, strlen(suffix) + 1);
    const enum quipu_status status = quipu__outputs_add(output->outputs, path, 0, out, err);
    quipu__release(output->memory, path, len + strlen(suffix) + 1);
    return status;
}

static void abandon(struct quipu__output_trace *output) {
    struct paraver *own = output->own;
    if (own->is_started)
        quipu__tracker_release(&own->tracker);
    quipu__prv_release(&own->prv, own->memory);
    quipu__message_table_release(&own->messages);
    quipu__map_release(&own->waiting_of);
    QUIPU__VEC_RELEASE(own->memory, &own->waiting);
    QUIPU__VEC_RELEASE(own->memory, &own->row_of);
    QUIPU__VEC_RELEASE(own->memory, &own->locations);
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
    own->origin = INT64_MIN;
    quipu__message_table_init(&own->messages, own->memory);
    quipu__map_init(&own->waiting_of, own->memory);
    output->own = own;
    enum quipu_status status = quipu__outputs_add(output->outputs, output->path, 0, &own->prv_file, err);
    if (status == QUIPU_OK)
        status = add_file(output, ".pcf", &own->pcf_file, err);
    if (status == QUIPU_OK)
        status = add_file(output, ".row", &own->row_file, err);
    const struct quipu_sink sink = {write_lines, own->prv_file};
    if (status == QUIPU_OK)
        status = quipu__prv_begin(&own->prv, own->memory, ROW_DIGITS, sink, err);
    if (status != QUIPU_OK)
        abandon(output);
    return status;
}

static enum quipu_status write_names(struct paraver *own, struct quipu_error *err) {
    struct quipu__buffer text;
    quipu__buffer_init(&text, own->memory, 0);
    quipu__paraver_put_pcf(&text, own->definitions, &own->used);
    enum quipu_status status = text.failed ? quipu__no_memory(err, text.len)
                                           : quipu__file_write(own->pcf_file, text.data, text.len, err);
    text.len = 0;
    quipu__paraver_put_row(&text, own->definitions, own->locations.items, (uint32_t)own->locations.count);
    if (status == QUIPU_OK)
        status = text.failed ? quipu__no_memory(err, text.len)
                             : quipu__file_write(own->row_file, text.data, text.len, err);
    quipu__buffer_release(&text);
    return status;
}

/* A trace without events has rows and names all the same. */
static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    static const struct quipu_definitions nothing;
    struct paraver *own = output->own;
    char head[QUIPU__PRV_HEAD_MOST];
    own->definitions = output->definitions ? output->definitions : &nothing;
    own->prv.err = err;
    if (!add_rows(own))
        return quipu__no_memory(err, own->definitions->locations.count);
    enum quipu_status status = quipu__prv_flush(&own->prv);
    const size_t len = quipu__prv_head(head, own->duration, (uint32_t)own->locations.count, ROW_DIGITS);
    if (status == QUIPU_OK)
        status = quipu__file_overwrite(own->prv_file, head, len, err);
    return status == QUIPU_OK ? write_names(own, err) : status;
}

/* ---- The target ---- */

static const struct quipu__kind_capability kinds[] = {
    {QUIPU_KIND_enter, QUIPU__COLUMN(object)},
    {QUIPU_KIND_leave, QUIPU__COLUMN(object)},
    {QUIPU_KIND_send, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes)},
    {QUIPU_KIND_recv, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes)},
    {QUIPU_KIND_state_set, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_state_push, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_state_pop, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_metric, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_affinity, QUIPU__COLUMN(object)},
#define TYPE(name, number, label, refers)
#define SHOWS(kind, column, type) {QUIPU_KIND_##kind, QUIPU__COLUMN(column)},
#define CLEARS(kind, type) {QUIPU_KIND_##kind, 0},
#include "formats/paraver/types.def"
};
static const struct quipu__capabilities capabilities = {.kinds = kinds,
                                                        .kind_count = sizeof kinds / sizeof *kinds};

static const struct quipu__writing writing = {
    .order = QUIPU_ORDER_TIME,
    .capabilities = &capabilities,
    .create = create,
    .put_batch = put_batch,
    .finish = finish,
    .abandon = abandon,
};

const struct quipu__format quipu__paraver_format = {
    .info = {.name = "paraver",
             .title = "Paraver, the viewer of the Barcelona Supercomputing Center",
             .suffixes = ".prv",
             .abilities = QUIPU_CAN_WRITE},
    .writing = &writing,
};
