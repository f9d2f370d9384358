/* single.h: what exporters share that write one file, event by event: the file, what is to be written next, and the
 * numbers that tie messages together. An exporter puts struct quipu__single first in a struct of its own. */
#ifndef QUIPU_EXPORT_SINGLE_H
#define QUIPU_EXPORT_SINGLE_H

#include "formats/descriptor.h"
#include "state/message_table.h"

struct quipu__single;

/* What makes the difference. The buffer out takes what is written. */
struct quipu__single_way {
    size_t size; /* of the exporter's own struct, which is zeroed */

    /* Definitions that have not been put yet; called again before each batch and at the end. */
    void (*put_definitions)(struct quipu__single *own, const struct quipu_definitions *definitions);

    /* message: the number that a send shares with its receive, 0 for everything else. */
    void (*put_event)(struct quipu__single *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t message);

    /* These may be NULL. */
    void (*init)(struct quipu__single *own);
    void (*put_end)(struct quipu__single *own);
    void (*release)(struct quipu__single *own);
};

struct quipu__single {
    const struct quipu__single_way *way;
    struct quipu__memory *memory;
    struct quipu__file *file;
    struct quipu__buffer out;
    struct quipu__message_table messages;
};

/* Functions of a target; create calls the first one with its way. */
enum quipu_status quipu__single_create(struct quipu__output_trace *writing, const struct quipu__single_way *way,
                                       struct quipu_error *err);
enum quipu_order quipu__single_order_of(const struct quipu_definitions *definitions);
enum quipu_status quipu__single_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                          struct quipu_error *err);
enum quipu_status quipu__single_finish(struct quipu__output_trace *writing, struct quipu_error *err);
void quipu__single_abandon(struct quipu__output_trace *writing);

#endif
