/* system.h: the system that a trace was recorded on: looms, processes, threads and CPUs, from the metadata of its streams, in
 * the order in which outputs number them; and the rules for metadata. */
#ifndef QUIPU_OVNI_SYSTEM_H
#define QUIPU_OVNI_SYSTEM_H

#include "core/memory/map.h"
#include "formats/ovni/files.h"

struct quipu__ovni_cpu {
    int64_t index, phyid; /* -1: the virtual one */
    uint32_t loom;
    const char *name; /* " CPU 0.4" as in Paraver's rows */
};

/* A type of tasks: the label as Paraver shows it, and the label's number. */
struct quipu__ovni_type {
    const char *label;
    uint32_t id, number;
    uint8_t model;
};

struct quipu__ovni_process {
    int64_t pid, app_id, rank, rank_count;
    bool has_rank;
    uint32_t loom;
    uint32_t number; /* among all, in order */
};

struct quipu__ovni_loom {
    const char *name;
    size_t host_len; /* up to the first dot */
    int64_t rank;    /* the lowest of its processes */
    bool has_rank, lacks_rank;
    int64_t offset; /* of its clock */
    bool has_offset;
    uint32_t first_cpu, cpu_count; /* including the virtual one, which is last */
    uint32_t *cpu_of_index;        /* number of a CPU by its index in the loom */
};

struct quipu__ovni_thread {
    int64_t tid;
    uint32_t process, loom;
    uint32_t stream;
};

enum quipu__ovni_mark_kind { QUIPU__OVNI_MARK_NONE, QUIPU__OVNI_MARK_SINGLE, QUIPU__OVNI_MARK_STACK };

struct quipu__ovni_label {
    int64_t value;
    const char *text;
};
struct quipu__ovni_mark {
    uint8_t kind; /* enum quipu__ovni_mark_kind */
    const char *title;
    QUIPU__VEC(struct quipu__ovni_label) labels; /* in the order of their appearance */
    struct quipu__map label_of;                  /* number in the list, by value */
};

struct quipu__ovni_system {
    struct quipu__ovni_files *files;
    struct quipu__memory *memory;
    struct quipu__arena arena;
    bool is_broken; /* metadata contradict each other, so events cannot be emulated */
    uint64_t errors;
    QUIPU__VEC(struct quipu__ovni_loom) looms; /* in order */
    QUIPU__VEC(struct quipu__ovni_process) processes;
    QUIPU__VEC(struct quipu__ovni_thread) threads;
    QUIPU__VEC(struct quipu__ovni_cpu) cpus;
    uint32_t physical_cpus;
    uint32_t *thread_of; /* by stream; QUIPU_NONE: not of a thread */
    bool is_enabled[QUIPU__OVNI_MODEL_COUNT];
    bool sorts_by_rank;
    uint32_t offset_count;        /* entries in the table of clock offsets */
    uint32_t offset_faults;       /* and what is wrong with it */
    const char *library, *commit; /* of the first thread */
    struct quipu__ovni_mark marks[QUIPU__OVNI_MARK_TYPES];
    uint8_t mark_order[QUIPU__OVNI_MARK_TYPES]; /* types in the order of their appearance */
    uint32_t mark_count;
    uint32_t region_mark; /* the type, plus 1, of the stack of marks that are regions; 0: none */
    const char *counters[QUIPU__OVNI_COUNTERS_MOST];
    uint32_t counter_count;
    bool can_break_down; /* by nOS-V's states */
};

struct quipu__ovni_system_options {
    const char *offsets;   /* the table to use; NULL: that of the trace, if there is one */
    bool enables_all;      /* models */
    bool breaks_down;      /* requires what breakdowns need */
    bool is_lenient;       /* with traces of older layouts */
    bool keeps_unfinished; /* an unfinished thread is not an error */
    bool has_all_streams;  /* a stream without a file of events will have one */
};

/* Breaking a rule is a finding. Fails when memory is out, or when a requested table is missing. */
enum quipu_status quipu__ovni_system_open(struct quipu__ovni_system *system, struct quipu__ovni_files *files,
                                          const struct quipu__ovni_system_options *options,
                                          struct quipu_error *err);
void quipu__ovni_system_close(struct quipu__ovni_system *system);

/* Whether a finding by the rule is an error. */
static inline bool quipu__ovni_is_error(enum quipu__ovni_rule rule) {
    return quipu__ovni_rules[rule].severity >= QUIPU_DATA_LOSS;
}

/* Removes definitions of marks that are invalid, or differ from those of the first stream; returns how many. */
uint64_t quipu__ovni_correct_marks(const struct quipu__ovni_system *system, json_t *marks);

/* Whether a version of a model that a stream requires is one that the emulator has. */
bool quipu__ovni_supports(uint32_t model, const char *wanted);

#endif
