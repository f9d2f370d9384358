/* test_attributes.c: attributes of calls that are read where they lie, beside those of the same calls decoded. */
#include "random_records.h"

#include "formats/dumpi/layout.h"

/* A line per attribute. */
static char *attributes_of(const char *path) {
    struct quipu_reader *reader = opened(path);
    struct quipu__memory memory;
    struct quipu__buffer out;
    struct quipu_event event;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    for (uint32_t number = 0; quipu_reader_next(reader, &event, NULL) == QUIPU_OK; number++)
        for (uint32_t i = 0; i < event.attribute_count; i++) {
            const struct quipu_value *value = &event.attributes[i].value;
            quipu__put_format(&out, "%u %s %s %u ", number, quipu_kind_at((enum quipu_kind)event.kind)->name,
                              quipu_key_name(quipu_reader_definitions(reader), value->key), value->type);
            quipu__print_value(value, &out, false);
            quipu__put_u8(&out, '\n');
        }
    char *text = harness_text("%.*s", (int)out.len, (const char *)out.data);
    quipu__buffer_release(&out);
    quipu_reader_close(reader);
    return text;
}

/* 1,000 calls with statuses of which most come again, the first one all of zeros; every 16th is another one. */
static const char *write_waits(uint8_t mask) {
    struct made made = made_create();
    seed = 11;
    made_rank(&made, 0);
    made.common.mask = mask;
    for (int i = 0; i < 1000; i++) {
        const int32_t once = i % 16 == 15 ? (int32_t)draw() : 0;
        const int32_t again = (int32_t)(draw() % 5);
        CALL(&made, wait, .request = 4,
             .status = i == 0 ? STATUS(0, 0, 0) : STATUS(INT32_MAX - again, again - 1, once));
    }
    return made_close(&made);
}

static void test_attributes_of_statuses_that_come_again(void **state) {
    (void)state;
    const char *canonical = attributes_of(write_waits(MASK_ALL));
    const char *decoded = attributes_of(write_waits(MASK_ALL | QUIPU__DUMPI_MASK_COUNTERS));
    assert_non_null(strstr(canonical, "{\"bytes\": 0, \"source\": 0, \"tag\": 0, "));
    assert_non_null(strstr(canonical, "{\"bytes\": 2147483643, \"source\": 3, \"tag\": 0, "));
    assert_string_equal(canonical, decoded);
}

QUIPU_TESTS(cmocka_unit_test(test_attributes_of_statuses_that_come_again))
