/* format.c: recognising and opening DUMPI traces, and the descriptor.
 *
 * Opening goes from cheap to expensive: the files, the sections of each, the definitions that follow from them, and, only if
 * these say that there is something to find, a scan of the records. */
#include "formats/dumpi/format.h"

#include "core/error.h"
#include "core/text.h"
#include "formats/dumpi/mapping.h"
#include "formats/dumpi/metafile.h"
#include "formats/dumpi/pass.h"
#include "formats/dumpi/writer.h"

#include <stdio.h>
#include <string.h>

/* ---- Recognising ---- */

#define FILES_TO_LOOK_AT 8

/* The score from the beginning of a file in a folder. An unreadable file may well be a trace file: opening the trace then
 * reports why it cannot be read, which "does not look like it" would hide. */
static enum quipu_score probe_member(const struct quipu__probe *probe, const char *name) {
    char path[4096];
    struct quipu__input *input;
    if (snprintf(path, sizeof path, "%s/%s", probe->path, name) >= (int)sizeof path)
        return QUIPU_SCORE_NAME_ONLY;
    enum quipu_status status = quipu__input_open(probe->files, path, QUIPU__CODEC_PEEK, 8, &input, NULL);
    if (status == QUIPU_IO)
        return QUIPU_SCORE_LIKELY;
    if (status != QUIPU_OK)
        return QUIPU_SCORE_NAME_ONLY;
    status = quipu__input_more(input, 8, NULL);
    const bool has_magic =
        status == QUIPU_OK && input->end - input->at >= 8 && quipu__load_be64(input->at) == QUIPU__DUMPI_MAGIC;
    quipu__input_close(input);
    if (status == QUIPU_IO)
        return QUIPU_SCORE_LIKELY;
    return has_magic ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_NAME_ONLY;
}

/* A folder has the best score of its first trace files. */
static enum quipu_score probe_folder(const struct quipu__probe *probe) {
    unsigned looks = 0;
    enum quipu_score surest = QUIPU_SCORE_NO;
    for (size_t i = 0; i < probe->name_count && looks < FILES_TO_LOOK_AT && surest < QUIPU_SCORE_CERTAIN; i++) {
        if (!quipu__ends_with(probe->names[i], ".bin"))
            continue;
        looks++;
        const enum quipu_score score = probe_member(probe, probe->names[i]);
        surest = score > surest ? score : surest;
    }
    return surest;
}

static enum quipu_score probe(const struct quipu__probe *probe) {
    if (probe->is_directory)
        return probe_folder(probe);
    if (probe->head_len >= 8 && quipu__load_be64(probe->head) == QUIPU__DUMPI_MAGIC)
        return QUIPU_SCORE_CERTAIN;
    if (quipu__dumpi_is_metafile(probe->path, probe->head, probe->head_len))
        return QUIPU_SCORE_CERTAIN;
    return probe->head_len == 0 && quipu__ends_with(probe->path, ".bin") ? QUIPU_SCORE_NAME_ONLY
                                                                         : QUIPU_SCORE_NO;
}

/* ---- Opening ---- */

static void release_file(struct quipu__dumpi_file *file) {
    quipu__map_release(&file->regions);
    quipu__map_release(&file->sources);
}

static void release(struct quipu__dumpi_trace *own) {
    for (size_t i = 0; i < own->files.count; i++)
        release_file(&own->files.items[i]);
    quipu__map_release(&own->file_names);
    quipu__dumpi_codecs_release(&own->codecs);
    QUIPU__VEC_RELEASE(own->memory, &own->files);
    quipu__arena_release(&own->arena);
    quipu__release(own->memory, own, sizeof *own);
}

static void close_trace(struct quipu__trace *trace) {
    if (!trace->own)
        return;
    release(quipu__dumpi_of(trace));
    trace->own = NULL;
}

static enum quipu_status load_files(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    own->footers_complete = true;
    for (size_t i = 0; status == QUIPU_OK && i < own->files.count; i++) {
        struct quipu__dumpi_file *file = &own->files.items[i];
        if (!file->is_missing)
            status = quipu__dumpi_file_load(own, file, err);
        own->footers_complete = own->footers_complete && (file->has_footer || file->is_missing);
    }
    return status;
}

/* A file without header is assumed to have the version of the first file that has one. */
static enum quipu_status adopt_versions(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    const struct quipu__dumpi_file *sibling = NULL;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < own->files.count && !sibling; i++)
        if (own->files.items[i].has_header)
            sibling = &own->files.items[i];
    for (size_t i = 0; sibling && status == QUIPU_OK && i < own->files.count; i++) {
        struct quipu__dumpi_file *file = &own->files.items[i];
        if (file->is_missing || file->has_header)
            continue;
        file->version = sibling->version;
        status = quipu__dumpi_codecs_get(&own->codecs, file->version, &file->codec, err);
    }
    return status;
}

