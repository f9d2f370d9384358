/* test_records.c: the tables themselves, and records through plans: decoded by exact values, encoded and decoded with
 * random ones. */
#include "random_records.h"

#include "formats/dumpi/codec.h"

static struct quipu__memory memory;

static struct quipu__binary_codec *new_codec(uint32_t version, bool replace_counts) {
    struct quipu__binary_codec *codec;
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__dumpi_codec_new(&memory, version, replace_counts, &codec, NULL), QUIPU_OK);
    return codec;
}

/* ---- Tables ---- */

static void test_records_are_sound(void **state) {
    (void)state;
    char fault[200];
    const char *found = quipu__schema_fault(&quipu__dumpi_schema, fault, sizeof fault);
    assert_string_equal(found ? found : "", "");
}

static void test_records_of_calls_are_in_the_order_of_their_numbers(void **state) {
    (void)state;
    unsigned calls = 0;
    for (uint32_t id = 0; id < 300; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        if (id == 128 || id == 290 || id > 292) {
            assert_int_equal(type, QUIPU_NONE);
            continue;
        }
        assert_int_equal(quipu__dumpi_types[type].id, id);
        calls++;
    }
    assert_int_equal(calls, 291);
}

/* The first number of a row of the specification's call table is followed by its name and fields. */
/* needs: shared */
static void test_records_agree_with_the_call_table(void **state) {
    (void)state;
    char *table = harness_read(harness_shared("spec/dumpi-calls.tsv"), NULL);
    unsigned rows = 0;
    for (char *line = strtok(strchr(table, '\n') + 1, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned id;
        char name[80], fields[2000];
        assert_int_equal(sscanf(line, "%u\t%79[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%1999[^\t]", &id, name, fields),
                         3);
        const uint32_t type = quipu__dumpi_type_of(id);
        if (id == 128)
            continue;
        const struct quipu_record_type *row = &quipu__dumpi_types[type];
        assert_string_equal(row->name, name);
        size_t position = 0;
        for (size_t i = 0; strcmp(fields, "-") != 0 && i < row->field_count; i++) {
            const struct quipu_field *field = &row->fields[row->order ? row->order[i] : i];
            if (field->until != 0)
                continue;
            const char *colon = strchr(fields + position, ':');
            assert_non_null(colon);
            assert_memory_equal(colon + 1, field->name, strlen(field->name));
            const char *space = strchr(colon, ' ');
            position = space ? (size_t)(space + 1 - fields) : strlen(fields);
        }
        assert_true(position == strlen(fields) || strcmp(fields, "-") == 0);
        rows++;
    }
    assert_int_equal(rows, 291);
}

static void test_records_labels_are_those_of_the_tools(void **state) {
    (void)state;
    static const struct {
        const char *domain;
        int64_t value;
        const char *label;
    } expected[] = {
        {"comm", 2, "MPI_COMM_WORLD"},
        {"comm", 4, "user-defined-comm"},
        {"dtype", 9, "MPI_INT"},
        {"dtype", 28, "user-defined-datatype"},
        {"op", 15, "user-defined-op"},
        {"errh", 2, "user-defined-errhandler"},
        {"errh", -1, "DUMPI_ERRHANDLER_ERROR"},
        {"info", 1, "user-info"},
        {"info", -1, "MPI_INFO_NULL"},
        {"amode", 0, "DUMPI_FILEMODE_ERROR"},
        {"amode", 100, "DUMPI_FILEMODE_ERROR"},
        {"wassert", 5, "MPI_MODE_NOCHECK|MPI_MODE_NOPUT"},
        {"wassert", 255, "DUMPI_MODE_ERROR"},
        {"wassert", 32, "DUMPI_MODE_ERROR"},
        {"source", -2, "MPI_ROOT"},
        {"dest", -1, NULL},
        {"tag", -1, "MPI_ANY_TAG"},
        {"dist", 1, NULL},
        {"cmp", 9, "undefined-comparison"},
        {"keyval", 9, "MPI_WIN_DISP_UNIT"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *label = quipu__dumpi_label_of(expected[i].domain, expected[i].value);
        assert_string_equal(label ? label : "none", expected[i].label ? expected[i].label : "none");
    }
}

/* ---- The worked example of the specification ---- */

static void test_records_init_of_the_specification(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0x00, 0x7C, 0x4F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x75, 0xAD, 0x00,
                                    0x00, 0x00, 0x00, 0x75, 0xBC, 0xA0, 0x00, 0x00, 0x2B, 0xF7, 0xEF,
                                    0x88, 0x00, 0x00, 0x2B, 0xF7, 0xF3, 0x70, 0x00, 0x00, 0x00, 0x01,
                                    0x00, 0x00, 0x00, 0x05, 0x2E, 0x2F, 0x6D, 0x70, 0x69, 0x01, 0x25};
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_VERSION(1, 0, 0), false);
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    decoder.wall_bias_ns = INT64_C(1296777956) * 1000000000;
    assert_int_equal(quipu__dumpi_decode(&decoder, bytes, bytes + sizeof bytes, &next), QUIPU__DUMPI_OK);
    assert_int_equal(next - bytes, 42);
    assert_int_equal(decoder.type, QUIPU__DUMPI_TYPE_init);
    assert_int_equal(decoder.common.mask, 0x4F);
    assert_int_equal(decoder.common.thread, 0);
    assert_int_equal(decoder.common.cpu_start, 7712000);
    assert_int_equal(decoder.common.cpu_stop, 7716000);
    assert_int_equal(decoder.common.wall_start, INT64_C(1296777956737669000));
    assert_int_equal(decoder.common.wall_stop, INT64_C(1296777956737670000));
    assert_int_equal(decoder.data.init.argc, 1);
    assert_int_equal(quipu_sized_count(decoder.data.init.argv), 1);
    assert_string_equal(decoder.data.init.argv[0], "./mpi");
    assert_int_equal(quipu__dumpi_decode(&decoder, next, bytes + sizeof bytes, &next), QUIPU__DUMPI_ENDS);
    for (size_t i = 1; i < 42; i++)
        assert_int_equal(quipu__dumpi_decode(&decoder, bytes, bytes + i, &next), QUIPU__DUMPI_MORE);
    quipu__dumpi_decoder_release(&decoder);
    quipu__binary_codec_free(codec);
}

