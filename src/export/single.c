/* single.c: see single.h. */
#include "export/single.h"

#include "core/error.h"

static enum quipu_status flush(struct quipu__single *own, struct quipu_error *err) {
    if (own->out.failed)
        return quipu__no_memory(err, own->out.len);
    const enum quipu_status status = quipu__file_write(own->file, own->out.data, own->out.len, err);
    own->out.len = 0;
    return status;
}

enum quipu_status quipu__single_create(struct quipu__output_trace *writing, const struct quipu__single_way *way,
                                       struct quipu_error *err) {
    struct quipu__single *own = quipu__alloc_zero(writing->memory, way->size);
    if (!own)
        return quipu__no_memory(err, way->size);
    own->way = way;
    own->memory = writing->memory;
    quipu__buffer_init(&own->out, writing->memory, 0);
    quipu__message_table_init(&own->messages, writing->memory);
    if (way->init)
        way->init(own);
    writing->own = own;
    const enum quipu_status status = quipu__outputs_add(writing->outputs, writing->path, 0, &own->file, err);
    if (status != QUIPU_OK)
        quipu__single_abandon(writing);
    return status;
}

/* Messages are tied together by their numbers under a key. */
enum quipu_order quipu__single_order_of(const struct quipu_definitions *definitions) {
    return quipu__threads_share_keys(definitions) ? QUIPU_ORDER_TIME : QUIPU_ORDER_STREAM;
}

enum quipu_status quipu__single_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                          struct quipu_error *err) {
    struct quipu__single *own = writing->own;
    uint32_t cursor = 0;
    own->way->put_definitions(own, writing->definitions);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        own->way->put_event(own, writing->definitions, &event,
                            quipu__message_table_number(&own->messages, writing->definitions, batch, i));
    }
    return flush(own, err);
}

/* A trace without events has definitions all the same. */
enum quipu_status quipu__single_finish(struct quipu__output_trace *writing, struct quipu_error *err) {
    struct quipu__single *own = writing->own;
    if (writing->definitions)
        own->way->put_definitions(own, writing->definitions);
    if (own->way->put_end)
        own->way->put_end(own);
    return flush(own, err);
}

void quipu__single_abandon(struct quipu__output_trace *writing) {
    struct quipu__single *own = writing->own;
    if (own->way->release)
        own->way->release(own);
    quipu__buffer_release(&own->out);
    quipu__message_table_release(&own->messages);
    quipu__release(writing->memory, own, own->way->size);
    writing->own = NULL;
}
