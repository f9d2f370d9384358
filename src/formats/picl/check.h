/* check.h: what checking keeps, shared by the rules of the new format, of the old one, and of ParaGraph. */
#ifndef QUIPU_PICL_CHECK_H
#define QUIPU_PICL_CHECK_H

#include "formats/picl/format.h"
#include "formats/picl/statistics.h"

struct quipu__picl_checked_process {
    struct quipu__picl_statistics statistics;
    int64_t time; /* of the last record */
    bool has_time, has_started, is_tracing;
    bool has_reported_time, has_reported_before, has_reported_outside;
};

/* One pair of a statistics record. */
struct quipu__picl_written {
    uint32_t process;
    int64_t record_type, event, relative_to;
    double value;
    uint64_t byte;
};

struct quipu__picl_checking {
    struct quipu__picl_trace *own;
    struct quipu__memory *memory;
    struct quipu__picl_record record;
    struct quipu__picl_checked_process *processes;
    QUIPU__VEC(int64_t) watched, sets;            /* events and sets that statistics are about */
    QUIPU__VEC(struct quipu__picl_written) later; /* statistics that did not agree where they stand */
    bool has_host;
};

/* old_check.c */
enum quipu_status quipu__picl_check_old(struct quipu__picl_trace *own, struct quipu_error *err);

#endif
