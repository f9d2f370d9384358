/* format.c: a database of SQLite, as the list of formats and the conversion report know it. README.md says who writes it. */
#include "formats/descriptor.h"

/* Events have all that records become, in columns or as attributes. */
static const struct quipu__capabilities capabilities = {.everything = true, .attributes = true};

static const struct quipu__writing writing = {.capabilities = &capabilities};

const struct quipu__format quipu__sqlite_format = {
    .info = {.name = "sqlite",
             .title = "SQLite, a database of all tables",
             .suffixes = ".sqlite",
             .abilities = QUIPU_CAN_WRITE | QUIPU_IS_ONE_FILE | QUIPU_IS_DATABASE},
    .writing = &writing,
};
