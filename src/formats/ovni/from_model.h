/* from_model.h: events of any trace on their way into streams: shared by from_model.c and related files. */
#ifndef QUIPU_OVNI_FROM_MODEL_H
#define QUIPU_OVNI_FROM_MODEL_H

#include "formats/ovni/closing.h"
#include "formats/ovni/model_events.h"
#include "formats/ovni/writer.h"

#include "core/memory/map.h"

#define QUIPU__OVNI_REGION_MARK 0
#define QUIPU__OVNI_CHANNEL_MARKS 1 /* the first type */

/* A location that has events. */
struct quipu__ovni_written_thread {
    struct quipu__ovni_writer *writer;
    struct quipu__ovni_out out;
    struct quipu__ovni_closing closing;
    uint32_t location, loom;
    int64_t pid, tid, rank;
    const char *folder;
    bool has_started, has_events;
    uint8_t values[QUIPU__OVNI_CHANNEL_COUNT]; /* of channels that hold one value: 0, none */
    QUIPU__VEC(uint32_t) regions;              /* entered regions */
};

struct quipu__ovni_written_loom {
    uint32_t node; /* location, or QUIPU_NONE */
    const char *name;
    bool has_cpus; /* listed in the metadata of a thread */
};

struct quipu__ovni_written_cpu {
    uint32_t next; /* CPU of the same node, or QUIPU_NONE */
    int32_t index; /* in its node; -1: no CPU, or a virtual one */
};

struct quipu__ovni_event_writer {
    struct quipu__ovni_writer *writer;
    const struct quipu_definitions *definitions;
    struct quipu__ovni_dictionary dictionary;
    QUIPU__VEC(struct quipu__ovni_written_thread *) threads; /* by location; NULL: none */
    QUIPU__VEC(struct quipu__ovni_written_loom) looms;
    struct quipu__map loom_of; /* by node, and whether its processes lack a rank that others have */
    struct quipu__map folders; /* folders in use, by hash of their names */
    QUIPU__VEC(struct quipu__ovni_written_cpu) cpus; /* by location */
    struct quipu__map first_cpu, last_cpu;           /* by node: locations */
    struct quipu__map ranked_nodes;                  /* nodes with ranks among the examined locations */
    size_t ranked_count;                             /* number of examined locations */
    int64_t rank_count;
    QUIPU__VEC(uint32_t) region_rows; /* by region, row of its push + 1; 0: not looked up, QUIPU_NONE: a mark */
    QUIPU__VEC(uint8_t) is_region_used;
    QUIPU__VEC(uint8_t) channel_marks; /* by channel: type of its marks, 0: none */
    uint8_t next_mark;
    bool uses[QUIPU__OVNI_MODEL_COUNT];
    bool has_model_events;
    bool has_roles; /* of regions that are marks: marks give only their names */
    QUIPU__VEC(uint8_t) is_referred[QUIPU__OVNI_CLASSES]; /* by number: events of the model refer to it */
    int64_t shift; /* to add to nanoseconds to get clocks, which are not negative */
    bool has_shift;
    uint64_t first_clock; /* of the first event of the trace */
    bool has_events;
};

/* Makes sure that a list has an element of that number. */
#define QUIPU__OVNI_HAS_ROOM(events, list, number)                                                             \
    ((events)->list.count > (number) ||                                                                        \
     (QUIPU__VEC_RESERVE((events)->writer->memory, &(events)->list, (number) + 1 - (events)->list.count) &&    \
      ((events)->list.count = (number) + 1) > 0))

static inline const struct quipu_location *quipu__ovni_location_at(
    const struct quipu__ovni_event_writer *events, uint32_t number) {
    return number < events->definitions->locations.count ? &events->definitions->locations.items[number] : NULL;
}

static inline const struct quipu_channel *quipu__ovni_channel_at(const struct quipu__ovni_event_writer *events,
                                                                 uint32_t number) {
    return number < events->definitions->channels.count ? &events->definitions->channels.items[number] : NULL;
}

/* ---- thread_assignment.c ---- */

/* The location, or its nearest ancestor, of a kind; QUIPU_NONE when there is none. */
uint32_t quipu__ovni_find_above(const struct quipu__ovni_event_writer *events, uint32_t number,
                                enum quipu_location_kind kind);

/* The process of a location; a location without one is its own process. */
const struct quipu_location *quipu__ovni_process_of(const struct quipu__ovni_event_writer *events,
                                                    uint32_t location);

/* Finds the loom of a thread whose location is known, its process, numbers and folder; false when memory is out. */
QUIPU_CHECKED bool quipu__ovni_assign_thread(struct quipu__ovni_event_writer *events,
                                             struct quipu__ovni_written_thread *thread);

/* Lists the CPUs of nodes that have been defined so far; false when memory is out. */
QUIPU_CHECKED bool quipu__ovni_list_cpus(struct quipu__ovni_event_writer *events);

/* The index of a CPU in its loom; -1 for the virtual one, and for CPUs of others. */
int32_t quipu__ovni_cpu_index(const struct quipu__ovni_event_writer *events, uint32_t cpu, uint32_t node);

/* The CPUs of a loom: those that are known, or one. */
json_t *quipu__ovni_cpus_of(const struct quipu__ovni_event_writer *events, uint32_t node, bool *is_starved);

/* ---- metadata_writer.c ---- */

/* The metadata of a stream; NULL when memory is out. */
json_t *quipu__ovni_metadata_of(struct quipu__ovni_event_writer *events,
                                const struct quipu__ovni_written_thread *thread, bool is_first);

/* ---- model_writer.c ---- */

/* Notes the definitions that an event of the model refers to; false when memory is out. */
QUIPU_CHECKED bool quipu__ovni_refer_fields(struct quipu__ovni_event_writer *events,
                                            const struct quipu_event *event);

/* Adds what readers need for events of the model: each stream's process and location, and definitions in the first
 * stream. */
void quipu__ovni_set_model(struct quipu__ovni_event_writer *events,
                           const struct quipu__ovni_written_thread *thread, bool is_first, json_t *quipu,
                           bool *is_starved);

#endif
