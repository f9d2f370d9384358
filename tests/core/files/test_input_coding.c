/* test_input_coding.c: what is compressed: gzip, zlib and zstd, whole, cut and damaged, from the beginning and from a flush point. */
#include "core/files/inputs.h"

#include <zlib.h>
#include <zstd.h>

static void test_input_coding_detects_gzip(void **state) {
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

static void test_input_coding_detects_zstd_and_says_when_it_is_cut(void **state) {
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

static void test_input_coding_reads_zlib_finished_or_not(void **state) {
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
static void test_input_coding_resumes_at_flush_points(void **state) {
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
static void test_input_coding_passes_false_flush_points(void **state) {
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

static void test_input_coding_says_when_zlib_is_cut_inside_a_block(void **state) {
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

static void test_input_coding_says_when_gzip_is_cut(void **state) {
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

static void test_input_coding_reads_gzip_members_after_one_another(void **state) {
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

static void test_input_coding_delivers_what_precedes_damage(void **state) {
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

static void test_input_coding_reports_text_under_a_zlib_name(void **state) {
    (void)state;
    struct quipu__input *input = open_input(file_of("text.z", "E1\nL1\n", 6), QUIPU__CODEC_ZLIB);
    assert_int_equal(quipu__input_more(input, 1, NULL), QUIPU_OK);
    assert_true(input->damaged && input->ended && input->at == input->end);
    quipu__input_close(input);
}

QUIPU_TESTS(TEST(test_input_coding_detects_gzip), TEST(test_input_coding_detects_zstd_and_says_when_it_is_cut),
            TEST(test_input_coding_reads_zlib_finished_or_not), TEST(test_input_coding_resumes_at_flush_points),
            TEST(test_input_coding_passes_false_flush_points),
            TEST(test_input_coding_says_when_zlib_is_cut_inside_a_block),
            TEST(test_input_coding_says_when_gzip_is_cut),
            TEST(test_input_coding_reads_gzip_members_after_one_another),
            TEST(test_input_coding_delivers_what_precedes_damage),
            TEST(test_input_coding_reports_text_under_a_zlib_name))
