/* record_queue.c: records that wait until the requests in front of them have ended. One that keeps too many others waiting
 * becomes asynchronous: then its end is a record of its own. */
#include "formats/charisma/from_model.h"

#include "core/error.h"

#include <string.h>

/* Records that wait at most. */
#define QUEUE_MOST ((size_t)1 << 16)

static void forget_written(struct quipu__charisma_events *events) {
    if (events->queue_at < QUEUE_MOST / 2 && events->queue_at < events->queue.count)
        return;
    const size_t left = events->queue.count - events->queue_at;
    if (left > 0)
        memmove(events->queue.items, events->queue.items + events->queue_at,
                left * sizeof *events->queue.items);
    events->queue_first += events->queue_at;
    events->queue.count = left;
    events->queue_at = 0;
}

/* A request of which too little is known is none. */
static void drop(struct quipu__charisma_events *events, struct quipu__charisma_item *item) {
    item->type = QUIPU__CHARISMA_NO_RECORD;
    events->writer->output->dropped[QUIPU_KIND_io_begin]++;
}

/* A request that keeps too many others waiting becomes asynchronous. */
static void stop_waiting(struct quipu__charisma_events *events, struct quipu__charisma_item *item) {
    item->waits = false;
    if (item->request == QUIPU_NONE) /* keeps the place for an open */
        return;
    struct quipu__charisma_output_request *request = &events->in_flight.items[item->request];
    request->is_written = true;
    if (!item->has_direction || item->descriptor < 0)
        drop(events, item);
    if (item->is_asynchronous || item->type == QUIPU__CHARISMA_NO_RECORD)
        return;
    item->is_asynchronous = request->is_asynchronous = true;
    item->async_id = request->async_id = events->next_async++;
    item->end = item->time;
}

static enum quipu_status put_item(struct quipu__charisma_events *events,
                                  const struct quipu__charisma_item *item, struct quipu_error *err) {
    const uint64_t before = events->writer->narrowed;
    const enum quipu_status status = quipu__charisma_put_item(events, item, err);
    if (events->writer->narrowed > before) {
        const uint64_t kinds = quipu__charisma_mapping(item->type)->kinds;
        events->writer->output->approximated[quipu__trailing_zeros(kinds)]++;
    }
    return status;
}

enum quipu_status quipu__charisma_put_queue(struct quipu__charisma_events *events, bool all,
                                            struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && events->queue_at < events->queue.count) {
        struct quipu__charisma_item *item = &events->queue.items[events->queue_at];
        if (item->waits && (all || events->queue.count - events->queue_at > QUEUE_MOST))
            stop_waiting(events, item);
        if (item->waits)
            break;
        status = quipu__charisma_set_offset(events, item) ? put_item(events, item, err)
                                                          : quipu__no_memory(err, sizeof *item);
        events->queue_at++;
    }
    forget_written(events);
    return status;
}

struct quipu__charisma_item *quipu__charisma_add_item(struct quipu__charisma_events *events, uint32_t type,
                                                      uint32_t location, int64_t time) {
    struct quipu__charisma_item *item = QUIPU__VEC_ADD(events->writer->memory, &events->queue);
    if (item)
        *item = (struct quipu__charisma_item){.type = (uint8_t)type,
                                              .location = location,
                                              .file = QUIPU_NONE,
                                              .request = QUIPU_NONE,
                                              .time = time,
                                              .end = time};
    return item;
}

void quipu__charisma_sort_last(struct quipu__charisma_events *events) {
    struct quipu__charisma_item *items = events->queue.items;
    size_t i = events->queue.count - 1;
    const struct quipu__charisma_item last = items[i];
    for (; i > events->queue_at && items[i - 1].time > last.time; i--) {
        items[i] = items[i - 1];
        if (items[i].request != QUIPU_NONE && items[i].waits)
            events->in_flight.items[items[i].request].item++;
    }
    items[i] = last;
}
