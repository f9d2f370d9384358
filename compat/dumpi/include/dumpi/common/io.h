/* io.h: opening files, and reading and writing their sections one by one. Calls are in dumpiio.h.
 *
 * Functions that return int return 1 when all went well, and 0 for a file that is damaged or cannot be read or written,
 * and without profile. An absent section is read as an empty one.
 */
#ifndef DUMPI_COMMON_IO_H
#define DUMPI_COMMON_IO_H

#include <dumpi/common/dumpiio.h>
#include <dumpi/common/perfctrs.h>
#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a profile that has nothing, for a program that fills it itself. */
void dumpi_init_profile(dumpi_profile *profile);

/* ---- Reading ---- */

/* The same as undumpi_open. */
dumpi_profile *dumpi_open_input_file(const char *fname);

/* Sections. What they point to is the caller's to free; for the header that is what dumpi_free_header does. */
int dumpi_read_header(dumpi_profile *profile, dumpi_header *header);
int dumpi_read_footer(dumpi_profile *profile, dumpi_footer *footer);
int dumpi_read_keyval_record(dumpi_profile *profile, dumpi_keyval_record *keyval);
int dumpi_read_datatype_sizes(dumpi_profile *profile, dumpi_sizeof *sizes);

/* The names of the hardware counters, at most maxlabels of them; *counters may be larger. */
void dumpi_read_perfctr_labels(dumpi_profile *profile, int *counters, dumpi_perflabel_t *labels, int maxlabels);

/* The names of functions and annotations. The arrays and each name are the caller's to free(). */
int dumpi_read_function_addresses(dumpi_profile *profile, int *count, uint64_t **addresses, char ***names);

/* Goes to the begin of the calls and reads the biases. */
int dumpi_start_stream_read(dumpi_profile *profile);

/* ---- Writing ----
 *
 * The order of a file: dumpi_alloc_output_profile, profile->file = dumpi_open_output_file, calls (dumpiio.h),
 * dumpi_write_header, the other sections in any order, dumpi_write_index, dumpi_free_output_profile.
 */

/* A new file in memory, with its biases. target_buffer_size is what may be held before bytes are written; 0: a default.
 * NULL when memory is out. */
dumpi_profile *dumpi_alloc_output_profile(int cpu_bias, int wall_bias, int target_buffer_size);

/* Frees a profile and what it has, and closes its file if that is open. NULL is accepted. */
void dumpi_free_output_profile(dumpi_profile *profile);

/* The file to write to, for profile->file; NULL when it cannot be made. */
DUMPIFILE dumpi_open_output_file(const char *fname);

/* Begins the calls by the biases of the profile, unless that was done. */
int dumpi_start_stream_write(dumpi_profile *profile);

/* Ends the calls and writes the header. */
int dumpi_write_header(dumpi_profile *profile, const dumpi_header *header);
int dumpi_write_footer(dumpi_profile *profile, const dumpi_footer *footer);
int dumpi_write_keyval_record(dumpi_profile *profile, const dumpi_keyval_record *keyval);
int dumpi_write_perfctr_labels(dumpi_profile *profile, int counters, dumpi_perflabel_t *labels);
int dumpi_write_datatype_sizes(dumpi_profile *profile, const dumpi_sizeof *sizes);
int dumpi_write_function_addresses(dumpi_profile *profile, int count, const uint64_t *addresses, char **names);

/* Writes the offsets that the profile has as the index, and closes the file. */
int dumpi_write_index(dumpi_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
