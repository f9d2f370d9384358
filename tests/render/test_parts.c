/* Rows that several processes write, each into a file of its own, are together those of one process, on all traces of tests/data; and when one of them
 * fails, none appears. */
#include "analysis/threads.h"
#include "transport/local.h"

#include <quipu/relation.h>

#include <unistd.h>

enum { ROWS_MOST = 1 << 20 };

struct writing {
    const char *trace; /* NULL: the made streams of threads.h */
    const char *relation, *folder;
    uint32_t fails; /* the process whose file is there already */
    struct text said;
    enum quipu_status status; /* of rank 0 */
    uint64_t row_count;
    _Atomic uint32_t other_statuses; /* processes but rank 0 that do not say QUIPU_END */
    _Atomic uint64_t messages_sent;
};

static struct quipu_reader *open_it(const char *path) {
    struct quipu_reader *reader = NULL;
    if (!path)
        return fake_reader_with(&trace, NULL);
    return quipu_reader_open(path, NULL, &reader, NULL) == QUIPU_OK ? reader : NULL;
}

static struct quipu_relation_options in_time(struct quipu_selection *selection) {
    struct quipu_relation_options options = QUIPU_RELATION_OPTIONS_INIT;
    *selection = (struct quipu_selection)QUIPU_SELECTION_INIT;
    selection->order = QUIPU_ORDER_TIME;
    options.selection = selection;
    return options;
}

static char *part_path(const struct writing *writing, uint32_t rank) {
    char *path = malloc(strlen(writing->folder) + 32);
    assert_non_null(path);
    sprintf(path, "%s/%u.csv", writing->folder, rank);
    return path;
}

static void write_part(struct quipu_transport *transport, void *context) {
    struct writing *writing = context;
    struct quipu_reader *reader = open_it(writing->trace);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_selection selection;
    const struct quipu_relation_options options = in_time(&selection);
    char *path = part_path(writing, transport->rank);
    uint64_t count = 0;
    assert_non_null(reader);
    quipu_reader_share(reader, transport);
    const enum quipu_status status = quipu_relation_write_part(reader, writing->relation, &options,
                                                               QUIPU_ROWS_CSV, path, false, NULL, &count, &err);
    if (transport->rank == 0) {
        writing->status = status;
        writing->row_count = count;
        append_line(&writing->said, err.message);
        append_findings(&writing->said, quipu_reader_findings(reader));
    } else {
        writing->other_statuses += status != QUIPU_END;
    }
    assert_int_equal(quipu_transport_end(transport, status < QUIPU_OK ? &err : NULL, NULL), QUIPU_OK);
    writing->messages_sent += transport->messages_sent;
    free(path);
    quipu_reader_close(reader);
}

