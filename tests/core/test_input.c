/* test_input.c: windows over plain and compressed files, and the pool of open files. */
#include "harness.h"

#include "core/input.h"
#include "core/os.h"

#include <zlib.h>
#include <zstd.h>

#define SIZE 300000

static struct quipu__memory memory;
static struct quipu__files files;
static uint8_t bytes[SIZE];

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&files, &memory, 2);
    for (uint32_t i = 0, x = 1; i < SIZE; i++, x = x * 1664525 + 1013904223)
        bytes[i] = (uint8_t)(x >> 27 | (i & 0x60));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return memory.used != 0 || files.open != 0;
}

static const char *file_of(const char *name, const void *data, size_t size) {
    const char *path = harness_text("%s/%s", harness_folder(), name);
    harness_write(path, data, size);
    return path;
}

static struct quipu__input *open_input(const char *path, enum quipu__codec codec) {
    struct quipu__input *input;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__input_open(&files, path, codec, 4096, &input, &err), QUIPU_OK);
    return input;
}

/* Reads everything in steps of need bytes and compares it with the expected bytes. */
static void assert_reads(struct quipu__input *input, size_t expected, size_t need) {
    size_t got = 0;
    for (;;) {
        assert_int_equal(quipu__input_more(input, need, NULL), QUIPU_OK);
        const size_t here = (size_t)(input->end - input->at);
        if (here == 0)
            break;
        const size_t taken = here < need ? here : need;
        assert_int_equal(quipu__input_offset(input), got);
        assert_true(got + taken <= expected);
        assert_memory_equal(input->at, bytes + got, taken);
        input->at += taken;
        got += taken;
    }
    assert_int_equal(got, expected);
    assert_true(input->ended);
}

static void test_input_reads_a_plain_file_in_any_steps(void **state) {
    (void)state;
    const char *path = file_of("plain", bytes, SIZE);
    static const size_t steps[] = {1, 7, 4096, 5000, 70000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct quipu__input *input = open_input(path, QUIPU__CODEC_DETECT);
        assert_reads(input, SIZE, steps[i]);
        assert_true(quipu__input_can_seek(input));
        quipu__input_close(input);
    }
}

static void test_input_reads_an_empty_file(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("empty", "", 0), QUIPU__CODEC_DETECT);
    assert_reads(input, 0, 8);
    quipu__input_close(input);
}

static void test_input_detects_gzip(void **state) {
    (void)state;
    const char *path = harness_text("%s/trace.gz", harness_folder());
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, bytes, SIZE), SIZE);
    gzclose(file);
    struct quipu__input *input = open_input(path, QUIPU__CODEC_DETECT);
    assert_reads(input, SIZE, 1000);
    assert_false(input->damaged);
    assert_false(quipu__input_can_seek(input));
    assert_int_equal(quipu__input_seek(input, 0, NULL), QUIPU_OK);
    assert_reads(input, SIZE, 33);
    quipu__input_close(input);
}

static void test_input_detects_zstd_and_says_when_it_is_cut(void **state) {
    (void)state;
    const size_t bound = ZSTD_compressBound(SIZE);
    void *packed = malloc(bound);
    const size_t size = ZSTD_compress(packed, bound, bytes, SIZE, 1);
    struct quipu__input *input = open_input(file_of("trace.zst", packed, size), QUIPU__CODEC_DETECT);
    assert_reads(input, SIZE, 1000);
    assert_false(input->damaged);
    quipu__input_close(input);
    input = open_input(file_of("cut.zst", packed, size / 2), QUIPU__CODEC_DETECT);
    while (input->end_offset < SIZE && !input->ended) {
        assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
        input->at = input->end;
    }
    assert_true(input->damaged);
    assert_true(input->end_offset < SIZE);
    quipu__input_close(input);
    free(packed);
}

/* zlib in segments, each ended by a full flush, without a last block: how trace libraries write. */
static size_t deflate_segments(uint8_t *packed, size_t room, bool finish) {
    z_stream zlib = {0};
    assert_int_equal(deflateInit(&zlib, 4), Z_OK);
    zlib.next_out = packed;
    zlib.avail_out = (uInt)room;
    for (size_t from = 0; from < SIZE; from += 50000) {
        zlib.next_in = bytes + from;
        zlib.avail_in = 50000;
        assert_int_equal(deflate(&zlib, Z_FULL_FLUSH), Z_OK);
    }
    if (finish)
        assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    const size_t size = room - zlib.avail_out;
    deflateEnd(&zlib);
    return size;
}

