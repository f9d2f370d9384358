/* test_requests.c: sends that a request stands for, from the record that names it on. */
#include "harness.h"

#include "formats/picl/format.h"

/* The events of a trace, one a line, without their times. */
static const char *events_of(const char *name, const char *text) {
    const char *path = harness_text("%s/%s", harness_folder(), name);
    harness_write(path, text, strlen(text));
    const struct harness_run run =
        harness_run("%s cat --quiet --kind send,send_complete %s", harness_built("quipu"), path);
    if (run.code != 0)
        fail_msg("%s: %s", path, run.err);
    char *lines = harness_text("%s", "");
    for (char *line = strtok(harness_text("%s", run.out), "\n"); line; line = strtok(NULL, "\n"))
        lines = harness_text("%s%s\n", lines, strstr(line, "send"));
    return lines;
}

/* Requests of a name are complete in the order in which they began; those of another process or name are others. */
static void test_requests_of_one_name_complete_in_order(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__picl_requests requests;
    quipu__memory_init(&memory, NULL, 0);
    quipu__picl_requests_init(&requests, &memory);
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), QUIPU_UNKNOWN);
    for (uint64_t request = 1; request <= 3; request++)
        assert_true(quipu__picl_requests_put(&requests, 0, 7, request));
    assert_true(quipu__picl_requests_put(&requests, 1, 7, 10));
    assert_true(quipu__picl_requests_put(&requests, 0, 8, 20));
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), 1);
    assert_true(quipu__picl_requests_put(&requests, 0, 7, 4));
    for (uint64_t request = 2; request <= 4; request++)
        assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), request);
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), QUIPU_UNKNOWN);
    assert_int_equal(quipu__picl_requests_take(&requests, 1, 7), 10);
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 8), 20);
    quipu__picl_requests_release(&requests);
}

/* A trace that aims at the hash of a name gets two names in one list, and no request of another name. */
static void test_requests_of_one_hash_are_told_apart(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__picl_requests requests;
    quipu__memory_init(&memory, NULL, 0);
    quipu__picl_requests_init(&requests, &memory);
    const uint64_t seed = requests.first.seed;
    /* Seven bytes that begin so are hashed as the first word, 0 or 1, of sixteen bytes is. */
    const char zero[7] = {7 ^ 16}, one[7] = {7 ^ 16 ^ 1};
    const uint64_t name = 7 ^ quipu__hash(zero, sizeof zero, seed) ^ quipu__hash(one, sizeof one, seed);
    const uint64_t first[2] = {0, 7}, second[2] = {1, name};
    assert_int_equal(quipu__hash(first, sizeof first, seed), quipu__hash(second, sizeof second, seed));
    for (uint64_t request = 1; request <= 2; request++) {
        assert_true(quipu__picl_requests_put(&requests, 0, 7, request));
        assert_true(quipu__picl_requests_put(&requests, 1, (int64_t)name, 10 * request));
    }
    assert_int_equal(quipu__picl_requests_take(&requests, 1, (int64_t)name), 10);
    assert_int_equal(quipu__picl_requests_take(&requests, 1, (int64_t)name), 20);
    assert_int_equal(quipu__picl_requests_take(&requests, 1, (int64_t)name), QUIPU_UNKNOWN);
    assert_true(quipu__picl_requests_put(&requests, 1, (int64_t)name, 30));
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), 1);
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), 2);
    assert_int_equal(quipu__picl_requests_take(&requests, 0, 7), QUIPU_UNKNOWN);
    assert_int_equal(quipu__picl_requests_take(&requests, 1, (int64_t)name), 30);
    quipu__picl_requests_release(&requests);
}

/* What PICL names a request by is the type of the message: two sends of one type are told apart. A send that blocks has none, and a
 * completion without a send keeps the name. */
static void test_requests_tie_a_send_and_its_completion_together(void **state) {
    (void)state;
    assert_string_equal(events_of("in.picl", "-3 -901 0.000001 0 -1 0\n"
                                             "-3 -27 0.000002 0 -1 3 2 10 7 1\n"
                                             "-4 -27 0.000003 0 -1 1 2 7\n"
                                             "-3 -27 0.000004 0 -1 3 2 20 7 1\n"
                                             "-4 -27 0.000005 0 -1 1 2 7\n"
                                             "-3 -21 0.000006 0 -1 3 2 30 7 1\n"
                                             "-4 -21 0.000007 0 -1 0\n"
                                             "-3 -31 0.000008 0 -1 1 2 7\n"
                                             "-4 -31 0.000009 0 -1 0\n"
                                             "-3 -30 0.000010 0 -1 1 2 7\n"
                                             "-4 -30 0.000011 0 -1 0\n"
                                             "-3 -30 0.000012 0 -1 1 2 9\n"
                                             "-4 -30 0.000013 0 -1 0\n"
                                             "-4 -901 0.000020 0 -1 0\n"
                                             "-3 -901 0.000020 1 -1 0\n"
                                             "-4 -901 0.000020 1 -1 0\n"),
                        "send peer=1/-1 communicator=all processes tag=7 bytes=10 request=4294967297\n"
                        "send peer=1/-1 communicator=all processes tag=7 bytes=20 request=4294967298\n"
                        "send peer=1/-1 communicator=all processes tag=7 bytes=30\n"
                        "send_complete request=4294967297\n"
                        "send_complete request=4294967298\n"
                        "send_complete request=9\n");
}

QUIPU_TESTS(cmocka_unit_test(test_requests_of_one_name_complete_in_order),
            cmocka_unit_test(test_requests_of_one_hash_are_told_apart),
            cmocka_unit_test(test_requests_tie_a_send_and_its_completion_together))
