/* snapshot.c: tells callbacks what is open in a process. A kind of thing without a callback is left out. Functions return 0
 * as soon as a callback does. */
#include "process_state.h"

int OTFAUX_Process_writeStack(OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteEnterSnapshotCallback write = process->shared->write_enter;
    for (size_t i = 0; write && i < process->depth; i++) {
        const struct call *call = &process->stack[i];
        if (!write(userData, snapshotTime, call->time, process->id, call->function, call->scl, call->data))
            return 0;
    }
    return 1;
}

/* Drops the messages that were received before a time; the others keep their order. */
static void drop_received(OTFAUX_Process *process, uint64_t time) {
    size_t count = 0;
    for (size_t i = 0; i < process->message_count; i++) {
        if (process->messages[i].recv_time >= time)
            process->messages[count++] = process->messages[i];
        else
            aux_release_data(process, process->messages[i].data);
    }
    process->message_count = count;
}

int OTFAUX_Process_writeSends(OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteSendSnapshotCallback write = process->shared->write_send;
    if (!write)
        return 1;
    drop_received(process, snapshotTime);
    for (size_t i = 0; i < process->message_count; i++) {
        const struct message *m = &process->messages[i];
        if (!write(userData, snapshotTime, m->time, process->id, m->receiver, m->comm, m->tag, m->length,
                   m->scl, m->recv_time, m->recv_length, m->recv_scl, m->data))
            return 0;
    }
    return 1;
}

int OTFAUX_Process_writeOpenFiles(OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteOpenFileSnapshotCallback write = process->shared->write_open_file;
    const struct aux_table *files = &process->tables[OPEN_FILES];
    const struct open_file *file = write ? aux_table_first(files) : NULL;
    for (; file; file = aux_table_next(files, file))
        if (!write(userData, snapshotTime, file->held.time, process->id, file->file, file->held.entry.key.first,
                   file->scl, file->held.data))
            return 0;
    return 1;
}

static int write_active_collops(const OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteBeginCollopSnapshotCallback write = process->shared->write_begin_collop;
    const struct aux_table *collops = &process->tables[COLLOPS];
    const struct collop *collop = write ? aux_table_first(collops) : NULL;
    for (; collop; collop = aux_table_next(collops, collop))
        if (!write(userData, snapshotTime, collop->held.time, process->id, collop->type,
                   collop->held.entry.key.first, collop->comm, collop->root, collop->sent, collop->received,
                   collop->scl, collop->held.data))
            return 0;
    return 1;
}

static int write_collop_counts(const OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteCollopCountSnapshotCallback write = process->shared->write_collop_count;
    const struct aux_table *counts = &process->tables[COLLOP_COUNTS];
    const struct collop_count *count = write ? aux_table_first(counts) : NULL;
    for (; count; count = aux_table_next(counts, count))
        if (!write(userData, snapshotTime, process->id, (uint32_t)count->entry.key.first, count->count))
            return 0;
    return 1;
}

int OTFAUX_Process_writeCollOps(OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    return write_active_collops(process, snapshotTime, userData) &&
           write_collop_counts(process, snapshotTime, userData);
}

int OTFAUX_Process_writeFileOps(OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteBeginFileOpSnapshotCallback write = process->shared->write_begin_file_op;
    const struct aux_table *operations = &process->tables[FILE_OPS];
    const struct file_op *operation = write ? aux_table_first(operations) : NULL;
    for (; operation; operation = aux_table_next(operations, operation))
        if (!write(userData, snapshotTime, operation->held.time, process->id, operation->held.entry.key.first,
                   operation->scl, operation->held.data))
            return 0;
    return 1;
}

int OTFAUX_Process_writeCounters(OTFAUX_Process *process, uint64_t snapshotTime, void *userData) {
    const OTFAUX_WriteCounterSnapshotCallback write = process->shared->write_counter;
    const struct aux_table *counters = &process->tables[COUNTERS];
    const struct counter *counter = write ? aux_table_first(counters) : NULL;
    for (; counter; counter = aux_table_next(counters, counter))
        if (!write(userData, snapshotTime, counter->held.time, process->id,
                   (uint32_t)counter->held.entry.key.first, counter->value, counter->held.data))
            return 0;
    return 1;
}
