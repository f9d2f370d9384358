/* rows.h: the one macro dialect of all records.def and types.def, so that rows read alike in every format. A .def file begins
 * with this file and ends with rows_end.h, which undefines everything; so neither has a guard.
 *
 * What a format has, in records.def:
 *
 *     RECORD(record, id, group, doc)                     a record type; rows up to END(record) are its fields, in the
 *                                                        order of the members of its C struct
 *     RECORD_AS(record, id, name, group, doc)            its name differs from the struct's: MPI_Send
 *     REORDERED(record, id, name, group, doc)            the file has another order of fields: ORDER gives it
 *     KEYED_RECORD(record, id, group, key, long key, doc)
 *                                                        a line of text that begins with a keyword
 *     ELEMENT(record, name, doc), REORDERED_ELEMENT      the element of a list of structs; not a record type
 *     END(record)
 *     ORDER(record, ...)                                 numbers of the fields in file order: NUMBER(record, member)
 *     HIDDEN(record, member, C type)                     a member of the struct that the file does not have
 *
 *     FIELD(record, member, domain, doc)                 one value
 *     LIST(record, member, domain, count, doc)           a number, so many values; count is the field that had the number
 *                                                        when it was written, or none
 *     LIST_OF(record, member, element, count, doc)       the same with structs
 *     ARRAY(record, member, domain, count, doc)          as many values as the field count says
 *     ARRAY_OF(record, member, element, count, doc)      the same with structs
 *     SLOTS(record, member, domain, doc)                 as many values as the machine has slots
 *     CHARACTERS(record, member, domain, doc)            a text in an array whose length the machine gives for the domain
 *     KEYED(record, member, domain, key, long key, presence, doc)
 *                                                        a value behind a keyword; presence: enum quipu__presence
 *     KEYED_LIST(the same)                               a keyword, any number of values
 *
 *     ..._AS(record, member, name, ...)                  the field's name differs from the member's: position.in
 *     ..._IF(..., left, right, doc)                      present only where these two fields are equal
 *     ..._SINCE(..., version, doc)                       absent before a version
 *     FIELD_UNTIL(..., version, doc)                     a value, as a list, and absent since a version
 *     VALUE_THEN_LIST(record, member, domain, count, version, doc)
 *                                                        a single value before a version, a LIST since
 *
 * and in types.def:
 *
 *     DOMAIN(name, storage, wire, role, word)            what the values of a field are: struct quipu_domain
 *     KEYED_DOMAIN(name, storage, role, word)            the same in a file of text
 *     LABELED_DOMAIN(name, storage, wire, role, word, labels, other)
 *                                                        whose values have names: other names those without a row
 *     LABELS(labels), LABEL(labels, value, text) ascending by value, LABELS_END(labels)
 *     HANDLE_LABELS(labels, first, below)                handles: the first number that is a user's own, and the name of
 *                                                        numbers below it without a row, NULL when other names them too
 *
 * To expand the rows, define those of the following that matter and include the .def file:
 *
 *     RECORD_ROW(record, id, name, group, key, key_long, order, doc)    then BEGIN(record)
 *     ELEMENT_ROW(record, name, order, doc)                             then BEGIN(record)
 *     FIELD_ROW(record, c_type, member, domain, key, key_long, presence, name, shape, element, wire, bytes, count, left, right,
 *               since, until, doc)
 *     HIDDEN(record, member, c_type), ORDER(record, ...), END(record)
 *     DOMAIN_ROW(name, storage, wire, role, word, labels, other), LABELS_ROW(labels, first, below), LABEL, LABELS_END
 *
 * bytes is the number of bytes of a value that is always there, else 0. rows_structs.h and rows_tables.h make the structs and
 * tables of a format, so that few others need to. */
#ifndef RECORD_ROW
#define RECORD_ROW(...)
#endif
#ifndef ELEMENT_ROW
#define ELEMENT_ROW(...)
#endif
#ifndef BEGIN
#define BEGIN(record)
#endif
#ifndef FIELD_ROW
#define FIELD_ROW(...)
#endif
#ifndef HIDDEN
#define HIDDEN(...)
#endif
#ifndef END
#define END(record)
#endif
#ifndef ORDER
#define ORDER(...)
#endif
#ifndef DOMAIN_ROW
#define DOMAIN_ROW(...)
#endif
#ifndef LABELS_ROW
#define LABELS_ROW(...)
#endif
#ifndef LABEL
#define LABEL(...)
#endif
#ifndef LABELS_END
#define LABELS_END(labels)
#endif

/* ---- Records ---- */

#define RECORD_AS(record, id, name, group, doc)                                                                \
    RECORD_ROW(record, id, name, group, "", "", NULL, doc) BEGIN(record)
