/* Saving checkpoints of analyses and resuming there, for all that have them, on random events. */
#include "harness.h"

#include "analysis/shared/fold.h"
#include "model/batch.h"
#include "model/define.h"

enum { EVENTS = 300, LOCATIONS = 3, REGIONS = 5, OTHERS = 2, SEEDS = 20 };

struct fixture {
    struct quipu__memory memory;
    struct quipu__define define;
    struct quipu__fold_start start;
    struct quipu__batch *batch;
    struct quipu__buffer checkpoint;
};

static int set_up(void **state) {
    static struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    quipu__memory_init(&fixture.memory, NULL, 0);
    quipu__buffer_init(&fixture.checkpoint, &fixture.memory, 0);
    assert_int_equal(quipu__define_init(&fixture.define, &fixture.memory, NULL), QUIPU_OK);
    for (uint64_t i = 0; i < LOCATIONS; i++)
        quipu__add_location(
            &fixture.define,
            &(struct quipu_location){.native_id = i, .name = harness_text("rank %d", (int)i), .host = ""});
    for (uint64_t i = 0; i < REGIONS; i++)
        quipu__add_region(
            &fixture.define,
            &(struct quipu_region){.native_id = i, .name = harness_text("region %d", (int)i), .group = ""});
    for (uint64_t i = 0; i < OTHERS; i++) {
        quipu__add_group(&fixture.define, &(struct quipu_group){.native_id = i, .name = ""});
        quipu__add_file(&fixture.define, &(struct quipu_file){.native_id = i, .name = "", .group = ""});
        quipu__add_metric(&fixture.define,
                          &(struct quipu_metric){.native_id = i, .name = "", .group = "", .unit = ""});
        quipu__add_channel(&fixture.define, &(struct quipu_channel){.native_id = i, .name = ""});
        quipu__add_task_type(&fixture.define, &(struct quipu_task_type){.native_id = i, .name = ""});
    }
    fixture.start.definitions = &fixture.define.definitions;
    assert_int_equal(quipu__batch_new(&fixture.memory, EVENTS, &fixture.batch, NULL), QUIPU_OK);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    quipu__buffer_release(&fixture->checkpoint);
    quipu__batch_free(fixture->batch);
    quipu__define_release(&fixture->define);
    return fixture->memory.used == 0 ? 0 : -1;
}

static uint32_t chance(uint64_t *seed, uint32_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % below);
}

/* Calls that nest, as far as chance goes, traffic, and whatever else begins and ends. */
static void fill(struct quipu__batch *batch, uint64_t seed) {
    static const enum quipu_kind kinds[] = {QUIPU_KIND_enter, QUIPU_KIND_enter,           QUIPU_KIND_enter,
                                            QUIPU_KIND_leave, QUIPU_KIND_leave,           QUIPU_KIND_send,
                                            QUIPU_KIND_recv,  QUIPU_KIND_collective_begin};
    int64_t time = -50;
    quipu__batch_clear(batch);
    batch->batch.stream = 7;
    for (uint32_t i = 0; i < EVENTS; i++) {
        time += chance(&seed, 3);
        const enum quipu_kind kind = chance(&seed, 3) ? kinds[chance(&seed, sizeof kinds / sizeof *kinds)]
                                                      : (enum quipu_kind)chance(&seed, QUIPU_KIND_COUNT);
        const bool is_call = kind == QUIPU_KIND_enter || kind == QUIPU_KIND_leave;
        quipu__batch_add(&batch->batch, time, kind, chance(&seed, LOCATIONS), i);
        const uint32_t objects = is_call ? REGIONS : OTHERS;
        const bool is_unknown = kind == QUIPU_KIND_leave && chance(&seed, 2);
        batch->batch.object[i] = is_unknown ? QUIPU_NONE : chance(&seed, objects);
        batch->batch.peer[i] = chance(&seed, 4) ? chance(&seed, LOCATIONS) : QUIPU_NONE;
        batch->batch.group[i] = chance(&seed, 4) ? chance(&seed, OTHERS) : QUIPU_NONE;
        batch->batch.operation[i] = chance(&seed, 4);
        batch->batch.tag[i] = (int64_t)chance(&seed, 3) - 1;
        batch->batch.bytes[i] = chance(&seed, 1000);
        batch->batch.value[i] = kind >= QUIPU_KIND_rma_begin && kind <= QUIPU_KIND_rma_end
                                    ? chance(&seed, LOCATIONS)
                                    : chance(&seed, 1000);
        batch->batch.id[i] = chance(&seed, 4) ? chance(&seed, 5) : QUIPU_UNKNOWN;
    }
}

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    char **text = context;
    (void)err;
    *text = harness_text("%s%.*s", *text, (int)size, (const char *)data);
    return QUIPU_OK;
}

