/* Canonical lines: what the scanner takes is what the complete decoder makes of it, and what it leaves is left untouched. */
#include "harness.h"

#include "formats/otf/lines.h"
#include "schema/keyed_scan.h"

static struct quipu__memory memory;
static struct quipu__scratch scratch;

/* Empty lines, so that nothing is left out because the text ends. */
#define PADDING 600

/* A text with its padding, which is read from its beginning. */
struct text {
    uint8_t bytes[400 + PADDING];
    size_t len;
};

static struct quipu__keyed_scanner *scanners[QUIPU__OTF_STREAM_FILES];

static struct quipu__keyed_lines new_lines(enum quipu__otf_file file) {
    return (struct quipu__keyed_lines){.grammar = &quipu__otf_grammar,
                                       .scanner = scanners[file],
                                       .kind = (uint8_t)file,
                                       .seen = QUIPU__KEYED_NOTHING_SEEN};
}

static void set_text(struct text *text, const char *lines, size_t len) {
    assert_true(len <= sizeof text->bytes - PADDING);
    memcpy(text->bytes, lines, len);
    memset(text->bytes + len, '\n', sizeof text->bytes - len);
    text->len = len;
}

static void begin(struct quipu__keyed_lines *lines, const struct text *text) {
    lines->p = text->bytes;
    lines->end = text->bytes + text->len + PADDING;
    lines->ended = true;
    lines->state = (struct quipu__keyed_state)QUIPU__KEYED_STATE_INIT;
}

/* Goes on by the complete decoder up to a place, or to the first line that is no state line. */
static enum quipu__keyed_line go_on(struct quipu__keyed_lines *lines, const uint8_t *until, uint64_t *count) {
    enum quipu__keyed_line line = QUIPU__KEYED_TIME;
    while (lines->p < until && (line == QUIPU__KEYED_TIME || line == QUIPU__KEYED_PROCESS)) {
        line = quipu__keyed_recognise(lines);
        ++*count;
    }
    return line;
}

static void assert_same_offset(const struct quipu__keyed_lines *left, const struct quipu__keyed_lines *right) {
    assert_ptr_equal(left->p, right->p);
    assert_true(left->state.time == right->state.time);
    assert_int_equal(left->state.process, right->state.process);
}

/* Reads a text both ways; returns whether its record was taken by the scanner. */
static bool reads_the_same(struct quipu__keyed_lines *lines, const struct text *text) {
    union quipu__otf_any data, expected;
    const uint8_t *first;
    uint64_t count = 0, expected_count = 0;
    uint64_t numbers[QUIPU__KEYED_NUMBERS];
    struct quipu__keyed_lines complete = {.grammar = &quipu__otf_grammar, .kind = lines->kind};
    memset(&data, 0, sizeof data);
    memset(&expected, 0, sizeof expected);
    begin(lines, text);
    begin(&complete, text);
    const struct quipu__keyed_pattern *pattern = quipu__keyed_next(lines, numbers, &first, &count);
    const struct quipu__keyed_form *form = pattern ? pattern->form : NULL;
    if (pattern)
        quipu__keyed_store(pattern, numbers, &data);
    const enum quipu__keyed_line line = go_on(&complete, lines->p, &expected_count);
    assert_int_equal(count, expected_count);
    if (form) {
        assert_int_equal(line, QUIPU__KEYED_RECORD);
        assert_ptr_equal(complete.form, form);
        assert_true(first == text->bytes || first[-1] == '\n');
        assert_int_equal(quipu__keyed_decode(&complete, form, &scratch, &expected, NULL), QUIPU__KEYED_DECODED);
        assert_memory_equal(&data, &expected, sizeof data);
    } else {
        assert_int_not_equal(line, QUIPU__KEYED_RECORD);
    }
    assert_same_offset(lines, &complete);
    return form != NULL;
}

static bool is_of_numbers(const struct quipu_record_type *type) {
    for (uint32_t i = 0; i < type->field_count; i++)
        if (type->fields[i].shape != QUIPU_ONE || type->fields[i].storage == QUIPU_STORE_STRING ||
            type->fields[i].storage == QUIPU_STORE_U8)
            return false;
    return type->group < QUIPU__OTF_MASTER;
}

