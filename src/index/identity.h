/* identity.h: which state of which trace an index belongs to.
 *
 * A change of any byte of any file of the trace is noticed. Where size, inode and both times of a file are what they were when the
 * index was made, the file is what it was: the system sets the time of the last change, and no program can set it back. Where they
 * are not, the file is a copy or has been touched, and the checksum of all its bytes tells. Checksums of more than
 * QUIPU__IDENTITY_BYTES_MOST bytes take too long to be made whenever an index is used: then the index is uncertain, unless the reader's
 * options ask for all checksums.
 */
#ifndef QUIPU_INDEX_IDENTITY_H
#define QUIPU_INDEX_IDENTITY_H

#include "index/index.h"

#define QUIPU__IDENTITY_BYTES_MOST ((uint64_t)1 << 30)

/* Appends what the trace is, with checksums of all its files. */
enum quipu_status quipu__identity_put(const struct quipu__trace *trace, struct quipu__buffer *out,
                                      struct quipu_error *err);

/* Appends what the trace is as far as opening it tells, without a look at its files. */
void quipu__identity_put_reading(const struct quipu__trace *trace, struct quipu__buffer *out);

/* Appends what its files look like without reading them. */
enum quipu_status quipu__identity_put_stamps(const struct quipu__trace *trace, struct quipu__buffer *out,
                                             struct quipu_error *err);

/* What is compared: all of it; or the files alone, of a trace that is not open yet but whose files are listed, where FITS means that none of them
 * had to be read for that; or all but the files. */
enum quipu__identity_section { QUIPU__IDENTITY_ALL, QUIPU__IDENTITY_STAMPS, QUIPU__IDENTITY_READING };

/* FITS, CHANGED, UNCERTAIN or UNREADABLE for what quipu__identity_put gave when an index was made. The bytes are not
 * trusted. */
enum quipu__index_answer quipu__identity_compare(const struct quipu__trace *trace, struct quipu__slice then,
                                                 enum quipu__identity_section section, struct quipu_error *why);

/* The path of a trace's file by a number from 0, files that are no streams first; NULL behind the last. */
static inline const char *quipu__identity_file(const struct quipu__trace *trace, size_t number) {
    if (number < trace->other_files.count)
        return trace->other_files.items[number];
    const size_t stream = number - trace->other_files.count;
    return stream < trace->streams.count ? trace->streams.items[stream].path : NULL;
}

#endif
