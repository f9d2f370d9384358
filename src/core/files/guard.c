/* guard.c: what outputs must not replace, and what a signal that ends the program removes.
 *
 * Protected are files, identified by device and inode, so it does not matter by which path or link they are reached, and names that
 * other outputs will have, identified by their folder and last component. Both are stored as 64-bit hashes with a secret seed, so
 * two of them agreeing by chance is not a concern. */
#include "core/error.h"
#include "core/os.h"
#include "core/files/output_set.h"
#include "core/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint64_t hash_of(const struct quipu__map *taken, const struct quipu__identity *identity,
                        const char *name) {
    return quipu__hash(name, strlen(name), quipu__hash(identity, sizeof *identity, taken->seed));
}

static bool has(const struct quipu__map *taken, const struct quipu__identity *identity, const char *name) {
    return quipu__map_get(taken, hash_of(taken, identity, name)) != QUIPU_NONE;
}

bool quipu__taken_add_file(struct quipu__map *taken, const char *path) {
    struct quipu__identity identity;
    return !quipu__path_identity(path, &identity) || !identity.is_file ||
           quipu__map_put(taken, hash_of(taken, &identity, ""), 0);
}

bool quipu__taken_has_file(const struct quipu__map *taken, const char *path) {
    struct quipu__identity identity;
    const bool is_there = strcmp(path, "-") == 0 ? quipu__os_identity(STDOUT_FILENO, &identity)
                                                 : quipu__path_identity(path, &identity);
    return is_there && has(taken, &identity, "");
}

/* The identity of the folder of a path. False when it does not exist; then nothing can be written there either. */
static bool folder_identity(const char *path, struct quipu__identity *out) {
    char folder[4096];
    const size_t len = (size_t)(quipu__base_name(path) - path);
    if (len >= sizeof folder)
        return false;
    memcpy(folder, len > 0 ? path : ".", len > 0 ? len : 1);
    folder[len > 0 ? len : 1] = '\0';
    return quipu__path_identity(folder, out);
}

bool quipu__taken_set_name(struct quipu__map *taken, const char *path, bool is_taken) {
    struct quipu__identity folder;
    if (!folder_identity(path, &folder))
        return true;
    const uint64_t hash = hash_of(taken, &folder, quipu__base_name(path));
    if (is_taken)
        return quipu__map_put(taken, hash, 0);
    quipu__map_remove(taken, hash);
    return true;
}

bool quipu__taken_has_name(const struct quipu__map *taken, const char *path) {
    struct quipu__identity folder;
    return taken->count > 0 && folder_identity(path, &folder) && has(taken, &folder, quipu__base_name(path));
}

enum quipu_status quipu_guard_new(struct quipu_guard **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu_guard *guard = quipu__alloc_zero(&memory, sizeof *guard);
    *out = guard;
    if (!guard)
        return quipu__no_memory(err, sizeof *guard);
    guard->memory = memory;
    quipu__map_init(&guard->taken, &guard->memory);
    return QUIPU_OK;
}

void quipu_guard_free(struct quipu_guard *guard) {
    if (!guard)
        return;
    quipu__map_release(&guard->taken);
    struct quipu__memory memory = guard->memory;
    quipu__release(&memory, guard, sizeof *guard);
}

enum quipu_status quipu_guard_protect(struct quipu_guard *guard, const char *path, struct quipu_error *err) {
    return quipu__taken_add_file(&guard->taken, path) ? QUIPU_OK : quipu__no_memory(err, sizeof *path);
}

/* ---- Outputs that are under way ---- */

void quipu__guard_begin(struct quipu_guard *guard, struct quipu__temporaries *set) {
    if (!guard)
        return;
    set->next = atomic_load(&guard->sets);
    atomic_store(&guard->sets, set);
}

void quipu__guard_end(struct quipu_guard *guard, const struct quipu__temporaries *set) {
    struct quipu__temporaries *before = guard ? atomic_load(&guard->sets) : NULL;
    if (before == set && before)
        atomic_store(&guard->sets, set->next);
    while (before && before->next != set)
        before = before->next;
    if (before)
        before->next = set->next;
}

void quipu__guard_complete(struct quipu_guard *guard, bool is_begin) {
    if (guard)
        atomic_fetch_add(&guard->completing, is_begin ? 1 : -1);
}

void quipu__temporaries_add(struct quipu__temporaries *set, struct quipu__temporary *temporary) {
    temporary->next = atomic_load(&set->first);
    atomic_store(&set->first, temporary);
}

static void remove_all(const struct quipu_guard *guard, bool is_folder) {
    for (const struct quipu__temporaries *set = atomic_load(&guard->sets); set; set = set->next)
        for (const struct quipu__temporary *each = atomic_load(&set->first); each; each = each->next)
            if (each->path && each->is_folder == is_folder)
                is_folder ? rmdir(each->path) : unlink(each->path);
}

/* A folder that was made comes after its contents in the list; if it contains something else, it stays. */
bool quipu_guard_remove_temporaries(struct quipu_guard *guard) {
    const int reason = errno;
    if (atomic_load(&guard->completing) > 0)
        return false;
    remove_all(guard, false);
    remove_all(guard, true);
    errno = reason;
    return true;
}
