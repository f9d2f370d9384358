/* file.h: one file that is open for reading, as the library and the commands use it: where its sections are, and its
 * calls one by one. It stands on the codec and the index of src/formats/dumpi and keeps strictly to the index, as the
 * original library does: a file without one cannot be opened. Getting over damage is the business of quipu. */
#ifndef COMPAT_DUMPI_FILE_H
#define COMPAT_DUMPI_FILE_H

#include "tail.h"

struct quipu__undumpi_file {
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__input *input;
    struct quipu__dumpi_index index; /* offsets that cannot be are 0 */
    struct quipu__binary_codec *codec;
    struct quipu__dumpi_decoder decoder; /* the call or section read last */
    uint32_t version;
    int32_t cpu_bias, wall_bias;
    uint64_t size;
    uint64_t calls_end;       /* the stream ends here or before */
    const uint8_t *end;       /* of the window, or of the stream when that comes first */
    struct quipu_error error; /* why a read failed last */
};

/* Opens a file, or says in error why that cannot be done. With raw_counts a number that tells the length of a list stays
 * as it was written, which may differ from the length (as in the original, it is replaced otherwise). */
enum quipu_status quipu__undumpi_open(struct quipu__undumpi_file *file, const char *path, bool raw_counts);
void quipu__undumpi_close(struct quipu__undumpi_file *file);

/* Decodes a section into the decoder. QUIPU_END when it is absent; QUIPU_CORRUPT when it is damaged. */
enum quipu_status quipu__undumpi_section(struct quipu__undumpi_file *file, uint32_t type);

/* Goes to the first call and reads the biases. */
enum quipu_status quipu__undumpi_rewind(struct quipu__undumpi_file *file);

/* The slow part of quipu__undumpi_next: the end, the end of the window, damage. QUIPU_OK: decode again. */
enum quipu_status quipu__undumpi_further(struct quipu__undumpi_file *file, enum quipu__dumpi_outcome outcome);

/* Offset of the next call. */
static inline uint64_t quipu__undumpi_offset(const struct quipu__undumpi_file *file) {
    return quipu__input_offset(file->input);
}

/* Decodes the next call. QUIPU_END after the last, QUIPU_CORRUPT where the file is damaged. */
QUIPU__INLINE enum quipu_status quipu__undumpi_next(struct quipu__undumpi_file *file) {
    for (;;) {
        const uint8_t *next = NULL;
        const enum quipu__dumpi_outcome outcome =
            quipu__dumpi_decode(&file->decoder, file->input->at, file->end, &next);
        if (QUIPU__LIKELY(outcome == QUIPU__DUMPI_OK)) {
            file->input->at = next;
            return QUIPU_OK;
        }
        const enum quipu_status status = quipu__undumpi_further(file, outcome);
        if (status != QUIPU_OK)
            return status;
    }
}

#endif
