/* state.c: the state at the end of what is read: active calls, operations, requests and files, values, and messages that are
 * sent and not received.
 *
 * A tracker (state/tracker.h) knows it, and a checkpoint of it can be saved for each substream. The time is the end of the selection, or
 * of the trace. All locations must be read for that, since messages have two sides; a setting chooses rows.
 */
#include "analysis/shared/cells.h"
#include "analysis/shared/fold.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/real.h"
#include "model/event.h"
#include "state/events.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
    struct quipu__memory memory;
    struct quipu__tracker tracker;
    int64_t to;            /* the time; INT64_MAX: the end of the trace */
    const char *locations; /* whose rows are wanted, as the setting has it; NULL: all */
};

/* ==== The tables ==== */

/* ---- Choosing rows ---- */

static bool is_wanted(const struct state *known, uint32_t location) {
    return !known->locations || quipu__setting_has_location(known->locations, location);
}

/* ---- Cells ---- */

/* clang-format off */
#define STATE_TABLES(TABLE, COLUMN, END) \
    TABLE(INTERVAL, "intervals", "a row for each active interval and for the latest value of each metric") \
    COLUMN(INTERVAL, location, TEXT, "", "name of the process or thread") \
    COLUMN(INTERVAL, location_id, I64, "", "the format's own number of the location") \
    COLUMN(INTERVAL, interval, TEXT, "", "class of the interval: call, collective, request, file ...") \
    COLUMN(INTERVAL, depth, U64, "", "place on the stack: 0 is the outermost call; null for what is no stack") \
    COLUMN(INTERVAL, what, TEXT, "", "name of the region, file, metric, channel or type of task") \
    COLUMN(INTERVAL, operation, TEXT, "", "which operation") \
    COLUMN(INTERVAL, since_ns, TIME, "ns", "when it began") \
    COLUMN(INTERVAL, since, I64, "", "the same in ticks") \
    COLUMN(INTERVAL, for_ns, I64, "ns", "how long it has been active") \
    COLUMN(INTERVAL, peer, TEXT, "", "the location on the other side, the root, or the CPU") \
    COLUMN(INTERVAL, communicator, TEXT, "", "communicator or window") \
    COLUMN(INTERVAL, tag, I64, "", "message tag") \
    COLUMN(INTERVAL, bytes, U64, "bytes", "bytes to be sent, received or transferred") \
    COLUMN(INTERVAL, value, DECIMAL, "", "value of a metric or channel, file offset, bytes to be received by a collective operation") \
    COLUMN(INTERVAL, id, U64, "", "number that will tie the end to it: request, handle, task, matching id") \
    END(INTERVAL) \
    TABLE(MESSAGE, "messages", "messages that were sent and not received") \
    COLUMN(MESSAGE, sender, TEXT, "", "name of the process that sent; null in a last row for all that found no room in memory") \
    COLUMN(MESSAGE, sender_id, I64, "", "the format's own number of it") \
    COLUMN(MESSAGE, receiver, TEXT, "", "name of the process that has not received") \
    COLUMN(MESSAGE, receiver_id, I64, "", "the format's own number of it") \
    COLUMN(MESSAGE, communicator, TEXT, "", "communicator") \
    COLUMN(MESSAGE, tag, I64, "", "message tag") \
    COLUMN(MESSAGE, messages, U64, "", "messages that were sent and not received") \
    COLUMN(MESSAGE, bytes, U64, "bytes", "their length together") \
    COLUMN(MESSAGE, first_ns, TIME, "ns", "when the first of them was sent") \
    COLUMN(MESSAGE, last_ns, TIME, "ns", "when the last of them was sent") \
    END(MESSAGE)
/* clang-format on */
QUIPU__TABLES(STATE_TABLES)
static const struct quipu_analysis_table state_tables[] = {QUIPU__SHAPES(STATE_TABLES)};

