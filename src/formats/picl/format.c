/* format.c: recognising PICL traces, opening and closing them, and the descriptor. */
#include "formats/picl/format.h"

#include "core/error.h"
#include "core/text.h"
#include "formats/picl/writer.h"

#define SUFFIXES ".picl .trc .trf"

/* ---- Recognising ---- */

/* What a line looks like. */
enum look { LOOKS_BLANK, LOOKS_NEW, LOOKS_LIKE_NEW, LOOKS_COMPRESSED, LOOKS_VERBOSE, LOOKS_OTHER };

#define TOKENS 6

struct token {
    const uint8_t *at;
    size_t len;
};

static size_t tokens_of(const uint8_t *at, const uint8_t *end, struct token tokens[TOKENS]) {
    size_t count = 0;
    while (count < TOKENS) {
        tokens[count].at = quipu__picl_take_token(&at, end, &tokens[count].len);
        if (tokens[count].len == 0)
            break;
        count++;
    }
    return count;
}

static bool is_integer(const struct token *token, int64_t *out) {
    bool is_too_large;
    return quipu__picl_read_integer(token->at, token->at + token->len, out, &is_too_large) == token->len &&
           !is_too_large;
}

static bool has_fraction(const struct token *token) {
    struct quipu__picl_decimal decimal;
    return quipu__picl_read_decimal(token->at, token->at + token->len, &decimal) == token->len &&
           (memchr(token->at, '.', token->len) || memchr(token->at, 'e', token->len) ||
            memchr(token->at, 'E', token->len));
}

static bool is_keyword(const struct token *token) {
    for (int key = 1; key < QUIPU__PICL_OLD_KEYS; key++) {
        const char *keyword = quipu__picl_old_rows[key].keyword;
        if (strlen(keyword) == token->len && memcmp(keyword, token->at, token->len) == 0)
            return true;
    }
    return false;
}

static enum look look_at_numbers(const struct token *tokens, size_t count) {
    struct quipu__picl_decimal time;
    int64_t first, number;
    bool are_integers = count >= 4;
    if (!is_integer(&tokens[0], &first))
        return LOOKS_OTHER;
    for (size_t i = 1; i < count && i < 4; i++)
        are_integers = are_integers && is_integer(&tokens[i], &number);
    bool is_new = count == TOKENS && (first < 0 || has_fraction(&tokens[2])) &&
                  quipu__picl_read_decimal(tokens[2].at, tokens[2].at + tokens[2].len, &time) == tokens[2].len;
    for (size_t i = 1; i < TOKENS; i++)
        is_new = is_new && (i == 2 || is_integer(&tokens[i], &number));
    if (is_new)
        return LOOKS_NEW;
    if (first < 0 || (count > 2 && has_fraction(&tokens[2])))
        return LOOKS_LIKE_NEW;
    return first >= 1 && first < QUIPU__PICL_OLD_KEYS && are_integers ? LOOKS_COMPRESSED : LOOKS_OTHER;
}

static enum look look_at(const uint8_t *at, const uint8_t *end) {
    struct token tokens[TOKENS];
    const size_t count = tokens_of(at, end, tokens);
    if (count == 0)
        return LOOKS_BLANK;
    const uint8_t letter = tokens[0].at[0] | 0x20;
    if (letter >= 'a' && letter <= 'z')
        return count > 2 && is_keyword(&tokens[0]) && tokens[1].len == 5 &&
                       memcmp(tokens[1].at, "clock", 5) == 0
                   ? LOOKS_VERBOSE
                   : LOOKS_OTHER;
    return look_at_numbers(tokens, count);
}

/* The first line that says what the file is, among the first twenty. */
#define LINES_LOOKED_AT 20

static enum look look_at_file(const uint8_t *at, const uint8_t *end) {
    enum look look = LOOKS_BLANK;
    for (int lines = 0; at < end && lines < LINES_LOOKED_AT && (look == LOOKS_BLANK || look == LOOKS_OTHER);
         lines++) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        const enum look line = look_at(at, newline ? newline : end);
        look = line == LOOKS_BLANK ? look : line;
        at = newline ? newline + 1 : end;
    }
    return look;
}