static void test_input_reads_zlib_finished_or_not(void **state) {
    (void)state;
    uint8_t *packed = malloc(2 * SIZE);
    for (int finish = 0; finish < 2; finish++) {
        const size_t size = deflate_segments(packed, 2 * SIZE, finish);
        struct quipu__input *input = open_input(file_of("events.z", packed, size), QUIPU__CODEC_ZLIB);
        assert_reads(input, SIZE, 777);
        assert_false(input->damaged);
        quipu__input_close(input);
    }
    free(packed);
}

/* Reads all that is there; gives its size. */
static uint64_t read_all(struct quipu__input *input) {
    while (!input->ended) {
        assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
        input->at = input->end;
    }
    return input->end_offset;
}

/* From the flush points, which are 50000 bytes of text apart, reading goes on to the end. */
static void test_input_resumes_at_flush_points(void **state) {
    static uint8_t packed[2 * SIZE];
    (void)state;
    for (int finish = 0; finish < 2; finish++) {
        const size_t size = deflate_segments(packed, 2 * SIZE, finish);
        struct quipu__input *input = open_input(file_of("a.z", packed, size), QUIPU__CODEC_ZLIB);
        uint64_t offset = 1;
        for (size_t from = 50000; from < SIZE; from += 50000) {
            assert_int_equal(quipu__input_resume(input, offset, size, NULL), QUIPU_OK);
            offset = quipu__input_offset(input);
            assert_memory_equal(packed + offset - 4, "\0\0\xff\xff", 4);
            assert_int_equal(quipu__input_more(input, SIZE, NULL), QUIPU_OK);
            assert_int_equal(input->end - input->at, SIZE - from);
            assert_memory_equal(input->at, bytes + from, SIZE - from);
            assert_true(input->ended && !input->damaged);
        }
        assert_int_equal(quipu__input_resume(input, 1, 100, NULL), QUIPU_END);
        assert_int_equal(quipu__input_seek(input, 0, NULL), QUIPU_OK);
        assert_reads(input, SIZE, 1000);
        quipu__input_close(input);
    }
}

/* The bytes of a flush point inside of a block that is stored as it is; and a flush that keeps what was before. */
static void test_input_passes_false_flush_points(void **state) {
    static const uint8_t false_marker[] = {0, 0, 0xff, 0xff, 0xff, 0xff, 'x', 'y'};
    static uint8_t packed[2 * SIZE];
    (void)state;
    z_stream zlib = {.next_in = (Bytef *)false_marker, .avail_in = sizeof false_marker};
    assert_int_equal(deflateInit(&zlib, 0), Z_OK);
    zlib.next_out = packed;
    zlib.avail_out = sizeof packed;
    assert_int_equal(deflate(&zlib, Z_FULL_FLUSH), Z_OK);
    deflateParams(&zlib, 6, Z_DEFAULT_STRATEGY);
    for (size_t from = 0; from < 100000; from += 50000) {
        zlib.next_in = from ? bytes + 40000 : bytes; /* the beginning is a repetition */
        zlib.avail_in = 50000;
        assert_int_equal(deflate(&zlib, from ? Z_FULL_FLUSH : Z_SYNC_FLUSH), Z_OK);
    }
    zlib.next_in = bytes;
    zlib.avail_in = 1000;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    const size_t size = sizeof packed - zlib.avail_out;
    deflateEnd(&zlib);
    struct quipu__input *input = open_input(file_of("a.z", packed, size), QUIPU__CODEC_ZLIB);
    assert_int_equal(quipu__input_resume(input, 1, size, NULL), QUIPU_OK);
    const uint64_t first = quipu__input_offset(input);
    assert_true(first > sizeof false_marker + 7);
    assert_memory_equal(input->at, bytes, 4000);
    assert_int_equal(quipu__input_resume(input, first, size, NULL), QUIPU_OK);
    assert_int_equal(quipu__input_more(input, SIZE, NULL), QUIPU_OK);
    assert_int_equal(input->end - input->at, 1000);
    assert_memory_equal(input->at, bytes, 1000);
    quipu__input_close(input);
}

