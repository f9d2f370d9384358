/* calls.h: the few functions behind those of which there is one for each call, and how the latter are called. */
#ifndef COMPAT_DUMPI_CALLS_H
#define COMPAT_DUMPI_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <dumpi/libundumpi/bindings.h>

/* dumpi_read_...: the call whose number was taken goes into val, a struct of size bytes; lists and strings are malloc()ed. */
int quipu__undumpi_read(uint32_t type, void *val, size_t size, uint16_t *thread, dumpi_time *cpu,
                        dumpi_time *wall, dumpi_perfinfo *perf, dumpi_profile *profile);

/* dumpi_write_... */
int quipu__undumpi_write(uint32_t type, const void *val, uint16_t thread, const dumpi_time *cpu,
                         const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output,
                         dumpi_profile *profile);

/* libundumpi_grab_... */
int quipu__undumpi_grab(uint32_t type, dumpi_profile *profile, libundumpi_unsafe_fun callout, void *userarg);

/* libundumpi_grab_... of each type of call. */
extern const libdumpi_do_callback quipu__undumpi_grabs[];

#endif
