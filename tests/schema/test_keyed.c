/* test_keyed.c: the complete decoder, the fast scanner and both encoders of one small table. All lines are written by hand. */
#include "harness.h"

#define ROWS_RECORDS "schema/keyed.def"
#define ROWS_DOMAINS "schema/keyed_types.def"
#define ROWS_PREFIX lines
#define ROWS_NUMBERS LINES
#define ROWS_TYPES LINES_TYPE
#define ROWS_GROUP(group) GROUP_##group
enum { GROUP_DEFINITIONS, GROUP_EVENTS };
#include "schema/keyed_scan.h"
#include "schema/rows_structs.h"
#include "schema/rows_tables.h"

#include "schema/rows_encode.h"

/* ---- The grammar ---- */

static const struct quipu_schema schema = {"lines", lines_types, LINES_TYPE_COUNT, NULL};
static const struct quipu__keyed_form forms[] = {
    {LINES_TYPE_step, GROUP_EVENTS, "S", "STEP", fields_of_step, LINES_step_FIELDS},
    {LINES_TYPE_halt, GROUP_EVENTS, "H", "HALT", fields_of_halt, LINES_halt_FIELDS},
    {LINES_TYPE_group, GROUP_DEFINITIONS, "DG", "DEFGROUP", fields_of_group, LINES_group_FIELDS}};
static const struct quipu__keyed_older_key older_keys[] = {
    {LINES_TYPE_step, offsetof(struct lines_step, source), "OLD"}};
static const struct quipu__keyed_kind kinds[] = {
    [GROUP_DEFINITIONS] = {"D", "DEF", QUIPU__KEYED_NO_KIND, false},
    [GROUP_EVENTS] = {"", "", QUIPU__KEYED_NO_KIND, false}};
static const bool skips_words[LINES_TYPE_COUNT] = {false};
static const struct quipu__keyed_spelling value = {"K", "KEY"};
static const struct quipu__keyed_grammar grammar = {.schema = &schema,
                                                    .forms = forms,
                                                    .form_count = sizeof forms / sizeof *forms,
                                                    .older_keys = older_keys,
                                                    .older_key_count = 1,
                                                    .kinds = kinds,
                                                    .skips_words = skips_words,
                                                    .comment_mark = '#',
                                                    .process_mark = '*',
                                                    .value = &value};

static struct quipu__memory memory;
static struct quipu__scratch scratch;
static struct quipu__keyed_scanner *scanners[2];

static int start(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
    for (uint8_t kind = 0; kind < 2; kind++)
        scanners[kind] = quipu__keyed_scanner_new(&memory, &grammar, kind);
    return 0;
}

static int stop(void **state) {
    (void)state;
    for (uint8_t kind = 0; kind < 2; kind++)
        quipu__keyed_scanner_free(&memory, scanners[kind]);
    quipu__scratch_release(&scratch);
    return memory.used == 0 ? 0 : -1;
}

static struct quipu__keyed_lines lines_of(uint8_t kind, const char *text, size_t len) {
    return (struct quipu__keyed_lines){.grammar = &grammar,
                                       .kind = kind,
                                       .ended = true,
                                       .p = (const uint8_t *)text,
                                       .end = (const uint8_t *)text + len,
                                       .state = QUIPU__KEYED_STATE_INIT,
                                       .seen = QUIPU__KEYED_NOTHING_SEEN};
}

/* Lines with what they say, in both spellings. */
static const struct {
    struct lines_step record;
    const char *short_form, *long_form;
} steps[] = {{{0, 0, 0}, "S0B0\n", "STEP 0 BYTES 0\n"},
             {{0x2a, 0x10, 0}, "S2aB10\n", "STEP 2a BYTES 10\n"},
             {{0xffffffff, UINT64_C(0xfedcba987654321), 7},
              "SffffffffBfedcba987654321X7\n",
              "STEP ffffffff BYTES fedcba987654321 SCL 7\n"}};
static const struct {
    struct lines_halt record;
    const char *short_form, *long_form;
} halts[] = {{{0, 0}, "H\n", "HALT \n"}, {{5, 0}, "H5\n", "HALT 5\n"}, {{0, 9}, "H0X9\n", "HALT 0 SCL 9\n"}};
enum { STEPS = sizeof steps / sizeof *steps, HALTS = sizeof halts / sizeof *halts };

/* ---- Writing ---- */

static void assert_encoded(uint16_t type, const void *record, bool long_form, const char *expected) {
    struct quipu__buffer out;
    quipu__buffer_init(&out, &memory, 0);
    quipu__keyed_encode(&out, &lines_types[type], record, long_form);
    quipu__put_u8(&out, '\0');
    assert_string_equal((const char *)out.data, expected);
    quipu__buffer_release(&out);
}