static void test_input_says_when_zlib_is_cut_inside_a_block(void **state) {
    (void)state;
    uint8_t *packed = malloc(2 * SIZE);
    const size_t size = deflate_segments(packed, 2 * SIZE, false);
    struct quipu__input *input = open_input(file_of("cut.z", packed, size / 2), QUIPU__CODEC_ZLIB);
    const uint64_t read = read_all(input);
    assert_true(read > 100000 && read < SIZE);
    assert_true(input->damaged);
    quipu__input_close(input);
    free(packed);
}

/* The bytes as one gzip file; gives its contents. */
static const char *gzip(size_t *out_size) {
    const char *path = harness_text("%s/whole.gz", harness_folder());
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, bytes, SIZE), SIZE);
    gzclose(file);
    return harness_read(path, out_size);
}

static void test_input_says_when_gzip_is_cut(void **state) {
    (void)state;
    size_t size;
    const char *packed = gzip(&size);
    const size_t cuts[] = {size / 2, size - 1}; /* inside the data, inside the checksum */
    for (size_t i = 0; i < 2; i++) {
        struct quipu__input *input = open_input(file_of("cut.gz", packed, cuts[i]), QUIPU__CODEC_DETECT);
        const uint64_t read = read_all(input);
        assert_true(i == 0 ? read > SIZE / 3 && read < SIZE : read == SIZE);
        assert_true(input->damaged);
        quipu__input_close(input);
    }
}

static void test_input_reads_gzip_members_after_one_another(void **state) {
    (void)state;
    size_t size;
    const char *packed = gzip(&size);
    char *twice = malloc(2 * size);
    memcpy(twice, packed, size);
    memcpy(twice + size, packed, size);
    struct quipu__input *input = open_input(file_of("twice.gz", twice, 2 * size), QUIPU__CODEC_DETECT);
    assert_int_equal(read_all(input), 2 * SIZE);
    assert_false(input->damaged);
    quipu__input_close(input);
    free(twice);
}

static void test_input_delivers_what_precedes_damage(void **state) {
    (void)state;
    uint8_t *packed = malloc(2 * SIZE);
    const size_t size = deflate_segments(packed, 2 * SIZE, false);
    memset(packed + size / 2, 0xff, 100);
    struct quipu__input *input = open_input(file_of("damaged.z", packed, size), QUIPU__CODEC_ZLIB);
    while (!input->ended) {
        assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
        input->at = input->end;
    }
    assert_true(input->damaged);
    assert_true(input->end_offset >= 100000); /* two whole pieces of 50,000 bytes are before the damage */
    quipu__input_close(input);
    free(packed);
}

static void test_input_reports_text_under_a_zlib_name(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("text.z", "E1\nL1\n", 6), QUIPU__CODEC_ZLIB);
    assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
    assert_true(input->damaged && input->ended && input->at == input->end);
    quipu__input_close(input);
}

static void test_input_seeks_in_plain_files(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("plain", bytes, SIZE), QUIPU__CODEC_NONE);
    static const uint64_t offsets[] = {200000, 0, 100, 299999, 4095, SIZE};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        assert_int_equal(quipu__input_seek(input, offsets[i], NULL), QUIPU_OK);
        assert_int_equal(quipu__input_more(input, 10, NULL), QUIPU_OK);
        assert_int_equal(quipu__input_offset(input), offsets[i]);
        const size_t left = (size_t)(SIZE - offsets[i]), here = left < 10 ? left : 10;
        assert_true((size_t)(input->end - input->at) >= here);
        assert_memory_equal(input->at, bytes + offsets[i], here);
    }
    quipu__input_close(input);
}

static void test_input_grows_its_window_up_to_a_limit(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("plain", bytes, SIZE), QUIPU__CODEC_NONE);
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__input_more(input, SIZE, &err), QUIPU_OK);
    assert_memory_equal(input->at, bytes, SIZE);
    quipu__input_close(input);
    input = open_input(file_of("plain", bytes, SIZE), QUIPU__CODEC_NONE);
    assert_int_equal(quipu__input_more(input, ((size_t)64 << 20) + 1, &err), QUIPU_LIMIT);
    quipu__input_close(input);
}

static void test_input_pool_keeps_to_its_number_of_files(void **state) {
    (void)state;
    struct quipu__input *inputs[5];
    const char *path = file_of("plain", bytes, SIZE);
    for (int i = 0; i < 5; i++)
        inputs[i] = open_input(path, QUIPU__CODEC_NONE);
    assert_int_equal(files.open, 2);
    for (size_t got = 0; got < SIZE; got += 3000)
        for (int i = 0; i < 5; i++) {
            assert_int_equal(quipu__input_more(inputs[i], 3000, NULL), QUIPU_OK);
            assert_memory_equal(inputs[i]->at, bytes + got, 3000);
            inputs[i]->at += 3000;
            assert_true(files.open <= 2);
        }
    for (int i = 0; i < 5; i++)
        quipu__input_close(inputs[i]);
}

