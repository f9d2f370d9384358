/* spool.c: see input_state.h. */
#include "core/files/input_state.h"

#include "core/error.h"
#include "core/os.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct quipu__spool *quipu__spool_new(struct quipu__memory *memory, uint64_t limit) {
    struct quipu__spool *spool = quipu__alloc_zero(memory, sizeof *spool);
    if (!spool)
        return NULL;
    spool->memory = memory;
    spool->fd = -1;
    spool->limit = limit;
    spool->lock = quipu__lock_new();
    quipu__arena_init(&spool->arena, memory);
    quipu__map_init(&spool->map, memory);
    if (spool->lock)
        return spool;
    quipu__spool_free(spool);
    return NULL;
}

void quipu__spool_free(struct quipu__spool *spool) {
    if (!spool)
        return;
    if (spool->fd >= 0)
        quipu__os_close(spool->fd);
    quipu__lock_free(spool->lock);
    QUIPU__VEC_RELEASE(spool->memory, &spool->copies);
    quipu__map_release(&spool->map);
    quipu__arena_release(&spool->arena);
    quipu__release(spool->memory, spool, sizeof *spool);
}

/* ---- Copies ---- */

static uint64_t hash_of(const struct quipu__spool *spool, const char *path, bool is_decoded) {
    return quipu__hash(path, strlen(path), spool->map.seed) ^ is_decoded;
}

uint32_t quipu__spool_find(const struct quipu__spool *spool, const char *path, bool is_decoded) {
    uint32_t found = quipu__map_get(&spool->map, hash_of(spool, path, is_decoded));
    while (found != QUIPU_NONE && (spool->copies.items[found].is_decoded != is_decoded ||
                                   strcmp(spool->copies.items[found].path, path) != 0))
        found = spool->copies.items[found].older;
    return found;
}

static uint64_t end_of(const struct quipu__spool *spool) {
    const size_t count = spool->copies.count;
    return count ? spool->copies.items[count - 1].offset + spool->copies.items[count - 1].size : 0;
}

uint32_t quipu__spool_begin(struct quipu__spool *spool, const char *path, bool is_decoded) {
    const uint64_t offset = end_of(spool), hash = hash_of(spool, path, is_decoded);
    const char *text = quipu__arena_text(&spool->arena, path, strlen(path));
    if (!(text && QUIPU__VEC_PUT(spool->memory, &spool->copies,
                                 (struct quipu__copy){.path = text,
                                                      .is_decoded = is_decoded,
                                                      .offset = offset,
                                                      .older = quipu__map_get(&spool->map, hash)})))
        return QUIPU_NONE;
    const uint32_t number = (uint32_t)(spool->copies.count - 1);
    return quipu__map_put(&spool->map, hash, number) ? number : QUIPU_NONE;
}

/* ---- The file ---- */

static enum quipu_status fail(const struct quipu__spool *spool, const char *what, int reason,
                              struct quipu_error *err) {
    const struct quipu__copy *copy = &spool->copies.items[spool->copies.count - 1];
    if (reason)
        quipu__fail_errno(err, QUIPU_LIMIT, reason, "the temporary file in %s %s", spool->folder, what);
    else
        quipu__fail(err, QUIPU_LIMIT, "the temporary file in %s %s %" PRIu64 " bytes", spool->folder, what,
                    spool->limit);
    quipu__at(err, copy->path, copy->size);
    quipu__advise(err, strcmp(copy->path, "-") == 0
                           ? "set TMPDIR to a folder with more space"
                           : "decompress the trace, or set TMPDIR to a folder with more space");
    return QUIPU_LIMIT;
}

static enum quipu_status make_file(struct quipu__spool *spool, struct quipu_error *err) {
    spool->fd = quipu__os_open_temporary(&spool->folder);
    if (spool->fd < 0)
        return fail(spool, "cannot be made", errno, err);
    if (spool->limit == 0)
        spool->limit = quipu__os_free_bytes(spool->fd) / 2;
    return QUIPU_OK;
}

enum quipu_status quipu__spool_add(struct quipu__spool *spool, const void *data, size_t size,
                                   struct quipu_error *err) {
    const enum quipu_status status = spool->fd >= 0 || size == 0 ? QUIPU_OK : make_file(spool, err);
    if (status != QUIPU_OK || size == 0)
        return status;
    const uint64_t end = end_of(spool);
    if (end >= spool->limit || size > spool->limit - end)
        return fail(spool, "would need more than", 0, err);
    if (!quipu__os_write_at(spool->fd, data, size, end))
        return fail(spool, "cannot be written", errno, err);
    spool->copies.items[spool->copies.count - 1].size += size;
    return QUIPU_OK;
}

int64_t quipu__spool_read(const struct quipu__spool *spool, const struct quipu__copy *copy, uint64_t offset,
                          void *data, size_t size) {
    if (offset >= copy->size)
        return 0;
    const uint64_t left = copy->size - offset;
    return quipu__os_read_at(spool->fd, data, size < left ? size : (size_t)left, copy->offset + offset);
}
