/* why_page.h: what a program loses time to, as a page for people. */
#ifndef QUIPU_CLI_WHY_PAGE_H
#define QUIPU_CLI_WHY_PAGE_H

#include <quipu/quipu.h>

/* Writes the tables of quipu_why. path is what commands name. */
enum quipu_status why_page_write(const struct quipu_tables *tables, const char *path, struct quipu_sink sink,
                                 struct quipu_error *err);

#endif
