/* taken.h: what an output must not replace: files, known by device and inode, so that it does not matter by which path or link
 * one gets there; and names that other outputs will have, known by their folder and last part. */
#ifndef QUIPU_CORE_TAKEN_H
#define QUIPU_CORE_TAKEN_H

#include "core/map.h"
#include "core/memory.h"
#include "core/os.h"
#include "core/vec.h"

struct quipu__taken_entry {
    struct quipu__identity identity;
    const char *name;
    uint32_t older; /* of the same hash, or QUIPU_NONE */
};

struct quipu__taken {
    struct quipu__memory *memory;
    struct quipu__arena arena;
    struct quipu__map map; /* hash -> the newest entry */
    QUIPU__VEC(struct quipu__taken_entry) entries;
};

void quipu__taken_init(struct quipu__taken *taken, struct quipu__memory *memory);
void quipu__taken_release(struct quipu__taken *taken);

/* Adds the regular file at path, if there is one. False when memory is out. */
bool quipu__taken_add_file(struct quipu__taken *taken, const char *path);

/* Whether the file at path was added: "-" is standard output. */
bool quipu__taken_has_file(const struct quipu__taken *taken, const char *path);

/* Adds a name that need not lead to anything yet. False when memory is out. */
bool quipu__taken_add_name(struct quipu__taken *taken, const char *path);
bool quipu__taken_has_name(const struct quipu__taken *taken, const char *path);

#endif
