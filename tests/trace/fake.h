/* fake.h: a format that lives in memory, for tests of everything above the formats.
 *
 * A test describes streams as lists of rows and points fake_trace at them. A row is an event and the record that
 * makes it; rows of kind FAKE_SECRET and FAKE_DEFINE are records without events, and so are those that trouble events:
 * FAKE_DAMAGE is a finding, FAKE_LATE defines the region with the native id bytes, FAKE_FAILURE ends reading after
 * bytes milliseconds. The substream of a row is its member stream. What is written to the format is kept in fake_written.
 */
#ifndef QUIPU_TESTS_TRACE_FAKE_H
#define QUIPU_TESTS_TRACE_FAKE_H

#include "harness.h"

#include "core/error.h"
#include "formats/descriptor.h"
#include "trace/reader.h"
#include "trace/writer.h"

#include <time.h>

enum { FAKE_SECRET = QUIPU_KIND_COUNT, FAKE_DEFINE, FAKE_DAMAGE, FAKE_LATE, FAKE_FAILURE, FAKE_UNREADABLE };

struct fake_stream {
    const struct quipu_event *rows;
    uint32_t count;
    uint32_t substreams; /* 0: holds no events */
};

struct fake_trace {
    const struct fake_stream *streams;
    uint32_t stream_count;
    uint32_t locations, regions, metrics; /* definitions */
    uint32_t open_findings;               /* notices while opening */
};

static const struct fake_trace *fake_trace;
static enum quipu_nesting fake_nesting; /* of all regions; strict unless a test says otherwise */

static enum quipu_region_role fake_role; /* of region 0 */

/* How the substreams of all streams lie; those that lie together have the events of location n in substream n modulo their
 * number. And how many rows all passes have decoded. */
static enum quipu__substreams fake_layout;
static _Atomic uint64_t fake_decoded;

/* ---- Records ---- */

struct fake_record {
    uint32_t object, peer;
    int64_t tag;
    uint64_t bytes;
    int64_t colour; /* nothing in the model has a colour: it is an attribute */
    int64_t scent;  /* and scents are lost */
};

static const struct quipu_domain fake_u32 = {.name = "u32", .storage = QUIPU_STORE_U32};
static const struct quipu_domain fake_i64 = {.name = "i64", .storage = QUIPU_STORE_I64};
#define FAKE_FIELD(member, kind, store)                                                                        \
    {                                                                                                          \
        .name = #member, .doc = "a field", .domain = &(kind), .offset = offsetof(struct fake_record, member),  \
        .storage = (store), .count = -1, .when = -1, .equals = -1                                              \
    }
static const struct quipu_field fake_fields[] = {
    FAKE_FIELD(object, fake_u32, QUIPU_STORE_U32), FAKE_FIELD(peer, fake_u32, QUIPU_STORE_U32),
    FAKE_FIELD(tag, fake_i64, QUIPU_STORE_I64),    FAKE_FIELD(bytes, fake_i64, QUIPU_STORE_U64),
    FAKE_FIELD(colour, fake_i64, QUIPU_STORE_I64), FAKE_FIELD(scent, fake_i64, QUIPU_STORE_I64),
};
#define FAKE_TYPE(text, fields_used)                                                                           \
    {                                                                                                          \
        .name = (text), .doc = "a record", .fields = fake_fields, .field_count = (fields_used),                \
        .size = sizeof(struct fake_record)                                                                     \
    }
enum { FAKE_T_DEFINE, FAKE_T_REGION, FAKE_T_MESSAGE, FAKE_T_METRIC, FAKE_T_SECRET, FAKE_T_OTHER, FAKE_TYPES };
static const struct quipu_record_type fake_types[FAKE_TYPES] = {
    FAKE_TYPE("define", 1), FAKE_TYPE("region", 1), FAKE_TYPE("message", 6),
    FAKE_TYPE("metric", 1), FAKE_TYPE("secret", 2), FAKE_TYPE("other", 1),
};
static const struct quipu_schema fake_schema = {"fake", fake_types, FAKE_TYPES, NULL};

