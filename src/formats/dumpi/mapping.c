/* mapping.c: mapping.def as data: the rows that to_model.c uses, and the description for the conversion report. */
#include "formats/dumpi/mapping.h"

/* ---- Uses as bits ---- */

enum {
#define ARGUMENT(use, column, outcome, note) IS_EXACT_##use = QUIPU__OUTCOME_##outcome == QUIPU__OUTCOME_EXACT,
    QUIPU__DUMPI_ARGUMENTS(ARGUMENT)
#undef ARGUMENT
};

#define FLOW(operation, sent_by, sent_blocks, received_by, received_blocks)
#define OPERATION(operation)
#define JOINTLY
#define JOINTLY_ON_WINDOW
#define JOINTLY_ON_FILE
#define BEGINS_JOINTLY
#define ENDS_JOINTLY
#define CALL(record, call_class, arguments) HAS_##record = 0 arguments,
#define ARG(record, use, member) | UINT32_C(1) << QUIPU__DUMPI_USE_##use
enum {
#include "formats/dumpi/mapping.def"
};

#define FLOW(operation, sent_by, sent_blocks, received_by, received_blocks)
#define OPERATION(operation)
#define JOINTLY
#define JOINTLY_ON_WINDOW
#define JOINTLY_ON_FILE
#define BEGINS_JOINTLY
#define ENDS_JOINTLY
#define CALL(record, call_class, arguments) EXACT_##record = 0 arguments,
#define ARG(record, use, member) | IS_EXACT_##use << QUIPU__DUMPI_##record##_##member
enum {
#include "formats/dumpi/mapping.def"
};

/* ---- Rows ---- */

#define FLOW(model, by, blocks, to, shares)                                                                    \
    .operation = QUIPU_COLLECTIVE_##model, .sent_by = QUIPU__DUMPI_##by,                                       \
    .sent_blocks = QUIPU__DUMPI_BLOCKS_##blocks, .received_by = QUIPU__DUMPI_##to,                             \
    .received_blocks = QUIPU__DUMPI_BLOCKS_##shares,
#define OPERATION(model) .operation = model,
#define JOINTLY .joint = QUIPU__DUMPI_JOINT_BEGIN | QUIPU__DUMPI_JOINT_END,
#define JOINTLY_ON_WINDOW                                                                                      \
    .joint = QUIPU__DUMPI_JOINT_BEGIN | QUIPU__DUMPI_JOINT_END | QUIPU__DUMPI_JOINT_ON_WINDOW,
