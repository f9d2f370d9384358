/* test_repair.c: damaged traces come out whole. Every small trace of tests/data/sweep is cut and damaged byte by byte:
 * whatever can be opened is repaired into a trace that a check accepts, and whose records are the intact ones of the
 * damaged trace, apart from what the report says.
 */
#include "harness.h"

#include "formats/descriptor.h"
#include "schema/schema.h"
#include "trace/reader.h"

#include <dirent.h>
#include <sys/stat.h>

enum { FILES_MOST = 16, RECORDS_MOST = 65536 };

struct damaged_file {
    const char *name;
    char *data;
    size_t size;
};

struct sweep {
    const char *folder, *output;
    const char *opened;
    struct damaged_file files[FILES_MOST];
    size_t file_count;
};

/* The records of a trace that can make events, as sorted hashes. */
struct records {
    uint64_t hashes[RECORDS_MOST];
    size_t count;
};

/* ---- Records ---- */

static int compare_hashes(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool makes_events(const struct quipu_reader *reader, const struct quipu_record *record) {
    const struct quipu__format *format = quipu__format_find(quipu_reader_format(reader)->name);
    return format->reading->mapping((uint32_t)(record->type - format->info.schema->types))->kinds != 0;
}

static void collect(struct quipu_reader *reader, struct records *out) {
    struct quipu__memory memory;
    struct quipu__buffer text;
    struct quipu_record record;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&text, &memory, 0);
    out->count = 0;
    quipu_reader_rewind(reader);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        if (!makes_events(reader, &record))
            continue;
        text.len = 0;
        quipu__put_text(&text, record.type->name);
        quipu__print_json_fields(quipu_reader_format(reader)->schema, &record, &text);
        assert_true(out->count < RECORDS_MOST);
        out->hashes[out->count++] = quipu__hash(text.data, text.len, record.stream);
    }
    quipu__buffer_release(&text);
    qsort(out->hashes, out->count, sizeof *out->hashes, compare_hashes);
}

/* How many of the first are not among the second. */
static size_t missing_from(const struct records *first, const struct records *second) {
    size_t missing = 0, j = 0;
    for (size_t i = 0; i < first->count; i++) {
        while (j < second->count && second->hashes[j] < first->hashes[i])
            j++;
        if (j < second->count && second->hashes[j] == first->hashes[i])
            j++;
        else
            missing++;
    }
    return missing;
}

/* ---- Repairing ---- */

static void fail_with_findings(const struct quipu_findings *findings, const char *what) {
    char text[512];
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        if (quipu_findings_at(findings, i)->rule->severity >= QUIPU_DATA_LOSS)
            print_error("%s\n", quipu_finding_text(quipu_findings_at(findings, i), text, sizeof text));
    fail_msg("%s: the repaired trace is rejected", what);
}

/* Repairs the damaged trace and judges the result. Returns false when nothing could be read. */
static bool repair_and_check(const struct sweep *sweep, const char *what) {
    static struct records before, after;
    struct quipu_repair_options options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_repair_report *report;
    struct quipu_reader *reader;
    struct quipu_check_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_reader_open(sweep->opened, NULL, &reader, &err) != QUIPU_OK) {
        assert_true(err.message[0] != '\0');
        return false;
    }
    quipu__reader_trace(reader)->is_repaired = true; /* what lies behind damage belongs to it */
    collect(reader, &before);
    options.writer.replace = true;
    if (quipu_repair(reader, sweep->output, &options, &report, &err) != QUIPU_OK)
        fail_msg("%s: %s", what, err.message);
    quipu_reader_close(reader);
    if (quipu_reader_open(sweep->output, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s: the repaired trace cannot be read: %s", what, err.message);
    collect(reader, &after);
    assert_int_equal(quipu_check(reader, NULL, &result, &err), QUIPU_OK);
    if (result.verdict == QUIPU_VERDICT_REJECT)
        fail_with_findings(quipu_reader_findings(reader), what);
    const struct quipu_repair_counts *counts = quipu_repair_report_counts(report);
    const uint64_t changed = quipu_findings_total(quipu_repair_report_changes(report), QUIPU_NOTICE);
    if (missing_from(&before, &after) > counts->dropped + changed ||
        missing_from(&after, &before) > counts->added + changed)
        fail_msg("%s: %zu of %zu records are missing and %zu are new, but the report says %llu dropped, %llu "
                 "added, %llu changed",
                 what, missing_from(&before, &after), before.count, missing_from(&after, &before),
                 (unsigned long long)counts->dropped, (unsigned long long)counts->added,
                 (unsigned long long)changed);
    quipu_repair_report_free(report);
    quipu_reader_close(reader);
    return true;
}

/* ---- Damage ---- */

static void replace_file(const char *path, const void *data, size_t size) {
    remove(path);
    harness_write(path, data, size);
}

/* Takes the files whose names begin so. False when traces of the format are not repaired. */
static bool load(struct sweep *sweep, const char *folder, const char *prefix) {
    const struct quipu_format *format = NULL;
    enum quipu_score score;
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    assert_non_null(directory);
    memset(sweep, 0, sizeof *sweep);
    sweep->folder = harness_folder();
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            strstr(entry->d_name, ".txt"))
            continue;
        assert_true(sweep->file_count < FILES_MOST);
        struct damaged_file *file = &sweep->files[sweep->file_count++];
        file->name = harness_text("%s", entry->d_name);
        file->data = harness_read(harness_text("%s/%s", folder, file->name), &file->size);
        harness_write(harness_text("%s/%s", sweep->folder, file->name), file->data, file->size);
    }
    closedir(directory);
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < sweep->file_count; i++) {
        const size_t len = strlen(sweep->files[i].name);
        const char *path = harness_text("%s/%s", sweep->folder, sweep->files[i].name);
        if (len >= shortest || quipu_probe(path, &format, &score, NULL) != QUIPU_OK)
            continue;
        shortest = len;
        sweep->opened = path;
    }
    assert_int_equal(quipu_probe(sweep->opened, &format, &score, NULL), QUIPU_OK);
    char *suffix = harness_text("%s", format->suffixes);
    suffix[strcspn(suffix, " ")] = '\0';
    sweep->output = harness_text("%s/whole%s", harness_folder(), suffix);
    return (format->abilities & QUIPU_CAN_REPAIR) != 0;
}

