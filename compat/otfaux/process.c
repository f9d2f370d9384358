/* process.c: the life of a process and its events. */
#include "process_state.h"

#include <stdlib.h>

static const struct aux_table_kind table_kinds[TABLES] = {
    [OPEN_FILES] = {.entry_size = sizeof(struct open_file), .chain_count = 1},
    [COLLOPS] = {.entry_size = sizeof(struct collop), .chain_count = 1},
    [FILE_OPS] = {.entry_size = sizeof(struct file_op), .chain_count = 1},
    [COUNTERS] = {.entry_size = sizeof(struct counter),
                  .chain_count = 16,
                  .hashed_words = 1,
                  .newest_first = true},
    [COLLOP_COUNTS] = {.entry_size = sizeof(struct collop_count),
                       .chain_count = 256,
                       .hashed_words = 1,
                       .newest_first = true},
    [RECEIVES] = {.entry_size = sizeof(struct receive_queue), .chain_count = 1},
};

/* ---- Life ---- */

OTFAUX_Process *OTFAUX_Process_create(uint64_t processId, OTFAUX_SharedState *sharedState) {
    static const OTFAUX_SharedState nothing;
    OTFAUX_Process *process = calloc(1, sizeof *process);
    if (!process)
        return NULL;
    process->id = processId;
    process->shared = sharedState ? sharedState : &nothing;
    process->next_sample_time = UINT64_MAX;
    aux_pool_init(&process->receives, sizeof(struct receive));
    for (size_t i = 0; i < TABLES; i++)
        aux_table_init(&process->tables[i], &table_kinds[i]);
    return process;
}

void aux_release_data(const OTFAUX_Process *process, void *data) {
    if (data && process->shared->release_event_data)
        process->shared->release_event_data(process->shared->release_user_data, data);
}

static void release_all_data(OTFAUX_Process *process) {
    while (process->depth > 0)
        aux_release_data(process, process->stack[--process->depth].data);
    for (size_t i = 0; i < process->message_count; i++)
        aux_release_data(process, process->messages[i].data);
    for (size_t i = 0; i < HELD_TABLES; i++) {
        const struct aux_table *table = &process->tables[i];
        for (const struct held *held = aux_table_first(table); held; held = aux_table_next(table, held))
            aux_release_data(process, held->data);
    }
}

void OTFAUX_Process_destroy(OTFAUX_Process *process) {
    if (!process)
        return;
    release_all_data(process);
    for (size_t i = 0; i < TABLES; i++)
        aux_table_release(&process->tables[i]);
    aux_pool_release(&process->receives);
    free(process->stack);
    free(process->messages);
    free(process->samples);
    free(process);
}

/* ---- Parts ---- */

/* An array with room for one item more: itself or moved; NULL when memory is out. */
static void *with_room(void *items, size_t count, size_t *room, size_t item_size) {
    if (count < *room)
        return items;
    const size_t more = *room > 0 ? *room * 2 : 8;
    void *moved = more <= SIZE_MAX / item_size ? realloc(items, more * item_size) : NULL;
    if (moved)
        *room = more;
    return moved;
}

static struct aux_key number(uint64_t id) {
    return (struct aux_key){.first = id};
}

/* Holds something under a number, after everything that is held already; what was there under this number goes. */
static void *hold_last(OTFAUX_Process *process, enum table_id id, uint64_t key, uint64_t time, void *data) {
    if (!process)
        return NULL;
    struct aux_table *table = &process->tables[id];
    struct held *held = aux_table_find(table, number(key));
    if (held) {
        aux_release_data(process, held->data);
        aux_table_remove(table, held);
    }
    held = aux_table_add(table, number(key));
    if (!held)
        return NULL;
    held->time = time;
    held->data = data;
    return held;
}

/* Lets go what is held under a number. Returns 0 when there is nothing. */
static int let_go(OTFAUX_Process *process, enum table_id id, uint64_t key) {
    struct held *held = process ? aux_table_find(&process->tables[id], number(key)) : NULL;
    if (!held)
        return 0;
    aux_release_data(process, held->data);
    aux_table_remove(&process->tables[id], held);
    return 1;
}