static inline uint32_t fake_type_of(uint8_t kind) {
    switch (kind) {
    case FAKE_DEFINE:
        return FAKE_T_DEFINE;
    case FAKE_SECRET:
        return FAKE_T_SECRET;
    case QUIPU_KIND_enter:
    case QUIPU_KIND_leave:
        return FAKE_T_REGION;
    case QUIPU_KIND_send:
    case QUIPU_KIND_recv:
        return FAKE_T_MESSAGE;
    case QUIPU_KIND_metric:
        return FAKE_T_METRIC;
    default:
        return FAKE_T_OTHER;
    }
}

static const struct quipu__mapping *fake_mapping(uint32_t type) {
    static const struct quipu__field_outcome message[] = {
        {1, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_peer, "", 0},
        {2, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_tag, "", 0},
        {3, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_bytes, "", 0},
        {5, QUIPU__OUTCOME_DROPPED, QUIPU_COLUMN_COUNT, "events do not smell", 0},
    };
    static const struct quipu__field_outcome object[] = {{0, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_object, "", 0}};
    static const struct quipu__mapping mappings[FAKE_TYPES] = {
        [FAKE_T_DEFINE] = {.is_definition = true},
        [FAKE_T_REGION] = {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave),
                           .fields = object,
                           .field_count = 1},
        [FAKE_T_MESSAGE] = {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv),
                            .fields = message,
                            .field_count = 4},
        [FAKE_T_METRIC] = {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_metric), .fields = object, .field_count = 1},
        [FAKE_T_OTHER] = {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_note)},
    };
    return &mappings[type];
}

/* ---- Reading ---- */

struct fake_pass {
    struct quipu__pass common;
    uint32_t row;
    uint64_t index;
    struct fake_record record;
};

enum { FAKE_OPENED, FAKE_DAMAGED, FAKE_RULES };
static const struct quipu_rule fake_rules[FAKE_RULES] = {
    {"fake.opened", QUIPU_NOTICE, "opening noticed something", "", NULL},
    {"fake.damaged", QUIPU_DATA_LOSS, "a row is damaged", "", NULL}};

static enum quipu_score fake_probe(const struct quipu__probe *probe) {
    (void)probe;
    return QUIPU_SCORE_NO;
}

static enum quipu_status fake_open(struct quipu__trace *trace, struct quipu_error *err) {
    for (uint32_t i = 0; i < fake_trace->stream_count; i++) {
        struct quipu_stream *stream = QUIPU__VEC_ADD(trace->memory, &trace->streams);
        if (!stream)
            return quipu__no_memory(err, sizeof *stream);
        *stream = (struct quipu_stream){.name = "fake",
                                        .path = trace->path,
                                        .native_id = i,
                                        .substreams = fake_trace->streams[i].substreams,
                                        .bytes = fake_trace->streams[i].count};
        trace->bytes_total += stream->bytes;
    }
    for (uint32_t i = 0; i < fake_trace->locations; i++) {
        const struct quipu_location location = {.native_id = i + 1,
                                                .name = harness_text("rank %u", i),
                                                .kind = QUIPU_LOCATION_PROCESS,
                                                .parent = QUIPU_NONE,
                                                .rank = i,
                                                .pid = -1,
                                                .tid = -1,
                                                .host = ""};
        quipu__add_location(trace->define, &location);
    }
    for (uint32_t i = 0; i < fake_trace->regions; i++) {
        const struct quipu_region region = {.native_id = i + 100,
                                            .name = harness_text("region %u", i),
                                            .group = "",
                                            .role = i == 0 ? fake_role : (enum quipu_region_role)0,
                                            .nesting = fake_nesting,
                                            .source = QUIPU_NONE};
        quipu__add_region(trace->define, &region);
    }
    for (uint32_t i = 0; i < fake_trace->metrics; i++) {
        const struct quipu_metric metric = {.name = harness_text("metric %u", i), .group = "", .unit = "bytes"};
        quipu__add_metric(trace->define, &metric);
    }
    trace->define->definitions.clock.ticks_per_second = 1000000000;
    const struct quipu__where where = QUIPU__WHERE_INIT;
    for (uint32_t i = 0; i < fake_trace->open_findings; i++)
        quipu__find(trace->findings, &fake_rules[FAKE_OPENED], &where, "", "number %u", i);
    return QUIPU_OK;
}

static void fake_close(struct quipu__trace *trace) {
    (void)trace;
}

