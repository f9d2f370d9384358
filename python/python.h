/* python.h: Python's header, restricted to what stays the same in all versions from 3.9 on. */
#ifndef QUIPU_PYTHON_PYTHON_H
#define QUIPU_PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#endif
