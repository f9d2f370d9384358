/* test_fast_events.c: events that are read by the short way are those of the complete one. */
#include "harness.h"

#include <dirent.h>

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    assert_string_equal(quipu_reader_format(reader)->name, "otf");
    return reader;
}

/* The fast decoder and the complete one must agree: the same trace in long form, with blanks and with source locations
 * gives the same events. */
static void test_fast_events_have_usual_and_odd_spellings(void **state) {
    static const char *const spellings[2] = {
        "5\n*1\nE1\n*2\nE2\n6\n*1\nS2L400T7C2001\n*2\nR1L400T7C2001\n9\n*1\nL1\n*2\nL\n9\n*2\n",
        " 05 \n* 1\n E1\n*02\nENTER 2\n6 \n*1\nSEND 2 LEN 400 TAG 7 COMM 2001\n*2\nR1L400T7C2001 "
        "x\n9\n*1\nL1\n *2\nLEAVE \n",
    };
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *folder = harness_folder();
        harness_write(harness_text("%s/t.otf", folder), "1:1,2\n", 6);
        harness_write(harness_text("%s/t.1.events", folder), spellings[i], strlen(spellings[i]));
        struct quipu_reader *reader = open_trace(folder);
        static const struct quipu_event expected[] = {{.time = 5, .kind = QUIPU_KIND_enter, .location = 0},
                                                      {.time = 5, .kind = QUIPU_KIND_enter, .location = 1},
                                                      {.time = 6, .kind = QUIPU_KIND_send, .location = 0},
                                                      {.time = 6, .kind = QUIPU_KIND_recv, .location = 1},
                                                      {.time = 9, .kind = QUIPU_KIND_leave, .location = 0},
                                                      {.time = 9, .kind = QUIPU_KIND_leave, .location = 1}};
        struct quipu_event event;
        size_t n = 0;
        while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
            if (n == 3 && i == 1)
                n++; /* the blank and x behind the receive make it a bad line */
            assert_int_equal(event.time, expected[n].time);
            assert_int_equal(event.kind, expected[n].kind);
            assert_int_equal(event.location, expected[n].location);
            n++;
        }
        assert_int_equal(n, 6);
        quipu_reader_close(reader);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_fast_events_have_usual_and_odd_spellings))
