/* format.c: recognising OTF traces, opening and closing them, and the descriptor. */
#include "formats/otf/format.h"

#include "core/error.h"
#include "core/text.h"
#include "formats/otf/file_names.h"
#include "formats/otf/writer.h"

/* ---- Recognising ---- */

/* A character that may occur in a line of a master control file, except in comments. */
static bool is_master_byte(uint8_t c) {
    return quipu__hex_digit(c) >= 0 || c == ':' || c == ',' || c == ' ' || c == '\t' || c == '\r' || c == 'i';
}

/* At least one line of the kind 1:1,2 and nothing else. */
static bool looks_like_master(const struct quipu__probe *probe) {
    bool has_colon = false;
    for (size_t i = 0; i < probe->head_len && probe->head[i] != '\n'; i++) {
        if (!is_master_byte(probe->head[i]))
            return false;
        has_colon |= i > 0 && probe->head[i] == ':';
    }
    return has_colon;
}

/* Whether the first line begins like that of a file of this kind. */
static bool looks_like_file(const struct quipu__probe *probe, const struct quipu__otf_name *name) {
    static const char beginnings[][24] = {[QUIPU__OTF_DEFINITIONS] = "DK0123456789abcdef*",
                                          [QUIPU__OTF_EVENTS] = "0123456789abcdef",
                                          [QUIPU__OTF_SNAPSHOTS] = "0123456789abcdef",
                                          [QUIPU__OTF_STATISTICS] = "0123456789abcdef",
                                          [QUIPU__OTF_MARKERS] = "MK"};
    size_t i = 0;
    if (name->compressed)
        return probe->head_len >= 2 && (probe->head[0] & 0x0f) == 8 &&
               (probe->head[0] << 8 | probe->head[1]) % 31 == 0;
    while (i < probe->head_len && (probe->head[i] == ' ' || probe->head[i] == '\t'))
        i++;
    return i < probe->head_len && probe->head[i] && strchr(beginnings[name->file], probe->head[i]);
}

static enum quipu_score probe_directory(const struct quipu__probe *probe) {
    bool has_master = false, has_file = false;
    for (size_t i = 0; i < probe->name_count; i++) {
        struct quipu__otf_name name;
        const bool is_ours = quipu__otf_parse_name(probe->names[i], &name);
        has_master |= is_ours && name.file == QUIPU__OTF_MASTER;
        has_file |= is_ours && name.file != QUIPU__OTF_MASTER;
    }
    if (!has_master)
        return QUIPU_SCORE_NO;
    return has_file ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_LIKELY;
}

static enum quipu_score probe(const struct quipu__probe *probe) {
    struct quipu__otf_name name;
    if (probe->is_directory)
        return probe_directory(probe);
    if (!quipu__otf_parse_name(probe->path, &name))
        return looks_like_master(probe) ? QUIPU_SCORE_NAME_ONLY : QUIPU_SCORE_NO;
    if (probe->head_len == 0)
        return QUIPU_SCORE_LIKELY; /* no processes, or nothing recorded */
    if (name.file == QUIPU__OTF_MASTER)
        return looks_like_master(probe) ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_LIKELY;
    return looks_like_file(probe, &name) ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_NAME_ONLY;
}

/* ---- Opening ---- */

static void close_trace(struct quipu__trace *trace) {
    struct quipu__otf_trace *own = trace->own;
    if (!own)
        return;
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        quipu__tokens_release(&own->definition_classes[i].tokens);
        quipu__tokens_release(&own->definition_classes[i].late);
        QUIPU__VEC_RELEASE(trace->memory, &own->definition_classes[i].definitions);
    }
    for (unsigned i = 0; i < QUIPU__OTF_STREAM_FILES; i++)
        quipu__keyed_scanner_free(trace->memory, own->scanners[i]);
    quipu__map_release(&own->mapping);
    quipu__map_release(&own->attributes_of);
    quipu__map_release(&own->values_of_processes);
    quipu__map_release(&own->values_of_groups);
    quipu__map_release(&own->values_of_sources);
    QUIPU__VEC_RELEASE(own->trace->memory, &own->value_texts);
    quipu__otf_values_release(&own->next_values);
    QUIPU__VEC_RELEASE(trace->memory, &own->stream_files);
    quipu__arena_release(&own->arena);
    quipu__lock_free(own->late_lock);
    quipu__release(trace->memory, own, sizeof *own);
    trace->own = NULL;
}