/* ---- Rows ---- */

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines in order, with a newline behind each. */
static char *sorted(const struct text *text) {
    static char *lines[ROWS_MOST];
    struct text out = {0};
    size_t count = 0;
    for (char *line = strtok(text->at, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(count < ROWS_MOST);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        append_line(&out, lines[i]);
    return out.at;
}

/* The parts one behind the other, with the first one's header, and how many there are; they are removed. */
static uint32_t take_parts(const struct writing *writing, uint32_t size, struct text *out) {
    uint32_t found = 0;
    for (uint32_t rank = 0; rank < size; rank++) {
        char *path = part_path(writing, rank);
        if (harness_exists(path)) {
            const char *text = harness_read(path, NULL);
            text = out->len > 0 ? strchr(text, '\n') + 1 : text;
            assert_int_equal(append(out, text, strlen(text), NULL), QUIPU_OK);
            unlink(path);
            found++;
        }
        free(path);
    }
    return found;
}

static uint32_t written, refused;

static void compare(const char *path, const char *relation, uint32_t size, bool in_order) {
    static const char *folder;
    struct text one = {0}, parts = {0}, said = {0};
    folder = folder ? folder : harness_folder();
    struct writing writing = {.trace = path, .relation = relation, .folder = folder, .fails = UINT32_MAX};
    struct quipu_reader *reader = open_it(path);
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_selection selection;
    const struct quipu_relation_options options = in_time(&selection);
    uint64_t count = 0;
    const enum quipu_status status =
        quipu_relation_write(reader, relation, &options, QUIPU_ROWS_CSV, UINT64_MAX,
                             (struct quipu_sink){append, &one}, &count, &err);
    append_line(&said, err.message);
    append_findings(&said, quipu_reader_findings(reader));
    quipu_reader_close(reader);
    local_run_together(size, write_part, &writing);
    assert_int_equal(writing.other_statuses, 0);
    const uint32_t found = take_parts(&writing, size, &parts);
    if (writing.status == QUIPU_UNSUPPORTED) {
        assert_non_null(strstr(writing.said.at, "one process must write"));
        assert_int_equal(found, 0);
        refused++;
    } else {
        if (status != writing.status || strcmp(said.at, writing.said.at) != 0)
            print_message("%s of %s by %u processes\n", relation, path ? path : "made streams", size);
        assert_int_equal(writing.status, status);
        assert_string_equal(writing.said.at, said.at);
        assert_int_equal(found, status == QUIPU_OK ? size : 0);
        if (status == QUIPU_OK) {
            assert_int_equal(writing.row_count, count);
            char *ours = in_order ? parts.at : sorted(&parts), *theirs = in_order ? one.at : sorted(&one);
            if (strcmp(ours, theirs) != 0)
                print_message("%s of %s by %u processes\n", relation, path ? path : "made streams", size);
            assert_string_equal(ours, theirs);
            if (!in_order) {
                free(ours);
                free(theirs);
            }
        }
        written++;
    }
    free(one.at);
    free(parts.at);
    free(said.at);
    free(writing.said.at);
}

static const char *const relations[] = {"events", "calls", "io", "counters", "states", "tasks", "marks"};
enum { RELATIONS = sizeof relations / sizeof *relations };

static uint32_t traces;

static void compare_everything(const char *path) {
    static const uint32_t sizes[] = {1, 2, 3, 7, 16};
    const char *last = strrchr(path, '/');
    const bool is_recorded = strstr(last, ".otf") || strstr(last, ".meta") || strstr(last, ".picl") ||
                             strstr(last, ".ctrace") || strstr(last, ".prv") ||
                             strcmp(last, "/stream.json") == 0 || (strstr(last, ".bin") && !strstr(last, "-0"));
    struct quipu_reader *reader = is_recorded ? open_it(path) : NULL;
    if (!reader)
        return;
    quipu_reader_close(reader);
    traces++;
    for (unsigned i = 0; i < RELATIONS; i++)
        compare(path, relations[i], sizes[(traces + i) % (sizeof sizes / sizeof *sizes)], false);
}

static void test_parts_are_the_rows_of_one_process_on_all_traces(void **state) {
    (void)state;
    harness_visit(harness_data("."), compare_everything);
    assert_true(traces > 100 && written > 600 && refused < written / 4);
}

/* In the order of streams: ring.meta has a stream for each of its processes, and all calls end. */
static void test_parts_of_calls_one_behind_the_other_are_what_one_process_writes(void **state) {
    (void)state;
    for (uint32_t size = 1; size <= 5; size++)
        compare(harness_data("sweep/dumpi/ring.meta"), "calls", size, true);
    assert_int_equal(refused, 0);
}

static void test_parts_find_the_damage_that_one_process_finds(void **state) {
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++)
        for (uint32_t i = 0; i < 25u * (s + 1); i++)
            rows[s][i * 17 + 100 * s].kind = FAKE_DAMAGE;
    for (uint32_t size = 1; size <= 5; size++)
        compare(NULL, "events", size, false);
    assert_int_equal(refused, 0);
}

/* ---- What is no answer ---- */

static struct writing write_with(const char *path, const char *relation, uint32_t size, uint32_t fails) {
    struct writing writing = {.trace = path, .relation = relation, .folder = harness_folder(), .fails = fails};
    struct text ignored = {0};
    if (fails < size) {
        char *there = part_path(&writing, fails);
        harness_write(there, "mine\n", 5);
        free(there);
    }
    local_run_together(size, write_part, &writing);
    assert_int_equal(take_parts(&writing, size, &ignored), fails < size);
    free(ignored.at);
    return writing;
}

static void test_parts_do_not_appear_when_one_process_cannot_write(void **state) {
    (void)state;
    for (uint32_t fails = 0; fails < 5; fails++) {
        struct writing writing = write_with(harness_data("otf/small.otf"), "events", 5, fails);
        assert_int_equal(writing.status, QUIPU_EXISTS);
        free(writing.said.at);
    }
}

static void test_parts_of_what_belongs_together_are_refused(void **state) {
    static const char *const whole[] = {"messages", "collectives", "waits_instances", "regions", "profile"};
    (void)state;
    for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct writing writing = write_with(harness_data("otf/small.otf"), whole[i], 3, UINT32_MAX);
        assert_int_equal(writing.status, QUIPU_UNSUPPORTED);
        assert_non_null(strstr(writing.said.at, harness_text("one process must write %s", whole[i])));
        free(writing.said.at);
    }
}

static void test_parts_of_what_uses_undefined_numbers_are_refused(void **state) {
    (void)state;
    rows[STREAMS - 1][ROWS / 2].kind = FAKE_LATE, rows[STREAMS - 1][ROWS / 2].bytes = 500;
    struct writing writing = write_with(NULL, "events", 3, UINT32_MAX);
    assert_int_equal(writing.status, QUIPU_UNSUPPORTED);
    assert_non_null(strstr(writing.said.at, "numbers that it does not define"));
    free(writing.said.at);
}

QUIPU_TESTS(cmocka_unit_test(test_parts_are_the_rows_of_one_process_on_all_traces),
            cmocka_unit_test(test_parts_of_calls_one_behind_the_other_are_what_one_process_writes),
            cmocka_unit_test_setup(test_parts_find_the_damage_that_one_process_finds, make_trace),
            cmocka_unit_test(test_parts_do_not_appear_when_one_process_cannot_write),
            cmocka_unit_test(test_parts_of_what_belongs_together_are_refused),
            cmocka_unit_test_setup(test_parts_of_what_uses_undefined_numbers_are_refused, make_trace))
