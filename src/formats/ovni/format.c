/* format.c: recognising and opening ovni traces, and the descriptor. */
#include "formats/ovni/format.h"

#include "core/files/recording.h"
#include "core/text.h"
#include "formats/ovni/writer.h"

#include <stdio.h>
#include <string.h>

/* ---- Recognising ---- */

static bool begins_with(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* A trace is a folder of looms; one of its streams may also lie in a folder of any name. */
static enum quipu_score probe_folder(const struct quipu__probe *probe) {
    enum quipu_score score = QUIPU_SCORE_NO;
    for (size_t i = 0; i < probe->name_count; i++) {
        const char *name = probe->names[i];
        if (strcmp(name, QUIPU__OVNI_STREAM_METADATA) == 0 || begins_with(name, QUIPU__OVNI_LOOM_PREFIX) ||
            (begins_with(name, QUIPU__OVNI_PROCESS_PREFIX) &&
             begins_with(quipu__base_name(probe->path), QUIPU__OVNI_LOOM_PREFIX)) ||
            (begins_with(name, QUIPU__OVNI_THREAD_PREFIX) &&
             begins_with(quipu__base_name(probe->path), QUIPU__OVNI_PROCESS_PREFIX)))
            score = QUIPU_SCORE_LIKELY;
    }
    return score;
}

static enum quipu_score probe(const struct quipu__probe *probe) {
    const char *name = quipu__base_name(probe->path);
    if (probe->is_directory)
        return probe_folder(probe);
    if (probe->head_len >= QUIPU__OVNI_HEADER_BYTES &&
        memcmp(probe->head, QUIPU__OVNI_MAGIC, QUIPU__OVNI_MAGIC_BYTES) == 0) {
        const uint8_t *version = probe->head + QUIPU__OVNI_MAGIC_BYTES;
        return quipu__load_be32(version) == QUIPU__OVNI_STREAM_VERSION ||
                       quipu__load_le32(version) == QUIPU__OVNI_STREAM_VERSION
                   ? QUIPU_SCORE_CERTAIN
                   : QUIPU_SCORE_LIKELY;
    }
    if (strcmp(name, QUIPU__OVNI_STREAM_METADATA) == 0)
        return QUIPU_SCORE_LIKELY;
    return begins_with(name, QUIPU__OVNI_THREAD_PREFIX) || strcmp(name, QUIPU__OVNI_STREAM_FILE) == 0
               ? QUIPU_SCORE_NAME_ONLY
               : QUIPU_SCORE_NO;
}

/* ---- Opening ---- */

static void close_trace(struct quipu__trace *trace) {
    struct quipu__ovni_trace *own = quipu__ovni_of(trace);
    if (!own)
        return;
    if (own->has_system)
        quipu__ovni_system_close(&own->system);
    if (own->has_files)
        quipu__ovni_files_close(&own->files);
    quipu__map_release(&own->types);
    quipu__map_release(&own->mark_regions);
    quipu__map_release(&own->references);
    quipu__map_release(&own->tasks);
    QUIPU__VEC_RELEASE(own->memory, &own->type_list);
    quipu__arena_release(&own->arena);
    quipu__release(own->memory, own, sizeof *own);
    trace->own = NULL;
}

static enum quipu_status add_streams(struct quipu__ovni_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < own->files.streams.count && status == QUIPU_OK; i++) {
        const struct quipu__ovni_stream *from = &own->files.streams.items[i];
        struct quipu_stream *stream = QUIPU__VEC_ADD(own->memory, &trace->streams);
        const char *path = quipu__arena_text(&trace->define->arena, from->path, strlen(from->path));
        const char *name = from->name[0] ? from->name : from->relative;
        const char *copy = quipu__arena_text(&trace->define->arena, name, strlen(name));
        if (!stream || !path || !copy)
            return quipu__no_memory(err, sizeof *stream);
        *stream = (struct quipu_stream){.name = copy,
                                        .path = path,
                                        .kind = QUIPU_STREAM_EVENTS,
                                        .native_id = i,
                                        .substreams = 1,
                                        .bytes = from->bytes,
                                        .missing = from->is_missing};
        trace->bytes_total += from->bytes == QUIPU_UNKNOWN ? 0 : from->bytes;
    }
    return status;
}

static enum quipu_status add_file(struct quipu__ovni_trace *own, const char *path, const char *suffix,
                                  struct quipu_error *err) {
    const size_t size = strlen(path) + strlen(suffix) + 1;
    char *whole = quipu__arena_alloc(&own->trace->define->arena, size);
    if (!whole)
        return quipu__no_memory(err, size);
    snprintf(whole, size, "%s%s", path, suffix);
    return quipu__trace_add_file(own->trace, whole, err);
}

/* Metadata, buffers that recorders have not yet written to the streams, and the table of clock offsets even if there is
 * none: it may appear. */
