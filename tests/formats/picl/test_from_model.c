/* test_from_model.c: events of any format as records. */
#include "formats/picl/traces.h"

#include "trace/fake.h"

#include "formats/picl/statistics.h"

#include <inttypes.h>

static void test_from_model_makes_traces_that_paragraph_accepts(void **state) {
    (void)state;
    static const char *const traces[] = {"sweep/otf/ring.otf", "sweep/dumpi/ring.meta", "cli/exchange.otf"};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        const char *out = harness_text("%s/out.picl", harness_folder());
        assert_non_null(copy_of(harness_data(traces[i]), "unused.picl", ""));
        struct harness_run run = harness_run("%s convert --quiet --to picl -o %s %s", harness_built("quipu"),
                                             out, harness_data(traces[i]));
        assert_int_equal(run.code, 0);
        run = harness_run("%s check --rules paragraph %s", harness_built("quipu"), out);
        if (run.code != 0)
            fail_msg("%s: %s", traces[i], run.out);
    }
}

/* Calls with what they do inside, and at the end what has been, for the two processes: time in calls from 10 to 4097 ns, messages and bytes. */
static void test_from_model_calls_messages_and_statistics(void **state) {
    const struct quipu_event rows[] = {{.time = 10, .kind = QUIPU_KIND_enter, .object = 1},
                                       {.time = 1020,
                                        .kind = QUIPU_KIND_send,
                                        .peer = 1,
                                        .group = QUIPU_NONE,
                                        .tag = 7,
                                        .bytes = 1000,
                                        .id = QUIPU_UNKNOWN},
                                       {.time = 4096, .kind = QUIPU_KIND_leave, .object = 1},
                                       {.time = 4097,
                                        .kind = QUIPU_KIND_recv,
                                        .location = 1,
                                        .peer = 0,
                                        .group = QUIPU_NONE,
                                        .tag = 7,
                                        .bytes = 1000,
                                        .id = QUIPU_UNKNOWN}};
    const struct fake_stream stream = {rows, 4, 1};
    const struct fake_trace trace = {&stream, 1, 2, 2, 1, 0};
    const char *path = harness_text("%s/out.picl", harness_folder());
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_conversion_report *report;
    (void)state;
    assert_int_equal(quipu_convert(reader, path, "picl", NULL, &report, NULL), QUIPU_OK);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    assert_non_null(strstr(harness_read(path, NULL), "\n-3 -901 0.000000010 0 -1 0\n"
                                                     "-3 -901 0.000000010 1 -1 0\n"
                                                     "-3 1 0.000000010 0 -1 0\n"
                                                     "-3 -21 0.000001020 0 -1 3 2 1000 7 1\n"
                                                     "-4 -21 0.000001020 0 -1 0\n"
                                                     "-4 1 0.000004096 0 -1 0\n"
                                                     "-3 -52 0.000004097 1 -1 1 2 7\n"
                                                     "-4 -52 0.000004097 1 -1 3 2 1000 7 0\n"
                                                     "-4 -901 0.000004097 0 -1 0\n"
                                                     "-4 -901 0.000004097 1 -1 0\n"
                                                     "-101 -1 0.000004097 0 -1 1 \"%d%lf\" -901 4.087e-06\n"
                                                     "-102 -1 0.000004097 0 -1 2 \"%d%d\" -21 1 -901 1\n"
                                                     "-103 -1 0.000004097 0 -1 1 \"%d%d\" -21 1000\n"));
}

/* A selection of a trace with a barrier and a write has that line, or is refused because of what it would lose if that is NULL. */
static void assert_selected(const char *kinds, const char *line) {
    const char *out = harness_text("%s/selected.picl", harness_folder());
    const char *path = file_of_text(BEGIN "-3 -402 1.0 0 0 0\n"
                                          "-4 -402 2.0 0 0 0\n"
                                          "-3 -221 3.0 0 0 2 2 64 5\n"
                                          "-4 -221 4.0 0 0 0\n" END);
    struct harness_run run = harness_run("%s convert --quiet --force --fail-on-loss --kind %s -o %s %s",
                                         harness_built("quipu"), kinds, out, path);
    if (run.code != (line ? 0 : 1))
        fail_msg("%s: %d %s", kinds, run.code, run.err);
    if (line && !strstr(harness_read(out, NULL), line))
        fail_msg("%s: no %s", kinds, line);
}

/* What only the record of its call says is lost with the call, and counts as that. What can stand for itself stays. */
static void test_from_model_counts_what_is_lost_with_its_call(void **state) {
    (void)state;
    assert_selected("collective_begin", NULL);
    assert_selected("collective_end", NULL);
    assert_selected("enter,leave,collective_begin,collective_end", "\n-4 -402 2");
    assert_selected("io_begin,io_end", "\n-4 -221 4");
    assert_selected("io_end", "\n-4 -221 4");
}

QUIPU_TESTS(cmocka_unit_test(test_from_model_calls_messages_and_statistics),
            cmocka_unit_test(test_from_model_counts_what_is_lost_with_its_call),
            cmocka_unit_test(test_from_model_makes_traces_that_paragraph_accepts))
