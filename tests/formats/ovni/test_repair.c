/* test_repair.c: traces of killed programs come out whole: metadata agree, wrong clocks are corrected, what the emulation refuses is left
 * out, and what is open ends. */
#include "traces.h"

static const char *repaired(const char *path) {
    const char *out = harness_text("%s/whole.ovni", harness_folder());
    struct quipu_repair_options options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_repair_report *report;
    struct quipu_reader *reader = made_reader(path);
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_repair(reader, out, &options, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_repair_report_free(report);
    quipu_reader_close(reader);
    return out;
}

/* The stream of a repaired trace, which the emulation must accept. */
static const char *whole_stream(const char *path) {
    const char *whole = repaired(path);
    assert_string_equal(show(whole).rules, "");
    return text_of_stream(made_file(whole, 11));
}

#define BEGIN "0 OHx x00000000ffffffff0000000000000000"

static void test_repair_ends_what_is_open(void **state) {
    (void)state;
    assert_string_equal(
        whole_stream(MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 1 VSh; 2 OHp"})),
        BEGIN "; 1 VSh; 2 OHp; 2 OHw; 2 OAs xffffffff; 2 OHr; 2 VSf; 2 OHe");
}

/* A clock that lies far ahead gets that of the next event, one that goes back that of the one before. */
static void test_repair_corrects_clocks(void **state) {
    (void)state;
    assert_string_equal(
        whole_stream(
            MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 10 OB.; 99999 OB.; 20 OB.; 5 OB.; 30 OHe"})),
        BEGIN "; 10 OB.; 20 OB.; 20 OB.; 20 OB.; 30 OHe");
}

/* The second call of the same function of MPI, the pop of what was not pushed, the unknown event. */
static void test_repair_leaves_out_what_is_refused(void **state) {
    (void)state;
    assert_string_equal(
        whole_stream(MADE_TRACE(
            {.tid = 11, .models = "M", .events = "0 OHx i0 i-1 q0; 1 MS[; 2 MS[; 3 MR]; 4 MS]; 5 OHz; 9 OHe"})),
        BEGIN "; 1 MS[; 4 MS]; 9 OHe");
}

static json_t *whole_metadata(const char *path, int tid) {
    const char *file = harness_text("%s/loom.made/thread.%d/stream.json", repaired(path), tid);
    json_t *metadata = json_loads(harness_read(file, NULL), 0, NULL), *ovni = json_object_get(metadata, "ovni");
    json_incref(ovni);
    json_decref(metadata);
    return ovni;
}

static int64_t number_of(const json_t *ovni, const char *key) {
    return (int64_t)json_number_value(json_object_get(ovni, key));
}

/* What a killed program had not said yet: the models that are used, CPUs up to the one that is used, that it has finished. */
static void test_repair_completes_metadata(void **state) {
    const char *path = MADE_TRACE({.tid = 11, .events = "0 OHx i2 i-1 q0; 1 VSh; 2 VSf; 9 OHe"});
    const char *said =
        "{\"version\": 3, \"ovni\": {\"part\": \"thread\", \"tid\": 11, \"pid\": 10, \"loom\": \"n.0\"}}";
    (void)state;
    harness_write(harness_text("%s/loom.made/thread.11/stream.json", path), said, strlen(said));
    json_t *ovni = whole_metadata(path, 11);
    assert_int_equal(number_of(ovni, "finished"), 1);
    assert_int_equal(number_of(ovni, "app_id"), 1);
    assert_string_equal(json_string_value(json_object_get(json_object_get(ovni, "require"), "nosv")), "2.7.0");
    assert_int_equal(json_array_size(json_object_get(ovni, "loom_cpus")), 3);
    json_decref(ovni);
}

/* Other numbers of threads and processes are as good as none. */
static void test_repair_numbers_have_32_bits(void **state) {
    static const char *const numbers[] = {"\"tid\": 2147483648, \"pid\": 10",
                                          "\"tid\": 11, \"pid\": 4294967296"};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *path = MADE_TRACE({.tid = 11, .events = "0 OHx i2 i-1 q0; 1 VSh; 2 VSf; 9 OHe"});
        const char *said = harness_text(
            "{\"version\": 3, \"ovni\": {\"part\": \"thread\", %s, \"loom\": \"n.0\"}}", numbers[i]);
        harness_write(harness_text("%s/loom.made/thread.11/stream.json", path), said, strlen(said));
        assert_string_equal(show(repaired(path)).rules, "");
    }
}

/* Two threads of three say application 1 and rank 2. */
static void test_repair_threads_of_a_process_agree(void **state) {
    const char *run = "0 OHx i-1 i-1 q0; 9 OHe", *rank = ", \"rank\": 2, \"nranks\": 4";
    const char *path = MADE_TRACE({.tid = 11, .events = run, .more = ", \"rank\": 3, \"nranks\": 4"},
                                  {.tid = 12, .cpus = -1, .events = run, .more = rank},
                                  {.tid = 13, .cpus = -1, .events = run, .more = rank});
    json_t *ovni = whole_metadata(path, 11);
    (void)state;
    assert_int_equal(number_of(ovni, "rank"), 2);
    json_decref(ovni);
    assert_string_equal(show(repaired(path)).rules, "");
}

/* Index 5 without 1 to 4 is a list that contradicts itself; that of the other thread is good. */
static void test_repair_cpus_are_those_of_a_good_list(void **state) {
    const char *run = "0 OHx i-1 i-1 q0; 9 OHe";
    const char *path = MADE_TRACE(
        {.tid = 11, .cpus = 2, .events = run},
        {.tid = 12, .cpus = -1, .events = run, .more = ", \"loom_cpus\": [{\"index\": 5, \"phyid\": 0}]"});
    (void)state;
    const struct shown shown = show(repaired(path));
    assert_string_equal(shown.rules, "");
    assert_non_null(strstr(shown.rows[QUIPU__OVNI_VIEW_CPU], " CPU 0.0\n CPU 0.1\nvCPU 0.*\n"));
}

/* Lines of the table of clock offsets that can be read stay. */
static void test_repair_tables_of_offsets(void **state) {
    const char *path = MADE_TRACE({.tid = 11, .events = "0 OHx i0 i-1 q0; 9 OHe"});
    const char *table = "rank host median mean std\n0 node 10 0 0\nnonsense\n";
    (void)state;
    harness_write(harness_text("%s/clock-offsets.txt", path), table, strlen(table));
    const char *whole = repaired(path);
    assert_string_equal(show(whole).rules, "");
    const char *text = harness_read(harness_text("%s/clock-offsets.txt", whole), NULL);
    assert_non_null(strstr(text, "node"));
    assert_null(strstr(text, "nonsense"));
}

static void test_repair_sound_traces_stay_as_they_are(void **state) {
    const char *path = MADE_TRACE({.tid = 11, .models = "V", .events = "0 OHx i0 i-1 q0; 1 VSh; 2 VSf; 9 OHe"});
    (void)state;
    assert_string_equal(whole_stream(path), text_of_stream(made_file(path, 11)));
}

QUIPU_TESTS(cmocka_unit_test(test_repair_ends_what_is_open), cmocka_unit_test(test_repair_corrects_clocks),
            cmocka_unit_test(test_repair_leaves_out_what_is_refused),
            cmocka_unit_test(test_repair_completes_metadata),
            cmocka_unit_test(test_repair_numbers_have_32_bits),
            cmocka_unit_test(test_repair_threads_of_a_process_agree),
            cmocka_unit_test(test_repair_cpus_are_those_of_a_good_list),
            cmocka_unit_test(test_repair_tables_of_offsets),
            cmocka_unit_test(test_repair_sound_traces_stay_as_they_are))
