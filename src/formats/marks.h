/* marks.h: what analyses have found, as slices on tracks of their own and flows between them, for targets that draw. */
#ifndef QUIPU_FORMATS_MARKS_H
#define QUIPU_FORMATS_MARKS_H

#include "core/memory/vec.h"

#include <stdint.h>

/* A track at a location, whose slices follow each other. */
struct quipu__mark_track {
    const char *name;
    uint32_t location;
    uint32_t next;   /* of the same name and location; QUIPU_NONE: none */
    int64_t reached; /* until when it is taken, ns */
};

/* A slice. A flow is a number that two slices share: of the one that it leaves at its end, and of the one that it reaches. */
struct quipu__mark {
    int64_t from, to; /* ns */
    const char *name;
    const char *peer; /* name of the location that matters besides; NULL: none */
    uint32_t track;
    uint64_t flow_out, flow_in; /* 0: none */
    bool is_reached_at_end;     /* by its flow, else at its beginning */
};

struct quipu__marks {
    QUIPU__VEC(struct quipu__mark_track) tracks;
    QUIPU__VEC(struct quipu__mark) items; /* a slice that a flow leaves is before the one that it reaches */
};

#endif