/* A time line, a process line and a line of the type; bigger numbers in later rounds. */
static void encode_lines(enum quipu__otf_type type_number, int round, bool long_form, struct text *text) {
    const struct quipu_record_type *type = &quipu__otf_schema.types[type_number];
    static const int64_t values[] = {0, 0x1a, 0x765432100fedcba};
    union quipu__otf_any record;
    struct quipu__buffer out;
    memset(&record, 0, sizeof record);
    for (uint32_t i = 0; i < type->field_count; i++)
        quipu__store_i64(&type->fields[i], &record, values[round] + (round > 0 ? i : 0));
    quipu__buffer_init(&out, &memory, 0);
    quipu__put_text(&out, round == 2 ? "123456789abcdef0\n*fffffffe\n" : "5f\n*12\n");
    quipu__otf_encode(&out, type_number, &record, long_form);
    set_text(text, (const char *)out.data, out.len);
    quipu__buffer_release(&out);
}

static void start(void) {
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
    for (uint8_t i = 0; i < QUIPU__OTF_STREAM_FILES; i++)
        scanners[i] = quipu__keyed_scanner_new(&memory, &quipu__otf_grammar, i);
}

static void stop(void) {
    quipu__scratch_release(&scratch);
    for (uint8_t i = 0; i < QUIPU__OTF_STREAM_FILES; i++)
        quipu__keyed_scanner_free(&memory, scanners[i]);
    assert_int_equal(memory.used, 0);
}

/* Every byte of the lines in turn is replaced, left out and doubled. */
static void alter(struct quipu__keyed_lines *lines, const struct text *text) {
    static const char bytes[] = "\n 0f*ELSRCTNXK#g\"\t\rP\x80/:`@[";
    for (size_t offset = 0; offset < text->len; offset++) {
        struct text altered = *text;
        for (size_t i = 0; i < sizeof bytes; i++) { /* with the NUL */
            altered.bytes[offset] = (uint8_t)bytes[i];
            reads_the_same(lines, &altered);
        }
        altered = *text;
        altered.len = text->len - 1;
        memmove(altered.bytes + offset, text->bytes + offset + 1, text->len + PADDING - offset - 1);
        reads_the_same(lines, &altered);
        altered.len = text->len + 1;
        memcpy(altered.bytes + offset + 1, text->bytes + offset, text->len - offset);
        memset(altered.bytes + altered.len, '\n', PADDING - 1);
        altered.len = text->len;
        reads_the_same(lines, &altered);
    }
}

static void test_fast_lines_read_as_by_the_complete_decoder(void **state) {
    unsigned types = 0;
    (void)state;
    start();
    for (uint32_t t = 0; t < QUIPU__OTF_TYPE_COUNT; t++) {
        const struct quipu_record_type *type = &quipu__otf_schema.types[t];
        if (!is_of_numbers(type))
            continue;
        types++;
        assert_true(type->field_count <= 9); /* what the scanner takes care of when the text ends */
        for (int round = 0; round < 3; round++)
            for (int long_form = 0; long_form < 2; long_form++) {
                struct quipu__keyed_lines lines = new_lines((enum quipu__otf_file)type->group);
                struct text text;
                const char *key = long_form ? type->key_long : type->key;
                encode_lines((enum quipu__otf_type)t, round, long_form, &text);
                assert_true(reads_the_same(&lines, &text) == (strlen(key) <= 7));
                if (round == 1)
                    alter(&lines, &text);
            }
    }
    assert_true(types > 30);
    stop();
}