/* ---- Functions ---- */

int OTFAUX_Process_enterFunction(OTFAUX_Process *process, uint64_t eventTime, uint32_t function, uint32_t scl,
                                 void *eventData) {
    if (!process)
        return 0;
    struct call *stack = with_room(process->stack, process->depth, &process->stack_room, sizeof *stack);
    if (!stack)
        return 0;
    process->stack = stack;
    aux_pass_samples(process, eventTime);
    stack[process->depth++] =
        (struct call){.time = eventTime, .data = eventData, .function = function, .scl = scl};
    return 1;
}

int OTFAUX_Process_leaveFunction(OTFAUX_Process *process, uint64_t eventTime, uint32_t function) {
    (void)function; /* traces may leave a function without saying which */
    if (!process || process->depth == 0)
        return 0;
    aux_pass_samples(process, eventTime);
    aux_release_data(process, process->stack[--process->depth].data);
    return 1;
}

/* ---- Messages ---- */

static struct aux_key route(uint64_t receiver, uint32_t comm, uint32_t tag) {
    return (struct aux_key){.first = receiver, .second = (uint64_t)comm << 32 | tag};
}

/* Adds a receive to its queue, which is made when it is missing. */
static bool append_receive(struct aux_table *table, struct aux_key key, struct receive *receive) {
    struct receive_queue *queue = aux_table_find(table, key);
    if (!queue)
        queue = aux_table_add(table, key);
    if (!queue)
        return false;
    *(queue->first ? &queue->last->next : &queue->first) = receive;
    queue->last = receive;
    return true;
}

int aux_process_enqueue_receive(OTFAUX_Process *process, uint64_t time, uint64_t receiver, uint32_t comm,
                                uint32_t tag, uint32_t length, uint32_t scl) {
    struct receive *receive = process ? aux_pool_take(&process->receives) : NULL;
    if (!receive)
        return 0;
    *receive = (struct receive){.time = time, .length = length, .scl = scl};
    if (append_receive(&process->tables[RECEIVES], route(receiver, comm, tag), receive))
        return 1;
    aux_pool_give(&process->receives, receive);
    return 0;
}

int OTFAUX_Process_enqueueRecv(OTFAUX_Process *process, uint64_t eventTime, uint32_t receiverProcessId,
                               uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl) {
    return aux_process_enqueue_receive(process, eventTime, receiverProcessId, comm, tag, length, scl);
}

/* Takes the oldest receive out of a queue, and with the last one the queue. */
static void drop_oldest(OTFAUX_Process *process, struct receive_queue *queue) {
    struct receive *oldest = queue->first;
    queue->first = oldest->next;
    aux_pool_give(&process->receives, oldest);
    if (!queue->first)
        aux_table_remove(&process->tables[RECEIVES], queue);
}

/* Keeps a message for snapshots, when there will be any that tell of it. */
static bool keep_message(OTFAUX_Process *process, const struct message *message) {
    if (!process->shared->write_send) {
        aux_release_data(process, message->data);
        return true;
    }
    struct message *messages =
        with_room(process->messages, process->message_count, &process->message_room, sizeof *messages);
    if (!messages)
        return false;
    process->messages = messages;
    messages[process->message_count++] = *message;
    return true;
}

int aux_process_send(OTFAUX_Process *process, struct message message, uint64_t *recv_time,
                     uint32_t *recv_length, uint32_t *recv_scl) {
    if (!process)
        return 0;
    struct receive_queue *queue =
        aux_table_find(&process->tables[RECEIVES], route(message.receiver, message.comm, message.tag));
    if (!queue)
        return 2;
    message.recv_time = queue->first->time;
    message.recv_length = queue->first->length;
    message.recv_scl = queue->first->scl;
    if (!keep_message(process, &message))
        return 0;
    drop_oldest(process, queue);
    if (recv_time)
        *recv_time = message.recv_time;
    if (recv_length)
        *recv_length = message.recv_length;
    if (recv_scl)
        *recv_scl = message.recv_scl;
    return 1;
}

