/* test_statistics.c: what records add to statistics, and the records that tell them. */
#include "harness.h"

#include "formats/otf/format.h"

static const struct quipu__otf_common common = {.time = 5, .process = 7};

static bool statistic_of(uint32_t type, const void *data, struct quipu__statistic *out) {
    struct quipu__otf_trace own;
    struct quipu__trace trace;
    struct quipu__memory memory;
    memset(&own, 0, sizeof own);
    memset(&trace, 0, sizeof trace);
    quipu__memory_init(&memory, NULL, 0);
    trace.own = &own;
    struct quipu__otf_class_list *collops = &own.definition_classes[QUIPU__OTF_CLASS_collop];
    quipu__tokens_init(&collops->tokens, &memory);
    for (uint32_t i = 0; i < 5; i++) { /* token i has the type i */
        struct quipu__otf_definition *definition = QUIPU__VEC_ADD(&memory, &collops->definitions);
        *definition = (struct quipu__otf_definition){.token = i, .first = i};
        assert_true(quipu__tokens_put(&collops->tokens, i, i));
    }
    const struct quipu_record record = {
        .type = &quipu__otf_schema.types[type], .data = data, .common = &common};
    const bool found = quipu__otf_statistics.statistic_of(&trace, &record, out);
    quipu__tokens_release(&collops->tokens);
    QUIPU__VEC_RELEASE(&memory, &collops->definitions);
    assert_int_equal(memory.used, 0);
    return found;
}
#define STATISTIC(type, out, ...)                                                                              \
    statistic_of(QUIPU__OTF_##type, &(const union quipu__otf_any){.type = {__VA_ARGS__}}, out)

static void assert_values(const struct quipu__statistic *found, uint64_t a, uint64_t b, uint64_t c,
                          uint64_t d) {
    assert_int_equal(found->values[0], a);
    assert_int_equal(found->values[1], b);
    assert_int_equal(found->values[2], c);
    assert_int_equal(found->values[3], d);
}

/* Numbers sent and received, bytes sent and received. */
static void test_statistics_of_messages(void **state) {
    struct quipu__statistic out;
    (void)state;
    assert_true(STATISTIC(SendMsg, &out, .length = 100));
    assert_int_equal(out.statistic_class, QUIPU__STATISTIC_MESSAGES);
    assert_values(&out, 1, 0, 100, 0);
    assert_true(STATISTIC(RecvMsg, &out, .length = 200));
    assert_values(&out, 0, 1, 0, 200);
    assert_false(STATISTIC(Enter, &out, .function = 1));
}

/* 1 barrier, 2 from the root to all, 3 from all to the root, 4 all to all; the process is 7. */
static void test_statistics_of_collective_operations(void **state) {
    static const struct {
        uint32_t type, root;
        bool sends, receives;
    } cases[] = {{1, 7, true, false}, {1, 9, true, false}, {2, 7, true, true}, {2, 9, false, true},
                 {3, 7, true, true},  {3, 9, true, false}, {4, 7, true, true}, {4, 9, true, true}};
    struct quipu__statistic out;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(STATISTIC(CollectiveOperation, &out, .collective = cases[i].type, .rootProc = cases[i].root,
                              .sent = 10, .received = 20));
        assert_int_equal(out.statistic_class, QUIPU__STATISTIC_COLLECTIVES);
        assert_int_equal(out.object, cases[i].type);
        assert_values(&out, cases[i].sends, cases[i].receives, 10, 20);
    }
}

/* Opens, closes, reads, writes, seeks, bytes read and written. */
static void test_statistics_of_files(void **state) {
    struct quipu__statistic out;
    (void)state;
    for (uint32_t operation = 0; operation < 7; operation++) {
        assert_true(STATISTIC(FileOperation, &out, .fileid = 3, .operation = 0x40 | operation, .bytes = 50));
        assert_int_equal(out.object, 3);
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(out.values[i], i == operation);
        assert_int_equal(out.values[5], operation == 2 ? 50 : 0);
        assert_int_equal(out.values[6], operation == 3 ? 50 : 0);
    }
}

static void test_statistics_become_records(void **state) {
    const struct quipu__statistic calls = {QUIPU__STATISTIC_CALLS, 5, {3, 100, 40}};
    const struct quipu__statistic files = {QUIPU__STATISTIC_FILES, 6, {1, 2, 3, 4, 5, 60, 70}};
    union quipu__otf_any out;
    (void)state;
    memset(&out, 0, sizeof out);
    assert_string_equal(quipu__otf_statistics.summary_of(&calls, &out)->name, "FunctionSummary");
    assert_int_equal(out.FunctionSummary.function, 5);
    assert_int_equal(out.FunctionSummary.invocations, 3);
    memset(&out, 0, sizeof out);
    assert_string_equal(quipu__otf_statistics.summary_of(&files, &out)->name, "FileOperationSummary");
    assert_int_equal(out.FileOperationSummary.fileid, 6);
    assert_int_equal(out.FileOperationSummary.nopen, 1);
    assert_int_equal(out.FileOperationSummary.nseek, 5);
    assert_int_equal(out.FileOperationSummary.bytesread, 60);
    assert_int_equal(out.FileOperationSummary.byteswrite, 70);
}

QUIPU_TESTS(cmocka_unit_test(test_statistics_of_messages),
            cmocka_unit_test(test_statistics_of_collective_operations),
            cmocka_unit_test(test_statistics_of_files), cmocka_unit_test(test_statistics_become_records))
