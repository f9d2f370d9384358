/* format.c: recognising and opening CHARISMA traces, and the descriptor. */
#include "formats/charisma/format.h"

#include "core/error.h"
#include "core/text.h"
#include "formats/charisma/writer.h"

#include <string.h>

/* ---- Recognising ---- */

static const char suffixes[] = ".ctrace .charisma";

/* The magic number has the writer's byte order; the version after it confirms it. */
static enum quipu_score probe(const struct quipu__probe *probe) {
    if (probe->is_directory)
        return QUIPU_SCORE_NO;
    if (probe->head_len >= QUIPU__CHARISMA_HEAD_BYTES) {
        const bool is_big = quipu__load_be32(probe->head) == QUIPU__CHARISMA_MAGIC;
        const bool is_little = quipu__load_le32(probe->head) == QUIPU__CHARISMA_MAGIC;
        const uint32_t version = is_big ? quipu__load_be32(probe->head + 4) : quipu__load_le32(probe->head + 4);
        if (is_big || is_little)
            return version == QUIPU__CHARISMA_VERSION ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_LIKELY;
    }
    return quipu__has_suffix(probe->path, suffixes) ? QUIPU_SCORE_NAME_ONLY : QUIPU_SCORE_NO;
}

/* ---- Opening ---- */

static void close_trace(struct quipu__trace *trace) {
    struct quipu__charisma_trace *own = quipu__charisma_of(trace);
    if (!own)
        return;
    quipu__charisma_codec_release(&own->codec);
    QUIPU__VEC_RELEASE(own->memory, &own->locations);
    QUIPU__VEC_RELEASE(own->memory, &own->files);
    quipu__release(own->memory, own, sizeof *own);
    trace->own = NULL;
}

static void note_same_reading(const struct quipu__trace *trace, const char *chosen, const char *others) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = trace->path;
    if (others[0])
        quipu__find(trace->findings, &quipu__charisma_rules[QUIPU__CHARISMA_RULE_SAME_READING], &where, "",
                    "%s or %s", chosen, others);
}

static enum quipu_status choose_machine(struct quipu__charisma_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    struct quipu__charisma_profile profile;
    const char *others = "";
    enum quipu_status status =
        trace->options->variant
            ? quipu__charisma_profile_load(trace->memory, trace->options->variant, &profile, err)
            : quipu__charisma_detect(trace, &profile, &others, err);
    if (status == QUIPU_OK)
        status = quipu__charisma_codec_init(&own->codec, own->memory, &profile, err);
    if (status != QUIPU_OK)
        return status;
    note_same_reading(trace, profile.name, others);
    struct quipu__charisma_profile built_in;
    const char *named = trace->options->variant;
    if (named && !quipu__charisma_profile_find(named, &built_in) &&
        (status = quipu__trace_add_file(trace, named, err)) != QUIPU_OK)
        return status;
    trace->variant = quipu__arena_text(&trace->define->arena, profile.name, strlen(profile.name));
    return trace->variant ? QUIPU_OK : quipu__no_memory(err, sizeof profile.name);
}

/* The one stream, all of whose events are in one order of time. */
static enum quipu_status add_stream(struct quipu__charisma_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(trace->files, trace->path, QUIPU__CODEC_DETECT, 16, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, 1, err);
    if (status == QUIPU_OK)
        trace->bytes_total = input->size;
    quipu__input_close(input);
    struct quipu_stream *stream = status == QUIPU_OK ? QUIPU__VEC_ADD(own->memory, &trace->streams) : NULL;
    if (!stream)
        return status == QUIPU_OK ? quipu__no_memory(err, sizeof *stream) : status;
    *stream = (struct quipu_stream){.name = "0",
                                    .path = trace->path,
                                    .kind = QUIPU_STREAM_EVENTS,
                                    .native_id = 0,
                                    .substreams = 1,
                                    .bytes = trace->bytes_total};
    return QUIPU_OK;
}

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__charisma_trace *own = quipu__alloc_zero(trace->memory, sizeof *own);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->trace = trace;
    own->memory = trace->memory;
    trace->own = own;
    enum quipu_status status = add_stream(own, err);
    if (status == QUIPU_OK)
        status = choose_machine(own, err);
    if (status != QUIPU_OK) {
        QUIPU__VEC_RELEASE(trace->memory, &trace->streams);
        close_trace(trace);
    }
    return status;
}

/* ---- The descriptor ---- */

static const struct quipu_option options[] = {
    {.name = QUIPU__CHARISMA_OPTION_MACHINE,
     .kind = QUIPU_OPTION_TEXT,
     .argument = "NAME|FILE",
     .doc = "machine profile of the output; by default that of an input of this format, else lp64"},
    {.name = QUIPU__CHARISMA_OPTION_COMPRESS,
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "as-read|yes|no",
     .default_value = "as-read",
     .doc = "write requests as COMP_RW records wherever that loses nothing, or in full"},
};

static const struct quipu__reading reading = {
    .probe = probe,
    .open = open_trace,
    .close = close_trace,
    .pass_open = quipu__charisma_pass_open,
    .pass_close = quipu__charisma_pass_close,
    .next_record = quipu__charisma_next_record,
    .next_batch = quipu__charisma_next_batch,
    .mapping = quipu__charisma_mapping,
    .dependent_rules = "E10 W02 W03 W04 W05 W06 W08 W09 I10 W11 W12 W13 W15 W16 W17 W18 W22 W25",
};

const struct quipu__format quipu__charisma_format = {
    .info = {.name = "charisma",
             .title = "CHARISMA, file accesses of parallel programs",
             .suffixes = suffixes,
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_REPAIR | QUIPU_READS_VARIANTS | QUIPU_CAN_STREAM | QUIPU_IS_ONE_FILE,
             .schema = &quipu__charisma_schema,
             .rules = quipu__charisma_rules,
             .rule_count = QUIPU__CHARISMA_RULE_COUNT,
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .reading = &reading,
    .survey = &quipu__charisma_survey,
    .resuming = &quipu__charisma_resuming,
    .copying = &quipu__charisma_copying,
    .writing = &quipu__charisma_writing,
};
