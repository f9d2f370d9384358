/* test_snapshots.c: records of snapshots, made of what began an interval and turned back into it. */
#include "harness.h"

#include "formats/otf/format.h"

static const struct quipu_record_type *type_at(uint32_t type) {
    return &quipu__otf_schema.types[type];
}

/* What was entered at time 30, as a record of a snapshot. */
static void test_snapshots_say_what_is_entered(void **state) {
    const struct quipu__otf_Enter enter = {.function = 3, .source = 9};
    const struct quipu__active_record active = {
        .type = type_at(QUIPU__OTF_Enter), .data = &enter, .time = 30, .count = 1};
    union quipu__otf_any out, begin;
    struct quipu__active_record back;
    enum quipu__interval_class interval_class;
    (void)state;
    memset(&out, 0, sizeof out);
    memset(&begin, 0, sizeof begin);
    assert_ptr_equal(quipu__otf_snapshots.snapshot_of(QUIPU__INTERVAL_call, &active, &out),
                     type_at(QUIPU__OTF_EnterSnapshot));
    assert_int_equal(out.EnterSnapshot.function, 3);
    assert_int_equal(out.EnterSnapshot.source, 9);
    assert_int_equal(out.EnterSnapshot.originaltime, 30);
    const struct quipu_record record = {.type = type_at(QUIPU__OTF_EnterSnapshot), .data = &out};
    assert_true(quipu__otf_snapshots.active_of(&record, &interval_class, &back, &begin));
    assert_int_equal(interval_class, QUIPU__INTERVAL_call);
    assert_ptr_equal(back.type, type_at(QUIPU__OTF_Enter));
    assert_int_equal(back.time, 30);
    assert_int_equal(begin.Enter.function, 3);
    assert_int_equal(begin.Enter.source, 9);
}

/* Of an open file the record of a snapshot is the same, whichever record opened it. */
static void test_snapshots_say_which_files_are_open(void **state) {
    const struct quipu__otf_EndFileOperation end = {.fileid = 4, .handleId = 77};
    const struct quipu__active_record active = {
        .type = type_at(QUIPU__OTF_EndFileOperation), .data = &end, .time = 8, .count = 1};
    union quipu__otf_any out;
    (void)state;
    memset(&out, 0, sizeof out);
    assert_ptr_equal(quipu__otf_snapshots.snapshot_of(QUIPU__INTERVAL_file, &active, &out),
                     type_at(QUIPU__OTF_OpenFileSnapshot));
    assert_int_equal(out.OpenFileSnapshot.fileid, 4);
    assert_int_equal(out.OpenFileSnapshot.handleid, 77);
    assert_int_equal(out.OpenFileSnapshot.originaltime, 8);
}

/* Collective operations are counted; a count has no time. */
static void test_snapshots_count_collective_operations(void **state) {
    const struct quipu__otf_CollectiveOperation operation = {.procGroup = 6};
    const struct quipu__active_record active = {
        .type = type_at(QUIPU__OTF_CollectiveOperation), .data = &operation, .time = 8, .count = 12};
    union quipu__otf_any out, begin;
    struct quipu__active_record back;
    enum quipu__interval_class interval_class;
    (void)state;
    memset(&out, 0, sizeof out);
    memset(&begin, 0, sizeof begin);
    assert_ptr_equal(quipu__otf_snapshots.snapshot_of(QUIPU__INTERVAL_count, &active, &out),
                     type_at(QUIPU__OTF_CollopCountSnapshot));
    assert_int_equal(out.CollopCountSnapshot.communicator, 6);
    assert_int_equal(out.CollopCountSnapshot.count, 12);
    const struct quipu_record record = {.type = type_at(QUIPU__OTF_CollopCountSnapshot), .data = &out};
    assert_true(quipu__otf_snapshots.active_of(&record, &interval_class, &back, &begin));
    assert_int_equal(back.count, 12);
    assert_int_equal(back.time, 0);
}

/* Records of events are none of a snapshot. */
static void test_snapshots_consist_of_their_own_records(void **state) {
    const struct quipu__otf_Enter enter = {.function = 3};
    const struct quipu_record record = {.type = type_at(QUIPU__OTF_Enter), .data = &enter};
    struct quipu__active_record back;
    enum quipu__interval_class interval_class;
    union quipu__otf_any begin;
    (void)state;
    assert_false(quipu__otf_snapshots.active_of(&record, &interval_class, &back, &begin));
}

/* The comment says how many records and processes there are, and nothing else does. */
static void test_snapshots_say_whether_they_are_complete(void **state) {
    static const struct {
        const char *text;
        bool is_complete;
    } comments[] = {{"complete: 3 records, 8 processes", true},
                    {"complete: 3 records, 8 processes.", false},
                    {"complete: records, 8 processes", false},
                    {"complete: 3 records", false},
                    {"hello", false}};
    (void)state;
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
        const struct quipu__otf_SnapshotComment comment = {.comment = comments[i].text};
        const struct quipu_record record = {.type = type_at(QUIPU__OTF_SnapshotComment), .data = &comment};
        struct quipu__completeness found = {0};
        assert_int_equal(quipu__otf_snapshots.completeness_of(&record, &found), comments[i].is_complete);
        assert_true(!comments[i].is_complete || (found.records == 3 && found.locations == 8));
    }
}

QUIPU_TESTS(cmocka_unit_test(test_snapshots_say_what_is_entered),
            cmocka_unit_test(test_snapshots_say_which_files_are_open),
            cmocka_unit_test(test_snapshots_count_collective_operations),
            cmocka_unit_test(test_snapshots_consist_of_their_own_records),
            cmocka_unit_test(test_snapshots_say_whether_they_are_complete))
