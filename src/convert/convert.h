/* convert.h: conversion to any target, whether it is in a list or not. */
#ifndef QUIPU_CONVERT_CONVERT_H
#define QUIPU_CONVERT_CONVERT_H

#include "formats/descriptor.h"

#include <quipu/convert.h>

/* One conversion from a reader to a writer. */
struct quipu__conversion {
    struct quipu_reader *reader;
    struct quipu_writer *writer; /* NULL until transfer */
    const struct quipu__format *source, *target;
    const struct quipu_convert_options *options;
    bool copies;              /* records are copied, so nothing is lost */
    const void *task_options; /* further options of transfer */
    /* NULL: a database is written. */
    enum quipu_status (*transfer)(struct quipu__conversion *conversion, struct quipu_error *err);
    struct quipu_conversion_report *loss;
};

/* Reads ahead, creates the output, transfers everything, completes the report, which the caller gets in any case, and closes
 * the output. Without a path only the report is made. */
enum quipu_status quipu__conversion_run(struct quipu__conversion *conversion, const char *path,
                                        struct quipu_conversion_report **loss, struct quipu_error *err);

/* Begins all streams of events, so that those without records exist too. */
enum quipu_status quipu__conversion_begin_events(const struct quipu__conversion *conversion,
                                                 struct quipu_error *err);

/* The format of that name, if it can be written. */
enum quipu_status quipu__find_target(const char *name, const struct quipu__format **out,
                                     struct quipu_error *err);

/* quipu_convert with a given target. Without a path nothing is read or written: quipu_convert_explain. */
enum quipu_status quipu__convert(struct quipu_reader *reader, const char *path,
                                 const struct quipu__format *target,
                                 const struct quipu_convert_options *options,
                                 struct quipu_conversion_report **loss, struct quipu_error *err);

#endif
