/* support.h: what the fuzz targets share: putting bytes where a reader finds them, and reading everything. */
#ifndef QUIPU_FUZZ_SUPPORT_H
#define QUIPU_FUZZ_SUPPORT_H

#include <quipu/quipu.h>

/* The entry of every target, as libFuzzer calls it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Path of a file with these bytes; the same path for every call. NULL when it cannot be written. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A reader that takes the file for that format, with little memory; NULL when it refuses. */
struct quipu_reader *fuzz_open(const char *path, const struct quipu_format *format);

/* Reads all records, then all events in time order, printing each into nothing. Ends the program when a reader
 * goes on for ever: more records than any input of this size can hold. */
void fuzz_read_all(struct quipu_reader *reader, size_t size);

#endif
