/* calls.h: the table of calls.def in memory: what each argument of a call is, and what is recorded of it. Recorder and collector read
 * the same table, so the records of a stream need no description. */
#ifndef QUIPU_RECORD_MPI_CALLS_H
#define QUIPU_RECORD_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of calls.def, in its order. */
enum quipu__mpi_row {
#define CALL(number, name, lower, upper, words, fortran_words, signature) QUIPU__MPI_##name,
#define TIME_CALL(number, name, lower, upper) QUIPU__MPI_##name,
#define ADDRESS_CALL(number, name, lower, upper) QUIPU__MPI_##name,
#define LARGE_CALL(number, name, words, signature) QUIPU__MPI_##name,
#include "record/mpi/calls.def"
#undef CALL
#undef TIME_CALL
#undef ADDRESS_CALL
#undef LARGE_CALL
    QUIPU__MPI_ROWS
};

#define QUIPU__MPI_OWN UINT32_MAX /* a call without a DUMPI record */
#define QUIPU__MPI_INSIDE                                                                                      \
    (UINT32_C(1) << 31) /* flag of a number: such a call, with a record of that number inside */
#define QUIPU__MPI_TOKENS 16

/* Handles come first, so that they can number tables. */
enum quipu__mpi_kind {
    QUIPU__MPI_COMM,
    QUIPU__MPI_DTYPE,
    QUIPU__MPI_GROUP,
    QUIPU__MPI_OP,
    QUIPU__MPI_REQ,
    QUIPU__MPI_INFO,
    QUIPU__MPI_FILE,
    QUIPU__MPI_WIN,
    QUIPU__MPI_ERRH,
    QUIPU__MPI_MESSAGE,
    QUIPU__MPI_SESSION,
    QUIPU__MPI_HANDLES,
    QUIPU__MPI_NOTHING = QUIPU__MPI_HANDLES,
    QUIPU__MPI_SENDBUF,
    QUIPU__MPI_INT,
    QUIPU__MPI_INDEX,
    QUIPU__MPI_AINT,
    QUIPU__MPI_OLD,
    QUIPU__MPI_STR,
    QUIPU__MPI_STRS,
    QUIPU__MPI_LISTS,
    QUIPU__MPI_STATUS,
    QUIPU__MPI_RANGE,
    QUIPU__MPI_ARGC,
    QUIPU__MPI_ARGV,
    QUIPU__MPI_KINDS
};

/* What is asked of MPI when a call has ended. */
enum quipu__mpi_question {
    QUIPU__MPI_NO_QUESTION,
    QUIPU__MPI_RANK,
    QUIPU__MPI_SIZE,
    QUIPU__MPI_LOCAL,
    QUIPU__MPI_TOTAL,
    QUIPU__MPI_EDGES,
    QUIPU__MPI_CARTDIM,
    QUIPU__MPI_GRAPHNODES,
    QUIPU__MPI_GRAPHEDGES,
    QUIPU__MPI_NEIGHBORS,
    QUIPU__MPI_INTEGERS,
    QUIPU__MPI_ADDRESSES,
    QUIPU__MPI_DATATYPES,
    QUIPU__MPI_LEADER,
    QUIPU__MPI_SLOT
};

/* A token of a signature. Numbers of tokens are -1 where there is none. */
struct quipu__mpi_token {
    const char *field;    /* not terminated */
    uint8_t field_length; /* 0: nothing is recorded */
    uint8_t kind, question;
    uint8_t word, fortran_word; /* number of the argument */
    uint8_t string;             /* number among the strings of the call */
    int8_t length, condition;   /* the tokens that say how many, and whether */
    bool is_pointer, is_exit, is_list, is_at_root, is_not_aliased;
};

/* How C's values are copied, most of them in one step; what is looked at first is COMPLEX. */
enum quipu__mpi_copy {
    QUIPU__MPI_COMPLEX,
    QUIPU__MPI_PASSED_SIGNED, /* an int that was passed */
    QUIPU__MPI_PASSED_UNSIGNED,
    QUIPU__MPI_PASSED_WORD,
    QUIPU__MPI_POINTED_SIGNED, /* one that a pointer points to */
    QUIPU__MPI_POINTED_UNSIGNED,
    QUIPU__MPI_POINTED_WORD
};

struct quipu__mpi_step {
    uint8_t token, word, copy;
};

struct quipu__mpi_call {
    const char *name; /* MPI_Send */
    uint32_t number;  /* of the DUMPI record, or QUIPU__MPI_OWN */
    uint32_t inside;  /* of the DUMPI record inside of a call that has none of its own, or QUIPU__MPI_OWN */
    uint8_t words, fortran_words, token_count;
    uint8_t entry_count, exit_count;
    struct quipu__mpi_step entry[QUIPU__MPI_TOKENS], exit[QUIPU__MPI_TOKENS]; /* what is recorded then */
    bool has_entry_lists, has_exit_lists; /* sizes of records are not known before */
    bool has_questions;
    int8_t communicator, root, rank, sendbuf;
    int8_t status, status_count; /* what MPI fills in, and how many at most */
    struct quipu__mpi_token tokens[QUIPU__MPI_TOKENS];
};

extern struct quipu__mpi_call quipu__mpi_calls[QUIPU__MPI_ROWS];

/* Reads the signatures; called once, before anything else. False: a signature is wrong, whose row is *out_row. */
bool quipu__mpi_calls_init(uint32_t *out_row);

/* Says which kinds of handles are pointers, a bit per kind: others are ints. Until then all steps are COMPLEX. */
void quipu__mpi_calls_set_pointers(uint32_t pointer_kinds);

/* Tells tables that differ from each other: a stream can be read with the table that it was written with only. */
uint64_t quipu__mpi_calls_hash(void);

/* The token of that field, or -1. */
int quipu__mpi_token_of(const struct quipu__mpi_call *call, const char *field, size_t length);

static inline bool quipu__mpi_is_handle(unsigned kind) {
    return kind < QUIPU__MPI_HANDLES;
}

/* In Fortran such an argument has a hidden length behind all others. */
static inline bool quipu__mpi_is_text(unsigned kind) {
    return kind == QUIPU__MPI_STR || kind == QUIPU__MPI_STRS || kind == QUIPU__MPI_LISTS;
}

/* Bytes of one recorded value of a kind in a list. */
static inline size_t quipu__mpi_element_bytes(unsigned kind) {
    switch (kind) {
    case QUIPU__MPI_INT:
    case QUIPU__MPI_INDEX:
        return 4;
    case QUIPU__MPI_RANGE:
        return 12;
    case QUIPU__MPI_STATUS:
        return 24;
    default:
        return 8;
    }
}

#endif
