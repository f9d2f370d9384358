/* approximations.c: notes which fields of records a target does not copy exactly. */
#include "formats/descriptor.h"

void quipu__output_approximates(struct quipu__output_trace *output, const struct quipu_record_type *type,
                                uint16_t field, const char *reason) {
    for (size_t i = 0; i < output->approximations.count; i++) {
        struct quipu__approximation *known = &output->approximations.items[i];
        if (known->type == type && known->field == field) {
            known->records++;
            return;
        }
    }
    quipu__gate_knows(QUIPU__VEC_PUT(output->memory, &output->approximations,
                                     (struct quipu__approximation){type, field, reason, 1}));
}
