/* single_file.c: see single_file.h. */
#include "formats/single_file.h"

#include "core/error.h"

enum quipu_status quipu__single_file_flush(struct quipu__single_file *own, struct quipu_error *err) {
    if (own->out.failed)
        return quipu__no_memory(err, own->out.len);
    const enum quipu_status status = quipu__file_write(own->file, own->out.data, own->out.len, err);
    own->out.len = 0;
    return status;
}

enum quipu_status quipu__single_file_create(struct quipu__output_trace *output,
                                            const struct quipu__single_file_functions *functions,
                                            struct quipu_error *err) {
    struct quipu__single_file *own = quipu__alloc_zero(output->memory, functions->size);
    if (!own)
        return quipu__no_memory(err, functions->size);
    own->functions = functions;
    own->memory = output->memory;
    own->dropped = output->dropped;
    quipu__buffer_init(&own->out, output->memory, 0);
    quipu__message_table_init(&own->messages, output->memory);
    if (functions->init)
        functions->init(own);
    output->own = own;
    const enum quipu_status status = quipu__outputs_add(output->outputs, output->path, 0, &own->file, err);
    if (status != QUIPU_OK)
        quipu__single_file_abandon(output);
    return status;
}

/* Messages are tied together by their numbers under a key. */
enum quipu_order quipu__single_file_order_of(const struct quipu_definitions *definitions) {
    return quipu__threads_share_keys(definitions) ? QUIPU_ORDER_TIME : QUIPU_ORDER_STREAM;
}

enum quipu_status quipu__single_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    uint32_t cursor = 0;
    own->functions->put_definitions(own, output->definitions);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        own->functions->put_event(own, output->definitions, &event,
                                  quipu__message_table_number(&own->messages, output->definitions, batch, i));
    }
    return quipu__single_file_flush(own, err);
}

/* A trace without events has definitions all the same. */
enum quipu_status quipu__single_file_finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    if (output->definitions)
        own->functions->put_definitions(own, output->definitions);
    if (own->functions->put_end)
        own->functions->put_end(own);
    return quipu__single_file_flush(own, err);
}

void quipu__single_file_abandon(struct quipu__output_trace *output) {
    struct quipu__single_file *own = output->own;
    if (own->functions->release)
        own->functions->release(own);
    quipu__buffer_release(&own->out);
    quipu__message_table_release(&own->messages);
    quipu__release(output->memory, own, own->functions->size);
    output->own = NULL;
}

const struct quipu__capabilities quipu__single_file_capabilities = {.everything = true, .attributes = true};
