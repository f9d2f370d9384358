/* transport.h: one trace read by several processes.
 *
 * Each process runs the same analysis with the same options. It opens the trace, reads the streams that are its share,
 * and hands on what it knows; the process of rank 0 puts that together and has the answer, which is the one that a
 * single process gives:
 *
 *     status = quipu_reader_open("run.otf", NULL, &reader, &err);
 *     quipu_reader_share(reader, &transport);
 *     status = quipu_analysis_run(reader, "profile", NULL, &tables, &err);
 *     if (status == QUIPU_END)
 *         ...                                  this process has handed on what it knows: others have the answer
 *
 * How bytes go from one process to another is up to the program: by MPI, as quipu-mpi does, or through files, as
 * "quipu profile --part 1/3" does. The library knows neither.
 *
 * Streams go to the processes in contiguous ranges of about as many bytes; a stream is not divided. Every process has
 * all definitions. An analysis that matches what happens at different locations is run by rank 0, to which the others
 * send the events that it asks for: they open, decode, filter and leave out what it does not need. Where they are few,
 * rank 0 reads a share, too. A trace whose events refer to undefined numbers is damaged, and read again by rank 0 alone.
 */
#ifndef QUIPU_TRANSPORT_H
#define QUIPU_TRANSPORT_H

#include <quipu/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A way to other processes. The functions and their context are the program's. Messages between two processes arrive in
 * the order in which they are sent, complete or not at all. */
struct quipu_transport {
    uint32_t rank, size; /* of this process, and how many there are */

    /* Rank 0 reads nothing, and all others send to it. Otherwise it reads a share too, and what the processes know goes
     * up a binary tree: the process of rank r sends to that whose rank lacks its lowest bit. */
    bool only_gathers;

    /* Sends a message. Data belong to the caller again when it returns. */
    enum quipu_status (*send)(void *context, uint32_t to, const void *data, size_t size,
                              struct quipu_error *err);

    /* Waits for the next message of a process and gives its size; receive then takes it, or drops it when data is NULL. */
    enum quipu_status (*await)(void *context, uint32_t from, size_t *size, struct quipu_error *err);
    enum quipu_status (*receive)(void *context, uint32_t from, void *data, size_t size,
                                 struct quipu_error *err);
    void *context;

    /* Whether await would return at once, so that a process that is asked for nothing may work in advance. NULL: it waits. */
    bool (*has_message)(void *context, uint32_t from);

    const char *name; /* of this process in messages, such as its host; NULL: its rank says enough */

    /* Kept by the library: whether this process has sent or received what it had to, which it does once, and what. */
    bool is_done;
    uint64_t messages_sent, bytes_sent;
};
#define QUIPU_TRANSPORT_INIT                                                                                   \
    { 0, 1, false, NULL, NULL, NULL, NULL, NULL, NULL, false, 0, 0 }

struct quipu_reader;

/* From now on analyses and summaries of a reader, checking it, making its index, converting it and writing parts of its relations
 * (quipu_relation_write_part) are divided among the processes of a transport, which is borrowed until the reader is closed. The first one that runs answers; another one is
 * QUIPU_MISUSE. Where rank 0 only gathers, an analysis that matches what happens at different locations is
 * QUIPU_UNSUPPORTED (quipu_analysis_can_share), and so are an index and a conversion. Indexes are not used. */
QUIPU_API void quipu_reader_share(struct quipu_reader *reader, struct quipu_transport *transport);

/* Ends the part of a process that cannot take part, or need not: it takes what others send it, and hands on failure
 * instead of what it knows. Rank 0 fails with it; failure NULL fails nothing. Does nothing when the process is done
 * already, so that a program may call it in any case before it ends. */
QUIPU_API enum quipu_status quipu_transport_end(struct quipu_transport *transport,
                                                const struct quipu_error *failure, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
