/* repair.h: completing the trace of a killed program while its records are copied: what threads leave open ends, and metadata say what a
 * program says when it finishes. */
#ifndef QUIPU_OVNI_REPAIR_H
#define QUIPU_OVNI_REPAIR_H

#include "formats/ovni/closing.h"
#include "formats/ovni/edits.h"
#include "formats/ovni/format.h"

/* A stream whose records were copied. */
struct quipu__ovni_repaired {
    uint32_t stream;
    bool uses[QUIPU__OVNI_MODEL_COUNT + 1];
    bool is_copied;
    int64_t cpu_most; /* the highest index of a CPU that was used */
    int64_t offset;   /* of the loom's clock */
    json_t *metadata; /* completed */
    struct quipu__ovni_edits edits;
};

struct quipu__ovni_repair {
    const struct quipu__ovni_trace *source;
    struct quipu__repairing *repairing;
    struct quipu__memory *memory;
    struct quipu__ovni_closing closing;              /* of the stream at hand */
    QUIPU__VEC(struct quipu__ovni_repaired) streams; /* all of the source */
    struct quipu__ovni_repaired *current;            /* that is copied; NULL: none yet */
    struct quipu__charge charge;                     /* for the metadata, which are copied */
    struct quipu__buffer offsets; /* has_bad_offsets: what the table of clock offsets becomes */
    bool has_bad_offsets;
    bool is_starved; /* memory did not suffice for some metadata */
};

/* Goes through the source before it is copied: completes metadata, and finds out which events the emulation refuses with them. */
enum quipu_status quipu__ovni_repair_new(struct quipu__ovni_repair **out,
                                         const struct quipu__ovni_trace *source,
                                         struct quipu__repairing *repairing, struct quipu__memory *memory,
                                         struct quipu_error *err);
void quipu__ovni_repair_free(struct quipu__ovni_repair *repair);

enum quipu_status quipu__ovni_repair_begin(struct quipu__ovni_repair *repair, uint32_t stream,
                                           struct quipu_error *err);

/* The next event of the stream at hand: corrects its clock. False when it is left out. */
bool quipu__ovni_repair_edit(struct quipu__ovni_repair *repair, uint64_t offset, uint64_t *clock);
QUIPU_CHECKED bool quipu__ovni_repair_note(struct quipu__ovni_repair *repair, const char *code, uint64_t clock,
                                           const uint8_t *payload, uint32_t len);

/* Ends the stream at hand: put gets the events that it lacks. */
enum quipu_status quipu__ovni_repair_end(struct quipu__ovni_repair *repair, quipu__ovni_put_function *put,
                                         void *context, struct quipu_error *err);

/* A finding of what repair has done. */
void quipu__ovni_repair_find(struct quipu__ovni_repair *repair, const char *file, const char *field,
                             const char *format, uint64_t number);

/* The source with the metadata as they are completed so far; who keeps it stays where it is. */
struct quipu__ovni_whole {
    struct quipu__memory *memory;
    struct quipu__ovni_files files;
    struct quipu__ovni_system system;
    struct quipu__ovni_stream *streams; /* in bytes */
    size_t bytes;
    struct quipu_findings *findings; /* never looked at */
};

enum quipu_status quipu__ovni_whole_open(struct quipu__ovni_whole *whole,
                                         const struct quipu__ovni_repair *repair, struct quipu_error *err);
void quipu__ovni_whole_close(struct quipu__ovni_whole *whole);

/* Completes the metadata of all streams (repair_metadata.c) so that they do not contradict each other (repair_agreement.c), and finds the
 * events that are refused (repair_events.c). */
enum quipu_status quipu__ovni_repair_metadata(struct quipu__ovni_repair *repair, struct quipu_error *err);
enum quipu_status quipu__ovni_repair_agree(struct quipu__ovni_repair *repair, struct quipu_error *err);
enum quipu_status quipu__ovni_repair_scan(struct quipu__ovni_repair *repair, struct quipu_error *err);
enum quipu_status quipu__ovni_repair_try(struct quipu__ovni_repair *repair, struct quipu_error *err);

#endif
