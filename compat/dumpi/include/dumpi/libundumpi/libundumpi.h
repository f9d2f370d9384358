/* libundumpi.h: reading DUMPI traces by callbacks.
 *
 *     libundumpi_callbacks callbacks;
 *     libundumpi_clear_callbacks(&callbacks);
 *     callbacks.on_send = my_send;
 *     dumpi_profile *profile = undumpi_open("run-0000.bin");
 *     if (profile) {
 *         undumpi_read_stream(profile, &callbacks, my_data, false);
 *         undumpi_close(profile);
 *         free(profile);
 *     }
 *
 * A callback gets the arguments of the call, its thread, its times and its hardware counters; none of these pointers
 * is NULL, and all of them are the library's, until the callback returns. Times are 0 when the file has none. What a
 * callback returns is not looked at.
 *
 * The library never ends the program. Damage in a file ends the reading of the calls before it; undumpi_fault says
 * what it was.
 */
#ifndef DUMPI_LIBUNDUMPI_LIBUNDUMPI_H
#define DUMPI_LIBUNDUMPI_LIBUNDUMPI_H

#include <stdbool.h>

#include <dumpi/common/argtypes.h>
#include <dumpi/common/constants.h>
#include <dumpi/common/dumpiio.h>
#include <dumpi/common/funclabels.h>
#include <dumpi/common/funcs.h>
#include <dumpi/common/io.h>
#include <dumpi/common/types.h>
#include <dumpi/libundumpi/callbacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Files ---- */

/* Opens the file of one rank. NULL when it cannot be opened, is no DUMPI file or has no index. */
dumpi_profile *undumpi_open(const char *fname);

/* Closes the file. The profile itself, which has nothing then, stays the caller's to free(), as in the original library.
 * NULL is accepted, and so is a profile that was closed. */
void undumpi_close(dumpi_profile *profile);

/* What was wrong with the file in the call before, in one line, "" when nothing was. Not in the original library. */
const char *undumpi_fault(const dumpi_profile *profile);

/* ---- Sections: an absent or damaged section comes back empty ---- */

/* NULL when there is no header. Free it with dumpi_free_header. */
dumpi_header *undumpi_read_header(dumpi_profile *profile);

/* Free it with dumpi_free_keyval_record; NULL when memory is out. */
dumpi_keyval_record *undumpi_read_keyval_record(dumpi_profile *profile);

/* Free it with dumpi_free_footer or free(); NULL when memory is out. */
dumpi_footer *undumpi_read_footer(dumpi_profile *profile);

/* size is the caller's to free(). */
dumpi_sizeof undumpi_read_datatype_sizes(dumpi_profile *profile);

/* ---- Calls ---- */

/* Reads all calls. 1, also when damage ends the reading; 0 without profile. With progress a line on stdout says at each
 * whole percent how far the reading is. */
int undumpi_read_stream(dumpi_profile *profile, const libundumpi_callbacks *callback, void *userarg,
                        bool print_progress);

/* The same; metaname appears in the progress line. */
int undumpi_read_stream_full(const char *metaname, dumpi_profile *profile, const libundumpi_callbacks *callback,
                             void *userarg, bool print_progress);

/* Reads the next call through callarr, an array of DUMPI_END_OF_STREAM pairs (bindings.h): 1 while more may follow, 0 at the
 * end. Needs dumpi_start_stream_read and *mpi_finalized = 0 before the first; *mpi_finalized becomes 1 at
 * MPI_Finalize. */
struct libundumpi_cbpair;
int undumpi_read_single_call(dumpi_profile *profile, struct libundumpi_cbpair *callarr, void *userarg,
                             int *mpi_finalized);

#ifdef __cplusplus
}
#endif
#endif