static void init_trace(struct quipu__otf_trace *own, struct quipu__trace *trace) {
    own->trace = trace;
    quipu__arena_init(&own->arena, trace->memory);
    quipu__map_init(&own->mapping, trace->memory);
    quipu__map_init(&own->attributes_of, trace->memory);
    quipu__map_init(&own->values_of_processes, trace->memory);
    quipu__map_init(&own->values_of_groups, trace->memory);
    quipu__map_init(&own->values_of_sources, trace->memory);
    quipu__otf_values_init(&own->next_values, trace->memory);
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        quipu__tokens_init(&own->definition_classes[i].tokens, trace->memory);
        quipu__tokens_init(&own->definition_classes[i].late, trace->memory);
    }
}

static bool make_scanners(struct quipu__otf_trace *own) {
    bool done = true;
    for (uint8_t i = 0; done && i < QUIPU__OTF_STREAM_FILES; i++) {
        own->scanners[i] = quipu__keyed_scanner_new(own->trace->memory, &quipu__otf_grammar, i);
        done = own->scanners[i] != NULL;
    }
    return done;
}

static enum quipu_status read_trace(struct quipu__otf_trace *own, struct quipu_error *err) {
    own->late_lock = quipu__lock_new();
    if (!own->late_lock || !make_scanners(own))
        return quipu__no_memory(err, sizeof *own);
    enum quipu_status status =
        quipu__format_refuse_pipe(own->trace, "name the master control file (*.otf) or its folder", err);
    if (status == QUIPU_OK)
        status = quipu__otf_find_files(own, err);
    return status == QUIPU_OK ? quipu__otf_read_definitions(own, err) : status;
}

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__otf_trace *own = quipu__alloc_zero(trace->memory, sizeof *own);
    trace->own = own;
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    init_trace(own, trace);
    const enum quipu_status status = read_trace(own, err);
    if (status != QUIPU_OK) {
        QUIPU__VEC_RELEASE(trace->memory, &trace->streams);
        close_trace(trace);
    }
    return status;
}

/* ---- The descriptor ---- */

static const struct quipu_option options[] = {
    {.name = QUIPU__OTF_OPTION_LONG,
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "no|yes",
     .default_value = "no",
     .doc = "write the long form, with keywords spelled out"},
};

static const struct quipu__reading reading = {
    .probe = probe,
    .open = open_trace,
    .close = close_trace,
    .pass_open = quipu__otf_pass_open,
    .pass_close = quipu__otf_pass_close,
    .next_record = quipu__otf_next_record,
    .next_batch = quipu__otf_next_batch,
    .spreads_locations = true,
    .mapping = quipu__otf_mapping,
    .check = quipu__otf_check,
    .replaced_rules = "model.time-back",
    .dependent_rules = "otf.undefined otf.no-state otf.no-resolution otf.wrong-stream otf.unmapped-file "
                       "otf.stray-value otf.redefined",
};

const struct quipu__format quipu__otf_format = {
    .info = {.name = "otf",
             .title = "Open Trace Format 1.x",
             .suffixes = ".otf",
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_REPAIR | QUIPU_CAN_COMPRESS | QUIPU_HAS_STREAMS,
             .schema = &quipu__otf_schema,
             .rules = quipu__otf_rules,
             .rule_count = QUIPU__OTF_RULE_COUNT,
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .reading = &reading,
    .copying = &quipu__otf_copying,
    .intervals = &quipu__otf_intervals,
    .snapshots = &quipu__otf_snapshots,
    .statistics = &quipu__otf_statistics,
    .writing = &quipu__otf_writing,
};
