/* index.c: asking an index, and where a reader looks for the one of its trace. */
#include "index/index.h"

#include "core/error.h"
#include "index/identity.h"
#include "index/sidecar.h"

#include <zstd.h>
#include <zstd_errors.h>

/* No section is larger, so a damaged one cannot ask for more. */
#define SECTION_MOST ((unsigned long long)64 << 20)

/* ---- Beginning and end ---- */

/* The number of the first substream of each stream among all substreams. */
enum quipu_status quipu__index_number_substreams(struct quipu__index *index, const struct quipu__trace *trace,
                                                 struct quipu_error *err) {
    const size_t bytes = (trace->streams.count + 1) * sizeof *index->first_substreams;
    index->first_substreams = quipu__alloc(index->memory, bytes);
    if (!index->first_substreams)
        return quipu__no_memory(err, bytes);
    index->stream_count = (uint32_t)trace->streams.count;
    index->first_substreams[0] = 0;
    for (uint32_t i = 0; i < index->stream_count; i++)
        index->first_substreams[i + 1] = index->first_substreams[i] + trace->streams.items[i].substreams;
    return QUIPU_OK;
}

void quipu__index_init(struct quipu__index *index, const struct quipu__trace *trace) {
    *index = (struct quipu__index){.memory = trace->memory};
    quipu__buffer_init(&index->bytes, trace->memory, 0);
}

void quipu__index_release(struct quipu__index *index) {
    if (index->first_substreams)
        quipu__release(index->memory, index->first_substreams,
                       ((size_t)index->stream_count + 1) * sizeof *index->first_substreams);
    QUIPU__VEC_RELEASE(index->memory, &index->times);
    QUIPU__VEC_RELEASE(index->memory, &index->entries);
    quipu__buffer_release(&index->bytes);
    index->first_substreams = NULL;
}

/* ---- Asking ---- */

static bool has_name(const struct quipu__slice *slice, const char *name) {
    const size_t len = strlen(name);
    return quipu__slice_left(slice) == len && memcmp(slice->at, name, len) == 0;
}

static const struct quipu__index_entry *find_entry(const struct quipu__index *index, const char *name,
                                                   uint32_t stream, uint32_t substream, uint32_t point) {
    uint32_t section = 0;
    while (section < index->section_count && !has_name(&index->names[section], name))
        section++;
    if (section == index->section_count ||
        substream >= index->first_substreams[stream + 1] - index->first_substreams[stream])
        return NULL;
    const size_t number = index->first_substreams[stream] + substream;
    const struct quipu__index_entry *entry =
        &index->entries.items[(number * index->times.count + point) * index->section_count + section];
    return entry->offset == QUIPU_NONE ? NULL : entry;
}

static enum quipu_status unpack(const uint8_t *data, size_t size, struct quipu__buffer *room,
                                struct quipu__slice *out, struct quipu_error *err) {
    const unsigned long long wanted = ZSTD_getFrameContentSize(data, size);
    if (wanted > SECTION_MOST)
        return quipu__fail(err, QUIPU_CORRUPT, "a section of the index cannot be unpacked");
    room->len = 0;
    room->failed = false;
    uint8_t *to = quipu__buffer_room(room, (size_t)wanted + 1); /* never NULL, not even for nothing */
    if (!to)
        return quipu__no_memory(err, (size_t)wanted);
    const size_t got = ZSTD_decompress(to, (size_t)wanted, data, size);
    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return quipu__no_memory(err, size);
    if (ZSTD_isError(got) || got != wanted)
        return quipu__fail(err, QUIPU_CORRUPT, "a section of the index cannot be unpacked");
    *out = quipu__slice_of(to, got);
    return QUIPU_OK;
}

enum quipu_status quipu__index_section(const struct quipu__index *index, const char *name, uint32_t stream,
                                       uint32_t substream, uint32_t point, struct quipu__buffer *room,
                                       struct quipu__slice *out, struct quipu_error *err) {
    const struct quipu__index_entry *entry = find_entry(index, name, stream, substream, point);
    *out = quipu__slice_of(NULL, 0);
    if (!entry)
        return QUIPU_OK;
    const uint8_t *data = index->bytes.data + index->data + entry->offset;
    if (entry->is_packed)
        return unpack(data, entry->size, room, out, err);
    *out = quipu__slice_of(data, entry->size);
    return QUIPU_OK;
}

enum quipu_status quipu__index_resume(const struct quipu__index *index, struct quipu__pass *pass,
                                      struct quipu_error *err) {
    const struct quipu__format *format = pass->trace->format;
    uint32_t point = quipu__index_find(index, pass->filter->from);
    struct quipu__buffer room;
    struct quipu__slice bytes = {0};
    enum quipu_status status = QUIPU_OK;
    if (point == QUIPU_NONE || !format->resuming)
        return QUIPU_OK;
    quipu__buffer_init(&room, pass->trace->memory, 0);
    do /* the latest one where something was saved */
        status = quipu__index_section(index, QUIPU__INDEX_RESUME, pass->stream, pass->substream, point, &room,
                                      &bytes, err);
    while (status == QUIPU_OK && quipu__slice_left(&bytes) == 0 && point-- > 0);
    if (status == QUIPU_OK && quipu__slice_left(&bytes) > 0)
        status = format->resuming->resume(pass, bytes, err);
    quipu__buffer_release(&room);
    return status;
}

