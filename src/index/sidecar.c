/* sidecar.c: see sidecar.h. */
#include "index/sidecar.h"

#include "index/identity.h"

/* Beside a file or folder: the slashes at its end do not belong to its name. */
static const char *path_beside(struct quipu__arena *arena, const char *trace_path) {
    static const char suffix[] = ".qpx";
    size_t len = strlen(trace_path);
    if (strcmp(trace_path, "-") == 0)
        return "";
    while (len > 1 && trace_path[len - 1] == '/')
        len--;
    char *path = quipu__arena_alloc(arena, len + sizeof suffix);
    if (path) {
        memcpy(path, trace_path, len);
        memcpy(path + len, suffix, sizeof suffix);
    }
    return path;
}

/* The folder that a file lies in, as text in the arena; NULL for the current one. */
static const char *folder_of(struct quipu__arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash > path ? quipu__arena_text(arena, path, (size_t)(slash - path)) : NULL;
}

bool quipu__sidecar_init(struct quipu__sidecar *sidecar, struct quipu__arena *arena, const char *trace_path,
                         const char *named) {
    sidecar->arena = arena;
    sidecar->is_named = named && named[0];
    sidecar->path =
        sidecar->is_named ? quipu__arena_text(arena, named, strlen(named)) : path_beside(arena, trace_path);
    sidecar->is_wanted = (!named || named[0]) && sidecar->path && sidecar->path[0];
    const char *folder = sidecar->path && !named ? folder_of(arena, sidecar->path) : NULL;
    sidecar->folder_path = folder ? path_beside(arena, folder) : NULL;
    return sidecar->path != NULL;
}

void quipu__sidecar_release(struct quipu__sidecar *sidecar) {
    if (sidecar->is_there)
        quipu__index_release(&sidecar->index);
    sidecar->is_there = false;
}

static void report(const struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                   struct quipu_findings *opening_findings, enum quipu__index_answer answer, const char *why) {
    if (answer == QUIPU__INDEX_MISSING && !sidecar->is_named)
        return;
    quipu__index_report(opening_findings, answer, sidecar->path, why);
    quipu__index_report(trace->findings, answer, sidecar->path, why);
}

/* ---- Looking ---- */

static enum quipu__index_answer read_at(struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                        const char *path, struct quipu_error *why) {
    enum quipu__index_answer answer = QUIPU__INDEX_UNREADABLE;
    if (quipu__index_init(&sidecar->index, trace, why) == QUIPU_OK)
        answer = quipu__index_read(&sidecar->index, trace, path, why);
    sidecar->index.path = path;
    if (answer != QUIPU__INDEX_FITS)
        quipu__index_release(&sidecar->index);
    return answer;
}

/* Files of a trace that may have given its index their name; of many only the first are tried. */
#define FILES_TRIED 16

static const char *path_beside_file(const struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                    size_t number) {
    const char *file = quipu__identity_file(trace, number);
    return file ? path_beside(sidecar->arena, file) : NULL;
}

/* The same trace may be opened by its folder or by any of its files: the index may be beside each of them. It is that of the
 * trace when it fits, whatever it is called. */
static bool find_elsewhere(struct quipu__sidecar *sidecar, const struct quipu__trace *trace) {
    for (size_t i = 0; i <= FILES_TRIED; i++) {
        const char *path = i == 0 ? sidecar->folder_path : path_beside_file(sidecar, trace, i - 1);
        if (path && read_at(sidecar, trace, path, NULL) == QUIPU__INDEX_FITS) {
            sidecar->path = path;
            return true;
        }
    }
    return false;
}

const struct quipu__index *quipu__sidecar_index(struct quipu__sidecar *sidecar,
                                                const struct quipu__trace *trace,
                                                struct quipu_findings *opening_findings) {
    struct quipu_error why = QUIPU_ERROR_INIT;
    if (sidecar->is_sought || !sidecar->is_wanted)
        return sidecar->is_there ? &sidecar->index : NULL;
    sidecar->is_sought = true;
    enum quipu__index_answer answer = read_at(sidecar, trace, sidecar->path, &why);
    if (answer == QUIPU__INDEX_MISSING && !sidecar->is_named && find_elsewhere(sidecar, trace))
        answer = QUIPU__INDEX_FITS;
    sidecar->answer = answer;
    sidecar->is_there = answer == QUIPU__INDEX_FITS;
    if (sidecar->is_there)
        return &sidecar->index;
    report(sidecar, trace, opening_findings, answer, why.message);
    return NULL;
}

void quipu__sidecar_refuse(struct quipu__sidecar *sidecar, struct quipu__trace *trace,
                           struct quipu_findings *opening_findings, const char *why) {
    trace->index = NULL;
    sidecar->answer = QUIPU__INDEX_DAMAGED;
    quipu__sidecar_release(sidecar);
    report(sidecar, trace, opening_findings, QUIPU__INDEX_DAMAGED, why);
}