/* The layouts of the calls of each version. */
static enum quipu_status make_layouts(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    for (size_t i = 0; i < own->files.count; i++) {
        struct quipu__dumpi_file *file = &own->files.items[i];
        for (size_t k = 0; k < i && file->codec && !file->layouts; k++)
            if (own->files.items[k].codec == file->codec)
                file->layouts = own->files.items[k].layouts;
        if (file->layouts || !file->codec)
            continue;
        const size_t size = QUIPU__DUMPI_ID_LIMIT * sizeof *file->layouts;
        struct quipu__dumpi_fast_layout *layouts = quipu__arena_alloc(&own->arena, size);
        if (!layouts || !quipu__dumpi_fast_layouts_make(file->codec, own->keys, &own->arena, layouts))
            return quipu__no_memory(err, size);
        file->layouts = layouts;
    }
    return QUIPU_OK;
}

/* Why the first file cannot be read: the system, a rule of ours, or memory that is out. */
static enum quipu_status first_refusal(const struct quipu__dumpi_trace *own, struct quipu_error *err) {
    struct quipu__input *input;
    const enum quipu_status status = quipu__input_open(own->trace->files, own->files.items[0].path,
                                                       QUIPU__CODEC_SEEK, QUIPU__PROBE_BYTES, &input, err);
    quipu__input_close(input);
    return status;
}

/* A trace without any readable file is an error. */
static enum quipu_status require_a_file(const struct quipu__dumpi_trace *own, struct quipu_error *err) {
    for (size_t i = 0; i < own->files.count; i++)
        if (!own->files.items[i].is_missing)
            return QUIPU_OK;
    struct quipu_error refusal = QUIPU_ERROR_INIT;
    const enum quipu_status status = own->files.count > 0 ? first_refusal(own, &refusal) : QUIPU_OK;
    const bool is_refused = status == QUIPU_IO || status == QUIPU_NO_MEMORY;
    if (is_refused && err)
        *err = refusal;
    if (is_refused)
        return status;
    quipu__fail(err, QUIPU_TRUNCATED,
                own->files.count == 1 ? "the file is empty or no DUMPI file"
                                      : "none of the %zu trace files can be read",
                own->files.count);
    quipu__at(err, own->files.count ? own->files.items[0].path : own->trace->path, 0);
    quipu__advise(err, "put the files that the metafile names beside it, as the recorder wrote them");
    return QUIPU_TRUNCATED;
}

static enum quipu_status add_stream(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                                    struct quipu_error *err) {
    struct quipu_stream *stream = QUIPU__VEC_ADD(own->memory, &own->trace->streams);
    char name[20];
    snprintf(name, sizeof name, "%u", file->rank);
    if (!stream)
        return quipu__no_memory(err, sizeof *stream);
    *stream = (struct quipu_stream){
        .name = quipu__arena_text(&own->trace->define->arena, name, strlen(name)),
        .path = quipu__arena_text(&own->trace->define->arena, file->path, strlen(file->path)),
        .kind = QUIPU_STREAM_EVENTS,
        .native_id = file->rank,
        .substreams = file->thread_count ? file->thread_count : 1,
        .bytes = file->is_missing ? QUIPU_UNKNOWN : file->size,
        .missing = file->is_missing,
    };
    if (!stream->name || !stream->path)
        return quipu__no_memory(err, strlen(file->path));
    own->trace->bytes_total += file->is_missing ? 0 : file->size;
    return QUIPU_OK;
}

static enum quipu_status add_streams(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    own->trace->bytes_total = 0;
    for (size_t i = 0; status == QUIPU_OK && i < own->files.count; i++)
        status = add_stream(own, &own->files.items[i], err);
    return status;
}

