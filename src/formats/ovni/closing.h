/* closing.h: what is active at the end of a stream, and the events that end it: for traces of killed programs, and for threads that
 * other formats never end. */
#ifndef QUIPU_OVNI_CLOSING_H
#define QUIPU_OVNI_CLOSING_H

#include "formats/ovni/models.h"
#include "formats/ovni/walk.h"

#include "core/memory/vec.h"

/* A value that was pushed, or a body that runs or is paused. */
struct quipu__ovni_open {
    const struct quipu__ovni_event_row *row; /* of the event that began it */
    uint8_t payload[8];                      /* of a body */
    uint8_t payload_len;
    bool is_paused;
};

struct quipu__ovni_closing {
    struct quipu__memory *memory;
    const struct quipu__ovni_dictionary *dictionary; /* the caller's */
    uint8_t state;                                   /* enum quipu__ovni_life */
    bool is_out_of_cpu;
    uint64_t clock; /* the latest */
    QUIPU__VEC(struct quipu__ovni_open) open;
};

static inline void quipu__ovni_closing_init(struct quipu__ovni_closing *closing, struct quipu__memory *memory,
                                            const struct quipu__ovni_dictionary *dictionary) {
    *closing = (struct quipu__ovni_closing){.memory = memory, .dictionary = dictionary};
}

static inline void quipu__ovni_closing_release(struct quipu__ovni_closing *closing) {
    QUIPU__VEC_RELEASE(closing->memory, &closing->open);
}

/* Begins another stream. */
void quipu__ovni_closing_clear(struct quipu__ovni_closing *closing);

/* Takes note of an event. False when memory is out. */
QUIPU_CHECKED bool quipu__ovni_closing_note(struct quipu__ovni_closing *closing, const char *code,
                                            uint64_t clock, const uint8_t *payload, uint32_t len);

typedef enum quipu_status quipu__ovni_put_function(void *context, const char *code, uint64_t clock,
                                                   const uint8_t *payload, uint32_t len,
                                                   struct quipu_error *err);

/* These call put with every event that is missing, in order; count is how many there are. The first one is for before an event that
 * pops or ends something: the kernel puts the thread back on its CPU, and the thread runs. The second one ends the stream. */
enum quipu_status quipu__ovni_prepare_event(struct quipu__ovni_closing *closing, const char *code,
                                            uint64_t clock, quipu__ovni_put_function *put, void *context,
                                            uint64_t *count, struct quipu_error *err);
enum quipu_status quipu__ovni_close_stream(struct quipu__ovni_closing *closing, quipu__ovni_put_function *put,
                                           void *context, uint64_t *count, struct quipu_error *err);

#endif
