/* messages.c: each message: when it was sent and received, by whom, in which calls, and how long these waited for it. Sends without a receive and
 * receives without a send are rows, too.
 *
 * What a message makes calls wait for is what quipu waits charges to it. It becomes known later than the message, so it is kept by the event
 * that says it, and looked up at the end. */
#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unfinished_calls.h"
#include "analysis/waits/wait_states.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "state/unneeded_calls.h"

#include <inttypes.h>
#include <stdlib.h>

/* A send or receive of a message, or the completion of a send. */
struct message_event {
    uint64_t position; /* among the events of its location */
    uint32_t location; /* QUIPU_NONE: there is none */
    uint32_t region;   /* of the call */
    int64_t time;      /* ns */
};

struct message_row {
    struct message_event sent, received; /* of the one that is missing the location that the other one names */
    uint64_t bytes;
    int64_t tag;
    uint32_t group;
    bool is_sent, is_received;
};

/* What an event of a location says: how long its call waits; or at which position what was sent at this one is complete. */
struct message_fact {
    uint64_t position;
    uint32_t location;
    int64_t value;
};

struct messages {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__reported reported;
    struct quipu__wait_states states;
    struct quipu__communication_listener inner; /* what the wait states want to know */
    struct quipu__unneeded_calls computing;
    struct quipu__where_clause *where; /* NULL: all */
    const struct quipu_batch *batch;   /* the event that is being added */
    uint32_t event;
    QUIPU__VEC(struct message_row) rows;
    struct message_facts {
        struct message_fact *items;
        size_t count, capacity;
    } waits, completions, chosen; /* chosen: receives for which the expression is true */
};

/* ---- Facts ---- */

static int compare_facts(const void *a, const void *b) {
    const struct message_fact *x = a, *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static void add_fact(struct messages *messages, struct message_facts *facts, uint32_t location,
                     uint64_t position, int64_t value) {
    struct message_fact *fact = QUIPU__VEC_ADD(&messages->memory, facts);
    if (fact)
        *fact = (struct message_fact){position, location, value};
}

/* Of sorted facts; NULL when there is none. */
static const struct message_fact *find_fact(const struct message_facts *facts, uint32_t location,
                                            uint64_t position) {
    const struct message_fact key = {position, location, 0};
    return facts->count > 0 ? bsearch(&key, facts->items, facts->count, sizeof key, compare_facts) : NULL;
}

static bool sort_facts(struct messages *messages, struct message_facts *facts) {
    return facts->count == 0 ||
           quipu__sort(&messages->memory, facts->items, facts->count, sizeof *facts->items, compare_facts);
}

/* ---- Messages ---- */

static struct message_event event_of(const struct messages *messages, const struct quipu__message_end *end) {
    const struct quipu__communication *communication = &messages->states.communication;
    const struct quipu__communication_call *call =
        quipu__communication_call_at(&communication->calls, end->call);
    return (struct message_event){.position = end->position,
                                  .location = end->location,
                                  .region = call ? quipu__call_path_region(&communication->paths, call->path)
                                                 : QUIPU_NONE,
                                  .time = end->time};
}

/* A message counts when it is received, or when it is sent where it is not, at both of its locations. */
static bool is_reported(const struct messages *messages, const struct message_row *row) {
    const int64_t time = row->is_received ? row->received.time : row->sent.time;
    return time >= messages->reported.since &&
           (time < messages->reported.until || messages->reported.until == INT64_MAX) &&
           (quipu__reports(&messages->reported, row->sent.location) ||
            quipu__reports(&messages->reported, row->received.location));
}

static void add_row(struct messages *messages, const struct message_row *row) {
    struct message_row *added =
        is_reported(messages, row) ? QUIPU__VEC_ADD(&messages->memory, &messages->rows) : NULL;
    if (added)
        *added = *row;
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct messages *messages = context;
    if (send->mark)
        add_row(messages,
                &(struct message_row){.sent = event_of(messages, send),
                                      .received = event_of(messages, receive),
                                      .bytes = send->bytes != QUIPU_UNKNOWN ? send->bytes : receive->bytes,
                                      .tag = send->tag,
                                      .group = send->group,
                                      .is_sent = true,
                                      .is_received = true});
}

static void add_unmatched_send(void *context, const struct quipu__message_end *send) {
    struct messages *messages = ((struct quipu__wait_states *)context)->context;
    if (send->mark)
        add_row(messages, &(struct message_row){.sent = event_of(messages, send),
                                                .received = {.location = send->peer, .region = QUIPU_NONE},
                                                .bytes = send->bytes,
                                                .tag = send->tag,
                                                .group = send->group,
                                                .is_sent = true});
}

static void add_unmatched_receive(void *context, const struct quipu__message_end *receive) {
    struct messages *messages = ((struct quipu__wait_states *)context)->context;
    messages->inner.unmatched(context, receive);
    add_row(messages, &(struct message_row){.sent = {.location = receive->peer, .region = QUIPU_NONE},
                                            .received = event_of(messages, receive),
                                            .bytes = receive->bytes,
                                            .tag = receive->tag,
                                            .group = receive->group,
                                            .is_received = true});
}

static void add_completed(void *context, const struct quipu__message_end *send,
                          const struct quipu__message_end *receive) {
    struct messages *messages = context;
    (void)receive;
    if (send->completion_position != send->position)
        add_fact(messages, &messages->completions, send->location, send->position,
                 (int64_t)send->completion_position);
}

static void add_wait(void *context, uint32_t location, uint64_t position, int64_t time) {
    struct messages *messages = context;
    add_fact(messages, &messages->waits, location, position, time);
}

static void ignore_wait(void *context, const struct quipu__wait *wait) {
    (void)context;
    (void)wait;
}

/* ---- Conditions ---- */

static bool is_chosen(const struct messages *messages) {
    return quipu__end_is_chosen(messages->where, &messages->states.communication, messages->batch,
                                messages->event);
}

/* The mark of a send says whether it is chosen; that of a receive is the wait states'. */
static uint32_t add_end(void *context, struct quipu__message_end *end) {
    struct messages *messages = ((struct quipu__wait_states *)context)->context;
    const uint32_t mark = messages->inner.end(context, end);
    if (end->is_send)
        return is_chosen(messages);
    if (messages->where && is_chosen(messages))
        add_fact(messages, &messages->chosen, end->location, end->position, 0);
    return mark;
}

static enum quipu_status set_where(struct messages *messages, const char *text, struct quipu_error *err) {
    return quipu__where_of_ends(
        &messages->memory, text, messages->definitions,
        QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv),
        "messages are chosen when they are sent, before the duration of that call is known",
        "messages are sends and receives, and this is true for none", &messages->where, err);
}

