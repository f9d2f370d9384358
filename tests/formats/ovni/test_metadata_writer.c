/* test_metadata_writer.c: what the metadata of streams that are written from events say, by the keys of the format's description. */
#include "written.h"

static json_t *metadata_of(const char *root, unsigned process) {
    const char *path = harness_text("%s/loom.node/proc.%u/thread.%u/stream.json", root, process, process);
    json_t *metadata = json_loads(harness_read(path, NULL), JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null(metadata);
    return metadata;
}

static void assert_member(const json_t *object, const char *path, const char *expected) {
    char *next, *copy = harness_text("%s", path);
    for (char *key = strtok_r(copy, ".", &next); key; key = strtok_r(NULL, ".", &next))
        object = json_object_get(object, key);
    json_t *wanted = expected ? json_loads(expected, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL) : NULL;
    if (expected ? !json_equal(object, wanted) : object != NULL)
        fail_msg("%s: %s", path, json_dumps(object, JSON_ENCODE_ANY));
    json_decref(wanted);
}

/* The first stream says the CPUs of the loom and the types of marks, every stream its process. */
static void test_metadata_writer_streams_say_who_they_are(void **state) {
    const struct quipu_event rows[] = {
        ENTER(1, 1), LEAVE(2, 1), {.time = 3, .kind = QUIPU_KIND_enter, .location = 1}};
    const char *root = trace_written(rows, 3);
    json_t *first = metadata_of(root, 1), *second = metadata_of(root, 2);
    (void)state;
    assert_member(first, "version", "3");
    assert_member(first, "ovni.part", "\"thread\"");
    assert_member(first, "ovni.loom", "\"node\"");
    assert_member(first, "ovni.pid", "1");
    assert_member(first, "ovni.app_id", "1");
    assert_member(first, "ovni.rank", "0");
    assert_member(first, "ovni.nranks", "2");
    assert_member(first, "ovni.finished", "1");
    assert_member(first, "ovni.loom_cpus", "[{\"index\": 0, \"phyid\": 0}]");
    assert_member(first, "ovni.require", "{\"ovni\": \"1.1.0\"}");
    assert_member(
        first, "ovni.mark",
        "{\"0\": {\"title\": \"Regions\", \"chan_type\": \"stack\", \"labels\": {\"1\": \"region 0\", \"2\": "
        "\"region 1\"}}}");
    assert_member(first, "quipu.region_mark", "0");
    assert_member(first, "quipu.name", "\"rank 0\"");
    assert_member(second, "ovni.rank", "1");
    assert_member(second, "ovni.loom_cpus", NULL);
    assert_member(second, "ovni.mark", NULL);
    assert_member(second, "quipu.region_mark", NULL);
    assert_member(second, "quipu.process_name", "\"rank 1\"");
    json_decref(first);
    json_decref(second);
}

/* Events that are ours require a model of our own, which emulators do not know and pass over. */
static void test_metadata_writer_requires_the_models_that_are_used(void **state) {
    const struct quipu_event rows[] = {{.time = 2, .kind = QUIPU_KIND_metric, .object = 0, .value = 300}};
    json_t *metadata = metadata_of(trace_written(rows, 1), 1);
    (void)state;
    assert_member(metadata, "ovni.require", "{\"ovni\": \"1.1.0\", \"quipu\": \"1.0.0\"}");
    assert_member(metadata, "ovni.mark.0.labels", "{}");
    json_decref(metadata);
}

QUIPU_TESTS(cmocka_unit_test(test_metadata_writer_streams_say_who_they_are),
            cmocka_unit_test(test_metadata_writer_requires_the_models_that_are_used))
