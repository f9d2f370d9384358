/* test_os.c: paths, files, time, chance and threads. */
#include "harness.h"

#include "core/os.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_os_path_kind_tells_files_folders_and_the_rest_apart(void **state) {
    (void)state;
    const char *folder = harness_folder(), *file = harness_text("%s/x", folder);
    harness_write(file, "12345", 5);
    uint64_t size = 1;
    assert_int_equal(quipu__path_kind(file, &size), QUIPU__PATH_FILE);
    assert_int_equal(size, 5);
    assert_int_equal(quipu__path_kind(folder, &size), QUIPU__PATH_DIRECTORY);
    assert_true(size == QUIPU_UNKNOWN);
    assert_int_equal(quipu__path_kind(harness_text("%s/none", folder), NULL), QUIPU__PATH_MISSING);
    assert_int_equal(quipu__path_kind("/dev/null", NULL), QUIPU__PATH_OTHER);
    assert_int_equal(quipu__path_kind("-", NULL), QUIPU__PATH_OTHER);
}

static void test_os_path_kind_tells_missing_from_unreadable(void **state) {
    (void)state;
    const char *loop = harness_text("%s/loop", harness_folder());
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(quipu__path_kind(loop, NULL), QUIPU__PATH_UNREADABLE);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(quipu__path_kind("/dev/null/x", NULL), QUIPU__PATH_MISSING);
}

static void test_os_random_numbers_differ(void **state) {
    (void)state;
    const uint64_t first = quipu__os_random();
    assert_true(first != quipu__os_random());
}

static void test_os_time_does_not_go_back(void **state) {
    (void)state;
    uint64_t last = quipu__os_now_ns();
    for (int i = 0; i < 1000; i++) {
        const uint64_t now = quipu__os_now_ns();
        assert_true(now >= last);
        last = now;
    }
}

struct meeting {
    struct quipu__lock *lock;
    uint64_t other;
};

static void meet_and_wake(void *context) {
    struct meeting *meeting = context;
    quipu__lock_take(meeting->lock);
    meeting->other = quipu__thread_self();
    quipu__lock_wake(meeting->lock);
    quipu__lock_give(meeting->lock);
}

static void test_os_threads_wake_who_waits(void **state) {
    (void)state;
    struct meeting meeting = {quipu__lock_new(), quipu__thread_self()};
    const uint64_t self = quipu__thread_self();
    quipu__lock_take(meeting.lock);
    struct quipu__thread *thread = quipu__thread_start(meet_and_wake, &meeting);
    while (meeting.other == self)
        quipu__lock_wait(meeting.lock, UINT64_C(60) * 1000000000);
    quipu__lock_give(meeting.lock);
    quipu__thread_join(thread);
    assert_true(meeting.other != self);
    quipu__lock_free(meeting.lock);
}

static void test_os_waiting_ends_by_itself(void **state) {
    (void)state;
    struct quipu__lock *lock = quipu__lock_new();
    const uint64_t begin = quipu__os_now_ns();
    quipu__lock_take(lock);
    quipu__lock_wait(lock, 2000000);
    quipu__lock_give(lock);
    assert_true(quipu__os_now_ns() - begin < UINT64_C(60) * 1000000000);
    quipu__lock_free(lock);
}

static void test_os_there_is_a_processor(void **state) {
    (void)state;
    assert_in_range(quipu__os_processors(), 1, 1 << 16);
}

/* A FIFO without a writer: plain open() would wait for ever. */
static void test_os_open_read_takes_regular_files_only(void **state) {
    (void)state;
    const char *folder = harness_folder(), *fifo = harness_text("%s/fifo", folder);
    const char *file = harness_text("%s/file", folder);
    harness_write(file, "x", 1);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const int fd = quipu__os_open_read(file, true);
    assert_true(fd >= 0);
    quipu__os_close(fd);
    alarm(20);
    errno = 0;
    assert_int_equal(quipu__os_open_read(fifo, true), -1);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(quipu__os_open_read("/dev/null", true), -1);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(quipu__os_open_read(folder, true), -1);
    assert_int_equal(errno, EISDIR);
    alarm(0);
}

QUIPU_TESTS(cmocka_unit_test(test_os_path_kind_tells_files_folders_and_the_rest_apart),
            cmocka_unit_test(test_os_path_kind_tells_missing_from_unreadable),
            cmocka_unit_test(test_os_open_read_takes_regular_files_only),
            cmocka_unit_test(test_os_random_numbers_differ), cmocka_unit_test(test_os_time_does_not_go_back),
            cmocka_unit_test(test_os_threads_wake_who_waits), cmocka_unit_test(test_os_waiting_ends_by_itself),
            cmocka_unit_test(test_os_there_is_a_processor))
