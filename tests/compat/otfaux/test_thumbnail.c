/* test_thumbnail.c: thumbnails: their bytes, worked out by hand, and reading good and bad ones. */
#include "harness.h"

#include <otfaux.h>

#include <inttypes.h>
#include <unistd.h>

static char *stub(void) {
    return harness_text("%s/t", harness_folder());
}

static const char *file_of(const char *namestub) {
    return harness_read(harness_text("%s.thumb", namestub), NULL);
}

/* Samples 0 to 10 at ticks 0 to 9: process 1 is in b from 2, in c from 4 to 6. */
static OTFAUX_Thumbnail_Context *example(void) {
    OTFAUX_Thumbnail_Context *context = OTFAUX_Thumbnail_create(0, 10, 10);
    assert_int_equal(1, OTFAUX_Thumbnail_declareProcess(context, 1));
    assert_int_equal(1, OTFAUX_Thumbnail_handleEnter(context, 2, 1, 0xb));
    assert_int_equal(1, OTFAUX_Thumbnail_handleEnter(context, 4, 1, 0xc));
    assert_int_equal(1, OTFAUX_Thumbnail_handleLeave(context, 6, 1));
    return context;
}

static void test_thumbnail_samples_are_the_functions_on_top_of_the_stack(void **state) {
    (void)state;
    OTFAUX_Thumbnail_Context *context = example();
    const char *name = stub();
    assert_int_equal(1, OTFAUX_Thumbnail_finalize(context));
    assert_int_equal(1, OTFAUX_Thumbnail_write(context, name, 1, (uint32_t)1));
    assert_string_equal("0:a,1\n1:0,0,b,b,c,c,b,b,b,b,\n", file_of(name));
    OTFAUX_Thumbnail_destroy(context);
}

/* (13 - 3) / 4 = 2.5: ticks 3, 5, 8, 10. */
static void test_thumbnail_times_of_samples_are_cut_to_ticks(void **state) {
    (void)state;
    OTFAUX_Thumbnail_Context *context = OTFAUX_Thumbnail_create(3, 13, 4);
    OTFAUX_Thumbnail_declareProcess(context, 1);
    for (uint32_t tick = 1; tick <= 13; tick++)
        OTFAUX_Thumbnail_handleEnter(context, tick, 1, tick);
    const char *name = stub();
    OTFAUX_Thumbnail_write(context, name, 1, (uint32_t)1);
    assert_string_equal("0:4,1\n1:3,5,8,a,\n", file_of(name));
    OTFAUX_Thumbnail_destroy(context);
}

static void test_thumbnail_lines_of_declared_processes_are_in_hash_order(void **state) {
    (void)state;
    OTFAUX_State *context = OTFAUX_State_create();
    OTFAUX_State_setupThumbnail(context, 0, 2, 2);
    for (uint64_t process = 1; process <= 8; process++) /* 8, 4, 5, 1, 6, 3, 2, 7 */
        assert_int_equal(1, OTFAUX_State_declareProcess(context, process, process % 2 == 0));
    assert_int_equal(1, OTFAUX_State_declareProcess(context, 3, 1));
    assert_int_equal(1, OTFAUX_State_declareProcess(context, 4, 0)); /* keeps its line */
    OTFAUX_State_processEnter(context, 1, 4, UINT32_MAX, 0, NULL);
    OTFAUX_State_processEnter(context, 1, 5, 1, 0, NULL);
    const char *name = stub();
    assert_int_equal(1, OTFAUX_State_writeThumbnail(context, name, 1, (uint32_t)5));
    assert_string_equal("0:2,5\n8:0,0,\n4:0,ffffffff,\n6:0,0,\n3:0,0,\n2:0,0,\n", file_of(name));
    OTFAUX_State_destroy(context);
}

static void test_thumbnail_lines_are_added_to_a_file_that_is_there(void **state) {
    (void)state;
    OTFAUX_Thumbnail_Context *context = OTFAUX_Thumbnail_create(0, 1, 1);
    OTFAUX_Thumbnail_declareProcess(context, UINT64_MAX);
    const char *name = stub();
    assert_int_equal(1, OTFAUX_Thumbnail_write(context, name, 1, (uint32_t)2));
    assert_int_equal(1, OTFAUX_Thumbnail_write(context, name, 0));
    assert_string_equal("0:1,2\nffffffffffffffff:0,\nffffffffffffffff:0,\n", file_of(name));
    assert_int_equal(1, OTFAUX_Thumbnail_write(context, name, 1, (uint32_t)1)); /* again */
    assert_string_equal("0:1,1\nffffffffffffffff:0,\n", file_of(name));
    OTFAUX_Thumbnail_destroy(context);
}

