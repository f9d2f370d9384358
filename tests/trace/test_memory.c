/* test_memory.c: reading real formats asks for no memory per event: ten times the events need no more requests, apart
 * from buffers that reach their final size a little later. */
#include "harness.h"

struct counted {
    uint64_t requests;
    size_t used, most;
};

static void *count_resize(void *context, void *block, size_t old_size, size_t size) {
    struct counted *counted = context;
    counted->requests += size > 0;
    counted->used = counted->used - old_size + size;
    counted->most = counted->used > counted->most ? counted->used : counted->most;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

/* Makes a trace, reads it in all ways and counts. */
static struct counted read_made(const char *format, const char *suffix, uint32_t events) {
    struct counted counted = {0};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_reader *reader;
    struct quipu_record record;
    const struct quipu_batch *batch;
    uint64_t records = 0;
    const char *name = harness_text("%s/made", harness_folder());
    assert_int_equal(
        harness_run("%s %s %s --streams 3 --events %u", harness_built("bench/generate"), format, name, events)
            .code,
        0);
    options.allocator = (struct quipu_allocator){count_resize, &counted};
    assert_int_equal(quipu_reader_open(harness_text("%s%s", name, suffix), &options, &reader, NULL), QUIPU_OK);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        records++;
    for (int order = QUIPU_ORDER_STREAM; order <= QUIPU_ORDER_TIME; order++) {
        selection.order = (enum quipu_order)order;
        assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
        while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
            ;
        assert_int_equal(quipu_reader_records(reader), records);
    }
    assert_true(records >= events - events / 50);
    quipu_reader_close(reader);
    assert_int_equal(counted.used, 0);
    return counted;
}

/* Files of the smaller trace, too, are larger than a window. */
static void assert_flat(const char *format, const char *suffix) {
    const struct counted small = read_made(format, suffix, 60000), large = read_made(format, suffix, 300000);
    assert_in_range(large.requests, 1, small.requests + 8);
    assert_in_range(large.most, 1, small.most + (64 << 10));
}

static void test_memory_of_otf_does_not_grow_with_the_trace(void **state) {
    (void)state;
    assert_flat("otf", ".otf");
}

static void test_memory_of_dumpi_does_not_grow_with_the_trace(void **state) {
    (void)state;
    assert_flat("dumpi", ".meta");
}

QUIPU_TESTS(cmocka_unit_test(test_memory_of_otf_does_not_grow_with_the_trace),
            cmocka_unit_test(test_memory_of_dumpi_does_not_grow_with_the_trace))