int OTFAUX_Process_sendMessage(OTFAUX_Process *process, uint64_t eventTime, uint32_t receiverProcessId,
                               uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl, uint64_t *recvTime,
                               uint32_t *recvLength, uint32_t *recvScl, void *eventData) {
    const struct message message = {.time = eventTime,
                                    .receiver = receiverProcessId,
                                    .comm = comm,
                                    .tag = tag,
                                    .length = length,
                                    .scl = scl,
                                    .data = eventData};
    return aux_process_send(process, message, recvTime, recvLength, recvScl);
}

/* ---- Files ---- */

int OTFAUX_Process_openFile(OTFAUX_Process *process, uint64_t eventTime, uint32_t fileId, uint64_t handleId,
                            uint32_t scl, void *eventData) {
    struct open_file *file = hold_last(process, OPEN_FILES, handleId, eventTime, eventData);
    if (!file)
        return 0;
    file->file = fileId;
    file->scl = scl;
    return 1;
}

int OTFAUX_Process_closeFile(OTFAUX_Process *process, uint64_t eventTime, uint64_t handleId) {
    (void)eventTime;
    return let_go(process, OPEN_FILES, handleId);
}

int OTFAUX_Process_beginFileOp(OTFAUX_Process *process, uint64_t eventTime, uint64_t matchingId, uint32_t scl,
                               void *eventData) {
    struct file_op *operation = hold_last(process, FILE_OPS, matchingId, eventTime, eventData);
    if (!operation)
        return 0;
    operation->scl = scl;
    return 1;
}

int OTFAUX_Process_endFileOp(OTFAUX_Process *process, uint64_t eventTime, uint64_t matchingId) {
    (void)eventTime;
    return let_go(process, FILE_OPS, matchingId);
}

/* ---- Collective operations ---- */

int OTFAUX_Process_countCollOp(OTFAUX_Process *process, uint32_t comm) {
    if (!process)
        return 0;
    struct aux_table *table = &process->tables[COLLOP_COUNTS];
    struct collop_count *count = aux_table_find(table, number(comm));
    if (!count)
        count = aux_table_add(table, number(comm));
    if (!count)
        return 0;
    count->count++;
    return 1;
}

int OTFAUX_Process_beginCollOp(OTFAUX_Process *process, uint64_t eventTime, uint32_t comm, uint32_t root,
                               uint32_t collOp, uint64_t matchingId, uint64_t bytesSent, uint64_t bytesRecv,
                               uint32_t scl, void *eventData) {
    struct collop *operation = hold_last(process, COLLOPS, matchingId, eventTime, eventData);
    if (!operation)
        return 0;
    operation->sent = bytesSent;
    operation->received = bytesRecv;
    operation->type = collOp;
    operation->comm = comm;
    operation->root = root;
    operation->scl = scl;
    return 1;
}

int OTFAUX_Process_endCollOp(OTFAUX_Process *process, uint64_t eventTime, uint64_t matchingId) {
    (void)eventTime;
    const struct collop *operation =
        process ? aux_table_find(&process->tables[COLLOPS], number(matchingId)) : NULL;
    if (!operation || !OTFAUX_Process_countCollOp(process, operation->comm))
        return 0;
    return let_go(process, COLLOPS, matchingId);
}

/* ---- Counters ---- */

/* A counter keeps its place when its value changes. */
int OTFAUX_Process_updateCounter(OTFAUX_Process *process, uint64_t eventTime, uint32_t counterId,
                                 uint64_t value, void *eventData) {
    if (!process)
        return 0;
    struct aux_table *table = &process->tables[COUNTERS];
    struct counter *counter = aux_table_find(table, number(counterId));
    if (counter)
        aux_release_data(process, counter->held.data);
    else
        counter = aux_table_add(table, number(counterId));
    if (!counter)
        return 0;
    counter->held.time = eventTime;
    counter->held.data = eventData;
    counter->value = value;
    return 1;
}
