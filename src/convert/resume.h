/* resume.h: what is active at a time, from the latest snapshot before it instead of all records before it. */
#ifndef QUIPU_CONVERT_RESUME_H
#define QUIPU_CONVERT_RESUME_H

#include "convert/record_tracker.h"
#include "trace/reader.h"

/* Finds the latest time up to a time, both as in the files, at which there is a snapshot that can be relied upon, and
 * fills the tracker, which must be empty, with what it says: all that records before found could say. QUIPU_END, and the
 * state stays empty, when there is none. To be called between passes. */
enum quipu_status quipu__resume(struct quipu__record_tracker *records, struct quipu_reader *reader,
                                uint64_t until, uint64_t *found, struct quipu_error *err);

#endif