static void put_known(struct quipu_table *table, size_t column, uint64_t value) {
    quipu__table_put_u64_if(table, column, value != QUIPU_UNKNOWN, value);
}

/* ---- Active intervals ---- */

/* The value of a metric as the metric says; of states, signed; of the rest, a number that may be unknown. */
static void put_value(struct quipu_table *table, const struct quipu_metrics *metrics,
                      const struct quipu__event_columns *columns, enum quipu_refers refers) {
    char text[32];
    const enum quipu_metric_value type =
        columns->object < metrics->count ? metrics->items[columns->object].value : QUIPU_METRIC_U64;
    double real;
    if (refers == QUIPU_REFERS_BITS && type == QUIPU_METRIC_F64) {
        memcpy(&real, &columns->value, sizeof real);
        quipu__print(text, sizeof text, "%.17g", real);
    } else if (quipu__is_signed(refers) || (refers == QUIPU_REFERS_BITS && type == QUIPU_METRIC_I64)) {
        snprintf(text, sizeof text, "%" PRId64, (int64_t)columns->value);
    } else if (refers == QUIPU_REFERS_BITS ||
               (refers == QUIPU_REFERS_NOTHING && columns->value != QUIPU_UNKNOWN)) {
        snprintf(text, sizeof text, "%" PRIu64, columns->value);
    } else {
        return;
    }
    quipu__table_put_cell(table, INTERVAL_value, QUIPU_TYPE_DECIMAL, (struct quipu_cell){.text = text});
}

static void put_field(struct quipu_table *table, const struct quipu_definitions *definitions,
                      const struct quipu__event_columns *columns, const struct quipu_kind_field *field,
                      bool is_request) {
    switch (field->column) {
    case QUIPU_COLUMN_object:
        quipu__table_put_name(table, INTERVAL_what, definitions, field->refers, columns->object);
        break;
    case QUIPU_COLUMN_peer:
        quipu__table_put_name(table, INTERVAL_peer, definitions, field->refers, columns->peer);
        break;
    case QUIPU_COLUMN_group:
        quipu__table_put_name(table, INTERVAL_communicator, definitions, field->refers, columns->group);
        break;
    case QUIPU_COLUMN_operation:
        if (!is_request) /* which has that of its kind */
            quipu__table_put_name(table, INTERVAL_operation, definitions, field->refers, columns->operation);
        break;
    case QUIPU_COLUMN_tag:
        if (field->refers == QUIPU_REFERS_SIGNED) /* else the handle of a file */
            quipu__table_put_i64(table, INTERVAL_tag, columns->tag);
        break;
    case QUIPU_COLUMN_bytes:
        put_known(table, INTERVAL_bytes, columns->bytes);
        break;
    case QUIPU_COLUMN_value:
        put_value(table, &definitions->metrics, columns, field->refers);
        break;
    case QUIPU_COLUMN_id:
        put_known(table, INTERVAL_id, columns->id);
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* An interval and its place among all rows. */
struct row {
    const struct quipu__interval *interval;
    uint32_t location, interval_class;
    uint32_t channel;          /* whose stack it is on, 0 for all else */
    uint32_t stream, position; /* in its list */
    int64_t time;              /* the latest in its list so far */
};

static enum quipu_status show(const struct state *known, const struct row *row, uint64_t depth,
                              struct quipu_table *table, struct quipu_error *err) {
    const struct quipu_definitions *definitions = known->tracker.options.definitions;
    const struct quipu__interval *interval = row->interval;
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)interval->kind);
    const int64_t until = known->to == INT64_MAX ? known->tracker.last : known->to;
    const bool is_request = row->interval_class == QUIPU__INTERVAL_request;
    quipu__table_put_location(table, INTERVAL_location, definitions, row->location);
    quipu__table_put_text(table, INTERVAL_interval, quipu__interval_rows[row->interval_class].name);
    put_known(table, INTERVAL_depth, depth);
    quipu__table_put_time(table, INTERVAL_since_ns, quipu_clock_ns(&definitions->clock, interval->time));
    quipu__table_put_i64(table, INTERVAL_since, interval->time);
    quipu__table_put_i64(table, INTERVAL_for_ns,
                         quipu_clock_ns(&definitions->clock, quipu__bounded_difference(until, interval->time)));
    for (size_t i = 0; i < kind->field_count; i++)
        put_field(table, definitions, quipu__interval_columns(&known->tracker, interval), &kind->fields[i],
                  is_request);
    if (is_request)
        quipu__table_put_text(table, INTERVAL_operation, kind->name);
    quipu__table_put_rest_null(table);
    return quipu__table_end_row(table, err);
}

