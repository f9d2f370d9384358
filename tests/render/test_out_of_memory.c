/* test_out_of_memory.c: whatever allocation fails, once or from then on: an operation fails for want of memory, or its
 * answer is that of the undisturbed run. It neither crashes nor keeps memory nor leaves files. */
#include "harness.h"

#include <dirent.h>

/* ---- An allocator that fails ---- */

struct scarce {
    size_t requests, fail_at;
    bool for_good;
    size_t used;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct scarce *scarce = context;
    if (size > 0) {
        const size_t number = scarce->requests++;
        if (number == scarce->fail_at || (scarce->for_good && number > scarce->fail_at))
            return NULL;
    }
    scarce->used = scarce->used - old_size + size;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

/* ---- Answers ---- */

static uint64_t hash(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static enum quipu_status add(void *context, const void *data, size_t size, struct quipu_error *err) {
    uint64_t *answer = context;
    (void)err;
    *answer = hash(*answer, data, size);
    return QUIPU_OK;
}

/* Names and contents of all files of a folder, in any order; 0 for an empty one. */
static uint64_t answer_of_files(const char *folder, bool remove_them) {
    uint64_t total = 0;
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    assert_non_null(directory);
    while ((entry = readdir(directory))) {
        size_t size;
        if (entry->d_name[0] == '.')
            continue;
        char *path = harness_text("%s/%s", folder, entry->d_name);
        const char *data = harness_read(path, &size);
        total += hash(hash(1, entry->d_name, strlen(entry->d_name)), data, size);
        if (remove_them)
            remove(path);
    }
    closedir(directory);
    return total;
}

/* ---- Operations ---- */

struct run {
    struct quipu_reader *reader;
    struct quipu_allocator allocator;
    const char *path; /* for output, without an ending */
    uint64_t answer;
    struct quipu_sink sink;
    struct quipu_error err;
};

typedef enum quipu_status operation_fn(struct run *run);

static enum quipu_status at_end(enum quipu_status status) {
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status summarise(struct run *run) {
    struct quipu_summary summary;
    const enum quipu_status status = quipu_summarise(run->reader, NULL, &summary, &run->err);
    return status == QUIPU_OK ? quipu_summary_write(&summary, run->reader, true, run->sink, &run->err) : status;
}

static enum quipu_status print_records(struct run *run) {
    struct quipu_record record;
    enum quipu_status status;
    while ((status = quipu_reader_next_record(run->reader, &record, &run->err)) == QUIPU_OK) {
        status =
            quipu_record_write_json(quipu_reader_format(run->reader)->schema, &record, run->sink, &run->err);
        if (status != QUIPU_OK)
            return status;
    }
    return at_end(status);
}

static enum quipu_status print_events(struct run *run) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    selection.order = QUIPU_ORDER_TIME;
    enum quipu_status status = quipu_reader_select(run->reader, &selection, &run->err);
    while (status == QUIPU_OK) {
        status = quipu_reader_next(run->reader, &event, &run->err);
        if (status == QUIPU_OK)
            status =
                quipu_event_write_text(quipu_reader_definitions(run->reader), &event, run->sink, &run->err);
    }
    return at_end(status);
}

static enum quipu_status check(struct run *run) {
    struct quipu_check_result result;
    const enum quipu_status status = quipu_check(run->reader, NULL, &result, &run->err);
    return status == QUIPU_OK
               ? quipu_check_write(&result, quipu_reader_findings(run->reader), NULL, run->sink, &run->err)
               : status;
}

static enum quipu_status analyse(struct run *run, const char *name) {
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    struct quipu_tables *tables;
    render.allocator = run->allocator;
    enum quipu_status status = quipu_analysis_run(run->reader, name, NULL, &tables, &run->err);
    if (status == QUIPU_OK)
        status = quipu_table_write(quipu_tables_list(tables), quipu_tables_count(tables), &render, run->sink,
                                   &run->err);
    quipu_tables_free(tables);
    return status;
}

static enum quipu_status profile(struct run *run) {
    return analyse(run, "profile");
}

static enum quipu_status find_open(struct run *run) {
    return analyse(run, "state");
}

static enum quipu_status convert(struct run *run, const char *target, const char *ending) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report;
    options.writer.allocator = run->allocator;
    enum quipu_status status = quipu_convert(run->reader, harness_text("%s%s", run->path, ending), target,
                                             &options, &report, &run->err);
    if (status == QUIPU_OK)
        status = quipu_conversion_report_write(report, true, run->sink, &run->err);
    quipu_conversion_report_free(report);
    return status;
}

static enum quipu_status convert_to_otf(struct run *run) {
    return convert(run, "otf", ".otf");
}

static enum quipu_status convert_to_dumpi(struct run *run) {
    return convert(run, "dumpi", ".meta");
}

static enum quipu_status convert_to_perfetto(struct run *run) {
    return convert(run, "perfetto", ".perfetto-trace");
}

static enum quipu_status convert_to_chrome(struct run *run) {
    return convert(run, "chrome", ".json");
}

static enum quipu_status convert_to_goal(struct run *run) {
    return convert(run, "goal", ".goal");
}

static enum quipu_status merge_with_itself(struct run *run) {
    struct quipu_reader_options reading = QUIPU_READER_OPTIONS_INIT;
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_reader *readers[2] = {run->reader};
    struct quipu_conversion_report *reports[2];
    reading.allocator = options.writer.allocator = run->allocator;
    enum quipu_status status =
        quipu_reader_open(harness_data("otf/small.otf"), &reading, &readers[1], &run->err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_merge(readers, 2, harness_text("%s.otf", run->path), "otf", &options, reports, &run->err);
    quipu_conversion_report_free(reports[0]);
    quipu_conversion_report_free(reports[1]);
    quipu_reader_close(readers[1]);
    return status;
}

static enum quipu_status cut_to(struct run *run, const char *target, const char *ending) {
    struct quipu_cut_options options = QUIPU_CUT_OPTIONS_INIT;
    options.convert.writer.allocator = run->allocator;
    options.convert.selection.from = 20;
    options.convert.selection.to = 60;
    return quipu_cut(run->reader, harness_text("%s%s", run->path, ending), target, &options, NULL, &run->err);
}

static enum quipu_status cut_to_otf(struct run *run) {
    return cut_to(run, "otf", ".otf");
}

static enum quipu_status cut_to_chrome(struct run *run) {
    return cut_to(run, "chrome", ".json");
}

static enum quipu_status take_snapshots(struct run *run) {
    struct quipu_snapshot_options options = QUIPU_SNAPSHOT_OPTIONS_INIT;
    options.convert.writer.allocator = run->allocator;
    options.count = 3;
    return quipu_snapshot(run->reader, harness_text("%s.otf", run->path), &options, &run->err);
}

static enum quipu_status repair(struct run *run) {
    struct quipu_repair_options options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_repair_report *report;
    const char *ending = strcmp(quipu_reader_format(run->reader)->name, "otf") == 0 ? ".otf" : ".meta";
    options.writer.allocator = run->allocator;
    enum quipu_status status =
        quipu_repair(run->reader, harness_text("%s%s", run->path, ending), &options, &report, &run->err);
    if (status == QUIPU_OK)
        status =
            quipu_repair_report_write(report, quipu_reader_findings(run->reader), false, run->sink, &run->err);
    quipu_repair_report_free(report);
    return status;
}

static enum quipu_status build_index(struct run *run) {
    static const struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    return quipu_index_build(run->reader, harness_text("%s.qpx", run->path), &options, &result, &run->err);
}

/* ---- Every allocation ---- */

static enum quipu_status perform(operation_fn *operation, const char *trace, const char *folder,
                                 struct scarce *scarce, uint64_t *answer, struct quipu_error *err) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct run run = {.allocator = {resize, scarce},
                      .path = harness_text("%s/made", folder),
                      .answer = 1,
                      .err = QUIPU_ERROR_INIT};
    run.sink = (struct quipu_sink){add, &run.answer};
    options.allocator = run.allocator;
    options.index = "";
    enum quipu_status status = quipu_reader_open(harness_data(trace), &options, &run.reader, &run.err);
    if (status == QUIPU_OK)
        status = operation(&run);
    quipu_reader_close(run.reader);
    *answer = run.answer;
    *err = run.err;
    return status;
}

static void fail_at(operation_fn *operation, const char *trace, const char *folder, size_t number,
                    bool for_good, uint64_t answer) {
    struct scarce scarce = {.fail_at = number, .for_good = for_good};
    struct quipu_error err;
    uint64_t printed;
    const enum quipu_status status = perform(operation, trace, folder, &scarce, &printed, &err);
    const uint64_t files = answer_of_files(folder, true);
    const bool is_right = status == QUIPU_OK
                              ? printed + files == answer
                              : (status == QUIPU_NO_MEMORY || status == QUIPU_LIMIT) && files == 0;
    if (!is_right)
        fail_msg("%s, request %zu %s: %s: %s", trace, number, for_good ? "and all after it" : "alone",
                 quipu_status_name(status), err.message);
    assert_int_equal(err.status, status);
    assert_int_equal(scarce.used, 0);
}

static void survive_with(operation_fn *operation, const char *trace) {
    const char *folder = harness_folder();
    struct scarce plenty = {.fail_at = SIZE_MAX};
    struct quipu_error err;
    uint64_t answer;
    assert_int_equal(perform(operation, trace, folder, &plenty, &answer, &err), QUIPU_OK);
    answer += answer_of_files(folder, true);
    assert_int_equal(plenty.used, 0);
    assert_true(plenty.requests > 20);
    for (size_t i = 0; i < plenty.requests; i += i < 200 ? 1 : i / 100) {
        fail_at(operation, trace, folder, i, false, answer);
        fail_at(operation, trace, folder, i, true, answer);
    }
}

static void survive(operation_fn *operation) {
    survive_with(operation, "otf/small.otf");
    survive_with(operation, "sweep/otf-compressed/ring.otf");
    survive_with(operation, "sweep/dumpi/ring.meta");
}

static void survive_otf(operation_fn *operation) {
    survive_with(operation, "otf/small.otf");
}

static void test_out_of_memory_summarise(void **state) {
    (void)state;
    survive(summarise);
}

static void test_out_of_memory_print_records(void **state) {
    (void)state;
    survive(print_records);
}

static void test_out_of_memory_print_events(void **state) {
    (void)state;
    survive(print_events);
}

static void test_out_of_memory_check(void **state) {
    (void)state;
    survive(check);
}

static void test_out_of_memory_profile(void **state) {
    (void)state;
    survive(profile);
}

static void test_out_of_memory_find_open(void **state) {
    (void)state;
    survive(find_open);
}

static void test_out_of_memory_convert_to_otf(void **state) {
    (void)state;
    survive(convert_to_otf);
}

static void test_out_of_memory_convert_to_dumpi(void **state) {
    (void)state;
    survive(convert_to_dumpi);
}

static void test_out_of_memory_convert_to_perfetto(void **state) {
    (void)state;
    survive(convert_to_perfetto);
}

static void test_out_of_memory_convert_to_chrome(void **state) {
    (void)state;
    survive(convert_to_chrome);
}

static void test_out_of_memory_convert_to_goal(void **state) {
    (void)state;
    survive(convert_to_goal);
}

static void test_out_of_memory_merge_with_itself(void **state) {
    (void)state;
    survive(merge_with_itself);
}

static void test_out_of_memory_cut_to_otf(void **state) {
    (void)state;
    survive(cut_to_otf);
}

static void test_out_of_memory_cut_to_chrome(void **state) {
    (void)state;
    survive(cut_to_chrome);
}

static void test_out_of_memory_take_snapshots(void **state) {
    (void)state;
    survive_otf(take_snapshots);
}

static void test_out_of_memory_repair(void **state) {
    (void)state;
    survive(repair);
}

static void test_out_of_memory_build_index(void **state) {
    (void)state;
    survive(build_index);
}

QUIPU_TESTS(cmocka_unit_test(test_out_of_memory_summarise), cmocka_unit_test(test_out_of_memory_print_records),
            cmocka_unit_test(test_out_of_memory_print_events), cmocka_unit_test(test_out_of_memory_check),
            cmocka_unit_test(test_out_of_memory_profile), cmocka_unit_test(test_out_of_memory_find_open),
            cmocka_unit_test(test_out_of_memory_convert_to_otf),
            cmocka_unit_test(test_out_of_memory_convert_to_dumpi),
            cmocka_unit_test(test_out_of_memory_convert_to_perfetto),
            cmocka_unit_test(test_out_of_memory_convert_to_chrome),
            cmocka_unit_test(test_out_of_memory_convert_to_goal),
            cmocka_unit_test(test_out_of_memory_merge_with_itself),
            cmocka_unit_test(test_out_of_memory_cut_to_otf), cmocka_unit_test(test_out_of_memory_cut_to_chrome),
            cmocka_unit_test(test_out_of_memory_take_snapshots), cmocka_unit_test(test_out_of_memory_repair),
            cmocka_unit_test(test_out_of_memory_build_index))
