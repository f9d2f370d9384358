/* test_lookup3.c: the hash functions that libotfaux exports, against the values that their author published. */
#include "harness.h"

uint32_t hashword(const uint32_t *k, size_t length, uint32_t initval);
void hashword2(const uint32_t *k, size_t length, uint32_t *pc, uint32_t *pb);
uint32_t hashlittle(const void *key, size_t length, uint32_t initval);
void hashlittle2(const void *key, size_t length, uint32_t *pc, uint32_t *pb);
uint32_t hashbig(const void *key, size_t length, uint32_t initval);

static const char sentence[] = "Four score and seven years ago";

static void test_lookup3_gives_the_published_values(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t c, b, hash_c, hash_b;
    } published[] = {
        {"", 0, 0, 0xdeadbeef, 0xdeadbeef},
        {"", 0, 0xdeadbeef, 0xbd5b7dde, 0xdeadbeef},
        {"", 0xdeadbeef, 0xdeadbeef, 0x9c093ccd, 0xbd5b7dde},
        {sentence, 0, 0, 0x17770551, 0xce7226e6},
        {sentence, 0, 1, 0xe3607cae, 0xbd371de4},
        {sentence, 1, 0, 0xcd628161, 0x6cbea4b3},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        uint32_t c = published[i].c, b = published[i].b;
        hashlittle2(published[i].key, strlen(published[i].key), &c, &b);
        assert_int_equal(published[i].hash_c, c);
        assert_int_equal(published[i].hash_b, b);
    }
    assert_int_equal(0x17770551, hashlittle(sentence, 30, 0));
    assert_int_equal(0xcd628161, hashlittle(sentence, 30, 1));
}

static void test_lookup3_reads_bytes_at_any_address_and_none_behind_the_key(void **state) {
    (void)state;
    for (size_t length = 0; length <= 30; length++) {
        char moved[64];
        memset(moved, 'x', sizeof moved);
        memcpy(moved + 1, sentence, length);
        assert_int_equal(hashlittle(sentence, length, 7), hashlittle(moved + 1, length, 7));
        assert_int_equal(hashbig(sentence, length, 7), hashbig(moved + 1, length, 7));
    }
}

/* The words of a key, as the bytes of both orders. */
static void test_lookup3_hashes_words_as_their_bytes(void **state) {
    (void)state;
    const uint32_t words[] = {0x01020304, 0xa5a6a7a8, 0xfffefdfc, 0x00000080, 7, 0x80000000, 9};
    unsigned char little[sizeof words], big[sizeof words];
    for (size_t i = 0; i < sizeof words; i++) {
        little[i] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
        big[i] = (unsigned char)(words[i / 4] >> 8 * (3 - i % 4));
    }
    for (size_t count = 0; count <= 7; count++) {
        uint32_t c = 5, b = 6, little_c = 5, little_b = 6;
        hashword2(words, count, &c, &b);
        hashlittle2(little, count * 4, &little_c, &little_b);
        assert_int_equal(little_c, c);
        assert_int_equal(little_b, b);
        assert_int_equal(hashlittle(little, count * 4, 5), hashword(words, count, 5));
        assert_int_equal(hashbig(big, count * 4, 5), hashword(words, count, 5));
    }
}

QUIPU_TESTS(cmocka_unit_test(test_lookup3_gives_the_published_values),
            cmocka_unit_test(test_lookup3_reads_bytes_at_any_address_and_none_behind_the_key),
            cmocka_unit_test(test_lookup3_hashes_words_as_their_bytes))