#define COMPARE(member)                                                                                        \
    if (x->member != y->member)                                                                                \
        return x->member < y->member ? -1 : 1;

static int in_order(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    COMPARE(location)
    COMPARE(interval_class)
    COMPARE(channel)
    COMPARE(time)
    COMPARE(stream)
    COMPARE(position)
    return 0;
}
#undef COMPARE

/* The rows of a list, whose order stays even where times go back. */
static void add_rows(const struct state *known, const struct quipu__location_state *state,
                     uint32_t interval_class, struct row *rows, size_t *count) {
    const bool has_channels = interval_class == QUIPU__INTERVAL_channel_stack;
    uint32_t number = state->lists[interval_class].oldest, position = 0;
    int64_t time = INT64_MIN;
    for (; number != QUIPU_NONE; number = quipu__interval_at(&known->tracker, number)->newer) {
        const struct quipu__interval *interval = quipu__interval_at(&known->tracker, number);
        time = interval->time > time ? interval->time : time;
        rows[(*count)++] = (struct row){.interval = interval,
                                        .location = state->location,
                                        .interval_class = interval_class,
                                        .channel = has_channels ? (uint32_t)interval->key[0] : 0,
                                        .stream = state->stream,
                                        .position = position++,
                                        .time = time};
    }
}

/* All rows, at most as many as there are intervals. */
static size_t list_rows(const struct state *known, struct row *rows) {
    size_t count = 0;
    for (size_t i = 0; i < known->tracker.states.count; i++) {
        const struct quipu__location_state *state = &known->tracker.states.items[i];
        for (uint32_t interval_class = 0;
             interval_class < QUIPU__INTERVAL_CLASSES && is_wanted(known, state->location); interval_class++)
            add_rows(known, state, interval_class, rows, &count);
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, in_order);
    return count;
}

/* The depth of a row that comes after another one, whose depth is known; QUIPU_UNKNOWN for what is on no stack. */
static uint64_t depth_of(const struct row *row, const struct row *before, uint64_t depth) {
    if (quipu__interval_rows[row->interval_class].discipline != QUIPU__DISCIPLINE_STACK)
        return QUIPU_UNKNOWN;
    const bool goes_on = before && before->location == row->location &&
                         before->interval_class == row->interval_class && before->channel == row->channel;
    return goes_on ? depth + 1 : 0;
}

/* Add the tables of a tracker that has been reconciled. */
static enum quipu_status state_intervals(struct state *known, struct quipu_tables *tables,
                                         struct quipu_error *err) {
    struct quipu_table *table;
    const size_t most = known->tracker.slot_count;
    enum quipu_status status = quipu__tables_add(tables, &state_tables[INTERVAL], &table, err);
    if (status != QUIPU_OK || most == 0)
        return status;
    struct row *rows = quipu__alloc(&known->memory, most * sizeof *rows);
    if (!rows)
        return quipu__no_memory(err, most * sizeof *rows);
    const size_t count = list_rows(known, rows);
    uint64_t depth = 0;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        depth = depth_of(&rows[i], i > 0 ? &rows[i - 1] : NULL, depth);
        status = show(known, &rows[i], depth, table, err);
    }
    quipu__release(&known->memory, rows, most * sizeof *rows);
    return status;
}

