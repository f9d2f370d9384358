/* test_formats.c: what holds for every format: its tables are sound, its descriptor keeps what its abilities promise, and
 * its small traces are recognised, printed and copied. A format joins by its line in formats.def and a folder in
 * tests/data/sweep. What damage does is in trace/test_sweep.c, check/test_repair.c, tests/faults, tests/work and fuzz, which go
 * over the same list or the same folders.
 */
#include "harness.h"

#include "formats/descriptor.h"
#include "schema/schema.h"
#include "schema/soundness.h"
#include "trace/reader.h"

#include <ctype.h>
#include <dirent.h>

typedef void format_test(const struct quipu__format *format);

static void for_each_format(format_test *test) {
    assert_true(quipu_format_count() >= 4);
    for (size_t i = 0; i < quipu_format_count(); i++)
        test(quipu__format_at(i));
}

/* ---- The descriptor ---- */

static void assert_abilities(const struct quipu__format *format) {
    const uint32_t abilities = format->info.abilities;
    const uint32_t of_writing = QUIPU_CAN_WRITE | QUIPU_HAS_STREAMS | QUIPU_WRITES_VARIANTS | QUIPU_CAN_REPAIR;
    assert_int_equal((abilities & QUIPU_CAN_READ) != 0, format->reading != NULL);
    assert_int_equal((abilities & QUIPU_CAN_READ) != 0, format->info.schema != NULL);
    assert_int_equal((abilities & QUIPU_CAN_WRITE) != 0, format->writing != NULL);
    assert_int_equal((abilities & QUIPU_CAN_WRITE_RECORDS) != 0, format->copying != NULL);
    assert_true(!(abilities & QUIPU_CAN_CHECK) || format->reading);
    assert_true(!(abilities & of_writing) || format->writing);
    assert_true(!format->snapshots || format->intervals);
    assert_true(!format->resuming || (format->resuming->save && format->resuming->resume));
    assert_true(format->info.name[0] && format->info.title[0] && format->info.suffixes[0] == '.');
}

static void test_formats_have_what_their_abilities_promise(void **state) {
    (void)state;
    for_each_format(assert_abilities);
}

static void assert_reading(const struct quipu__format *format) {
    const struct quipu__reading *reading = format->reading;
    if (!reading)
        return;
    assert_true(reading->probe && reading->open && reading->close && reading->pass_open && reading->pass_close);
    assert_true(reading->next_record && reading->next_batch && reading->mapping);
    const struct quipu__copying *copying = format->copying;
    assert_true(!copying || (copying->begin_stream && copying->put_record));
    assert_true(!copying || !copying->next_spans == !copying->put_spans);
}

static void assert_writing(const struct quipu__format *format) {
    const struct quipu__writing *writing = format->writing;
    const bool is_database = (format->info.abilities & QUIPU_IS_DATABASE) != 0;
    assert_true(!writing ||
                (writing->create && writing->put_batch && writing->finish && writing->abandon) != is_database);
    assert_true(!writing || quipu__capable_kinds(writing->capabilities) != 0);
}

static void test_formats_have_all_functions_of_a_struct(void **state) {
    (void)state;
    for_each_format(assert_reading);
    for_each_format(assert_writing);
}

/* ---- The tables ---- */

static void assert_schema(const struct quipu__format *format) {
    const struct quipu_schema *schema = format->info.schema;
    char text[200];
    if (!schema)
        return;
    const char *fault = schema_fault(schema, text, sizeof text);
    if (fault)
        fail_msg("%s: %s", format->info.name, fault);
    for (uint32_t type = 0; type < schema->type_count; type++)
        assert_int_equal(quipu_schema_find(schema, schema->types[type].name), type);
}

static void test_formats_have_schemas_without_fault(void **state) {
    (void)state;
    for_each_format(assert_schema);
}

/* An outcome names a field of its type, which may go to several events; exact ones need no words. */
static void assert_mapping_of(const struct quipu_record_type *type, const struct quipu__mapping *mapping) {
    for (size_t i = 0; i < mapping->field_count; i++) {
        const struct quipu__field_outcome *outcome = &mapping->fields[i];
        assert_true(outcome->field < type->field_count && outcome->column <= QUIPU_COLUMN_COUNT);
        assert_non_null(outcome->reason);
        assert_true(outcome->reason[0] || outcome->outcome == QUIPU__OUTCOME_EXACT ||
                    outcome->outcome == QUIPU__OUTCOME_ATTRIBUTE);
    }
    assert_true(!mapping->is_definition || mapping->kinds == 0);
}

static void assert_mapping(const struct quipu__format *format) {
    for (uint32_t type = 0; format->reading && type < format->info.schema->type_count; type++) {
        const struct quipu__mapping *mapping = format->reading->mapping(type);
        assert_non_null(mapping);
        assert_mapping_of(&format->info.schema->types[type], mapping);
    }
}

static void test_formats_map_every_record_type(void **state) {
    (void)state;
    for_each_format(assert_mapping);
}

