/* test_index_build.c: with an index everything is as without it, only sooner. */
#include "trace/fake.h"

#include "analysis/shared/fold.h"
#include "core/memory/pack.h"

#include <dirent.h>
#include <unistd.h>

static unsigned sample_count; /* that could be compared */

/* ---- Traces ---- */

/* Makes a trace by bench/generate; returns its path. */
static const char *generate(const char *format, const char *suffix, uint32_t events) {
    const char *name = harness_text("%s/run", harness_folder());
    const struct harness_run run =
        harness_run("%s %s %s --streams 3 --events %u", harness_built("bench/generate"), format, name, events);
    assert_int_equal(run.code, 0);
    return harness_text("%s%s", name, suffix);
}

static const char *copy_small(void) {
    const char *folder = harness_folder();
    assert_int_equal(harness_run("cp %s* %s", harness_data("otf/small."), folder).code, 0);
    return harness_text("%s/small.otf", folder);
}

static struct quipu_reader *open_with(const char *path, const char *index, uint32_t threads) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.index = index;
    options.threads = threads;
    if (quipu_reader_open(path, &options, &reader, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    return reader;
}

static enum quipu_status build_as(const char *path, const char *file, const struct quipu_index_options *options,
                                  struct quipu_index_result *result, struct quipu_error *err) {
    struct quipu_reader *reader = open_with(path, "", 1);
    const enum quipu_status status = quipu_index_build(reader, file, options, result, err);
    quipu_reader_close(reader);
    return status;
}

/* An index with as many points as there is room for; returns how many these are. */
static uint64_t build(const char *path, uint64_t count) {
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.count = count;
    options.replace = true;
    if (build_as(path, NULL, &options, &result, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    return result.points;
}

/* ---- What a reader tells ---- */

struct told {
    uint64_t hash, bytes;
};

static enum quipu_status add_text(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct told *told = context;
    const uint8_t *bytes = data;
    (void)err;
    for (size_t i = 0; i < size; i++)
        told->hash = (told->hash ^ bytes[i]) * UINT64_C(1099511628211);
    told->bytes += size;
    return QUIPU_OK;
}

/* All events of a window with their attributes, in that order. */
static struct told tell_events(struct quipu_reader *reader, int64_t from, int64_t to, enum quipu_order order) {
    struct told told = {0};
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    enum quipu_status status;
    selection.from = from;
    selection.to = to;
    selection.order = order;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    while ((status = quipu_reader_next_batch(reader, &batch, NULL)) == QUIPU_OK) {
        uint32_t cursor = 0;
        for (uint32_t i = 0; i < batch->count; i++) {
            struct quipu_event event;
            quipu__batch_event(batch, i, &cursor, &event);
            assert_int_equal(quipu_event_write_json(quipu_reader_definitions(reader), &event,
                                                    (struct quipu_sink){add_text, &told}, NULL),
                             QUIPU_OK);
        }
    }
    assert_int_equal(status, QUIPU_END);
    return told;
}

static void tell_analysis(struct told *told, const struct quipu_analysis *analysis, struct quipu_reader *reader,
                          const struct quipu_selection *selection) {
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    render.style = QUIPU_STYLE_CSV;
    options.selection = selection;
    if (quipu_analysis_run(reader, analysis->name, &options, &tables, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    assert_int_equal(quipu_table_write(quipu_tables_list(tables), quipu_tables_count(tables), &render,
                                       (struct quipu_sink){add_text, told}, NULL),
                     QUIPU_OK);
    quipu_tables_free(tables);
}

/* What all analyses answer that an index keeps. */
static struct told tell_answers(struct quipu_reader *reader, const struct quipu_selection *selection) {
    struct told told = {0};
    for (size_t i = 0; i < quipu_analysis_count(); i++)
        if (quipu__fold_at(i)->save_checkpoint || quipu__fold_at(i)->levels)
            tell_analysis(&told, quipu_analysis_at(i), reader, selection);
    return told;
}

static struct told tell_answers_until(struct quipu_reader *reader, int64_t to) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.to = to;
    return tell_answers(reader, &selection);
}

static void assert_same(struct told with, struct told without) {
    assert_true(without.bytes > 0);
    assert_int_equal(with.bytes, without.bytes);
    assert_true(with.hash == without.hash);
}

/* ---- Any time ---- */

static struct quipu_summary range_of(const char *path) {
    struct quipu_summary summary;
    struct quipu_reader *reader = open_with(path, "", 1);
    assert_int_equal(quipu_summarise(reader, NULL, &summary, NULL), QUIPU_OK);
    quipu_reader_close(reader);
    return summary;
}

/* Times all over a trace, before and behind it, and those of the points themselves and around them. */
static int64_t time_at(const struct quipu_summary *range, const struct quipu__index *index, uint32_t number,
                       uint32_t count) {
    if (number % 2 == 0 || !index || index->times.count == 0)
        return range->first - 3 + (range->last - range->first + 8) / count * number;
    return quipu__index_time(index, number * 7 % (uint32_t)index->times.count) + (int64_t)(number / 2 % 3) - 1;
}

static void compare_times(const char *path, uint32_t times) {
    const struct quipu_summary range = range_of(path);
    struct quipu_reader *with = open_with(path, NULL, 1), *three = open_with(path, NULL, 3);
    struct quipu_reader *without = open_with(path, "", 1);
    const struct quipu__index *index = quipu__reader_index(with);
    assert_non_null(index);
    assert_null(quipu__reader_index(without));
    for (uint32_t i = 0; i < times; i++) {
        const int64_t time = time_at(&range, index, i, times);
        const int64_t to = i % 5 == 0 ? INT64_MAX : time + (range.last - range.first) / 9;
        const enum quipu_order order = i % 3 == 0 ? QUIPU_ORDER_STREAM : QUIPU_ORDER_TIME;
        const struct told expected = tell_events(without, time, to, order);
        const struct told found = tell_events(with, time, to, order);
        assert_int_equal(found.bytes, expected.bytes);
        assert_true(found.hash == expected.hash);
        const struct told answers = tell_answers_until(without, time);
        assert_same(tell_answers_until(with, time), answers);
        assert_same(tell_answers_until(three, time), answers);
    }
    const struct told whole = tell_answers(without, NULL);
    assert_same(tell_answers(with, NULL), whole);
    assert_same(tell_answers(three, NULL), whole);
    assert_true(quipu_reader_bytes_read(with) == 0); /* the last point is behind everything */
    assert_int_equal(quipu_findings_total(quipu_reader_findings(with), QUIPU_INFO), 0);
    quipu_reader_close(with);
    quipu_reader_close(three);
    quipu_reader_close(without);
}

static void test_index_changes_no_answer_of_otf(void **state) {
    (void)state;
    const char *path = generate("otf", ".otf", 30000);
    assert_true(build(path, 40) >= 10);
    compare_times(path, 20);
    assert_int_equal(build(path, 5), 5);
    compare_times(path, 5);
    assert_int_equal(build(path, 1), 1);
    compare_times(path, 5);
}

static void test_index_changes_no_answer_of_dumpi(void **state) {
    (void)state;
    const char *path = generate("dumpi", ".meta", 20000);
    assert_true(build(path, 40) >= 10);
    compare_times(path, 20);
    const struct quipu_summary range = range_of(path);
    struct quipu_reader *with = open_with(path, NULL, 1), *without = open_with(path, "", 1);
    tell_events(with, range.last - (range.last - range.first) / 50, INT64_MAX, QUIPU_ORDER_TIME);
    tell_events(without, range.last - (range.last - range.first) / 50, INT64_MAX, QUIPU_ORDER_TIME);
    assert_true(quipu_reader_bytes_read(without) >= quipu_reader_bytes_total(without) * 9 / 10);
    assert_true(quipu_reader_bytes_read(with) < quipu_reader_bytes_total(with) / 4);
    quipu_reader_close(with);
    quipu_reader_close(without);
}

static void test_index_changes_no_answer_of_picl(void **state) {
    (void)state;
    const char *path = generate("picl", ".picl", 20000);
    assert_true(build(path, 40) >= 10);
    compare_times(path, 20);
}

/* Without and with regions in which clocks go back: there events are held at every place from which a pass goes on. */
static void test_index_changes_no_answer_of_ovni(void **state) {
    (void)state;
    const char *paths[2] = {generate("ovni", "", 20000), generate("ovni", "", 20000)};
    assert_int_equal(harness_run("rm -r %s", paths[1]).code, 0);
    assert_int_equal(
        harness_run("%s ovni %s --streams 3 --events 20000 --late 1", harness_built("bench/generate"), paths[1])
            .code,
        0);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(build(paths[i], 40) >= 10);
        compare_times(paths[i], 20);
    }
}

/* All variants, aliases and subsets, requests by name, statistics, processes that are not sorted, types of tasks. */
static void compare_sample(const char *path) {
    const struct quipu_index_options options = {.count = 100, .replace = true};
    struct quipu_index_result result;
    struct quipu_reader *reader;
    if (quipu_reader_open(path, NULL, &reader, NULL) != QUIPU_OK)
        return;
    const enum quipu_status status = quipu_index_build(reader, NULL, &options, &result, NULL);
    quipu_reader_close(reader);
    if (status != QUIPU_OK)
        return;
    compare_times(path, 12);
    sample_count++;
}

static void compare_samples(const char *folder, const char *inside) {
    DIR *samples = opendir(folder);
    assert_non_null(samples);
    sample_count = 0;
    for (const struct dirent *entry; (entry = readdir(samples));)
        if (entry->d_name[0] != '.')
            compare_sample(harness_text("%s/%s%s", folder, entry->d_name, inside));
    closedir(samples);
}

/* needs: shared */
static void test_index_changes_no_answer_of_samples(void **state) {
    (void)state;
    const char *folder = harness_folder();
    assert_int_equal(
        harness_run("cp -r %s %s %s/", harness_shared("traces/picl"), harness_shared("traces/ovni"), folder)
            .code,
        0);
    compare_samples(harness_text("%s/picl", folder), "");
    assert_in_range(sample_count, 15, 100);
    compare_samples(harness_text("%s/ovni", folder), "/trace");
    assert_in_range(sample_count, 15, 100);
}

static void test_index_changes_no_answer_of_a_small_trace(void **state) {
    (void)state;
    const char *path = copy_small();
    build(path, 1000);
    compare_times(path, 60);
}

/* ---- A format whose passes go on, with substreams, attributes and locations that several streams share ---- */

enum { ROWS = 9000 };
static struct quipu_event rows[2][ROWS];
static struct quipu_attribute notes[ROWS];
static struct fake_stream streams[2];
static const struct fake_trace made = {streams, 2, 3, 5, 1, 1};
static bool refuses;             /* to go on */
static _Atomic uint32_t resumed; /* by several threads */

static enum quipu_status save_row(const struct quipu__pass *pass, struct quipu__buffer *out,
                                  struct quipu_error *err) {
    (void)err;
    quipu__pack_u64(out, ((const struct fake_pass *)(const void *)pass)->row);
    return QUIPU_OK;
}

static enum quipu_status resume_row(struct quipu__pass *pass, struct quipu__slice bytes,
                                    struct quipu_error *err) {
    struct fake_pass *own = (struct fake_pass *)(void *)pass;
    own->row = (uint32_t)quipu__unpack_up_to(&bytes, ROWS);
    pass->bytes = own->row;
    resumed++;
    return refuses || bytes.failed ? quipu__fail(err, QUIPU_CORRUPT, "the fake was told to refuse") : QUIPU_OK;
}

static const struct quipu__resuming resuming = {.save = save_row, .resume = resume_row};
static struct quipu__format going_on; /* the fake format, which can */

static int make_fake(void **state) {
    going_on = fake_format;
    going_on.resuming = &resuming;
    refuses = false;
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            static const uint8_t kinds[] = {QUIPU_KIND_enter,  QUIPU_KIND_enter, QUIPU_KIND_leave,
                                            QUIPU_KIND_metric, QUIPU_KIND_send,  QUIPU_KIND_leave};
            notes[i] =
                (struct quipu_attribute){.value = {.key = QUIPU_KEY_SOURCE, .type = QUIPU_VALUE_U32, .u = i}};
            rows[s][i] =
                (struct quipu_event){.time = (int64_t)i / 3 * 10 - 500,
                                     .kind = kinds[(i / 4) % 6],
                                     .location = i % 2 == 1 ? 2 : s, /* of both streams' second substream */
                                     .object = (i / 12) % 5,
                                     .stream = i % 2,
                                     .byte_offset = i,
                                     .peer = 1 - s,
                                     .group = QUIPU_NONE,
                                     .bytes = i,
                                     .attributes = &notes[i],
                                     .attribute_count = i % 7 == 0};
            if (rows[s][i].kind == QUIPU_KIND_metric)
                rows[s][i].object = 0;
        }
        streams[s] = (struct fake_stream){rows[s], ROWS - 100 * s, 2};
    }
    const char *path = harness_text("%s/made", harness_folder());
    harness_write(path, "made", 4);
    *state = (void *)(uintptr_t)path;
    return 0;
}

static struct quipu_reader *open_fake(const char *path, const char *index, uint32_t threads) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    fake_trace = &made;
    options.index = index;
    options.threads = threads;
    assert_int_equal(quipu__reader_open(path, &going_on, &options, &reader, NULL), QUIPU_OK);
    return reader;
}