static void test_keyed_encoder_spells_both_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < STEPS; i++) {
        assert_encoded(LINES_TYPE_step, &steps[i].record, false, steps[i].short_form);
        assert_encoded(LINES_TYPE_step, &steps[i].record, true, steps[i].long_form);
    }
    for (size_t i = 0; i < HALTS; i++) {
        assert_encoded(LINES_TYPE_halt, &halts[i].record, false, halts[i].short_form);
        assert_encoded(LINES_TYPE_halt, &halts[i].record, true, halts[i].long_form);
    }
}

static void test_keyed_encoder_writes_lists_and_texts_that_lines_can_hold(void **state) {
    (void)state;
    uint32_t *members = quipu__scratch_sized(&scratch, 3, sizeof *members);
    memcpy(members, (uint32_t[]){1, 0xab, 0}, 3 * sizeof *members);
    const struct lines_group group = {4, members, quipu__scratch_text(&scratch, "a \"b\"\nc", 7)};
    assert_encoded(LINES_TYPE_group, &group, false, "DG4M1,ab,0,NM\"a  b  c\"\n");
    assert_encoded(LINES_TYPE_group, &group, true, "DEFGROUP 4 MEMBERS 1,ab,0, NAME \"a  b  c\"\n");
    assert_false(quipu__keyed_can_hold("a\nb", 3));
    assert_true(quipu__keyed_can_hold("a b", 3));
}

static void test_keyed_specialised_encoder_spells_the_same(void **state) {
    (void)state;
    assert_int_equal(NUMBERS_step + NUMBERS_halt, 2);
    assert_int_equal(NUMBERS_group, 0);
    for (size_t i = 0; i < STEPS; i++) {
        uint8_t text[MOST_step];
        assert_int_equal(put_step(text, &steps[i].record, false) - text, strlen(steps[i].short_form));
        assert_memory_equal(text, steps[i].short_form, strlen(steps[i].short_form));
        assert_int_equal(put_step(text, &steps[i].record, true) - text, strlen(steps[i].long_form));
        assert_memory_equal(text, steps[i].long_form, strlen(steps[i].long_form));
    }
    for (size_t i = 0; i < HALTS; i++) {
        uint8_t text[MOST_halt];
        assert_int_equal(put_halt(text, &halts[i].record, false) - text, strlen(halts[i].short_form));
        assert_memory_equal(text, halts[i].short_form, strlen(halts[i].short_form));
        assert_int_equal(put_halt(text, &halts[i].record, true) - text, strlen(halts[i].long_form));
        assert_memory_equal(text, halts[i].long_form, strlen(halts[i].long_form));
    }
}

/* ---- The complete decoder ---- */

/* Decodes the one line of a text; fault is the name of the field that is missing, NULL for none. */
static void decode(uint8_t kind, const char *text, union lines_any *out, const char *fault) {
    struct quipu__keyed_lines lines = lines_of(kind, text, strlen(text));
    const struct quipu_field *lacks = NULL;
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_RECORD);
    const enum quipu__keyed_result result = quipu__keyed_decode(&lines, lines.form, &scratch, out, &lacks);
    assert_int_equal(result, fault ? QUIPU__KEYED_MALFORMED : QUIPU__KEYED_DECODED);
    if (fault)
        assert_string_equal(lacks->name, fault);
    else
        assert_ptr_equal(lines.p, lines.end);
}

static void assert_step(const char *text, struct lines_step expected) {
    union lines_any record;
    decode(GROUP_EVENTS, text, &record, NULL);
    assert_int_equal(record.step.token, expected.token);
    assert_true(record.step.bytes == expected.bytes);
    assert_int_equal(record.step.source, expected.source);
}

static void test_keyed_decoder_reads_what_the_encoder_writes(void **state) {
    (void)state;
    for (size_t i = 0; i < STEPS; i++) {
        assert_step(steps[i].short_form, steps[i].record);
        assert_step(steps[i].long_form, steps[i].record);
    }
    for (size_t i = 0; i < 2 * HALTS; i++) {
        union lines_any record;
        decode(GROUP_EVENTS, i % 2 ? halts[i / 2].long_form : halts[i / 2].short_form, &record, NULL);
        assert_int_equal(record.halt.token, halts[i / 2].record.token);
        assert_int_equal(record.halt.source, halts[i / 2].record.source);
    }
}

static void test_keyed_decoder_reads_other_spellings(void **state) {
    (void)state;
    assert_step("S 2aB\t10X 7\n", (struct lines_step){0x2a, 0x10, 7});
    assert_step("  STEP  2a  BYTES  10\n", (struct lines_step){0x2a, 0x10, 0});
    assert_step("S1BffffffffffffffffX7\n", (struct lines_step){1, UINT64_MAX, 7});
    assert_step("S2aBYTES10X0\n", (struct lines_step){0x2a, 0x10, 0});
    assert_step("STEP 2a BYTES 10 OLD 7\n", (struct lines_step){0x2a, 0x10, 7});
    assert_step("S2aB10X7 and more\n", (struct lines_step){0x2a, 0x10, 7});
}

