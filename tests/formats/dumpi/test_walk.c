/* test_walk.c: from call to call, and over damage between them. */
#include "traces.h"

#include "formats/dumpi/format.h"

#include <fcntl.h>
#include <unistd.h>

/* Damage in the middle costs the records that it hits. */
static void test_walk_goes_on_behind_damage(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    memset(bytes + 16 + 5 * 31, 0xee, 40);
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(count_calls(made_file(&made, 0)), 18);
    struct quipu_reader *reader = opened(made_file(&made, 0));
    while (quipu_reader_next_batch(reader, &(const struct quipu_batch *){NULL}, NULL) == QUIPU_OK)
        continue;
    const struct quipu_finding *finding = quipu_findings_at(quipu_reader_findings(reader), 0);
    assert_string_equal(finding->rule->id, "dumpi.damage");
    assert_int_equal(finding->byte, 16 + 5 * 31);
    assert_non_null(strstr(finding->found, "62 bytes skipped"));
    quipu_reader_close(reader);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.footer-count"), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_walk_goes_on_behind_damage))