/* ---- The fold ---- */

static bool begin_states(struct messages *messages, const struct quipu__fold_start *start) {
    struct quipu__wait_states *states = &messages->states;
    const bool has_memory =
        quipu__unneeded_calls_init(&messages->computing, &messages->memory, start->definitions,
                                   QUIPU__REGION_ACCESSES_FILES) &&
        quipu__wait_states_init(states, &messages->memory, start->definitions,
                                quipu__number_setting(start, "eager-limit"), ignore_wait, messages);
    states->matched = add_matched;
    states->completed = add_completed;
    states->message_waits = add_wait;
    messages->inner = states->communication.listener;
    states->communication.listener.end = add_end;
    states->communication.listener.unmatched = add_unmatched_receive;
    states->communication.listener.send_unmatched = add_unmatched_send;
    return has_memory;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct messages *messages = quipu__fold_state(start, sizeof *messages, state);
    if (!messages)
        return quipu__no_memory(err, sizeof *messages);
    messages->definitions = start->definitions;
    messages->reported = quipu__reported_of(start);
    return begin_states(messages, start)
               ? set_where(messages, quipu__settings_value(&start->settings, "where"), err)
               : quipu__no_memory(err, sizeof *messages);
}

/* Expressions may ask for attributes. */
static void select(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                   struct quipu_selection *selection) {
    (void)definitions;
    selection->without_attributes = !quipu__settings_value(settings, "where");
}

static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct messages *messages = state;
    return &messages->computing;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct messages *messages = state;
    quipu__wait_states_sweep(&messages->states, batch);
    struct quipu__communication *communication = &messages->states.communication;
    bool has_memory = messages->where || quipu__communication_add_batch(communication, batch);
    messages->batch = batch;
    for (messages->event = 0; messages->where && messages->event < batch->count && has_memory;
         messages->event++)
        has_memory = quipu__communication_add(communication, batch, messages->event);
    return has_memory ? quipu__memory_status(&messages->memory, err)
                      : quipu__no_memory(err, messages->memory.used);
}

static void release(void *state) {
    struct messages *messages = state;
    quipu__unneeded_calls_release(&messages->computing);
    quipu__wait_states_release(&messages->states);
    quipu__where_free(messages->where);
    QUIPU__VEC_RELEASE(&messages->memory, &messages->rows);
    QUIPU__VEC_RELEASE(&messages->memory, &messages->waits);
    QUIPU__VEC_RELEASE(&messages->memory, &messages->completions);
    QUIPU__VEC_RELEASE(&messages->memory, &messages->chosen);
    quipu__fold_state_release(messages, sizeof *messages);
}

