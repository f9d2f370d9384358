/* event.c: what the numbers of events stand for. kinds.def says which columns a kind has and what their numbers refer to. */
#include "model/event.h"

#include <quipu/model.h>

#include <string.h>

int64_t quipu_event_get(const struct quipu_event *event, enum quipu_column column) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        return (int64_t)event->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
    return 0;
}

const char *quipu_key_name(const struct quipu_definitions *definitions, uint32_t key) {
    if (key == QUIPU_KEY_TEXT)
        return "text";
    if (key == QUIPU_KEY_SOURCE)
        return "source";
    return key < definitions->attribute_keys.count ? definitions->attribute_keys.items[key].name : "unknown";
}

/* The lists of definitions that fields refer to by number. */
#define LISTS(LIST)                                                                                            \
    LIST(LOCATION, locations)                                                                                  \
    LIST(REGION, regions)                                                                                      \
    LIST(GROUP, groups)                                                                                        \
    LIST(FILE, files)                                                                                          \
    LIST(METRIC, metrics)                                                                                      \
    LIST(MARKER, markers)                                                                                      \
    LIST(CHANNEL, channels)                                                                                    \
    LIST(TASK_TYPE, task_types)

const char *quipu__name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint64_t number) {
    switch (refers) {
#define LIST(what, plural)                                                                                     \
    case QUIPU_REFERS_##what:                                                                                  \
        return number < definitions->plural.count ? definitions->plural.items[number].name : NULL;
        LISTS(LIST)
#undef LIST
    case QUIPU_REFERS_IO_OPERATION:
    case QUIPU_REFERS_COLLECTIVE:
    case QUIPU_REFERS_RMA_OPERATION:
    case QUIPU_REFERS_STATISTIC:
        return quipu_operation_name(refers, (uint32_t)number);
    default:
        return NULL;
    }
}

uint64_t quipu__native_id_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                             uint64_t number) {
    switch (refers) {
#define LIST(what, plural)                                                                                     \
    case QUIPU_REFERS_##what:                                                                                  \
        return number < definitions->plural.count ? definitions->plural.items[number].native_id : QUIPU_UNKNOWN;
        LISTS(LIST)
#undef LIST
    default:
        return QUIPU_UNKNOWN;
    }
}

uint64_t quipu__count_of(const struct quipu_definitions *definitions, enum quipu_refers refers) {
    switch (refers) {
#define LIST(what, plural)                                                                                     \
    case QUIPU_REFERS_##what:                                                                                  \
        return definitions->plural.count;
        LISTS(LIST)
#undef LIST
    case QUIPU_REFERS_IO_OPERATION:
        return QUIPU_IO_COUNT;
    case QUIPU_REFERS_COLLECTIVE:
        return QUIPU_COLLECTIVE_COUNT;
    case QUIPU_REFERS_RMA_OPERATION:
        return QUIPU_RMA_COUNT;
    case QUIPU_REFERS_STATISTIC:
        return QUIPU_STATISTIC_COUNT;
    default:
        return QUIPU_UNKNOWN;
    }
}

uint32_t quipu__location_above(const struct quipu_definitions *definitions, uint32_t location,
                               enum quipu_location_kind kind) {
    const struct quipu_locations *locations = &definitions->locations;
    for (int depth = 0; depth < QUIPU__LOCATIONS_DEEP_MOST && location < locations->count; depth++) {
        if (locations->items[location].kind == kind)
            return location;
        location = locations->items[location].parent;
    }
    return QUIPU_NONE;
}

uint32_t quipu__process_of(const struct quipu_definitions *definitions, uint32_t location) {
    const uint32_t process = quipu__location_above(definitions, location, QUIPU_LOCATION_PROCESS);
    return process == QUIPU_NONE ? location : process;
}

bool quipu__is_unknown(enum quipu_column column, uint64_t number) {
    static const uint8_t widths[] = {
#define QUIPU_COLUMN(name, c_type, doc) sizeof(c_type),
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    };
    return number == (widths[column] == 4 ? QUIPU_NONE : QUIPU_UNKNOWN);
}

static const char *const role_texts[] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
};

const char *quipu__region_role_text(enum quipu_region_role role) {
    return (unsigned)role < QUIPU_REGION_ROLE_COUNT ? role_texts[role] : NULL;
}

enum quipu_region_role quipu__region_role_find(const char *text) {
    unsigned role = 0;
    while (role < QUIPU_REGION_ROLE_COUNT && strcmp(role_texts[role], text) != 0)
        role++;
    return (enum quipu_region_role)role;
}
