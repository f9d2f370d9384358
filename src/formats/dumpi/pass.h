/* pass.h: one pass over the file of a rank: for its records, or for the events of one of its threads. */
#ifndef QUIPU_DUMPI_PASS_H
#define QUIPU_DUMPI_PASS_H

#include "formats/dumpi/format.h"

/* A section, or the index, and its offset. */
struct quipu__dumpi_section_offset {
    uint32_t type;
    uint64_t offset;
};
struct quipu__dumpi_section_offsets {
    struct quipu__dumpi_section_offset items[QUIPU__DUMPI_SECTION_COUNT + 1];
    size_t count;
};

/* Most that one record of unknown bytes holds. */
#define QUIPU__DUMPI_GAP_BYTES ((uint64_t)1 << 20)

enum quipu__dumpi_step_of_pass {
    QUIPU__DUMPI_STEP_HEAD,
    QUIPU__DUMPI_STEP_BEGIN,
    QUIPU__DUMPI_STEP_CALLS,
    QUIPU__DUMPI_STEP_SECTIONS
};

struct quipu__dumpi_events; /* to_model.c */

struct quipu__dumpi_pass {
    struct quipu__pass common;
    struct quipu__dumpi_walk walk;
    /* Records: what comes next. */
    enum quipu__dumpi_step_of_pass step;
    struct quipu__dumpi_section_offsets offsets;
    size_t next_section;
    uint64_t section_at; /* byte after what was delivered */
    /* Events. */
    struct quipu__dumpi_events *events;
};

enum quipu_status quipu__dumpi_events_new(struct quipu__dumpi_pass *pass, struct quipu_error *err);
void quipu__dumpi_events_free(struct quipu__dumpi_pass *pass);

/* Counts all records except calls, after the last call: a pass over events counts what one over records would.
 * QUIPU_END, or a failure. */
enum quipu_status quipu__dumpi_count_rest(struct quipu__dumpi_pass *pass, struct quipu_error *err);

#endif