static enum quipu_score probe(const struct quipu__probe *probe) {
    if (probe->is_directory)
        return QUIPU_SCORE_NO;
    const bool has_name = quipu__has_suffix(probe->path, SUFFIXES);
    const uint8_t *const head = probe->head, *const end = head + probe->head_len;
    /* A file with the name may be damaged; others with such bytes are no text. */
    if (!has_name && probe->head_len > 0 && memchr(head, 0, probe->head_len))
        return QUIPU_SCORE_NO;
    switch (look_at_file(head, end)) {
    case LOOKS_BLANK:
        return has_name ? QUIPU_SCORE_LIKELY : QUIPU_SCORE_NO;
    case LOOKS_NEW:
    case LOOKS_VERBOSE:
        return has_name ? QUIPU_SCORE_CERTAIN : QUIPU_SCORE_LIKELY;
    case LOOKS_LIKE_NEW:
    case LOOKS_COMPRESSED:
        return has_name ? QUIPU_SCORE_LIKELY : QUIPU_SCORE_NAME_ONLY;
    case LOOKS_OTHER:
        break;
    }
    return has_name ? QUIPU_SCORE_NAME_ONLY : QUIPU_SCORE_NO;
}

/* ---- Opening ---- */

static void close_trace(struct quipu__trace *trace) {
    struct quipu__picl_trace *own = trace->own;
    if (!own)
        return;
    for (size_t i = 0; i < own->processes.count; i++)
        QUIPU__VEC_RELEASE(trace->memory, &own->processes.items[i].spans);
    QUIPU__VEC_RELEASE(trace->memory, &own->processes);
    QUIPU__VEC_RELEASE(trace->memory, &own->substreams);
    QUIPU__VEC_RELEASE(trace->memory, &own->others);
    QUIPU__VEC_RELEASE(trace->memory, &own->labels);
    QUIPU__VEC_RELEASE(trace->memory, &own->events);
    QUIPU__VEC_RELEASE(trace->memory, &own->relatives);
    QUIPU__VEC_RELEASE(trace->memory, &own->marker_types);
    quipu__map_release(&own->process_numbers);
    quipu__map_release(&own->processors);
    quipu__map_release(&own->regions);
    quipu__map_release(&own->groups);
    quipu__map_release(&own->files);
    quipu__map_release(&own->markers);
    quipu__picl_scope_release(&own->scope);
    quipu__arena_release(&own->arena);
    quipu__release(trace->memory, own, sizeof *own);
    trace->own = NULL;
}

/* Which of the formats it is, and in what spelling. */
static enum quipu_status find_variant(struct quipu__picl_trace *own, struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status = quipu__input_open(own->trace->files, own->trace->path, QUIPU__CODEC_DETECT,
                                                 QUIPU__PROBE_BYTES, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, QUIPU__PROBE_BYTES, err);
    if (status == QUIPU_OK) {
        const enum look look = look_at_file(input->at, input->end);
        own->variant = look == LOOKS_COMPRESSED ? QUIPU__PICL_COMPRESSED : QUIPU__PICL_NEW_FORMAT;
        if (look == LOOKS_VERBOSE)
            own->variant = QUIPU__PICL_VERBOSE;
        own->trace->bytes_total = input->size;
    }
    quipu__input_close(input);
    return status;
}

static const char *variant_name(enum quipu__picl_variant variant) {
    static const char *const names[] = {"new", "old, compressed", "old, verbose"};
    return names[variant];
}

static enum quipu_status add_stream(struct quipu__picl_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    if (!QUIPU__VEC_PUT(trace->memory, &trace->streams,
                        (struct quipu_stream){.name = quipu__base_name(trace->path),
                                              .path = trace->path,
                                              .kind = QUIPU_STREAM_EVENTS,
                                              .substreams = 1,
                                              .bytes = trace->bytes_total}))
        return quipu__no_memory(err, sizeof(struct quipu_stream));
    trace->variant = variant_name(own->variant);
    return QUIPU_OK;
}

