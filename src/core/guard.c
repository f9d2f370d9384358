/* guard.c: see guard.h. */
#include "core/guard.h"

#include "core/error.h"
#include "core/os.h"

#include <errno.h>
#include <unistd.h>

enum quipu_status quipu_guard_new(struct quipu_guard **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu_guard *guard = quipu__alloc_zero(&memory, sizeof *guard);
    *out = guard;
    if (!guard)
        return quipu__no_memory(err, sizeof *guard);
    guard->memory = memory;
    quipu__taken_init(&guard->taken, &guard->memory);
    return QUIPU_OK;
}

void quipu_guard_free(struct quipu_guard *guard) {
    if (!guard)
        return;
    quipu__taken_release(&guard->taken);
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

/* The leader, which is last in the list, stays when another one does: the next writer of the name finds them by it. */
static void remove_files(const struct quipu__temporaries *set) {
    const struct quipu__temporary *last = NULL;
    bool is_clean = true;
    for (const struct quipu__temporary *each = atomic_load(&set->first); each; each = each->next)
        if (each->path && !each->is_folder) {
            is_clean = (!last || quipu__os_remove(last->path)) && is_clean;
            last = each;
        }
    if (last && is_clean)
        unlink(last->path);
}

static void remove_folders(const struct quipu__temporaries *set) {
    for (const struct quipu__temporary *each = atomic_load(&set->first); each; each = each->next)
        if (each->path && each->is_folder)
            rmdir(each->path);
}

/* A folder that was made is in the list behind those in it; where something else is in one, it stays. */
bool quipu_guard_remove_temporaries(struct quipu_guard *guard) {
    const int reason = errno;
    if (atomic_load(&guard->completing) > 0)
        return false;
    for (const struct quipu__temporaries *set = atomic_load(&guard->sets); set; set = set->next)
        remove_files(set);
    for (const struct quipu__temporaries *set = atomic_load(&guard->sets); set; set = set->next)
        remove_folders(set);
    errno = reason;
    return true;
}
