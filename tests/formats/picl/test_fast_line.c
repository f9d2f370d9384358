/* test_fast_line.c: the fast path reads what the complete decoder reads: records and events of lines as writers spell them, or almost,
 * are those of the same lines with a second blank, which sends them to the complete decoder. What the line before was like, which the
 * fast path goes by, changes now and then. */
#include "harness.h"

#include "formats/picl/traces.h"

#include <inttypes.h>

enum { LINES = 400, TEXT_BYTES = 1 << 17, JSON_BYTES = 1 << 16, TRACES = 40 };

/* Short traces, so many in a file, one behind the other, as PICL puts processes. */
enum { SHORT_TRACES = 10000, SHORT_TRACES_OF_FILE = 25, LINES_OF_SHORT_TRACE = 16 };

/* A trace in both spellings. */
struct pair {
    uint64_t seed;
    char fast[TEXT_BYTES], slow[TEXT_BYTES];
    size_t fast_len, slow_len;
    char seconds[24], location[48];
    unsigned decimals;
};

static unsigned draw(struct pair *pair, unsigned limit) {
    pair->seed = pair->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((pair->seed >> 33) % limit);
}

static void add_line(struct pair *pair, const char *line) {
    const size_t first = strcspn(line, " ");
    const size_t room = TEXT_BYTES - pair->slow_len;
    assert_true(strlen(line) + 3 < room);
    pair->fast_len += (size_t)sprintf(pair->fast + pair->fast_len, "%s\n", line);
    pair->slow_len += (size_t)sprintf(pair->slow + pair->slow_len, "%.*s %s\n", (int)first, line, line + first);
}

/* Digits of a number of up to so many, mostly few. */
static char *put_digits(struct pair *pair, char *at, unsigned most) {
    const unsigned few = most < 3 ? most : 3;
    const unsigned count = 1 + draw(pair, draw(pair, 4) ? few : most);
    for (unsigned i = 0; i < count; i++)
        *at++ = (char)('0' + draw(pair, 10));
    *at = '\0';
    return at;
}

static char *put_integer(struct pair *pair, char *at, unsigned most) {
    if (draw(pair, 6) == 0)
        *at++ = '-';
    return put_digits(pair, at, most);
}

/* What stays the same from line to line, for a while. */
static void draw_shape(struct pair *pair) {
    if (draw(pair, 5) == 0)
        put_digits(pair, pair->seconds, 9);
    if (draw(pair, 8) == 0)
        pair->decimals = draw(pair, 3) ? draw(pair, 7) : draw(pair, 20);
    if (draw(pair, 4) == 0) {
        char *at = put_integer(pair, pair->location, 5);
        *at++ = ' ';
        put_integer(pair, at, 5);
    }
}

static char *put_time(struct pair *pair, char *at) {
    at += sprintf(at, "%s%s", draw(pair, 5) ? "" : "-", pair->seconds);
    if (pair->decimals > 0 || draw(pair, 4) == 0)
        *at++ = '.';
    for (unsigned i = 0; i < pair->decimals; i++)
        *at++ = (char)('0' + draw(pair, 10));
    *at = '\0';
    return at;
}

static void add_drawn_line(struct pair *pair) {
    static const char *const types[] = {"-3", "-4", "-3", "-4", "-2", "0", "17"};
    static const char *const events[] = {"1",   "22",   "333",   "4444", "-901", "-21",
                                         "-52", "-401", "-9999", "1023", "1024"};
    char line[1024], *at = line;
    const unsigned count = draw(pair, 10);
    draw_shape(pair);
    at += sprintf(at, "%s %s ", types[draw(pair, sizeof types / sizeof *types)],
                  events[draw(pair, sizeof events / sizeof *events)]);
    at = put_time(pair, at);
    at += sprintf(at, " %s %u%s", pair->location, count, count ? " 2" : "");
    for (unsigned i = 0; i < count; i++) {
        *at++ = ' ';
        at = put_integer(pair, at, 18);
    }
    add_line(pair, line);
}

