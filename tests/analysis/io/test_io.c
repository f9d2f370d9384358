/* test_io.c: the shares of "io" against slow and obvious ones: extents against an array of bytes, caches against lists, intervals
 * against all requests. tests/cli/test_io.py has the whole. */
#include "../programs.h"

#include "analysis/io/io.h"
#include "analysis/io/cache.h"

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* ---- Extents ---- */

enum { BYTES = 4000, OWNERS = 3 };

/* Who has touched each byte: a bit for each owner. */
static struct quipu__extent_totals totals_of(const uint8_t *touched, int64_t block_size) {
    struct quipu__extent_totals totals = {0, 0, 0, 0};
    for (int64_t block = 0; block < BYTES; block += block_size) {
        uint8_t owners = 0;
        for (int64_t i = block; i < block + block_size && i < BYTES; i++) {
            owners |= touched[i];
            totals.bytes += touched[i] != 0;
            totals.bytes_shared += (touched[i] & (touched[i] - 1)) != 0;
        }
        totals.blocks += owners != 0;
        totals.blocks_shared += (owners & (owners - 1)) != 0;
    }
    return totals;
}

static void assert_totals(const struct quipu__extents *extents, const uint8_t *touched) {
    static const int64_t block_sizes[] = {1, 7, 64, 1000, 5000};
    for (size_t i = 0; i < sizeof block_sizes / sizeof *block_sizes; i++) {
        const struct quipu__extent_totals found = quipu__extents_total(extents, block_sizes[i]);
        const struct quipu__extent_totals expected = totals_of(touched, block_sizes[i]);
        assert_memory_equal(&found, &expected, sizeof found);
    }
}

static void touch(struct quipu__extents *extents, struct quipu__memory *memory, uint64_t *seed,
                  struct quipu__extent_hint *hints, uint8_t *touched) {
    static int64_t next[OWNERS];
    const uint32_t owner = (uint32_t)(next_random(seed) % OWNERS);
    const int64_t from = next_random(seed) % 2 ? next[owner] % BYTES : (int64_t)(next_random(seed) % BYTES);
    const int64_t most = next_random(seed) % 20 ? 30 : BYTES;
    int64_t to = from + (int64_t)(next_random(seed) % (uint64_t)most);
    to = to < BYTES ? to : BYTES;
    const struct quipu__extent extent = {from, to, owner};
    assert_true(quipu__extents_touch(extents, memory, &extent, &hints[owner]));
    for (int64_t i = from; i < to; i++)
        touched[i] |= (uint8_t)(1 << owner);
    next[owner] = to;
}

static void test_io_extents_know_who_touched_what(void **state) {
    (void)state;
    for (uint64_t run = 0; run < 60; run++) {
        struct quipu__memory memory;
        struct quipu__extents extents = {QUIPU__VEC_INIT};
        struct quipu__extent_hint hints[OWNERS] = {{0, 0}};
        uint8_t touched[BYTES] = {0};
        uint64_t seed = run;
        quipu__memory_init(&memory, NULL, 0);
        for (unsigned i = 0; i < run * 10; i++)
            touch(&extents, &memory, &seed, hints, touched);
        assert_totals(&extents, touched);
        quipu__extents_release(&extents, &memory);
        assert_int_equal(memory.used, 0);
    }
}

/* Requests one behind the other take no more memory than one. */
static void test_io_extents_of_sequential_access_are_one(void **state) {
    struct quipu__memory memory;
    struct quipu__extents extents = {QUIPU__VEC_INIT};
    struct quipu__extent_hint hint = {0, 0};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    for (int64_t i = 0; i < 100000; i++)
        assert_true(quipu__extents_touch(&extents, &memory,
                                         &(struct quipu__extent){i * 4096, (i + 1) * 4096, 1}, &hint));
    assert_int_equal(extents.chunks.count, 1);
    assert_int_equal(extents.chunks.items[0]->count, 1);
    assert_int_equal(quipu__extents_total(&extents, 4096).blocks, 100000);
    quipu__extents_release(&extents, &memory);
}

/* ---- Caches ---- */

/* Caches as plainly as can be: of each node a list of blocks, the one that is given up first at the end. */
struct listed_cache {
    struct listed_block {
        uint32_t file;
        int64_t block;
    } blocks[64];
    uint32_t count;
};

