/* library.h: what the files of libpicl share. A program has one session; its calls come from one thread at a time. */
#ifndef PICL_LIBRARY_H
#define PICL_LIBRARY_H

#include "picl.h"
#include "transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Event types that the calls are recorded as (formats/picl/events.def). */
enum {
    EVENT_OPEN = -11,
    EVENT_CLOSE = -12,
    EVENT_WHO = -13,
    EVENT_RECVINFO = -14,
    EVENT_SEND = -21,
    EVENT_SENDBEGIN = -27,
    EVENT_SENDSTATUS_DONE = -28,
    EVENT_SENDSTATUS_NOTDONE = -29,
    EVENT_SENDEND_NOWAIT = -30,
    EVENT_SENDEND_WAIT = -31,
    EVENT_RECV_NOWAIT = -51,
    EVENT_RECV_WAIT = -52,
    EVENT_PROBE_FOUND = -53,
    EVENT_PROBE_NOTFOUND = -54,
    EVENT_WAIT_NOWAIT = -55,
    EVENT_WAIT_BLOCKED = -56,
    EVENT_RECVBEGIN = -57,
    EVENT_RECVSTATUS_DONE = -58,
    EVENT_RECVSTATUS_NOTDONE = -59,
    EVENT_RECVEND_NOWAIT = -60,
    EVENT_RECVEND_WAIT = -61,
    EVENT_CLOCKSYNC = -401,
    EVENT_SYNC = -402,
    EVENT_TRACING = -901,
    EVENT_TRACEEVENTS = -902,
    EVENT_TRACEFILES = -903,
    EVENT_TRACELEVEL = -904,
    EVENT_TRACEINFO = -905,
    EVENT_TRACEMSG = -911,
    EVENT_TRACEFLUSH = -912,
    EVENT_FULL = -913,
    EVENT_OVERWRITE = -914
};

struct picl_session {
    const struct picl_transport *transport; /* NULL until communication is open */
    int nodes, me, largest_type;
    bool is_open, is_unchecked;
    struct picl_message last; /* received or probed */
    int topology, order, direction;
};
extern struct picl_session picl_session;

/* load.c: NULL when there is no MPI. */
const struct picl_transport *picl_load_transport(void);

/* session.c: opens communication where that has not been done; prints one line and ends the program. */
void picl_start(void);
_Noreturn void picl_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Arguments that a call cannot work with end the program, unless check0(0) was called. */
void picl_check_buffer(const char *call, const void *data, int bytes);
void picl_check_type(const char *call, int type);
void picl_check_node(const char *call, int node);

/* clock.c: now, in nanoseconds of the node's own clock; and what that is by the clock that all share, which is PICL's time. */
uint64_t picl_now(void);
int64_t picl_nanoseconds(uint64_t now);
int64_t picl_microseconds(uint64_t now);

/* ---- trace.c: recording ---- */

/* Data of a record: up to three integers. */
struct picl_data {
    int count, values[3];
};
#define PICL_NO_DATA ((struct picl_data){0, {0}})

/* volume: -1 for none. */
void picl_entry(int event, uint64_t now, struct picl_data data, int64_t volume);
void picl_exit(int event, uint64_t now, struct picl_data data, int64_t volume);
void picl_mark(int event, uint64_t now, struct picl_data data);

/* An event that statistics have and details have not. */
void picl_count(int event, uint64_t from, uint64_t to);

/* A text at once. */
void picl_message(const char *text);

/* Writes out what is left, one node after another; nothing when nothing was traced. */
void picl_finish_trace(void);

/* At an error: what there is, now. */
void picl_save_trace(void);

/* lines.c: sorts lines by time; the text stays as it is when memory does not suffice. Takes lines out of a text, each once, and gives what is left
 * of its size; *first: up to where nothing has changed. */
void picl_lines_sort(char *text, size_t size);
size_t picl_lines_remove(char *text, size_t size, const char *lines, size_t lines_size, size_t *first);

/* gather.c: all nodes write what they have, each to its file. */
void picl_gather(void);

/* ---- output.c: records as text of the format ---- */

enum picl_form { PICL_FORM_INTEGERS, PICL_FORM_CHARACTERS, PICL_FORM_USER };

/* A record in the buffer. */
struct picl_record {
    uint64_t now;
    int record_type, event;
    enum picl_form form;
    uint32_t count;   /* of integers, characters or data */
    int descriptor;   /* of the user's data */
    int values[3];    /* integers */
    const void *data; /* otherwise */
};

/* A text that grows, and the files that it goes to. */
void picl_output_record(const struct picl_record *record);
bool picl_output_files(const char *temporary, const char *permanent); /* false when there is no memory */
bool picl_output_has_file(void);
void picl_output_to_temporary(void);
void picl_output_to_permanent(void);

/* The file of the whole trace, NULL for none; its text, taken away, in memory that free() releases; and text for it. */
const char *picl_output_path(void);
char *picl_output_take(size_t *size);
void picl_output_append(const char *text, size_t size);

/* A message, which is written at once, before the records that are in the buffer, so that it survives what comes. It is saved, too, for its
 * place by time in a trace that is written whole: picl_output_insert_messages puts those that were saved into the text, and gives the lines that they
 * have been written as, which picl_output_remove takes out of the file. */
void picl_output_message(const struct picl_record *record);
char *picl_output_insert_messages(size_t *size);
void picl_output_remove(const char *lines, size_t size);

/* Statistics of the node, with times in nanoseconds. left_out: a bit for each switch of traceevents that is off. What is active
 * began earlier or later by the new clock when clocks have been synchronised: shift. */
void picl_statistics_begin(int watched);
void picl_statistics_entry(int event, int64_t time, int64_t volume);
void picl_statistics_exit(int event, int64_t time, int64_t volume);
void picl_statistics_mark(int event);
void picl_statistics_shift(int64_t ns);
void picl_output_statistics(int64_t time, unsigned left_out);

#endif
