/* format.h: the formats that the library knows, and recognising them. */
#ifndef QUIPU_FORMAT_H
#define QUIPU_FORMAT_H

#include <quipu/base.h>
#include <quipu/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a format can do here: bits of quipu_format.abilities. Foreign targets, for other tools, are formats that have
 * QUIPU_CAN_WRITE without QUIPU_CAN_READ. */
enum quipu_ability {
    QUIPU_CAN_READ = 1,
    QUIPU_CAN_WRITE = 2,         /* from events of any format */
    QUIPU_CAN_WRITE_RECORDS = 4, /* from its own records, without loss */
    QUIPU_CAN_CHECK = 8,
    QUIPU_CAN_REPAIR = 16,
    QUIPU_CAN_STREAM = 64,    /* reads from a pipe */
    QUIPU_CAN_COMPRESS = 128, /* the format itself has compressed files */

    /* Which options mean something to it; one that means nothing is refused with QUIPU_UNSUPPORTED. */
    QUIPU_HAS_STREAMS = 512,      /* writer: streams */
    QUIPU_WRITES_VARIANTS = 1024, /* writer: variant */
    QUIPU_READS_VARIANTS = 2048,  /* reader: variant */
    QUIPU_IS_ONE_FILE = 4096,     /* writer: "-", standard output */

    QUIPU_IS_DATABASE = 8192 /* written from a whole trace, by quipu_convert alone */
};

/* How sure a format is that an input belongs to it. */
enum quipu_score { QUIPU_SCORE_NO, QUIPU_SCORE_NAME_ONLY, QUIPU_SCORE_LIKELY, QUIPU_SCORE_CERTAIN };

/* What is publicly known of a format. Static. */
struct quipu_format {
    const char *name;     /* "otf" */
    const char *title;    /* "Open Trace Format 1.x" */
    const char *suffixes; /* space separated, with dots, the preferred one first: ".otf" */
    uint32_t abilities;
    const struct quipu_schema *schema; /* NULL in formats that are not read */
    const struct quipu_rule *rules;
    size_t rule_count;
    const struct quipu_option *options; /* of its writer: quipu_writer_options.settings */
    size_t option_count;
};

QUIPU_API size_t quipu_format_count(void);

/* A format by index, which must be below the count. */
QUIPU_API const struct quipu_format *quipu_format_at(size_t index);

/* A format by name, or NULL. */
QUIPU_API const struct quipu_format *quipu_format_find(const char *name);

/* The format whose suffix path ends in, or NULL. */
QUIPU_API const struct quipu_format *quipu_format_by_suffix(const char *path);

/* Whether records of a type become definitions or describe the trace, rather than say what happened. type is an index into the
 * format's schema; false for formats that are not read. */
QUIPU_API bool quipu_format_defines(const struct quipu_format *format, uint32_t type);

/* Which format path (a file, a directory, a part of a trace) has, and how sure that is. Looks at bytes; a name alone
 * gives QUIPU_SCORE_NAME_ONLY. QUIPU_UNKNOWN_FORMAT when no format recognises it, and for "-": bytes taken from a pipe
 * would be missing when it is opened, and opening finds the format anyway. */
QUIPU_API enum quipu_status quipu_probe(const char *path, const struct quipu_format **format,
                                        enum quipu_score *score, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