#define RECORD(record, id, group, doc) RECORD_AS(record, id, #record, group, doc)
#define REORDERED(record, id, name, group, doc)                                                                \
    RECORD_ROW(record, id, name, group, "", "", record##_order, doc) BEGIN(record)
#define KEYED_RECORD(record, id, group, key, key_long, doc)                                                    \
    RECORD_ROW(record, id, #record, group, key, key_long, NULL, doc) BEGIN(record)
#define ELEMENT(record, name, doc) ELEMENT_ROW(record, name, NULL, doc) BEGIN(record)
#define REORDERED_ELEMENT(record, name, doc) ELEMENT_ROW(record, name, record##_order, doc) BEGIN(record)

/* ---- Fields: one value ---- */

#define QUIPU__ROWS_VALUE(record, member, name, domain, bytes, left, right, since, until, doc)                 \
    FIELD_ROW(record, QUIPU__ROWS_C(domain), member, domain, "", "", ALWAYS, name, QUIPU_ONE, NULL,            \
              QUIPU__ROWS_WIRE_OF(domain), bytes, none, left, right, since, until, doc)
#define FIELD_AS(record, member, name, domain, doc)                                                            \
    QUIPU__ROWS_VALUE(record, member, name, domain, QUIPU__ROWS_BYTES_OF(domain), none, none, 0, 0, doc)
#define FIELD(record, member, domain, doc) FIELD_AS(record, member, #member, domain, doc)
#define FIELD_IF(record, member, domain, left, right, doc)                                                     \
    QUIPU__ROWS_VALUE(record, member, #member, domain, 0, left, right, 0, 0, doc)
#define FIELD_SINCE(record, member, domain, since, doc)                                                        \
    QUIPU__ROWS_VALUE(record, member, #member, domain, 0, none, none, since, 0, doc)
#define CHARACTERS(record, member, domain, doc)                                                                \
    FIELD_ROW(record, const char *, member, domain, "", "", ALWAYS, #member, QUIPU_ONE, NULL,                  \
              QUIPU__FORM_CHARACTERS, 0, none, none, none, 0, 0, doc)
#define KEYED(record, member, domain, key, key_long, presence, doc)                                            \
    FIELD_ROW(record, QUIPU__ROWS_C(domain), member, domain, key, key_long, presence, #member, QUIPU_ONE,      \
              NULL, QUIPU__PRESENCE_##presence, 0, none, none, none, 0, 0, doc)

/* ---- Fields: lists ---- */

#define QUIPU__ROWS_LIST(record, member, name, domain, wire, count, left, right, since, until, doc)            \
    FIELD_ROW(record, QUIPU__ROWS_C_LIST(domain), member, domain, "", "", ALWAYS, name, QUIPU_LIST, NULL,      \
              wire, 0, count, left, right, since, until, doc)
#define LIST_AS(record, member, name, domain, count, doc)                                                      \
    QUIPU__ROWS_LIST(record, member, name, domain, QUIPU__ROWS_WIRE_OF(domain), count, none, none, 0, 0, doc)
#define LIST(record, member, domain, count, doc) LIST_AS(record, member, #member, domain, count, doc)
#define LIST_IF(record, member, domain, count, left, right, doc)                                               \
    QUIPU__ROWS_LIST(record, member, #member, domain, QUIPU__ROWS_WIRE_OF(domain), count, left, right, 0, 0,   \
                     doc)
#define LIST_SINCE(record, member, domain, count, since, doc)                                                  \
    QUIPU__ROWS_LIST(record, member, #member, domain, QUIPU__ROWS_WIRE_OF(domain), count, none, none, since,   \
                     0, doc)
#define VALUE_THEN_LIST(record, member, domain, count, since, doc)                                             \
    QUIPU__ROWS_LIST(record, member, #member, domain, QUIPU__FORM_ONE, count, none, none, since, 0, doc)
#define FIELD_UNTIL(record, member, domain, until, doc)                                                        \
    QUIPU__ROWS_LIST(record, member, #member, domain, QUIPU__FORM_ONE, none, none, none, 0, until, doc)
#define ARRAY(record, member, domain, count, doc)                                                              \
    QUIPU__ROWS_LIST(record, member, #member, domain, QUIPU__FORM_FROM_FIELD, count, none, none, 0, 0, doc)
#define SLOTS(record, member, domain, doc)                                                                     \
    QUIPU__ROWS_LIST(record, member, #member, domain, QUIPU__FORM_SLOTS, none, none, none, 0, 0, doc)
#define KEYED_LIST(record, member, domain, key, key_long, presence, doc)                                       \
    FIELD_ROW(record, QUIPU__ROWS_C_LIST(domain), member, domain, key, key_long, presence, #member,            \
              QUIPU_LIST, NULL, QUIPU__PRESENCE_##presence, 0, none, none, none, 0, 0, doc)

#define QUIPU__ROWS_STRUCTS(record, member, its_element, wire, count, left, right, doc)                        \
    FIELD_ROW(record, QUIPU__ROWS_STRUCT_LIST(its_element), member, its_element, "", "", ALWAYS, #member,      \
              QUIPU_LIST, QUIPU__ROWS_ELEMENT(its_element), wire, 0, count, left, right, 0, 0, doc)
#define LIST_OF(record, member, element, count, doc)                                                           \
    QUIPU__ROWS_STRUCTS(record, member, element, QUIPU__ROWS_WIRE_OF(element), count, none, none, doc)
#define LIST_OF_IF(record, member, element, count, left, right, doc)                                           \
    QUIPU__ROWS_STRUCTS(record, member, element, QUIPU__ROWS_WIRE_OF(element), count, left, right, doc)
#define ARRAY_OF(record, member, element, count, doc)                                                          \
    QUIPU__ROWS_STRUCTS(record, member, element, QUIPU__FORM_FROM_FIELD, count, none, none, doc)

#define VERSION(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))

/* ---- Domains ---- */

#define LABELED_DOMAIN(name, storage, wire, role, word, labels, other)                                         \
    DOMAIN_ROW(name, storage, QUIPU__##wire, role, word, labels, other)
#define DOMAIN(name, storage, wire, role, word) DOMAIN_ROW(name, storage, QUIPU__##wire, role, word, none, NULL)
#define KEYED_DOMAIN(name, storage, role, word)                                                                \
    DOMAIN_ROW(name, storage, QUIPU__WIRE_NONE, role, word, none, NULL)
#define KEYED_LABELED_DOMAIN(name, storage, role, word, labels)                                                \
    DOMAIN_ROW(name, storage, QUIPU__WIRE_NONE, role, word, labels, NULL)
#define LABELS(labels) LABELS_ROW(labels, 0, NULL)
#define HANDLE_LABELS(labels, first, below) LABELS_ROW(labels, first, below)
