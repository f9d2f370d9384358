/* communicators.h: which communicators are made where.
 *
 * Handles are numbers of one process, reused after a communicator is freed, and say nothing about members. Members
 * follow from the constructors, which all members of a parent call in the same order. */
#ifndef QUIPU_DUMPI_COMMUNICATORS_H
#define QUIPU_DUMPI_COMMUNICATORS_H

#include "formats/dumpi/format.h"

/* From the record at an offset on, a handle of this process stands for something else. */
struct quipu__dumpi_change {
    uint64_t offset;
    int32_t handle;
    bool is_file;    /* a file handle; else a communicator's */
    uint32_t number; /* of the file or group; QUIPU_NONE: not known */
};

/* A call that makes a communicator or a group, as the resolution needs it. */
struct quipu__dumpi_constructor {
    uint64_t offset;
    uint32_t type;  /* enum quipu__dumpi_type */
    int32_t parent; /* handle: of the communicator or (first) group */
    int32_t second; /* handle: of the group, the second group, the communicator that holds both leaders */
    int32_t result; /* handle of what was made */
    int32_t color;  /* or the caller's leader */
    int32_t key;    /* or the remote leader, or whether the caller's side comes last */
    uint32_t count; /* of numbers */
    const int32_t *numbers; /* ranks, ranges as triples, dimensions */
};

/* The constructors of one process, in file order. */
struct quipu__dumpi_constructors {
    QUIPU__VEC(struct quipu__dumpi_constructor) list;
};

/* True for calls that belong into the list, and for those of them that make a communicator. */
bool quipu__dumpi_is_constructor(uint32_t type);
bool quipu__dumpi_makes_communicator(uint32_t type);

/* Adds the call in the decoder to the list of its process; numbers are copied to the arena. */
enum quipu_status quipu__dumpi_add_constructor(struct quipu__dumpi_constructors *constructors,
                                               struct quipu__dumpi_trace *own,
                                               const struct quipu__dumpi_decoder *decoder, uint64_t offset,
                                               struct quipu_error *err);

/* A group for every communicator. resolved gets, per file, the number of the group that each constructor of its list
 * made, QUIPU_NONE for those that made none; the arrays have the lengths of the lists. */
enum quipu_status quipu__dumpi_resolve(struct quipu__dumpi_trace *own,
                                       const struct quipu__dumpi_constructors *constructors,
                                       uint32_t *const *resolved, struct quipu_error *err);

#endif
