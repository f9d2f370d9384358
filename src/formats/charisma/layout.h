/* layout.h: what a CHARISMA file looks like outside its records.
 *
 *     0  0x01234567, in the writer's byte order
 *     4  1, the version of the format
 *     8  records, back to back: no framing, no lengths, up to the end of the file
 *
 * A record is the memory image of a C struct of the machine that was traced; profiles.def has the machines. */
#ifndef QUIPU_CHARISMA_LAYOUT_H
#define QUIPU_CHARISMA_LAYOUT_H

#include <stdint.h>

#define QUIPU__CHARISMA_MAGIC UINT32_C(0x01234567)
#define QUIPU__CHARISMA_VERSION 1
#define QUIPU__CHARISMA_HEAD_BYTES 8

/* The arrays of characters whose lengths a profile says; the free text of a header has the same on every machine. */
enum quipu__charisma_length {
    QUIPU__CHARISMA_NAME_LENGTH,
    QUIPU__CHARISMA_PATH_LENGTH,
    QUIPU__CHARISMA_RELEASE_LENGTH,
    QUIPU__CHARISMA_LENGTH_COUNT
};
#define QUIPU__CHARISMA_RELEASE_BYTES 80

/* Bits of open_flags. Exactly one of the first three is expected. */
enum quipu__charisma_open {
    QUIPU__CHARISMA_OPEN_READ = 0x01,
    QUIPU__CHARISMA_OPEN_READ_WRITE = 0x02,
    QUIPU__CHARISMA_OPEN_WRITE = 0x04,
    QUIPU__CHARISMA_OPEN_CREATE = 0x08,
    QUIPU__CHARISMA_OPEN_TRUNCATE = 0x10,
    QUIPU__CHARISMA_OPEN_APPEND = 0x20,
    QUIPU__CHARISMA_OPEN_ACCESS = 0x07,
    QUIPU__CHARISMA_OPEN_ALL = 0x3f
};

/* The descriptor of records that open and close nothing, but say what a file is called. */
#define QUIPU__CHARISMA_NO_DESCRIPTOR (-1)

/* Bits of operation_type. */
enum quipu__charisma_operation {
    QUIPU__CHARISMA_ASYNCHRONOUS = 0x01,
    QUIPU__CHARISMA_WRITE = 0x02,
    QUIPU__CHARISMA_OF_CLIENT = 0x04, /* else of the application */
    QUIPU__CHARISMA_OPERATIONS = 0x07
};

#endif
