/* test_random.c: traces drawn by lot, in the canonical spelling: each is valid, and reading and writing gives the same bytes,
 * copied and written in canonical spelling. */
#include "harness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { TRACES = 10000, TEXT_BYTES = 1 << 16, TYPES = 6, DEPTH = 40 };

/* A trace that is being drawn: its text, and the process that writes. Times are whole microseconds. */
struct drawn {
    uint64_t seed;
    char text[TEXT_BYTES];
    size_t len;
    int64_t time;
    uint32_t processor, process;
    int64_t active[DEPTH]; /* events that have been entered and not left */
    uint32_t depth;
    bool has_alias; /* number 6 stands for "%d%s" */
};

static uint64_t draw(struct drawn *drawn, uint64_t limit) {
    drawn->seed = drawn->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (drawn->seed >> 33) % limit;
}

static void add(struct drawn *drawn, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int len = vsnprintf(drawn->text + drawn->len, TEXT_BYTES - drawn->len, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && (size_t)len < TEXT_BYTES - drawn->len);
    drawn->len += (size_t)len;
}

/* Seconds with six decimals; the first synchronisation of the clocks is 0, so times may be negative. */
static void add_decimal(struct drawn *drawn, int64_t millionths) {
    const uint64_t size = millionths < 0 ? (uint64_t)-millionths : (uint64_t)millionths;
    add(drawn, "%s%" PRIu64 ".%06" PRIu64, millionths < 0 ? "-" : "", size / 1000000, size % 1000000);
}

static void add_head(struct drawn *drawn, int record, int64_t event) {
    drawn->time += (int64_t)draw(drawn, 3000);
    add(drawn, "%d %" PRId64 " ", record, event);
    add_decimal(drawn, drawn->time);
    add(drawn, " %" PRIu32 " %" PRIu32, drawn->processor, drawn->process);
}

/* ---- Data fields ---- */

static int64_t drawn_integer(struct drawn *drawn) {
    return (int64_t)draw(drawn, 2000) - 1000;
}

/* A backslash before the blanks at the end of a line would continue it, so the last character is a letter. */
static void add_characters(struct drawn *drawn, size_t count) {
    static const char characters[] = "abcXYZ 019-\"%\\";
    add(drawn, " %zu 0 ", count);
    for (size_t i = 0; i < count; i++)
        add(drawn, "%c", characters[draw(drawn, i + 1 < count ? sizeof characters - 1 : strlen("abcXYZ"))]);
}

static void add_word(struct drawn *drawn) {
    static const char *const words[] = {"a", "grid", "4by1", "x-1", "\"quoted\""};
    add(drawn, " %s", words[draw(drawn, sizeof words / sizeof *words)]);
}

static void add_integers(struct drawn *drawn, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        add(drawn, " %" PRId64, drawn_integer(drawn));
}

static void add_doubles(struct drawn *drawn, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        add(drawn, " ");
        add_decimal(drawn, (int64_t)draw(drawn, 1U << 31) - (1 << 30));
    }
}

/* Count, descriptor and values of a record, in every way that the format has. */
static void add_data(struct drawn *drawn) {
    const uint64_t count = 1 + draw(drawn, 4);
    switch (draw(drawn, 8)) {
    case 0:
        add_characters(drawn, (size_t)draw(drawn, 12) + 1);
        return;
    case 1:
        add(drawn, " %" PRIu64 " %" PRIu64, count, 2 + draw(drawn, 2));
        add_integers(drawn, count);
        return;
    case 2:
        add(drawn, " %" PRIu64 " %" PRIu64, count, 4 + draw(drawn, 2));
        add_doubles(drawn, count);
        return;
    case 3:
        add(drawn, " %" PRIu64 " 1", count);
        for (uint64_t i = 0; i < count; i++)
            add_word(drawn);
        return;
    case 4:
        add(drawn, " %" PRIu64 " \"%%d%%lf\"", count);
        for (uint64_t i = 0; i < count; i++) {
            add_integers(drawn, 1);
            add_doubles(drawn, 1);
        }
        return;
    case 5:
        add(drawn, " %" PRIu64 " %s", count, drawn->has_alias ? "6" : "\"%d%s\"");
        for (uint64_t i = 0; i < count; i++) {
            add_integers(drawn, 1);
            add_word(drawn);
        }
        return;
    default:
        add(drawn, " 0");
    }
}

/* ---- Records ---- */

static void enter(struct drawn *drawn) {
    if (drawn->depth == DEPTH)
        return;
    const int64_t event = (int64_t)draw(drawn, TYPES);
    drawn->active[drawn->depth++] = event;
    add_head(drawn, -3, event);
    add_data(drawn);
    add(drawn, "\n");
}

