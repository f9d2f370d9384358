/* mapping.h: what mapping.def makes: for each call its class, and where its struct has the values for events. */
#ifndef QUIPU_DUMPI_MAPPING_H
#define QUIPU_DUMPI_MAPPING_H

#include "formats/descriptor.h"
#include "formats/dumpi/records.h"

/* What happens in a call. */
enum quipu__dumpi_call_class {
    QUIPU__DUMPI_CALL_CLASS_PLAIN, /* only enter and leave */
    QUIPU__DUMPI_CALL_CLASS_SEND,
    QUIPU__DUMPI_CALL_CLASS_RECV,
    QUIPU__DUMPI_CALL_CLASS_PROBE, /* that waits */
    QUIPU__DUMPI_CALL_CLASS_ISEND,
    QUIPU__DUMPI_CALL_CLASS_IRECV,
    QUIPU__DUMPI_CALL_CLASS_START, /* of persistent requests */
    QUIPU__DUMPI_CALL_CLASS_STARTALL,
    QUIPU__DUMPI_CALL_CLASS_SENDRECV,
    QUIPU__DUMPI_CALL_CLASS_WAIT, /* Wait and Test */
    QUIPU__DUMPI_CALL_CLASS_WAITANY,
    QUIPU__DUMPI_CALL_CLASS_WAITALL,
    QUIPU__DUMPI_CALL_CLASS_WAITSOME,
    QUIPU__DUMPI_CALL_CLASS_REQUEST_FREE,
    QUIPU__DUMPI_CALL_CLASS_CANCEL,
    QUIPU__DUMPI_CALL_CLASS_COLLECTIVE,
    QUIPU__DUMPI_CALL_CLASS_WIN_CREATE,
    QUIPU__DUMPI_CALL_CLASS_RMA,
    QUIPU__DUMPI_CALL_CLASS_IO_OPEN,
    QUIPU__DUMPI_CALL_CLASS_IO_CLOSE,
    QUIPU__DUMPI_CALL_CLASS_IO_UNLINK,
    QUIPU__DUMPI_CALL_CLASS_IO_RESIZE,
    QUIPU__DUMPI_CALL_CLASS_IO,       /* a whole transfer */
    QUIPU__DUMPI_CALL_CLASS_IO_START, /* a non-blocking transfer begins */
    QUIPU__DUMPI_CALL_CLASS_IO_BEGIN, /* a split collective transfer begins */
    QUIPU__DUMPI_CALL_CLASS_IO_END,
    QUIPU__DUMPI_CALL_CLASS_IO_WAIT, /* for I/O requests */
    QUIPU__DUMPI_CALL_CLASS_IO_WAITANY,
    QUIPU__DUMPI_CALL_CLASS_IO_WAITALL,
    QUIPU__DUMPI_CALL_CLASS_IO_WAITSOME,
    QUIPU__DUMPI_CALL_CLASS_SEND_INIT, /* from here on records may be no calls */
    QUIPU__DUMPI_CALL_CLASS_RECV_INIT,
    QUIPU__DUMPI_CALL_CLASS_ENTER, /* of a user's function */
    QUIPU__DUMPI_CALL_CLASS_LEAVE
};

/* Uses of a member: ARGUMENT(use, column that its value goes to, outcome, note) */
#define QUIPU__DUMPI_ARGUMENTS(ARGUMENT)                                                                       \
    ARGUMENT(count, COUNT, ATTRIBUTE, "as a number of bytes")                                                  \
    ARGUMENT(datatype, COUNT, ATTRIBUTE, "as a number of bytes")                                               \
    ARGUMENT(dest, peer, EXACT, "")                                                                            \
    ARGUMENT(tag, tag, EXACT, "")                                                                              \
    ARGUMENT(source, peer, EXACT, "")                                                                          \
    ARGUMENT(recvtag, tag, EXACT, "")                                                                          \
    ARGUMENT(comm, group, EXACT, "")                                                                           \
    ARGUMENT(request, id, ATTRIBUTE, "")                                                                       \
    ARGUMENT(waited, COUNT, ATTRIBUTE, "")                                                                     \
    ARGUMENT(requests, COUNT, ATTRIBUTE, "")                                                                   \
    ARGUMENT(status, COUNT, ATTRIBUTE, "")                                                                     \
    ARGUMENT(flag, COUNT, ATTRIBUTE, "")                                                                       \
    ARGUMENT(index, COUNT, ATTRIBUTE, "")                                                                      \
    ARGUMENT(outcount, COUNT, ATTRIBUTE, "")                                                                   \
    ARGUMENT(indices, COUNT, ATTRIBUTE, "")                                                                    \
    ARGUMENT(root, peer, EXACT, "")                                                                            \
    ARGUMENT(sendcount, COUNT, ATTRIBUTE, "as a number of bytes")                                              \
    ARGUMENT(sendtype, COUNT, ATTRIBUTE, "as a number of bytes")                                               \
    ARGUMENT(recvcount, COUNT, ATTRIBUTE, "as a number of bytes")                                              \
    ARGUMENT(recvtype, COUNT, ATTRIBUTE, "as a number of bytes")                                               \
    ARGUMENT(sendcounts, COUNT, ATTRIBUTE, "as a number of bytes")                                             \
    ARGUMENT(recvcounts, COUNT, ATTRIBUTE, "as a number of bytes")                                             \
    ARGUMENT(sendtypes, COUNT, ATTRIBUTE, "as a number of bytes")                                              \
    ARGUMENT(recvtypes, COUNT, ATTRIBUTE, "as a number of bytes")                                              \
    ARGUMENT(scope, COUNT, ATTRIBUTE, "as its communicator")                                                   \
    ARGUMENT(made, COUNT, ATTRIBUTE, "")                                                                       \
    ARGUMENT(file, group, EXACT, "")                                                                           \
    ARGUMENT(amode, operation, EXACT, "")                                                                      \
    ARGUMENT(filename, object, EXACT, "")                                                                      \
    ARGUMENT(size, bytes, EXACT, "")                                                                           \
    ARGUMENT(offset, value, EXACT, "")                                                                         \
    ARGUMENT(fn, object, EXACT, "")

