/* Plain lines: what plain.c takes is what decode.c makes of it, and what it leaves is left untouched. */
#include "harness.h"

#include "formats/otf/keyword.h"

static struct quipu__memory memory;
static struct quipu__scratch scratch;

/* Empty lines, so that nothing is left out because the text ends. */
#define PADDING 600

/* A text with its padding, which is read from its beginning. */
struct text {
    uint8_t bytes[400 + PADDING];
    size_t len;
};

static struct quipu__otf_memo memo;

static struct quipu__otf_lines new_lines(enum quipu__otf_file file) {
    memo = (struct quipu__otf_memo){.file = file};
    return (struct quipu__otf_lines){.file = file, .memo = &memo};
}

static void set_text(struct text *text, const char *lines, size_t len) {
    assert_true(len <= sizeof text->bytes - PADDING);
    memcpy(text->bytes, lines, len);
    memset(text->bytes + len, '\n', sizeof text->bytes - len);
    text->len = len;
}

static void begin(struct quipu__otf_lines *lines, const struct text *text) {
    lines->at = text->bytes;
    lines->end = text->bytes + text->len + PADDING;
    lines->ended = true;
    lines->state = (struct quipu__otf_state)QUIPU__OTF_STATE_INIT;
}

/* Lines that have met the keyword of a line already. */
static void meet(struct quipu__otf_lines *lines, enum quipu__otf_file file, const char *line) {
    struct text text;
    *lines = new_lines(file);
    set_text(&text, line, strlen(line));
    begin(lines, &text);
    quipu__otf_recognise(lines);
}

/* Goes on by the complete decoder up to a place, or to the first line that is no state line. */
static enum quipu__otf_line go_on(struct quipu__otf_lines *lines, const uint8_t *until, uint64_t *count) {
    enum quipu__otf_line line = QUIPU__OTF_LINE_TIME;
    while (lines->at < until && (line == QUIPU__OTF_LINE_TIME || line == QUIPU__OTF_LINE_PROCESS)) {
        line = quipu__otf_recognise(lines);
        ++*count;
    }
    return line;
}

static void assert_same_place(const struct quipu__otf_lines *left, const struct quipu__otf_lines *right) {
    assert_ptr_equal(left->at, right->at);
    assert_true(left->state.time == right->state.time);
    assert_int_equal(left->state.process, right->state.process);
}

/* Reads a text both ways; returns whether its record was taken as a plain one. */
static bool reads_the_same(struct quipu__otf_lines *lines, const struct text *text) {
    union quipu__otf_any data, expected;
    const uint8_t *first;
    uint64_t count = 0, expected_count = 0;
    struct quipu__otf_lines complete = {.file = lines->file};
    memset(&data, 0, sizeof data);
    memset(&expected, 0, sizeof expected);
    begin(lines, text);
    begin(&complete, text);
    const struct quipu__otf_form *form = quipu__otf_take_plain(lines, &data, &first, &count);
    const enum quipu__otf_line line = go_on(&complete, lines->at, &expected_count);
    assert_int_equal(count, expected_count);
    if (form) {
        assert_int_equal(line, QUIPU__OTF_LINE_RECORD);
        assert_ptr_equal(complete.form, form);
        assert_true(first == text->bytes || first[-1] == '\n');
        assert_int_equal(quipu__otf_parse(&complete, form, &scratch, &expected, NULL), QUIPU__OTF_PARSED);
        assert_memory_equal(&data, &expected, sizeof data);
    } else {
        assert_int_not_equal(line, QUIPU__OTF_LINE_RECORD);
    }
    assert_same_place(lines, &complete);
    return form != NULL;
}

static bool is_plain(const struct quipu_record_type *type) {
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
}

static void stop(void) {
    quipu__scratch_release(&scratch);
    assert_int_equal(memory.used, 0);
}

/* Every byte of the lines in turn is replaced, left out and doubled. */
static void alter(struct quipu__otf_lines *lines, const struct text *text) {
    static const char bytes[] = "\n 0f*ELSRCTNXK#g\"\t\rP\x80/:`@[";
    for (size_t place = 0; place < text->len; place++) {
        struct text altered = *text;
        for (size_t i = 0; i < sizeof bytes; i++) { /* with the NUL */
            altered.bytes[place] = (uint8_t)bytes[i];
            reads_the_same(lines, &altered);
        }
        altered = *text;
        altered.len = text->len - 1;
        memmove(altered.bytes + place, text->bytes + place + 1, text->len + PADDING - place - 1);
        reads_the_same(lines, &altered);
        altered.len = text->len + 1;
        memcpy(altered.bytes + place + 1, text->bytes + place, text->len - place);
        memset(altered.bytes + altered.len, '\n', PADDING - 1);
        altered.len = text->len;
        reads_the_same(lines, &altered);
    }
}

