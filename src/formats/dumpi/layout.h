/* layout.h: the fixed numbers of a DUMPI file. Everything is big-endian. */
#ifndef QUIPU_DUMPI_LAYOUT_H
#define QUIPU_DUMPI_LAYOUT_H

#include <stdint.h>

#define QUIPU__DUMPI_MAGIC UINT64_C(0xffaadd44554d5049)
#define QUIPU__DUMPI_FOOTER_MAGIC UINT64_C(0x00000000f007fee7)

/* The stream of calls follows the magic in every file seen; it begins with two biases. */
#define QUIPU__DUMPI_BODY 8
#define QUIPU__DUMPI_BEGIN_BYTES 8

/* The stream of calls ends with one of these numbers instead of a record's. */
#define QUIPU__DUMPI_END 293
#define QUIPU__DUMPI_OLD_END 290
#define QUIPU__DUMPI_PCONTROL 128 /* counted, never recorded */

#define QUIPU__DUMPI_ID_LIMIT 293 /* ids of calls are below */
#define QUIPU__DUMPI_SLOTS 291    /* call counts in a footer; the last is for totals */

/* A record begins with u16 id, u8 mask. */
#define QUIPU__DUMPI_RECORD_LEAST 3
#define QUIPU__DUMPI_MASK_STATUS 0x03
#define QUIPU__DUMPI_MASK_CPU 0x04
#define QUIPU__DUMPI_MASK_WALL 0x08
#define QUIPU__DUMPI_MASK_UNUSED 0x30
#define QUIPU__DUMPI_MASK_THREAD 0x40
#define QUIPU__DUMPI_MASK_COUNTERS 0x80

/* The mask of most records: thread and both clocks, no counters; with it, the bytes before the arguments, and the offsets of
 * the times. */
#define QUIPU__DUMPI_CANONICAL_MASK (QUIPU__DUMPI_MASK_THREAD | QUIPU__DUMPI_MASK_CPU | QUIPU__DUMPI_MASK_WALL)
#define QUIPU__DUMPI_CANONICAL_HEAD 29
#define QUIPU__DUMPI_CANONICAL_CPU 5
#define QUIPU__DUMPI_CANONICAL_WALL 17
#define QUIPU__DUMPI_TIME_BYTES 6

/* Longer than any record: an input window does not grow beyond it. */
#define QUIPU__DUMPI_RECORD_LIMIT ((uint64_t)64 << 20)

/* The index is the last category in a file: the magic and three to seven offsets. */
#define QUIPU__DUMPI_INDEX_WORDS 8
#define QUIPU__DUMPI_INDEX_WORDS_LEAST 5

/* Number and name of versions: 13.0.0 is 0x0d0000. */
#define QUIPU__DUMPI_VERSION(major, minor, patch)                                                              \
    ((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(patch))
#define QUIPU__DUMPI_TAG_VERSION QUIPU__DUMPI_VERSION(0, 6, 3) /* statuses have tags since */
#define QUIPU__DUMPI_NEWEST QUIPU__DUMPI_VERSION(13, 0, 0)
#define QUIPU__DUMPI_UNBELIEVABLE                                                                              \
    QUIPU__DUMPI_VERSION(100, 0, 0) /* newer versions are read, but not from this one on */

/* Handles with a fixed number. */
#define QUIPU__DUMPI_COMM_NULL 1
#define QUIPU__DUMPI_COMM_WORLD 2
#define QUIPU__DUMPI_COMM_SELF 3
#define QUIPU__DUMPI_COMM_USER 4
#define QUIPU__DUMPI_GROUP_NULL 1
#define QUIPU__DUMPI_GROUP_EMPTY 2
#define QUIPU__DUMPI_GROUP_USER 3
#define QUIPU__DUMPI_REQUEST_NULL 1
#define QUIPU__DUMPI_BYTE 5
#define QUIPU__DUMPI_USER_DATATYPE 28
#define QUIPU__DUMPI_ANY_SOURCE (-1)
#define QUIPU__DUMPI_ANY_TAG (-1)

/* DUMPI has no room for where calls were made: what the recorder hands over has it as a counter with this name, whose values are keys of labels.
 * A key has the number of the place in its lower half; the label is LINE, CALLER, FUNCTION and FILE with tabs between them, where CALLER is
 * the number of another place, or empty. */
#define QUIPU__DUMPI_CALL_SITES "quipu::call_site"
#define QUIPU__DUMPI_CALL_SITE_KEYS UINT64_C(0x4d50490100000000)
#define QUIPU__DUMPI_IS_CALL_SITE(key) ((key) >> 32 == QUIPU__DUMPI_CALL_SITE_KEYS >> 32)

/* MPI's own numbers, which differ between libraries; these are Open MPI's. */
#define QUIPU__DUMPI_PROC_NULL (-2)
#define QUIPU__DUMPI_IS_ROOT(root) ((root) == -4 || (root) == -3) /* MPI_ROOT of Open MPI or MPICH */
#define QUIPU__DUMPI_UNDEFINED (-32766)

#endif