#define JOINTLY_ON_FILE .joint = QUIPU__DUMPI_JOINT_BEGIN | QUIPU__DUMPI_JOINT_END | QUIPU__DUMPI_JOINT_ON_FILE,
#define BEGINS_JOINTLY .joint = QUIPU__DUMPI_JOINT_BEGIN,
#define ENDS_JOINTLY .joint = QUIPU__DUMPI_JOINT_END,
#define ARG(record, use, member)                                                                               \
    .offsets[QUIPU__DUMPI_USE_##use] = offsetof(struct quipu__dumpi_##record, member),
#define CALL(record, kind, arguments)                                                                          \
    [QUIPU__DUMPI_TYPE_##record] = {.call_class = QUIPU__DUMPI_CALL_CLASS_##kind,                              \
                                    .has = HAS_##record,                                                       \
                                    .exact = EXACT_##record,                                                   \
                                    arguments},
const struct quipu__dumpi_call_row quipu__dumpi_calls[QUIPU__DUMPI_TYPE_COUNT] = {
#include "formats/dumpi/mapping.def"
};

const struct quipu__dumpi_later_call quipu__dumpi_later_calls[QUIPU__DUMPI_LATER_CALLS] = {
#define LATER_CALL(name, like, operation, mode)                                                                \
    {"MPI_" #name, QUIPU__DUMPI_TYPE_##like, QUIPU_COLLECTIVE_##operation, QUIPU__DUMPI_##mode},
#include "formats/dumpi/later_calls.def"
};

/* ---- The mapping ---- */

enum {
#define ARGUMENT(use, column, outcome, note)                                                                   \
    OUTCOME_##use = QUIPU__OUTCOME_##outcome, COLUMN_##use = QUIPU_COLUMN_##column,
    QUIPU__DUMPI_ARGUMENTS(ARGUMENT)
#undef ARGUMENT
};

#define ARGUMENT(use, column, outcome, note) static const char note_##use[] = note;
QUIPU__DUMPI_ARGUMENTS(ARGUMENT)
#undef ARGUMENT

#define FLOW(operation, sent_by, sent_blocks, received_by, received_blocks)
#define OPERATION(operation)
#define JOINTLY
#define JOINTLY_ON_WINDOW
#define JOINTLY_ON_FILE
#define BEGINS_JOINTLY
#define ENDS_JOINTLY
#define CALL(record, call_class, arguments)                                                                    \
    static const struct quipu__field_outcome record##_outcomes[] = {arguments};
#define ARG(record, use, member)                                                                               \
    {QUIPU__DUMPI_##record##_##member, (enum quipu__outcome)OUTCOME_##use, (enum quipu_column)COLUMN_##use,    \
     note_##use, 0},
#include "formats/dumpi/mapping.def"

/* Every call enters and leaves a region, and may carry counters. */
#define KINDS_OF_ALL                                                                                           \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_metric))

/* Which further events each class of calls makes. */
#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
#define COMPLETIONS (KIND(send_complete) | KIND(recv) | KIND(collective_end) | KIND(io_end))
#define KINDS_SEND KIND(send)
#define KINDS_RECV KIND(recv)
#define KINDS_PROBE KIND(probe)
#define KINDS_ISEND KIND(send)
#define KINDS_IRECV KIND(recv_post)
#define KINDS_SEND_INIT (KIND(collective_begin) | KIND(collective_end))
#define KINDS_RECV_INIT 0
#define KINDS_START (KIND(send) | KIND(recv_post) | KIND(collective_begin))
#define KINDS_STARTALL KINDS_START
#define KINDS_SENDRECV (KIND(send) | KIND(recv))
#define KINDS_WAIT COMPLETIONS
#define KINDS_WAITANY COMPLETIONS
#define KINDS_WAITALL COMPLETIONS
#define KINDS_WAITSOME COMPLETIONS
#define KINDS_REQUEST_FREE 0
#define KINDS_CANCEL KIND(cancel)
#define KINDS_COLLECTIVE (KIND(collective_begin) | KIND(collective_end))
#define KINDS_WIN_CREATE 0
#define KINDS_RMA (KIND(rma_begin) | KIND(rma_end))
#define KINDS_IO_OPEN KIND(io_open)
#define KINDS_IO_CLOSE KIND(io_close)
#define KINDS_IO_UNLINK KIND(io_unlink)
#define KINDS_IO_RESIZE KIND(io_resize)
#define KINDS_IO (KIND(io_begin) | KIND(io_end))
#define KINDS_IO_START KIND(io_begin)
#define KINDS_IO_BEGIN KIND(io_begin)
#define KINDS_IO_END KIND(io_end)
#define KINDS_IO_WAIT KIND(io_end)
#define KINDS_IO_WAITANY KIND(io_end)
#define KINDS_IO_WAITALL KIND(io_end)
#define KINDS_IO_WAITSOME KIND(io_end)
#define KINDS_PLAIN 0
#define KINDS_ENTER 0
#define KINDS_LEAVE 0

#define FLOW(operation, sent_by, sent_blocks, received_by, received_blocks)
#define OPERATION(operation)
#define JOINTLY | KIND(collective_begin) | KIND(collective_end)
#define JOINTLY_ON_WINDOW JOINTLY
#define JOINTLY_ON_FILE JOINTLY
#define BEGINS_JOINTLY | KIND(collective_begin)
#define ENDS_JOINTLY | KIND(collective_end)
#define ARG(record, use, member)
#define CALL(record, call_class, arguments)                                                                    \
    [QUIPU__DUMPI_TYPE_##record] = {.kinds = KINDS_OF_ALL | KINDS_##call_class arguments,                      \
                                    .fields = record##_outcomes,                                               \
                                    .field_count = sizeof record##_outcomes / sizeof *record##_outcomes},
static const struct quipu__mapping mappings[QUIPU__DUMPI_TYPE_COUNT] = {
#include "formats/dumpi/mapping.def"
};

static const struct quipu__mapping plain_call = {.kinds = KINDS_OF_ALL};
static const struct quipu__mapping section = {.is_definition = true},
                                   names_of_regions = {.is_definition = true,
                                                       .definitions = QUIPU__DEFINES(regions)},
                                   names_of_metrics = {.is_definition = true,
                                                       .definitions = QUIPU__DEFINES(metrics)};

const struct quipu__mapping *quipu__dumpi_mapping(uint32_t type) {
    if (type == QUIPU__DUMPI_TYPE_addresses)
        return &names_of_regions;
    if (type == QUIPU__DUMPI_TYPE_counters)
        return &names_of_metrics;
    if (quipu__dumpi_types[type].id >= QUIPU__DUMPI_END)
        return &section;
    return mappings[type].field_count ? &mappings[type] : &plain_call;
}