/* Returns the distance of points, which is larger than asked for when there is no room. */
static int64_t build_fake(const char *path, int64_t interval) {
    struct quipu_reader *reader = open_fake(path, NULL, 1);
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.interval = interval;
    if (quipu_index_build(reader, NULL, &options, &result, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    /* Behind the first time -500 up to the last (ROWS - 1) / 3 * 10 - 500, and the one behind it. */
    uint64_t points = (ROWS - 1) / 3 * 10 / (uint64_t)interval + 1;
    for (; points > result.points; interval *= 2)
        points = points / 2 + points % 2;
    assert_int_equal(result.points, points);
    quipu_reader_close(reader);
    return interval;
}

static void test_index_lets_passes_go_on(void **state) {
    const char *path = *state;
    const int64_t distance = build_fake(path, 777);
    struct quipu_reader *with = open_fake(path, NULL, 1), *without = open_fake(path, "", 1);
    for (int64_t time = -510; time < ROWS / 3 * 10 - 490; time += 1371)
        for (int order = QUIPU_ORDER_STREAM; order <= QUIPU_ORDER_TIME; order++) {
            const struct told expected = tell_events(without, time, INT64_MAX, (enum quipu_order)order);
            const uint64_t all = quipu_reader_bytes_read(without);
            const struct told found = tell_events(with, time, INT64_MAX, (enum quipu_order)order);
            assert_int_equal(found.bytes, expected.bytes);
            assert_true(found.hash == expected.hash);
            /* A point and a batch before the time at most, in each stream. */
            const int64_t left = (ROWS / 3 * 10 - 500 - time) * 3 / 10 * 2;
            assert_int_equal(all, 2 * ROWS - 100);
            assert_true((int64_t)quipu_reader_bytes_read(with) <= left + 2 * (distance * 3 / 10 + 8192 + 8));
        }
    assert_true(resumed > 80);
    quipu_reader_close(with);
    quipu_reader_close(without);
}

static void test_index_ends_at_the_end_of_the_selection(void **state) {
    const char *path = *state;
    build_fake(path, 500);
    struct quipu_reader *with = open_fake(path, NULL, 1), *without = open_fake(path, "", 1);
    assert_same(tell_events(with, INT64_MIN, 3000, QUIPU_ORDER_TIME),
                tell_events(without, INT64_MIN, 3000, QUIPU_ORDER_TIME));
    assert_true(quipu_reader_bytes_read(with) < quipu_reader_bytes_read(without));
    quipu_reader_close(with);
    quipu_reader_close(without);
}

static void test_index_keeps_answers_of_substreams_and_shared_locations(void **state) {
    const char *path = *state;
    build_fake(path, 777);
    struct quipu_reader *without = open_fake(path, "", 1);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct quipu_reader *with = open_fake(path, NULL, threads);
        for (int64_t time = -510; time < ROWS / 3 * 10 - 490; time += 1371)
            assert_same(tell_answers_until(with, time), tell_answers_until(without, time));
        assert_same(tell_answers(with, NULL), tell_answers(without, NULL));
        assert_int_equal(quipu_findings_total(quipu_reader_findings(with), QUIPU_INFO), 0);
        quipu_reader_close(with);
    }
    quipu_reader_close(without);
}

static void test_index_serves_other_selections_as_well(void **state) {
    const char *path = *state;
    static const uint32_t location = 2;
    build_fake(path, 777);
    struct quipu_reader *with = open_fake(path, NULL, 1), *without = open_fake(path, "", 1);
    for (unsigned i = 0; i < 4; i++) {
        struct quipu_selection selection = QUIPU_SELECTION_INIT;
        selection.from = i == 0 ? 1500 : INT64_MIN;
        selection.to = i < 2 ? 20000 : INT64_MAX;
        selection.locations = i == 1 || i == 2 ? &location : NULL;
        selection.location_count = selection.locations != NULL;
        selection.kinds = i == 3 ? QUIPU_KIND_BIT(QUIPU_KIND_send) : QUIPU_ALL_KINDS;
        assert_same(tell_answers(with, &selection), tell_answers(without, &selection));
    }
    quipu_reader_close(with);
    quipu_reader_close(without);
}

static void test_index_that_a_format_refuses_is_not_used(void **state) {
    const char *path = *state;
    build_fake(path, 777);
    struct quipu_reader *with = open_fake(path, NULL, 1), *without = open_fake(path, "", 1);
    refuses = true;
    assert_same(tell_events(with, 9000, INT64_MAX, QUIPU_ORDER_TIME),
                tell_events(without, 9000, INT64_MAX, QUIPU_ORDER_TIME));
    assert_int_equal(quipu_findings_total(quipu_reader_findings(with), QUIPU_INFO), 4); /* substreams */
    assert_int_equal(quipu_findings_total(quipu_reader_findings(without), QUIPU_INFO), 0);
    quipu_reader_close(with);
    quipu_reader_close(without);
}

/* ---- Damage ---- */

/* Whatever is wrong with the file, answers are those without it, and it is a finding that does not count as damage. */
static void assert_not_used(const char *path, struct told events, struct told answers, const char *rule) {
    struct quipu_reader *reader = open_with(path, NULL, 1);
    for (int pass = 0; pass < 2; pass++) {
        assert_same(tell_events(reader, 10, INT64_MAX, QUIPU_ORDER_TIME), events);
        assert_same(tell_answers(reader, NULL), answers);
        const struct quipu_findings *findings = quipu_reader_findings(reader);
        assert_int_equal(quipu_findings_total(findings, QUIPU_INFO), 1);
        assert_string_equal(quipu_findings_at(findings, 0)->rule->id, rule);
        assert_true(strstr(quipu_findings_at(findings, 0)->file, ".qpx") != NULL);
    }
    quipu_reader_close(reader);
}

static void test_index_that_is_damaged_is_a_finding_and_no_more(void **state) {
    (void)state;
    const char *path = copy_small(), *file = harness_text("%s.qpx", path);
    struct quipu_reader *without = open_with(path, "", 1);
    const struct told events = tell_events(without, 10, INT64_MAX, QUIPU_ORDER_TIME);
    const struct told answers = tell_answers(without, NULL);
    size_t size;
    build(path, 4);
    char *bytes = harness_read(file, &size);
    for (size_t i = 0; i < size; i += i < 60 ? 1 : 5) { /* index/test_index tries them all */
        bytes[i] ^= 1;
        remove(file);
        harness_write(file, bytes, size);
        assert_not_used(path, events, answers, i < 8 ? "index.foreign" : "index.damaged");
        bytes[i] ^= 1;
        remove(file);
        harness_write(file, bytes, i);
        assert_not_used(path, events, answers, "index.damaged");
    }
    quipu_reader_close(without);
}

static void test_index_of_a_changed_trace_is_not_used(void **state) {
    (void)state;
    const char *path = copy_small();
    build(path, 4);
    assert_int_equal(harness_run("cd $(dirname %s) && printf '40\\n*3\\nE1\\n' >>small.2.events", path).code,
                     0);
    struct quipu_reader *without = open_with(path, "", 1);
    assert_not_used(path, tell_events(without, 10, INT64_MAX, QUIPU_ORDER_TIME), tell_answers(without, NULL),
                    "index.changed");
    quipu_reader_close(without);
    build(path, 4); /* one that is out of date may be replaced */
    compare_times(path, 10);
}

static void test_index_that_is_named_must_be_there(void **state) {
    (void)state;
    const char *path = copy_small();
    struct quipu_reader *reader = open_with(path, "nowhere.qpx", 1);
    tell_answers(reader, NULL);
    assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_INFO), 1);
    quipu_reader_close(reader);
    reader = open_with(path, NULL, 1);
    tell_answers(reader, NULL);
    assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_INFO), 0);
    quipu_reader_close(reader);
}

