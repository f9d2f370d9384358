/* labels.c: names of calls and of predefined values, by the tables. */
#include "sheet.h"

#include <dumpi/common/constants.h>
#include <dumpi/common/funclabels.h>

const char *dumpi_get_function_name(int function) {
    const char *name = function < 0 ? NULL : quipu__undumpi_function_name((uint32_t)function);
    return name ? name : "DUMPI_NO_SUCH_FUNCTION";
}

const char *dumpi_function_label(dumpi_function function) {
    return dumpi_get_function_name((int)function);
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
