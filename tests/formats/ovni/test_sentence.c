/* test_sentence.c: events in words, with the values of their arguments; the arguments are those of the format's description. */
#include "traces.h"

#include "formats/ovni/sentence.h"

/* What the first event of a stream says; "" when its payload is too short. */
static const char *sentence(const char *text, size_t size) {
    static struct made_bytes made;
    static struct quipu__ovni_dictionary dictionary;
    char *out = harness_text("%*s", (int)size, "");
    made.len = 0;
    made_event(&made, harness_text("%s", text));
    const bool is_jumbo = (made.at[0] & 0x10) != 0;
    const size_t head = is_jumbo ? 16 : 12;
    const struct quipu__ovni_event event = {.flags = made.at[0],
                                            .model = made.at[1],
                                            .category = made.at[2],
                                            .value = made.at[3],
                                            .is_jumbo = is_jumbo,
                                            .payload = made.at + head,
                                            .len = (uint32_t)(made.len - head)};
    quipu__ovni_dictionary_init(&dictionary);
    const struct quipu__ovni_event_row *row =
        quipu__ovni_find_row(&dictionary, event.model, event.category, event.value);
    assert_non_null(row);
    const size_t len = quipu__ovni_sentence(row, &event, false, out, size);
    assert_true(len < size);
    return len ? out : "";
}

static void assert_says(const char *event, const char *expected) {
    const char *text = sentence(event, 400);
    if (!strstr(text, expected))
        fail_msg("%s: %s", event, text);
    assert_null(strstr(text, "%{"));
}

static void test_sentence_has_the_values_of_arguments(void **state) {
    (void)state;
    assert_says("1 OHx i7 i-12 q48879", "CPU with index 7 ");
    assert_says("1 OHx i7 i-12 q48879", "thread -12 ");
    assert_says("1 OHx i7 i-12 q48879", "0xbeef"); /* tags are hexadecimal */
    assert_says("1 OAr i-1 i101", "101");
    assert_says("1 VTx i4000000000 i3", "4000000000"); /* tasks have no sign */
    assert_says("1 OM= q-5 i9", "-5");
}

static void test_sentence_has_the_labels_and_lists_of_jumbo_events(void **state) {
    (void)state;
    assert_says("1 VYc + i42 swork", "42");
    assert_says("1 VYc + i42 swork", "work");
    assert_says("1 VYc + i42 x776f726b", "work"); /* without its NUL */
    assert_says("1 VWC + q5 q-6 q7", "5, -6, 7");
}

static void test_sentence_needs_all_arguments(void **state) {
    (void)state;
    assert_string_equal(sentence("1 OHx i7", 400), "");
    assert_string_equal(sentence("1 VTx i7", 400), "");
    assert_string_equal(sentence("1 VYc + x0102", 400), "");
}

static void test_sentence_is_cut_to_its_room(void **state) {
    (void)state;
    const char *whole = sentence("1 OHx i7 i-12 q48879", 400), *cut = sentence("1 OHx i7 i-12 q48879", 10);
    assert_int_equal(strlen(cut), 9);
    assert_memory_equal(cut, whole, 9);
}

/* No event of the tables has a value that its sentence does not name, or names one that it has not; a percent sign has no other use. */
static void test_sentence_names_what_events_have(void **state) {
    (void)state;
    for (size_t i = 0; i < quipu__ovni_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[i];
        const char *arguments = row->arguments + quipu__ovni_is_jumbo_row(row);
        unsigned named = 0, has = *arguments ? 1 : 0;
        for (const char *at = strchr(arguments, ','); at; at = strchr(at + 1, ','))
            has++;
        for (const char *at = strchr(row->sentence, '%'); at; at = strchr(at + 2, '%'))
            named++;
        if (named != has)
            fail_msg("%s: %u values, %u are named", row->code, has, named);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_sentence_has_the_values_of_arguments),
            cmocka_unit_test(test_sentence_has_the_labels_and_lists_of_jumbo_events),
            cmocka_unit_test(test_sentence_needs_all_arguments),
            cmocka_unit_test(test_sentence_is_cut_to_its_room),
            cmocka_unit_test(test_sentence_names_what_events_have))