/* The variant is the version of the first file that has one. */
static enum quipu_status name_variant(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    char text[20] = "";
    for (size_t i = 0; i < own->files.count && !text[0]; i++) {
        const uint32_t version = own->files.items[i].version;
        if (own->files.items[i].has_header)
            snprintf(text, sizeof text, "%u.%u.%u", version >> 16, version >> 8 & 0xff, version & 0xff);
    }
    own->trace->variant = quipu__arena_text(&own->trace->define->arena, text, strlen(text));
    return own->trace->variant ? QUIPU_OK : quipu__no_memory(err, sizeof text);
}

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    typedef enum quipu_status open_step(struct quipu__dumpi_trace *, struct quipu_error *);
    static open_step *const steps[] = {
        quipu__dumpi_add_files, load_files,        adopt_versions, NULL,        quipu__dumpi_define,
        make_layouts,           quipu__dumpi_scan, add_streams,    name_variant};
    struct quipu__dumpi_trace *own = quipu__alloc_zero(trace->memory, sizeof *own);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->trace = trace;
    own->memory = own->codecs.memory = trace->memory;
    quipu__arena_init(&own->arena, trace->memory);
    quipu__map_init(&own->file_names, trace->memory);
    trace->own = own;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i] ? steps[i](own, err) : require_a_file(own, err);
    if (status != QUIPU_OK)
        close_trace(trace);
    return status;
}

/* ---- Passes ---- */

static void close_pass(struct quipu__pass *common) {
    struct quipu__dumpi_pass *pass = (struct quipu__dumpi_pass *)common;
    if (!pass)
        return;
    quipu__dumpi_events_free(pass);
    quipu__dumpi_walk_close(&pass->walk);
    quipu__release(pass->common.trace->memory, pass, sizeof *pass);
}

static enum quipu_status open_pass(const struct quipu__pass *common, struct quipu__pass **out,
                                   struct quipu_error *err) {
    struct quipu__dumpi_trace *own = quipu__dumpi_of(common->trace);
    struct quipu__dumpi_pass *pass = quipu__alloc_zero(own->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    enum quipu_status status =
        quipu__dumpi_walk_open(&pass->walk, own, &own->files.items[common->stream], common->window, err);
    if (status == QUIPU_OK && common->substream != QUIPU__RECORDS)
        status = quipu__dumpi_events_new(pass, err);
    if (status != QUIPU_OK) {
        close_pass(&pass->common);
        return status;
    }
    *out = &pass->common;
    return QUIPU_OK;
}

/* ---- Substreams ---- */

/* The calls of threads lie in the order in which they ended. */
static enum quipu__substreams substreams(const struct quipu__trace *trace, uint32_t stream) {
    return quipu__dumpi_of(trace)->files.items[stream].thread_count > 1 ? QUIPU__SUBSTREAMS_TOGETHER
                                                                        : QUIPU__SUBSTREAMS_SCANNED;
}

/* The threads of a file, except the first, which is its process, are numbered consecutively. */
static uint32_t substream_of(const struct quipu__trace *trace, uint32_t stream, uint32_t location) {
    const struct quipu__dumpi_file *file = &quipu__dumpi_of(trace)->files.items[stream];
    const uint32_t number = location - file->threads[1] + 1;
    return location == file->threads[0] || number >= file->thread_count ? 0 : number;
}

/* ---- The descriptor ---- */

static uint32_t region_of_type(const struct quipu__trace *trace, uint32_t type) {
    return ((const struct quipu__dumpi_trace *)trace->own)->regions[type];
}

static const struct quipu__reading reading = {
    .probe = probe,
    .open = open_trace,
    .close = close_trace,
    .pass_open = open_pass,
    .pass_close = close_pass,
    .next_record = quipu__dumpi_next_record,
    .next_batch = quipu__dumpi_next_batch,
    .substreams = substreams,
    .substream_of = substream_of,
    .mapping = quipu__dumpi_mapping,
    .region_of_type = region_of_type,
    .check_stream = quipu__dumpi_check_stream,
    .dependent_rules = "dumpi.no-index dumpi.index-offset dumpi.footer-magic dumpi.stream-end "
                       "dumpi.footer-count dumpi.mask dumpi.nanoseconds dumpi.rollover dumpi.time-order "
                       "dumpi.counters dumpi.status-length dumpi.list-length dumpi.handle dumpi.request "
                       "dumpi.communicator dumpi.datatype dumpi.address",
};

static const struct quipu__resuming resuming = {
    .save = quipu__dumpi_pass_save,
    .resume = quipu__dumpi_pass_resume,
};

const struct quipu__format quipu__dumpi_format = {
    .info = {.name = "dumpi",
             .title = "DUMPI, MPI traces of the SST simulators",
             .suffixes = ".meta .bin",
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_REPAIR | QUIPU_CAN_STREAM | QUIPU_WRITES_VARIANTS,
             .schema = &quipu__dumpi_schema,
             .rules = quipu__dumpi_rules,
             .rule_count = QUIPU__DUMPI_RULE_COUNT},
    .reading = &reading,
    .resuming = &resuming,
    .copying = &quipu__dumpi_copying,
    .writing = &quipu__dumpi_writing,
};