static void test_fast_lines_leave_spellings_of_others_to_the_complete_decoder(void **state) {
    static const char *const taken[] = {"E1\n",         "E1X2\n", "ENTER 1\n", "ENTER 1 SCL 2\n", "NOOP \n",
                                        "S1L2T3C4X5\n", "E\n",    "E1X\n",     "S1L2T3C\n",       "ENTER \n"};
    static const char *const left[] = {"E 1\n",
                                       "ENTER1\n",
                                       "ENTER 1X2\n",
                                       "E1S3\n",
                                       " E1\n",
                                       "E1 \n",
                                       "E1 S 3\n",
                                       "E#1\n",
                                       "EX3\n",
                                       "E1X2X3\n",
                                       "E1SCL3\n",
                                       "E1\r\n",
                                       "Eg\n",
                                       "E1F\n",
                                       "S1L2T3\n",
                                       "S1T2L3C4\n",
                                       "FE1H2OP3B4\n",
                                       "#\"x\"\n",
                                       "K1Y5V7\n",
                                       "E11111111111111111\n",
                                       "ENTER  1\n",
                                       "ENTER 1 X 3\n",
                                       "*\n",
                                       "ENTER 1 SCL3\n",
                                       "ENTER 1 SCL  3\n",
                                       "*ffffffff\n",
                                       "5 \n",
                                       "* 1\n",
                                       "ffffffffffffffff\n",
                                       "11111111111111111\n",
                                       "Zfoo\n",
                                       "*1ffffffff\n",
                                       "\n"};
    (void)state;
    start();
    struct quipu__keyed_lines lines = new_lines(QUIPU__OTF_EVENTS);
    struct text text;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        set_text(&text, taken[i], strlen(taken[i]));
        if (!reads_the_same(&lines, &text))
            fail_msg("left: %s", taken[i]);
    }
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        set_text(&text, left[i], strlen(left[i]));
        if (reads_the_same(&lines, &text) || lines.p != text.bytes)
            fail_msg("taken: %s", left[i]);
    }
    stop();
}

/* What the scanner says of a keyword of the rows is what the complete decoder finds out, of words that are none too. */
static void assert_recognised_alike(enum quipu__otf_file file, const char *word) {
    struct quipu__keyed_lines lines = new_lines(file),
                              complete = {.grammar = &quipu__otf_grammar, .kind = (uint8_t)file};
    struct text text;
    const char *line = harness_text("%s0\n", word);
    set_text(&text, line, strlen(line));
    begin(&lines, &text);
    begin(&complete, &text);
    assert_int_equal(quipu__keyed_recognise(&lines), quipu__keyed_recognise(&complete));
    assert_ptr_equal(lines.form, complete.form);
    assert_ptr_equal(lines.p, complete.p);
}

static void test_fast_lines_keywords_are_those_of_the_complete_decoder(void **state) {
    (void)state;
    start();
    for (uint8_t file = 0; file < QUIPU__OTF_STREAM_FILES; file++)
        for (uint32_t i = 0; i < quipu__otf_grammar.form_count; i++) {
            const struct quipu__keyed_form *form = &quipu__otf_grammar.forms[i];
            assert_recognised_alike((enum quipu__otf_file)file, form->key);
            assert_recognised_alike((enum quipu__otf_file)file, form->key_long);
            assert_recognised_alike((enum quipu__otf_file)file, harness_text("%sA", form->key));
            assert_recognised_alike((enum quipu__otf_file)file, harness_text("Z%s", form->key));
        }
    stop();
}

/* Words that hash alike are compared in full: all words of three letters. */
static void test_fast_lines_keywords_are_compared_in_full(void **state) {
    (void)state;
    start();
    for (unsigned i = 0; i < 26 * 26 * 26; i++) {
        const char word[] = {(char)('A' + i / 676), (char)('A' + i / 26 % 26), (char)('A' + i % 26), '\0'};
        assert_recognised_alike(QUIPU__OTF_DEFINITIONS, word);
        assert_recognised_alike(QUIPU__OTF_EVENTS, word);
    }
    assert_recognised_alike(QUIPU__OTF_DEFINITIONS, "DPROCESS");
    assert_recognised_alike(QUIPU__OTF_DEFINITIONS, "DEFTR");
    stop();
}

QUIPU_TESTS(cmocka_unit_test(test_fast_lines_read_as_by_the_complete_decoder),
            cmocka_unit_test(test_fast_lines_leave_spellings_of_others_to_the_complete_decoder),
            cmocka_unit_test(test_fast_lines_keywords_are_those_of_the_complete_decoder),
            cmocka_unit_test(test_fast_lines_keywords_are_compared_in_full))
