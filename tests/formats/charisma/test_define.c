/* test_define.c: clocks, locations and files as definitions. */
#include "harness.h"

#include "traces.h"

static void begin(struct made *made) {
    make(made, "lp64", false);
    put_load(made, 10, 7, 2);
    put_open(made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ_WRITE);
}

/* 1e-7 s per tick is 10^7 ticks per second; 1/60 s and 3 s are fractions. Stamps count from the header's. */
static void test_define_clocks_have_the_unit_of_the_header(void **state) {
    static const struct {
        double unit;
        uint64_t ticks, seconds;
    } cases[] = {{1e-7, 10000000, 1}, {1e-9, 1000000000, 1}, {1.0 / 60, 60, 1},
                 {3, 1, 3},           {0.25, 4, 1},          {1.5e-6, 2000000, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made;
        make(&made, "lp64", true);
        PUT(&made, header, .start_date = 760000000, .timestamp = ticks(&made, 50), .system_type = 100,
            .md_version = 1, .release_data = sized_text(&made, ""), .num_processors = 1,
            .timestamp_unit = cases[i].unit);
        put_load(&made, 80, 7, 1);
        struct quipu_reader *reader = open_as(save(&made), "lp64");
        const struct quipu_clock *clock = &quipu_reader_definitions(reader)->clock;
        struct quipu_event event;
        assert_int_equal(clock->ticks_per_second, cases[i].ticks);
        assert_int_equal(clock->per_seconds, cases[i].seconds);
        assert_int_equal(clock->unix_origin_ns, INT64_C(760000000000000000));
        assert_int_equal(clock->origin, 50);
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
        assert_int_equal(event.time, 30);
        quipu_reader_close(reader);
        unmake(&made);
    }
}

/* Clients are processes of their applications; a number that is used again is another process. */
static void test_define_numbers_that_are_used_again_are_other_locations(void **state) {
    struct made made;
    (void)state;
    begin(&made);
    PUT(&made, app_exit, .timestamp = ticks(&made, 100), .appl_id = 7);
    put_load(&made, 200, 7, 1);
    struct quipu_reader *reader = open_as(save(&made), "lp64");
    const struct quipu_locations *locations = &quipu_reader_definitions(reader)->locations;
    static const uint64_t ids[] = {7, 1, 2, 7, 1};
    static const uint32_t parents[] = {QUIPU_NONE, 0, 0, QUIPU_NONE, 3};
    assert_int_equal(locations->count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(locations->items[i].native_id, ids[i]);
        assert_int_equal(locations->items[i].parent, parents[i]);
        assert_int_equal(locations->items[i].kind,
                         parents[i] == QUIPU_NONE ? QUIPU_LOCATION_APPLICATION : QUIPU_LOCATION_PROCESS);
    }
    assert_string_equal(quipu_reader_definitions(reader)->files.items[0].name, "/cfs/file70");
    quipu_reader_close(reader);
    unmake(&made);
}

/* Opens a file, or says only what it is called, under this name. */
static void put_named(struct made *made, int64_t time, int64_t descriptor, const char *name) {
    PUT(made, client_open, .timestamp = ticks(made, time), .client_id = 1, .name = sized_text(made, name),
        .path = sized_text(made, "/data"), .file_id = {.i = 70}, .file_desc = descriptor, .open_flags = 4);
    put_close(made, time, 1, descriptor);
}

/* A file has the last of its names, and each opening under another one says so. Without a descriptor nothing is opened. */
static void test_define_files_have_their_last_names(void **state) {
    struct made made;
    struct quipu_event event;
    char seen[200] = "";
    (void)state;
    make(&made, "lp64", false);
    put_load(&made, 10, 7, 2);
    put_named(&made, 20, 3, "text.new");
    put_named(&made, 30, -1, "text");
    put_named(&made, 40, 4, "text");
    struct quipu_reader *reader = open_as(save(&made), "lp64");
    const struct quipu_definitions *definitions = quipu_reader_definitions(reader);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        if (event.kind != QUIPU_KIND_io_open && event.kind != QUIPU_KIND_io_close)
            continue;
        const size_t len = strlen(seen);
        snprintf(seen + len, sizeof seen - len, "%d ", (int)event.time);
    }
    assert_int_equal(1, definitions->files.count);
    assert_string_equal("/data/text", definitions->files.items[0].name);
    assert_string_equal("20 20 40 40 ", seen);
    quipu_reader_close(reader);
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_define_clocks_have_the_unit_of_the_header),
            cmocka_unit_test(test_define_numbers_that_are_used_again_are_other_locations),
            cmocka_unit_test(test_define_files_have_their_last_names))