static void test_keyed_decoder_reads_lists_and_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"DG4M1,ab,0,NM\"a b\"\n", "DEFGROUP 4 MEMBERS 1,ab,0, NAME \"a b\"\n"};
    for (size_t i = 0; i < 2; i++) {
        union lines_any record;
        decode(GROUP_DEFINITIONS, texts[i], &record, NULL);
        assert_int_equal(record.group.token, 4);
        assert_int_equal(quipu_sized_count(record.group.members), 3);
        assert_memory_equal(record.group.members, ((uint32_t[]){1, 0xab, 0}), 3 * sizeof(uint32_t));
        assert_string_equal(record.group.name, "a b");
    }
}

static void test_keyed_decoder_applies_state_lines(void **state) {
    (void)state;
    static const char text[] = "5f\n* 2a\n \nS1B2\nQUEER\nK7Y1\n";
    struct quipu__keyed_lines lines = lines_of(GROUP_EVENTS, text, strlen(text));
    union lines_any record;
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_TIME);
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_PROCESS);
    assert_true(lines.state.time == 0x5f && lines.state.process == 0x2a);
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_EMPTY);
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_RECORD);
    assert_int_equal(quipu__keyed_decode(&lines, lines.form, &scratch, &record, NULL), QUIPU__KEYED_DECODED);
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_OTHER);
    quipu__keyed_skip_line(&lines);
    assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_VALUE);
    assert_true(quipu__keyed_take_number(&lines) == 7);
}

static void test_keyed_decoder_names_the_field_that_a_line_lacks(void **state) {
    (void)state;
    union lines_any record;
    decode(GROUP_EVENTS, "S2a\n", &record, "bytes");
    decode(GROUP_EVENTS, "S2aX7\n", &record, "bytes");
    decode(GROUP_EVENTS, "S2a B10\n", &record, "bytes"); /* blanks stand before words only */
    decode(GROUP_EVENTS, "S2aB10Q7\n", &record, "source");
    decode(GROUP_DEFINITIONS, "DG4NM\"a\"\n", &record, "members");
    decode(GROUP_DEFINITIONS, "DG4M1,NMa\n", &record, "name");
    decode(GROUP_DEFINITIONS, "DG4M1,NM\"a\n", &record, "name");
}

/* Numbers are digits in lower case: a capital ends one, seventeen digits lose the first. */
static void test_keyed_decoder_reads_malformed_numbers_as_it_says(void **state) {
    (void)state;
    union lines_any record;
    decode(GROUP_EVENTS, "S2AB10\n", &record, "bytes");
    decode(GROUP_EVENTS, "S-1B10\n", &record, "bytes");
    decode(GROUP_EVENTS, "S0x1B10\n", &record, "bytes");
    assert_step("S2aB\n", (struct lines_step){0x2a, 0, 0});
    assert_step("S123456789B1fedcba9876543210\n",
                (struct lines_step){0x23456789, UINT64_C(0xfedcba9876543210), 0});
}

/* A line that is cut anywhere waits for more of it; ended there it costs itself alone. */
static void test_keyed_decoder_stands_lines_that_are_cut_anywhere(void **state) {
    (void)state;
    static const char *const texts[] = {"S2aB10X7\n", "STEP 2a BYTES 10 SCL 7\n", "DG4M1,ab,0,NM\"a b\"\n",
                                        "DEFGROUP 4 MEMBERS 1,ab,0, NAME \"a b\"\n"};
    for (size_t t = 0; t < 4; t++)
        for (size_t cut = 0; cut < strlen(texts[t]); cut++) {
            const uint8_t kind = t < 2 ? GROUP_EVENTS : GROUP_DEFINITIONS;
            char *text = malloc(cut + 1); /* so that a reader behind the end is found */
            union lines_any record;
            assert_non_null(text);
            memcpy(text, texts[t], cut);
            text[cut] = '\n';
            struct quipu__keyed_lines lines = lines_of(kind, text, cut);
            assert_int_equal(quipu__keyed_recognise(&lines), QUIPU__KEYED_MORE);
            assert_ptr_equal(lines.p, text);
            lines = lines_of(kind, text, cut + 1);
            if (quipu__keyed_recognise(&lines) == QUIPU__KEYED_RECORD)
                quipu__keyed_decode(&lines, lines.form, &scratch, &record, NULL);
            assert_true(lines.p <= lines.end);
            free(text);
        }
}

/* ---- The fast scanner ---- */