static void test_thumbnail_processes_may_be_declared_before_it_is_set_up(void **state) {
    (void)state;
    OTFAUX_State *context = OTFAUX_State_create();
    const char *name = stub();
    assert_int_equal(1, OTFAUX_State_declareProcess(context, 1, 1));
    assert_int_equal(0, OTFAUX_State_writeThumbnail(context, name, 1, (uint32_t)1));
    assert_false(harness_exists(harness_text("%s.thumb", name)));
    assert_int_equal(1, OTFAUX_State_setupThumbnail(context, 0, 40, 40));
    assert_int_equal(1, OTFAUX_State_setupThumbnail(context, 0, 4, 4)); /* the last one counts */
    OTFAUX_State_processEnter(context, 2, 1, 7, 0, NULL);
    assert_int_equal(1, OTFAUX_State_writeThumbnail(context, name, 1, (uint32_t)1));
    assert_string_equal("0:4,1\n1:0,0,7,7,\n", file_of(name));
    OTFAUX_State_destroy(context);
}

static void test_thumbnail_ranges_without_a_tick_for_each_sample_are_refused(void **state) {
    (void)state;
    assert_null(OTFAUX_Thumbnail_create(0, 10, 0));
    assert_null(OTFAUX_Thumbnail_create(0, 9, 10));
    assert_null(OTFAUX_Thumbnail_create(10, 0, 1));
    OTFAUX_Thumbnail_Context *context = OTFAUX_Thumbnail_create(0, UINT64_MAX, UINT32_MAX);
    assert_non_null(context);
    assert_int_equal(
        0, OTFAUX_Thumbnail_write(context, harness_text("%s/missing/t", harness_folder()), 1, (uint32_t)1));
    assert_int_equal(0, OTFAUX_Thumbnail_write(context, NULL, 1, (uint32_t)1));
    assert_int_equal(0, OTFAUX_Thumbnail_write(NULL, stub(), 1, (uint32_t)1));
    assert_int_equal(0, OTFAUX_State_setupThumbnail(NULL, 0, 10, 10));
    OTFAUX_Thumbnail_destroy(context);
}

static void test_thumbnail_times_up_to_the_largest_are_sampled(void **state) {
    (void)state;
    OTFAUX_Thumbnail_Context *context = OTFAUX_Thumbnail_create(UINT64_MAX - 2, UINT64_MAX, 2);
    OTFAUX_Thumbnail_declareProcess(context, 1);
    OTFAUX_Thumbnail_handleEnter(context, UINT64_MAX, 1, 7);
    const char *name = stub();
    assert_int_equal(1, OTFAUX_Thumbnail_write(context, name, 1, (uint32_t)1));
    assert_string_equal("0:2,1\n1:7,7,\n", file_of(name)); /* 2^64-3 as a double is beyond all times */
    OTFAUX_Thumbnail_destroy(context);
}

static void test_thumbnail_names_end_in_thumb(void **state) {
    (void)state;
    char *name = OTFAUX_Thumbnail_getFilename("folder/trace");
    assert_string_equal("folder/trace.thumb", name);
    free(name);
    assert_null(OTFAUX_Thumbnail_getFilename(NULL));
}

/* ---- Reading ---- */

struct seen {
    uint32_t width;
    char text[4096];
};

static void see(void *data, uint64_t process, const uint32_t *samples) {
    struct seen *seen = data;
    char *end = seen->text + strlen(seen->text);
    end += sprintf(end, "%" PRIx64 ":", process);
    for (uint32_t i = 0; i < seen->width; i++)
        end += sprintf(end, "%" PRIx32 ",", samples[i]);
    sprintf(end, "\n");
}

static void test_thumbnail_reader_gives_what_was_written(void **state) {
    (void)state;
    OTFAUX_Thumbnail_Context *context = example();
    const char *name = stub();
    OTFAUX_Thumbnail_declareProcess(context, UINT64_C(0xabcdef0123456789));
    OTFAUX_Thumbnail_write(context, name, 1, (uint32_t)2);
    OTFAUX_ThumbnailReader *reader = OTFAUX_ThumbnailReader_open(name);
    struct seen seen = {.width = 0};
    uint32_t processes = 0;
    assert_int_equal(1, OTFAUX_ThumbnailReader_getWidth(reader, &seen.width));
    assert_int_equal(1, OTFAUX_ThumbnailReader_getNumberOfProcs(reader, &processes));
    assert_int_equal(10, seen.width);
    assert_int_equal(2, processes);
    assert_int_equal(1, OTFAUX_ThumbnailReader_read(reader, see, &seen));
    assert_string_equal(file_of(name) + strlen("0:a,2\n"), seen.text);
    assert_int_equal(1, OTFAUX_ThumbnailReader_close(reader));
    OTFAUX_Thumbnail_destroy(context);
}

