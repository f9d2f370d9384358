/* rows.h: the rows of records.def and elements.def in terms of five macros. To expand them, define those that matter,
 * and include this file, the .def files and rows_end.h, which takes everything back; so this file has no guard.
 *
 *     BEGIN(record, id, title, role, order, doc)
 *     ROW(record, c_type, member, name, domain, element, shape, wire, width, count, left, right, since, until, doc)
 *     HIDDEN(record, c_type, member)
 *     END(record)
 *     ORDER(record, ...) with AT(record, member) in it
 *
 * width is the number of bytes of a value that is always there, else 0. */
#ifndef BEGIN
#define BEGIN(...)
#endif
#ifndef ROW
#define ROW(...)
#endif
#ifndef HIDDEN
#define HIDDEN(...)
#endif
#ifndef END
#define END(...)
#endif
#ifndef ORDER
#define ORDER(...)
#endif

#define RECORD(record, id, title, role, doc) BEGIN(record, id, title, role, NULL, doc)
#define REORDERED(record, id, title, role, doc) BEGIN(record, id, title, role, record##_order, doc)

#define QUIPU__DUMPI_VALUE(record, domain, member, name, width, left, right, since, until, doc)                \
    ROW(record, quipu__dumpi_##domain, member, name, domain, 0, QUIPU_ONE, QUIPU__DUMPI_WIRE_OF_##domain,      \
        width, none, left, right, since, until, doc)
#define FIELD(record, domain, member, doc)                                                                     \
    QUIPU__DUMPI_VALUE(record, domain, member, #member, QUIPU__DUMPI_WIDTH_OF_##domain, none, none, 0, 0, doc)
#define FIELD_AS(record, domain, member, name, doc)                                                            \
    QUIPU__DUMPI_VALUE(record, domain, member, name, QUIPU__DUMPI_WIDTH_OF_##domain, none, none, 0, 0, doc)
#define FIELD_IF(record, domain, member, left, right, doc)                                                     \
    QUIPU__DUMPI_VALUE(record, domain, member, #member, 0, left, right, 0, 0, doc)
#define FIELD_SINCE(record, domain, member, since, doc)                                                        \
    QUIPU__DUMPI_VALUE(record, domain, member, #member, 0, none, none, since, 0, doc)

#define QUIPU__DUMPI_LIST(record, domain, member, name, wire, count, left, right, since, until, doc)           \
    ROW(record, const quipu__dumpi_##domain *, member, name, domain, 0, QUIPU_LIST, wire, 0, count, left,      \
        right, since, until, doc)
#define LIST(record, domain, member, count, doc)                                                               \
    QUIPU__DUMPI_LIST(record, domain, member, #member, QUIPU__DUMPI_WIRE_OF_##domain, count, none, none, 0, 0, \
                      doc)
#define LIST_AS(record, domain, member, name, count, doc)                                                      \
    QUIPU__DUMPI_LIST(record, domain, member, name, QUIPU__DUMPI_WIRE_OF_##domain, count, none, none, 0, 0, doc)
#define LIST_IF(record, domain, member, count, left, right, doc)                                               \
    QUIPU__DUMPI_LIST(record, domain, member, #member, QUIPU__DUMPI_WIRE_OF_##domain, count, left, right, 0,   \
                      0, doc)
#define LIST_IN(record, domain, member, since, doc)                                                            \
    QUIPU__DUMPI_LIST(record, domain, member, #member, QUIPU__DUMPI_WIRE_OF_##domain, none, none, none, since, \
                      0, doc)
#define LIST_SINCE(record, domain, member, count, since, doc)                                                  \
    QUIPU__DUMPI_LIST(record, domain, member, #member, QUIPU__FORM_ONE, count, none, none, since, 0, doc)
#define FIELD_UNTIL(record, domain, member, until, doc)                                                        \
    QUIPU__DUMPI_LIST(record, domain, member, #member, QUIPU__FORM_ONE, none, none, none, 0, until, doc)
#define STRINGS(record, member, count, doc)                                                                    \
    QUIPU__DUMPI_LIST(record, str, member, #member, QUIPU__FORM_FROM_FIELD, count, none, none, 0, 0, doc)
#define SLOTS(record, domain, member, doc)                                                                     \
    QUIPU__DUMPI_LIST(record, domain, member, #member, QUIPU__FORM_SLOTS, none, none, none, 0, 0, doc)

#define QUIPU__DUMPI_ELEMENTS(record, element, member, wire, count, left, right, doc)                          \
    ROW(record, const struct quipu__dumpi_##element *, member, #member, element,                               \
        &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_##element], QUIPU_LIST, wire, 0, count, left, right, 0, 0, \
        doc)
#define LIST_OF(record, element, member, count, doc)                                                           \
    QUIPU__DUMPI_ELEMENTS(record, element, member, QUIPU__DUMPI_WIRE_OF_##element, count, none, none, doc)
#define LIST_OF_IF(record, element, member, count, left, right, doc)                                           \
    QUIPU__DUMPI_ELEMENTS(record, element, member, QUIPU__DUMPI_WIRE_OF_##element, count, left, right, doc)
#define STATUS(record, member, count, doc)                                                                     \
    QUIPU__DUMPI_ELEMENTS(record, status, member, QUIPU__DUMPI_WIRE_OF_status, count, none, none, doc)

#define VERSION(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
