/* batches.h: a small batch for tests of the model, and the memory that it lives in. */
#ifndef QUIPU_TESTS_MODEL_BATCHES_H
#define QUIPU_TESTS_MODEL_BATCHES_H

#include "harness.h"

#include "model/batch.h"

static struct quipu__memory test_memory;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&test_memory, NULL, 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return test_memory.used != 0;
}

/* Four events: enter, send with an attribute, note with its text, leave. */
static struct quipu__batch *make_batch(void) {
    struct quipu__batch *made;
    assert_int_equal(quipu__batch_new(&test_memory, 8, &made, NULL), QUIPU_OK);
    struct quipu_batch *batch = &made->batch;
    uint32_t i = quipu__batch_add(batch, 10, QUIPU_KIND_enter, 0, 100);
    batch->object[i] = 1;
    i = quipu__batch_add(batch, 11, QUIPU_KIND_send, 0, 110);
    batch->peer[i] = 1;
    batch->group[i] = QUIPU_NONE;
    batch->tag[i] = -1;
    batch->bytes[i] = 4096;
    batch->id[i] = QUIPU_UNKNOWN;
    const struct quipu_value value = {.key = 0, .type = QUIPU_VALUE_I32, .i = -3};
    assert_true(quipu__batch_attribute(made, &value));
    quipu__batch_add(batch, 12, QUIPU_KIND_note, 1, 120);
    assert_true(quipu__batch_attribute_text(made, QUIPU_KEY_TEXT, "a \"b\"", 5));
    i = quipu__batch_add(batch, 13, QUIPU_KIND_leave, 0, 130);
    batch->object[i] = QUIPU_NONE;
    return made;
}

#endif
