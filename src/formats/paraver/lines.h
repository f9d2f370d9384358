/* lines.h: the lines of Paraver's files, and the records that those of a .prv file are. */
#ifndef QUIPU_PARAVER_LINES_H
#define QUIPU_PARAVER_LINES_H

#include "core/files/input.h"
#include "core/memory/buffer.h"
#include "formats/paraver/records.h"
#include "schema/schema.h"

struct quipu__paraver_lines {
    struct quipu__input *input;
    const char *text; /* the line at hand, without its end */
    size_t len;
    uint64_t offset, number; /* of its first byte; from 1 */
    bool has_end, is_inside; /* is_inside: it is longer than any window, and what follows is the rest of it */
};

/* The next line; QUIPU_END after the last. */
enum quipu_status quipu__paraver_next_line(struct quipu__paraver_lines *lines, struct quipu_error *err);

/* A record and its type, in structs of records.def; lists and texts are in scratch. */
struct quipu__paraver_record {
    enum quipu__prv_record_type type;
    union quipu__prv_record_any any;
};

/* What a line is. */
enum quipu__paraver_decoded {
    QUIPU__PARAVER_BLANK,
    QUIPU__PARAVER_RECORD,
    QUIPU__PARAVER_DAMAGED,
    QUIPU__PARAVER_NO_MEMORY
};
enum quipu__paraver_decoded quipu__paraver_decode(const struct quipu__paraver_lines *line,
                                                  struct quipu__scratch *scratch,
                                                  struct quipu__paraver_record *out);

/* The reverse: puts the line. */
void quipu__paraver_encode(struct quipu__buffer *out, const struct quipu_record *record);

/* A task as the header describes it; all numbers from 1, node 0: not known. */
struct quipu__paraver_header_task {
    int64_t application, task, threads, node;
};

/* Goes over the tasks of the field "applications", which it may shorten: what follows them is left in *end. False when they are no list of
 * tasks, or when look says so; look may be NULL. */
bool quipu__paraver_each_task(const char *text, const char **end,
                              bool (*look)(void *context, const struct quipu__paraver_header_task *task),
                              void *context);

#endif
