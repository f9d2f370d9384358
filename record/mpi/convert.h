/* convert.h: a recorded call as a record of DUMPI. */
#ifndef QUIPU_RECORD_MPI_CONVERT_H
#define QUIPU_RECORD_MPI_CONVERT_H

#include "formats/dumpi/mapping.h"
#include "record/mpi/numbers.h"
#include "record/mpi/recorded.h"
#include "schema/schema.h"

/* What a token of a signature is in DUMPI. */
struct quipu__mpi_target {
    const struct quipu_field *field; /* NULL: none */
    unsigned space;                  /* of its values */
};

struct quipu__mpi_plan {
    uint32_t type;      /* of the DUMPI record, or QUIPU_NONE */
    uint32_t inside;    /* of the DUMPI record inside of a call that has none, or QUIPU_NONE */
    uint32_t later;     /* row of DUMPI's later_calls.def, or QUIPU__DUMPI_LATER_CALLS */
    bool frees_handles; /* MPI may give a handle's value to another one before the call has ended */
    struct quipu__mpi_target targets[QUIPU__MPI_TOKENS];
};

struct quipu__mpi_converter {
    struct quipu__memory *memory;
    struct quipu__scratch scratch;
    struct quipu__mpi_plan plans[QUIPU__MPI_ROWS];
    union quipu__dumpi_any record; /* the one converted last */
    int64_t request;               /* DUMPI's number of that of a call without a record, or of its message */
    uint64_t message;              /* the value of that */
    uint64_t
        bounded; /* counts and sizes that DUMPI's 32 bits cannot hold: the largest number stands for them */
};

/* False: a field of a signature is none of its record; *out_row says which call's. */
bool quipu__mpi_converter_init(struct quipu__mpi_converter *converter, struct quipu__memory *memory,
                               uint32_t *out_row);
void quipu__mpi_converter_release(struct quipu__mpi_converter *converter);

/* Fills converter->record, of the plan's type or of the one inside; of a call that has neither only the sizes of the datatypes that it has made are
 * noted. False when the recorded bytes are not those of such a call. */
bool quipu__mpi_convert(struct quipu__mpi_converter *converter, struct quipu__mpi_numbers *numbers,
                        const struct quipu__mpi_recorded *recorded);

#endif
