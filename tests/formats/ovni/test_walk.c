/* test_walk.c: from event to event, by the layout of streams. The first two streams are the worked examples of the format's
 * description. */
#include "harness.h"

#include "formats/ovni/walk.h"

static struct quipu__memory memory;
static struct quipu__files pool;

static struct quipu__ovni_walk walk_of(const void *bytes, size_t size, bool has_header) {
    const char *path = harness_text("%s/stream.obs", harness_folder());
    struct quipu__ovni_walk walk;
    harness_write(path, bytes, size);
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&pool, &memory, 0);
    assert_int_equal(quipu__ovni_walk_open(&walk, &pool, path, has_header, 0, NULL), QUIPU_OK);
    return walk;
}

static void close_walk(struct quipu__ovni_walk *walk) {
    quipu__ovni_walk_close(walk);
    quipu__files_release(&pool);
    assert_int_equal(memory.used, 0);
}

/* The rule that ends a stream of these bytes, after so many events. */
static void assert_damage(const void *bytes, size_t size, uint32_t rule, uint64_t events) {
    struct quipu__ovni_walk walk = walk_of(bytes, size, true);
    struct quipu__ovni_event event;
    while (quipu__ovni_walk_next(&walk, &event, NULL) == QUIPU_OK)
        continue;
    assert_int_equal(walk.damage, rule);
    assert_int_equal(walk.events, events);
    close_walk(&walk);
}

static const uint8_t minimal[48] = {0x6f, 0x76, 0x6e, 0x69, 1, 0, 0, 0, 0x0f, 0x4f, 0x48, 0x78, 0xe8, 3,
                                    0,    0,    0,    0,    0, 0, 0, 0, 0,    0,    0xff, 0xff, 0xff, 0xff,
                                    0,    0,    0,    0,    0, 0, 0, 0, 0x00, 0x4f, 0x48, 0x65, 0xd0, 7};

static void test_walk_normal_events(void **state) {
    struct quipu__ovni_walk walk = walk_of(minimal, sizeof minimal, true);
    struct quipu__ovni_event event;
    (void)state;
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
    assert_memory_equal(&event.model, "O", 1);
    assert_memory_equal(&event.category, "H", 1);
    assert_memory_equal(&event.value, "x", 1);
    assert_int_equal(event.clock, 1000);
    assert_int_equal(event.len, 16);
    assert_int_equal(event.offset, 8);
    assert_int_equal(quipu__ovni_load_i32(false, event.payload), 0);
    assert_int_equal(quipu__ovni_load_i32(false, event.payload + 4), -1);
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
    assert_int_equal(event.clock, 2000);
    assert_int_equal(event.len, 0);
    assert_int_equal(event.offset, 8 + 28);
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_END);
    assert_int_equal(walk.damage, QUIPU__OVNI_RULE_COUNT);
    assert_int_equal(walk.events, 2);
    close_walk(&walk);
}

/* Clock 110, 14 bytes: the type 1 and "testtype1" with its NUL. The size code of a jumbo event says nothing. */
static void test_walk_jumbo_events(void **state) {
    uint8_t bytes[38] = {0x6f, 0x76, 0x6e, 0x69, 1,   0,   0,   0,   0x13, 0x56, 0x59, 0x63, 0x6e,
                         0,    0,    0,    0,    0,   0,   0,   0xe, 0,    0,    0,    1,    0,
                         0,    0,    't',  'e',  's', 't', 't', 'y', 'p',  'e',  '1',  0};
    static const uint8_t flags[] = {0x13, 0x10, 0x1f};
    (void)state;
    for (size_t i = 0; i < sizeof flags; i++) {
        bytes[8] = flags[i];
        struct quipu__ovni_walk walk = walk_of(bytes, sizeof bytes, true);
        struct quipu__ovni_event event;
        assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
        assert_true(event.is_jumbo);
        assert_int_equal(event.clock, 110);
        assert_int_equal(event.len, 14);
        assert_string_equal((const char *)event.payload + 4, "testtype1");
        assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_END);
        close_walk(&walk);
    }
}

