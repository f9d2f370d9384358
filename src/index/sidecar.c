/* sidecar.c: see sidecar.h. */
#include "index/sidecar.h"

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

bool quipu__sidecar_init(struct quipu__sidecar *sidecar, struct quipu__arena *arena, const char *trace_path,
                         const char *named) {
    sidecar->is_named = named && named[0];
    sidecar->path =
        sidecar->is_named ? quipu__arena_text(arena, named, strlen(named)) : path_beside(arena, trace_path);
    sidecar->is_wanted = (!named || named[0]) && sidecar->path && sidecar->path[0];
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

const struct quipu__index *quipu__sidecar_index(struct quipu__sidecar *sidecar,
                                                const struct quipu__trace *trace,
                                                struct quipu_findings *opening_findings) {
    struct quipu_error why = QUIPU_ERROR_INIT;
    enum quipu__index_answer answer = QUIPU__INDEX_UNREADABLE;
    if (sidecar->is_sought || !sidecar->is_wanted)
        return sidecar->is_there ? &sidecar->index : NULL;
    sidecar->is_sought = true;
    if (quipu__index_init(&sidecar->index, trace, &why) == QUIPU_OK)
        answer = quipu__index_read(&sidecar->index, trace, sidecar->path, &why);
    sidecar->index.path = sidecar->path;
    sidecar->answer = answer;
    sidecar->is_there = answer == QUIPU__INDEX_FITS;
    if (sidecar->is_there)
        return &sidecar->index;
    quipu__index_release(&sidecar->index);
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
