/* test_check.c: each rule by a small trace that breaks it, and where it is found. */
#include "harness.h"

#include "traces.h"

/* Checks a file; the findings that count, as "code@byte code@byte". */
static const char *check(const char *path, const char *machine, enum quipu_verdict *verdict) {
    struct quipu_reader *reader = open_as(path, machine);
    struct quipu_check_result result;
    char text[2000] = "";
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        const size_t len = strlen(text);
        if (finding->rule->severity != QUIPU_INFO)
            snprintf(text + len, sizeof text - len, "%s%s@%d", len ? " " : "", finding->rule->id,
                     (int)finding->byte);
    }
    *verdict = result.verdict;
    quipu_reader_close(reader);
    return harness_text("%s", text);
}

static void assert_check(const struct made *made, const char *expected) {
    enum quipu_verdict verdict;
    const char *found = check(save(made), made->codec.profile.name, &verdict);
    assert_string_equal(found, expected);
    enum quipu_verdict due = expected[0] ? QUIPU_VERDICT_WARN : QUIPU_VERDICT_OK;
    if (strchr(expected, 'E'))
        due = QUIPU_VERDICT_REJECT;
    assert_int_equal(verdict, due);
}

/* ---- Records that break one rule each; the code stands for the record put last ---- */

typedef void break_rule(struct made *made);

static void other_header(struct made *made) {
    put_header(made);
}
static void time_back(struct made *made) {
    put_rw(made, 99, 1, 3, 4, 0, 0, 10);
}
static void end_first(struct made *made) {
    struct quipu__charisma_request *request = quipu__scratch_sized(&made->scratch, 1, sizeof *request);
    *request = (struct quipu__charisma_request){.IO_size = 1, .client_id = 1};
    PUT(made, rw, .starttime = ticks(made, 200), .endtime = ticks(made, 199), .file_desc = 3,
        .operation_type = 4, .appl_id = -1, .num_clients = 1, .requests = request);
}
static void no_access(struct made *made) {
    put_open(made, 200, 1, 9, 70, QUIPU__CHARISMA_OPEN_CREATE);
}
static void two_accesses(struct made *made) {
    put_open(made, 200, 1, 9, 70, QUIPU__CHARISMA_OPEN_READ | QUIPU__CHARISMA_OPEN_WRITE);
}
static void unknown_open_flag(struct made *made) {
    put_open(made, 200, 1, 9, 70, QUIPU__CHARISMA_OPEN_READ | 0x40);
}
static void unknown_client(struct made *made) {
    PUT(made, link, .timestamp = ticks(made, 200), .client_id = 55, .file_id = {.i = 70}, .new_link_count = 2);
}
static void no_nul(struct made *made) {
    PUT(made, client_open, .timestamp = ticks(made, 200), .client_id = 1,
        .name = sized_text(made, "0123456789012345678901234567890123456789012345678901234567890123"),
        .path = sized_text(made, ""), .file_id = {.i = 70}, .file_desc = 9, .open_flags = 1);
}
static void not_open(struct made *made) {
    put_rw(made, 200, 1, 44, 4, 0, 0, 10);
}
static void control_not_open(struct made *made) {
    PUT(made, fcntl, .timestamp = ticks(made, 200), .client_id = 1, .file_desc = {.i = 44});
}
static void close_only(struct made *made) {
    put_close(made, 200, 1, 44);
}
static void end_only(struct made *made) {
    PUT(made, asynch_end, .call_time = ticks(made, 200), .end_time = ticks(made, 201), .async_id = 5,
        .client_id = 1, .appl_id = -1);
}
static void never_ends(struct made *made) {
    put_rw(made, 200, 1, 3, 5, 77, 0, 10);
}
static void no_entries(struct made *made) {
    PUT(made, rw, .starttime = ticks(made, 200), .endtime = ticks(made, 201), .file_desc = 3,
        .operation_type = 0, .appl_id = 7, .num_clients = 0);
}
static void negative(struct made *made) {
    put_rw(made, 200, 1, 3, 4, 0, -1, 10);
}
static void operation_bits(struct made *made) {
    put_rw(made, 200, 1, 3, 0x14, 0, 0, 10);
}
static void unknown_application(struct made *made) {
    PUT(made, client_join, .timestamp = ticks(made, 200), .appl_id = 8, .client_id = 1);
}
static void open_twice(struct made *made) {
    put_open(made, 200, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ);
}
static void write_of_read_only(struct made *made) {
    put_rw(made, 200, 1, 3, 6, 0, 0, 10);
}
static void read_of_write_only(struct made *made) {
    put_rw(made, 200, 2, 4, 4, 0, 0, 10);
}
static void compressed_asynchronous(struct made *made) {
    static const struct {
        struct quipu_sized head;
        uint64_t words[4];
    } words = {{4, 0}, {100, 10, 0, 0}};
    PUT(made, comp_rw, .client_id = 1, .file_desc = 3, .operation_type = 5, .timestamp_delta = 1, .duration = 1,
        .fields = words.words);
}
static void empty_slot(struct made *made) {
    static const struct {
        struct quipu_sized head;
        uint64_t words[3];
    } words = {{3, 0}, {200, 0, 0}};
    PUT(made, comp_rw, .client_id = 1, .file_desc = 3, .size_index = 2, .operation_type = 4,
        .timestamp_delta = 1, .fields = words.words);
}

