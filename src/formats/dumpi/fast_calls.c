/* fast_calls.c: fast layouts follow from the plans of a codec and the rows of the mapping. */
#include "formats/dumpi/fast_calls.h"

/* Whether a number of more than one byte has the same number of bytes in the file and in memory. */
static bool keeps_width(const struct quipu__binary_step *step) {
    return step->type.bytes == step->size && step->size > 1;
}

/* The place of the member at an offset of the struct, among the numbers; QUIPU_NONE when it is not there, or has
 * another width there. */
static uint32_t place_of(const struct quipu__binary_step *run, uint16_t member) {
    for (unsigned i = 1; i <= run->skip; i++)
        if (run[i].member == member)
            return keeps_width(&run[i]) ? run[i].bytes : QUIPU_NONE;
    return QUIPU_NONE;
}

static bool is_list(enum quipu__dumpi_use use) {
    return use == QUIPU__DUMPI_USE_requests || use == QUIPU__DUMPI_USE_status;
}

static bool place_numbers(const struct quipu__dumpi_call_row *row, const struct quipu__binary_step *run,
                          struct quipu__dumpi_fast_layout *shape) {
    for (uint32_t use = 0; use < QUIPU__DUMPI_USE_COUNT; use++) {
        if ((row->has >> use & 1) == 0 || is_list((enum quipu__dumpi_use)use))
            continue;
        const uint32_t place = run ? place_of(run, row->offsets[use]) : QUIPU_NONE;
        if (place == QUIPU_NONE)
            return false;
        shape->offsets[use] = (uint16_t)place;
    }
    return true;
}

/* Whether a list step is the one that a use of the call is about. */
static bool is_step_of(const struct quipu__binary_step *step, enum quipu__binary_op op,
                       const struct quipu__dumpi_call_row *row, enum quipu__dumpi_use use) {
    return step->op == op && (row->has >> use & 1) != 0 && step->member == row->offsets[use];
}

static struct quipu__dumpi_fast_layout shape_of(const struct quipu__binary_codec *codec, uint32_t type) {
    const struct quipu__dumpi_call_row *row = &quipu__dumpi_calls[type];
    const struct quipu__binary_step *step = codec->plans[type].steps;
    const struct quipu__binary_step *run = step->op == QUIPU__OP_RUN ? step : NULL;
    struct quipu__dumpi_fast_layout shape = {.need = QUIPU_NONE, .type = type, .row = row};
    const struct quipu__binary_step *rest = run ? run + 1 + run->skip : step;
    if (is_step_of(rest, QUIPU__OP_NUMBERS, row, QUIPU__DUMPI_USE_requests) && rest->load == QUIPU__LOAD_32) {
        shape.has_requests = true;
        rest++;
    }
    if (is_step_of(rest, QUIPU__OP_MARKED, row, QUIPU__DUMPI_USE_status) &&
        codec->machine.version >= QUIPU__DUMPI_TAG_VERSION) {
        shape.has_statuses = true;
        rest++;
    }
    if (rest->op == QUIPU__OP_END && place_numbers(row, run, &shape))
        shape.need = QUIPU__DUMPI_USUAL_HEAD + (run ? run->bytes : 0u);
    return shape;
}

void quipu__dumpi_shapes_make(const struct quipu__binary_codec *codec,
                              struct quipu__dumpi_fast_layout shapes[QUIPU__DUMPI_ID_LIMIT]) {
    for (uint32_t id = 0; id < QUIPU__DUMPI_ID_LIMIT; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        shapes[id] =
            type == QUIPU_NONE ? (struct quipu__dumpi_fast_layout){.need = QUIPU_NONE} : shape_of(codec, type);
    }
}
