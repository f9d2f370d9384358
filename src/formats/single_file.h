/* single_file.h: what foreign targets share that write one file, event by event: the file, what is to be written next, and the
 * numbers that tie messages together. A target puts struct quipu__single_file first in a struct of its own. */
#ifndef QUIPU_FORMATS_SINGLE_FILE_H
#define QUIPU_FORMATS_SINGLE_FILE_H

#include "formats/descriptor.h"
#include "state/message_table.h"

struct quipu__single_file;

/* What a target differs in. The buffer out takes what is written. */
struct quipu__single_file_functions {
    size_t size; /* of the target's own struct, which is zeroed */

    /* Definitions that have not been put yet; called again before each batch and at the end. */
    void (*put_definitions)(struct quipu__single_file *own, const struct quipu_definitions *definitions);

    /* message: the number that a send shares with its receive, 0 for everything else. */
    void (*put_event)(struct quipu__single_file *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t message);

    /* These may be NULL. */
    void (*init)(struct quipu__single_file *own);
    void (*put_end)(struct quipu__single_file *own);
    void (*release)(struct quipu__single_file *own);
};

struct quipu__single_file {
    const struct quipu__single_file_functions *functions;
    struct quipu__memory *memory;
    struct quipu__file *file;
    struct quipu__buffer out;
    struct quipu__message_table messages;
    uint64_t *dropped; /* per kind: what a target that cannot write everything leaves out */
};

/* Everything that events say, in one way or another: instants carry what has no other form as details. */
extern const struct quipu__capabilities quipu__single_file_capabilities;

/* Functions of a target; create calls the first one with its functions. */
enum quipu_status quipu__single_file_create(struct quipu__output_trace *output,
                                            const struct quipu__single_file_functions *functions,
                                            struct quipu_error *err);
enum quipu_order quipu__single_file_order_of(const struct quipu_definitions *definitions);
enum quipu_status quipu__single_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err);
enum quipu_status quipu__single_file_finish(struct quipu__output_trace *output, struct quipu_error *err);

/* Writes what is in the buffer: put_batch and finish do so by themselves. */
enum quipu_status quipu__single_file_flush(struct quipu__single_file *own, struct quipu_error *err);

void quipu__single_file_abandon(struct quipu__output_trace *output);

#endif
