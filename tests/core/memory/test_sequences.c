/* test_sequences.c: several ascending sequences as one. */
#include "harness.h"

#include "core/memory/sequences.h"

#include <stdlib.h>

static struct quipu__sequences sequences;

static void set_run(uint32_t number, const int64_t *times, uint32_t left) {
    sequences.items[number] = (struct quipu__sequence){times, left, number, UINT32_MAX};
    sequences.count = number + 1;
    sequences.stride = sizeof *times;
}

/* The figure of sequences.h: what comes before the end of sequence 0, its 9, is known. Of equal times the first sequence's come first:
 * 1 2(sequence 1) 2(sequence 2) 3 4 6 7 8 8 9. */
static void test_sequences_are_merged_up_to_the_end_of_the_first(void **state) {
    (void)state;
    static const int64_t a[] = {1, 4, 6, 9}, b[] = {2, 3, 7, 10}, c[] = {2, 8, 8, 9, 11};
    static const uint16_t positions[] = {0, 4, 5, 9, 1, 3, 6, 2, 7, 8};
    set_run(0, a, 4);
    set_run(1, b, 4);
    set_run(2, c, 5);
    assert_int_equal(quipu__sequences_merge(&sequences, 1, QUIPU__SEQUENCES_ITEMS), 10);
    assert_memory_equal(sequences.positions, positions, sizeof positions);
    assert_int_equal(sequences.items[0].taken, 4);
    assert_int_equal(sequences.items[1].taken, 3);
    assert_int_equal(sequences.items[2].taken,
                     3); /* its 9 comes after the first sequence's next, which may be another 9 */
    assert_int_equal(sequences.end, 9);
    assert_int_equal(sequences.ends, 0);
}

/* With 6 items for 2 sequences each gives 3: the first one's third is a 3, the last that is known to be next. */
static void test_sequences_give_a_share_each(void **state) {
    (void)state;
    static const int64_t a[] = {1, 2, 3, 4, 5}, b[] = {-7, 3, 8, 9};
    static const uint16_t positions[] = {1, 2, 3, 0};
    set_run(0, a, 5);
    set_run(1, b, 4);
    assert_int_equal(quipu__sequences_merge(&sequences, INT64_MIN, 6), 4);
    assert_memory_equal(sequences.positions, positions, sizeof positions);
    assert_int_equal(sequences.items[0].taken, 3);
    assert_int_equal(sequences.items[1].taken, 1);
    assert_int_equal(sequences.end, 3);
}

static void test_sequences_that_are_no_runs_are_left_alone(void **state) {
    (void)state;
    static const int64_t ascending[] = {1, 5, 9}, back[] = {1, 7, 3, 8}, before_first[] = {4, 0, 9},
                         far[] = {0, INT64_C(1) << 53}, whole[] = {INT64_MIN, INT64_MAX};
    set_run(0, ascending, 3);
    assert_int_equal(quipu__sequences_merge(&sequences, 2, 8), 0); /* 1 is before 2 */
    set_run(1, back, 4);
    assert_int_equal(quipu__sequences_merge(&sequences, 1, 8), 0);
    set_run(1, before_first, 3);
    assert_int_equal(quipu__sequences_merge(&sequences, 0, 8), 0);
    set_run(0, far, 2);
    assert_int_equal(quipu__sequences_merge(&sequences, 0, 8), 0);
    set_run(0, whole, 2);
    assert_int_equal(quipu__sequences_merge(&sequences, INT64_MIN, 8), 0);
}

/* ---- Against sorting ---- */

struct item {
    int64_t time;
    uint32_t sequence, number;
};

static int by_time(const void *left, const void *right) {
    const struct item *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->sequence != b->sequence ? (a->sequence > b->sequence) - (a->sequence < b->sequence)
                                      : (a->number > b->number) - (a->number < b->number);
}

/* As many of all items as are taken, in order. */
static void assert_sorted(struct item *items, size_t count, uint32_t each, const uint32_t *at, uint32_t taken) {
    const uint16_t *positions = sequences.positions;
    qsort(items, count, sizeof *items, by_time);
    for (uint32_t sequence = 0; sequence < sequences.count; sequence++)
        for (uint32_t i = 0; i < sequences.items[sequence].taken; i++) {
            const struct item *item = &items[*positions++];
            assert_int_equal(item->sequence, sequence);
            assert_int_equal(item->number, at[sequence] + i);
            assert_in_range(item->number, 0, each - 1);
        }
    assert_int_equal(positions - sequences.positions, taken);
}

/* Steps of up to 2^bits: keys of one digit, of several and of almost all bits. */
static void test_sequences_are_merged_like_sorting(void **state) {
    (void)state;
    enum { EACH = 300, MOST = QUIPU__SEQUENCES_MOST };
    struct item *items = malloc(MOST * EACH * sizeof *items), *left = malloc(MOST * EACH * sizeof *left);
    int64_t(*times)[EACH] = malloc(MOST * sizeof *times);
    uint64_t seed = 1;
    for (uint32_t count = 1; count <= MOST; count += count < 20 ? 1 : 27)
        for (unsigned bits = 0; bits <= 40; bits += 4) {
            uint32_t at[MOST] = {0};
            size_t total = 0;
            for (uint32_t sequence = 0; sequence < count; sequence++)
                for (uint32_t i = 0; i < EACH; i++) {
                    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                    times[sequence][i] = (i ? times[sequence][i - 1] : -50) +
                                         (int64_t)(seed >> 33 & ((UINT64_C(1) << bits) - 1) >> sequence % 3);
                    items[total++] = (struct item){times[sequence][i], sequence, i};
                }
            for (int step = 0; step < 3; step++) {
                size_t rest = 0;
                for (size_t i = 0; i < total; i++)
                    if (items[i].number >= at[items[i].sequence])
                        left[rest++] = items[i];
                for (uint32_t sequence = 0; sequence < count; sequence++)
                    set_run(sequence, times[sequence] + at[sequence], EACH - at[sequence]);
                const uint32_t taken = quipu__sequences_merge(&sequences, INT64_MIN, QUIPU__SEQUENCES_ITEMS);
                assert_in_range(taken, 1, QUIPU__SEQUENCES_ITEMS);
                assert_sorted(left, rest, EACH, at, taken);
                bool is_used_up = false;
                for (uint32_t sequence = 0; sequence < count; sequence++) {
                    at[sequence] += sequences.items[sequence].taken;
                    assert_true(at[sequence] < EACH || sequence == sequences.ends);
                    is_used_up |= at[sequence] == EACH;
                }
                if (is_used_up)
                    break;
            }
        }
    free(items);
    free(left);
    free(times);
}

QUIPU_TESTS(cmocka_unit_test(test_sequences_are_merged_up_to_the_end_of_the_first),
            cmocka_unit_test(test_sequences_give_a_share_each),
            cmocka_unit_test(test_sequences_that_are_no_runs_are_left_alone),
            cmocka_unit_test(test_sequences_are_merged_like_sorting))
