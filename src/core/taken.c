/* taken.c: see taken.h. Entries of the same hash are a chain; a name is the identity of its folder and its last part, a file
 * has an empty name. */
#include "core/taken.h"

#include "core/text.h"

#include <string.h>
#include <unistd.h>

void quipu__taken_init(struct quipu__taken *taken, struct quipu__memory *memory) {
    *taken = (struct quipu__taken){.memory = memory};
    quipu__arena_init(&taken->arena, memory);
    quipu__map_init(&taken->map, memory);
}

void quipu__taken_release(struct quipu__taken *taken) {
    QUIPU__VEC_RELEASE(taken->memory, &taken->entries);
    quipu__map_release(&taken->map);
    quipu__arena_release(&taken->arena);
}

static uint64_t hash_of(const struct quipu__taken *taken, const struct quipu__identity *identity,
                        const char *name) {
    const uint64_t seed = quipu__hash(identity, sizeof *identity, taken->map.seed);
    return quipu__hash(name, strlen(name), seed);
}

static bool has(const struct quipu__taken *taken, const struct quipu__identity *identity, const char *name) {
    uint32_t index = quipu__map_get(&taken->map, hash_of(taken, identity, name));
    for (; index != QUIPU_NONE; index = taken->entries.items[index].older) {
        const struct quipu__taken_entry *entry = &taken->entries.items[index];
        if (entry->identity.device == identity->device && entry->identity.inode == identity->inode &&
            strcmp(entry->name, name) == 0)
            return true;
    }
    return false;
}

static bool add(struct quipu__taken *taken, const struct quipu__identity *identity, const char *name) {
    if (has(taken, identity, name))
        return true;
    const char *copy = quipu__arena_text(&taken->arena, name, strlen(name));
    struct quipu__taken_entry *entry = copy ? QUIPU__VEC_ADD(taken->memory, &taken->entries) : NULL;
    if (!entry)
        return false;
    const uint64_t hash = hash_of(taken, identity, name);
    *entry = (struct quipu__taken_entry){*identity, copy, quipu__map_get(&taken->map, hash)};
    return quipu__map_put(&taken->map, hash, (uint32_t)(taken->entries.count - 1));
}

bool quipu__taken_add_file(struct quipu__taken *taken, const char *path) {
    struct quipu__identity identity;
    return quipu__path_kind(path, NULL) != QUIPU__PATH_FILE || !quipu__path_identity(path, &identity) ||
           add(taken, &identity, "");
}

bool quipu__taken_has_file(const struct quipu__taken *taken, const char *path) {
    struct quipu__identity identity;
    const bool is_there = strcmp(path, "-") == 0 ? quipu__os_identity(STDOUT_FILENO, &identity)
                                                 : quipu__path_identity(path, &identity);
    return is_there && has(taken, &identity, "");
}

/* The identity of the folder of a path. False when there is none; then nothing can be written there either. */
static bool folder_identity(const char *path, struct quipu__identity *out) {
    char folder[4096];
    const size_t len = (size_t)(quipu__base_name(path) - path);
    if (len >= sizeof folder)
        return false;
    memcpy(folder, len > 0 ? path : ".", len > 0 ? len : 1);
    folder[len > 0 ? len : 1] = '\0';
    return quipu__path_identity(folder, out);
}

bool quipu__taken_add_name(struct quipu__taken *taken, const char *path) {
    struct quipu__identity folder;
    return !folder_identity(path, &folder) || add(taken, &folder, quipu__base_name(path));
}

bool quipu__taken_has_name(const struct quipu__taken *taken, const char *path) {
    struct quipu__identity folder;
    return taken->entries.count > 0 && folder_identity(path, &folder) &&
           has(taken, &folder, quipu__base_name(path));
}