/* Scans a text, behind which the scanner may look; the pattern, or NULL when the line is left to the decoder. */
static const struct quipu__keyed_pattern *scan(uint8_t kind, const char *text, union lines_any *out) {
    static uint8_t padded[64 + 2 * QUIPU__KEYED_LINE];
    uint64_t numbers[QUIPU__KEYED_NUMBERS], count = 0;
    const uint8_t *first;
    memset(padded, '\n', sizeof padded);
    memcpy(padded, text, strlen(text));
    struct quipu__keyed_lines lines = lines_of(kind, (const char *)padded, sizeof padded);
    lines.scanner = scanners[kind];
    const struct quipu__keyed_pattern *pattern = quipu__keyed_next(&lines, numbers, &first, &count);
    memset(out, 0, sizeof *out);
    if (pattern)
        quipu__keyed_store(pattern, numbers, out);
    assert_ptr_equal(lines.p, pattern ? padded + strlen(text) : padded);
    return pattern;
}

static void test_keyed_scanner_takes_what_the_encoder_writes(void **state) {
    (void)state;
    union lines_any record;
    for (size_t i = 0; i < 2 * STEPS; i++) {
        const struct quipu__keyed_pattern *pattern =
            scan(GROUP_EVENTS, i % 2 ? steps[i / 2].long_form : steps[i / 2].short_form, &record);
        assert_non_null(pattern);
        assert_int_equal(pattern->form->type, LINES_TYPE_step);
        assert_int_equal(record.step.token, steps[i / 2].record.token);
        assert_true(record.step.bytes == steps[i / 2].record.bytes);
        assert_int_equal(record.step.source, steps[i / 2].record.source);
    }
    for (size_t i = 0; i < 2 * HALTS; i++) {
        const struct quipu__keyed_pattern *pattern =
            scan(GROUP_EVENTS, i % 2 ? halts[i / 2].long_form : halts[i / 2].short_form, &record);
        assert_non_null(pattern);
        assert_int_equal(record.halt.token, halts[i / 2].record.token);
        assert_int_equal(record.halt.source, halts[i / 2].record.source);
    }
}

static void test_keyed_scanner_leaves_other_spellings_to_the_decoder(void **state) {
    (void)state;
    static const char *const events[] = {"S 2aB10\n",
                                         "S2aB10OLD7\n",
                                         "S2aB10X7 more\n",
                                         "STEP  2a BYTES 10\n",
                                         "S2a\n",
                                         "S2AB10\n",
                                         "S-1B10\n",
                                         "S0x1B10\n",
                                         "QUEER 1\n",
                                         "SgB1\n",
                                         "S1B1fedcba9876543210\n",
                                         "S1BffffffffffffffffX7\n"};
    union lines_any record;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (scan(GROUP_EVENTS, events[i], &record))
            fail_msg("taken: %s", events[i]);
    assert_null(scan(GROUP_DEFINITIONS, "DG4M1,NM\"a\"\n", &record));
}

static void test_keyed_scanner_leaves_lines_that_are_cut_anywhere(void **state) {
    (void)state;
    static const char whole[] = "STEP 2a BYTES 10 SCL 7\n";
    union lines_any record;
    for (size_t cut = 1; cut < sizeof whole - 1; cut++) {
        const char *text = harness_text("%.*s\n", (int)cut, whole);
        union lines_any expected;
        if (!scan(GROUP_EVENTS, text, &record))
            continue;
        decode(GROUP_EVENTS, text, &expected, NULL); /* cut between fields it is a line all the same */
        assert_int_equal(record.step.token, expected.step.token);
        assert_true(record.step.bytes == expected.step.bytes);
    }
}

#define LINES_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
QUIPU_TESTS(LINES_TEST(test_keyed_encoder_spells_both_forms),
            LINES_TEST(test_keyed_encoder_writes_lists_and_texts_that_lines_can_hold),
            LINES_TEST(test_keyed_specialised_encoder_spells_the_same),
            LINES_TEST(test_keyed_decoder_reads_what_the_encoder_writes),
            LINES_TEST(test_keyed_decoder_reads_other_spellings),
            LINES_TEST(test_keyed_decoder_reads_lists_and_texts),
            LINES_TEST(test_keyed_decoder_applies_state_lines),
            LINES_TEST(test_keyed_decoder_names_the_field_that_a_line_lacks),
            LINES_TEST(test_keyed_decoder_reads_malformed_numbers_as_it_says),
            LINES_TEST(test_keyed_decoder_stands_lines_that_are_cut_anywhere),
            LINES_TEST(test_keyed_scanner_takes_what_the_encoder_writes),
            LINES_TEST(test_keyed_scanner_leaves_other_spellings_to_the_decoder),
            LINES_TEST(test_keyed_scanner_leaves_lines_that_are_cut_anywhere))
