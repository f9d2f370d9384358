/* rows.h: Arrow's columns as values of Python. */
#ifndef QUIPU_PYTHON_ROWS_H
#define QUIPU_PYTHON_ROWS_H

#include "python.h"

#include <quipu/arrow.h>

/* A list of (name, type, unit, documentation), a tuple for each column; NULL with an exception. */
PyObject *rows_columns(const struct ArrowSchema *schema);

/* A list of the columns' lists of values; NULL with an exception. */
PyObject *rows_values(const struct ArrowSchema *schema, const struct ArrowArray *array);

#endif