/* Behind a line that is as expected. */
static void add_spoiled_line(struct pair *pair) {
    static const char *const lines[] = {
        "-3 --5 1.500000 0 0 0",
        "-3 5- 1.500000 0 0 0",
        "-3 - 1.500000 0 0 0",
        "-3 5 1.50000a 0 0 0",
        "-3 5 1..50000 0 0 0",
        "-3 5 1.500000 0 0 2 2 1",
        "-3 5 1.500000 0 0 1 2 1 3",
        "-3 5 1.500000 0 0 1 3 1",
        "-3 5 1.500000 0 0 1 2 x",
        "-3 5 1.500000 0 0 1 2 --1",
        "-3 5 1.500000 0 0 1 2 12345678901234567890",
        "-3 5 a.500000 0 0 0",
        "-3 5 1.500000 0  0 0",
        "-3 5 1.500000 0 0 0 ",
        "-3 5 +1.500000 0 0 0",
        "-3 5 1.500000 +0 0 0",
        "-3 5 1.500000 0 0 00",
        "-3 5 1.500000 0 0 01 2 7",
        "-3 5 1.500000 0 0 1 02 7",
        "-3 5 1.500000\t0 0 0",
        "-3 5 .500000 0 0 0",
        "-3 5 1. 0 0 0",
        "-3 5 1 0 0 0",
        "-3 5 1.5e0000 0 0 0",
        "-3 5 1.500000 00 0 0",
        "-3 5 1.500000 0 0 9 2 1 2 3 4 5 6 7 8 9",
        "-03 5 1.500000 0 0 0",
        "-1 5 1.500000 0 0 0",
        "-9 5 1.500000 0 0 0",
        "3x 5 1.500000 0 0 0",
        "-3 5 1.500000 0 0 1 2 999 x",
        "-3 5 1.500000 0 0 -1",
        "-3 5 1.500000 - 0 0",
        "-3 5 -.500000 0 0 0",
        "-3 5 --1.50000 0 0 0",
        "-3 5 1.:00000 0 0 0",
        "-3 5 1./00000 0 0 0",
        "-3 : 1.500000 0 0 0",
    };
    add_line(pair, "-3 5 1.250000 0 0 1 2 12");
    add_line(pair, lines[draw(pair, sizeof lines / sizeof *lines)]);
}

static void draw_lines(struct pair *pair, unsigned lines) {
    pair->decimals = 6;
    strcpy(pair->seconds, "0");
    strcpy(pair->location, "0 0");
    add_line(pair, "-3 -901 0.000000 0 0 0"); /* of the new format beyond doubt */
    for (unsigned i = 0; i < lines; i++) {
        if (draw(pair, 8))
            add_drawn_line(pair);
        else
            add_spoiled_line(pair);
    }
}

/* Numbers with an exponent end the lines: only behind them is there room enough for the fast path. */
static void end_trace(struct pair *pair) {
    for (unsigned i = 0; i < 16; i++)
        add_line(pair, "-2 5 9.000000e2 0 0 0");
}

static void draw_trace(struct pair *pair, uint64_t seed) {
    pair->seed = seed;
    pair->fast_len = pair->slow_len = 0;
    draw_lines(pair, LINES);
    end_trace(pair);
}

/* The traces from a number on. */
static void draw_short_traces(struct pair *pair, unsigned first) {
    pair->fast_len = pair->slow_len = 0;
    for (unsigned i = 0; i < SHORT_TRACES_OF_FILE; i++) {
        pair->seed = 2000 + first + i;
        draw_lines(pair, LINES_OF_SHORT_TRACE);
    }
    end_trace(pair);
}

static struct quipu_reader *open_trace(const char *name, const char *text, size_t len) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    const char *path = harness_text("%s/%s.picl", harness_folder(), name);
    harness_write(path, text, len);
    options.format = "picl";
    assert_int_equal(quipu_reader_open(path, &options, &reader, NULL), QUIPU_OK);
    return reader;
}

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    char *text = context;
    const size_t len = strlen(text);
    (void)err;
    assert_true(len + size < JSON_BYTES);
    memcpy(text + len, data, size);
    text[len + size] = '\0';
    return QUIPU_OK;
}

static enum quipu_status next_record(struct quipu_reader *reader, char json[JSON_BYTES]) {
    struct quipu_record record;
    const struct quipu_sink sink = {append, json};
    const enum quipu_status status = quipu_reader_next_record(reader, &record, NULL);
    json[0] = '\0';
    if (status == QUIPU_OK) {
        record.byte_offset = 0; /* of another file */
        assert_int_equal(quipu_record_write_json(quipu_reader_format(reader)->schema, &record, sink, NULL),
                         QUIPU_OK);
    }
    return status;
}

static enum quipu_status next_event(struct quipu_reader *reader, char json[JSON_BYTES]) {
    struct quipu_event event;
    const struct quipu_sink sink = {append, json};
    const enum quipu_status status = quipu_reader_next(reader, &event, NULL);
    json[0] = '\0';
    if (status == QUIPU_OK) {
        event.byte_offset = 0;
        assert_int_equal(quipu_event_write_json(quipu_reader_definitions(reader), &event, sink, NULL),
                         QUIPU_OK);
    }
    return status;
}

typedef enum quipu_status next_of(struct quipu_reader *reader, char json[JSON_BYTES]);

