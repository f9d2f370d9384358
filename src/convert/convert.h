/* convert.h: conversion to any target, be it in a list or not. */
#ifndef QUIPU_CONVERT_CONVERT_H
#define QUIPU_CONVERT_CONVERT_H

#include "formats/descriptor.h"

#include <quipu/tools.h>

/* quipu_convert with the target at hand. Without a path nothing is read or written: quipu_convert_explain. */
enum quipu_status quipu__convert(struct quipu_reader *reader, const char *path,
                                 const struct quipu__format *target,
                                 const struct quipu_convert_options *options, struct quipu_ledger **ledger,
                                 struct quipu_error *err);

#endif
