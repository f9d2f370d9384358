/* test_unneeded_calls.c: which calls are left out, and that those who match messages see the same with and without them. */
#include "harness.h"

#include "state/unneeded_calls.h"

#include <stdlib.h>

enum { SOLVE, WORK, READ, SEND, REGIONS };
enum { ROOM = 512 };
static const struct quipu_region regions[REGIONS] = {{.name = "solve", .role = QUIPU_REGION_FUNCTION},
                                                     {.name = "work", .role = QUIPU_REGION_FUNCTION},
                                                     {.name = "read", .role = QUIPU_REGION_IO},
                                                     {.name = "MPI_Send", .role = QUIPU_REGION_MPI_P2P}};
static const struct quipu_definitions definitions = {.regions = {regions, REGIONS}};

static struct quipu__memory memory;
static struct quipu__batch *batch;
static struct quipu__unneeded_calls calls;

static void begin(enum quipu__region_use last) {
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__batch_new(&memory, ROOM, &batch, NULL), QUIPU_OK);
    assert_true(quipu__unneeded_calls_init(&calls, &memory, &definitions, last));
}

static void end(void) {
    quipu__batch_free(batch);
    quipu__unneeded_calls_release(&calls);
    assert_int_equal(memory.used, 0);
}

static void add(int64_t time, enum quipu_kind kind, uint32_t location, uint32_t region) {
    const uint32_t i = quipu__batch_add(&batch->batch, time, kind, location, batch->batch.count);
    batch->batch.object[i] = region;
}

static void call(int64_t from, int64_t to, uint32_t location, uint32_t region) {
    add(from, QUIPU_KIND_enter, location, region);
    add(to, QUIPU_KIND_leave, location, region);
}

/* Leaves calls out; the events that were added with these numbers remain, in that order. */
static void assert_left(const uint64_t *numbers, size_t count) {
    quipu__unneeded_calls_leave_out(&calls, &batch->batch);
    assert_int_equal(batch->batch.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(batch->batch.byte_offset[i], numbers[i]);
}
#define ASSERT_LEFT(...)                                                                                       \
    assert_left((const uint64_t[]){__VA_ARGS__}, sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static void test_unneeded_calls_between_events_are_left_out(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMPUTES);
    call(1, 2, 0, WORK);                /* the first event remains, and so what it begins */
    add(3, QUIPU_KIND_enter, 0, SOLVE); /* 2 */
    call(4, 5, 0, WORK);
    add(6, QUIPU_KIND_enter, 0, WORK);
    call(7, 8, 0, WORK);
    add(9, QUIPU_KIND_leave, 0, WORK);
    add(10, QUIPU_KIND_metric, 0, 0); /* 9 */
    call(11, 12, 0, WORK);
    add(13, QUIPU_KIND_leave, 0, SOLVE); /* 12 */
    ASSERT_LEFT(0, 1, 2, 9, 12);
    end();
}

static void test_the_first_and_the_latest_event_of_a_location_remain(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMPUTES);
    add(1, QUIPU_KIND_metric, 0, 0);
    call(1, 2, 0, WORK);
    call(3, 4, 0, WORK);                /* 3 and 4 */
    add(3, QUIPU_KIND_enter, 1, SOLVE); /* 5 */
    call(6, 7, 1, WORK);
    call(8, 9, 1, WORK); /* 8 and 9 */
    ASSERT_LEFT(0, 3, 4, 5, 8, 9);
    end();
}

static void test_calls_with_something_in_them_and_of_other_uses_remain(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMPUTES);
    add(1, QUIPU_KIND_enter, 0, WORK);
    call(2, 3, 0, SEND);
    add(4, QUIPU_KIND_leave, 0, WORK);
    call(5, 6, 0, READ);
    call(7, 8, 0, REGIONS + 3); /* of a region that is not defined */
    add(9, QUIPU_KIND_enter, 0, WORK);
    add(10, QUIPU_KIND_leave, 0, SOLVE); /* not of the call that is active */
    ASSERT_LEFT(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    end();
    begin(QUIPU__REGION_SERVES);
    add(1, QUIPU_KIND_metric, 0, 0);
    call(5, 6, 0, READ);
    call(7, 8, 0, SEND); /* 3 and 4 */
    ASSERT_LEFT(0, 3, 4);
    end();
}