/* ---- Limits and refusals ---- */

static void test_index_takes_three_percent_at_most(void **state) {
    (void)state;
    const char *path = generate("otf", ".otf", 200000);
    struct quipu_reader *reader = open_with(path, "", 1);
    const uint64_t total = quipu_reader_bytes_total(reader);
    quipu_reader_close(reader);
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    options.interval = 1;
    assert_int_equal(build_as(path, NULL, &options, &result, NULL), QUIPU_OK);
    assert_in_range(result.bytes, total / 100, total * 3 / 100);
    assert_true(result.points > 10);
    compare_times(path, 4);
}

static void assert_refused(const char *path, enum quipu_status expected, const char *message) {
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(build_as(path, NULL, &options, &result, &err), expected);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    assert_int_equal(result.points, 0);
}

static void test_index_of_an_unsound_trace_is_refused(void **state) {
    (void)state;
    const char *path = copy_small(), *file = harness_text("%s.qpx", path);
    assert_int_equal(harness_run("cd $(dirname %s) && printf '20\\n*3\\nS!\\n' >>small.2.events", path).code,
                     0);
    assert_refused(path, QUIPU_CORRUPT, "the trace is damaged");
    path = copy_small();
    assert_int_equal(harness_run("cd $(dirname %s) && printf '0\\n*3\\nE1\\n' >>small.2.events", path).code, 0);
    assert_refused(path, QUIPU_CORRUPT, "times go back");
    assert_false(harness_exists(file));
}

