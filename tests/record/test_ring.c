/* Buffers of recorders, and what readers see of them. */
#include "harness.h"

#include "core/files/input.h"
#include "record/clock.h"
#include "record/ring.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define CAPACITY 4096

static const char head[8] = "HEADHEAD";

static const char *stream_path(void) {
    return harness_text("%s/stream", harness_folder());
}

static struct quipu__ring open_ring(const char *path) {
    struct quipu__ring ring;
    assert_true(quipu__ring_open(&ring, path, head, sizeof head, CAPACITY));
    return ring;
}

/* Puts an event of size bytes of one letter; false when there is no room. */
static bool put(struct quipu__ring *ring, char letter, size_t size) {
    uint8_t *room = quipu__ring_room(ring, size);
    if (!room)
        return false;
    memset(room, letter, size);
    quipu__ring_commit(ring, size);
    return true;
}

/* What a reader gets: the stream, with what its buffer holds. */
static char *read_recorded(const char *path, enum quipu__ring_state *state) {
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__input *input;
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&files, &memory, 8);
    assert_int_equal(QUIPU_OK, quipu__input_open(&files, path, QUIPU__CODEC_NONE, 0, &input, NULL));
    assert_int_equal(QUIPU_OK, quipu__recording_splice(&files, path, input, state, NULL));
    assert_int_equal(QUIPU_OK, quipu__input_more(input, 1 << 20, NULL));
    assert_int_equal(input->size, input->end - input->at);
    char *text = harness_text("%.*s", (int)(input->end - input->at), (const char *)input->at);
    quipu__input_close(input);
    quipu__files_release(&files);
    return text;
}

static void assert_recorded(const char *path, enum quipu__ring_state expected_state, const char *expected) {
    enum quipu__ring_state state;
    assert_string_equal(expected, read_recorded(path, &state));
    assert_int_equal(expected_state, state);
}

static void test_ring_holds_what_was_not_written_out(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_recorded(path, QUIPU__RING_ABSENT, "HEADHEAD");
    assert_true(put(&ring, 'a', 3));
    assert_recorded(path, QUIPU__RING_SPLICED, "HEADHEADaaa");
    assert_true(quipu__ring_write_out(&ring));
    assert_recorded(path, QUIPU__RING_ABSENT, "HEADHEADaaa");
    assert_true(put(&ring, 'b', 2));
    quipu__ring_abandon(&ring);
    assert_recorded(path, QUIPU__RING_SPLICED, "HEADHEADaaabb");
    assert_string_equal("HEADHEADaaa", harness_read(path, NULL));
}

static void test_ring_has_room_below_its_capacity(void **state) {
    (void)state;
    struct quipu__ring ring = open_ring(stream_path());
    assert_true(put(&ring, 'a', CAPACITY - 2));
    assert_false(put(&ring, 'b', 2));
    assert_true(put(&ring, 'b', 1));
    assert_true(quipu__ring_write_out(&ring));
    assert_false(put(&ring, 'c', CAPACITY));
    assert_true(put(&ring, 'c', CAPACITY - 1));
    assert_true(quipu__ring_close(&ring));
    assert_false(put(&ring, 'd', 1));
}

static void test_ring_close_leaves_the_stream_alone(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_true(put(&ring, 'a', 5));
    assert_true(quipu__ring_close(&ring));
    assert_string_equal("HEADHEADaaaaa", harness_read(path, NULL));
    assert_false(harness_exists(harness_text("%s.ring", path)));
}

static void test_ring_open_replaces_what_was_there(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_true(put(&ring, 'a', 5));
    quipu__ring_abandon(&ring);
    ring = open_ring(path);
    assert_recorded(path, QUIPU__RING_ABSENT, "HEADHEAD");
    assert_true(quipu__ring_close(&ring));
}

static void test_ring_cut_short_by_a_kill_is_not_read_twice(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_true(put(&ring, 'a', 4));
    quipu__ring_abandon(&ring);
    harness_write(path, "HEADHEADaa", 10); /* killed while the buffer was written out */
    assert_recorded(path, QUIPU__RING_SPLICED, "HEADHEADaaaa");
    harness_write(path, "HEADHEADaaaa", 12);
    assert_recorded(path, QUIPU__RING_SPLICED, "HEADHEADaaaa");
}

static void test_ring_that_contradicts_itself_is_damaged(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_true(put(&ring, 'a', 4));
    ring.head->base = 9;
    assert_recorded(path, QUIPU__RING_DAMAGED, "HEADHEAD");
    ring.head->base = 8;
    ring.head->used = CAPACITY + 1;
    assert_recorded(path, QUIPU__RING_DAMAGED, "HEADHEAD");
    ring.head->used = UINT64_MAX;
    assert_recorded(path, QUIPU__RING_DAMAGED, "HEADHEAD");
    ring.head->used = 4;
    ring.head->magic[0] = 'x';
    assert_recorded(path, QUIPU__RING_DAMAGED, "HEADHEAD");
    quipu__ring_abandon(&ring);
    harness_write(harness_text("%s.ring", path), "quip", 4);
    assert_recorded(path, QUIPU__RING_DAMAGED, "HEADHEAD");
}