/* A size code s stands for s + 1 bytes; 0 for none. The three highest bits of the first byte say nothing. */
static void test_walk_every_size_of_payload(void **state) {
    (void)state;
    for (uint8_t code = 0; code < 16; code++) {
        uint8_t bytes[8 + 12 + 16 + 12] = "ovni\1\0\0\0";
        const size_t len = code ? code + 1U : 0;
        bytes[8] = (uint8_t)(0xe0 | code);
        memcpy(bytes + 20 + len + 1, "OHe", 3);
        struct quipu__ovni_walk walk = walk_of(bytes, 20 + len + 12, true);
        struct quipu__ovni_event event;
        assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
        assert_int_equal(event.len, len);
        assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
        assert_memory_equal(&event.value, "e", 1);
        assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_END);
        assert_int_equal(walk.damage, QUIPU__OVNI_RULE_COUNT);
        close_walk(&walk);
    }
}

/* The version tells the order of bytes: 1 in the writer's. */
static void test_walk_the_other_byte_order(void **state) {
    static const uint8_t bytes[20] = {'o', 'v', 'n', 'i', 0, 0, 0, 1, 0, 'O',
                                      'H', 'e', 0,   0,   0, 0, 0, 0, 7, 0xd0};
    struct quipu__ovni_walk walk = walk_of(bytes, sizeof bytes, true);
    struct quipu__ovni_event event;
    (void)state;
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
    assert_true(walk.is_big);
    assert_int_equal(event.clock, 2000);
    close_walk(&walk);
}

/* Streams of development versions have no header; the first clock tells the order of bytes. */
static void test_walk_streams_without_header(void **state) {
    static const uint8_t big[12] = {0, 'O', 'H', 'e', 0, 0, 0, 0, 0, 0, 7, 0xd0};
    struct quipu__ovni_walk walk = walk_of(minimal + 8, 40, false);
    struct quipu__ovni_event event;
    (void)state;
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
    assert_int_equal(event.clock, 1000);
    assert_int_equal(event.offset, 0);
    close_walk(&walk);
    walk = walk_of(big, sizeof big, false);
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_OK);
    assert_int_equal(event.clock, 2000);
    close_walk(&walk);
}

/* Every length of the minimal stream: 8 bytes of header, an event of 28, one of 12. */
static void test_walk_streams_that_break_off(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof minimal; size++) {
        const bool is_whole = size == 8 || size == 36;
        const uint32_t cut = is_whole ? QUIPU__OVNI_RULE_COUNT : QUIPU__OVNI_RULE_TRUNCATED;
        assert_damage(minimal, size, size < 8 ? QUIPU__OVNI_RULE_HEADER : cut, size >= 36);
    }
}

static void test_walk_other_magic_and_version(void **state) {
    uint8_t bytes[sizeof minimal];
    (void)state;
    memcpy(bytes, minimal, sizeof bytes);
    bytes[3] = 'j';
    assert_damage(bytes, sizeof bytes, QUIPU__OVNI_RULE_MAGIC, 0);
    memcpy(bytes, minimal, sizeof bytes);
    bytes[4] = 2;
    assert_damage(bytes, sizeof bytes, QUIPU__OVNI_RULE_STREAM_VERSION, 0);
}

/* 2^32 - 16 and 2^31 bytes that are not there: sizes are computed in 64 bits. */
static void test_walk_jumbo_events_that_are_not_there(void **state) {
    uint8_t bytes[24] = {'o', 'v', 'n', 'i', 1, 0, 0, 0, 0x13, 'O', 'U', 'j', 1};
    (void)state;
    memcpy(bytes + 20, "\xf0\xff\xff\xff", 4);
    struct quipu__ovni_walk walk = walk_of(bytes, sizeof bytes, true);
    struct quipu__ovni_event event;
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_END);
    assert_int_not_equal(walk.damage, QUIPU__OVNI_RULE_COUNT);
    close_walk(&walk);
    memcpy(bytes + 20, "\0\0\0\x80", 4);
    walk = walk_of(bytes, sizeof bytes, true);
    assert_int_equal(quipu__ovni_walk_next(&walk, &event, NULL), QUIPU_END);
    assert_int_not_equal(walk.damage, QUIPU__OVNI_RULE_COUNT);
    close_walk(&walk);
}

QUIPU_TESTS(cmocka_unit_test(test_walk_normal_events), cmocka_unit_test(test_walk_jumbo_events),
            cmocka_unit_test(test_walk_every_size_of_payload), cmocka_unit_test(test_walk_the_other_byte_order),
            cmocka_unit_test(test_walk_streams_without_header),
            cmocka_unit_test(test_walk_streams_that_break_off),
            cmocka_unit_test(test_walk_other_magic_and_version),
            cmocka_unit_test(test_walk_jumbo_events_that_are_not_there))
