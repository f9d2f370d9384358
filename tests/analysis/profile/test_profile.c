/* The profile on batches made by hand, with values that can be added up on paper. One tick is 10 ns. */
#include "harness.h"

#include "analysis/shared/fold.h"
#include "model/batch.h"
#include "model/define.h"

#define MAIN 0
#define SOLVE 1
#define SEND 2

struct fixture {
    struct quipu__memory memory;
    struct quipu__define define;
    struct quipu__batch *batch;
    const struct quipu__fold *fold;
    struct quipu_tables *tables; /* of the latest answer */
};

static int set_up(void **state) {
    static struct fixture fixture;
    quipu__memory_init(&fixture.memory, NULL, 0);
    assert_int_equal(quipu__define_init(&fixture.define, &fixture.memory, NULL), QUIPU_OK);
    fixture.define.definitions.clock.ticks_per_second = 100000000;
    for (uint64_t i = 0; i < 2; i++) {
        const struct quipu_location location = {
            .native_id = i + 1, .name = i ? "rank 1" : "rank 0", .host = ""};
        assert_int_equal(quipu__add_location(&fixture.define, &location), i);
    }
    static const char *const names[] = {"main", "solve", "MPI_Send"};
    for (uint64_t i = 0; i < 3; i++) {
        const struct quipu_region region = {.native_id = 100 + i, .name = names[i], .group = ""};
        assert_int_equal(quipu__add_region(&fixture.define, &region), i);
    }
    assert_int_equal(quipu__batch_new(&fixture.memory, 64, &fixture.batch, NULL), QUIPU_OK);
    fixture.fold = quipu__fold_find("profile");
    fixture.tables = NULL;
    assert_non_null(fixture.fold);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    quipu_tables_free(fixture->tables);
    quipu__batch_free(fixture->batch);
    quipu__define_release(&fixture->define);
    return 0;
}

/* ---- Making events ---- */

static uint32_t add(struct fixture *fixture, int64_t time, enum quipu_kind kind, uint32_t location) {
    return quipu__batch_add(&fixture->batch->batch, time, kind, location, 0);
}

static void enter(struct fixture *fixture, int64_t time, uint32_t location, uint32_t region) {
    fixture->batch->batch.object[add(fixture, time, QUIPU_KIND_enter, location)] = region;
}

static void leave(struct fixture *fixture, int64_t time, uint32_t location, uint32_t region) {
    fixture->batch->batch.object[add(fixture, time, QUIPU_KIND_leave, location)] = region;
}

static void message(struct fixture *fixture, int64_t time, enum quipu_kind kind, uint32_t location,
                    uint64_t bytes) {
    fixture->batch->batch.bytes[add(fixture, time, kind, location)] = bytes;
}

static void collective(struct fixture *fixture, int64_t time, uint32_t location, uint64_t sent,
                       uint64_t received) {
    const uint32_t i = add(fixture, time, QUIPU_KIND_collective_begin, location);
    fixture->batch->batch.bytes[i] = sent;
    fixture->batch->batch.value[i] = received;
}

/* ---- Running ---- */

static enum quipu_status begin_with(const struct fixture *fixture, const struct quipu_setting *settings,
                                    size_t count, const char *sort, void **state, struct quipu_error *err) {
    struct quipu__fold_start start = {.definitions = &fixture->define.definitions, .sort = sort};
    assert_int_equal(quipu__fold_settings(fixture->fold, settings, count, &start.settings, err), QUIPU_OK);
    return fixture->fold->begin(&start, state, err);
}

static void *begin(const struct fixture *fixture, const char *by) {
    const struct quipu_setting setting = {"by", by};
    void *state;
    assert_int_equal(begin_with(fixture, &setting, by ? 1 : 0, NULL, &state, NULL), QUIPU_OK);
    return state;
}

static void consume(struct fixture *fixture, void *state) {
    assert_int_equal(fixture->fold->consume(state, &fixture->batch->batch, NULL), QUIPU_OK);
    quipu__batch_clear(fixture->batch);
}

