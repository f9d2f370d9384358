/* layout.c: proves that the structs of the record tables and the argument structs of the library's headers are one,
 * so that a callback may be given a record. Nothing here becomes code. */
#include "formats/dumpi/records.h"

#include <stddef.h>

#include <dumpi/common/argtypes.h>

#define SAME(record, field, type, member)                                                                      \
    _Static_assert(offsetof(struct quipu__dumpi_##record, field) == offsetof(type, member) &&                  \
                       sizeof(((struct quipu__dumpi_##record *)0)->field) == sizeof(((type *)0)->member),      \
                   #type "." #member " is where " #record " has it");
#define MEMBER SAME
#include "calls.def"

_Static_assert(sizeof(struct quipu__dumpi_status) == sizeof(dumpi_status), "statuses have one size");
_Static_assert(sizeof(struct quipu__dumpi_range) == sizeof(int[3]), "ranges are rows of three numbers");
_Static_assert(sizeof(struct quipu__dumpi_texts) == sizeof(char **), "lists of arguments are pointers");
SAME(status, bytes, dumpi_status, bytes)
SAME(status, source, dumpi_status, source)
SAME(status, tag, dumpi_status, tag)
SAME(status, cancelled, dumpi_status, cancelled)
SAME(status, error, dumpi_status, error)
