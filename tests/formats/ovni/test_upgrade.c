/* test_upgrade.c: metadata of older layouts as of version 3, by the table of the format's description. */
#include "traces.h"

static json_t *parsed(const char *text) {
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    return value;
}

static void assert_upgrade(const char *process, const char *thread, const char *expected) {
    json_t *from = parsed(process), *own = thread ? parsed(thread) : NULL, *wanted = parsed(expected);
    json_t *made = quipu__ovni_upgrade(from, own, "node.1", 7, 8);
    assert_non_null(made);
    if (!json_equal(made, wanted))
        fail_msg("%s", json_dumps(made, JSON_COMPACT));
    json_decref(from);
    json_decref(own);
    json_decref(made);
    json_decref(wanted);
}

#define STREAM "\"part\": \"thread\", \"tid\": 8, \"pid\": 7, \"loom\": \"node.1\", \"finished\": 1"

/* Version 1 has the process only: its keys go to the thread, CPUs under another name. */
static void test_upgrade_of_version_1(void **state) {
    (void)state;
    assert_upgrade("{\"version\": 1, \"model_version\": \"O1\", \"app_id\": 3, \"rank\": 0, \"nranks\": 2, "
                   "\"cpus\": [{\"index\": 0, \"phyid\": 8}]}",
                   NULL,
                   "{\"version\": 3, \"ovni\": {" STREAM ", \"app_id\": 3, \"rank\": 0, \"nranks\": 2, "
                   "\"loom_cpus\": [{\"index\": 0, \"phyid\": 8}], "
                   "\"lib\": {\"version\": \"0.0.0\", \"commit\": \"unknown\"}}}");
}

/* Rank 0 of 0, as some old programs wrote it, is no rank. */
static void test_upgrade_leaves_out_ranks_of_none(void **state) {
    (void)state;
    assert_upgrade("{\"version\": 1, \"app_id\": 1, \"rank\": 0, \"nranks\": 0}", NULL,
                   "{\"version\": 3, \"ovni\": {" STREAM ", \"app_id\": 1, "
                   "\"lib\": {\"version\": \"0.0.0\", \"commit\": \"unknown\"}}}");
}

/* Version 2: what the thread says of models, marks and the library stays, and so do attributes of users. */
static void test_upgrade_of_version_2(void **state) {
    (void)state;
    assert_upgrade("{\"version\": 2, \"app_id\": 1}",
                   "{\"version\": 2, \"ovni\": {\"lib\": {\"version\": \"1.9.0\", \"commit\": \"abc\"}, "
                   "\"require\": {\"nosv\": \"2.0.0\"}, \"finished\": 1, \"mark\": {\"1\": {}}}, \"user\": 5}",
                   "{\"version\": 3, \"user\": 5, \"ovni\": {" STREAM ", \"app_id\": 1, "
                   "\"require\": {\"nosv\": \"2.0.0\"}, \"mark\": {\"1\": {}}, "
                   "\"lib\": {\"version\": \"1.9.0\", \"commit\": \"abc\"}}}");
}

QUIPU_TESTS(cmocka_unit_test(test_upgrade_of_version_1),
            cmocka_unit_test(test_upgrade_leaves_out_ranks_of_none),
            cmocka_unit_test(test_upgrade_of_version_2))
