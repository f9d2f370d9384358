/* operations.c: see operations.h. */
#include "analysis/io/operations.h"

#include "model/event.h"

/* ---- Files of handles ---- */

static bool is_handle(uint64_t handle) {
    return handle != QUIPU_UNKNOWN && handle != QUIPU_NONE;
}

/* An application that ends closes what is open: then nothing has the key any more. */
static uint64_t handle_key(const struct quipu__io_operations *operations, uint32_t location, uint64_t handle) {
    const uint32_t application = operations->locations[location].application;
    const uint64_t ends = application == QUIPU_NONE ? 0 : operations->locations[application].ends;
    const uint64_t words[3] = {location, handle, ends};
    return quipu__hash(words, sizeof words, operations->handle_files.seed);
}

uint32_t quipu__io_file_of(const struct quipu__io_operations *operations, uint32_t location, uint32_t file,
                           uint64_t handle) {
    const struct quipu__map *map = &operations->handle_files;
    if (file != QUIPU_NONE || !is_handle(handle))
        return file;
    file = quipu__map_get(map, handle_key(operations, location, handle));
    const uint32_t application = operations->locations[location].application;
    if (file == QUIPU_NONE && application != QUIPU_NONE)
        file = quipu__map_get(map, handle_key(operations, application, handle));
    return file;
}

bool quipu__io_handle_open(struct quipu__io_operations *operations, uint32_t location, uint32_t file,
                           uint64_t handle) {
    return file == QUIPU_NONE || !is_handle(handle) ||
           quipu__map_put(&operations->handle_files, handle_key(operations, location, handle), file);
}

void quipu__io_handle_close(struct quipu__io_operations *operations, uint32_t location, uint64_t handle) {
    if (is_handle(handle))
        quipu__map_remove(&operations->handle_files, handle_key(operations, location, handle));
}

/* ---- Locations ---- */

/* The first location of a number in an application; elsewhere each location stands for itself. */
static uint32_t client_of(struct quipu__io_operations *operations, uint32_t location, uint32_t application) {
    const struct quipu_locations *locations = &operations->definitions->locations;
    if (application == QUIPU_NONE || application == location ||
        locations->items[location].kind != QUIPU_LOCATION_PROCESS)
        return location;
    const uint64_t words[2] = {application, locations->items[location].native_id};
    const uint64_t key = quipu__hash(words, sizeof words, operations->client_locations.seed);
    const uint32_t known = quipu__map_get(&operations->client_locations, key);
    if (known == QUIPU_NONE)
        quipu__gate_knows(quipu__map_put(&operations->client_locations, key, location));
    return known == QUIPU_NONE ? location : known;
}

static struct quipu__io_location new_location(struct quipu__io_operations *operations, uint32_t location) {
    const uint32_t application =
        quipu__location_above(operations->definitions, location, QUIPU_LOCATION_APPLICATION);
    return (struct quipu__io_location){.application = application,
                                       .client = client_of(operations, location, application)};
}

/* Room for a location, and for all that are defined by now. */
bool quipu__io_operations_reach_slow(struct quipu__io_operations *operations, uint32_t location) {
    const uint32_t defined = operations->definitions->locations.count;
    const size_t count = location < defined ? defined : (size_t)location + 1;
    if (count > SIZE_MAX / sizeof *operations->locations)
        return false;
    struct quipu__io_location *locations =
        quipu__resize(operations->memory, operations->locations, operations->location_count * sizeof *locations,
                      count * sizeof *locations);
    if (!locations)
        return false;
    for (size_t i = operations->location_count; i < count; i++)
        locations[i] = new_location(operations, (uint32_t)i);
    operations->locations = locations;
    operations->location_count = (uint32_t)count;
    return true;
}

void quipu__io_operations_init(struct quipu__io_operations *operations, struct quipu__memory *memory,
                               const struct quipu_definitions *definitions) {
    const struct quipu__tracker_options options =
        quipu__event_tracker_options(definitions, QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation));
    *operations = (struct quipu__io_operations){.memory = memory, .definitions = definitions};
    quipu__tracker_init(&operations->tracker, memory, &options);
    quipu__map_init(&operations->handle_files, memory);
    quipu__map_init(&operations->client_locations, memory);
}

void quipu__io_operations_release(struct quipu__io_operations *operations) {
    quipu__map_release(&operations->handle_files);
    quipu__map_release(&operations->client_locations);
    quipu__tracker_release(&operations->tracker);
    quipu__release(operations->memory, operations->locations,
                   operations->location_count * sizeof *operations->locations);
}

/* ---- Operations ---- */

