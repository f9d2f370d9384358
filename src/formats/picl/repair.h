/* repair.h: completing the trace of a program that was killed: where the tracing of a process has not ended, exits are added for
 * what is under way, and the exit of -901 last. What is no record any more is left out by the reader. */
#ifndef QUIPU_PICL_REPAIR_H
#define QUIPU_PICL_REPAIR_H

#include "formats/picl/statistics.h"
#include "formats/picl/writer.h"

struct quipu__picl_repaired_process {
    int64_t processor, process;
    struct quipu__picl_decimal time; /* of its last event */
    struct quipu__picl_statistics calls;
};

struct quipu__picl_repair {
    QUIPU__VEC(struct quipu__picl_repaired_process) processes;
    struct quipu__map numbers; /* processor and process -> process */
};

/* Notes an event that is copied. */
enum quipu_status quipu__picl_repair_note(struct quipu__picl_output *out, const struct quipu__picl_new *record,
                                          struct quipu_error *err);

/* Adds what is missing at the end. */
void quipu__picl_repair_finish(struct quipu__picl_output *out);
void quipu__picl_repair_free(struct quipu__picl_output *out);

#endif