static void test_index_does_not_replace_what_is_in_use(void **state) {
    (void)state;
    const char *path = copy_small(), *file = harness_text("%s.qpx", path);
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    harness_write(file, "my notes", 8);
    assert_refused(path, QUIPU_EXISTS, "already exists");
    options.replace = true;
    assert_int_equal(build_as(path, NULL, &options, &result, NULL), QUIPU_OK);
    assert_refused(path, QUIPU_EXISTS, "already exists");
    size_t size;
    char *bytes = harness_read(file, &size);
    bytes[size - 1] ^= 1;
    harness_write(file, bytes, size);
    build(path, 3); /* a damaged one may go */
    assert_int_equal(build_as(path, harness_text("%s/other", harness_folder()), &options, &result, NULL),
                     QUIPU_OK);
}

static void test_index_on_a_full_disk_leaves_nothing(void **state) {
    (void)state;
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(build_as(copy_small(), "/dev/full", &options, &result, &err), QUIPU_OUTPUT);
    assert_string_equal(err.path, "/dev/full");
}

/* ---- Memory ---- */

/* Threads ask it at once. */
struct scarce {
    _Atomic uint64_t requests;
    uint64_t fail_at;
    _Atomic int64_t live;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct scarce *scarce = context;
    if (size > 0 && scarce->requests++ == scarce->fail_at)
        return NULL;
    scarce->live += (int64_t)size - (int64_t)old_size;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static enum quipu_status use_scarce(const char *path, bool builds, uint32_t threads, struct scarce *scarce) {
    struct quipu_reader_options index_options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_index_options options = QUIPU_INDEX_OPTIONS_INIT;
    struct quipu_index_result result;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_reader *reader;
    struct quipu_analysis_options analysis_options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_tables *tables = NULL;
    index_options.allocator = (struct quipu_allocator){resize, scarce};
    index_options.threads = threads;
    options.replace = true;
    options.count = 4;
    selection.to = 30;
    analysis_options.selection = &selection;
    enum quipu_status status = quipu_reader_open(path, &index_options, &reader, NULL);
    if (status == QUIPU_OK && builds)
        status = quipu_index_build(reader, NULL, &options, &result, NULL);
    else if (status == QUIPU_OK)
        status = quipu_analysis_run(reader, "profile", &analysis_options, &tables, NULL);
    quipu_tables_free(tables);
    quipu_reader_close(reader);
    assert_int_equal(scarce->live, 0);
    return status;
}

static void test_index_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    const char *path = copy_small();
    for (unsigned what = 0; what < 3; what++) {
        struct scarce scarce;
        uint64_t failed = 0, n = 0;
        do {
            scarce.requests = 0;
            scarce.live = 0;
            scarce.fail_at = n++;
            failed += use_scarce(path, what == 0, what, &scarce) != QUIPU_OK;
        } while (scarce.requests > scarce.fail_at);
        assert_true(failed > 10);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_index_changes_no_answer_of_otf),
            cmocka_unit_test(test_index_changes_no_answer_of_dumpi),
            cmocka_unit_test(test_index_changes_no_answer_of_picl),
            cmocka_unit_test(test_index_changes_no_answer_of_ovni),
            cmocka_unit_test(test_index_changes_no_answer_of_samples),
            cmocka_unit_test(test_index_changes_no_answer_of_a_small_trace),
            cmocka_unit_test_setup(test_index_lets_passes_go_on, make_fake),
            cmocka_unit_test_setup(test_index_ends_at_the_end_of_the_selection, make_fake),
            cmocka_unit_test_setup(test_index_keeps_answers_of_substreams_and_shared_locations, make_fake),
            cmocka_unit_test_setup(test_index_serves_other_selections_as_well, make_fake),
            cmocka_unit_test_setup(test_index_that_a_format_refuses_is_not_used, make_fake),
            cmocka_unit_test(test_index_that_is_damaged_is_a_finding_and_no_more),
            cmocka_unit_test(test_index_of_a_changed_trace_is_not_used),
            cmocka_unit_test(test_index_that_is_named_must_be_there),
            cmocka_unit_test(test_index_takes_three_percent_at_most),
            cmocka_unit_test(test_index_of_an_unsound_trace_is_refused),
            cmocka_unit_test(test_index_does_not_replace_what_is_in_use),
            cmocka_unit_test(test_index_on_a_full_disk_leaves_nothing),
            cmocka_unit_test(test_index_survives_the_failure_of_any_allocation))