/* ---- Beside a trace ---- */

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
    if (sidecar->is_there || sidecar->is_loaded)
        quipu__index_release(&sidecar->index);
    sidecar->is_there = sidecar->is_loaded = false;
}

static void report(const struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                   struct quipu_findings *opening_findings, enum quipu__index_answer answer, const char *why) {
    if (answer == QUIPU__INDEX_MISSING && !sidecar->is_named)
        return;
    quipu__index_report(opening_findings, answer, sidecar->path, why);
    quipu__index_report(trace->findings, answer, sidecar->path, why);
}

/* ---- Looking ---- */

static enum quipu__index_answer load_at(struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                        const char *path, bool is_open, struct quipu_error *why) {
    quipu__index_init(&sidecar->index, trace);
    enum quipu__index_answer answer = quipu__index_load(&sidecar->index, trace, path, is_open, why);
    if (answer == QUIPU__INDEX_FITS && is_open)
        answer = quipu__index_read_tables(&sidecar->index, trace, why);
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
static bool find_elsewhere(struct quipu__sidecar *sidecar, const struct quipu__trace *trace, bool is_open) {
    for (size_t i = 0; i <= FILES_TRIED; i++) {
        const char *path = i == 0 ? sidecar->folder_path : path_beside_file(sidecar, trace, i - 1);
        if (path && load_at(sidecar, trace, path, is_open, NULL) == QUIPU__INDEX_FITS) {
            sidecar->path = path;
            return true;
        }
    }
    return false;
}

static enum quipu__index_answer look(struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                     bool is_open, struct quipu_error *why) {
    const enum quipu__index_answer answer = load_at(sidecar, trace, sidecar->path, is_open, why);
    const bool is_elsewhere =
        answer == QUIPU__INDEX_MISSING && !sidecar->is_named && find_elsewhere(sidecar, trace, is_open);
    return is_elsewhere ? QUIPU__INDEX_FITS : answer;
}

/* As quipu__index_section. */
static enum quipu_status survey_of(const struct quipu__index *index, struct quipu__buffer *room,
                                   struct quipu__slice *out, struct quipu_error *err) {
    *out = index->survey;
    return out->at && index->is_survey_packed
               ? unpack(index->survey.at, quipu__slice_left(&index->survey), room, out, err)
               : QUIPU_OK;
}

enum quipu_status quipu__sidecar_survey(struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                        struct quipu__buffer *room, struct quipu__slice *out,
                                        struct quipu_error *err) {
    *out = quipu__slice_of(NULL, 0);
    if (!sidecar->is_wanted || trace->options->verify_index || trace->bytes_total == QUIPU_UNKNOWN)
        return QUIPU_OK;
    sidecar->is_loaded = look(sidecar, trace, false, NULL) == QUIPU__INDEX_FITS;
    return sidecar->is_loaded ? survey_of(&sidecar->index, room, out, err) : QUIPU_OK;
}

/* What was loaded is read now that the trace is open. */
static enum quipu__index_answer read_loaded(struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                            struct quipu_error *why) {
    const enum quipu__index_answer answer = quipu__index_read_tables(&sidecar->index, trace, why);
    sidecar->is_loaded = false;
    if (answer != QUIPU__INDEX_FITS)
        quipu__index_release(&sidecar->index);
    return answer;
}

const struct quipu__index *quipu__sidecar_index(struct quipu__sidecar *sidecar,
                                                const struct quipu__trace *trace,
                                                struct quipu_findings *opening_findings) {
    struct quipu_error why = QUIPU_ERROR_INIT;
    if (sidecar->is_sought || !sidecar->is_wanted)
        return sidecar->is_there ? &sidecar->index : NULL;
    sidecar->is_sought = true;
    sidecar->answer = sidecar->is_loaded ? read_loaded(sidecar, trace, &why) : look(sidecar, trace, true, &why);
    sidecar->is_there = sidecar->answer == QUIPU__INDEX_FITS;
    if (sidecar->is_there)
        return &sidecar->index;
    report(sidecar, trace, opening_findings, sidecar->answer, why.message);
    return NULL;
}

void quipu__sidecar_refuse(struct quipu__sidecar *sidecar, struct quipu__trace *trace,
                           struct quipu_findings *opening_findings, const char *why) {
    trace->index = NULL;
    sidecar->answer = QUIPU__INDEX_DAMAGED;
    quipu__sidecar_release(sidecar);
    report(sidecar, trace, opening_findings, QUIPU__INDEX_DAMAGED, why);
}
