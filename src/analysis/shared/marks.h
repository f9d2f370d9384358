/* marks.h: waits and the critical path as marks in a drawing of the trace. */
#ifndef QUIPU_ANALYSIS_SHARED_MARKS_H
#define QUIPU_ANALYSIS_SHARED_MARKS_H

#include "analysis/shared/located.h"
#include "formats/descriptor.h"

#include <quipu/analysis.h>

/* Answers and the marks that are made from them, whose texts are those of the answers. */
struct quipu__mark_search {
    struct quipu__memory *memory;
    struct quipu__marks marks;
    struct quipu_tables *waits, *path; /* NULL: not asked for */
    struct quipu__located located;
    struct quipu__map track_of;
    const struct quipu_selection
        *selection; /* marks outside of its times and locations are left out; NULL: all */
    uint64_t flows;
};

/* Finds what a list such as "waits,critical-path" names. QUIPU_MISUSE when it names something else. Release in any case. */
enum quipu_status quipu__marks_find(struct quipu__mark_search *search, struct quipu_reader *reader,
                                    const char *list, struct quipu_error *err);
void quipu__marks_release(struct quipu__mark_search *search);

#endif