/* The tables of a state, which is released. */
static const char *answer(const struct quipu__fold *fold, void *state) {
    struct quipu_tables *tables;
    char *text = harness_text(" ");
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    render.style = QUIPU_STYLE_CSV;
    assert_int_equal(quipu__tables_new(NULL, &tables, NULL), QUIPU_OK);
    assert_int_equal(fold->finish(state, tables, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_write(quipu_tables_list(tables), quipu_tables_count(tables), &render,
                                       (struct quipu_sink){append, &text}, NULL),
                     QUIPU_OK);
    quipu_tables_free(tables);
    fold->release(state);
    return text;
}

static void *consume(const struct fixture *fixture, const struct quipu__fold *fold, uint32_t count) {
    const struct quipu_batch portion = quipu__batch_range(&fixture->batch->batch, 0, count);
    void *state;
    assert_int_equal(fold->begin(&fixture->start, &state, NULL), QUIPU_OK);
    if (count > 0)
        assert_int_equal(fold->consume(state, &portion, NULL), QUIPU_OK);
    return state;
}

static void save_checkpoint(struct fixture *fixture, const struct quipu__fold *fold, uint32_t count) {
    void *state = consume(fixture, fold, count);
    fixture->checkpoint.len = 0;
    assert_int_equal(fold->save_checkpoint(state, &fixture->checkpoint, NULL), QUIPU_OK);
    fold->release(state);
}

/* What comes of a checkpoint behind so many events and resuming with the others. */
static const char *go_on(struct fixture *fixture, const struct quipu__fold *fold, uint32_t split) {
    const struct quipu_batch rest = quipu__batch_range(&fixture->batch->batch, split, EVENTS);
    void *state;
    save_checkpoint(fixture, fold, split);
    assert_int_equal(fold->resume(&fixture->start,
                                  quipu__slice_of(fixture->checkpoint.data, fixture->checkpoint.len), &state,
                                  NULL),
                     QUIPU_OK);
    if (rest.count > 0)
        assert_int_equal(fold->consume(state, &rest, NULL), QUIPU_OK);
    return answer(fold, state);
}

static void for_each_with_checkpoints(struct fixture *fixture,
                                      void (*test)(struct fixture *fixture, const struct quipu__fold *fold)) {
    uint32_t tested = 0;
    for (size_t i = 0; i < quipu_analysis_count(); i++) {
        const struct quipu__fold *fold = quipu__fold_find(quipu_analysis_at(i)->name);
        assert_int_equal(quipu__fold_settings(fold, NULL, 0, &fixture->start.settings, NULL), QUIPU_OK);
        if (fold->save_checkpoint) {
            assert_non_null(fold->resume);
            assert_non_null(fold->section);
            assert_false(fold->needs_attributes);
            test(fixture, fold);
            tested++;
        }
    }
    assert_true(tested > 0);
}

static void compare_answers(struct fixture *fixture, const struct quipu__fold *fold) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fill(fixture->batch, seed);
        const char *whole = answer(fold, consume(fixture, fold, EVENTS));
        for (uint32_t split = 0; split <= EVENTS; split += split < 20 ? 1 : 28)
            assert_string_equal(go_on(fixture, fold, split), whole);
    }
}

static void test_checkpoint_resumes_as_if_never_interrupted(void **state) {
    for_each_with_checkpoints(*state, compare_answers);
}

static bool loads(const struct fixture *fixture, const struct quipu__fold *fold, const uint8_t *bytes,
                  size_t size) {
    void *state = NULL;
    const enum quipu_status status = fold->resume(&fixture->start, quipu__slice_of(bytes, size), &state, NULL);
    assert_true(status == QUIPU_OK || status == QUIPU_CORRUPT);
    assert_true((status == QUIPU_OK) == (state != NULL));
    if (state)
        answer(fold, state);
    return status == QUIPU_OK;
}

/* Cut anywhere it cannot be right; with a byte changed it may be, but nothing bad happens. */
static void damage(struct fixture *fixture, const struct quipu__fold *fold) {
    fill(fixture->batch, 1);
    save_checkpoint(fixture, fold, EVENTS / 2);
    const size_t size = fixture->checkpoint.len;
    uint8_t *bytes = (uint8_t *)harness_text("%*s", (int)size + 1, "");
    memcpy(bytes, fixture->checkpoint.data, size);
    assert_true(loads(fixture, fold, bytes, size));
    assert_false(loads(fixture, fold, bytes, size + 1));
    for (size_t i = 0; i < size; i++) {
        assert_false(loads(fixture, fold, bytes, i));
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1u << bit);
            loads(fixture, fold, bytes, size);
            bytes[i] ^= (uint8_t)(1u << bit);
        }
    }
}

static void test_checkpoint_that_cannot_be_right_is_refused(void **state) {
    for_each_with_checkpoints(*state, damage);
}

QUIPU_TESTS(cmocka_unit_test_setup_teardown(test_checkpoint_resumes_as_if_never_interrupted, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_checkpoint_that_cannot_be_right_is_refused, set_up, tear_down))
