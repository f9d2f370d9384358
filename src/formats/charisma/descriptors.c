/* descriptors.c: descriptors of files. Requests name a descriptor only; events of other formats name a handle, a file, or both. */
#include "formats/charisma/from_model.h"

uint64_t quipu__charisma_key_of(const struct quipu__map *map, uint32_t location, bool is_file,
                                uint64_t number) {
    const uint64_t words[2] = {(uint64_t)location << 1 | is_file, number};
    return quipu__hash(words, sizeof words, map->seed);
}

static bool is_handle(uint64_t handle) {
    return handle != QUIPU_UNKNOWN && handle != QUIPU_NONE;
}

int64_t quipu__charisma_descriptor_at(const struct quipu__charisma_events *events, uint32_t location,
                                      uint64_t handle, uint32_t file) {
    const struct quipu__map *map = &events->descriptors;
    uint32_t found = is_handle(handle)
                         ? quipu__map_get(map, quipu__charisma_key_of(map, location, false, handle))
                         : QUIPU_NONE;
    if (found == QUIPU_NONE && file != QUIPU_NONE)
        found = quipu__map_get(map, quipu__charisma_key_of(map, location, true, file));
    return found == QUIPU_NONE ? -1 : (int64_t)found;
}

int64_t quipu__charisma_descriptor_of(const struct quipu__charisma_events *events, uint32_t location,
                                      uint64_t handle, uint32_t file) {
    const int64_t own = quipu__charisma_descriptor_at(events, location, handle, file);
    const uint32_t application = events->locations[location].application;
    return own >= 0 || application == QUIPU_NONE
               ? own
               : quipu__charisma_descriptor_at(events, application, handle, file);
}

/* The position of a descriptor, 0 at first; NULL when memory is out. */
static int64_t *position_of(struct quipu__charisma_events *events, uint32_t location, int64_t descriptor) {
    struct quipu__map *map = &events->position_numbers;
    const uint64_t key = quipu__charisma_key_of(map, location, false, (uint64_t)descriptor);
    const uint32_t known = quipu__map_get(map, key);
    if (known != QUIPU_NONE)
        return &events->positions.items[known];
    int64_t *position = QUIPU__VEC_ADD(events->writer->memory, &events->positions);
    return position && quipu__map_put(map, key, (uint32_t)events->positions.count - 1) ? position : NULL;
}

bool quipu__charisma_set_offset(struct quipu__charisma_events *events, struct quipu__charisma_item *item) {
    const bool opens = item->type == QUIPU__CHARISMA_TYPE_client_open;
    if (!opens && (item->type != QUIPU__CHARISMA_TYPE_rw || item->has_offset))
        return true;
    int64_t *position = position_of(events, item->location, item->descriptor);
    if (!position)
        return false;
    if (!opens)
        item->first = *position;
    *position = opens ? 0 : (int64_t)((uint64_t)*position + (uint64_t)item->second);
    return true;
}

static int64_t new_descriptor(struct quipu__charisma_events *events) {
    const int64_t descriptor = events->next_descriptor++;
    if (events->next_descriptor > QUIPU__CHARISMA_DESCRIPTORS_MOST)
        events->next_descriptor = QUIPU__CHARISMA_FIRST_DESCRIPTOR;
    return descriptor;
}

bool quipu__charisma_set_open(struct quipu__charisma_events *events, struct quipu__charisma_item *item,
                              uint64_t handle, uint32_t file) {
    struct quipu__map *map = &events->descriptors;
    const uint32_t location = item->location;
    item->type = events->locations[location].is_application ? QUIPU__CHARISMA_TYPE_app_open
                                                            : QUIPU__CHARISMA_TYPE_client_open;
    item->descriptor = handle > QUIPU__CHARISMA_DESCRIPTORS_MOST ? new_descriptor(events) : (int64_t)handle;
    item->file = file;
    item->flags = QUIPU__CHARISMA_OPEN_READ_WRITE;
    const uint32_t value = (uint32_t)item->descriptor;
    return (!is_handle(handle) ||
            quipu__map_put(map, quipu__charisma_key_of(map, location, false, handle), value)) &&
           quipu__map_put(map, quipu__charisma_key_of(map, location, true, file), value);
}

struct quipu__charisma_item *quipu__charisma_open_file(struct quipu__charisma_events *events, uint32_t location,
                                                       int64_t time, uint64_t handle, uint32_t file) {
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(events, QUIPU__CHARISMA_NO_RECORD, location, time);
    return item && quipu__charisma_set_open(events, item, handle, file) ? item : NULL;
}