enum quipu__dumpi_use {
#define ARGUMENT(use, column, outcome, note) QUIPU__DUMPI_USE_##use,
    QUIPU__DUMPI_ARGUMENTS(ARGUMENT)
#undef ARGUMENT
        QUIPU__DUMPI_USE_COUNT
};

/* Which processes send or receive in a collective operation. */
enum quipu__dumpi_who {
    QUIPU__DUMPI_NO_MEMBER,
    QUIPU__DUMPI_ALL,
    QUIPU__DUMPI_ROOT,
    QUIPU__DUMPI_OTHERS,
    QUIPU__DUMPI_NOT_FIRST,
    QUIPU__DUMPI_NOT_LAST
};

/* How many blocks they send or receive: one, one per member, the sum of a vector, the caller's element of a vector. */
enum quipu__dumpi_blocks {
    QUIPU__DUMPI_BLOCKS_0,
    QUIPU__DUMPI_BLOCKS_1,
    QUIPU__DUMPI_BLOCKS_MEMBERS,
    QUIPU__DUMPI_BLOCKS_VECTOR,
    QUIPU__DUMPI_BLOCKS_OWN
};

/* What all members of a communicator do together: in one call, or in two, of which one begins and the other ends it. */
enum quipu__dumpi_joint {
    QUIPU__DUMPI_JOINT_BEGIN = 1,
    QUIPU__DUMPI_JOINT_END = 2,
    QUIPU__DUMPI_JOINT_ON_WINDOW = 4, /* not on a communicator */
    QUIPU__DUMPI_JOINT_ON_FILE = 8
};

/* What to do with a call. Offsets of members that it lacks are 0 and not in has. */
struct quipu__dumpi_call_row {
    uint8_t call_class; /* enum quipu__dumpi_call_class */
    uint8_t operation;  /* of the model */
    uint8_t sent_by, sent_blocks, received_by, received_blocks;
    uint8_t joint;  /* enum quipu__dumpi_joint, for joint calls without communication */
    uint32_t has;   /* bit per use */
    uint32_t exact; /* bit per field that goes to a column unchanged */
    uint16_t offsets[QUIPU__DUMPI_USE_COUNT];
};

extern const struct quipu__dumpi_call_row quipu__dumpi_calls[QUIPU__DUMPI_TYPE_COUNT];

#define QUIPU__DUMPI_HAS(row, use) (((row)->has >> QUIPU__DUMPI_USE_##use & 1) != 0)

/* Collective calls without a record: functions, with a record of MPI_Send_init inside whose tag, below all others, says which. */
enum quipu__dumpi_later_mode { QUIPU__DUMPI_BLOCKING, QUIPU__DUMPI_NONBLOCKING, QUIPU__DUMPI_PERSISTENT };
struct quipu__dumpi_later_call {
    const char *name;
    uint32_t like;     /* type of the record of the blocking call */
    uint8_t operation; /* of the model */
    uint8_t mode;      /* enum quipu__dumpi_later_mode */
};
enum quipu__dumpi_later {
#define LATER_CALL(name, like, operation, mode) QUIPU__DUMPI_LATER_##name,
#include "formats/dumpi/later_calls.def"
    QUIPU__DUMPI_LATER_CALLS
};
#define QUIPU__DUMPI_FIRST_LATER_TAG (-1000) /* of the first row; that of the next one is smaller by 1 */

extern const struct quipu__dumpi_later_call quipu__dumpi_later_calls[QUIPU__DUMPI_LATER_CALLS];

const struct quipu__mapping *quipu__dumpi_mapping(uint32_t type);

#endif