/* ---- Random values ---- */

static void assert_struct(const struct quipu_record_type *type, const uint8_t *a, const uint8_t *b);

static void assert_field(const struct quipu_field *field, const uint8_t *a, const uint8_t *b) {
    if (field->shape == QUIPU_ONE && field->storage < QUIPU_STORE_STRING) {
        assert_memory_equal(a + field->offset, b + field->offset,
                            quipu__storage_bytes((enum quipu_storage)field->storage));
        return;
    }
    const uint8_t *left, *right;
    memcpy(&left, a + field->offset, sizeof left);
    memcpy(&right, b + field->offset, sizeof right);
    assert_int_equal(quipu_sized_count(left), quipu_sized_count(right));
    for (uint32_t i = 0; i < quipu_sized_count(left); i++) {
        struct quipu_field one = *field;
        one.offset = 0;
        one.shape = QUIPU_ONE;
        const size_t size = quipu__storage_bytes((enum quipu_storage)field->storage);
        if (field->element)
            assert_struct(field->element, left + i * field->element->size, right + i * field->element->size);
        else if (field->shape == QUIPU_LIST)
            assert_field(&one, left + i * size, right + i * size);
        else
            assert_int_equal(left[i], right[i]);
    }
}

static void assert_struct(const struct quipu_record_type *type, const uint8_t *a, const uint8_t *b) {
    for (size_t i = 0; i < type->field_count; i++)
        assert_field(&type->fields[i], a, b);
}

static void draw_common(struct quipu__dumpi_call *common) {
    const uint8_t mask = (uint8_t)(draw() & ~(uint64_t)QUIPU__DUMPI_MASK_UNUSED);
    *common = (struct quipu__dumpi_call){.mask = mask};
    if (mask & QUIPU__DUMPI_MASK_THREAD)
        common->thread = (uint16_t)draw();
    if (mask & QUIPU__DUMPI_MASK_CPU) {
        common->cpu_start = (int64_t)(draw() % 65536 * 1000000000 + draw() % 1000000000);
        common->cpu_stop = common->cpu_start;
    }
    if (mask & QUIPU__DUMPI_MASK_WALL)
        common->wall_start = INT64_C(7000000000) + (int64_t)(draw() % 1000000000);
    if (mask & QUIPU__DUMPI_MASK_WALL)
        common->wall_stop = common->wall_start + 5;
    if (mask & QUIPU__DUMPI_MASK_COUNTERS) {
        struct quipu__dumpi_counter counters[2] = {{(int64_t)draw(), -1}, {0, (int64_t)draw()}};
        common->counters = sized(counters, (uint32_t)(draw() % 3), sizeof *counters);
    }
}

/* One record of one type there and back; its bytes are the same again. */
static void there_and_back(const struct quipu__binary_codec *codec, uint32_t type) {
    const struct quipu__dumpi_encoder encoder = {codec, 0, INT64_C(7000000000)};
    const bool is_call = quipu__dumpi_types[type].id < QUIPU__DUMPI_END;
    union quipu__dumpi_any data;
    struct quipu__dumpi_call common;
    struct quipu__buffer out, again;
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    memset(&data, 0, sizeof data);
    draw_common(&common);
    draw_struct(&quipu__dumpi_types[type], (uint8_t *)&data, codec->machine.version);
    quipu__buffer_init(&out, &memory, 0);
    quipu__buffer_init(&again, &memory, 0);
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    decoder.wall_bias_ns = encoder.wall_bias_ns;
    if (is_call)
        quipu__dumpi_encode(&encoder, type, &common, &data, &out);
    else
        quipu__dumpi_encode_section(codec, type, &data, &out);
    const enum quipu__dumpi_outcome outcome =
        is_call ? quipu__dumpi_decode(&decoder, out.data, out.data + out.len, &next)
                : quipu__dumpi_decode_section(&decoder, type, out.data, out.data + out.len, &next);
    if (outcome != QUIPU__DUMPI_OK)
        fail_msg("%s: outcome %d", quipu__dumpi_types[type].name, outcome);
    assert_ptr_equal(next, out.data + out.len);
    assert_int_equal(decoder.type, type);
    if (is_call)
        quipu__dumpi_encode(&encoder, type, &decoder.common, &decoder.data, &again);
    else
        quipu__dumpi_encode_section(codec, type, &decoder.data, &again);
    assert_int_equal(again.len, out.len);
    assert_memory_equal(again.data, out.data, out.len);
    if (!is_call || (common.mask & QUIPU__DUMPI_MASK_STATUS))
        assert_struct(&quipu__dumpi_types[type], (const uint8_t *)&data, (const uint8_t *)&decoder.data);
    if (is_call)
        assert_struct(quipu__dumpi_schema.common, (const uint8_t *)&common, (const uint8_t *)&decoder.common);
    quipu__dumpi_decoder_release(&decoder);
    quipu__buffer_release(&out);
    quipu__buffer_release(&again);
}