/* Columns are filled in where they stay: a struct that was just put together is not copied, for which the processor would wait. */
static void read_columns(const struct quipu__io_operations *operations, const struct quipu_batch *batch,
                         uint32_t event, struct quipu__event_columns *out) {
    out->tag = batch->tag[event];
    out->object =
        quipu__io_file_of(operations, batch->location[event], batch->object[event], (uint64_t)out->tag);
    out->peer = out->group = QUIPU_NONE;
    out->operation = batch->operation[event];
    out->bytes = batch->bytes[event];
    out->value = batch->value[event];
    out->id = batch->id[event];
}

/* An operation that is not the latest any more: the tracker keeps it. */
static bool put_aside(struct quipu__io_operations *operations, const struct quipu_batch *batch, uint32_t event,
                      const struct quipu__io_operation *operation) {
    struct quipu__tracker *tracker = &operations->tracker;
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], batch->stream);
    return state != QUIPU_NONE &&
           quipu__tracker_put_columns(tracker, state, QUIPU__INTERVAL_io_operation, QUIPU_KIND_io_begin,
                                      operation->time, &operation->columns);
}

bool quipu__io_operation_begin(struct quipu__io_operations *operations, const struct quipu_batch *batch,
                               uint32_t event) {
    struct quipu__io_operation *latest = &operations->locations[batch->location[event]].operation;
    if (latest->is_active && !put_aside(operations, batch, event, latest))
        return false;
    latest->is_active = true;
    latest->time = batch->time[event];
    latest->use = QUIPU_NONE;
    read_columns(operations, batch, event, &latest->columns);
    return true;
}

static bool take_operation(struct quipu__io_operations *operations, const struct quipu_batch *batch,
                           uint32_t event, const struct quipu__event_columns *end,
                           struct quipu__io_operation *out) {
    struct quipu__io_operation *latest = &operations->locations[batch->location[event]].operation;
    struct quipu__tracker *tracker = &operations->tracker;
    if (latest->is_active && quipu__may_end_operation(&latest->columns, end)) {
        *out = *latest;
        latest->is_active = false;
        return true;
    }
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], batch->stream);
    const uint32_t number =
        state == QUIPU_NONE ? QUIPU_NONE
                            : quipu__tracker_find_columns(tracker, state, QUIPU__INTERVAL_io_operation, end);
    if (number == QUIPU_NONE)
        return false;
    const struct quipu__interval *interval = quipu__interval_at(tracker, number);
    *out = (struct quipu__io_operation){
        .time = interval->time, .use = QUIPU_NONE, .columns = *quipu__interval_columns(tracker, interval)};
    quipu__tracker_remove(tracker, number);
    return true;
}

/* What the end says in place of what the beginning did not know. */
static struct quipu__event_columns merge(const struct quipu__event_columns *begin,
                                         const struct quipu__event_columns *end) {
    struct quipu__event_columns columns = *end;
    if (columns.object == QUIPU_NONE)
        columns.object = begin->object;
    if (columns.value == QUIPU_UNKNOWN)
        columns.value = begin->value;
    if (begin->bytes != QUIPU_UNKNOWN)
        columns.bytes = begin->bytes;
    return columns;
}

bool quipu__io_operation_end(struct quipu__io_operations *operations, const struct quipu_batch *batch,
                             uint32_t event, struct quipu__io_operation *beginning,
                             struct quipu__event_columns *columns) {
    struct quipu__event_columns end;
    read_columns(operations, batch, event, &end);
    if (!take_operation(operations, batch, event, &end, beginning))
        return false;
    *columns = merge(&beginning->columns, &end);
    return true;
}

static void tell_active(const struct quipu__io_operations *operations, uint32_t state,
                        void (*tell)(void *context, uint32_t location, int64_t begin,
                                     const struct quipu__event_columns *columns),
                        void *context) {
    const struct quipu__tracker *tracker = &operations->tracker;
    const struct quipu__interval_list list = quipu__active_at(tracker, state, QUIPU__INTERVAL_io_operation);
    for (uint32_t number = list.oldest; number != QUIPU_NONE;) {
        const struct quipu__interval *interval = quipu__interval_at(tracker, number);
        tell(context, tracker->states.items[state].location, interval->time,
             quipu__interval_columns(tracker, interval));
        number = interval->newer;
    }
}

void quipu__io_operations_each_active(const struct quipu__io_operations *operations,
                                      void (*tell)(void *context, uint32_t location, int64_t begin,
                                                   const struct quipu__event_columns *columns),
                                      void *context) {
    for (uint32_t i = 0; i < operations->tracker.states.count; i++)
        tell_active(operations, i, tell, context);
    for (uint32_t i = 0; i < operations->location_count; i++) {
        const struct quipu__io_operation *operation = &operations->locations[i].operation;
        if (operation->is_active)
            tell(context, i, operation->time, &operation->columns);
    }
}
