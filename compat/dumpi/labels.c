/* labels.c: names of calls and of predefined values, by the tables. */
#include "formats/dumpi/records.h"

#include <dumpi/common/constants.h>
#include <dumpi/common/funclabels.h>
#include <dumpi/common/funcs.h>

/* By number. Some numbers are no calls. */
const char *dumpi_function_names[DUMPI_END_OF_STREAM + 1] = {
#define CALL(record, number, name, type, family, call, grab, callback) [number] = (name),
#include "calls.def"
    [DUMPI_Pcontrol] = "MPI_Pcontrol",
    [DUMPI_ALL_FUNCTIONS] = "MPI_ALL_FUNCTIONS",
    [DUMPI_END_OF_STREAM] = "DUMPI_NO_SUCH_FUNCTION",
};

const char *dumpi_get_function_name(int funcid) {
    return dumpi_function_names[funcid >= 0 && funcid < DUMPI_END_OF_STREAM ? funcid : DUMPI_END_OF_STREAM];
}

const char *dumpi_function_label(dumpi_function func) {
    return dumpi_get_function_name((int)func);
}

#define NAMES(kind, domain)                                                                                    \
    const char *dumpi_get_##kind##_name(dumpi_##kind value) {                                                  \
        return quipu__dumpi_label_of(domain, value);                                                           \
    }
NAMES(request, "req")
NAMES(datatype, "dtype")
NAMES(comm, "comm")
NAMES(group, "group")
NAMES(info, "info")
NAMES(file, "file")
NAMES(win, "win")
NAMES(errhandler, "errh")
NAMES(keyval, "keyval")
NAMES(op, "op")
NAMES(combiner, "combiner")
NAMES(topology, "topo")
NAMES(locktype, "lock")
NAMES(whence, "whence")
NAMES(win_assert, "wassert")
NAMES(filemode, "amode")
NAMES(typeclass, "tclass")
NAMES(threadlevel, "tlevel")
NAMES(comparison, "cmp")
NAMES(ordering, "order")
