/* fast_calls.c: makes fast layouts from the plans of a codec and the rows of the mapping. */
#include "formats/dumpi/format.h"

#include <string.h>

/* Whether a number of more than one byte has the same number of bytes in the file and in memory. */
static bool keeps_width(const struct quipu__binary_step *step) {
    return step->type.bytes == step->size && step->size > 1;
}

/* The number that the member at an offset of the struct has in the file, NULL when there is none. */
static const struct quipu__binary_step *number_of(const struct quipu__binary_step *fixed, uint16_t member) {
    for (unsigned i = 1; fixed && i <= fixed->skip; i++)
        if (fixed[i].member == member)
            return &fixed[i];
    return NULL;
}

/* Its offset among the numbers; QUIPU_NONE when it is not there, or has another width. */
static uint32_t offset_of(const struct quipu__binary_step *fixed, uint16_t member) {
    const struct quipu__binary_step *number = number_of(fixed, member);
    return number && keeps_width(number) ? number->bytes : QUIPU_NONE;
}

static bool is_list(enum quipu__dumpi_use use) {
    return use == QUIPU__DUMPI_USE_requests || use == QUIPU__DUMPI_USE_status;
}

static bool set_offsets(const struct quipu__dumpi_call_row *row, const struct quipu__binary_step *fixed,
                        struct quipu__dumpi_fast_layout *layout) {
    for (uint32_t use = 0; use < QUIPU__DUMPI_USE_COUNT; use++) {
        if ((row->has >> use & 1) == 0 || is_list((enum quipu__dumpi_use)use))
            continue;
        const uint32_t offset = offset_of(fixed, row->offsets[use]);
        if (offset == QUIPU_NONE)
            return false;
        layout->offsets[use] = (uint16_t)offset;
    }
    return true;
}

/* Whether a list step is the one that a use of the call is about. */
static bool is_step_of(const struct quipu__binary_step *step, enum quipu__binary_op op,
                       const struct quipu__dumpi_call_row *row, enum quipu__dumpi_use use) {
    return step->op == op && (row->has >> use & 1) != 0 && step->member == row->offsets[use];
}

/* ---- Arguments as attributes ---- */

/* A list that the layout knows; false for others. */
static bool set_list(const struct quipu__dumpi_fast_layout *layout, const struct quipu_field *field,
                     struct quipu__dumpi_fast_argument *argument) {
    const uint16_t *offsets = layout->row->offsets;
    const bool is_requests = layout->has_requests && field->offset == offsets[QUIPU__DUMPI_USE_requests];
    const bool is_statuses = layout->has_statuses && field->offset == offsets[QUIPU__DUMPI_USE_status];
    argument->form = is_requests ? QUIPU__DUMPI_ARGUMENT_REQUESTS : QUIPU__DUMPI_ARGUMENT_STATUSES;
    argument->made.value.type = QUIPU_VALUE_STRING;
    return is_requests || is_statuses;
}

/* A number that is the same in the struct's member: integers of the same width, and unsigned bytes. */
static bool set_number(const struct quipu__binary_step *number, struct quipu__dumpi_fast_argument *argument) {
    static const bool has_sign[] = {
        [QUIPU_STORE_I8] = true, [QUIPU_STORE_I16] = true, [QUIPU_STORE_I32] = true, [QUIPU_STORE_U64] = false};
    const bool is_integer = number && number->storage <= QUIPU_STORE_U64;
    if (!is_integer || (number->type.bytes != number->size && number->load != QUIPU__LOAD_8_TO_16))
        return false;
    const unsigned bits = 8u * number->type.bytes;
    argument->form = QUIPU__DUMPI_ARGUMENT_NUMBER;
    argument->end = (uint16_t)(number->bytes + number->type.bytes);
    argument->mask = UINT64_MAX >> (64 - bits);
    if (number->type.bytes == number->size && has_sign[number->storage])
        argument->sign = (uint64_t)1 << (bits - 1);
    argument->made.value.type = number->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_I64;
    return true;
}

/* Lists arguments in the order of the fields, except those left out, and the end; returns their number. 0: one of them is
 * neither a number nor a list of the layout. */
static size_t list_arguments(const struct quipu__dumpi_fast_layout *layout,
                             const struct quipu__binary_step *fixed, const uint32_t *keys, uint32_t left_out,
                             struct quipu__dumpi_fast_argument *arguments) {
    const struct quipu_record_type *type = &quipu__dumpi_types[layout->type];
    size_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if ((left_out >> i & 1) != 0)
            continue;
        arguments[count] = (struct quipu__dumpi_fast_argument){.made = {.value = {.key = keys[i]}}};
        if (!(field->shape == QUIPU_LIST ? set_list(layout, field, &arguments[count])
                                         : set_number(number_of(fixed, field->offset), &arguments[count])))
            return 0;
        count++;
    }
    arguments[count] = (struct quipu__dumpi_fast_argument){.form = QUIPU__DUMPI_ARGUMENTS_END};
    return count + 1;
}