static bool refer_listed(struct listed_cache *cache, enum quipu__replacement replacement, uint32_t capacity,
                         struct listed_block block) {
    uint32_t index = 0;
    while (index < cache->count &&
           (cache->blocks[index].file != block.file || cache->blocks[index].block != block.block))
        index++;
    const bool is_hit = index < cache->count;
    if (is_hit && replacement == QUIPU__REPLACE_FIFO)
        return true;
    if (!is_hit && cache->count < capacity)
        cache->count++;
    else if (!is_hit)
        index--;
    memmove(cache->blocks + 1, cache->blocks, index * sizeof *cache->blocks);
    cache->blocks[0] = block;
    return is_hit;
}

/* Sizes of 3 nodes that are not in order; 8 and 7 buffers are the same 2 of a node, and 1 is one at least. */
static const uint64_t cache_sizes[] = {8, 150, 1, 30, 7, 12};
enum { CACHE_SIZES = sizeof cache_sizes / sizeof *cache_sizes, CACHE_NODES = 3 };

/* One block after the other must give what whole requests give, however long they are, and all sizes at once what each gives. */
static void test_io_caches_of_all_sizes_and_requests_of_any_length_hit_like_lists(void **state) {
    enum { BOTH = 1 << QUIPU__REPLACE_LRU | 1 << QUIPU__REPLACE_FIFO };
    static struct listed_cache listed[QUIPU__REPLACEMENTS][CACHE_SIZES][CACHE_NODES];
    struct quipu__memory memory;
    struct quipu__node_caches caches;
    uint64_t seed = 9, hits[QUIPU__REPLACEMENTS][CACHE_SIZES] = {{0}}, references = 0;
    (void)state;
    memset(listed, 0, sizeof listed);
    quipu__memory_init(&memory, NULL, 0);
    assert_true(quipu__node_caches_init(&caches, &memory, BOTH, cache_sizes, CACHE_SIZES, CACHE_NODES));
    for (unsigned i = 0; i < 5000; i++) {
        const uint64_t most = i % 1000 < 500 ? 20 : 200;
        const struct quipu__blocks blocks = {
            (uint32_t)(next_random(&seed) % 2), (int64_t)(next_random(&seed) % most),
            next_random(&seed) % 50 ? 1 + next_random(&seed) % 4 : next_random(&seed) % 1000};
        assert_true(quipu__node_caches_add(&caches, &blocks));
        references += blocks.count;
        for (uint64_t j = 0; j < blocks.count; j++)
            for (unsigned r = 0; r < QUIPU__REPLACEMENTS; r++)
                for (unsigned s = 0; s < CACHE_SIZES; s++) {
                    const struct listed_block block = {blocks.file, blocks.first + (int64_t)j};
                    const uint64_t each = cache_sizes[s] / CACHE_NODES;
                    hits[r][s] += refer_listed(&listed[r][s][block.block % CACHE_NODES],
                                               (enum quipu__replacement)r, each ? (uint32_t)each : 1, block);
                }
        assert_int_equal(caches.references, references);
        for (unsigned r = 0; r < QUIPU__REPLACEMENTS; r++)
            for (unsigned s = 0; s < CACHE_SIZES; s++)
                assert_int_equal(quipu__node_caches_hits(&caches, (enum quipu__replacement)r, cache_sizes[s]),
                                 hits[r][s]);
    }
    assert_true(hits[QUIPU__REPLACE_LRU][2] > 0);
    assert_true(hits[QUIPU__REPLACE_FIFO][0] < hits[QUIPU__REPLACE_FIFO][1]);
    quipu__node_caches_release(&caches);
    assert_int_equal(memory.used, 0);
}

static void test_io_caches_take_a_request_of_any_length(void **state) {
    struct quipu__memory memory;
    struct quipu__node_caches caches;
    struct quipu__client_blocks client = {0};
    const struct quipu__blocks blocks = {1, -5, UINT64_C(1) << 50};
    bool hit = true;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    const uint64_t buffers = 100;
    assert_true(quipu__node_caches_init(&caches, &memory, 1u << QUIPU__REPLACE_LRU, &buffers, 1, 4));
    assert_true(quipu__node_caches_add(&caches, &blocks));
    assert_int_equal(caches.references, blocks.count);
    assert_int_equal(quipu__node_caches_hits(&caches, QUIPU__REPLACE_LRU, buffers), 0);
    assert_true(quipu__client_blocks_add(&client, &memory, QUIPU__REPLACE_LRU, 10, &blocks, &hit));
    assert_false(hit);
    quipu__client_blocks_release(&client, &memory, 10);
    quipu__node_caches_release(&caches);
    assert_int_equal(memory.used, 0);
}