static void test_calls_in_which_time_goes_back_remain(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMPUTES);
    call(1, 5, 0, WORK);
    call(4, 6, 0, WORK); /* begins before the one before it has ended */
    add(7, QUIPU_KIND_enter, 0, WORK);
    add(6, QUIPU_KIND_leave, 0, WORK);
    add(8, QUIPU_KIND_metric, 0, 0);
    ASSERT_LEFT(0, 1, 2, 3, 4, 5, 6);
    end();
}

static void test_calls_that_are_too_deep_remain(void **state) {
    (void)state;
    enum { DEPTH = 100 };
    begin(QUIPU__REGION_COMPUTES);
    for (int i = 0; i < DEPTH; i++)
        add(i, QUIPU_KIND_enter, 0, i % 2 ? WORK : SOLVE);
    for (int i = DEPTH; i-- > 0;)
        add(2 * DEPTH - i, QUIPU_KIND_leave, 0, i % 2 ? WORK : SOLVE);
    add(3 * DEPTH, QUIPU_KIND_metric, 0, 0);
    quipu__unneeded_calls_leave_out(&calls, &batch->batch);
    /* The first one remains; of the others the 65th is too deep: it and those around it remain. */
    assert_int_equal(batch->batch.count, 66 + 66 + 1);
    end();
}

static void test_events_of_other_kinds_go_where_that_is_wanted(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMMUNICATES);
    calls.also = ~(QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU__NO_EVENTS);
    calls.may_go[SOLVE] = false;
    add(1, QUIPU_KIND_metric, 0, 0); /* the first event says that there is something */
    add(2, QUIPU_KIND_enter, 0, SEND);
    add(3, QUIPU_KIND_metric, 0, 0);
    add(4, QUIPU_KIND_leave, 0, SEND);
    add(5, QUIPU_KIND_enter, 0, SOLVE); /* 4 */
    call(6, 7, 0, SEND);
    add(8, QUIPU_KIND_metric, 0, 0);
    add(9, QUIPU_KIND_leave, 0, SOLVE); /* 8 */
    call(10, 11, 0, SEND);
    add(12, QUIPU_KIND_metric, 0, 0); /* 11: the last event says when the location ends */
    ASSERT_LEFT(0, 4, 8, 11);
    end();
}

static void test_calls_beside_summaries_are_those_of_first_and_last_events(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMPUTES);
    add(0, QUIPU_KIND_summary, 0, 0); /* 0 */
    call(1, 2, 0, WORK); /* 1 and 2: the enter is the first event, however little stands before it */
    call(3, 4, 0, WORK);
    call(5, 6, 0, WORK);               /* 5 and 6: the leave is the last one */
    add(7, QUIPU_KIND_snapshot, 0, 0); /* 7 */
    ASSERT_LEFT(0, 1, 2, 5, 6, 7);
    end();
}

static void test_batches_with_attributes_stay_as_they_are(void **state) {
    (void)state;
    begin(QUIPU__REGION_COMPUTES);
    call(1, 2, 0, WORK);
    assert_true(quipu__batch_attribute_text(batch, 0, "a", 1));
    call(3, 4, 0, WORK);
    ASSERT_LEFT(0, 1, 2, 3);
    end();
}

/* ---- Drawn batches ---- */

/* The times at which something else happens than that calls begin and end, with the region that it happens in, and the last time. */
struct seen {
    uint64_t hash;
    int64_t first[2], last[2];
};

