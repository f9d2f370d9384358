/* format.c: the descriptor. */
#include "formats/paraver/format.h"

const struct quipu__format quipu__paraver_format = {
    .info = {.name = "paraver",
             .title = "Paraver, the viewer of the Barcelona Supercomputing Center",
             .suffixes = ".prv",
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_STREAM,
             .schema = &quipu__paraver_schema,
             .rules = quipu__paraver_rules,
             .rule_count = QUIPU__PARAVER_RULE_COUNT},
    .reading = &quipu__paraver_reading,
    .copying = &quipu__paraver_copying,
    .writing = &quipu__paraver_writing,
};