/* ---- The table ---- */

/* clang-format off */
#define MESSAGES_TABLES(TABLE, COLUMN, END) \
    TABLE(MESSAGES, "messages", "a row per message, in the order of receiving; those that are never received last, in the order of sending") \
    COLUMN(MESSAGES, sent_ns, TIME, "ns", "when it was sent; null: no send was found") \
    COLUMN(MESSAGES, received_ns, TIME, "ns", "when it was received; null: no receive was found") \
    COLUMN(MESSAGES, latency_ns, I64, "ns", "from sending to receiving; clocks that differ make it negative") \
    QUIPU__NAMED(COLUMN, MESSAGES, sender, "name of the process or thread that sends; of a receive without a send the one it names") \
    QUIPU__NAMED(COLUMN, MESSAGES, receiver, "name of the process or thread that receives; of a send without a receive the one it names") \
    COLUMN(MESSAGES, bytes, U64, "bytes", "length") \
    COLUMN(MESSAGES, tag, I64, "", "tag") \
    COLUMN(MESSAGES, communicator, TEXT, "", "communicator") \
    COLUMN(MESSAGES, send_call, TEXT, "", "region of the call that sends") \
    COLUMN(MESSAGES, receive_call, TEXT, "", "region of the call in which it is received") \
    COLUMN(MESSAGES, receiver_wait_ns, I64, "ns", "how long the receiver waits for it: what quipu waits charges to its sender") \
    COLUMN(MESSAGES, sender_wait_ns, I64, "ns", "how long the sender waits for the receive to be posted, likewise") \
    END(MESSAGES) \
    QUIPU__MATCHING_TABLE(TABLE, COLUMN, END)
/* clang-format on */
QUIPU__TABLES(MESSAGES_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(MESSAGES_TABLES)};

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_events(const struct message_event *x, const struct message_event *y) {
    if (x->time != y->time)
        return COMPARE(x->time, y->time);
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->position, y->position);
}

static int compare_rows(const void *a, const void *b) {
    const struct message_row *x = a, *y = b;
    if (x->is_received != y->is_received)
        return x->is_received ? -1 : 1;
    const int order = x->is_received ? compare_events(&x->received, &y->received) : 0;
    return order != 0 ? order : compare_events(&x->sent, &y->sent);
}

static int64_t wait_at(const struct messages *messages, const struct message_event *event) {
    const struct message_fact *completion = find_fact(&messages->completions, event->location, event->position);
    const uint64_t position = completion ? (uint64_t)completion->value : event->position;
    const struct message_fact *wait = find_fact(&messages->waits, event->location, position);
    return wait ? wait->value : 0;
}

static enum quipu_status put_row(const struct messages *messages, const struct message_row *row,
                                 struct quipu_table *table, struct quipu_error *err) {
    const struct quipu_definitions *definitions = messages->definitions;
    const bool is_whole = row->is_sent && row->is_received;
    quipu__table_put_time_if(table, MESSAGES_sent_ns, row->is_sent, row->sent.time);
    quipu__table_put_time_if(table, MESSAGES_received_ns, row->is_received, row->received.time);
    quipu__table_put_i64_if(table, MESSAGES_latency_ns, is_whole,
                            quipu__bounded_difference(row->received.time, row->sent.time));
    quipu__table_put_location(table, MESSAGES_sender, definitions, row->sent.location);
    quipu__table_put_location(table, MESSAGES_receiver, definitions, row->received.location);
    quipu__table_put_u64_if(table, MESSAGES_bytes, row->bytes != QUIPU_UNKNOWN, row->bytes);
    quipu__table_put_i64_if(table, MESSAGES_tag, row->tag != -1, row->tag);
    quipu__table_put_name(table, MESSAGES_communicator, definitions, QUIPU_REFERS_GROUP, row->group);
    quipu__table_put_region(table, MESSAGES_send_call, definitions, row->sent.region);
    quipu__table_put_region(table, MESSAGES_receive_call, definitions, row->received.region);
    quipu__table_put_i64_if(table, MESSAGES_receiver_wait_ns, is_whole,
                            is_whole ? wait_at(messages, &row->received) : 0);
    quipu__table_put_i64_if(table, MESSAGES_sender_wait_ns, is_whole,
                            is_whole ? wait_at(messages, &row->sent) : 0);
    return quipu__table_end_row(table, err);
}

