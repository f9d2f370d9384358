/* fence.h: which files a trace may lead to. What the user has named is opened wherever it is; what files of the trace, or
 * links in its folder, name is opened only inside that folder, so that a trace from elsewhere cannot have other files read. */
#ifndef QUIPU_CORE_FENCE_H
#define QUIPU_CORE_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct quipu__fence {
    const char *trace, *index; /* that the user has named; index may be NULL */
    const char *folder_index;  /* the index beside the folder of the trace; may be NULL */
    const char *variant;       /* what the reader's options name, which may be a file; may be NULL */
    bool is_folder;            /* the trace is one */
};

/* Opens a regular file for reading, as quipu__os_open_read; the errno of one outside is EXDEV. fence NULL: nothing is
 * outside. */
int quipu__fence_open(const struct quipu__fence *fence, const char *path);

#endif