static void init_trace(struct quipu__picl_trace *own, struct quipu__trace *trace) {
    own->trace = trace;
    quipu__picl_scope_init(&own->scope, trace->memory);
    quipu__arena_init(&own->arena, trace->memory);
    quipu__map_init(&own->process_numbers, trace->memory);
    quipu__map_init(&own->processors, trace->memory);
    quipu__map_init(&own->regions, trace->memory);
    quipu__map_init(&own->groups, trace->memory);
    quipu__map_init(&own->files, trace->memory);
    quipu__map_init(&own->markers, trace->memory);
    for (size_t i = 0; i < quipu__picl_event_count; i++)
        own->rows[-quipu__picl_events[i].number] = &quipu__picl_events[i];
}

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__picl_trace *own = quipu__alloc_zero(trace->memory, sizeof *own);
    trace->own = own;
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    init_trace(own, trace);
    enum quipu_status status = find_variant(own, err);
    if (status == QUIPU_OK)
        status = add_stream(own, err);
    if (status != QUIPU_OK) {
        QUIPU__VEC_RELEASE(trace->memory, &trace->streams);
        close_trace(trace);
    }
    return status;
}

/* ---- Substreams ---- */

/* Messages stand in the file ahead of older records: they have to wait for those of their process alone. */
static enum quipu__substreams substreams(const struct quipu__trace *trace, uint32_t stream) {
    const struct quipu__picl_trace *own = trace->own;
    (void)stream;
    return own->has_messages ? QUIPU__SUBSTREAMS_APART : QUIPU__SUBSTREAMS_TOGETHER;
}

/* Locations are numbered as processes are. */
static uint32_t substream_of(const struct quipu__trace *trace, uint32_t stream, uint32_t location) {
    const struct quipu__picl_trace *own = trace->own;
    (void)stream;
    return own->is_sorted || location >= own->processes.count ? 0 : own->processes.items[location].substream;
}

/* ---- The descriptor ---- */

static const struct quipu_option options[] = {
    {.name = QUIPU__PICL_OPTION_DECIMALS,
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "N",
     .doc = "decimals of timestamps, up to 18; default as many as the clock resolves, and for canonical "
            "records 6"},
    {.name = QUIPU__PICL_OPTION_CANONICAL,
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "no|yes",
     .default_value = "no",
     .doc =
         "write records in canonical spelling: one line each, single blanks, predefined descriptors by number"},
    {.name = QUIPU__PICL_OPTION_SPELLING,
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "as-read|new|compressed|verbose",
     .default_value = "as-read",
     .doc = "records of the old format: in the new format, or in one of the old spellings"},
};

static const struct quipu__rule_set rule_sets[] = {{"paragraph", quipu__picl_check_paragraph}};

static const struct quipu__reading reading = {
    .probe = probe,
    .open = open_trace,
    .close = close_trace,
    .pass_open = quipu__picl_pass_open,
    .pass_close = quipu__picl_pass_close,
    .next_record = quipu__picl_next_record,
    .next_batch = quipu__picl_next_batch,
    .substreams = substreams,
    .substream_of = substream_of,
    .mapping = quipu__picl_mapping_of,
    .check = quipu__picl_check,
    .replaced_rules = "model.time-back model.wrong-leave model.overlap model.leave-only model.enter-only "
                      "model.send-only model.receive-only",
    .dependent_rules = "E07 W12 W13 W14 W15 W16 W21 I18 I19 I20 OW03",
    .rule_sets = rule_sets,
    .rule_set_count = sizeof rule_sets / sizeof *rule_sets,
};

const struct quipu__format quipu__picl_format = {
    .info = {.name = "picl",
             .title = "PICL, the Portable Instrumented Communication Library",
             .suffixes = SUFFIXES,
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_REPAIR | QUIPU_CAN_STREAM | QUIPU_IS_ONE_FILE,
             .schema = &quipu__picl_schema,
             .rules = quipu__picl_rules,
             .rule_count = QUIPU__PICL_RULE_COUNT,
             .options = options,
             .option_count = sizeof options / sizeof *options},
    .reading = &reading,
    .survey = &quipu__picl_survey,
    .resuming = &quipu__picl_resuming,
    .copying = &quipu__picl_copying,
    .writing = &quipu__picl_writing,
};
