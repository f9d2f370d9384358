/* numbers.h: DUMPI's numbers of the values of one process: constants by the records PREDEFINED, handles in the order in which they are
 * first seen. */
#ifndef QUIPU_RECORD_MPI_NUMBERS_H
#define QUIPU_RECORD_MPI_NUMBERS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "record/mpi/stream.h"

struct quipu__mpi_numbers {
    struct quipu__map of[QUIPU__MPI_SPACE_COUNT]; /* value to number */
    uint32_t next[QUIPU__MPI_SPACE_COUNT];        /* of a handle that is new */
    struct quipu__map type_sizes;                 /* of datatypes, by value */
    struct quipu__map sized;                      /* number of a datatype by value and size, hashed */
    QUIPU__VEC(int32_t) sizes;                    /* by number */
    bool has_failed;                              /* memory is out */
};

void quipu__mpi_numbers_init(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory);
void quipu__mpi_numbers_release(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory);

/* Record PREDEFINED of a space, record SIZES. */
void quipu__mpi_predefine(struct quipu__mpi_numbers *numbers, unsigned space, const uint8_t *data, size_t size);

/* Record RENUMBERED. */
void quipu__mpi_renumber(struct quipu__mpi_numbers *numbers, const uint8_t *data, size_t size);
void quipu__mpi_set_sizes(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory, const uint8_t *data,
                          size_t size);

/* A datatype has been made. Where an earlier one had the same value and another size, this one gets a number of its own: a trace has one size
 * for each number. */
void quipu__mpi_set_size(struct quipu__mpi_numbers *numbers, uint64_t type, int64_t size);

/* The space of a domain by its name, or QUIPU__MPI_SPACE_COUNT: numbers are as they are. */
unsigned quipu__mpi_space_of(const char *domain);

/* The request of a message that a probe has taken, which is received by that; and what a request stands for that receives it without blocking. */
int64_t quipu__mpi_message_number(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory,
                                  uint64_t message);
void quipu__mpi_receive_message(struct quipu__mpi_numbers *numbers, uint64_t message, uint64_t request);

/* A value's number. */
int64_t quipu__mpi_number(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory, unsigned space,
                          int64_t value);

#endif
