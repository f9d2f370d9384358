/* test_windows.c: the configurations that the format's description lists, 53 of them, and those of hardware counters. */
#include "traces.h"

/* folder/name and type; * stands for both views. */
static const char listed[] =
    "*/kernel/context-switch 45 */nosv/body-id 15 */openmp/label 51 */mpi/function 25 */nosv/subsystem 13 "
    "*/openmp/subsystem 50 */nanos6/idle 40 */nosv/task-appid 12 */openmp/task-id 52 */nanos6/mpi-rank 38 "
    "*/nosv/task-id 10 */ovni/flushing 7 */nanos6/subsystem 37 */nosv/task-rank 14 */ovni/mark 100 "
    "*/nanos6/task-id 35 */nosv/task-type 11 */ovni/pid 1 */nanos6/task-type 36 cpu/nosv/idle 16 */ovni/tid 2 "
    "*/nanos6/thread-type 39 cpu/nosv/breakdown 17 cpu/ovni/number-running-threads 3 cpu/nanos6/breakdown 41 "
    "*/nodes/subsystem 30 thread/ovni/affinity 6 cpu/openmp/breakdown 53 */tampi/subsystem 20 "
    "thread/ovni/state 4";

struct seen {
    const char *names, *texts;
    unsigned count;
};

static enum quipu_status note(void *context, const char *name, const struct quipu__buffer *text,
                              struct quipu_error *err) {
    struct seen *seen = context;
    const char *content = shown_text(text), *type = strstr(content, "window_filter_module evt_type 1 ");
    (void)err;
    assert_non_null(type);
    seen->names = harness_text("%s %s %ld ", seen->names, name, strtol(type + 32, NULL, 10));
    seen->texts = harness_text("%s%s", seen->texts, content);
    seen->count++;
    return QUIPU_OK;
}

static struct seen windows_of(const char *const *counters, uint32_t count) {
    struct quipu__memory memory;
    struct quipu__ovni_system system = {.counter_count = count};
    static struct quipu__ovni_emulation emulation;
    struct seen seen = {"", "", 0};
    quipu__memory_init(&memory, NULL, 0);
    for (uint32_t i = 0; i < count; i++)
        system.counters[i] = counters[i];
    emulation.system = &system;
    emulation.memory = &memory;
    assert_int_equal(quipu__ovni_each_window(&emulation, note, &seen, NULL), QUIPU_OK);
    assert_int_equal(memory.used, 0);
    return seen;
}

static void assert_window(const struct seen *seen, const char *name, const char *type) {
    if (!strstr(seen->names, harness_text(" %s.cfg %s ", name, type)))
        fail_msg("no window %s of type %s", name, type);
}

static void test_windows_are_those_that_are_listed(void **state) {
    const struct seen seen = windows_of(NULL, 0);
    char *next, *words = harness_text("%s", listed);
    (void)state;
    assert_int_equal(seen.count, 53);
    for (char *name = strtok_r(words, " ", &next); name; name = strtok_r(NULL, " ", &next)) {
        const char *type = strtok_r(NULL, " ", &next);
        if (name[0] == '*') {
            assert_window(&seen, harness_text("cpu%s", name + 1), type);
            assert_window(&seen, harness_text("thread%s", name + 1), type);
        } else {
            assert_window(&seen, name, type);
        }
    }
    assert_memory_equal(seen.texts, "#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n", 61);
}

static void test_windows_of_hardware_counters(void **state) {
    static const char *const names[] = {"CYCLES", "a/b"};
    const struct seen seen = windows_of(names, 2);
    (void)state;
    assert_int_equal(seen.count, 53 + 4);
    assert_window(&seen, "thread/nosv/hwc-CYCLES", "200");
    assert_window(&seen, "cpu/nosv/hwc-CYCLES", "200");
    assert_window(&seen, "cpu/nosv/hwc-a_b", "201"); /* a name is no folder */
    assert_non_null(strstr(seen.texts, "window_name Thread: nOS-V CYCLES of the ACTIVE thread\n"));
    assert_non_null(strstr(seen.texts, "window_name CPU: nOS-V CYCLES of the RUNNING thread\n"));
    assert_non_null(strstr(seen.texts, "{thread, Next Evt Val}"));
}

QUIPU_TESTS(cmocka_unit_test(test_windows_are_those_that_are_listed),
            cmocka_unit_test(test_windows_of_hardware_counters))