/* Goes over both spellings side by side; returns how many there are. */
static unsigned compare(const struct pair *pair, next_of *next) {
    static char fast[JSON_BYTES], slow[JSON_BYTES];
    struct quipu_reader *left = open_trace("fast", pair->fast, pair->fast_len);
    struct quipu_reader *right = open_trace("slow", pair->slow, pair->slow_len);
    unsigned count = 0;
    for (;; count++) {
        const enum quipu_status status = next(left, fast);
        assert_int_equal(status, next(right, slow));
        if (status != QUIPU_OK)
            break;
        assert_string_equal(fast, slow);
    }
    quipu_reader_close(left);
    quipu_reader_close(right);
    return count;
}

static void test_fast_line_gives_the_records_of_the_complete_decoder(void **state) {
    (void)state;
    static struct pair pair;
    for (unsigned i = 0; i < TRACES; i++) {
        draw_trace(&pair, i);
        assert_true(compare(&pair, next_record) > LINES / 2);
    }
}

static void test_fast_line_gives_the_events_of_the_complete_decoder(void **state) {
    (void)state;
    static struct pair pair;
    for (unsigned i = 0; i < TRACES; i++) {
        draw_trace(&pair, 1000 + i);
        assert_true(compare(&pair, next_event) > LINES / 2);
    }
}

static void test_fast_line_gives_the_same_of_ten_thousand_short_traces(void **state) {
    (void)state;
    static struct pair pair;
    for (unsigned i = 0; i < SHORT_TRACES; i += SHORT_TRACES_OF_FILE) {
        draw_short_traces(&pair, i);
        assert_true(compare(&pair, next_event) > SHORT_TRACES_OF_FILE * LINES_OF_SHORT_TRACE / 2);
        assert_true(compare(&pair, next_record) > SHORT_TRACES_OF_FILE * LINES_OF_SHORT_TRACE / 2);
    }
}

/* ---- Golden files ---- */

static bool begins_with_integer(const char *line, size_t len) {
    const size_t sign = len > 0 && line[0] == '-';
    const size_t digits = strspn(line + sign, "0123456789");
    return digits > 0 && sign + digits < len && line[sign + digits] == ' ';
}

/* Lines that begin with a number get a second blank behind it, as in drawn traces; others, such as those that continue a record,
 * stay as they are. */
static void respell(struct pair *pair, const char *text) {
    char line[TEXT_BYTES / 16];
    pair->fast_len = pair->slow_len = 0;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        const size_t len = (size_t)(end - text);
        assert_true(len < sizeof line);
        memcpy(line, text, len);
        line[len] = '\0';
        if (begins_with_integer(line, len)) {
            add_line(pair, line);
            continue;
        }
        pair->fast_len += (size_t)sprintf(pair->fast + pair->fast_len, "%s\n", line);
        pair->slow_len += (size_t)sprintf(pair->slow + pair->slow_len, "%s\n", line);
    }
    end_trace(pair);
}

static void compare_golden(const char *path) {
    static struct pair pair;
    size_t size;
    const size_t len = strlen(path);
    if (len < 5 || strcmp(path + len - 5, ".picl") != 0)
        return;
    const char *text = harness_read(path, &size);
    if (strlen(text) != size || size > TEXT_BYTES / 2)
        return;
    respell(&pair, text);
    assert_true(compare(&pair, next_record) > 0);
    assert_true(compare(&pair, next_event) > 0);
}

/* needs: shared */
static void test_fast_line_gives_the_same_of_golden_files(void **state) {
    (void)state;
    harness_visit(harness_data("sweep/picl"), compare_golden);
    harness_visit(harness_shared("traces/picl"), compare_golden);
}

/* The fast path needs some room behind the line; a second blank sends the line to the complete decoder. */
static void test_fast_line_gives_what_the_complete_decoder_does(void **state) {
    (void)state;
    static const char *const lines[] = {
        "-3 -21 0.000850 0 0 3 2 40 7 1",   "-4 -21 -0.5 12 -1 0",
        "-2 5 3 0 0 8 2 1 2 3 4 5 6 7 8",   "7 9 1.25 0 0 1 2 -9",
        "-3 -21 123456789.123456789 1 1 0",
    };
    const char *filler = "";
    for (int i = 0; i < 16; i++)
        filler = harness_text("%s-2 5 5000000000.0 0 0 0\n", filler);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *blank = strchr(lines[i], ' ');
        const char *slow = harness_text("%.*s %s\n%s", (int)(blank - lines[i]), lines[i], blank, filler);
        const char *fast = harness_text("%s", values_of(harness_text("%s\n%s", lines[i], filler), 0));
        assert_string_equal(values_of(slow, 0), fast);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_fast_line_gives_the_records_of_the_complete_decoder),
            cmocka_unit_test(test_fast_line_gives_the_events_of_the_complete_decoder),
            cmocka_unit_test(test_fast_line_gives_the_same_of_ten_thousand_short_traces),
            cmocka_unit_test(test_fast_line_gives_the_same_of_golden_files),
            cmocka_unit_test(test_fast_line_gives_what_the_complete_decoder_does))
