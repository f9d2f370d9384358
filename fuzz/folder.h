/* folder.h: folders of a target that runs: in memory where that is possible, removed when it ends. */
#ifndef QUIPU_FUZZ_FOLDER_H
#define QUIPU_FUZZ_FOLDER_H

#include "support.h"

/* Path of the folder of that name, which is made when it is asked for. QUIPU_FUZZ_FOLDER in the environment says where;
 * else it is /dev/shm or, without one, /tmp. */
const char *fuzz_folder(const char *name);

#define FUZZ_FILES 512

/* The names in a folder, ascending. */
struct fuzz_listing {
    size_t count;
    char names[FUZZ_FILES][256];
};
void fuzz_folder_list(const char *folder, struct fuzz_listing *out);

/* Makes a file. What is called .z is compressed unless it looks so already; ".", the folder itself, has no content. */
void fuzz_folder_write(const char *folder, const char *name, const void *data, size_t size);

/* Removes all files. */
void fuzz_folder_clear(const char *folder);

/* A number for the bytes of a file; names and bytes of all files. */
uint64_t fuzz_folder_hash(const char *folder, const char *name);
struct fuzz_digest fuzz_folder_digest(const char *folder);

/* Removes all folders. */
void fuzz_folder_remove_all(void);

#endif
