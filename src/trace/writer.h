/* writer.h: writing for higher floors: a target is a format, or anything else with the writing half of a format's descriptor. */
#ifndef QUIPU_TRACE_WRITER_H
#define QUIPU_TRACE_WRITER_H

#include "formats/descriptor.h"

/* quipu_writer_create for any target; does not replace files that are read. */
enum quipu_status quipu__writer_create(const char *path, const struct quipu__format *target,
                                       const struct quipu_writer_options *options,
                                       struct quipu_reader *const *readers, size_t reader_count,
                                       struct quipu_writer **out, struct quipu_error *err);

/* Protects the files of a reader's trace from a set of outputs. */
enum quipu_status quipu__outputs_protect_reader(struct quipu__outputs *outputs,
                                                const struct quipu_reader *reader, struct quipu_error *err);

/* Call this right after creating to say that the records of a damaged trace follow. repairing is borrowed until close. */
void quipu__writer_repair(struct quipu_writer *writer, struct quipu__repairing *repairing);

/* quipu_writer_put_batch for events from traces, whose times may go back if the trace is damaged: every format accepts that. */
enum quipu_status quipu__writer_put_batch(struct quipu_writer *writer, const struct quipu_batch *batch,
                                          struct quipu_error *err);

/* Whether spans can be put, and putting them. */
bool quipu__writer_takes_spans(const struct quipu_writer *writer);
enum quipu_status quipu__writer_put_spans(struct quipu_writer *writer, const struct quipu__span *const *spans,
                                          uint32_t count, struct quipu_error *err);

/* Draws results of analyses, after the last batch; for targets that can. */
enum quipu_status quipu__writer_put_marks(struct quipu_writer *writer, const struct quipu__marks *marks,
                                          struct quipu_error *err);

/* Makes the writer write what the events leave over, and count what it drops and approximates of that; close does it if it was not
 * done. */
enum quipu_status quipu__writer_end_events(struct quipu_writer *writer, struct quipu_error *err);

/* The order in which the events of a trace are read for a writer: its own, or time order when a location may have events in several
 * streams, which would otherwise come one after the other. */
enum quipu_order quipu__writer_order_from(const struct quipu_writer *writer, struct quipu_reader *reader);

/* The records that the target did not copy exactly, as it noted them. */
const struct quipu__approximation *quipu__writer_approximations(const struct quipu_writer *writer,
                                                                size_t *count);

#endif
