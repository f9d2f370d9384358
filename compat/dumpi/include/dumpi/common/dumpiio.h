/* dumpiio.h: open files, and reading and writing the parts of a file one by one.
 *
 * Unless something else is said, functions that return int return non-zero when all went well, and 0 for a file that
 * is damaged or cannot be read or written.
 */
#ifndef DUMPI_COMMON_DUMPIIO_H
#define DUMPI_COMMON_DUMPIIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <dumpi/common/settings.h>
#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dumpi_memory_buffer;

/* A file that is open for reading or writing. Offsets of sections are 0 for those that are absent. */
typedef struct dumpi_profile {
    FILE *file;
    int32_t cpu_time_offset;  /* seconds that are added to all CPU times */
    int32_t wall_time_offset; /* seconds that are added to all wall times */
    long header, body, footer, keyval, perflbl, addrlbl, sizelbl;
    char version[3];
    struct dumpi_memory_buffer *membuf; /* the library's own */
    size_t target_membuf_size;
    uint64_t total_file_size;
    uint64_t pos;           /* reading: of the next call */
    uint64_t terminate_pos; /* undumpi_read_stream ends after the first call that ends here or later */
} dumpi_profile;

/* ---- Reading ---- */

/* Goes to the begin of the calls and reads the biases. */
int dumpi_start_stream_read(dumpi_profile *profile);

/* The names of the hardware counters, at most max of them; *count may be larger. */
void dumpi_read_perfctr_labels(dumpi_profile *profile, int *count, dumpi_perflabel_t *labels, int max);

/* The names of functions and annotations. The arrays and each name are the caller's to free(). */
int dumpi_read_function_addresses(dumpi_profile *profile, int *count, uint64_t **addresses, char ***names);

/* Whether version is a.b.c or newer. */
int dumpi_have_version(const char version[3], int a, int b, int c);

void dumpi_free_header(dumpi_header *header);
void dumpi_free_footer(dumpi_footer *footer);
void dumpi_free_keyval_record(dumpi_keyval_record *record);

/* ---- Writing ----
 *
 * The order of a file: dumpi_alloc_output_profile, profile->file = dumpi_open_output_file, calls (io.h),
 * dumpi_write_header, the other sections in any order, dumpi_write_index.
 */

/* A new file in memory, with its biases. buffer_bytes is what may be held before bytes are written; 0: a default. */
dumpi_profile *dumpi_alloc_output_profile(int cpu_bias, int wall_bias, int buffer_bytes);

/* The file to write to, for profile->file; NULL when it cannot be made. */
FILE *dumpi_open_output_file(const char *name);

/* Ends the calls and writes the header. A version of 0.0.0 in profile->version is replaced by the header's. */
int dumpi_write_header(dumpi_profile *profile, const dumpi_header *header);
int dumpi_write_footer(dumpi_profile *profile, const dumpi_footer *footer);
int dumpi_write_keyval_record(dumpi_profile *profile, const dumpi_keyval_record *record);
int dumpi_write_perfctr_labels(dumpi_profile *profile, const dumpi_perfinfo *perf);
int dumpi_write_datatype_sizes(dumpi_profile *profile, dumpi_sizeof sizes);
int dumpi_write_function_addresses(dumpi_profile *profile, int count, const uint64_t *addresses,
                                   char *const *names);

/* Writes the index, closes the file and frees the profile, also when that fails. */
int dumpi_write_index(dumpi_profile *profile);

/* Frees a profile whose file is not to be completed, and closes its file. NULL is accepted. */
void dumpi_free_profile(dumpi_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