/* ---- Windows ---- */

/* A read of f from 10 to 30, which says its bytes as it begins, an open of g from 35 to 45, and a write of it from 50 to 60, which says them as it ends: requests
 * count where they begin, the open where it is done, and time where it passes. */
static void test_io_of_windows_that_touch_adds_up(void **state) {
    (void)state;
    static const struct {
        const char *window, *rows;
    } windows[] = {
        {"", "f 0 1 0 8 0 20 0 0 20\ng 1 0 1 0 5 0 10 10 20\n"},
        {"to=20", "f 0 1 0 8 0 10 0 0 10\n"},
        {"from=20", "g 1 0 1 0 5 0 10 10 20\nf 0 0 0 0 0 10 0 0 10\n"},
        {"from=12 to=17", "f 0 0 0 0 0 5 0 0 5\n"},
        {"from=30 to=40", "g 0 0 0 0 0 0 0 5 5\n"},
        {"to=55", "f 0 1 0 8 0 20 0 0 20\ng 1 0 1 0 5 0 5 10 15\n"},
        {"from=55", "g 0 0 0 0 0 0 5 0 5\n"},
        {"from=60", ""},
    };
    const struct program program = {
        .rows = {"0+main 10/io_begin,operation=read,object=f,bytes=8 30/io_end,operation=read,object=f,bytes=8 "
                 "35/io_begin,operation=open,object=g 45/io_end,operation=open,object=g,tag=7 "
                 "50/io_begin,operation=write,tag=7 60/io_end,operation=write,tag=7,bytes=5 70-main"}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        assert_answer(
            &program, "io", windows[i].window, "io_files",
            "file opens reads writes bytes_read bytes_written read_ns write_ns metadata_ns slowest_ns",
            windows[i].rows);
}

/* ---- Time ---- */

static void test_io_timeline_loses_nothing_as_it_gets_coarser(void **state) {
    struct quipu__io_timeline whole;
    uint64_t seed = 3;
    (void)state;
    quipu__io_timeline_init(&whole);
    for (unsigned i = 0; i < 1000; i++) {
        const int64_t time = (int64_t)(next_random(&seed) % (1 << (1 + i / 50))) - 1000;
        quipu__io_timeline_at(&whole, time)->opens++;
    }
    uint64_t opens = 0;
    for (unsigned i = 0; i < QUIPU__IO_INTERVALS; i++)
        opens += whole.intervals[i].opens;
    assert_int_equal(opens, 1000);
}

static void test_io_timeline_holds_the_whole_range_of_times(void **state) {
    struct quipu__io_timeline timeline;
    (void)state;
    quipu__io_timeline_init(&timeline);
    quipu__io_timeline_at(&timeline, INT64_MIN)->opens++;
    quipu__io_timeline_at(&timeline, INT64_MAX)->opens++;
    assert_int_equal(timeline.shift, 58);
    assert_int_equal(timeline.last - timeline.first, 63);
}

static void test_io_timeline_ends_at_the_largest_time(void **state) {
    struct quipu__io_timeline timeline;
    (void)state;
    quipu__io_timeline_init(&timeline);
    assert_int_equal(quipu__io_interval_count(&timeline), 0);
    quipu__io_timeline_at(&timeline, INT64_MAX)->opens++;
    assert_int_equal(quipu__io_interval_count(&timeline), 1);
    quipu__io_timeline_at(&timeline, INT64_MAX - 64)->opens++;
    assert_int_equal(timeline.shift, 1);
    assert_int_equal(quipu__io_interval_count(&timeline), 33);
    assert_int_equal(quipu__io_timeline_at(&timeline, INT64_MAX)->opens, 1);
}

QUIPU_TESTS(cmocka_unit_test(test_io_of_windows_that_touch_adds_up),
            cmocka_unit_test(test_io_extents_know_who_touched_what),
            cmocka_unit_test(test_io_extents_of_sequential_access_are_one),
            cmocka_unit_test(test_io_caches_of_all_sizes_and_requests_of_any_length_hit_like_lists),
            cmocka_unit_test(test_io_caches_take_a_request_of_any_length),
            cmocka_unit_test(test_io_timeline_loses_nothing_as_it_gets_coarser),
            cmocka_unit_test(test_io_timeline_holds_the_whole_range_of_times),
            cmocka_unit_test(test_io_timeline_ends_at_the_largest_time))
