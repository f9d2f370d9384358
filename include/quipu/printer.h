/* printer.h: times as text, and events as lines of text or JSON.
 *
 *     struct quipu_printer_options options = QUIPU_PRINTER_OPTIONS_INIT;
 *     struct quipu_printer *printer;
 *     options.json = true;
 *     status = quipu_printer_new(quipu_reader_definitions(reader), &options, sink, &printer, &err);
 *     while (status == QUIPU_OK && (status = quipu_reader_next(reader, &event, &err)) == QUIPU_OK)
 *         status = quipu_printer_put(printer, &event, &err);
 *     if (status == QUIPU_END)
 *         status = quipu_printer_flush(printer, &err);
 *     quipu_printer_free(printer);
 */
#ifndef QUIPU_PRINTER_H
#define QUIPU_PRINTER_H

#include <quipu/base.h>
#include <quipu/model.h>
#include <quipu/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Times ---- */

/* What times are counted from. Ticks are plain numbers; all other times show a unit, so that no time can be taken for
 * another. */
enum quipu_time_style {
    QUIPU_TIME_RELATIVE, /* 1.500000000s since the trace's origin */
    QUIPU_TIME_ABSOLUTE, /* the same since time 0 of the files */
    QUIPU_TIME_TICKS,    /* 1500, ticks of the trace's clock since its origin */
    QUIPU_TIME_WALL,     /* 2026-11-20T11:44:43.000000000Z: date and time of day, UTC */
    QUIPU_TIME_DELTA,    /* +0.000000010s since the event before */
    QUIPU_TIME_LOCAL /* 2026-11-20T12:44:43.000000000+01:00: the same in the time zone of TZ, with its offset from UTC */
};

/* Each unit has enough decimal places for nanoseconds. */
enum quipu_time_unit { QUIPU_UNIT_S, QUIPU_UNIT_MS, QUIPU_UNIT_US, QUIPU_UNIT_NS };

#define QUIPU_TIME_TEXT_BYTES 48

/* Writes a duration in nanoseconds, such as "1.500000000s". Returns text. */
QUIPU_API char *quipu_duration_text(int64_t ns, enum quipu_time_unit unit, char text[QUIPU_TIME_TEXT_BYTES]);

/* Writes nanoseconds since 1970 UTC as date and time of day, "2026-11-20T11:44:43.000000000Z". Returns text. */
QUIPU_API char *quipu_date_text(int64_t unix_ns, char text[QUIPU_TIME_TEXT_BYTES]);

/* ---- Events ---- */

struct quipu_printer_options {
    bool json;                  /* one JSON object per line; style and unit matter for text only */
    enum quipu_time_style time; /* where the clock's rate is not known: always ticks */
    enum quipu_time_unit unit;
    const char *const *fields; /* names of the fields to print; NULL: everything */
    size_t field_count;
    struct quipu_allocator allocator;
};
/* clang-format off */
#define QUIPU_PRINTER_OPTIONS_INIT {false, QUIPU_TIME_RELATIVE, QUIPU_UNIT_S, NULL, 0, {NULL, NULL}}
/* clang-format on */

struct quipu_printer;

/* Makes a printer of a trace's events. The definitions are borrowed; the fields are read before it returns. A field is
 * "time", "location", "kind", "attributes", or the name of a kind's field or of an attribute. QUIPU_MISUSE when a field
 * is none of these, or when QUIPU_TIME_WALL or QUIPU_TIME_LOCAL is asked for and the trace does not know the time of
 * day. */
QUIPU_API enum quipu_status quipu_printer_new(const struct quipu_definitions *definitions,
                                              const struct quipu_printer_options *options,
                                              struct quipu_sink sink, struct quipu_printer **out,
                                              struct quipu_error *err);

/* Prints an event. As text: time, location, kind, then NAME=VALUE with names instead of numbers; unknown values are
 * left out. As JSON {"time" (ticks), "time_ns", "location", "kind", …, "attributes"}: numbers of definitions stay as
 * they are, and names stand beside them as "location_name", "region_name" ...; attributes are JSON values. Lines are
 * buffered before they reach the sink. */
QUIPU_API enum quipu_status quipu_printer_put(struct quipu_printer *printer, const struct quipu_event *event,
                                              struct quipu_error *err);

/* Prints a native record, as quipu_record_write_text and quipu_record_write_json do; of the options only json and the
 * allocator matter. Lines are buffered before they reach the sink. */
QUIPU_API enum quipu_status quipu_printer_put_record(struct quipu_printer *printer,
                                                     const struct quipu_schema *schema,
                                                     const struct quipu_record *record,
                                                     struct quipu_error *err);

/* Passes everything that was printed to the sink. */
QUIPU_API enum quipu_status quipu_printer_flush(struct quipu_printer *printer, struct quipu_error *err);

QUIPU_API void quipu_printer_free(struct quipu_printer *printer);

/* Names of the fields that events of all kinds have; NULL after the last. */
QUIPU_API const char *quipu_printer_column_at(size_t index);

/* One event as one line of JSON, or of text with the time since the origin: for few events. */
QUIPU_API enum quipu_status quipu_event_write_json(const struct quipu_definitions *definitions,
                                                   const struct quipu_event *event, struct quipu_sink sink,
                                                   struct quipu_error *err);
QUIPU_API enum quipu_status quipu_event_write_text(const struct quipu_definitions *definitions,
                                                   const struct quipu_event *event, struct quipu_sink sink,
                                                   struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
