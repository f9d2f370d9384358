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
 * A field alone asks whether the event has it. ~ looks for a regular expression of PCRE2 anywhere in the text, letters of either case,
 * without numbers for groups; one that takes too many steps is QUIPU_NO_MEMORY where it is looked for. == compares all of the text. Both
 * ends of a range belong to it. In quotes \ stands before a quote or another \. k, M, G and T are thousands, Ki, Mi, Gi and Ti steps of
 * 1024; a B may stand behind them.
 *
 * Fields are those of quipu_where_field_at, and the fields of all kinds of events (quipu_kind_at). A field that refers to a location
 * may have .rank, .host, .process, .pid or .tid behind it, one that refers to a region .role or .group. A field that refers to a definition is
 * compared by name with texts and by number (the order of definition, from 0) with numbers.
 *
 * A test of a field that the event does not have, or whose value is not known, is false, also with !=, !~ and "not in"; ! in front of
 * it makes that true. Of an operation on a file, what its beginning or its end does not say is what the other one says, and a handle stands for
 * the file that was opened with it. Times count from the trace's origin. They and durations are compared in ticks with numbers that have no unit, and with
 * others in nanoseconds, rounded down, as everything that Quipu prints.
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

/* Whether an expression is one: QUIPU_OK, or QUIPU_MISUSE with a message that ends in the expression, a caret in front of what is
 * wrong. Needs no trace. */
QUIPU_API enum quipu_status quipu_where_check(const char *expression, struct quipu_error *err);

/* Calls remark with a line for each text of an expression that no definition has which its test is about, and with what may have been
 * meant: 'no region of the trace is "mpi_send"; did you mean MPI_Send?'. */
QUIPU_API enum quipu_status quipu_where_remarks(const char *expression,
                                                const struct quipu_definitions *definitions,
                                                void (*remark)(void *context, const char *text), void *context,
                                                struct quipu_error *err);

/* A field that is no field of a kind. Static. */
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
