/* repair.h: completing the trace of a killed program while its records are copied: what threads leave open ends, and metadata say what a
 * program says when it finishes. */
#ifndef QUIPU_OVNI_REPAIR_H
#define QUIPU_OVNI_REPAIR_H

#include "formats/ovni/closing.h"
#include "formats/ovni/format.h"

/* A stream whose records were copied. */
struct quipu__ovni_repaired {
    uint32_t stream;
    bool uses[QUIPU__OVNI_MODEL_COUNT + 1];
};

struct quipu__ovni_repair {
    const struct quipu__ovni_trace *source;
    struct quipu__repairing *repairing;
    struct quipu__memory *memory;
    struct quipu__ovni_closing closing; /* of the stream at hand */
    QUIPU__VEC(struct quipu__ovni_repaired) streams;
    int64_t *cpu_most;        /* by loom: the highest index of a CPU that was used */
    int64_t unknown_cpu_most; /* of streams of which nothing tells whose they are */
    bool has_unknown;         /* one of them has the CPUs already */
};

enum quipu_status quipu__ovni_repair_new(struct quipu__ovni_repair **out,
                                         const struct quipu__ovni_trace *source,
                                         struct quipu__repairing *repairing, struct quipu__memory *memory,
                                         struct quipu_error *err);
void quipu__ovni_repair_free(struct quipu__ovni_repair *repair);

enum quipu_status quipu__ovni_repair_begin(struct quipu__ovni_repair *repair, uint32_t stream,
                                           struct quipu_error *err);
QUIPU_CHECKED bool quipu__ovni_repair_note(struct quipu__ovni_repair *repair, const char *code, uint64_t clock,
                                           const uint8_t *payload, uint32_t len);

/* Ends the stream at hand: put gets the events that it lacks. */
enum quipu_status quipu__ovni_repair_end(struct quipu__ovni_repair *repair, quipu__ovni_put_function *put,
                                         void *context, struct quipu_error *err);

/* The metadata of a stream, completed; the caller calls json_decref. NULL when nothing says what stream it is. */
json_t *quipu__ovni_repair_metadata(struct quipu__ovni_repair *repair,
                                    const struct quipu__ovni_repaired *repaired);

#endif
