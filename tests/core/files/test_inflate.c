/* test_inflate.c: whichever decoder comes first, what comes out of a stream is what zlib alone makes of it, whole or cut off at any
 * byte; and with any bit turned over nothing is missing of what zlib still gets. */
#include "harness.h"

#include "core/files/inflate.h"

#include <zlib.h>

#define TEXT_BYTES 2400
#define SEGMENT_BYTES 800
#define ROOM (2 * TEXT_BYTES)

static uint8_t text[TEXT_BYTES];

/* A stream as a writer leaves it behind. */
struct packed {
    uint8_t data[ROOM];
    size_t size;
    size_t ends[TEXT_BYTES / SEGMENT_BYTES]; /* of its segments */
    bool is_bare, is_finished;
};

/* How it is fed and what came out. */
struct decoded {
    uint8_t data[ROOM];
    size_t size, used;
    enum quipu__inflated result;
};

/* State lines and records of a trace, with numbers that repeat a little. */
static int set_up(void **state) {
    (void)state;
    size_t offset = 0;
    for (uint32_t i = 0, x = 1; offset + 40 < TEXT_BYTES; i++, x = x * 1664525 + 1013904223)
        offset += (size_t)snprintf((char *)text + offset, 40, "%x\n*1\n%c%x\n", i * 700 + (x >> 24),
                                   i & 1 ? 'L' : 'E', x >> 28);
    memset(text + offset, 'x', TEXT_BYTES - offset);
    return 0;
}

static void deflate_all(struct packed *packed, int window_bits, int level, int strategy, bool is_finished) {
    z_stream zlib = {.next_out = packed->data, .avail_out = ROOM};
    assert_int_equal(deflateInit2(&zlib, level, Z_DEFLATED, window_bits, 8, strategy), Z_OK);
    for (size_t offset = 0; offset < TEXT_BYTES; offset += SEGMENT_BYTES) {
        zlib.next_in = text + offset;
        zlib.avail_in = SEGMENT_BYTES;
        assert_int_equal(deflate(&zlib, Z_FULL_FLUSH), Z_OK);
        packed->ends[offset / SEGMENT_BYTES] = ROOM - zlib.avail_out;
    }
    if (is_finished)
        assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    packed->size = ROOM - zlib.avail_out;
    packed->is_bare = window_bits < 0;
    packed->is_finished = is_finished;
    deflateEnd(&zlib);
}

/* Every kind of header and of block; all but the first are finished. */
#define STREAMS 6
static void deflate_number(struct packed *packed, unsigned number) {
    static const struct {
        int window_bits, level, strategy;
    } kinds[STREAMS] = {{15, 4, Z_DEFAULT_STRATEGY}, {15, 6, Z_DEFAULT_STRATEGY}, {31, 9, Z_DEFAULT_STRATEGY},
                        {-15, 6, Z_FIXED},           {15, 0, Z_DEFAULT_STRATEGY}, {-15, 1, Z_HUFFMAN_ONLY}};
    deflate_all(packed, kinds[number].window_bits, kinds[number].level, kinds[number].strategy, number > 0);
}

/* Decodes what is there in steps, as a caller that can (or cannot) start over. */
static void decode(struct quipu__inflate *stream, const uint8_t *data, size_t size, bool is_bare,
                   size_t in_step, size_t out_step, struct decoded *out) {
    size_t offset = 0;
    quipu__inflate_begin(stream, is_bare);
    out->size = 0;
    for (unsigned calls = 0;; calls++) {
        const size_t room = ROOM - out->size;
        const size_t fed = size - offset < in_step ? size - offset : in_step;
        assert_true(calls < 8 * ROOM && room > 0);
        stream->in = data + offset;
        stream->in_left = fed;
        stream->out = out->data + out->size;
        stream->room = room < out_step ? room : out_step;
        out->result = quipu__inflate_run(stream, offset + fed == size);
        offset = (size_t)(stream->in - data);
        out->size = (size_t)(stream->out - out->data);
        if (out->result == QUIPU__INFLATED_AGAIN)
            offset = 0;
        else if (out->result != QUIPU__INFLATED_SOME)
            break;
    }
    out->used = offset;
}

struct pair {
    struct quipu__memory memory;
    struct quipu__inflate alone, faster;
};

static void open_pair(struct pair *pair) {
    quipu__memory_init(&pair->memory, NULL, 0);
    assert_true(quipu__inflate_init(&pair->alone, &pair->memory, false));
    assert_true(quipu__inflate_init(&pair->faster, &pair->memory, true));
}

static void close_pair(struct pair *pair) {
    quipu__inflate_release(&pair->alone, &pair->memory);
    quipu__inflate_release(&pair->faster, &pair->memory);
    assert_int_equal(pair->memory.used, 0);
}

static const size_t steps_faster[][2] = {{ROOM, ROOM}, {37, ROOM}, {ROOM, 100}};
#define STEPS_AHEAD (sizeof steps_faster / sizeof *steps_faster)