static enum quipu_status fake_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                        struct quipu_error *err) {
    struct fake_pass *pass = quipu__alloc_zero(common->trace->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    *out = &pass->common;
    return QUIPU_OK;
}

static void fake_pass_close(struct quipu__pass *pass) {
    quipu__release(pass->trace->memory, pass, sizeof(struct fake_pass));
}

/* A row without events belongs to the first substream. */
static inline bool fake_is_of_pass(const struct fake_pass *pass, const struct quipu_event *row) {
    const uint32_t substream = row->kind < QUIPU_KIND_COUNT ? row->stream : 0;
    return pass->common.substream >= QUIPU__ALL_SUBSTREAMS || pass->common.substream == substream;
}

/* The next row of the stream, counted as a record where it belongs. Where the substreams lie apart a pass knows where the
 * rows of others are. */
static const struct quipu_event *fake_next_row(struct fake_pass *pass) {
    const struct fake_stream *stream = &fake_trace->streams[pass->common.stream];
    while (fake_layout == QUIPU__SUBSTREAMS_APART && pass->row < stream->count &&
           !fake_is_of_pass(pass, &stream->rows[pass->row]))
        pass->row++;
    if (pass->row == stream->count)
        return NULL;
    const struct quipu_event *row = &stream->rows[pass->row++];
    pass->common.bytes++;
    fake_decoded++;
    if (!fake_is_of_pass(pass, row))
        return row;
    pass->common.records++;
    if (pass->common.records_of)
        pass->common.records_of[fake_type_of(row->kind)]++;
    return row;
}

static enum quipu_status fake_next_record(struct quipu__pass *common, struct quipu_record *out,
                                          struct quipu_error *err) {
    struct fake_pass *pass = (struct fake_pass *)(void *)common;
    (void)err;
    const struct quipu_event *row = fake_next_row(pass);
    if (!row)
        return QUIPU_END;
    pass->record = (struct fake_record){.object = row->object,
                                        .peer = row->peer,
                                        .tag = row->tag,
                                        .bytes = row->bytes,
                                        .colour = 7,
                                        .scent = 8};
    *out = (struct quipu_record){.type = &fake_types[fake_type_of(row->kind)],
                                 .data = &pass->record,
                                 .stream = common->stream,
                                 .byte_offset = pass->index,
                                 .line = QUIPU_UNKNOWN,
                                 .index = pass->index};
    pass->index++;
    return QUIPU_OK;
}

static inline void fake_add_event(struct quipu__batch *batch, const struct quipu_event *row) {
    const uint32_t i =
        quipu__batch_add(&batch->batch, row->time, (enum quipu_kind)row->kind, row->location, row->byte_offset);
#define QUIPU_COLUMN(name, c_type, doc) batch->batch.name[i] = row->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    for (uint32_t k = 0; k < row->attribute_count; k++)
        assert_true(quipu__batch_attribute(batch, &row->attributes[k].value));
}

static enum quipu_status fake_trouble(const struct fake_pass *pass, const struct quipu_event *row,
                                      struct quipu_error *err) {
    struct quipu__trace *trace = pass->common.trace;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.record = pass->row;
    if (row->kind == FAKE_DAMAGE)
        quipu__find(trace->findings, &fake_rules[FAKE_DAMAGED], &where, "", "stream %u", pass->common.stream);
    if (row->kind == FAKE_LATE)
        quipu__add_region(
            trace->define,
            &(struct quipu_region){.native_id = row->bytes, .name = "", .group = "", .source = QUIPU_NONE});
    if (row->kind == FAKE_UNREADABLE)
        return quipu__fail(err, QUIPU_IO, "read failed: broken disk");
    if (row->kind != FAKE_FAILURE)
        return QUIPU_OK;
    nanosleep(&(struct timespec){.tv_nsec = (long)row->bytes * 1000000}, NULL);
    return quipu__fail(err, QUIPU_LIMIT, "stream %u failed", pass->common.stream);
}

static enum quipu_status fake_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                         struct quipu_error *err) {
    struct fake_pass *pass = (struct fake_pass *)(void *)common;
    while (quipu__batch_left(batch) > 0) {
        const struct quipu_event *row = fake_next_row(pass);
        if (!row)
            break;
        const enum quipu_status status = fake_trouble(pass, row, err);
        if (status != QUIPU_OK)
            return status;
        if (row->kind < QUIPU_KIND_COUNT && fake_is_of_pass(pass, row))
            fake_add_event(batch, row);
    }
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

/* ---- Writing: everything but notes, metrics without their values, no attributes ---- */

static struct {
    struct quipu_event rows[64];
    uint32_t count;
    uint32_t streams, records;
    bool is_finished;
    enum quipu_status failure; /* what the next put gives */
} fake_written;

static enum quipu_status fake_create(struct quipu__output_trace *writing, struct quipu_error *err) {
    memset(&fake_written, 0, sizeof fake_written);
    struct quipu__file *file;
    return quipu__outputs_add(writing->outputs, writing->path, 0, &file, err);
}

static enum quipu_status fake_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                        struct quipu_error *err) {
    uint32_t cursor = 0;
    if (fake_written.failure)
        return quipu__fail(err, fake_written.failure, "the fake was told to fail");
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        if (event.kind == QUIPU_KIND_recv && event.peer == QUIPU_NONE)
            writing->dropped[event.kind]++;
        else if (event.kind != QUIPU_KIND_note && fake_written.count < 64)
            fake_written.rows[fake_written.count++] = event;
    }
    return QUIPU_OK;
}

