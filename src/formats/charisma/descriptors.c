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

struct quipu__charisma_item *quipu__charisma_open_file(struct quipu__charisma_events *events, uint32_t location,
                                                       int64_t time, uint64_t handle, uint32_t file) {
    struct quipu__map *map = &events->descriptors;
    int64_t descriptor = (int64_t)handle;
    if (handle > QUIPU__CHARISMA_DESCRIPTORS_MOST) {
        descriptor = events->next_descriptor++;
        if (events->next_descriptor > QUIPU__CHARISMA_DESCRIPTORS_MOST)
            events->next_descriptor = QUIPU__CHARISMA_FIRST_DESCRIPTOR;
    }
    const uint32_t type = events->locations[location].is_application ? QUIPU__CHARISMA_TYPE_app_open
                                                                     : QUIPU__CHARISMA_TYPE_client_open;
    struct quipu__charisma_item *item = quipu__charisma_add_item(events, type, location, time);
    if (!item ||
        (is_handle(handle) &&
         !quipu__map_put(map, quipu__charisma_key_of(map, location, false, handle), (uint32_t)descriptor)) ||
        !quipu__map_put(map, quipu__charisma_key_of(map, location, true, file), (uint32_t)descriptor))
        return NULL;
    item->file = file;
    item->descriptor = descriptor;
    item->flags = QUIPU__CHARISMA_OPEN_READ_WRITE;
    return item;
}