typedef void damage_fn(const struct damaged_file *file, size_t offset, const char *path);

static void cut_at(const struct damaged_file *file, size_t offset, const char *path) {
    replace_file(path, file->data, offset);
}

static void flip_at(const struct damaged_file *file, size_t offset, const char *path) {
    const char retained = file->data[offset];
    file->data[offset] = (char)(retained ^ (offset % 2 ? 0xff : 1 << offset / 2 % 8));
    replace_file(path, file->data, file->size);
    file->data[offset] = retained;
}

/* Damages a file at each of its bytes, of a long one at no more than so many. */
static void damage_file(const struct sweep *sweep, size_t index, damage_fn *damage, size_t most) {
    const struct damaged_file *file = &sweep->files[index];
    const char *path = harness_text("%s/%s", sweep->folder, file->name);
    const size_t stride = (file->size / most | 1) * HARNESS_EVERY;
    size_t repaired = 0;
    for (size_t offset = 0; offset < file->size; offset += stride) {
        damage(file, offset, path);
        repaired += repair_and_check(
            sweep, harness_text("%s of %s at %zu", damage == cut_at ? "cut" : "flip", file->name, offset));
    }
    assert_true(repaired > 0);
    replace_file(path, file->data, file->size);
}

static void sweep_trace(const char *folder, const char *prefix, damage_fn *damage, size_t most) {
    static struct sweep sweep;
    const bool is_repaired = load(&sweep, folder, prefix);
    for (size_t i = 0; is_repaired && i < sweep.file_count; i++)
        damage_file(&sweep, i, damage, most);
}

static void for_each_trace(damage_fn *damage) {
    const char *root = harness_data("sweep");
    DIR *directory = opendir(root);
    const struct dirent *entry;
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        const char *folder = harness_text("%s/%s", root, entry->d_name);
        struct stat status;
        if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
            continue;
        sweep_trace(folder, "", damage, SIZE_MAX);
    }
    closedir(directory);
}

static void test_repair_files_cut_at_every_byte(void **state) {
    (void)state;
    for_each_trace(cut_at);
}

static void test_repair_files_damaged_in_every_byte(void **state) {
    (void)state;
    for_each_trace(flip_at);
}

/* needs: shared */
static void test_repair_traces_of_recorders(void **state) {
    static const struct {
        const char *folder, *prefix;
    } traces[] = {{"traces/dumpi/nonblock-ompi", "dumpi-"}, {"traces/otf/hello_world", "hello_world"}};
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        sweep_trace(harness_shared(traces[i].folder), traces[i].prefix, cut_at, 256);
        sweep_trace(harness_shared(traces[i].folder), traces[i].prefix, flip_at, 256);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_repair_files_cut_at_every_byte),
            cmocka_unit_test(test_repair_files_damaged_in_every_byte),
            cmocka_unit_test(test_repair_traces_of_recorders))
