/* fast_calls.c: fast layouts follow from the plans of a codec and the rows of the mapping. */
#include "formats/dumpi/fast_calls.h"

/* Whether a number of more than one byte has the same number of bytes in the file and in memory. */
static bool keeps_width(const struct quipu__binary_step *step) {
    return step->type.bytes == step->size && step->size > 1;
}

/* Offset among the numbers of the member at an offset of the struct; QUIPU_NONE when it is not there, or has
 * another width there. */
static uint32_t offset_of(const struct quipu__binary_step *fixed, uint16_t member) {
    for (unsigned i = 1; i <= fixed->skip; i++)
        if (fixed[i].member == member)
            return keeps_width(&fixed[i]) ? fixed[i].bytes : QUIPU_NONE;
    return QUIPU_NONE;
}

static bool is_list(enum quipu__dumpi_use use) {
    return use == QUIPU__DUMPI_USE_requests || use == QUIPU__DUMPI_USE_status;
}

static bool set_offsets(const struct quipu__dumpi_call_row *row, const struct quipu__binary_step *fixed,
                        struct quipu__dumpi_fast_layout *layout) {
    for (uint32_t use = 0; use < QUIPU__DUMPI_USE_COUNT; use++) {
        if ((row->has >> use & 1) == 0 || is_list((enum quipu__dumpi_use)use))
            continue;
        const uint32_t offset = fixed ? offset_of(fixed, row->offsets[use]) : QUIPU_NONE;
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

static struct quipu__dumpi_fast_layout layout_of(const struct quipu__binary_codec *codec, uint32_t type) {
    const struct quipu__dumpi_call_row *row = &quipu__dumpi_calls[type];
    const struct quipu__binary_step *step = codec->plans[type].steps;
    const struct quipu__binary_step *fixed = step->op == QUIPU__OP_FIXED ? step : NULL;
    struct quipu__dumpi_fast_layout layout = {.need = QUIPU_NONE, .type = type, .row = row};
    const struct quipu__binary_step *rest = fixed ? fixed + 1 + fixed->skip : step;
    if (is_step_of(rest, QUIPU__OP_NUMBERS, row, QUIPU__DUMPI_USE_requests) && rest->load == QUIPU__LOAD_32) {
        layout.has_requests = true;
        rest++;
    }
    if (is_step_of(rest, QUIPU__OP_MARKED, row, QUIPU__DUMPI_USE_status) &&
        codec->machine.version >= QUIPU__DUMPI_TAG_VERSION) {
        layout.has_statuses = true;
        rest++;
    }
    if (rest->op == QUIPU__OP_END && set_offsets(row, fixed, &layout))
        layout.need = QUIPU__DUMPI_CANONICAL_HEAD + (fixed ? fixed->bytes : 0u);
    return layout;
}

void quipu__dumpi_fast_layouts_make(const struct quipu__binary_codec *codec,
                                    struct quipu__dumpi_fast_layout layouts[QUIPU__DUMPI_ID_LIMIT]) {
    for (uint32_t id = 0; id < QUIPU__DUMPI_ID_LIMIT; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        layouts[id] =
            type == QUIPU_NONE ? (struct quipu__dumpi_fast_layout){.need = QUIPU_NONE} : layout_of(codec, type);
    }
}