/* Events may overlap: any of the active ones ends. */
static void leave(struct drawn *drawn) {
    if (drawn->depth == 0)
        return;
    const uint32_t which = (uint32_t)draw(drawn, drawn->depth);
    add_head(drawn, -4, drawn->active[which]);
    drawn->active[which] = drawn->active[--drawn->depth];
    add_data(drawn);
    add(drawn, "\n");
}

static void send(struct drawn *drawn) {
    add_head(drawn, -3, -21);
    add(drawn, " 3 2 %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", draw(drawn, 100000), draw(drawn, 9),
        draw(drawn, 4));
    add_head(drawn, -4, -21);
    add(drawn, " 0\n");
}

static void define_alias(struct drawn *drawn) {
    add(drawn, "-6 -1 -1.000000 -1 -1 1 \"%%d%%s\" 6 \"%%d%%s\"\n");
    drawn->has_alias = true;
}

static void add_record(struct drawn *drawn) {
    switch (draw(drawn, 9)) {
    case 0:
    case 1:
    case 2:
        enter(drawn);
        return;
    case 3:
    case 4:
        leave(drawn);
        return;
    case 5:
        send(drawn);
        return;
    case 6:
        add_head(drawn, -7, -911);
        add_characters(drawn, (size_t)draw(drawn, 20) + 1);
        break;
    case 7:
        add_head(drawn, draw(drawn, 2) ? -2 : (int)draw(drawn, 5), (int64_t)draw(drawn, TYPES));
        add_data(drawn);
        break;
    default:
        add(drawn, "-5 %" PRIu64 " -1.000000 -1 -1", draw(drawn, TYPES));
        add_characters(drawn, (size_t)draw(drawn, 9) + 1);
    }
    add(drawn, "\n");
}

static void add_process(struct drawn *drawn, uint64_t records) {
    drawn->time = -(int64_t)draw(drawn, 2000000);
    drawn->depth = 0;
    add_head(drawn, -3, -901);
    add(drawn, " 0\n");
    for (uint64_t i = 0; i < records; i++)
        add_record(drawn);
    while (drawn->depth > 0)
        leave(drawn);
    add_head(drawn, -4, -901);
    add(drawn, " 0\n");
}

static void draw_trace(struct drawn *drawn) {
    const uint64_t processes = 1 + draw(drawn, 4), records = draw(drawn, 30);
    drawn->len = 0;
    drawn->has_alias = false;
    if (draw(drawn, 2))
        define_alias(drawn);
    for (drawn->processor = 0; drawn->processor < processes; drawn->processor++) {
        drawn->process = (uint32_t)draw(drawn, 2);
        add_process(drawn, records);
    }
}

/* ---- Reading and writing ---- */

static void assert_is_valid(const struct drawn *drawn, struct quipu_reader *reader) {
    struct quipu_check_result result;
    char line[512];
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    if (result.verdict == QUIPU_VERDICT_REJECT)
        fail_msg("%s\n%s",
                 quipu_finding_text(quipu_findings_at(quipu_reader_findings(reader), 0), line, sizeof line),
                 drawn->text);
}

static void assert_copy_is_same(const struct drawn *drawn, struct quipu_reader *reader, const char *path,
                                const char *canonical) {
    const struct quipu_setting setting = {"canonical", canonical};
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    size_t size;
    options.writer.replace = true;
    options.writer.settings = &setting;
    options.writer.setting_count = 1;
    quipu_reader_rewind(reader);
    if (quipu_convert(reader, path, "picl", &options, &report, &err) != QUIPU_OK)
        fail_msg("%s\n%s", err.message, drawn->text);
    assert_int_equal(quipu_conversion_report_lost(report), 0);
    quipu_conversion_report_free(report);
    const char *copy = harness_read(path, &size);
    size_t same = 0;
    while (same < size && same < drawn->len && copy[same] == drawn->text[same])
        same++;
    if (same < size || same < drawn->len)
        fail_msg("canonical=%s, byte %zu of %zu and %zu: %.200s\nbecame %.200s", canonical, same, drawn->len,
                 size, drawn->text + same, copy + same);
}

static void test_random_traces_come_back_byte_by_byte(void **state) {
    (void)state;
    static struct drawn drawn = {.seed = 1};
    const char *folder = harness_folder();
    const char *in = harness_text("%s/in.picl", folder), *out = harness_text("%s/out.picl", folder);
    for (uint32_t i = 0; i < TRACES; i++) {
        struct quipu_reader *reader;
        draw_trace(&drawn);
        harness_write(in, drawn.text, drawn.len);
        assert_int_equal(quipu_reader_open(in, NULL, &reader, NULL), QUIPU_OK);
        assert_is_valid(&drawn, reader);
        assert_copy_is_same(&drawn, reader, out, "no");
        assert_copy_is_same(&drawn, reader, out, "yes");
        quipu_reader_close(reader);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_random_traces_come_back_byte_by_byte))