static enum quipu_status fake_begin_stream(struct quipu__output_trace *writing,
                                           const struct quipu_stream *stream, struct quipu_error *err) {
    (void)writing, (void)stream, (void)err;
    fake_written.streams++;
    return QUIPU_OK;
}

static enum quipu_status fake_put_record(struct quipu__output_trace *writing, const struct quipu_record *record,
                                         struct quipu_error *err) {
    (void)writing, (void)record, (void)err;
    fake_written.records++;
    return QUIPU_OK;
}

static enum quipu_status fake_finish(struct quipu__output_trace *writing, struct quipu_error *err) {
    (void)writing, (void)err;
    fake_written.is_finished = true;
    return QUIPU_OK;
}

static void fake_abandon(struct quipu__output_trace *writing) {
    (void)writing;
}

static const struct quipu__kind_capability fake_kinds[] = {
    {QUIPU_KIND_enter, QUIPU__COLUMN(object)},
    {QUIPU_KIND_leave, QUIPU__COLUMN(object)},
    {QUIPU_KIND_send, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes)},
    {QUIPU_KIND_recv, QUIPU__COLUMN(peer) | QUIPU__COLUMN(tag) | QUIPU__COLUMN(bytes)},
    {QUIPU_KIND_metric, 0},
};
static const struct quipu__capabilities fake_capabilities = {
    .kinds = fake_kinds,
    .kind_count = sizeof fake_kinds / sizeof *fake_kinds,
};

static enum quipu__substreams fake_substreams(const struct quipu__trace *trace, uint32_t stream) {
    (void)trace, (void)stream;
    return fake_layout;
}

static uint32_t fake_substream_of(const struct quipu__trace *trace, uint32_t stream, uint32_t location) {
    return location % trace->streams.items[stream].substreams;
}

static struct quipu__reading fake_reading = {
    .probe = fake_probe,
    .open = fake_open,
    .close = fake_close,
    .pass_open = fake_pass_open,
    .pass_close = fake_pass_close,
    .next_record = fake_next_record,
    .next_batch = fake_next_batch,
    .substreams = fake_substreams,
    .substream_of = fake_substream_of,
    .mapping = fake_mapping,
};

static const struct quipu__copying fake_copying = {
    .begin_stream = fake_begin_stream,
    .put_record = fake_put_record,
};

static const struct quipu__writing fake_writing = {
    .capabilities = &fake_capabilities,
    .create = fake_create,
    .put_batch = fake_put_batch,
    .finish = fake_finish,
    .abandon = fake_abandon,
};

static const struct quipu__format fake_format = {
    .info = {.name = "fake",
             .title = "Fake",
             .suffixes = ".fake",
             .schema = &fake_schema,
             .rules = fake_rules,
             .rule_count = FAKE_RULES},
    .reading = &fake_reading,
    .copying = &fake_copying,
    .writing = &fake_writing,
};

/* Opens the trace; the caller closes the reader. */
static inline struct quipu_reader *fake_reader_with(const struct fake_trace *trace,
                                                    const struct quipu_reader_options *options) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    fake_trace = trace;
    if (quipu__reader_open("memory", &fake_format, options, &reader, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    return reader;
}
static inline struct quipu_reader *fake_reader(const struct fake_trace *trace) {
    return fake_reader_with(trace, NULL);
}

#endif