static void test_ring_that_cannot_be_made_has_no_room(void **state) {
    (void)state;
    struct quipu__ring ring;
    assert_false(quipu__ring_open(&ring, harness_text("%s/none/stream", harness_folder()), head, 8, CAPACITY));
    assert_int_equal(ENOENT, errno);
    assert_false(put(&ring, 'a', 1));
    assert_false(quipu__ring_is_open(&ring));
    assert_true(quipu__ring_close(&ring));
}

static void test_ring_whose_stream_has_gone_keeps_its_events(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_true(put(&ring, 'a', 4));
    unlink(path);
    assert_false(quipu__ring_write_out(&ring));
    assert_int_equal(ENOENT, errno);
    assert_int_equal(4, ring.head->used);
    assert_false(quipu__ring_close(&ring));
    assert_true(harness_exists(harness_text("%s.ring", path)));
}

static void rescue(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    if (!quipu__ring_rescue(info->si_addr))
        _exit(1);
}

/* Whoever cuts the file of a buffer short, or writes into it, ends recording and not the program. */
static void test_ring_whose_file_is_cut_short_has_no_room(void **state) {
    (void)state;
    const struct sigaction action = {.sa_sigaction = rescue, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    const char *path = stream_path();
    sigaction(SIGBUS, &action, &before);
    for (int size = 0; size <= CAPACITY; size += CAPACITY) {
        struct quipu__ring ring = open_ring(path);
        assert_true(put(&ring, 'a', 3) && quipu__ring_write_out(&ring) && put(&ring, 'b', 3));
        uint8_t *room = quipu__ring_room(&ring, 100);
        assert_int_equal(0, truncate(harness_text("%s.ring", path), size));
        room[CAPACITY] = 'c';
        assert_false(put(&ring, 'c', 3));
        assert_false(quipu__ring_write_out(&ring));
        assert_int_equal(EIO, errno);
        assert_false(quipu__ring_close(&ring));
        assert_string_equal("HEADHEADaaa", harness_read(path, NULL));
    }
    assert_false(quipu__ring_rescue(&before));
    sigaction(SIGBUS, &before, NULL);
}

static void test_ring_whose_file_others_have_emptied_is_not_written_out(void **state) {
    (void)state;
    const char *path = stream_path();
    struct quipu__ring ring = open_ring(path);
    assert_true(put(&ring, 'a', 3) && quipu__ring_write_out(&ring));
    memset(ring.head, 0, sizeof *ring.head); /* as if it had been cut and extended */
    assert_true(put(&ring, 'b', 3));
    assert_false(quipu__ring_close(&ring));
    assert_string_equal("HEADHEADaaa", harness_read(path, NULL));
}

static uint64_t system_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void test_clock_goes_on_where_the_counter_takes_over(void **state) {
    (void)state;
    quipu_recorder_clock_begin();
    const uint64_t begin = system_now();
    uint64_t last = 0;
    while (system_now() < begin + 50000000) {
        const uint64_t before = system_now(), now = quipu__clock_now(), after = system_now();
        assert_true(now >= last);
        assert_true(now + 50000 >= before && now <= after + 50000);
        last = now;
    }
#if defined(__aarch64__)
    assert_true(quipu__clock_uses_counter());
#endif
}

static void test_clock_stays_with_the_system_over_a_pause(void **state) {
    (void)state;
    quipu_recorder_clock_begin();
    for (int i = 0; i < 3; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
        const uint64_t before = system_now(), now = quipu__clock_now(), after = system_now();
        assert_true(now + 50000 >= before && now <= after + 50000);
    }
}

static void test_clock_is_the_system_s_where_that_is_asked_for(void **state) {
    (void)state;
    setenv("QUIPU_CLOCK", "system", 1);
    quipu_recorder_clock_begin();
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    const uint64_t before = system_now(), now = quipu__clock_now(), after = system_now();
    assert_true(before <= now && now <= after);
    assert_false(quipu__clock_uses_counter());
}

QUIPU_TESTS(cmocka_unit_test(test_ring_holds_what_was_not_written_out),
            cmocka_unit_test(test_ring_has_room_below_its_capacity),
            cmocka_unit_test(test_ring_close_leaves_the_stream_alone),
            cmocka_unit_test(test_ring_open_replaces_what_was_there),
            cmocka_unit_test(test_ring_cut_short_by_a_kill_is_not_read_twice),
            cmocka_unit_test(test_ring_that_contradicts_itself_is_damaged),
            cmocka_unit_test(test_ring_that_cannot_be_made_has_no_room),
            cmocka_unit_test(test_ring_whose_stream_has_gone_keeps_its_events),
            cmocka_unit_test(test_ring_whose_file_is_cut_short_has_no_room),
            cmocka_unit_test(test_ring_whose_file_others_have_emptied_is_not_written_out),
            cmocka_unit_test(test_clock_goes_on_where_the_counter_takes_over),
            cmocka_unit_test(test_clock_stays_with_the_system_over_a_pause),
            cmocka_unit_test(test_clock_is_the_system_s_where_that_is_asked_for))