static bool sort_all(struct messages *messages) {
    return sort_facts(messages, &messages->waits) && sort_facts(messages, &messages->completions) &&
           sort_facts(messages, &messages->chosen) &&
           (messages->rows.count == 0 ||
            quipu__sort(&messages->memory, messages->rows.items, messages->rows.count,
                        sizeof *messages->rows.items, compare_rows));
}

/* Receives without a send are chosen by themselves. */
static bool is_left(const struct messages *messages, const struct message_row *row) {
    return row->is_sent || !messages->where ||
           find_fact(&messages->chosen, row->received.location, row->received.position);
}

static enum quipu_status put_rows(struct messages *messages, struct quipu_table *table,
                                  struct quipu_tables *list, struct quipu_error *err) {
    uint64_t early = 0;
    enum quipu_status status = sort_all(messages) ? QUIPU_OK : quipu__memory_status(&messages->memory, err);
    for (size_t i = 0; i < messages->rows.count && status == QUIPU_OK; i++) {
        const struct message_row *row = &messages->rows.items[i];
        early += row->is_sent && row->is_received && row->received.time < row->sent.time;
        if (is_left(messages, row))
            status = put_row(messages, row, table, err);
    }
    const struct quipu__message_counts *counts = &messages->states.communication.messages.counts;
    if (counts->sends + counts->receives > 2 * counts->matched)
        quipu__tables_note_add(list,
                               "%" PRIu64 " sends and %" PRIu64 " receives have no partner: rows of one side",
                               counts->sends - counts->matched, counts->receives - counts->matched);
    if (early > 0)
        quipu__tables_note_add(
            list, "%" PRIu64 " messages are received before they are sent: clocks differ, see quipu clock",
            early);
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct messages *messages = state;
    struct quipu_table *table;
    quipu__wait_states_finish(&messages->states);
    enum quipu_status status = quipu__memory_status(&messages->memory, err);
    if (status == QUIPU_OK)
        status = quipu__tables_add(list, &tables[MESSAGES], &table, err);
    quipu__unfinished_calls_note(&messages->states.communication.unfinished, list);
    quipu__posts_note(&messages->states.communication, list);
    if (status == QUIPU_OK)
        status = put_rows(messages, table, list, err);
    if (status == QUIPU_OK)
        status = quipu__matching_table_add(&messages->states.communication, &tables[MATCHING], list, err);
    return status == QUIPU_OK ? quipu__memory_status(&messages->memory, err) : status;
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_TIMES,
    QUIPU__REPORTED_LOCATIONS,
    {.name = "where",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "EXPRESSION",
     .letter = 'w',
     .doc = "only messages for whose send this is true, such as 'bytes > 1M && rank in 0-7': see \"quipu help "
            "where\""},
    QUIPU__EAGER_LIMIT_OPTION,
};

const struct quipu__fold quipu__messages_fold = {
    .info =
        {.name = "messages",
         .doc = "list the messages",
         .details =
             "Lists each message with the times at which it was sent and received, sender and receiver, tag, "
             "communicator, length, the calls in which that happened, and how long both waited for each other "
             "in "
             "them: what \"quipu waits\" charges to the message, so that both columns add up to its late "
             "senders "
             "and late receivers. Messages are matched by the rules of all analyses; latency_ns is the time of "
             "the "
             "receive event minus that of the send event.\n\n"
             "Rows stand in the order in which messages are received. A send without a receive is a row whose "
             "receiver is the one that it names, behind all others; a receive without a send one whose sender "
             "is the one "
             "that it names. So the rows are the matched, the unmatched sends and the unmatched receives of "
             "the "
             "table \"matching\".\n\n"
             "All messages are matched. --since, --until and --roi list those that are received then, or sent "
             "where "
             "they are not received; --location and --processes those that these send or receive; --where "
             "those for "
             "whose send, or for whose receive where there is no send, the expression is true.",
         .examples =
             "quipu messages run.trace --limit 20 # the first twenty\n"
             "quipu sql run.trace 'SELECT * FROM messages ORDER BY latency_ns DESC LIMIT 10' # those that took "
             "longest\n"
             "quipu messages run.trace --where 'bytes > 1M' --csv -o large.csv # large ones, for a spreadsheet",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = tables,
         .table_count = sizeof tables / sizeof *tables,
         .empty_answer = "no messages",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .narrows_events = true,
    .order = QUIPU_ORDER_WINDOWS,
    .select = select,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .finish = finish,
    .release = release,
};