/* The one table of the answer, which the fixture keeps. */
static struct quipu_table *finish(struct fixture *fixture, void *state) {
    quipu_tables_free(fixture->tables);
    assert_int_equal(quipu__tables_new(NULL, &fixture->tables, NULL), QUIPU_OK);
    assert_int_equal(fixture->fold->finish(state, fixture->tables, NULL), QUIPU_OK);
    assert_int_equal(quipu_tables_count(fixture->tables), 1);
    fixture->fold->release(state);
    return quipu_tables_at(fixture->tables, 0);
}

static struct quipu_table *profile(struct fixture *fixture, const char *setting) {
    void *state = begin(fixture, setting);
    consume(fixture, state);
    return finish(fixture, state);
}

/* With two settings at most, the second one may be NULL. */
static struct quipu_table *profile_as(struct fixture *fixture, const char *name, const char *value,
                                      const char *second, const char *second_value, const char *sort) {
    const struct quipu_setting settings[] = {{name, value}, {second, second_value}};
    void *state;
    assert_int_equal(begin_with(fixture, settings, second ? 2 : 1, sort, &state, NULL), QUIPU_OK);
    consume(fixture, state);
    return finish(fixture, state);
}

/* ---- Asking ---- */

static const struct quipu_cell *cell(const struct quipu_table *table, size_t row, const char *column) {
    for (size_t i = 0; i < quipu_table_column_count(table); i++)
        if (strcmp(quipu_table_column_at(table, i)->name, column) == 0)
            return quipu_table_at(table, row, i);
    fail_msg("no column %s", column);
    return NULL;
}

static void assert_value(const struct quipu_table *table, size_t row, const char *column, int64_t value) {
    if (cell(table, row, column)->i != value)
        fail_msg("row %zu %s: want %lld got %lld", row, column, (long long)value,
                 (long long)cell(table, row, column)->i);
}

/* calls, inclusive, exclusive in ticks. */
static void assert_row(const struct quipu_table *table, size_t row, const char *region, int64_t calls,
                       int64_t inclusive, int64_t exclusive) {
    assert_string_equal(cell(table, row, "region")->text, region);
    assert_value(table, row, "calls", calls);
    assert_value(table, row, "inclusive_ns", inclusive * 10);
    assert_value(table, row, "exclusive_ns", exclusive * 10);
}

/* ---- Tests ---- */

static void test_profile_adds_nested_times(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, MAIN);
    enter(fixture, 10, 0, SOLVE);
    enter(fixture, 20, 0, SEND);
    leave(fixture, 50, 0, SEND);
    leave(fixture, 60, 0, SOLVE);
    enter(fixture, 70, 0, SEND);
    leave(fixture, 75, 0, SEND);
    leave(fixture, 100, 0, MAIN);
    struct quipu_table *table = profile(fixture, NULL);
    assert_int_equal(quipu_table_row_count(table), 3);
    assert_row(table, 0, "main", 1, 100, 100 - 50 - 5);
    assert_row(table, 1, "solve", 1, 50, 50 - 30);
    assert_row(table, 2, "MPI_Send", 2, 35, 35);
    assert_string_equal(cell(table, 0, "location")->text, "rank 0");
    assert_value(table, 0, "location_id", 1);
    assert_value(table, 2, "region_id", 102);
    assert_value(table, 0, "unfinished", 0);
}

static void test_profile_counts_recursion_once(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, SOLVE);
    enter(fixture, 10, 0, SOLVE);
    enter(fixture, 20, 0, SOLVE);
    leave(fixture, 30, 0, SOLVE);
    leave(fixture, 50, 0, SOLVE);
    leave(fixture, 100, 0, SOLVE);
    struct quipu_table *table = profile(fixture, NULL);
    assert_int_equal(quipu_table_row_count(table), 1);
    assert_row(table, 0, "solve", 3, 100, 100);
}