/* Decodes both ways and compares; expected has what zlib alone gives. */
static void assert_same(struct pair *pair, const uint8_t *data, size_t size, bool is_bare,
                        struct decoded *expected) {
    static struct decoded got;
    decode(&pair->alone, data, size, is_bare, ROOM, ROOM, expected);
    for (size_t i = 0; i < STEPS_AHEAD; i++) {
        decode(&pair->faster, data, size, is_bare, steps_faster[i][0], steps_faster[i][1], &got);
        assert_int_equal(got.size, expected->size);
        assert_memory_equal(got.data, expected->data, got.size);
        assert_int_equal(got.result, expected->result);
        if (got.result != QUIPU__INFLATED_DAMAGED)
            assert_int_equal(got.used, expected->used);
    }
}

/* The same where zlib finds no fault. Else what zlib gives must be there; the block with the fault may be there too. */
static void assert_covers(struct pair *pair, const uint8_t *data, size_t size, bool is_bare,
                          struct decoded *expected) {
    static struct decoded got;
    decode(&pair->alone, data, size, is_bare, ROOM, ROOM, expected);
    if (expected->result != QUIPU__INFLATED_DAMAGED) {
        assert_same(pair, data, size, is_bare, expected);
        return;
    }
    for (size_t i = 0; i < STEPS_AHEAD; i++) {
        decode(&pair->faster, data, size, is_bare, steps_faster[i][0], steps_faster[i][1], &got);
        assert_true(got.size >= expected->size);
        assert_memory_equal(got.data, expected->data, expected->size);
    }
}

static void test_inflate_gives_whole_streams_in_any_steps(void **state) {
    static const size_t steps[] = {1, 2, 7, 100, ROOM};
    static struct packed packed;
    static struct decoded got;
    struct pair pair;
    (void)state;
    open_pair(&pair);
    for (unsigned number = 0; number < STREAMS; number++) {
        deflate_number(&packed, number);
        memset(packed.data + packed.size, 0x55, 20); /* what follows is not part of it */
        for (size_t i = 0; i < 25; i++)
            for (size_t fast = 0; fast < 2; fast++) {
                decode(fast ? &pair.faster : &pair.alone, packed.data,
                       packed.size + (packed.is_finished ? 20 : 0), packed.is_bare, steps[i / 5], steps[i % 5],
                       &got);
                assert_int_equal(got.result, packed.is_finished ? QUIPU__INFLATED_END : QUIPU__INFLATED_PAUSE);
                assert_int_equal(got.size, TEXT_BYTES);
                assert_memory_equal(got.data, text, TEXT_BYTES);
                assert_int_equal(got.used, packed.size);
            }
    }
    close_pair(&pair);
}

static void test_inflate_gives_what_is_there_of_a_stream_cut_at_any_byte(void **state) {
    static struct packed packed;
    static struct decoded got;
    struct pair pair;
    (void)state;
    open_pair(&pair);
    for (unsigned number = 0; number < STREAMS; number++) {
        deflate_number(&packed, number);
        for (size_t size = 1; size < packed.size; size++) {
            assert_same(&pair, packed.data, size, packed.is_bare, &got);
            assert_true(got.size <= TEXT_BYTES && got.result != QUIPU__INFLATED_END);
            assert_memory_equal(got.data, text, got.size);
        }
        assert_int_equal(got.size, TEXT_BYTES);
    }
    close_pair(&pair);
}

static void test_inflate_gives_what_precedes_damage_at_any_bit(void **state) {
    static struct packed packed;
    static struct decoded got;
    struct pair pair;
    (void)state;
    open_pair(&pair);
    for (unsigned number = 0; number < STREAMS; number++) {
        deflate_number(&packed, number);
        for (size_t bit = 0; bit < 8 * packed.size; bit++) {
            const size_t whole = (size_t)(packed.ends[0] <= bit / 8) + (packed.ends[1] <= bit / 8);
            packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_covers(&pair, packed.data, packed.size, packed.is_bare, &got);
            assert_true(got.size >= whole * SEGMENT_BYTES);
            assert_memory_equal(got.data, text, whole * SEGMENT_BYTES);
            packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    close_pair(&pair);
}

static void test_inflate_says_that_nothing_is_no_stream(void **state) {
    static struct decoded got;
    struct pair pair;
    (void)state;
    open_pair(&pair);
    assert_same(&pair, text, 0, false, &got);
    assert_int_equal(got.result, QUIPU__INFLATED_DAMAGED);
    assert_same(&pair, text, TEXT_BYTES, false, &got);
    assert_int_equal(got.result, QUIPU__INFLATED_DAMAGED);
    assert_int_equal(got.size, 0);
    close_pair(&pair);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)
QUIPU_TESTS(TEST(test_inflate_gives_whole_streams_in_any_steps),
            TEST(test_inflate_gives_what_is_there_of_a_stream_cut_at_any_byte),
            TEST(test_inflate_gives_what_precedes_damage_at_any_bit),
            TEST(test_inflate_says_that_nothing_is_no_stream))