static void assert_rules(const struct quipu__format *format) {
    for (size_t i = 0; i < format->info.rule_count; i++) {
        const struct quipu_rule *rule = &format->info.rules[i];
        const size_t len = strlen(rule->text);
        assert_true(rule->id[0] && len > 10 && rule->advice);
        assert_true(rule->text[len - 1] != '.');
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(format->info.rules[k].id, rule->id);
    }
}

static void test_formats_have_rules_of_their_own_each(void **state) {
    (void)state;
    for_each_format(assert_rules);
}

/* ---- The traces of tests/data/sweep ---- */

typedef void trace_test(const char *path, const struct quipu_format *format);

/* The file with the shortest name that a format recognises; NULL: none. */
static const char *trace_of(const char *folder, const struct quipu_format **format) {
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    const char *shortest = NULL;
    while (directory && (entry = readdir(directory)) != NULL) {
        const char *path = harness_text("%s/%s", folder, entry->d_name);
        const struct quipu_format *found;
        enum quipu_score score;
        if (entry->d_name[0] == '.' || quipu_probe(path, &found, &score, NULL) != QUIPU_OK)
            continue;
        if (score >= QUIPU_SCORE_LIKELY && (!shortest || strlen(path) < strlen(shortest))) {
            shortest = path;
            *format = found;
        }
    }
    if (directory)
        closedir(directory);
    return shortest;
}

/* Marks the formats that have a trace in a folder. */
static uint64_t visit_traces(const char *root, trace_test *test) {
    DIR *directory = opendir(root);
    const struct dirent *entry;
    uint64_t seen = 0;
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        const struct quipu_format *format = NULL;
        const char *folder = harness_text("%s/%s", root, entry->d_name);
        const char *path = entry->d_name[0] != '.' ? trace_of(folder, &format) : NULL;
        if (!path)
            continue;
        test(path, format);
        for (size_t i = 0; i < quipu_format_count(); i++)
            seen |= (uint64_t)(quipu_format_at(i) == format) << i;
    }
    closedir(directory);
    return seen;
}

/* Every format that is read has a trace there, or in a folder of its own: those that a library reads, which may be missing. */
static void for_each_trace(trace_test *test, bool is_copied) {
    uint64_t seen = visit_traces(harness_data("sweep"), test);
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *format = quipu_format_at(i);
        const bool is_only_read = !(format->abilities & QUIPU_CAN_WRITE);
        if (!(format->abilities & QUIPU_CAN_READ) || (is_copied && is_only_read))
            continue;
        if (!(seen >> i & 1))
            seen |= visit_traces(harness_data(format->name), test);
        if (!(seen >> i & 1))
            fail_msg("no trace of %s in tests/data", format->name);
    }
}

/* Some formats need a library that may be missing. */
static bool is_built(const char *path) {
    struct quipu_reader *reader;
    const enum quipu_status status = quipu_reader_open(path, NULL, &reader, NULL);
    if (status == QUIPU_OK)
        quipu_reader_close(reader);
    return status != QUIPU_UNSUPPORTED;
}

static struct quipu_reader *open_trace(const char *path, const struct quipu_format *format) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    options.format = format->name;
    assert_int_equal(quipu_reader_open(path, &options, &reader, NULL), QUIPU_OK);
    return reader;
}

struct text {
    char data[1 << 16];
    size_t len;
};

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct text *text = context;
    (void)err;
    assert_true(text->len + size < sizeof text->data);
    memcpy(text->data + text->len, data, size);
    text->len += size;
    text->data[text->len] = '\0';
    return QUIPU_OK;
}

/* A record as text and as JSON: each a line, with the name of the type and of every field that is there. */
static void assert_printed(const struct quipu_schema *schema, const struct quipu_record *record) {
    static struct text text, json;
    const struct quipu_sink text_sink = {append, &text}, json_sink = {append, &json};
    text.len = json.len = 0;
    assert_int_equal(quipu_record_write_text(schema, record, text_sink, NULL), QUIPU_OK);
    assert_int_equal(quipu_record_write_json(schema, record, json_sink, NULL), QUIPU_OK);
    assert_non_null(strstr(text.data, record->type->name));
    assert_true(json.len > 2 && json.data[0] == '{' && strcmp(json.data + json.len - 2, "}\n") == 0);
    for (size_t i = 0; i < json.len - 1; i++)
        assert_false(iscntrl((unsigned char)json.data[i]));
    for (size_t i = 0; i < record->type->field_count; i++) {
        const struct quipu_field *field = &record->type->fields[i];
        if (quipu_field_present(record->type, field, record->data))
            assert_non_null(strstr(json.data, harness_text("\"%s\": ", field->name)));
    }
}

static void assert_prints(const char *path, const struct quipu_format *format) {
    if (!is_built(path))
        return;
    struct quipu_reader *reader = open_trace(path, format);
    struct quipu_record record;
    uint64_t count = 0;
    for (; quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK; count++)
        assert_printed(format->schema, &record);
    assert_true(count > 10);
    quipu_reader_close(reader);
}

static void test_formats_print_every_record(void **state) {
    (void)state;
    for_each_trace(assert_prints, false);
}