static void test_profile_gives_traffic_to_the_innermost_call(void **state) {
    struct fixture *fixture = *state;
    message(fixture, 0, QUIPU_KIND_recv, 0, 7);
    enter(fixture, 1, 0, MAIN);
    enter(fixture, 2, 0, SEND);
    message(fixture, 3, QUIPU_KIND_send, 0, 1000);
    message(fixture, 4, QUIPU_KIND_send, 0, QUIPU_UNKNOWN);
    leave(fixture, 5, 0, SEND);
    collective(fixture, 6, 0, 16, 64);
    leave(fixture, 7, 0, MAIN);
    struct quipu_table *table = profile(fixture, NULL);
    assert_int_equal(quipu_table_row_count(table), 3);
    assert_value(table, 0, "collectives", 1);
    assert_value(table, 0, "collective_bytes_sent", 16);
    assert_value(table, 0, "collective_bytes_received", 64);
    assert_value(table, 1, "messages_sent", 2);
    assert_value(table, 1, "bytes_sent", 1000);
    assert_true(cell(table, 2, "region")->is_null);
    assert_true(cell(table, 2, "region_id")->is_null);
    assert_value(table, 2, "calls", 0);
    assert_value(table, 2, "messages_received", 1);
    assert_value(table, 2, "bytes_received", 7);
}

static void test_profile_closes_open_calls_at_the_last_event(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, MAIN);
    enter(fixture, 10, 0, SEND);
    message(fixture, 40, QUIPU_KIND_send, 0, 1);
    struct quipu_table *table = profile(fixture, NULL);
    assert_row(table, 0, "main", 1, 40, 10);
    assert_row(table, 1, "MPI_Send", 1, 30, 30);
    assert_value(table, 0, "unfinished", 1);
    assert_value(table, 1, "unfinished", 1);
}

static void test_profile_counts_leaves_without_enter(void **state) {
    struct fixture *fixture = *state;
    leave(fixture, 1, 0, SOLVE);
    leave(fixture, 2, 0, QUIPU_NONE);
    enter(fixture, 5, 0, MAIN);
    leave(fixture, 7, 0, SOLVE);
    leave(fixture, 8, 0, QUIPU_NONE);
    struct quipu_table *table = profile(fixture, NULL);
    assert_int_equal(quipu_table_row_count(table), 3);
    assert_row(table, 0, "main", 1, 3, 3);
    assert_row(table, 1, "solve", 0, 0, 0);
    assert_value(table, 1, "unmatched", 2);
    assert_true(cell(table, 2, "region")->is_null);
    assert_value(table, 2, "unmatched", 1);
}

static void test_profile_leave_of_an_outer_call_closes_the_inner_ones(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, MAIN);
    enter(fixture, 10, 0, SOLVE);
    enter(fixture, 20, 0, SEND);
    leave(fixture, 30, 0, MAIN);
    enter(fixture, 40, 0, SEND);
    leave(fixture, 45, 0, SEND);
    struct quipu_table *table = profile(fixture, NULL);
    assert_row(table, 0, "main", 1, 30, 10);
    assert_row(table, 1, "solve", 1, 20, 10);
    assert_row(table, 2, "MPI_Send", 2, 15, 15);
}

static void test_profile_of_times_at_the_ends_of_their_range(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, INT64_MIN, 0, MAIN);
    leave(fixture, INT64_MAX, 0, MAIN);
    enter(fixture, 5, 0, SOLVE);
    leave(fixture, 3, 0, SOLVE); /* time goes back */
    struct quipu_table *table = profile(fixture, NULL);
    assert_row(table, 0, "main", 1, -1, -1); /* wraps, and does not trap */
    assert_row(table, 1, "solve", 1, -2, -2);
}

