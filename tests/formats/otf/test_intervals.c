/* test_intervals.c: what records begin and end. */
#include "harness.h"

#include "formats/otf/format.h"

static unsigned transitions_of(uint32_t type, const void *data, struct quipu__transition *out) {
    const struct quipu__otf_common common = {.time = 5, .process = 7};
    const struct quipu_record record = {
        .type = &quipu__otf_schema.types[type], .data = data, .common = &common};
    return quipu__otf_intervals.intervals_of(&record, out);
}

static void assert_transition(const struct quipu__transition *found, enum quipu__interval_class class_of,
                              enum quipu__change change, uint64_t location, uint64_t first) {
    assert_int_equal(found->interval_class, class_of);
    assert_int_equal(found->change, change);
    assert_int_equal(found->location, location);
    assert_int_equal(found->key[0], first);
}

#define TRANSITIONS(type, out, ...)                                                                            \
    transitions_of(QUIPU__OTF_##type, &(const union quipu__otf_any){.type = {__VA_ARGS__}}, out)

/* A message is the sender's, also where it ends. A leave ends what was entered last, whatever it names. */
static void test_intervals_calls_and_messages(void **state) {
    struct quipu__transition out[QUIPU__TRANSITIONS_MOST];
    (void)state;
    assert_int_equal(TRANSITIONS(Enter, out, .function = 3), 1);
    assert_transition(out, QUIPU__INTERVAL_call, QUIPU__BEGINS, 7, 0);
    assert_int_equal(out->key[1], 3);
    assert_int_equal(TRANSITIONS(Leave, out, .function = 3), 1);
    assert_transition(out, QUIPU__INTERVAL_call, QUIPU__ENDS, 7, 0);
    assert_true(out->key[1] == QUIPU_UNKNOWN);
    assert_int_equal(TRANSITIONS(SendMsg, out, .receiver = 2, .type = 9, .group = 4), 1);
    assert_transition(out, QUIPU__INTERVAL_message, QUIPU__BEGINS, 7, 2);
    assert_int_equal(out->key[1], 4);
    assert_int_equal(out->key[2], 9);
    assert_int_equal(TRANSITIONS(RecvMsg, out, .sendProc = 2, .type = 9, .group = 4), 1);
    assert_transition(out, QUIPU__INTERVAL_message, QUIPU__ENDS, 2, 7);
}

static void test_intervals_operations(void **state) {
    struct quipu__transition out[QUIPU__TRANSITIONS_MOST];
    (void)state;
    assert_int_equal(TRANSITIONS(BeginCollectiveOperation, out, .matchingId = 8), 1);
    assert_transition(out, QUIPU__INTERVAL_collective, QUIPU__BEGINS, 7, 8);
    assert_int_equal(TRANSITIONS(EndCollectiveOperation, out, .matchingId = 8), 1);
    assert_transition(out, QUIPU__INTERVAL_collective, QUIPU__ENDS, 7, 8);
    assert_int_equal(TRANSITIONS(CollectiveOperation, out, .procGroup = 4), 1);
    assert_transition(out, QUIPU__INTERVAL_count, QUIPU__BEGINS, 7, 4);
    assert_int_equal(TRANSITIONS(BeginFileOperation, out, .matchingId = 8), 1);
    assert_transition(out, QUIPU__INTERVAL_io_operation, QUIPU__BEGINS, 7, 8);
    assert_int_equal(TRANSITIONS(Counter, out, .counter = 6), 1);
    assert_transition(out, QUIPU__INTERVAL_metric, QUIPU__BEGINS, 7, 6);
    assert_int_equal(TRANSITIONS(EventComment, out, .comment = NULL), 0);
}

/* Operations 0 and 1 of the low five bits open and close. */
static void test_intervals_files(void **state) {
    struct quipu__transition out[QUIPU__TRANSITIONS_MOST];
    (void)state;
    assert_int_equal(TRANSITIONS(FileOperation, out, .handleid = 5, .operation = 0x20), 1);
    assert_transition(out, QUIPU__INTERVAL_file, QUIPU__BEGINS, 7, 5);
    assert_int_equal(TRANSITIONS(FileOperation, out, .handleid = 5, .operation = 1), 1);
    assert_transition(out, QUIPU__INTERVAL_file, QUIPU__ENDS, 7, 5);
    assert_int_equal(TRANSITIONS(FileOperation, out, .handleid = 5, .operation = 2), 0);
    assert_int_equal(TRANSITIONS(EndFileOperation, out, .matchingId = 8, .handleId = 5, .operation = 0), 2);
    assert_transition(out, QUIPU__INTERVAL_io_operation, QUIPU__ENDS, 7, 8);
    assert_transition(out + 1, QUIPU__INTERVAL_file, QUIPU__BEGINS, 7, 5);
    assert_int_equal(TRANSITIONS(EndFileOperation, out, .matchingId = 8, .operation = 3), 1);
}

/* The end of a call that lacks one leaves what it entered. */
static void test_intervals_ends_of_calls(void **state) {
    const struct quipu__otf_Enter enter = {.function = 3};
    const struct quipu__active_record call = {.type = &quipu__otf_schema.types[QUIPU__OTF_Enter],
                                              .data = &enter};
    union quipu__otf_any out;
    (void)state;
    memset(&out, 0, sizeof out);
    assert_ptr_equal(quipu__otf_intervals.end_of(&call, &out), &quipu__otf_schema.types[QUIPU__OTF_Leave]);
    assert_int_equal(out.Leave.function, 3);
}

QUIPU_TESTS(cmocka_unit_test(test_intervals_calls_and_messages), cmocka_unit_test(test_intervals_operations),
            cmocka_unit_test(test_intervals_files), cmocka_unit_test(test_intervals_ends_of_calls))
