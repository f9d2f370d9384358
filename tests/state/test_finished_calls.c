/* test_finished_calls.c: calls as rows: the trace of tests/data/where, of which its README lists the events. */
#include "harness.h"

struct expected_call {
    uint32_t location, depth;
    int64_t enter, leave;
    uint64_t messages, sent, received;
    bool is_unfinished;
};

/* In the order of streams, and within them of ends. */
static const struct expected_call expected[] = {
    {0, 1, 20, 40, 1, 2000000, 0, false}, {0, 1, 50, 55, 1, 100, 0, false},
    {0, 2, 62, 65, 0, 0, 0, false},       {0, 1, 60, 90, 0, 0, 0, false},
    {0, 0, 10, 100, 0, 0, 0, false},      {1, 1, 22, 45, 1, 0, 2000000, false},
    {1, 1, 52, 59, 1, 0, 100, false},     {2, 0, 30, 31, 0, 0, 0, false},
    {1, 0, 12, 75, 0, 0, 0, true},
};
enum { CALLS = sizeof expected / sizeof *expected };

static void assert_call(const struct quipu_call *call, const struct expected_call *it) {
    assert_int_equal(call->location, it->location);
    assert_int_equal(call->depth, it->depth);
    assert_int_equal(call->enter, it->enter);
    assert_int_equal(call->leave, it->leave);
    assert_int_equal(call->messages, it->messages);
    assert_int_equal(call->bytes_sent, it->sent);
    assert_int_equal(call->bytes_received, it->received);
    assert_int_equal(call->is_unfinished, it->is_unfinished);
}

static enum quipu_status read_calls(struct quipu_reader *reader, struct quipu_calls *calls,
                                    struct quipu_call *out, size_t *count) {
    const struct quipu_batch *batch;
    enum quipu_status status = QUIPU_OK;
    *count = 0;
    while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, NULL)) == QUIPU_OK)
        for (status = quipu_calls_add(calls, batch, NULL);
             *count < CALLS && quipu_calls_next(calls, &out[*count]);)
            ++*count;
    if (status != QUIPU_END)
        return status;
    for (status = quipu_calls_end(calls, NULL); *count < CALLS && quipu_calls_next(calls, &out[*count]);)
        ++*count;
    return status;
}

static struct quipu_reader *open_trace(void) {
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), NULL, &reader, NULL), QUIPU_OK);
    return reader;
}

static void test_calls_come_in_the_order_of_their_ends(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace();
    struct quipu_calls *calls;
    struct quipu_call found[CALLS], more;
    size_t count;
    assert_int_equal(quipu_calls_new(quipu_reader_definitions(reader), NULL, &calls, NULL), QUIPU_OK);
    assert_int_equal(read_calls(reader, calls, found, &count), QUIPU_OK);
    assert_int_equal(count, CALLS);
    assert_false(quipu_calls_next(calls, &more));
    for (size_t i = 0; i < CALLS; i++)
        assert_call(&found[i], &expected[i]);
    assert_int_equal(found[0].peer, 1);
    assert_int_equal(found[0].tag, 7);
    assert_int_equal(found[2].peer, QUIPU_NONE);
    quipu_calls_free(calls);
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

static void test_calls_survive_want_of_memory(void **state) {
    (void)state;
    for (size_t allowed = 0;; allowed++) {
        struct quipu_reader *reader = open_trace();
        struct scarce scarce = {allowed};
        const struct quipu_allocator allocator = {resize, &scarce};
        const struct quipu_tracker_options options = {.allocator = &allocator};
        struct quipu_calls *calls;
        struct quipu_call found[CALLS];
        size_t count = 0;
        enum quipu_status status = quipu_calls_new(quipu_reader_definitions(reader), &options, &calls, NULL);
        if (status == QUIPU_OK)
            status = read_calls(reader, calls, found, &count);
        quipu_calls_free(calls);
        quipu_reader_close(reader);
        if (status == QUIPU_OK) {
            assert_int_equal(count, CALLS);
            return;
        }
        assert_int_equal(status, QUIPU_NO_MEMORY);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_calls_come_in_the_order_of_their_ends),
            cmocka_unit_test(test_calls_survive_want_of_memory))