/* Opens a thumbnail with this content; NULL when it cannot. */
static OTFAUX_ThumbnailReader *open_text(const char *text) {
    const char *name = stub();
    harness_write(harness_text("%s.thumb", name), text, strlen(text));
    return OTFAUX_ThumbnailReader_open(name);
}

static void assert_lines(const char *text, int result, const char *lines) {
    OTFAUX_ThumbnailReader *reader = open_text(text);
    assert_non_null(reader);
    struct seen seen = {.width = 0};
    OTFAUX_ThumbnailReader_getWidth(reader, &seen.width);
    assert_int_equal(result, OTFAUX_ThumbnailReader_read(reader, see, &seen));
    assert_string_equal(lines, seen.text);
    OTFAUX_ThumbnailReader_close(reader);
}

static void test_thumbnail_reader_accepts_what_numbers_allow(void **state) {
    (void)state;
    assert_lines("0:3,2\n1:1,2,3,\n2:4,5,6,\n", 1, "1:1,2,3,\n2:4,5,6,\n");
    assert_lines("0: 3, 1\n1:1, FF,\n100000003,\n", 1, "1:1,ff,3,\n");
    assert_lines("0:2,0\n", 1, "");
}

static void test_thumbnail_reader_delivers_good_lines_and_says_when_some_are_not(void **state) {
    (void)state;
    assert_lines("0:3,2\n1:1,2,3,\n", 0, "1:1,2,3,\n");           /* too few lines */
    assert_lines("0:3,1\n1:1,2,3,\n2:4,5,6,\n", 0, "1:1,2,3,\n"); /* too many */
    assert_lines("0:3,1\n1:1,2,3,4,\n", 0, "1:1,2,3,\n");         /* too many samples */
    assert_lines("0:3,1\n1:1,2,3,", 0, "1:1,2,3,\n");             /* without its end */
    assert_lines("0:3,2\n1:1,2,3,\n2:1,2,\n", 0, "1:1,2,3,\n");   /* too few samples */
    assert_lines("0:3,2\n1:1,2,3,\n2:1,x,3,\n", 0, "1:1,2,3,\n"); /* not a number */
    assert_lines("0:3,1\n1:1,2,3", 0, "");                        /* cut */
    assert_lines("0:3,1\n1 1,2,3,\n", 0, "");                     /* no colon */
    assert_lines("0:3,1 junk\n1:1,2,3,\n", 0, "");
    assert_lines("0:ffffffff,ffffffff\n1:1,2,\n", 0, ""); /* promises too much */
}

static void test_thumbnail_reader_refuses_what_is_no_thumbnail(void **state) {
    (void)state;
    static const char *const texts[] = {"", "x\n", "1:3,2\n", "00:3,2\n", "3,2\n", "0:3\n", "0:,\n", "0:3,x\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(open_text(texts[i]));
    assert_null(OTFAUX_ThumbnailReader_open(harness_text("%s/missing", harness_folder())));
    assert_null(OTFAUX_ThumbnailReader_open(NULL));
    uint32_t number;
    assert_int_equal(0, OTFAUX_ThumbnailReader_getWidth(NULL, &number));
    assert_int_equal(0, OTFAUX_ThumbnailReader_getNumberOfProcs(NULL, &number));
    assert_int_equal(0, OTFAUX_ThumbnailReader_read(NULL, see, NULL));
    assert_int_equal(0, OTFAUX_ThumbnailReader_close(NULL));
}

QUIPU_TESTS(cmocka_unit_test(test_thumbnail_samples_are_the_functions_on_top_of_the_stack),
            cmocka_unit_test(test_thumbnail_times_of_samples_are_cut_to_ticks),
            cmocka_unit_test(test_thumbnail_lines_of_declared_processes_are_in_hash_order),
            cmocka_unit_test(test_thumbnail_lines_are_added_to_a_file_that_is_there),
            cmocka_unit_test(test_thumbnail_processes_may_be_declared_before_it_is_set_up),
            cmocka_unit_test(test_thumbnail_ranges_without_a_tick_for_each_sample_are_refused),
            cmocka_unit_test(test_thumbnail_times_up_to_the_largest_are_sampled),
            cmocka_unit_test(test_thumbnail_names_end_in_thumb),
            cmocka_unit_test(test_thumbnail_reader_gives_what_was_written),
            cmocka_unit_test(test_thumbnail_reader_accepts_what_numbers_allow),
            cmocka_unit_test(test_thumbnail_reader_delivers_good_lines_and_says_when_some_are_not),
            cmocka_unit_test(test_thumbnail_reader_refuses_what_is_no_thumbnail))