static const struct {
    const char *code;
    break_rule *act;
} breaks[] = {
    {"W02", other_header},
    {"W03", time_back},
    {"W04", end_first},
    {"W05", no_access},
    {"W05", two_accesses},
    {"W05", unknown_open_flag},
    {"W06", unknown_client},
    {"W07", no_nul},
    {"W08", not_open},
    {"W08", control_not_open},
    {"W09", close_only},
    {"W11", end_only},
    {"W12", never_ends},
    {"W13", no_entries},
    {"W15", negative},
    {"W16", operation_bits},
    {"W17", unknown_application},
    {"W18", open_twice},
    {"W22", write_of_read_only},
    {"W22", read_of_write_only},
    {"W24", compressed_asynchronous},
    {"E10", empty_slot},
};

/* Two clients of application 7: the first has descriptor 3 for reading, the second 4 for writing. */
static void make_clean(struct made *made) {
    make(made, "lp64", false);
    put_load(made, 10, 7, 2);
    put_open(made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ);
    put_open(made, 21, 2, 4, 71, QUIPU__CHARISMA_OPEN_WRITE | QUIPU__CHARISMA_OPEN_CREATE);
    put_rw(made, 100, 1, 3, 4, 0, 0, 10);
}

static void test_check_finds_nothing_in_a_sound_trace(void **state) {
    struct made made;
    (void)state;
    make_clean(&made);
    assert_check(&made, "");
    unmake(&made);
}

static void test_check_finds_each_broken_rule_at_its_record(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct made made;
        make_clean(&made);
        breaks[i].act(&made);
        const char *time_back_too =
            strcmp(breaks[i].code, "W02") == 0 ? harness_text(" W03@%d", (int)made.offset) : "";
        assert_check(&made, harness_text("%s@%d%s", breaks[i].code, (int)made.offset, time_back_too));
        unmake(&made);
    }
}

/* ---- The file ---- */

static void test_check_finds_another_system_and_a_unit_that_cannot_be(void **state) {
    struct made made;
    (void)state;
    make(&made, "lp64", true);
    PUT(&made, header, .start_date = 760000000, .system_type = 9, .release_data = sized_text(&made, ""),
        .timestamp_unit = 0);
    assert_check(&made, "W19@8 W20@8");
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_check_finds_nothing_in_a_sound_trace),
            cmocka_unit_test(test_check_finds_each_broken_rule_at_its_record),
            cmocka_unit_test(test_check_finds_another_system_and_a_unit_that_cannot_be))
