/* stream_assignment.h: copied records in another number of streams: which output stream a process goes to. As otfmerge does it, the
 * processes in the order of the input's master control file are distributed in consecutive blocks over the streams 1 to n;
 * the first blocks have one process more when the number does not divide. */
#ifndef QUIPU_OTF_STREAM_ASSIGNMENT_H
#define QUIPU_OTF_STREAM_ASSIGNMENT_H

#include "core/memory/buffer.h"
#include "core/memory/vec.h"
#include "formats/otf/records.h"
#include "model/define.h"

struct quipu__otf_assignment {
    struct quipu__memory *memory;
    QUIPU__VEC(uint64_t) mapping; /* stream above, process below: first of the input, then of the output */
    struct quipu__tokens streams; /* process -> output stream */
    uint32_t stream_count;        /* 0 before the processes are distributed */
};

void quipu__otf_assignment_init(struct quipu__otf_assignment *assignment, struct quipu__memory *memory);
void quipu__otf_assignment_release(struct quipu__otf_assignment *assignment);

/* Takes in a line of the input's master control file; false when memory is out. */
QUIPU_CHECKED bool quipu__otf_assignment_add(struct quipu__otf_assignment *assignment,
                                             const struct quipu__otf_MasterStream *line);

/* Distributes the processes over that many streams at most. Without a master control file they are those of the
 * definitions, which may be NULL. False when memory is out. */
QUIPU_CHECKED bool quipu__otf_distribute(struct quipu__otf_assignment *assignment, uint32_t streams,
                                         const struct quipu_definitions *definitions);

/* The output stream of a process. One that the master control file does not name goes to the last stream, and into the
 * new one. 0 when memory is out. */
uint32_t quipu__otf_assign_unknown(struct quipu__otf_assignment *assignment, uint32_t process);
static inline uint32_t quipu__otf_assigned_stream(struct quipu__otf_assignment *assignment, uint32_t process) {
    const uint32_t known = quipu__tokens_get(&assignment->streams, process);
    return QUIPU__LIKELY(known != QUIPU_NONE) ? known : quipu__otf_assign_unknown(assignment, process);
}

/* Sorts a mapping: pairs of stream (upper half) and process. */
void quipu__otf_sort_mapping(uint64_t *mapping, size_t count);

/* Writes a mapping, streams ascending, as the lines of a master control file. */
void quipu__otf_put_mapping(struct quipu__buffer *out, const uint64_t *mapping, size_t count);

#endif
