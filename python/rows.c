/* rows.c: see rows.h. Only what streams of the library have: numbers of 64 bits, texts, dictionaries of texts; arrays without an offset. */
#include "rows.h"

#include <string.h>

/* ---- Columns ---- */

/* The value of a key of a column's metadata: how many entries there are, then the length and bytes of each key and value. */
static PyObject *metadata_of(const struct ArrowSchema *schema, const char *wanted) {
    const char *at = schema->metadata;
    int32_t entries, key_len, value_len;
    if (!at)
        return PyUnicode_FromString("");
    memcpy(&entries, at, sizeof entries);
    for (at += sizeof entries; entries > 0; entries--) {
        memcpy(&key_len, at, sizeof key_len);
        const char *key = at + sizeof key_len;
        memcpy(&value_len, key + key_len, sizeof value_len);
        const char *value = key + key_len + sizeof value_len;
        if ((size_t)key_len == strlen(wanted) && memcmp(key, wanted, (size_t)key_len) == 0)
            return PyUnicode_DecodeUTF8(value, value_len, "replace");
        at = value + value_len;
    }
    return PyUnicode_FromString("");
}

static const char *type_of(const struct ArrowSchema *schema) {
    if (schema->dictionary)
        return "category";
    switch (schema->format[0]) {
    case 'l':
        return "i64";
    case 'L':
        return "u64";
    case 'g':
        return "f64";
    default:
        return "text";
    }
}

PyObject *rows_columns(const struct ArrowSchema *schema) {
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < schema->n_children; i++) {
        const struct ArrowSchema *column = schema->children[i];
        PyObject *tuple = Py_BuildValue("ssNN", column->name, type_of(column), metadata_of(column, "unit"),
                                        metadata_of(column, "doc"));
        if (!tuple || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

/* ---- Values ---- */

static PyObject *text_at(const struct ArrowArray *array, int64_t row) {
    const int32_t *ends = array->buffers[1];
    return PyUnicode_DecodeUTF8((const char *)array->buffers[2] + ends[row], ends[row + 1] - ends[row],
                                "replace");
}

/* A text of a dictionary is made once for all of its rows. */
static PyObject *named_at(const struct ArrowArray *array, PyObject *names, int64_t row) {
    const int32_t number = ((const int32_t *)array->buffers[1])[row];
    PyObject *name = PyList_GetItem(names, number);
    if (name == Py_None) {
        name = text_at(array->dictionary, number);
        if (name && PyList_SetItem(names, number, name) != 0)
            name = NULL;
    }
    Py_XINCREF(name);
    return name;
}

static PyObject *value_at(char format, const struct ArrowArray *array, PyObject *names, int64_t row) {
    const uint8_t *known = array->buffers[0];
    if (known && (known[row / 8] >> row % 8 & 1) == 0) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    if (names)
        return named_at(array, names, row);
    switch (format) {
    case 'l':
        return PyLong_FromLongLong(((const int64_t *)array->buffers[1])[row]);
    case 'L':
        return PyLong_FromUnsignedLongLong(((const uint64_t *)array->buffers[1])[row]);
    case 'g':
        return PyFloat_FromDouble(((const double *)array->buffers[1])[row]);
    default:
        return text_at(array, row);
    }
}

/* A list of n times None. */
static PyObject *list_of(int64_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (int64_t i = 0; list && i < count; i++) {
        Py_INCREF(Py_None);
        PyList_SetItem(list, (Py_ssize_t)i, Py_None);
    }
    return list;
}

static PyObject *column_of(const struct ArrowSchema *schema, const struct ArrowArray *array) {
    PyObject *names = array->dictionary ? list_of(array->dictionary->length) : NULL;
    PyObject *list = names || !array->dictionary ? list_of(array->length) : NULL;
    for (int64_t row = 0; list && row < array->length; row++) {
        PyObject *value = value_at(schema->format[0], array, names, row);
        if (!value || PyList_SetItem(list, (Py_ssize_t)row, value) != 0)
            Py_CLEAR(list);
    }
    Py_XDECREF(names);
    return list;
}

PyObject *rows_values(const struct ArrowSchema *schema, const struct ArrowArray *array) {
    PyObject *columns = PyList_New(0);
    for (int64_t i = 0; columns && i < array->n_children; i++) {
        PyObject *column = column_of(schema->children[i], array->children[i]);
        if (!column || PyList_Append(columns, column) != 0)
            Py_CLEAR(columns);
        Py_XDECREF(column);
    }
    return columns;
}