static void test_profile_by_region_adds_locations_up(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 1, SEND);
    leave(fixture, 10, 1, SEND);
    enter(fixture, 0, 0, SEND);
    message(fixture, 1, QUIPU_KIND_send, 0, 5);
    leave(fixture, 1, 0, SEND);
    enter(fixture, 5, 0, MAIN);
    leave(fixture, 6, 0, MAIN);
    struct quipu_table *table = profile(fixture, "region");
    assert_int_equal(quipu_table_row_count(table), 2);
    assert_row(table, 0, "main", 1, 1, 1);
    assert_row(table, 1, "MPI_Send", 2, 11, 11);
    assert_value(table, 0, "locations", 1);
    assert_value(table, 1, "locations", 2);
    assert_value(table, 1, "bytes_sent", 5);
}

static void fill_location(struct fixture *fixture, uint32_t location) {
    enter(fixture, 0, location, MAIN);
    enter(fixture, 10 + location, location, SEND);
    message(fixture, 20, QUIPU_KIND_send, location, 100);
    leave(fixture, 30, location, SEND);
}

static const char *as_json(struct quipu_table *table) {
    const char *path = harness_text("%s/table.json", harness_folder());
    struct quipu_output *output;
    const struct quipu_table *const tables[] = {table};
    struct quipu_render_options options = QUIPU_RENDER_OPTIONS_INIT;
    options.style = QUIPU_STYLE_JSON;
    assert_int_equal(quipu_output_open(path, true, NULL, &output, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_write(tables, 1, &options, quipu_output_sink(output), NULL), QUIPU_OK);
    assert_int_equal(quipu_output_close(output, NULL), QUIPU_OK);
    return harness_read(path, NULL);
}

static void test_profile_combined_parts_give_the_whole(void **state) {
    struct fixture *fixture = *state;
    fill_location(fixture, 0);
    fill_location(fixture, 1);
    const char *whole = as_json(profile(fixture, NULL));

    void *first = begin(fixture, NULL), *second = begin(fixture, NULL);
    fill_location(fixture, 1);
    consume(fixture, first);
    fill_location(fixture, 0);
    consume(fixture, second);
    assert_int_equal(fixture->fold->combine(first, second, NULL), QUIPU_OK);
    fixture->fold->release(second);
    assert_string_equal(as_json(finish(fixture, first)), whole);
}

/* ---- Durations, paths, phases ---- */

static void test_profile_knows_the_shortest_and_longest_call(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, MAIN);
    for (int64_t i = 1; i <= 3; i++) { /* of 5, 10 and 15 ticks */
        enter(fixture, 100 * i, 0, SEND);
        leave(fixture, 100 * i + 5 * i, 0, SEND);
    }
    enter(fixture, 400, 0, SOLVE); /* is not left */
    message(fixture, 407, QUIPU_KIND_send, 0, 1);
    leave(fixture, 500, 1, SOLVE); /* was not entered */
    struct quipu_table *table = profile(fixture, NULL);
    assert_value(table, 0, "min_ns", 4070);
    assert_value(table, 0, "max_ns", 4070);
    assert_value(table, 1, "min_ns", 70);
    assert_value(table, 2, "min_ns", 50);
    assert_value(table, 2, "mean_ns", 100);
    assert_value(table, 2, "max_ns", 150);
    assert_true(cell(table, 3, "min_ns")->is_null);
    assert_true(cell(table, 3, "max_ns")->is_null);
}

static void test_profile_counts_each_of_recursive_calls_as_long_as_it_is(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, SOLVE);
    enter(fixture, 10, 0, SOLVE);
    leave(fixture, 30, 0, SOLVE);
    leave(fixture, 100, 0, SOLVE);
    struct quipu_table *table = profile(fixture, "region");
    assert_value(table, 0, "min_ns", 200);
    assert_value(table, 0, "max_ns", 1000);
}

/* main: 0 to 100, in it solve 10 to 60, in that MPI_Send 20 to 50 and solve 52 to 58; MPI_Send 70 to 75. */
static void fill_paths(struct fixture *fixture, uint32_t location) {
    enter(fixture, 0, location, MAIN);
    enter(fixture, 10, location, SOLVE);
    enter(fixture, 20, location, SEND);
    message(fixture, 30, QUIPU_KIND_send, location, 100);
    leave(fixture, 50, location, SEND);
    enter(fixture, 52, location, SOLVE);
    leave(fixture, 58, location, SOLVE);
    leave(fixture, 60, location, SOLVE);
    enter(fixture, 70, location, SEND);
    leave(fixture, 75, location, SEND);
    leave(fixture, 100, location, MAIN);
}