static struct seen look(void) {
    struct seen seen = {0, {INT64_MAX, INT64_MAX}, {-1, -1}};
    uint32_t stack[2][ROOM + 1], depth[2] = {0, 0};
    for (uint32_t i = 0; i < batch->batch.count; i++) {
        const uint32_t where = batch->batch.location[i], region = batch->batch.object[i];
        const uint8_t kind = batch->batch.kind[i];
        const bool computes = region < SEND && region != READ;
        seen.first[where] = batch->batch.time[i] < seen.first[where] ? batch->batch.time[i] : seen.first[where];
        seen.last[where] = batch->batch.time[i] > seen.last[where] ? batch->batch.time[i] : seen.last[where];
        if (kind == QUIPU_KIND_metric || !computes) {
            uint64_t path = where;
            for (uint32_t k = 0; k < depth[where]; k++)
                path = path * 31 + stack[where][k] + 1;
            seen.hash = (seen.hash ^ (uint64_t)batch->batch.time[i] ^ path << 20 ^ (uint64_t)kind << 50) *
                        UINT64_C(1099511628211);
        }
        if (kind == QUIPU_KIND_enter)
            stack[where][depth[where]++] = region;
        else if (kind == QUIPU_KIND_leave && depth[where] > 0)
            depth[where]--;
    }
    return seen;
}

/* Programs whose calls nest, of two locations by turns, now and then with a time that goes back. */
static void draw(void) {
    uint32_t stack[2][ROOM + 1], depth[2] = {0, 0}, where = 0;
    int64_t time[2] = {0, 0};
    batch->batch.count = 0;
    while (batch->batch.count < ROOM) {
        where = rand() % 40 == 0 ? 1 - where : where;      /* NOLINT(cert-msc30-c): seeded */
        const int what = rand() % 10;                      /* NOLINT(cert-msc30-c) */
        time[where] += rand() % 50 == 0 ? -3 : rand() % 3; /* NOLINT(cert-msc30-c) */
        if (what == 0)
            add(time[where], QUIPU_KIND_metric, where, 0);
        else if (what < 5 && depth[where] < 80)
            add(time[where], QUIPU_KIND_enter, where,
                stack[where][depth[where]++] =
                    (uint32_t)(rand() % 12 < 10 ? rand() % 2 : 2 + rand() % 2)); /* NOLINT(cert-msc30-c) */
        else if (depth[where] > 0)
            add(time[where], QUIPU_KIND_leave, where, stack[where][--depth[where]]);
    }
}

static void test_what_remains_of_drawn_programs_says_the_same(void **state) {
    (void)state;
    uint64_t left = 0;
    begin(QUIPU__REGION_COMPUTES);
    srand(5);
    for (int i = 0; i < 2000; i++) {
        draw();
        const struct seen before = look();
        quipu__unneeded_calls_leave_out(&calls, &batch->batch);
        const struct seen after = look();
        assert_true(before.hash == after.hash);
        assert_memory_equal(before.first, after.first, sizeof before.first);
        assert_memory_equal(before.last, after.last, sizeof before.last);
        left += batch->batch.count;
    }
    assert_true(left < UINT64_C(2000) * ROOM * 3 / 4);
    end();
}

QUIPU_TESTS(cmocka_unit_test(test_unneeded_calls_between_events_are_left_out),
            cmocka_unit_test(test_the_first_and_the_latest_event_of_a_location_remain),
            cmocka_unit_test(test_calls_with_something_in_them_and_of_other_uses_remain),
            cmocka_unit_test(test_calls_in_which_time_goes_back_remain),
            cmocka_unit_test(test_calls_that_are_too_deep_remain),
            cmocka_unit_test(test_events_of_other_kinds_go_where_that_is_wanted),
            cmocka_unit_test(test_calls_beside_summaries_are_those_of_first_and_last_events),
            cmocka_unit_test(test_batches_with_attributes_stay_as_they_are),
            cmocka_unit_test(test_what_remains_of_drawn_programs_says_the_same))
