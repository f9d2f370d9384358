/* test_model_writer.c: definitions that events of the model refer to are listed with the first stream, and each stream says which process it
 * is. */
#include "written.h"

static const char *member_of(const char *root, unsigned process, const char *key) {
    const char *path = harness_text("%s/loom.node/proc.%u/thread.%u/stream.json", root, process, process);
    json_t *metadata = json_loads(harness_read(path, NULL), JSON_DECODE_INT_AS_REAL, NULL);
    char *dumped = json_dumps(json_object_get(json_object_get(metadata, "quipu"), key),
                              JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(3));
    const char *text = harness_text("%s", dumped ? dumped : "none");
    free(dumped);
    json_decref(metadata);
    return text;
}

/* Rank 1 has no stream, so it is listed; rank 0 says itself who it is. The metric is one of numbers without sign (0), at points (0). */
static void test_model_writer_lists_what_is_referred_to(void **state) {
    const struct quipu_event rows[] = {
        {.time = 1, .kind = QUIPU_KIND_send, .peer = 1, .group = QUIPU_NONE, .id = QUIPU_UNKNOWN},
        {.time = 2, .kind = QUIPU_KIND_metric, .object = 0, .value = 300}};
    const char *root = trace_written(rows, 2);
    (void)state;
    assert_string_equal(member_of(root, 1, "version"), "\"1.0.0\"");
    assert_string_equal(member_of(root, 1, "process"), "0.0");
    assert_string_equal(
        member_of(root, 1, "definitions"),
        "{\"files\":{},\"groups\":{},\"locations\":{\"1\":{\"name\":\"rank 1\",\"rank\":1.0}},"
        "\"metrics\":{\"0\":{\"mode\":0.0,\"name\":\"metric 0\",\"unit\":\"bytes\",\"value\":0.0}},"
        "\"regions\":{}}");
}

/* Of streams that say who they are nothing is listed; only the first has the list. */
static void test_model_writer_leaves_out_what_streams_say_themselves(void **state) {
    const struct quipu_event rows[] = {
        {.time = 1, .kind = QUIPU_KIND_send, .peer = 1, .group = QUIPU_NONE, .id = QUIPU_UNKNOWN},
        {.time = 2,
         .kind = QUIPU_KIND_recv,
         .location = 1,
         .peer = 0,
         .group = QUIPU_NONE,
         .id = QUIPU_UNKNOWN}};
    const char *root = trace_written(rows, 2);
    (void)state;
    assert_non_null(strstr(member_of(root, 1, "definitions"), "\"locations\":{}"));
    assert_string_equal(member_of(root, 2, "process"), "1.0");
    assert_string_equal(member_of(root, 2, "definitions"), "none");
}

static void test_model_writer_traces_without_such_events_have_no_list(void **state) {
    const struct quipu_event rows[] = {ENTER(1, 0), LEAVE(2, 0)};
    (void)state;
    assert_string_equal(member_of(trace_written(rows, 2), 1, "definitions"), "none");
}

QUIPU_TESTS(cmocka_unit_test(test_model_writer_lists_what_is_referred_to),
            cmocka_unit_test(test_model_writer_leaves_out_what_streams_say_themselves),
            cmocka_unit_test(test_model_writer_traces_without_such_events_have_no_list))
