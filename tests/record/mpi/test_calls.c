/* The table of calls: its signatures, and that all of DUMPI's fields are recorded. */
#include "harness.h"

#include "record/mpi/convert.h"

#include <string.h>

/* Rows of MPIO calls are of libraries that no MPI has any more. */
static bool is_of_mpi(const struct quipu_record_type *type) {
    return type->id < QUIPU__DUMPI_OLD_END && strncmp(type->name, "MPI_", 4) == 0;
}

static const struct quipu__mpi_call *call_of(uint32_t number) {
    for (size_t i = 0; i < QUIPU__MPI_ROWS; i++)
        if (quipu__mpi_calls[i].number == number)
            return &quipu__mpi_calls[i];
    return NULL;
}

static void test_calls_signatures_are_read(void **state) {
    (void)state;
    uint32_t row = 0;
    assert_true(quipu__mpi_calls_init(&row));
    const struct quipu__mpi_call *waitsome = &quipu__mpi_calls[QUIPU__MPI_Waitsome];
    assert_string_equal(waitsome->name, "MPI_Waitsome");
    assert_int_equal(waitsome->number, 20);
    assert_int_equal(waitsome->words, 5);
    assert_int_equal(waitsome->fortran_words, 6);
    assert_int_equal(waitsome->entry_count, 2);
    assert_int_equal(waitsome->exit_count, 3);
    const struct quipu__mpi_token *statuses = &waitsome->tokens[4];
    assert_int_equal(statuses->kind, QUIPU__MPI_STATUS);
    assert_int_equal(statuses->length, 2);
    assert_true(statuses->is_exit && statuses->is_list);
    const struct quipu__mpi_call *gatherv = &quipu__mpi_calls[QUIPU__MPI_Gatherv];
    assert_int_equal(gatherv->tokens[0].question, QUIPU__MPI_RANK);
    assert_int_equal(gatherv->tokens[gatherv->root].word, 7);
    assert_int_equal(gatherv->tokens[gatherv->communicator].word, 8);
    const struct quipu__mpi_call *init = &quipu__mpi_calls[QUIPU__MPI_Init_thread];
    assert_int_equal(init->tokens[2].word, 2);
    assert_int_equal(init->tokens[2].fortran_word, 0);
}

static void test_calls_have_all_records_and_fields_of_dumpi(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__mpi_converter *converter = calloc(1, sizeof *converter);
    uint32_t row = 0;
    quipu__memory_init(&memory, NULL, 0);
    assert_true(quipu__mpi_calls_init(&row));
    if (!quipu__mpi_converter_init(converter, &memory, &row))
        fail_msg("%s: a field is none of its record", quipu__mpi_calls[row].name);
    for (size_t i = 0; i < QUIPU__DUMPI_TYPE_COUNT; i++) {
        const struct quipu_record_type *type = &quipu__dumpi_types[i];
        const struct quipu__mpi_call *call = is_of_mpi(type) ? call_of(type->id) : NULL;
        if (is_of_mpi(type) && !call)
            fail_msg("%s has no row", type->name);
        for (uint16_t k = 0; call && k < type->field_count; k++)
            if (type->fields[k].until == 0 &&
                quipu__mpi_token_of(call, type->fields[k].name, strlen(type->fields[k].name)) < 0)
                fail_msg("%s.%s is not recorded", type->name, type->fields[k].name);
    }
    quipu__mpi_converter_release(converter);
    free(converter);
}

static void test_calls_number_handles_in_the_order_of_first_sight(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__mpi_numbers numbers;
    const struct quipu__mpi_pair types[] = {{0x100, 9}, {0x200, -1}}, sizes[] = {{0x100, 4}, {0x200, 2}},
                                 sources[] = {{(uint64_t)-2, -1}, {(uint64_t)-1, -2}},
                                 assertions[] = {{1024, 1}, {4096, 4}};
    quipu__memory_init(&memory, NULL, 0);
    quipu__mpi_numbers_init(&numbers, &memory);
    quipu__mpi_predefine(&numbers, QUIPU__MPI_SPACE_dtype, (const uint8_t *)types, sizeof types);
    quipu__mpi_predefine(&numbers, QUIPU__MPI_SPACE_source, (const uint8_t *)sources, sizeof sources);
    quipu__mpi_predefine(&numbers, QUIPU__MPI_SPACE_wassert, (const uint8_t *)assertions, sizeof assertions);
    quipu__mpi_set_sizes(&numbers, &memory, (const uint8_t *)sizes, sizeof sizes);
    const unsigned type = quipu__mpi_space_of("dtype"), source = quipu__mpi_space_of("source"),
                   assertion = quipu__mpi_space_of("wassert"), request = quipu__mpi_space_of("ioreq");
    assert_int_equal(quipu__mpi_number(&numbers, &memory, type, 0x300), 28);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, type, 0x200), 29);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, type, 0x100), 9);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, type, 0x300), 28);
    assert_int_equal(numbers.sizes.count, 30);
    assert_int_equal(numbers.sizes.items[9], 4);
    assert_int_equal(numbers.sizes.items[28], 0);
    assert_int_equal(numbers.sizes.items[29], 2);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, source, -2), -1);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, source, -1), -2);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, source, 7), 7);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, assertion, 1024 | 4096), 5);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, assertion, 0), 0);
    for (int i = 0; i < 40000; i++) /* more than 16 bits with a sign have */
        assert_int_equal(quipu__mpi_number(&numbers, &memory, request, i), 2 + i);
    assert_int_equal(quipu__mpi_number(&numbers, &memory, quipu__mpi_space_of("count"), 5), 5);
    quipu__mpi_numbers_release(&numbers, &memory);
}

QUIPU_TESTS(cmocka_unit_test(test_calls_signatures_are_read),
            cmocka_unit_test(test_calls_have_all_records_and_fields_of_dumpi),
            cmocka_unit_test(test_calls_number_handles_in_the_order_of_first_sight))