static void assert_path(const struct quipu_table *table, size_t row, const char *column, const char *text,
                        int64_t calls, int64_t inclusive, int64_t exclusive) {
    assert_string_equal(cell(table, row, column)->text, text);
    assert_value(table, row, "calls", calls);
    assert_value(table, row, "inclusive_ns", inclusive * 10);
    assert_value(table, row, "exclusive_ns", exclusive * 10);
}

static void test_profile_by_path_tells_callers_apart(void **state) {
    struct fixture *fixture = *state;
    fill_paths(fixture, 0);
    fill_paths(fixture, 1);
    struct quipu_table *table = profile(fixture, "path");
    assert_int_equal(quipu_table_row_count(table), 5);
    assert_path(table, 0, "path", "main", 2, 200, 2 * (100 - 50 - 5));
    assert_path(table, 1, "path", "main > solve", 2, 100, 2 * (50 - 30 - 6));
    assert_path(table, 2, "path", "main > solve > solve", 2, 12, 12);
    assert_path(table, 3, "path", "main > solve > MPI_Send", 2, 60, 60);
    assert_path(table, 4, "path", "main > MPI_Send", 2, 10, 10);
    assert_value(table, 3, "bytes_sent", 200);
    assert_value(table, 3, "locations", 2);
    assert_value(table, 3, "depth", 2);
    assert_string_equal(cell(table, 3, "innermost")->text, "MPI_Send");
    assert_true(cell(table, 3, "imbalance")->f == 1);
    assert_true(cell(table, 1, "inclusive_percent")->f == 50);
    assert_true(cell(table, 1, "share_percent")->f == 14);
}

static void test_profile_tree_puts_calls_below_their_caller(void **state) {
    struct fixture *fixture = *state;
    fill_paths(fixture, 0);
    struct quipu_table *table = profile_as(fixture, "tree", "yes", NULL, NULL, NULL);
    assert_int_equal(quipu_table_row_count(table), 5);
    assert_path(table, 0, "tree", "main", 1, 100, 45);
    assert_path(table, 1, "tree", "  solve", 1, 50, 14);
    assert_path(table, 2, "tree", "    MPI_Send", 1, 30, 30);
    assert_path(table, 3, "tree", "    solve", 1, 6, 6);
    assert_path(table, 4, "tree", "  MPI_Send", 1, 5, 5);

    fill_paths(fixture, 0);
    table = profile_as(fixture, "tree", "yes", NULL, NULL, "tree"); /* by name */
    assert_path(table, 1, "tree", "  MPI_Send", 1, 5, 5);
    assert_path(table, 2, "tree", "  solve", 1, 50, 14);
}

static void test_profile_top_of_a_tree_has_the_callers_too(void **state) {
    struct fixture *fixture = *state;
    fill_paths(fixture, 0);
    struct quipu_table *table = profile_as(fixture, "tree", "yes", "top", "1", "bytes_sent");
    assert_int_equal(quipu_table_row_count(table), 3);
    assert_path(table, 2, "tree", "    MPI_Send", 1, 30, 30);

    fill_paths(fixture, 0);
    table = profile_as(fixture, "by", "path", "top", "2", NULL);
    assert_int_equal(quipu_table_row_count(table), 2);
    assert_path(table, 0, "path", "main", 1, 100, 45);
    assert_path(table, 1, "path", "main > solve > MPI_Send", 1, 30, 30);
}

