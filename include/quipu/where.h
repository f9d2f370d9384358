/* where.h: expressions that select events: quipu_selection.where and the option --where.
 *
 *     bytes > 1M && region ~ "MPI_I?send" && rank in 0-7 && duration > 10us
 *
 *     expression = term { ("||" | "or") term }
 *     term       = factor { ("&&" | "and") factor }
 *     factor     = ("!" | "not") factor | "(" expression ")" | test
 *     test       = field
 *                | field ("==" | "=" | "!=") value
 *                | field ("<" | "<=" | ">" | ">=") number
 *                | field ("~" | "!~") text
 *                | field ["not"] "in" item { "," item }
 *     item       = value | number "-" number
 *     value      = number | text
 *     text       = "..." | '...' | a word
 *     number     = ["-"] digits ["." digits] [unit] | "0x" digits
 *     unit       = k K M G T | Ki Mi Gi Ti | ns us ms s min h
 *
 * A field alone asks whether the event has it. ~ searches the text for a PCRE2 regular expression, ignoring case,
 * without numbered groups; one that takes too many steps fails with QUIPU_NO_MEMORY. == compares the whole text. A
 * range includes both ends. In quotes, \ precedes a quote or another \. k, M, G and T are powers of 1000, Ki, Mi, Gi
 * and Ti of 1024; a B may follow them.
 *
 * Fields are those of quipu_where_field_at, and the fields of all kinds of events (quipu_kind_at). A field that refers
 * to a location may be followed by .rank, .host, .process, .pid or .tid, one that refers to a region by .role or
 * .group. A field that refers to a definition is compared with texts by name and with numbers by number (the order of
 * definition, from 0).
 *
 * A test of a field that the event does not have, or whose value is not known, is false, even with !=, !~ and "not in";
 * a ! before the test makes it true. The beginning and end of an operation on a file complete each other: a field that
 * one of them lacks has the value of the other. A handle stands for the file that was opened with it. Times count from
 * the trace's origin. Times and durations are compared in ticks with numbers that have no unit, and in nanoseconds,
 * rounded down as in everything that Quipu prints, with numbers that have one.
 */
#ifndef QUIPU_WHERE_H
#define QUIPU_WHERE_H

#include <quipu/base.h>

struct quipu_definitions;

#ifdef __cplusplus
extern "C" {
#endif

/* The longest expression, in bytes. */
#define QUIPU_WHERE_LENGTH 4096

/* Whether an expression is valid: QUIPU_OK, or QUIPU_MISUSE with a message that ends with the expression, a caret
 * before the error. Needs no trace. */
QUIPU_API enum quipu_status quipu_where_check(const char *expression, struct quipu_error *err);

/* Calls remark with a line for each text of an expression that names no definition of the kind tested, with what may
 * have been meant: 'no region of the trace is "mpi_send"; did you mean MPI_Send?'. */
QUIPU_API enum quipu_status quipu_where_remarks(const char *expression,
                                                const struct quipu_definitions *definitions,
                                                void (*remark)(void *context, const char *text), void *context,
                                                struct quipu_error *err);

/* A field of expressions that is not a field of some kind of event. Static. */
struct quipu_where_field {
    const char *name;
    const char *type; /* "name", "number", "time" */
    const char *doc;
};

QUIPU_API size_t quipu_where_field_count(void);

/* A field by index, which must be below the count. */
QUIPU_API const struct quipu_where_field *quipu_where_field_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