/* Stores a list, and notes in it how many numbers follow one another. NULL when memory is out. */
static const struct quipu__dumpi_fast_argument *keep_arguments(struct quipu__dumpi_fast_argument *arguments,
                                                               size_t count, struct quipu__arena *arena) {
    uint8_t numbers = 0;
    for (size_t i = count; i-- > 0; arguments[i].numbers = numbers)
        numbers = arguments[i].form == QUIPU__DUMPI_ARGUMENT_NUMBER ? (uint8_t)(numbers + 1) : 0;
    struct quipu__dumpi_fast_argument *own = quipu__arena_alloc(arena, count * sizeof *arguments);
    if (own)
        memcpy(own, arguments, count * sizeof *arguments);
    return own;
}

/* A call whose arguments cannot be read this way must be decoded. False when memory is out. */
static bool set_arguments(struct quipu__dumpi_fast_layout *layout, const struct quipu__binary_step *fixed,
                          const uint32_t *keys, struct quipu__arena *arena) {
    struct quipu__dumpi_fast_argument arguments[QUIPU__DUMPI_ARGUMENTS_MOST + 1];
    if (layout->need == QUIPU_NONE || !keys)
        return true;
    const size_t count = quipu__dumpi_types[layout->type].field_count <= QUIPU__DUMPI_ARGUMENTS_MOST
                             ? list_arguments(layout, fixed, keys, 0, arguments)
                             : 0;
    if (count == 0) {
        layout->need = QUIPU_NONE;
        return true;
    }
    layout->arguments = keep_arguments(arguments, count, arena);
    layout->uncarried =
        keep_arguments(arguments, list_arguments(layout, fixed, keys, layout->row->exact, arguments), arena);
    return layout->arguments && layout->uncarried;
}

/* ---- Layouts ---- */

/* The lists after the numbers; nothing else may follow. */
static const struct quipu__binary_step *set_lists(const struct quipu__binary_codec *codec,
                                                  const struct quipu__binary_step *step,
                                                  struct quipu__dumpi_fast_layout *layout) {
    const struct quipu__dumpi_call_row *row = layout->row;
    if (is_step_of(step, QUIPU__OP_NUMBERS, row, QUIPU__DUMPI_USE_requests) && step->load == QUIPU__LOAD_32) {
        layout->has_requests = true;
        step++;
    }
    if (is_step_of(step, QUIPU__OP_MARKED, row, QUIPU__DUMPI_USE_status) &&
        codec->machine.version >= QUIPU__DUMPI_TAG_VERSION) {
        layout->has_statuses = true;
        step++;
    }
    return step;
}

/* Layouts without arguments point to this. */
static const struct quipu__dumpi_fast_argument no_argument = {.form = QUIPU__DUMPI_ARGUMENTS_END};

static bool make_layout(const struct quipu__binary_codec *codec, const uint32_t *keys,
                        struct quipu__arena *arena, uint32_t type, struct quipu__dumpi_fast_layout *layout) {
    const struct quipu__dumpi_call_row *row = &quipu__dumpi_calls[type];
    const struct quipu__binary_step *step = codec->plans[type].steps;
    const struct quipu__binary_step *fixed = step->op == QUIPU__OP_FIXED ? step : NULL;
    layout->type = type;
    layout->row = row;
    layout->arguments = layout->uncarried = &no_argument;
    step = set_lists(codec, fixed ? fixed + 1 + fixed->skip : step, layout);
    if (step->op == QUIPU__OP_END && set_offsets(row, fixed, layout))
        layout->need = QUIPU__DUMPI_CANONICAL_HEAD + (fixed ? fixed->bytes : 0u);
    return set_arguments(layout, fixed, keys, arena);
}

bool quipu__dumpi_fast_layouts_make(const struct quipu__binary_codec *codec,
                                    uint32_t *const keys[QUIPU__DUMPI_TYPE_COUNT], struct quipu__arena *arena,
                                    struct quipu__dumpi_fast_layout layouts[QUIPU__DUMPI_ID_LIMIT]) {
    for (uint32_t id = 0; id < QUIPU__DUMPI_ID_LIMIT; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        layouts[id] = (struct quipu__dumpi_fast_layout){.need = QUIPU_NONE};
        if (type != QUIPU_NONE && !make_layout(codec, keys[type], arena, type, &layouts[id]))
            return false;
    }
    return true;
}
