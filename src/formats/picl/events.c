/* events.c: the rows of events.def as arrays, and questions to them. */
#include "formats/picl/events.h"

#include <string.h>

#define EVENT(number, name, command, kinds, entry, exit, volume, mapping, operation, role, doc)
#define SUBSET(number, name, first, last, doc)

/* A row of zeros ends each array, so that layouts without fields have one too. */
#define LAYOUT(layout, reduced) static const struct quipu__picl_event_field fields_of_##layout[] = {
#define FIELD(layout, name, meaning) {#name, QUIPU__PICL_##meaning},
#define END(layout)                                                                                            \
    { NULL, QUIPU__PICL_NUMBER }                                                                               \
    }                                                                                                          \
    ;
#include "core/bisect.h"
#include "formats/picl/events.def"
#undef LAYOUT
#undef FIELD
#undef END

enum {
#define LAYOUT(layout, reduced) LAYOUT_##layout,
#define FIELD(layout, name, meaning)
#define END(layout)
#include "formats/picl/events.def"
#undef LAYOUT
    LAYOUT_COUNT
};

static const struct quipu__picl_layout layouts[LAYOUT_COUNT] = {
#define LAYOUT(layout, reduced)                                                                                \
    {fields_of_##layout, (int)(sizeof fields_of_##layout / sizeof *fields_of_##layout) - 1, reduced,           \
     LAYOUT_##layout != LAYOUT_unknown},
#include "formats/picl/events.def"
#undef LAYOUT
#undef EVENT
};

#define LAYOUT(layout, reduced)
#define EVENT(number, name, command, kinds, entry, exit, volume, mapping, operation, role, doc)                \
    {number,                                                                                                   \
     name,                                                                                                     \
     command,                                                                                                  \
     QUIPU__PICL_WRITES_##kinds,                                                                               \
     &layouts[LAYOUT_##entry],                                                                                 \
     &layouts[LAYOUT_##exit],                                                                                  \
     QUIPU__PICL_VOLUME_##volume,                                                                              \
     QUIPU__PICL_MAPPING_##mapping,                                                                            \
     QUIPU_COLLECTIVE_##operation,                                                                             \
     QUIPU_REGION_##role,                                                                                      \
     doc},
const struct quipu__picl_event quipu__picl_events[] = {
#include "formats/picl/events.def"
};
const size_t quipu__picl_event_count = sizeof quipu__picl_events / sizeof *quipu__picl_events;
#undef EVENT
#undef SUBSET

/* Rows are in descending order of their numbers. */
const struct quipu__picl_event *quipu__picl_event_of(int64_t number) {
    size_t first = 0;
    QUIPU__BISECT(first, quipu__picl_event_count, i, quipu__picl_events[i].number > number);
    const bool is_there = first < quipu__picl_event_count && quipu__picl_events[first].number == number;
    return is_there ? &quipu__picl_events[first] : NULL;
}

const struct quipu__picl_event *quipu__picl_event_of_command(const char *command) {
    for (size_t i = 0; i < quipu__picl_event_count; i++)
        if (quipu__picl_events[i].command[0] && strcmp(quipu__picl_events[i].command, command) == 0)
            return &quipu__picl_events[i];
    return NULL;
}

const struct quipu__picl_event *quipu__picl_event_of_collective(enum quipu_collective operation) {
    static const int16_t numbers[QUIPU_COLLECTIVE_COUNT] = {
        [QUIPU_COLLECTIVE_BARRIER] = -402,    [QUIPU_COLLECTIVE_BCAST] = -785,
        [QUIPU_COLLECTIVE_GATHER] = -786,     [QUIPU_COLLECTIVE_GATHERV] = -786,
        [QUIPU_COLLECTIVE_SCATTER] = -793,    [QUIPU_COLLECTIVE_SCATTERV] = -793,
        [QUIPU_COLLECTIVE_ALLGATHER] = -780,  [QUIPU_COLLECTIVE_ALLGATHERV] = -780,
        [QUIPU_COLLECTIVE_ALLTOALL] = -783,   [QUIPU_COLLECTIVE_ALLTOALLV] = -783,
        [QUIPU_COLLECTIVE_ALLTOALLW] = -783,  [QUIPU_COLLECTIVE_REDUCE] = -790,
        [QUIPU_COLLECTIVE_ALLREDUCE] = -782,  [QUIPU_COLLECTIVE_REDUCE_SCATTER] = -791,
        [QUIPU_COLLECTIVE_SCAN] = -792,       [QUIPU_COLLECTIVE_EXSCAN] = -792,
        [QUIPU_COLLECTIVE_ONE_TO_ALL] = -785, [QUIPU_COLLECTIVE_ALL_TO_ONE] = -790,
        [QUIPU_COLLECTIVE_ALL_TO_ALL] = -782,
    };
    return (unsigned)operation < QUIPU_COLLECTIVE_COUNT ? quipu__picl_event_of(numbers[operation]) : NULL;
}

static const struct {
    int64_t number;
    const char *name;
    int64_t first, last;
} subsets[] = {
#define EVENT(number, name, command, kinds, entry, exit, volume, mapping, operation, role, doc)
#define SUBSET(number, name, first, last, doc) {number, name, first, last},
#include "formats/picl/events.def"
};

const char *quipu__picl_subset_name(int64_t number) {
    for (size_t i = 0; i < sizeof subsets / sizeof *subsets; i++)
        if (subsets[i].number == number)
            return subsets[i].name;
    return NULL;
}

bool quipu__picl_subset_contains(int64_t subset, int64_t event) {
    for (size_t i = 0; i < sizeof subsets / sizeof *subsets; i++)
        if (subsets[i].number == subset && event <= subsets[i].first && event >= subsets[i].last)
            return true;
    return false;
}

int quipu__picl_field_index(const struct quipu__picl_layout *layout, enum quipu__picl_meaning meaning) {
    for (int i = 0; i < layout->count; i++)
        if (layout->fields[i].meaning == meaning)
            return i;
    return -1;
}

const struct quipu__picl_layout *quipu__picl_layout_of_peer(const struct quipu__picl_event *row,
                                                            int64_t record_type) {
    if (quipu__picl_sends(row->mapping))
        return record_type == QUIPU__PICL_ENTRY ? row->entry : NULL;
    const bool receives =
        row->mapping == QUIPU__PICL_MAPPING_RECEIVE || row->mapping == QUIPU__PICL_MAPPING_RECEIVE_DONE;
    return receives && record_type == QUIPU__PICL_EXIT ? row->exit : NULL;
}

const struct quipu__picl_layout *quipu__picl_collective_entry(const struct quipu__picl_event *row,
                                                              bool is_ours) {
    return row->entry->is_public || !is_ours ? row->entry : &layouts[LAYOUT_rooted];
}

const struct quipu__picl_layout *quipu__picl_send_exit(const struct quipu__picl_event *row, bool is_ours) {
    return row->exit->is_public || !is_ours ? row->exit : &layouts[LAYOUT_send_request];
}

static bool has_characters(const struct quipu__picl_layout *layout) {
    return layout->count > 0 && layout->fields[0].meaning == QUIPU__PICL_TEXT;
}

int quipu__picl_fields_most(const struct quipu__picl_event *event, int64_t record_type) {
    const struct quipu__picl_layout *entry = event->entry, *exit = event->exit;
    const bool has_entry = record_type != QUIPU__PICL_EXIT, has_exit = record_type != QUIPU__PICL_ENTRY;
    if (event->kinds == QUIPU__PICL_WRITES_PRESUMED || event->kinds == QUIPU__PICL_WRITES_NEVER)
        return -1;
    if ((has_entry && (!entry->is_public || has_characters(entry))) || (has_exit && !exit->is_public))
        return -1;
    return (has_entry ? entry->count : 0) + (has_exit ? exit->count : 0);
}