static void test_plain_lines_read_as_by_the_complete_decoder(void **state) {
    unsigned types = 0;
    (void)state;
    start();
    for (uint32_t t = 0; t < QUIPU__OTF_TYPE_COUNT; t++) {
        const struct quipu_record_type *type = &quipu__otf_schema.types[t];
        if (!is_plain(type))
            continue;
        types++;
        assert_true(type->field_count <= 9); /* what plain.c takes care of when the text ends */
        for (int round = 0; round < 3; round++)
            for (int long_form = 0; long_form < 2; long_form++) {
                struct quipu__otf_lines lines;
                struct text text;
                const char *key = long_form ? type->key_long : type->key;
                meet(&lines, (enum quipu__otf_file)type->group, harness_text("%s1\n", key));
                encode_lines((enum quipu__otf_type)t, round, long_form, &text);
                assert_true(reads_the_same(&lines, &text) ==
                            (strlen(key) <= 7 && strcmp(key, "NOOP") != 0)); /* the writer ends it in a blank */
                if (round == 1)
                    alter(&lines, &text);
            }
    }
    assert_true(types > 30);
    stop();
}

static void test_plain_spellings_of_others_are_left_to_the_complete_decoder(void **state) {
    static const char *const keys[] = {"E1\n", "ENTER 1\n", "S1L2T3C4\n", "FE1H2OP3B4\n", "#\"x\"\n"};
    static const char *const taken[] = {"E1\n",         "E1X2\n", "E 1\n", "ENTER1\n",  "ENTER 1X2\n",
                                        "S1L2T3C4X5\n", "E\n",    "E1X\n", "S1L2T3C\n", "ENTER \n"};
    static const char *const left[] = {"E1S3\n",
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
    struct quipu__otf_lines lines = new_lines(QUIPU__OTF_EVENTS);
    struct text text;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        set_text(&text, keys[i], strlen(keys[i]));
        begin(&lines, &text);
        assert_int_equal(quipu__otf_recognise(&lines), QUIPU__OTF_LINE_RECORD);
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        set_text(&text, taken[i], strlen(taken[i]));
        if (!reads_the_same(&lines, &text))
            fail_msg("left: %s", taken[i]);
    }
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        set_text(&text, left[i], strlen(left[i]));
        if (reads_the_same(&lines, &text) || lines.at != text.bytes)
            fail_msg("taken: %s", left[i]);
    }
    stop();
}

/* Keywords that share a place would push each other out. Snapshots may stand in files of events. */
static void test_plain_keywords_have_places_of_their_own(void **state) {
    (void)state;
    for (int file = 0; file < QUIPU__OTF_MASTER; file++)
        for (int long_form = 0; long_form < 2; long_form++) {
            uint64_t keyword_at[QUIPU__OTF_KNOWN] = {0};
            for (uint32_t i = 0; i < quipu__otf_form_count; i++) {
                const struct quipu__otf_form *form = &quipu__otf_forms[i];
                uint8_t key[24 + 8] = {0};
                unsigned len;
                strncpy((char *)key, long_form ? form->key_long : form->key, 24);
                const uint64_t keyword = quipu__otf_keyword_at(key, &len);
                const bool is_inline = file == QUIPU__OTF_EVENTS && form->file == QUIPU__OTF_SNAPSHOTS;
                if (keyword == 0 || ((int)form->file != file && !is_inline))
                    continue;
                const size_t place = quipu__otf_place_of(keyword);
                assert_true(place < QUIPU__OTF_KNOWN);
                assert_true(keyword_at[place] == 0 || keyword_at[place] == keyword);
                keyword_at[place] = keyword;
            }
        }
}

/* Two keywords of the same place: each is what it is, whichever came last. */
static void test_plain_known_keywords_are_compared_in_full(void **state) {
    (void)state;
    struct quipu__otf_lines lines = new_lines(QUIPU__OTF_DEFINITIONS);
    struct text text;
    static const char *const texts[] = {"DP1NM\"x\"\n", "DEFP1NM\"x\"\n", "DPROCESS 1\n", "DTR5\n", "DEFTR5\n"};
    static const enum quipu__otf_type types[] = {QUIPU__OTF_DefProcess, QUIPU__OTF_DefProcess,
                                                 QUIPU__OTF_DefProcess, QUIPU__OTF_DefTimerResolution,
                                                 QUIPU__OTF_DefTimerResolution};
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            for (unsigned p = 0; p < QUIPU__OTF_KNOWN; p++) /* everything looks taken by another one */
                if (round == 2)
                    memo.known[p].keyword ^= 1;
            set_text(&text, texts[i], strlen(texts[i]));
            begin(&lines, &text);
            assert_int_equal(quipu__otf_recognise(&lines), QUIPU__OTF_LINE_RECORD);
            assert_int_equal(lines.form->type, types[i]);
        }
}

QUIPU_TESTS(cmocka_unit_test(test_plain_lines_read_as_by_the_complete_decoder),
            cmocka_unit_test(test_plain_spellings_of_others_are_left_to_the_complete_decoder),
            cmocka_unit_test(test_plain_keywords_have_places_of_their_own),
            cmocka_unit_test(test_plain_known_keywords_are_compared_in_full))