static void test_input_says_which_file_is_missing(void **state) {
    (void)state;
    struct quipu__input *input = (struct quipu__input *)&files;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__input_open(&files, "/nowhere/x.otf", QUIPU__CODEC_DETECT, 0, &input, &err),
                     QUIPU_NOT_FOUND);
    assert_null(input);
    assert_string_equal(err.path, "/nowhere/x.otf");
    assert_non_null(strstr(err.message, "No such file"));
}

static void test_input_says_which_path_is_a_folder(void **state) {
    (void)state;
    struct quipu__input *input;
    struct quipu_error err = QUIPU_ERROR_INIT;
    const char *folder = harness_folder();
    assert_int_equal(quipu__input_open(&files, folder, QUIPU__CODEC_DETECT, 0, &input, &err), QUIPU_IO);
    assert_null(input);
    assert_string_equal(err.path, folder);
    assert_string_equal(err.message, "read failed: Is a directory");
}

static void test_input_over_memory(void **state) {
    (void)state;
    struct quipu__input *input;
    assert_int_equal(quipu__input_memory(&files, bytes, 1000, &input, NULL), QUIPU_OK);
    assert_reads(input, 1000, 17);
    assert_int_equal(quipu__input_seek(input, 10, NULL), QUIPU_OK);
    assert_ptr_equal(input->at, bytes + 10);
    quipu__input_close(input);
}

struct reading {
    struct quipu__input *input;
    size_t got;
    bool is_right;
};

/* Reads all, going back to the beginning now and then. */
static void read_in_thread(void *context) {
    struct reading *reading = context;
    struct quipu__input *input = reading->input;
    for (unsigned round = 0; round < 3 && reading->is_right; round++) {
        reading->is_right = quipu__input_seek(input, 0, NULL) == QUIPU_OK;
        for (reading->got = 0; reading->is_right && reading->got < SIZE; reading->got += 100, input->at += 100)
            reading->is_right = quipu__input_more(input, 100, NULL) == QUIPU_OK &&
                                memcmp(input->at, bytes + reading->got, 100) == 0;
    }
}

static void test_input_pool_serves_several_threads(void **state) {
    (void)state;
    struct reading readings[4];
    struct quipu__thread *threads[4];
    memory.lock = files.lock = quipu__lock_new();
    for (int i = 0; i < 4; i++) {
        const char *path = file_of("plain", bytes, SIZE);
        readings[i] = (struct reading){.input = open_input(path, QUIPU__CODEC_NONE), .is_right = true};
    }
    for (int i = 0; i < 4; i++)
        threads[i] = quipu__thread_start(read_in_thread, &readings[i]);
    for (int i = 0; i < 4; i++) {
        quipu__thread_join(threads[i]);
        assert_true(readings[i].is_right);
        assert_int_equal(readings[i].got, SIZE);
        quipu__input_close(readings[i].input);
    }
    assert_true(files.open <= 4);
    quipu__lock_free(files.lock);
    memory.lock = files.lock = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_input_reads_a_plain_file_in_any_steps), TEST(test_input_reads_an_empty_file),
            TEST(test_input_detects_gzip), TEST(test_input_detects_zstd_and_says_when_it_is_cut),
            TEST(test_input_reads_zlib_finished_or_not), TEST(test_input_resumes_at_flush_points),
            TEST(test_input_passes_false_flush_points), TEST(test_input_says_when_zlib_is_cut_inside_a_block),
            TEST(test_input_says_when_gzip_is_cut), TEST(test_input_reads_gzip_members_after_one_another),
            TEST(test_input_delivers_what_precedes_damage), TEST(test_input_reports_text_under_a_zlib_name),
            TEST(test_input_seeks_in_plain_files), TEST(test_input_grows_its_window_up_to_a_limit),
            TEST(test_input_pool_keeps_to_its_number_of_files), TEST(test_input_says_which_file_is_missing),
            TEST(test_input_says_which_path_is_a_folder), TEST(test_input_over_memory),
            TEST(test_input_pool_serves_several_threads))
