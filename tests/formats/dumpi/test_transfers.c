/* test_transfers.c: operations on files: opening, transfers, and what ends them. */
#include "traces.h"

#define INT 9
#define WORLD 2
#define SELF 3

/* Opening and closing, and collective transfers, are what all members of the file's communicator do; a split one from its first call to its second. */
static void test_transfers_of_files(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, file_open, .comm = WORLD, .filename = text("data"), .amode = 2, .file = 1);
    CALL(&made, file_write_at, .file = 1, .offset = 64, .count = 4, .datatype = INT,
         .status = STATUS(12, 0, 0));
    CALL(&made, file_iread, .file = 1, .count = 2, .datatype = INT, .request = 2);
    CALL(&made, file_read_all_begin, .file = 1, .count = 1, .datatype = INT);
    CALL(&made, mpio_wait, .request = 2, .status = STATUS(8, 0, 0));
    CALL(&made, file_read_all_end, .file = 1);
    CALL(&made, file_close, .file = 1);
    struct quipu_reader *reader = opened(made_close(&made));
    const struct quipu_files *files = &quipu_reader_definitions(reader)->files;
    assert_int_equal(files->count, 1);
    assert_string_equal(files->items[0].name, "data");
    assert_string_equal(
        events_of(reader, BUT_REGIONS),
        "0 0 collective_begin region=0 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "10 0 io_open file=0 handle=1 flags=2\n"
        "10 0 collective_end region=0 operation=0 root=? communicator=0 sent=0 received=0 matching=0\n"
        "10 0 io_begin file=0 operation=4 handle=1 offset=64 bytes=16 matching=1\n"
        "20 0 io_end file=0 operation=4 handle=1 offset=64 bytes=12 matching=1\n"
        "20 0 io_begin file=0 operation=3 handle=1 offset=? bytes=8 matching=2\n"
        "30 0 collective_begin region=4 operation=0 root=? communicator=0 sent=0 received=0 matching=3\n"
        "30 0 io_begin file=0 operation=3 handle=1 offset=? bytes=4 matching=3\n"
        "50 0 io_end file=0 operation=3 handle=1 offset=? bytes=8 matching=2\n"
        "60 0 io_end file=0 operation=3 handle=1 offset=? bytes=4 matching=3\n"
        "60 0 collective_end region=5 operation=0 root=? communicator=0 sent=0 received=0 matching=3\n"
        "60 0 collective_begin region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=4\n"
        "60 0 io_close file=0 handle=1\n"
        "70 0 collective_end region=1 operation=0 root=? communicator=0 sent=0 received=0 matching=4\n");
    quipu_reader_close(reader);
}

/* In Wait, a transfer's request has a number that no call made. */
static void test_transfers_end_in_waits_of_unknown_requests(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    CALL(&made, file_open, .comm = WORLD, .filename = text("data"), .amode = 2, .file = 1);
    CALL(&made, file_iwrite, .file = 1, .count = 2, .datatype = INT, .request = 2);
    CALL(&made, wait, .request = 2, .status = STATUS(8, 0, 0));
    assert_events(made_close(&made), QUIPU_KIND_BIT(QUIPU_KIND_io_end),
                  "30 0 io_end file=0 operation=4 handle=1 offset=? bytes=8 matching=1\n");
}

QUIPU_TESTS(cmocka_unit_test(test_transfers_of_files),
            cmocka_unit_test(test_transfers_end_in_waits_of_unknown_requests))