static enum quipu_status add_other_files(struct quipu__ovni_trace *own, struct quipu_error *err) {
    const struct quipu__ovni_files *files = &own->files;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < files->sidecars.count && status == QUIPU_OK; i++)
        status = add_file(own, files->sidecars.items[i].path, "", err);
    for (size_t i = 0; i < files->streams.count && status == QUIPU_OK; i++)
        status = add_file(own, files->streams.items[i].path, QUIPU__RING_SUFFIX, err);
    return status == QUIPU_OK ? add_file(own, files->offsets_position, "", err) : status;
}

static enum quipu_status load(struct quipu__ovni_trace *own, struct quipu_error *err) {
    static const char *const variants[] = {"1-raw", "1", "2", "3"};
    const struct quipu__ovni_system_options options = {.is_lenient = true};
    struct quipu__trace *trace = own->trace;
    enum quipu_status status = quipu__format_refuse_pipe(trace, "name the folder of the trace", err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__ovni_files_open(&own->files, own->memory, trace->files, trace->findings, trace->path, err);
    own->has_files = status == QUIPU_OK;
    if (status == QUIPU_OK && own->files.streams.count == 0)
        status = quipu__fail(err, QUIPU_NOT_FOUND,
                             "no streams found (expected " QUIPU__OVNI_STREAM_METADATA
                             " and " QUIPU__OVNI_STREAM_FILE ")");
    if (own->has_files && own->files.streams.count == 0 && own->files.leads_outside)
        quipu__advise(err, "links of the trace lead out of its folder; " QUIPU__OUTSIDE_ADVICE);
    if (status != QUIPU_OK)
        return status;
    trace->variant = variants[own->files.layout];
    status = quipu__ovni_system_open(&own->system, &own->files, &options, err);
    own->has_system = status == QUIPU_OK;
    if (status == QUIPU_OK)
        status = add_streams(own, err);
    return status == QUIPU_OK ? add_other_files(own, err) : status;
}

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__ovni_trace *own = quipu__alloc_zero(trace->memory, sizeof *own);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->trace = trace;
    own->memory = trace->memory;
    trace->own = own;
    trace->bytes_total = 0;
    quipu__arena_init(&own->arena, own->memory);
    quipu__map_init(&own->types, own->memory);
    quipu__map_init(&own->mark_regions, own->memory);
    quipu__map_init(&own->references, own->memory);
    quipu__map_init(&own->tasks, own->memory);
    quipu__ovni_dictionary_init(&own->dictionary);
    const enum quipu_status status = load(own, err);
    if (status != QUIPU_OK) {
        QUIPU__VEC_RELEASE(trace->memory, &trace->streams);
        close_trace(trace);
    }
    return status;
}

/* ---- The descriptor ---- */

static const struct quipu_option options[] = {
    {.name = QUIPU__OVNI_OPTION_LAYOUT,
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "3|as-read",
     .default_value = "3",
     .doc = "layout of the files: that of version 3, or the one of an older input"},
};

static const struct quipu__reading reading = {
    .probe = probe,
    .open = open_trace,
    .close = close_trace,
    .pass_open = quipu__ovni_pass_open,
    .pass_close = quipu__ovni_pass_close,
    .next_record = quipu__ovni_next_record,
    .next_batch = quipu__ovni_next_batch,
    .mapping = quipu__ovni_mapping,
    .check = quipu__ovni_check,
    .dependent_rules = "model.time-back ovni.other-part ovni.clock-back ovni.late-events "
                       "ovni.unknown-model ovni.unknown-event ovni.payload ovni.not-jumbo ovni.old-event "
                       "ovni.obsolete ovni.thread-not-running ovni.thread-not-active "
                       "ovni.thread-out-of-cpu ovni.thread-state ovni.cpu-unknown ovni.cpu-busy "
                       "ovni.thread-has-cpu ovni.thread-no-cpu ovni.affinity ovni.same-value ovni.pop "
                       "ovni.mark-type ovni.mark-kind ovni.model-not-required ovni.no-require "
                       "ovni.type-unknown ovni.task-unknown ovni.body-state ovni.body-thread "
                       "ovni.body-nested ovni.body-nested-deprecated ovni.counters ovni.loom-cpus "
                       "ovni.clock-gap ovni.clock-negative ovni.slow-burst ovni.slow-flush "
                       "ovni.thread-not-dead ovni.stack-not-empty",
};

const struct quipu__format quipu__ovni_format = {
    .info = {.name = "ovni",
             .title = "ovni, runtimes of tasks and their threads",
             .suffixes = QUIPU__OVNI_SUFFIX,
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_REPAIR,
             .schema = &quipu__ovni_schema,
             .rules = quipu__ovni_rules,
             .rule_count = QUIPU__OVNI_RULE_COUNT,
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .reading = &reading,
    .survey = &quipu__ovni_survey,
    .resuming = &quipu__ovni_resuming,
    .copying = &quipu__ovni_copying,
    .writing = &quipu__ovni_writing,
};
