/* calls.c: the functions that write one call each. They differ in name and type only. */
#include "calls.h"

#include "formats/dumpi/records.h"

#include <dumpi/common/io.h>

#define CALL(record, type, name, callback)                                                                     \
    int name(const type *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,                  \
             const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile) {                \
        return quipu__undumpi_write(QUIPU__DUMPI_TYPE_##record, prm, thread, cpu, wall, perf, output,          \
                                    profile);                                                                  \
    }
#include "calls.def"