static void test_profile_within_a_region_counts_nothing_else(void **state) {
    struct fixture *fixture = *state;
    fill_paths(fixture, 0);
    struct quipu_table *table = profile_as(fixture, "within", "s?lve", NULL, NULL, NULL);
    assert_int_equal(quipu_table_row_count(table), 2);
    assert_row(table, 0, "solve", 2, 50, 20); /* the inner call is part of the outer one */
    assert_row(table, 1, "MPI_Send", 1, 30, 30);

    fill_paths(fixture, 0);
    table = profile_as(fixture, "within", "solve", "by", "path", NULL); /* paths begin there */
    assert_path(table, 0, "path", "solve", 1, 50, 14);
    assert_path(table, 1, "path", "solve > solve", 1, 6, 6);
}

static void test_profile_within_a_region_that_is_closed_from_outside(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, 0, MAIN);
    enter(fixture, 10, 0, SOLVE);
    leave(fixture, 30, 0, MAIN);
    enter(fixture, 40, 0, SEND);
    leave(fixture, 45, 0, SEND);
    leave(fixture, 50, 0, SOLVE);
    struct quipu_table *table = profile_as(fixture, "within", "solve", NULL, NULL, NULL);
    assert_int_equal(quipu_table_row_count(table), 1);
    assert_row(table, 0, "solve", 1, 20, 20);
    assert_value(table, 0, "unmatched", 0);
}

/* solve 0 to 100; markers "a" at 20 and "b" at 60; MPI_Send 30 to 40 and 70 to 75. */
static void fill_phases(struct fixture *fixture) {
    enter(fixture, 0, 0, SOLVE);
    fixture->batch->batch.object[add(fixture, 20, QUIPU_KIND_marker, 0)] = 0;
    enter(fixture, 30, 0, SEND);
    leave(fixture, 40, 0, SEND);
    fixture->batch->batch.object[add(fixture, 60, QUIPU_KIND_marker, 0)] = 1;
    enter(fixture, 70, 0, SEND);
    leave(fixture, 75, 0, SEND);
    leave(fixture, 100, 0, SOLVE);
}

static void define_markers(struct fixture *fixture) {
    static const char *const names[] = {"a", "b"};
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(
            quipu__add_marker(&fixture->define, &(struct quipu_marker){.native_id = i, .name = names[i]}), i);
}

static void test_profile_by_phase_divides_calls_at_annotations(void **state) {
    struct fixture *fixture = *state;
    define_markers(fixture);
    fill_phases(fixture);
    struct quipu_table *table = profile(fixture, "phase");
    assert_int_equal(quipu_table_row_count(table), 4);
    assert_row(table, 0, "solve", 0, 40, 30); /* was entered before */
    assert_row(table, 1, "MPI_Send", 1, 10, 10);
    assert_row(table, 2, "solve", 0, 40, 35);
    assert_row(table, 3, "MPI_Send", 1, 5, 5);
    assert_value(table, 1, "phase", 1);
    assert_value(table, 3, "phase", 2);
    assert_string_equal(cell(table, 1, "annotation")->text, "a");
    assert_string_equal(cell(table, 3, "annotation")->text, "b");
}

static void test_profile_between_annotations_counts_nothing_else(void **state) {
    struct fixture *fixture = *state;
    define_markers(fixture);
    fill_phases(fixture);
    struct quipu_table *table = profile_as(fixture, "begin", "a", "end", "b", NULL);
    assert_int_equal(quipu_table_row_count(table), 2);
    assert_row(table, 0, "solve", 0, 40, 30);
    assert_row(table, 1, "MPI_Send", 1, 10, 10);
}