/* ---- Messages ---- */

struct message_class_row {
    const struct quipu__message_count *counts;
    struct quipu__in_flight in_flight;
};

#define COMPARE(member)                                                                                        \
    if (x->counts->key.member != y->counts->key.member)                                                        \
        return x->counts->key.member < y->counts->key.member ? -1 : 1;

static int by_message_class(const void *a, const void *b) {
    const struct message_class_row *x = a, *y = b;
    COMPARE(sender)
    COMPARE(receiver)
    COMPARE(communicator)
    COMPARE(tag)
    return 0;
}
#undef COMPARE

static enum quipu_status show_message_class(const struct quipu_definitions *definitions,
                                            const struct message_class_row *row, struct quipu_table *table,
                                            struct quipu_error *err) {
    const struct quipu__message_key *key = &row->counts->key;
    const struct quipu__in_flight *in_flight = &row->in_flight;
    quipu__table_put_location(table, MESSAGE_sender, definitions, key->sender);
    quipu__table_put_location(table, MESSAGE_receiver, definitions, key->receiver);
    quipu__table_put_name(table, MESSAGE_communicator, definitions, QUIPU_REFERS_GROUP, key->communicator);
    quipu__table_put_i64(table, MESSAGE_tag, key->tag);
    put_known(table, MESSAGE_messages, in_flight->messages);
    put_known(table, MESSAGE_bytes, in_flight->bytes);
    quipu__table_put_time_if(table, MESSAGE_first_ns, in_flight->has_first,
                             quipu_clock_ns(&definitions->clock, in_flight->first));
    quipu__table_put_time(table, MESSAGE_last_ns, quipu_clock_ns(&definitions->clock, in_flight->last));
    return quipu__table_end_row(table, err);
}

/* Messages of classes for which there was no room. */
static bool has_left_out(const struct state *known) {
    return (int64_t)known->tracker.matcher.left_out > 0;
}

static enum quipu_status show_left_out(const struct state *known, struct quipu_table *table,
                                       struct quipu_error *err) {
    put_known(table, MESSAGE_messages, known->tracker.matcher.left_out);
    quipu__table_put_rest_null(table);
    return quipu__table_end_row(table, err);
}

static size_t list_message_classes(const struct state *known, struct message_class_row *rows) {
    const struct quipu__matcher *matcher = &known->tracker.matcher;
    size_t count = 0;
    for (size_t i = 0; i < matcher->keys.count; i++) {
        const struct quipu__message_count *counts = &matcher->keys.items[i];
        const struct quipu__in_flight in_flight = quipu__matcher_at(matcher, i);
        if (in_flight.messages > 0 &&
            (is_wanted(known, counts->key.sender) || is_wanted(known, counts->key.receiver)))
            rows[count++] = (struct message_class_row){counts, in_flight};
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_message_class);
    return count;
}

static enum quipu_status state_messages(struct state *known, struct quipu_tables *tables,
                                        struct quipu_error *err) {
    struct quipu_table *table;
    const size_t most = known->tracker.matcher.keys.count;
    enum quipu_status status = quipu__tables_add(tables, &state_tables[MESSAGE], &table, err);
    if (status != QUIPU_OK || most == 0)
        return status;
    struct message_class_row *rows = quipu__alloc(&known->memory, most * sizeof *rows);
    if (!rows)
        return quipu__no_memory(err, most * sizeof *rows);
    const size_t count = list_message_classes(known, rows);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = show_message_class(known->tracker.options.definitions, &rows[i], table, err);
    if (status == QUIPU_OK && has_left_out(known))
        status = show_left_out(known, table, err);
    quipu__release(&known->memory, rows, most * sizeof *rows);
    return status;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct state *known = quipu__fold_state(start, sizeof *known, state);
    if (!known)
        return quipu__no_memory(err, sizeof *known);
    known->locations = quipu__settings_value(&start->settings, "location");
    known->to = start->selection ? start->selection->to : INT64_MAX;
    struct quipu__tracker_options options =
        quipu__event_tracker_options(start->definitions, QUIPU__INTERVAL_ALL);
    options.has_messages = true;
    quipu__tracker_init(&known->tracker, &known->memory, &options);
    return QUIPU_OK;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct state *known = state;
    const uint32_t stream = batch->stream;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__tracker_add_event(&known->tracker, batch, i, stream))
            return quipu__no_memory(err, known->memory.used);
    return QUIPU_OK;
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct state *known = state;
    const struct state *partial = other;
    return quipu__tracker_join(&known->tracker, &partial->tracker) ? quipu__memory_status(&partial->memory, err)
                                                                   : quipu__no_memory(err, known->memory.used);
}

