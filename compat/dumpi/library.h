/* library.h: what the files of the library share: the private half of an open profile. */
#ifndef COMPAT_DUMPI_LIBRARY_H
#define COMPAT_DUMPI_LIBRARY_H

#include "file.h"
#include "writer.h"

#include <dumpi/libundumpi/libundumpi.h>

struct dumpi_memory_buffer {
    struct quipu__undumpi_file reader;   /* of a profile that is read */
    struct quipu__undumpi_writer writer; /* of a profile that is written */
    struct quipu__scratch scratch;       /* writing: lists of the current call */
    bool is_writing;
    bool has_codec;      /* writing: the version was looked at */
    dumpi_perfinfo perf; /* reading: counters of the current call */
    char fault[512];
};

/* Fails: notes why the reader stopped, "" when it did not. */
void quipu__undumpi_note(dumpi_profile *profile, enum quipu_status status);

#endif