static void test_records_come_back_from_bytes(void **state) {
    (void)state;
    static const uint32_t versions[] = {QUIPU__DUMPI_VERSION(0, 2, 0), QUIPU__DUMPI_VERSION(0, 5, 0),
                                        QUIPU__DUMPI_VERSION(0, 6, 2), QUIPU__DUMPI_VERSION(0, 6, 3),
                                        QUIPU__DUMPI_VERSION(0, 6, 8), QUIPU__DUMPI_VERSION(0, 6, 9),
                                        QUIPU__DUMPI_VERSION(1, 0, 0), QUIPU__DUMPI_NEWEST};
    seed = 20;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct quipu__binary_codec *codec = new_codec(versions[v], false);
        for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++)
            for (unsigned round = 0; round < 8; round++)
                there_and_back(codec, type);
        quipu__binary_codec_free(codec);
        assert_int_equal(memory.used, 0);
    }
}

/* ---- Odd records ---- */

static enum quipu__dumpi_outcome decode_waitsome(bool replace_counts, int32_t *outcount) {
    static const uint8_t bytes[] = {0, 20,   3,    0,    0,    0, 1, 0, 0, 0, 1, 0, 0, 0,
                                    1, 0xff, 0xff, 0x80, 0x02, 0, 0, 0, 0, 0, 0, 0, 0};
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_NEWEST, replace_counts);
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    const enum quipu__dumpi_outcome outcome = quipu__dumpi_decode(&decoder, bytes, bytes + sizeof bytes, &next);
    *outcount = decoder.data.waitsome.outcount;
    assert_null(decoder.data.waitsome.indices);
    assert_null(decoder.data.waitsome.statuses);
    quipu__dumpi_decoder_release(&decoder);
    quipu__binary_codec_free(codec);
    return outcome;
}

static void test_records_keep_the_raw_count_unless_asked(void **state) {
    (void)state;
    int32_t outcount;
    assert_int_equal(decode_waitsome(false, &outcount), QUIPU__DUMPI_OK);
    assert_int_equal(outcount, -32766);
    assert_int_equal(decode_waitsome(true, &outcount), QUIPU__DUMPI_OK);
    assert_int_equal(outcount, 0);
}

static enum quipu__dumpi_outcome decode_bytes(const uint8_t *bytes, size_t size, uint64_t limit) {
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_NEWEST, false);
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    decoder.engine.limit = limit;
    const enum quipu__dumpi_outcome outcome = quipu__dumpi_decode(&decoder, bytes, bytes + size, &next);
    quipu__dumpi_decoder_release(&decoder);
    quipu__binary_codec_free(codec);
    return outcome;
}

static void test_records_with_impossible_lengths_are_none(void **state) {
    (void)state;
    static const uint8_t negative[] = {0, 32, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t huge[] = {0, 32, 0, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff};
    static const uint8_t unknown[] = {0, 128, 0};
    static const uint8_t beyond[] = {2, 0, 0};
    assert_int_equal(decode_bytes(negative, sizeof negative, 1000), QUIPU__DUMPI_BAD);
    assert_int_equal(decode_bytes(huge, sizeof huge, 1000), QUIPU__DUMPI_BAD);
    assert_int_equal(decode_bytes(unknown, sizeof unknown, 1000), QUIPU__DUMPI_BAD);
    assert_int_equal(decode_bytes(beyond, sizeof beyond, 1000), QUIPU__DUMPI_BAD);
}

QUIPU_TESTS(cmocka_unit_test(test_records_are_sound),
            cmocka_unit_test(test_records_of_calls_are_in_the_order_of_their_numbers),
            cmocka_unit_test(test_records_agree_with_the_call_table),
            cmocka_unit_test(test_records_labels_are_those_of_the_tools),
            cmocka_unit_test(test_records_init_of_the_specification),
            cmocka_unit_test(test_records_come_back_from_bytes),
            cmocka_unit_test(test_records_keep_the_raw_count_unless_asked),
            cmocka_unit_test(test_records_with_impossible_lengths_are_none))
