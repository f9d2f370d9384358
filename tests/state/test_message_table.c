/* test_message_table.c: the n-th send of a class belongs to its n-th receive. */
#include "harness.h"

#include "state/message_table.h"

enum { EVENTS = 8 };

/* A batch of sends and receives on the stack. */
struct made {
    uint8_t kind[EVENTS];
    uint32_t location[EVENTS], peer[EVENTS], group[EVENTS];
    int64_t tag[EVENTS];
    struct quipu_batch batch;
};

static void add(struct made *made, enum quipu_kind kind, uint32_t location, uint32_t peer, int64_t tag) {
    const uint32_t i = made->batch.count++;
    made->kind[i] = (uint8_t)kind;
    made->location[i] = location;
    made->peer[i] = peer;
    made->tag[i] = tag;
    made->batch.kind = made->kind;
    made->batch.location = made->location;
    made->batch.peer = made->peer;
    made->batch.group = made->group;
    made->batch.tag = made->tag;
}

static void test_message_table_number_messages_of_a_class_in_order(void **state) {
    (void)state;
    static const struct quipu_definitions definitions;
    struct quipu__memory memory;
    struct quipu__message_table table;
    struct made made = {.batch = {.count = 0}};
    uint64_t numbers[EVENTS];
    quipu__memory_init(&memory, NULL, 0);
    quipu__message_table_init(&table, &memory);
    add(&made, QUIPU_KIND_recv, 1, 0, 5); /* the receiver may come first */
    add(&made, QUIPU_KIND_send, 0, 1, 5); /* belongs to it */
    add(&made, QUIPU_KIND_send, 0, 1, 6); /* another class */
    add(&made, QUIPU_KIND_send, 0, 1, 5);
    add(&made, QUIPU_KIND_recv, 1, 0, 5);          /* belongs to the one before */
    add(&made, QUIPU_KIND_send, 1, 0, 5);          /* the other direction is another class */
    add(&made, QUIPU_KIND_recv, 1, QUIPU_NONE, 5); /* unknown sender */
    add(&made, QUIPU_KIND_enter, 1, 0, 5);
    for (uint32_t i = 0; i < EVENTS; i++)
        numbers[i] = quipu__message_table_number(&table, &definitions, &made.batch, i);
    assert_int_equal(numbers[0], numbers[1]);
    assert_int_equal(numbers[3], numbers[4]);
    assert_int_not_equal(numbers[1], numbers[3]);
    assert_int_not_equal(numbers[2], numbers[1]);
    assert_int_not_equal(numbers[5], numbers[1]);
    assert_int_equal(numbers[6], 0);
    assert_int_equal(numbers[7], 0);
    assert_int_equal(table.list.count, 3);
    assert_false(table.is_full);
    quipu__message_table_release(&table);
    assert_int_equal(memory.used, 0);
}

static void test_message_table_stop_at_their_limit(void **state) {
    (void)state;
    static const struct quipu_definitions definitions;
    struct quipu__memory memory;
    struct quipu__message_table table;
    quipu__memory_init(&memory, NULL, 0);
    quipu__message_table_init(&table, &memory);
    for (int64_t tag = 0; tag < QUIPU__MESSAGE_KEYS_MOST + 1000; tag++) {
        struct made made = {.batch = {.count = 0}};
        add(&made, QUIPU_KIND_send, 0, 1, tag);
        assert_int_equal(quipu__message_table_number(&table, &definitions, &made.batch, 0) != 0,
                         tag < QUIPU__MESSAGE_KEYS_MOST);
    }
    assert_true(table.is_full);
    assert_int_equal(table.list.count, QUIPU__MESSAGE_KEYS_MOST);
    quipu__message_table_release(&table);
}

QUIPU_TESTS(cmocka_unit_test(test_message_table_number_messages_of_a_class_in_order),
            cmocka_unit_test(test_message_table_stop_at_their_limit))
