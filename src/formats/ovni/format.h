/* format.h: an open ovni trace: its streams, the system that it was recorded on, and what its events become in the model. */
#ifndef QUIPU_OVNI_FORMAT_H
#define QUIPU_OVNI_FORMAT_H

#include "formats/descriptor.h"
#include "formats/ovni/emulation.h"
#include "formats/ovni/model_events.h"
#include "formats/ovni/records.h"
#include "model/reorder.h"

/* Properties of a stream. */
struct quipu__ovni_extent {
    int64_t disorder; /* the farthest that clocks go back, in regions of late events */
    bool is_big;      /* order of its bytes */
};

/* A type of tasks in the model. */
struct quipu__ovni_task_type {
    uint64_t key;                /* quipu__ovni_task_key of its number */
    uint32_t definition, region; /* task type; region of its bodies */
};

struct quipu__ovni_trace {
    struct quipu__trace *trace;
    struct quipu__memory *memory;
    struct quipu__ovni_files files;
    struct quipu__ovni_system system;
    bool has_files, has_system;
    struct quipu__ovni_dictionary dictionary;
    struct quipu__arena arena;
    int64_t origin; /* the earliest corrected clock */
    struct quipu__ovni_extent *extents;

    /* Definitions. */
    uint32_t *thread_locations, *cpu_locations, *process_locations;
    uint32_t state_channel;
    uint32_t channels[QUIPU__OVNI_CHANNEL_COUNT];
    uint32_t mark_channels[QUIPU__OVNI_MARK_TYPES];
    struct quipu__map mark_regions; /* by value of the marks that are regions */
    struct quipu__map references;   /* definitions that events of the model refer to (model_events.h) */
    bool has_model_events;
    uint32_t old_channels[2]; /* of the models that had the letters T and M before 1.1.0 */
    uint32_t metrics[QUIPU__OVNI_COUNTERS_MOST];
    uint32_t *regions; /* by row of events.def: the region that it enters or leaves, or its marker */
    uint32_t other_marker;
    uint32_t creator_key, tag_key, payload_key;

    /* Tasks of all processes: quipu__ovni_task_key. */
    struct quipu__map types, tasks; /* number in the list; type of a task */
    QUIPU__VEC(struct quipu__ovni_task_type) type_list;
    uint64_t task_bases[QUIPU__OVNI_TASKINGS]; /* added to numbers of tasks, so that those of models differ */
};

static inline struct quipu__ovni_trace *quipu__ovni_of(const struct quipu__trace *trace) {
    return trace->own;
}

static inline uint64_t quipu__ovni_task_key(uint32_t process, unsigned tasking, uint32_t id) {
    return ((uint64_t)process << 2 | tasking) << 32 | id;
}

static inline unsigned quipu__ovni_tasking_of_key(uint64_t key) {
    return (unsigned)(key >> 32) & 3;
}

/* Which of the models with tasks a model is. */
unsigned quipu__ovni_tasking_of(uint32_t model);

/* Makes the definitions, for which all streams are read (define.c). */
extern const struct quipu__survey quipu__ovni_survey;

/* Definitions of the model in metadata (model_definitions.c), and what a number in the payload of an event of the model refers to;
 * QUIPU_NONE: nothing that is defined. */
void quipu__ovni_load_definitions(struct quipu__ovni_trace *own);
uint32_t quipu__ovni_refer(const struct quipu__ovni_trace *own, enum quipu__ovni_class definition_class,
                           uint64_t number);

/* ---- Passes ---- */

struct quipu__ovni_pass {
    struct quipu__pass common;
    struct quipu__ovni_walk walk;
    struct quipu__ovni_event event;
    struct quipu__scratch scratch;
    union quipu__ovni_record_any record;
    struct quipu__reorder reorder; /* of streams whose clocks go back */
    int64_t watermark;
    uint32_t thread, location;
    uint32_t process; /* number */
    int64_t offset;   /* to add to the file's clocks to get times of the model */
    int64_t before;   /* the previous clock, as a time */
    bool has_started, has_event, is_drained, is_in_region;
    bool has_old_models;
};

enum quipu_status quipu__ovni_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                        struct quipu_error *err);
void quipu__ovni_pass_close(struct quipu__pass *common);
enum quipu_status quipu__ovni_next_record(struct quipu__pass *common, struct quipu_record *out,
                                          struct quipu_error *err);
enum quipu_status quipu__ovni_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                         struct quipu_error *err);
extern const struct quipu__resuming quipu__ovni_resuming;

/* Adds the events that the current one makes (to_model.c); the batch has room for QUIPU__OVNI_EVENTS_MOST. */
#define QUIPU__OVNI_EVENTS_MOST (QUIPU__OVNI_COUNTERS_MOST + 4)
void quipu__ovni_make(struct quipu__ovni_pass *pass, struct quipu__batch *batch);

const struct quipu__mapping *quipu__ovni_mapping(uint32_t type);

/* The rules of the emulation, over all streams (check.c). */
enum quipu_status quipu__ovni_check(struct quipu__trace *trace, struct quipu_error *err);

#define QUIPU__OVNI_OPTION_LAYOUT "layout"

#endif
