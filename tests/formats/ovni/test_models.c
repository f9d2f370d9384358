/* test_models.c: the tables of models, channels, values and events, and numbers of labels. */
#include "traces.h"

/* The vectors of the format's description. */
static void test_models_labels_have_the_numbers_of_their_hash(void **state) {
    static const struct {
        const char *label;
        uint32_t number;
    } vectors[] = {{"a", 2068372317},
                   {"0123456789a", 1826409977},
                   {"0123456789ab", 1787166486},
                   {"0123456789abc", 734607283},
                   {"testtype1", 1690940984},
                   {"alpha", 660719635},
                   {"beta", 1291337580},
                   {"gamma", 1360191436},
                   {"main", 1423278814},
                   {"work", 1107063517}};
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_int_equal(quipu__ovni_label_number(vectors[i].label, strlen(vectors[i].label), 666),
                         vectors[i].number);
    /* No bytes; development versions added no 666. */
    assert_int_equal(quipu__ovni_label_number("", 0, 666), 249678660);
    assert_int_equal(quipu__ovni_label_number("", 0, 0), 249678660 - 666);
    assert_int_equal(quipu__ovni_label_number("task 69849", 10, 666),
                     quipu__ovni_label_number("task 76653", 10, 666));
}

static void test_models_have_their_characters(void **state) {
    static const char characters[] = "O6VDTMKP";
    static const char *const names[] = {"ovni", "nanos6", "nosv", "nodes", "tampi", "mpi", "kernel", "openmp"};
    (void)state;
    assert_int_equal(QUIPU__OVNI_MODEL_COUNT, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_string_equal(quipu__ovni_models[quipu__ovni_model_of((uint8_t)characters[i])].name, names[i]);
    assert_int_equal(quipu__ovni_model_of('X'), QUIPU__OVNI_MODEL_COUNT);
    /* In the order of their characters: 6 D K M O P T V. */
    for (unsigned i = 1; i < 8; i++)
        assert_true(quipu__ovni_models[quipu__ovni_models_by_character[i - 1]].character <
                    quipu__ovni_models[quipu__ovni_models_by_character[i]].character);
    assert_true(quipu__ovni_needs_cpu(QUIPU__OVNI_MODEL_ovni) && quipu__ovni_needs_cpu(QUIPU__OVNI_MODEL_nosv));
    assert_false(quipu__ovni_needs_cpu(QUIPU__OVNI_MODEL_mpi));
}

static const struct quipu__ovni_event_row *row_of(const char *code) {
    static struct quipu__ovni_dictionary dictionary;
    quipu__ovni_dictionary_init(&dictionary);
    return quipu__ovni_find_row(&dictionary, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2]);
}

static void test_models_events_are_found_by_their_characters(void **state) {
    (void)state;
    assert_string_equal(row_of("VSh")->code, "VSh");
    assert_int_equal(row_of("VSh")->effect, QUIPU__OVNI_PUSH);
    assert_int_equal(row_of("VSh")->value, 6);
    assert_int_equal(row_of("VSf")->effect, QUIPU__OVNI_POP);
    assert_true(quipu__ovni_is_jumbo_row(row_of("VYc")));
    assert_false(quipu__ovni_is_jumbo_row(row_of("VTc")));
    assert_int_equal(row_of("OBx")->effect, QUIPU__OVNI_BURST); /* any value of category B */
    assert_int_equal(row_of("OB.")->effect, QUIPU__OVNI_BURST);
    assert_int_equal(row_of("OU~")->effect, QUIPU__OVNI_NOTHING); /* and of U */
    assert_null(row_of("VSz"));
    assert_null(row_of("XAa"));
    assert_null(row_of("V\x7fz"));
    assert_null(row_of("V \n"));
}

static void test_models_values_have_names(void **state) {
    (void)state;
    assert_string_equal(quipu__ovni_value_text(QUIPU__OVNI_CHANNEL_nosv_subsystem, 11), "Task: In body");
    assert_string_equal(quipu__ovni_value_text(QUIPU__OVNI_CHANNEL_nanos6_subsystem, 1), "Task: Running body");
    assert_string_equal(quipu__ovni_value_text(QUIPU__OVNI_CHANNEL_kernel_context_switch, 3),
                        "Context switch: Out of the CPU");
    assert_string_equal(quipu__ovni_value_text(QUIPU__OVNI_CHANNEL_nosv_idle, 101), "Resting");
    assert_null(quipu__ovni_value_text(QUIPU__OVNI_CHANNEL_nosv_subsystem, 99));
}

/* The n-th field of a line of the description's table, from 0. */
static const char *field_of(const char *line, unsigned number) {
    const char *from = line;
    for (; number > 0; number--)
        from = strchr(from, '\t') + 1;
    return harness_text("%.*s", (int)strcspn(from, "\t\n"), from);
}

/* needs: shared
 * All events of the description, with their models, arguments, values and whether they push or pop. */
static void test_models_have_the_events_of_the_description(void **state) {
    char *next, *text = harness_read(harness_shared("spec/ovni-events.tsv"), NULL);
    unsigned count = 0;
    (void)state;
    strtok_r(text, "\n", &next);
    for (const char *line; (line = strtok_r(NULL, "\n", &next)); count++) {
        const char *code = field_of(line, 3), *effect = field_of(line, 9);
        const struct quipu__ovni_event_row *row = row_of(code);
        if (!row)
            fail_msg("no event %s", code);
        assert_string_equal(quipu__ovni_models[row->model].name, field_of(line, 1));
        assert_int_equal(quipu__ovni_is_jumbo_row(row), strcmp(field_of(line, 4), "jumbo") == 0);
        if (strcmp(effect, "push") == 0 || strcmp(effect, "pop") == 0) {
            const bool is_value = strspn(field_of(line, 11), "0123456789") == strlen(field_of(line, 11));
            if (row->effect == QUIPU__OVNI_PUSH || row->effect == QUIPU__OVNI_POP) {
                assert_int_equal(row->effect == QUIPU__OVNI_PUSH, strcmp(effect, "push") == 0);
                assert_true(!is_value || row->value == strtol(field_of(line, 11), NULL, 10));
                assert_int_equal(quipu__ovni_channels[row->channel].type, strtol(field_of(line, 12), NULL, 10));
            }
        }
    }
    assert_int_equal(count, 365);
}

QUIPU_TESTS(cmocka_unit_test(test_models_labels_have_the_numbers_of_their_hash),
            cmocka_unit_test(test_models_have_their_characters),
            cmocka_unit_test(test_models_events_are_found_by_their_characters),
            cmocka_unit_test(test_models_values_have_names),
            cmocka_unit_test(test_models_have_the_events_of_the_description))
