/* messages.c: the relation of messages: a row for each whose ends were both found, in the order of matching. */
#include "core/bounded.h"
#include "core/error.h"
#include "relation/relation.h"
#include "state/ends.h"
#include "trace/reader.h"

#include <quipu/messages.h>

/* clang-format off */
#define MESSAGES_TABLES(TABLE, COLUMN, END) \
    TABLE(MESSAGES, "messages", "messages whose sends and receives were both found, in the order of matching") \
    COLUMN(MESSAGES, sent_ns, TIME, "ns", "when it was sent") \
    COLUMN(MESSAGES, received_ns, TIME, "ns", "when it was received") \
    COLUMN(MESSAGES, latency_ns, I64, "ns", "from sending to receiving; clocks that differ make it negative") \
    QUIPU__DEFINED(COLUMN, MESSAGES, sender, "name of the process or thread that sends") \
    QUIPU__DEFINED(COLUMN, MESSAGES, receiver, "name of the process or thread that receives") \
    COLUMN(MESSAGES, bytes, U64, "bytes", "length, as the send says, else as the receive") \
    COLUMN(MESSAGES, tag, I64, "", "tag") \
    QUIPU__DEFINED(COLUMN, MESSAGES, communicator, "communicator") \
    COLUMN(MESSAGES, send_request, U64, "", "request of a non-blocking send") \
    COLUMN(MESSAGES, receive_request, U64, "", "request of a non-blocking receive") \
    COLUMN(MESSAGES, assumed, U64, "", "1: the receive did not name the sender or the tag, or later ones had taken its place") \
    END(MESSAGES)
/* clang-format on */
QUIPU__TABLES(MESSAGES_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(MESSAGES_TABLES)};

struct messages {
    struct quipu_messages *matching;
};

static void release(struct quipu__scan *scan) {
    struct messages *messages = scan->state;
    quipu_messages_free(messages->matching);
    quipu__release(&scan->memory, messages, sizeof *messages);
}

enum quipu_order quipu__messages_order(struct quipu_reader *reader) {
    const bool is_spread = quipu__reader_trace(reader)->format->reading->spreads_locations &&
                           quipu_reader_stream_count(reader) > 1;
    return is_spread || quipu__has_threads(quipu_reader_definitions(reader)) ? QUIPU_ORDER_TIME
                                                                             : QUIPU_ORDER_WINDOWS;
}

#define KINDS                                                                                                  \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_send) |   \
     QUIPU_KIND_BIT(QUIPU_KIND_send_complete) | QUIPU_KIND_BIT(QUIPU_KIND_recv_post) |                         \
     QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_probe) | QUIPU_KIND_BIT(QUIPU_KIND_cancel))

quipu_kinds quipu__messages_kinds(const struct quipu_definitions *definitions) {
    const quipu_kinds calls = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    return quipu__has_threads(definitions) ? KINDS : KINDS & ~calls;
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    const struct quipu_tracker_options matching = {.allocator = &scan->memory.allocator,
                                                   .memory_limit = scan->memory.limit};
    struct quipu_selection read = QUIPU_SELECTION_INIT;
    struct messages *messages = scan->state = quipu__alloc_zero(&scan->memory, sizeof *messages);
    if (!messages)
        return quipu__no_memory(err, sizeof *messages);
    enum quipu_status status = quipu__scan_mark_locations(scan, options->selection, err);
    if (status == QUIPU_OK)
        status = quipu_messages_new(scan->definitions, &matching, &messages->matching, err);
    read.order = quipu__messages_order(scan->reader);
    read.kinds = quipu__messages_kinds(scan->definitions);
    read.without_attributes = true;
    return status == QUIPU_OK ? quipu__scan_select(scan, &read, err) : status;
}

static bool is_chosen(const struct quipu__scan *scan, const struct quipu_message *message) {
    return quipu__scan_has_time(scan, message->received) && (quipu__scan_has_location(scan, message->sender) ||
                                                             quipu__scan_has_location(scan, message->receiver));
}

static void put_message(struct quipu__scan *scan, const struct quipu_message *message) {
    struct quipu__row_column *columns = scan->rows->columns;
    const size_t row = scan->rows->count;
    const int64_t sent = quipu__scan_ns(scan, message->sent),
                  received = quipu__scan_ns(scan, message->received);
    quipu__row_set(&columns[MESSAGES_sent_ns], row, (uint64_t)sent);
    quipu__row_set(&columns[MESSAGES_received_ns], row, (uint64_t)received);
    quipu__row_set(&columns[MESSAGES_latency_ns], row, (uint64_t)quipu__bounded_difference(received, sent));
    quipu__scan_put_named(scan, MESSAGES_sender, QUIPU_REFERS_LOCATION, message->sender);
    quipu__scan_put_named(scan, MESSAGES_receiver, QUIPU_REFERS_LOCATION, message->receiver);
    quipu__row_set_if(&columns[MESSAGES_bytes], row, message->bytes != QUIPU_UNKNOWN, message->bytes);
    quipu__row_set_if(&columns[MESSAGES_tag], row, message->tag != -1, (uint64_t)message->tag);
    quipu__scan_put_named(scan, MESSAGES_communicator, QUIPU_REFERS_GROUP, message->communicator);
    quipu__row_set_if(&columns[MESSAGES_send_request], row, message->send_request != QUIPU_UNKNOWN,
                      message->send_request);
    quipu__row_set_if(&columns[MESSAGES_receive_request], row, message->receive_request != QUIPU_UNKNOWN,
                      message->receive_request);
    quipu__row_set(&columns[MESSAGES_assumed], row, message->is_assumed);
    scan->rows->count++;
}

static void put(struct quipu__scan *scan) {
    const struct messages *messages = scan->state;
    struct quipu_message message;
    while (!quipu__scan_is_full(scan) && quipu_messages_next(messages->matching, &message))
        if (is_chosen(scan, &message))
            put_message(scan, &message);
}

static enum quipu_status add(struct quipu__scan *scan, struct quipu_error *err) {
    const struct messages *messages = scan->state;
    return quipu_messages_add(messages->matching, scan->batch, err);
}

static enum quipu_status end(struct quipu__scan *scan, struct quipu_error *err) {
    const struct messages *messages = scan->state;
    return quipu_messages_end(messages->matching, err);
}

const struct quipu__relation quipu__messages_relation = {
    .shape = &tables[MESSAGES],
    .criteria = QUIPU__BY_TIMES | QUIPU__BY_LOCATIONS,
    .kinds = KINDS,
    .is_streamed = true,
    .begin = begin,
    .fill = quipu__scan_fill,
    .add = add,
    .end = end,
    .put = put,
    .release = release,
};
