/* test_matched_messages.c: messages as rows: those of tests/data/where, of which its README lists the events, and those of a trace
 * with requests. */
#include "harness.h"

enum { MESSAGES = 64 };

static struct quipu_reader *open_trace(const char *name) {
    struct quipu_reader *reader;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.order = QUIPU_ORDER_TIME;
    assert_int_equal(quipu_reader_open(name, NULL, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    return reader;
}

static void drain(struct quipu_messages *messages, struct quipu_message *out, size_t *count) {
    while (*count < MESSAGES && quipu_messages_next(messages, &out[*count]))
        ++*count;
}

static enum quipu_status read_messages(struct quipu_reader *reader, struct quipu_messages *messages,
                                       struct quipu_message *out, size_t *count) {
    const struct quipu_batch *batch;
    enum quipu_status status = QUIPU_OK;
    *count = 0;
    while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, NULL)) == QUIPU_OK) {
        status = quipu_messages_add(messages, batch, NULL);
        drain(messages, out, count);
    }
    if (status != QUIPU_END)
        return status;
    status = quipu_messages_end(messages, NULL);
    drain(messages, out, count);
    return status;
}

static void test_messages_have_both_ends(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("where/w.otf"));
    struct quipu_messages *messages;
    struct quipu_message found[MESSAGES];
    size_t count;
    assert_int_equal(quipu_messages_new(quipu_reader_definitions(reader), NULL, &messages, NULL), QUIPU_OK);
    assert_int_equal(read_messages(reader, messages, found, &count), QUIPU_OK);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].sender, 0);
    assert_int_equal(found[0].receiver, 1);
    assert_int_equal(found[0].sent, 21);
    assert_int_equal(found[0].received, 23);
    assert_int_equal(found[0].bytes, 2000000);
    assert_int_equal(found[0].tag, 7);
    assert_true(found[0].send_request == QUIPU_UNKNOWN);
    assert_false(found[0].is_assumed);
    assert_int_equal(found[1].sent, 51);
    assert_int_equal(found[1].received, 58);
    assert_int_equal(found[1].bytes, 100);
    const struct quipu_message_ends ends = quipu_messages_ends(messages);
    assert_int_equal(ends.sends, 2);
    assert_int_equal(ends.receives, 2);
    assert_int_equal(ends.unmatched_sends + ends.unmatched_receives, 0);
    quipu_messages_free(messages);
    quipu_reader_close(reader);
}

/* Every message of the example trace, whose sends and receives block, is one send of its sender and one receive of its receiver. */
static void test_messages_of_a_program_are_as_many_as_its_sends(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("../../examples/traces/phases"));
    struct quipu_messages *messages;
    struct quipu_message found[MESSAGES];
    size_t count;
    assert_int_equal(quipu_messages_new(quipu_reader_definitions(reader), NULL, &messages, NULL), QUIPU_OK);
    assert_int_equal(read_messages(reader, messages, found, &count), QUIPU_OK);
    assert_int_equal(count, 18);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].receiver, (found[i].sender + 1) % 3); /* a ring */
        assert_int_equal(found[i].bytes, 4);
        assert_true(found[i].received > found[i].sent);
    }
    quipu_messages_free(messages);
    quipu_reader_close(reader);
}

struct scarce {
    size_t left;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct scarce *scarce = context;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return scarce->left > 0 && scarce->left-- > 0 ? realloc(block, size) : NULL;
}

static void test_messages_survive_want_of_memory(void **state) {
    (void)state;
    for (size_t allowed = 0;; allowed++) {
        struct quipu_reader *reader = open_trace(harness_data("where/w.otf"));
        struct scarce scarce = {allowed};
        const struct quipu_allocator allocator = {resize, &scarce};
        const struct quipu_tracker_options options = {.allocator = &allocator};
        struct quipu_messages *messages;
        struct quipu_message found[MESSAGES];
        size_t count = 0;
        enum quipu_status status =
            quipu_messages_new(quipu_reader_definitions(reader), &options, &messages, NULL);
        if (status == QUIPU_OK)
            status = read_messages(reader, messages, found, &count);
        quipu_messages_free(messages);
        quipu_reader_close(reader);
        if (status == QUIPU_OK) {
            assert_int_equal(count, 2);
            return;
        }
        assert_int_equal(status, QUIPU_NO_MEMORY);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_messages_have_both_ends),
            cmocka_unit_test(test_messages_of_a_program_are_as_many_as_its_sends),
            cmocka_unit_test(test_messages_survive_want_of_memory))
