/* record_file.h: shared by formats whose traces are one binary file: consecutive records, each preceded by a type byte. Definitions
 * come before events, and events are in time order.
 *
 * Such a format is data: the tables of its records, the machine that wrote them, and a mapping that says which record type is which
 * kind of event, and which field goes into which column. Reading, copying, writing, faults and conversion reports follow. Fields of
 * role TIME and LOCATION are the event's time and location; references are numbers of definitions.
 *
 * docs/adding-a-format.md describes a format that uses this. */
#ifndef QUIPU_FORMATS_RECORD_FILE_H
#define QUIPU_FORMATS_RECORD_FILE_H

#include "formats/descriptor.h"
#include "schema/binary.h"

struct quipu__record_output;

/* A format; .record_file of its descriptor. */
struct quipu__record_file {
    const struct quipu_schema *schema; /* the id of a type is the byte before its records */
    const struct quipu__machine *machine;
    const char *head;                 /* text that every file begins with */
    const struct quipu_rule *damage;  /* the finding when the rest cannot be read */
    const struct quipu__mapping *map; /* per record type: a definition, or one event of one kind */
    uint64_t ticks_per_second;

    /* Adds the definition of a record. Called in file order. */
    void (*define)(struct quipu__define *define, uint32_t type, const void *data);

    /* The reverse: puts records with quipu__record_file_put, once per trace. */
    void (*put_definitions)(struct quipu__record_output *output, const struct quipu_definitions *definitions);
};

void quipu__record_file_put(struct quipu__record_output *output, uint32_t type, const void *data);

/* A text for a record's field; it lives until the next record of events is put. */
const char *quipu__record_file_text(struct quipu__record_output *output, const char *text);

/* Adds processes 0, 1 …, named "Process 0" and so on. */
void quipu__add_processes(struct quipu__define *define, uint32_t count);

/* Adds a region that has only a name, numbered in the order of adding. */
void quipu__add_named_region(struct quipu__define *define, const char *name);

/* ---- For the descriptor ---- */

enum quipu_score quipu__record_file_probe(const struct quipu__record_file *file,
                                          const struct quipu__probe *probe);

extern const struct quipu__copying quipu__record_file_copying;

/* Members of struct quipu__reading and struct quipu__writing; the format adds .probe and .mapping, and .capabilities. */
#define QUIPU__RECORD_FILE_READING                                                                             \
    .open = quipu__record_file_open, .close = quipu__record_file_close,                                        \
    .pass_open = quipu__record_file_pass_open, .pass_close = quipu__record_file_pass_close,                    \
    .next_record = quipu__record_file_next_record, .next_batch = quipu__record_file_next_batch
#define QUIPU__RECORD_FILE_WRITING                                                                             \
    .order = QUIPU_ORDER_TIME, .create = quipu__record_file_create, .put_batch = quipu__record_file_put_batch, \
    .finish = quipu__record_file_finish, .abandon = quipu__record_file_abandon

enum quipu_status quipu__record_file_open(struct quipu__trace *trace, struct quipu_error *err);
void quipu__record_file_close(struct quipu__trace *trace);
enum quipu_status quipu__record_file_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                               struct quipu_error *err);
void quipu__record_file_pass_close(struct quipu__pass *common);
enum quipu_status quipu__record_file_next_record(struct quipu__pass *common, struct quipu_record *out,
                                                 struct quipu_error *err);
enum quipu_status quipu__record_file_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                                struct quipu_error *err);
enum quipu_status quipu__record_file_create(struct quipu__output_trace *output, struct quipu_error *err);
enum quipu_status quipu__record_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err);
enum quipu_status quipu__record_file_finish(struct quipu__output_trace *output, struct quipu_error *err);
void quipu__record_file_abandon(struct quipu__output_trace *output);

#endif
