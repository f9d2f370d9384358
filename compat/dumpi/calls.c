/* calls.c: the functions of which there is one for each call. They differ in name and type only. */
#include "calls.h"

#include "library.h"

#include <dumpi/common/dumpiio.h>

#define CALL(record, number, name, type, family, call, grab, callback)                                         \
    int family##_read_##call(type *val, DUMPI_READARGS) {                                                      \
        return quipu__undumpi_read(QUIPU__DUMPI_TYPE_##record, val, sizeof *val, thread, cpu, wall, perf,      \
                                   profile);                                                                   \
    }                                                                                                          \
    int family##_write_##call(const type *val, DUMPI_WRITEARGS) {                                              \
        return quipu__undumpi_write(QUIPU__DUMPI_TYPE_##record, val, thread, cpu, wall, perf, output,          \
                                    profile);                                                                  \
    }                                                                                                          \
    int grab(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg) {                              \
        return quipu__undumpi_grab(QUIPU__DUMPI_TYPE_##record, profile, callout, uarg);                        \
    }
#include "calls.def"

const libdumpi_do_callback quipu__undumpi_grabs[QUIPU__UNDUMPI_CALLS] = {
#define CALL(record, number, name, type, family, call, grab, callback) [QUIPU__DUMPI_TYPE_##record] = grab,
#include "calls.def"
};