static void release(void *state) {
    struct state *known = state;
    quipu__tracker_release(&known->tracker);
    quipu__fold_state_release(known, sizeof *known);
}

static enum quipu_status save_checkpoint(const void *state, struct quipu__buffer *out,
                                         struct quipu_error *err) {
    const struct state *known = state;
    quipu__tracker_save_checkpoint(&known->tracker, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

static enum quipu_status resume(const struct quipu__fold_start *start, struct quipu__slice bytes, void **state,
                                struct quipu_error *err) {
    *state = NULL;
    enum quipu_status status = begin(start, state, err);
    if (status == QUIPU_OK)
        status = quipu__tracker_resume(&((struct state *)*state)->tracker, bytes, err);
    if (status != QUIPU_OK && *state) {
        release(*state);
        *state = NULL;
    }
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct state *known = state;
    enum quipu_status status =
        quipu__tracker_reconcile(&known->tracker) ? QUIPU_OK : quipu__no_memory(err, known->memory.used);
    if (status == QUIPU_OK)
        status = state_intervals(known, tables, err);
    if (status == QUIPU_OK)
        status = state_messages(known, tables, err);
    return status == QUIPU_OK ? quipu__memory_status(&known->memory, err) : status;
}

static const struct quipu_option options[] = {
    {.name = "at",
     .kind = QUIPU_OPTION_TIME,
     .argument = "TIME|end",
     .is_required = true,
     .doc = "show what is active at this time, or at the end of the trace: end"},
    {.name = "location",
     .kind = QUIPU_OPTION_LOCATIONS,
     .argument = "LIST",
     .letter = 'l',
     .doc = "only rows of these locations, and messages from or to them: names, 0-3, rank:0-3"},
};

/* Events of all kinds are wanted, since the last one of them is the end of the trace. */
const struct quipu__fold quipu__state_fold = {
    .info = {.name = "state",
             .doc = "show what is active at a time",
             .details =
                 "Shows in two tables what every process is doing at the time of --at, for traces of any "
                 "format. The first table has a row "
                 "for each active interval (calls, operations, requests and files that have begun before and "
                 "not ended) and for the latest "
                 "value of each metric; the second one has the messages that were sent before and not "
                 "received. --location chooses rows.\n\n"
                 "A time after the end of the trace is a usage error. --at end shows the last state of a "
                 "program that was killed or hangs; formats that write calls when they end do not know the "
                 "last one.",
             .examples = "quipu state run.trace --at 12.5s --location rank:3 # what was rank 3 doing?\n"
                         "quipu state run.trace --at end # where does every process hang?",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = state_tables,
             .table_count = 2,
             .empty_answer = "nothing is active at this time",
             .needs_everything = true},
    .until = "at",
    .kinds = QUIPU_ALL_KINDS,
    .needs_attributes = false,
    .begin = begin,
    .consume = consume,
    .combine = combine,
    .finish = finish,
    .release = release,
    .section = QUIPU__TRACKER_SECTION,
    .save_checkpoint = save_checkpoint,
    .resume = resume,
};
