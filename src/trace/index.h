/* index.h: the sidecar index of a trace: what is known at some times, its points, so that reading and analyses can begin
 * there and need not go over what was before.
 *
 * For each lane and each point there are sections. "resume" is what a pass must know to go on there (pass_save); the
 * others are named by the analyses that are kept ("profile 1": name and version) and say what they know of the lane's
 * events before that time. Sections whose names nobody knows do no harm.
 *
 * An index is made for one state of the trace's files and is not used for another. What is compared are the things that
 * quipu__index_identify lists: sizes and samples of files, not all their bytes.
 */
#ifndef QUIPU_TRACE_INDEX_H
#define QUIPU_TRACE_INDEX_H

#include "formats/descriptor.h"

struct quipu__index;

/* Number of the latest point at or before a time; QUIPU_NONE when there is none, or no index (NULL). */
uint32_t quipu__index_find(const struct quipu__index *index, int64_t time);

/* The time of a point: its sections tell what was before. */
int64_t quipu__index_time(const struct quipu__index *index, uint32_t point);

/* True when no event of the trace comes at or after that point. */
bool quipu__index_is_end(const struct quipu__index *index, uint32_t point);

/* What a section says of a lane at a point: out->at is NULL when there is none of that name. The bytes are borrowed
 * from the index or from room, which the caller has initialised and may use for the next one; so several threads may ask
 * at the same time. They come from a file and are not trusted. */
enum quipu_status quipu__index_section(const struct quipu__index *index, const char *name, uint32_t stream,
                                       uint32_t lane, uint32_t point, struct quipu__buffer *room,
                                       struct quipu__slice *out, struct quipu_error *err);

#endif
