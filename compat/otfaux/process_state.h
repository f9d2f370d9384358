/* process_state.h: what is active at a process: a stack of functions, messages on their way, and tables. What is active under
 * a number (files, operations) and counters are held alike: they have a time and data of the caller, replace what was there
 * under the same number, and are walked in the order of their table. */
#ifndef COMPAT_OTFAUX_PROCESS_STATE_H
#define COMPAT_OTFAUX_PROCESS_STATE_H

#include "process.h"
#include "table.h"

struct call {
    uint64_t time;
    void *data;
    uint32_t function, scl;
};

struct receive {
    struct receive *next;
    uint64_t time;
    uint32_t length, scl;
};

/* Receives of one receiver, communicator and tag that no send has taken; oldest first, never empty. */
struct receive_queue {
    struct aux_entry entry;
    struct receive *first, *last;
};

/* A send and what its receive says. */
struct message {
    uint64_t time, receiver;
    uint32_t comm, tag, length, scl;
    uint64_t recv_time;
    uint32_t recv_length, recv_scl;
    void *data;
};

/* The beginning of what is held under a number. */
struct held {
    struct aux_entry entry;
    uint64_t time;
    void *data;
};

struct open_file {
    struct held held;
    uint32_t file, scl;
};

struct collop {
    struct held held;
    uint64_t sent, received;
    uint32_t type, comm, root, scl;
};

struct file_op {
    struct held held;
    uint32_t scl;
};

struct counter {
    struct held held;
    uint64_t value;
};

struct collop_count {
    struct aux_entry entry;
    uint64_t count;
};

/* The tables; those of held things come first. */
enum table_id { OPEN_FILES, COLLOPS, FILE_OPS, COUNTERS, COLLOP_COUNTS, RECEIVES, TABLES };
#define HELD_TABLES COLLOP_COUNTS

struct OTFAUX_Process {
    uint64_t id;
    const OTFAUX_SharedState *shared;
    struct call *stack;
    size_t depth, stack_room;
    struct message *messages; /* in the order of sending */
    size_t message_count, message_room;
    struct aux_pool receives;
    struct aux_table tables[TABLES];
    bool has_thumbnail;
    uint32_t *samples;
    uint32_t sample_count, next_sample;
    uint64_t next_sample_time;
};

/* OTFAUX_Process_enqueueRecv and OTFAUX_Process_sendMessage with receivers of 64 bits, as the state has them. */
int aux_process_enqueue_receive(OTFAUX_Process *process, uint64_t time, uint64_t receiver, uint32_t comm,
                                uint32_t tag, uint32_t length, uint32_t scl);
int aux_process_send(OTFAUX_Process *process, struct message message, uint64_t *recv_time,
                     uint32_t *recv_length, uint32_t *recv_scl);

/* OTFAUX_State_writeThumbnail; process_count is NULL when lines are added to a thumbnail that is there. */
int aux_write_thumbnail(const OTFAUX_State *state, const char *namestub, const uint32_t *process_count);

/* Gives event data back to the caller. */
void aux_release_data(const OTFAUX_Process *process, void *data);

/* Fills the samples of times before this one. */
void aux_pass_samples(OTFAUX_Process *process, uint64_t time);

#endif
