/* traces.h: small DUMPI traces made by tests, record by record, and what reading them gives, as text. */
#ifndef QUIPU_TESTS_DUMPI_TRACES_H
#define QUIPU_TESTS_DUMPI_TRACES_H

#include "harness.h"

#include "formats/dumpi/records.h"

#define MASK_ALL 0x4f

/* A trace that is being made. Each call begins where the previous one ended and lasts 10 ns; the first one of a rank
 * begins at 100 s. */
struct made {
    struct quipu_writer *writer;
    const char *path; /* of the metafile */
    struct quipu__dumpi_call common;
    uint32_t version;
};

static inline void made_ok(enum quipu_status status, const struct quipu_error *err) {
    if (status != QUIPU_OK)
        fail_msg("%s", err->message);
}

static inline struct made made_create(void) {
    struct made made = {.path = harness_text("%s/made.meta", harness_folder()), .version = QUIPU__DUMPI_NEWEST};
    struct quipu_error err = QUIPU_ERROR_INIT;
    made_ok(quipu_writer_create(made.path, quipu_format_find("dumpi"), NULL, &made.writer, &err), &err);
    return made;
}

static inline void made_record(struct made *made, uint32_t type, const void *data, const void *common) {
    const struct quipu_record record = {
        .type = &quipu__dumpi_types[type], .data = data, .common = common, .line = QUIPU_UNKNOWN};
    struct quipu_error err = QUIPU_ERROR_INIT;
    made_ok(quipu_writer_put_record(made->writer, &record, &err), &err);
}

static inline void made_rank(struct made *made, uint32_t rank) {
    const struct quipu_stream stream = {.name = "", .path = "", .native_id = rank, .substreams = 1};
    const struct quipu__dumpi_begin begin = {.wall_bias = 100, .version = made->version};
    struct quipu_error err = QUIPU_ERROR_INIT;
    made_ok(quipu_writer_begin_stream(made->writer, &stream, &err), &err);
    made_record(made, QUIPU__DUMPI_TYPE_begin, &begin, NULL);
    made->common = (struct quipu__dumpi_call){.mask = MASK_ALL, .wall_stop = INT64_C(100000000000)};
}

static inline void made_call(struct made *made, uint32_t type, const void *data) {
    made->common.wall_start = made->common.wall_stop;
    made->common.wall_stop += 10;
    made_record(made, type, data, &made->common);
}

#define CALL(made, name, ...)                                                                                  \
    made_call(made, QUIPU__DUMPI_TYPE_##name, &(const struct quipu__dumpi_##name){__VA_ARGS__})

static inline const char *made_close(struct made *made) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    made_ok(quipu_writer_close(made->writer, &err), &err);
    return made->path;
}

/* Path of the file of a rank. */
static inline const char *made_file(const struct made *made, unsigned rank) {
    return harness_text("%.*s-%04u.bin", (int)(strlen(made->path) - strlen(".meta")), made->path, rank);
}

/* Sized memory with a copy of these elements, which lives until the test program ends: the list holds on to it. */
static inline void *sized(const void *elements, uint32_t count, size_t size) {
    struct retained {
        struct retained *older;
        struct quipu_sized head;
    };
    static struct retained *all;
    struct retained *retained = calloc(1, sizeof *retained + (count + 1) * size);
    retained->older = all;
    all = retained;
    retained->head.count = count;
    if (count)
        memcpy(retained + 1, elements, count * size);
    return retained + 1;
}
#define NUMBERS(...)                                                                                           \
    sized((const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / 4, sizeof(int32_t))
static inline const char *text(const char *value) {
    return sized(value, (uint32_t)strlen(value), 1);
}
#define STATUS(bytes, source, tag)                                                                             \
    sized(&(const struct quipu__dumpi_status){bytes, source, tag, 0, 0}, 1, sizeof(struct quipu__dumpi_status))

/* ---- Two ranks ---- */

/* A trace of two ranks with 20 calls each, of 31 bytes. */
static inline struct made two_ranks(void) {
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        for (unsigned i = 0; i < 20; i++)
            CALL(&made, barrier, .comm = 2);
    }
    made_close(&made);
    return made;
}

/* ---- Reading ---- */

static inline struct quipu_reader *opened(const char *path) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    made_ok(quipu_reader_open(path, NULL, &reader, &err), &err);
    return reader;
}

/* All events of a trace but enter and leave, one a line: time, location, kind, fields by name; unknown numbers as ?. */
static inline char *events_of(struct quipu_reader *reader, quipu_kinds kinds) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    char *all = harness_text("%s", "");
    selection.kinds = kinds;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event.kind);
        all = harness_text("%s%lld %u %s", all, (long long)event.time, event.location, kind->name);
        for (size_t i = 0; i < kind->field_count; i++) {
            const int64_t value = quipu_event_get(&event, kind->fields[i].column);
            const bool unknown = value == -1 || value == QUIPU_NONE;
            all = unknown && kind->fields[i].refers != QUIPU_REFERS_SIGNED
                      ? harness_text("%s %s=?", all, kind->fields[i].name)
                      : harness_text("%s %s=%lld", all, kind->fields[i].name, (long long)value);
        }
        all = harness_text("%s\n", all);
    }
    return all;
}

#define BUT_REGIONS (QUIPU_ALL_KINDS & ~(QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave)))

static inline void assert_events(const char *path, quipu_kinds kinds, const char *expected) {
    struct quipu_reader *reader = opened(path);
    assert_string_equal(events_of(reader, kinds), expected);
    quipu_reader_close(reader);
}

static inline uint64_t count_calls(const char *path) {
    struct quipu_reader *reader = opened(path);
    struct quipu_record record;
    uint64_t calls = 0;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        calls += record.common != NULL;
    quipu_reader_close(reader);
    return calls;
}

/* Runs all checks; findings of a rule, or of all rules when rule is NULL. */
static inline size_t findings_of(const char *path, const char *rule) {
    struct quipu_reader *reader = opened(path);
    struct quipu_check_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    size_t count = 0;
    made_ok(quipu_check(reader, NULL, &result, &err), &err);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        count += !rule || strcmp(quipu_findings_at(findings, i)->rule->id, rule) == 0;
    quipu_reader_close(reader);
    return count;
}

#endif