static const char *json_of(const struct quipu_schema *schema, const struct quipu_record *record) {
    static struct text text;
    text.len = 0;
    assert_int_equal(quipu_record_write_json(schema, record, (struct quipu_sink){append, &text}, NULL),
                     QUIPU_OK);
    return strstr(text.data, "\"type\"");
}

/* The copy has the same records, each with the same values. */
static void assert_copies(const char *path, const struct quipu_format *format) {
    if (!is_built(path))
        return;
    const char *copy =
        harness_text("%s/copy%.*s", harness_folder(), (int)strcspn(format->suffixes, " "), format->suffixes);
    struct quipu_reader *reader = open_trace(path, format);
    const struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report;
    assert_int_equal(quipu_convert(reader, copy, format->name, &options, &report, NULL), QUIPU_OK);
    assert_int_equal(quipu_conversion_report_lost(report), 0);
    quipu_conversion_report_free(report);
    struct quipu_reader *again = open_trace(copy, format);
    struct quipu_record left, right;
    quipu_reader_rewind(reader);
    while (quipu_reader_next_record(reader, &left, NULL) == QUIPU_OK) {
        const char *expected = harness_text("%s", json_of(format->schema, &left));
        assert_int_equal(quipu_reader_next_record(again, &right, NULL), QUIPU_OK);
        assert_string_equal(json_of(format->schema, &right), expected);
    }
    assert_int_equal(quipu_reader_next_record(again, &right, NULL), QUIPU_END);
    quipu_reader_close(reader);
    quipu_reader_close(again);
}

static void test_formats_copy_every_record(void **state) {
    (void)state;
    for_each_trace(assert_copies, true);
}

/* ---- What is not asked for ---- */

/* Events that a format's decoder gives of some kinds, and other calls, when asked for others too, and when asked for these alone: then it has decoded
 * hardly any other calls. Those that remain come where windows end, and in PICL with collective operations, which only the complete decoder knows. */
static void assert_decodes_only(const char *path, quipu_kinds kinds) {
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_OK);
    struct quipu__trace *trace = quipu__reader_trace(reader);
    const struct quipu__reading *reading = trace->format->reading;
    const quipu_kinds calls = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    uint64_t counts[2] = {0, 0}, others[2] = {0, 0};
    struct quipu__batch *batch;
    assert_int_equal(quipu__batch_new(trace->memory, 1000, &batch, NULL), QUIPU_OK);
    for (unsigned is_narrow = 0; is_narrow < 2; is_narrow++) {
        const struct quipu__filter filter = {
            .from = INT64_MIN, .to = INT64_MAX, .kinds = is_narrow ? kinds : QUIPU_ALL_KINDS};
        for (uint32_t i = 0; i < trace->streams.count; i++) {
            struct quipu__pass *pass;
            const struct quipu__pass common = {
                .trace = trace, .stream = i, .filter = &filter, .window = 1 << 16};
            if (trace->streams.items[i].substreams == 0)
                continue;
            assert_int_equal(reading->pass_open(&common, &pass, NULL), QUIPU_OK);
            for (; reading->next_batch(pass, batch, NULL) == QUIPU_OK; quipu__batch_clear(batch))
                for (uint32_t k = 0; k < batch->batch.count; k++) {
                    const bool is_asked = kinds >> batch->batch.kind[k] & 1;
                    counts[is_narrow] += is_asked;
                    others[is_narrow] += !is_asked && calls >> batch->batch.kind[k] & 1;
                }
            reading->pass_close(pass);
        }
    }
    assert_true(counts[0] > 0 && others[0] > 1000);
    assert_int_equal(counts[1], counts[0]);
    assert_true(others[1] * 50 < others[0]);
    quipu__batch_free(batch);
    quipu_reader_close(reader);
}

static void test_formats_decode_no_calls_for_those_who_want_messages(void **state) {
    (void)state;
    static const struct {
        const char *name, *suffix;
    } formats[] = {{"otf", ".otf"}, {"dumpi", ".meta"}, {"picl", ".picl"}};
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *path = harness_text("%s/run", harness_folder());
        assert_int_equal(harness_run("%s %s %s --streams 1 --events 20000", harness_built("bench/generate"),
                                     formats[i].name, path)
                             .code,
                         0);
        path = harness_text("%s%s", path, formats[i].suffix);
        assert_decodes_only(path, QUIPU_KIND_BIT(QUIPU_KIND_send));
        assert_decodes_only(path, QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv));
        assert_decodes_only(path, QUIPU_KIND_BIT(QUIPU_KIND_leave));
    }
}

QUIPU_TESTS(cmocka_unit_test(test_formats_have_what_their_abilities_promise),
            cmocka_unit_test(test_formats_have_all_functions_of_a_struct),
            cmocka_unit_test(test_formats_have_schemas_without_fault),
            cmocka_unit_test(test_formats_map_every_record_type),
            cmocka_unit_test(test_formats_have_rules_of_their_own_each),
            cmocka_unit_test(test_formats_print_every_record), cmocka_unit_test(test_formats_copy_every_record),
            cmocka_unit_test(test_formats_decode_no_calls_for_those_who_want_messages))