static void test_profile_of_paths_combined_gives_the_whole(void **state) {
    struct fixture *fixture = *state;
    static const struct quipu_setting settings[] = {{"by", "path"}, {"tree", "yes"}, {"within", "solve"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        void *first, *second;
        enter(fixture, -5, 1, SEND);
        leave(fixture, -2, 1, SEND);
        fill_paths(fixture, 0);
        fill_paths(fixture, 1);
        const char *whole = as_json(profile_as(fixture, settings[i].name, settings[i].value, NULL, NULL, NULL));
        assert_int_equal(begin_with(fixture, &settings[i], 1, NULL, &first, NULL), QUIPU_OK);
        assert_int_equal(begin_with(fixture, &settings[i], 1, NULL, &second, NULL), QUIPU_OK);
        enter(fixture, -5, 1, SEND); /* so that paths have other numbers there */
        leave(fixture, -2, 1, SEND);
        fill_paths(fixture, 1);
        consume(fixture, first);
        fill_paths(fixture, 0);
        consume(fixture, second);
        assert_int_equal(fixture->fold->combine(second, first, NULL), QUIPU_OK);
        fixture->fold->release(first);
        assert_string_equal(as_json(finish(fixture, second)), whole);
    }
}

/* ---- Refusals ---- */

static void assert_refused(const struct fixture *fixture, const char *name, const char *value,
                           const char *second, const char *second_value, const char *message) {
    const struct quipu_setting settings[] = {{name, value}, {second, second_value}};
    struct quipu_error err = QUIPU_ERROR_INIT;
    void *state = NULL;
    assert_int_equal(begin_with(fixture, settings, second ? 2 : 1, NULL, &state, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, message);
    fixture->fold->release(state);
}

static void test_profile_refuses_what_does_not_go_together(void **state) {
    const struct fixture *fixture = *state;
    assert_refused(fixture, "tree", "yes", "by", "host",
                   "a tree is of paths: --tree does not go with --by host");
    assert_refused(fixture, "end", "x", NULL, NULL, "--end needs --begin, which names what it ends");
    assert_refused(fixture, "within", "nowhere", NULL, NULL, "the trace has no region \"nowhere\"");
    assert_refused(fixture, "begin", "solve", NULL, NULL, "the trace has no annotation \"solve\"");
}

static void test_profile_refuses_an_unknown_grouping(void **state) {
    struct fixture *fixture = *state;
    const struct quipu_setting setting = {"by", "moon"};
    struct quipu__settings settings;
    struct quipu_error err = QUIPU_ERROR_INIT;
    assert_int_equal(quipu__fold_settings(fixture->fold, &setting, 1, &settings, &err), QUIPU_MISUSE);
    assert_non_null(strstr(err.message, "moon"));
}

#define PROFILE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
QUIPU_TESTS(PROFILE_TEST(test_profile_adds_nested_times), PROFILE_TEST(test_profile_counts_recursion_once),
            PROFILE_TEST(test_profile_gives_traffic_to_the_innermost_call),
            PROFILE_TEST(test_profile_closes_open_calls_at_the_last_event),
            PROFILE_TEST(test_profile_counts_leaves_without_enter),
            PROFILE_TEST(test_profile_leave_of_an_outer_call_closes_the_inner_ones),
            PROFILE_TEST(test_profile_of_times_at_the_ends_of_their_range),
            PROFILE_TEST(test_profile_by_region_adds_locations_up),
            PROFILE_TEST(test_profile_combined_parts_give_the_whole),
            PROFILE_TEST(test_profile_knows_the_shortest_and_longest_call),
            PROFILE_TEST(test_profile_counts_each_of_recursive_calls_as_long_as_it_is),
            PROFILE_TEST(test_profile_by_path_tells_callers_apart),
            PROFILE_TEST(test_profile_tree_puts_calls_below_their_caller),
            PROFILE_TEST(test_profile_top_of_a_tree_has_the_callers_too),
            PROFILE_TEST(test_profile_within_a_region_counts_nothing_else),
            PROFILE_TEST(test_profile_within_a_region_that_is_closed_from_outside),
            PROFILE_TEST(test_profile_by_phase_divides_calls_at_annotations),
            PROFILE_TEST(test_profile_between_annotations_counts_nothing_else),
            PROFILE_TEST(test_profile_of_paths_combined_gives_the_whole),
            PROFILE_TEST(test_profile_refuses_what_does_not_go_together),
            PROFILE_TEST(test_profile_refuses_an_unknown_grouping))
