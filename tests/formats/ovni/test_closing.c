/* test_closing.c: the events that end a stream so that the emulation accepts it, each by the rules for states, stacks and bodies. */
#include "traces.h"

#include "formats/ovni/closing.h"

struct closed {
    const char *text;
    uint64_t count;
};

static enum quipu_status note_put(void *context, const char *code, uint64_t clock, const uint8_t *payload,
                                  uint32_t len, struct quipu_error *err) {
    struct closed *closed = context;
    (void)err;
    closed->text =
        harness_text("%s%s%llu %s", closed->text, *closed->text ? "; " : "", (unsigned long long)clock, code);
    for (uint32_t i = 0; i < len; i++)
        closed->text = harness_text("%s%s%02x", closed->text, i == 0 ? " x" : "", payload[i]);
    return QUIPU_OK;
}

/* Takes note of events; then what must stand before one more, or what ends the stream (NULL). */
static const char *what_follows(const char *events, const char *before) {
    struct quipu__memory memory;
    struct quipu__ovni_dictionary dictionary;
    struct quipu__ovni_closing closing;
    struct closed closed = {"", 0};
    char *next, *copy = harness_text("%s", events);
    static struct made_bytes made;
    quipu__memory_init(&memory, NULL, 0);
    quipu__ovni_dictionary_init(&dictionary);
    quipu__ovni_closing_init(&closing, &memory, &dictionary);
    for (char *line = strtok_r(copy, ";", &next); line; line = strtok_r(NULL, ";", &next)) {
        uint64_t clock;
        made.len = 0;
        made_event(&made, line);
        memcpy(&clock, made.at + 4, 8);
        assert_true(quipu__ovni_closing_note(&closing, (const char *)made.at + 1, clock, made.at + 12,
                                             (uint32_t)made.len - 12));
    }
    assert_int_equal(
        before ? quipu__ovni_prepare_event(&closing, before, 100, note_put, &closed, &closed.count, NULL)
               : quipu__ovni_close_stream(&closing, note_put, &closed, &closed.count, NULL),
        QUIPU_OK);
    quipu__ovni_closing_release(&closing);
    assert_int_equal(memory.used, 0);
    return closed.text;
}

static void test_closing_ends_what_runs(void **state) {
    (void)state;
    assert_string_equal(what_follows("1 OHx i0 i-1 q0", NULL), "1 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 9 OHe", NULL), "");
    assert_string_equal(what_follows("", NULL), "0 OHx xffffffffffffffff0000000000000000; 0 OHe");
}

/* A paused thread warms, goes to the virtual CPU, where any number may run, and resumes; one that cools pauses first. */
static void test_closing_makes_threads_run_first(void **state) {
    (void)state;
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 OHp", NULL), "2 OHw; 2 OAs xffffffff; 2 OHr; 2 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 OHp; 3 OHw", NULL), "3 OAs xffffffff; 3 OHr; 3 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 OHc", NULL),
                        "2 OHp; 2 OHw; 2 OAs xffffffff; 2 OHr; 2 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 KCO", NULL), "2 KCI; 2 OHe");
}

/* The latest is left first; a body that is paused resumes before it ends. */
static void test_closing_leaves_what_is_open(void **state) {
    (void)state;
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 VSh; 3 VU[; 4 MS[", NULL),
                        "4 MS]; 4 VU]; 4 VSf; 4 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 VSh; 3 VU[; 4 VU]", NULL), "4 VSf; 4 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 VTx i5 i0; 3 VTp i5 i0", NULL),
                        "3 VTr x0500000000000000; 3 VTe x0500000000000000; 3 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 VTx i5 i0; 3 VTp i5 i0; 4 VTr i5 i0", NULL),
                        "4 VTe x0500000000000000; 4 OHe");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 6Tx i5; 3 6Te i5", NULL), "3 OHe");
}

/* What an event needs is there before it: events of MPI need a thread that runs, of nOS-V an active one. */
static void test_closing_prepares_single_events(void **state) {
    (void)state;
    assert_string_equal(what_follows("1 OHx i0 i-1 q0", "MS]"), "");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 OHp", "MS]"), "100 OHw; 100 OAs xffffffff; 100 OHr");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 OHc", "VSf"), "");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 KCO", "VSf"), "100 KCI");
    assert_string_equal(what_follows("1 OHx i0 i-1 q0; 2 KCO", "MS]"), "");
    assert_string_equal(what_follows("", "MS["), "100 OHx xffffffffffffffff0000000000000000");
}

QUIPU_TESTS(cmocka_unit_test(test_closing_ends_what_runs),
            cmocka_unit_test(test_closing_makes_threads_run_first),
            cmocka_unit_test(test_closing_leaves_what_is_open),
            cmocka_unit_test(test_closing_prepares_single_events))
