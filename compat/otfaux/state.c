/* state.c: all processes of a trace: finds the process of an event, adding it when it is new, and lets it do the rest. */
#include "process_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* A process in the table of all; they are walked in the order of the original's hash table. */
struct process_entry {
    struct aux_entry entry;
    OTFAUX_Process *process;
};

static const struct aux_table_kind processes_kind = {
    .entry_size = sizeof(struct process_entry), .chain_count = 1024, .hashed_words = 2, .newest_first = true};

struct OTFAUX_State {
    OTFAUX_SharedState shared;
    struct aux_table processes;
};

/* ---- Life ---- */

OTFAUX_State *OTFAUX_State_create(void) {
    OTFAUX_State *state = calloc(1, sizeof *state);
    if (state)
        aux_table_init(&state->processes, &processes_kind);
    return state;
}

void OTFAUX_State_destroy(OTFAUX_State *auxState) {
    if (!auxState)
        return;
    const struct aux_table *processes = &auxState->processes;
    struct process_entry *entry = aux_table_first(processes);
    for (; entry; entry = aux_table_next(processes, entry))
        OTFAUX_Process_destroy(entry->process);
    aux_table_release(&auxState->processes);
    free(auxState);
}

/* The process with an id, added when it is new; NULL without a state or when memory is out. */
static OTFAUX_Process *process_of(OTFAUX_State *state, uint64_t id) {
    if (!state)
        return NULL;
    const struct aux_key key = {.first = id};
    struct process_entry *entry = aux_table_find(&state->processes, key);
    if (entry)
        return entry->process;
    OTFAUX_Process *process = OTFAUX_Process_create(id, &state->shared);
    entry = process ? aux_table_add(&state->processes, key) : NULL;
    if (!entry) {
        OTFAUX_Process_destroy(process);
        return NULL;
    }
    return entry->process = process;
}

/* ---- Preparations ---- */

int OTFAUX_State_setReleaseEventDataCallback(OTFAUX_State *auxState,
                                             OTFAUX_ReleaseEventData releaseEventDataCallback, void *userData) {
    if (!auxState)
        return 0;
    auxState->shared.release_event_data = releaseEventDataCallback;
    auxState->shared.release_user_data = userData;
    return 1;
}

/* The setters of callbacks, by the word in their name and the member of the shared state. */
#define SETTER(word, member)                                                                                   \
    int OTFAUX_State_setWrite##word##SnapshotCallback(OTFAUX_State *auxState,                                  \
                                                      OTFAUX_Write##word##SnapshotCallback callback) {         \
        if (!auxState)                                                                                         \
            return 0;                                                                                          \
        auxState->shared.member = callback;                                                                    \
        return 1;                                                                                              \
    }

SETTER(Enter, write_enter)
SETTER(Send, write_send)
SETTER(OpenFile, write_open_file)
SETTER(BeginCollop, write_begin_collop)
SETTER(BeginFileOp, write_begin_file_op)
SETTER(CollopCount, write_collop_count)
SETTER(Counter, write_counter)

/* Makes the lines of all processes of the thumbnail, empty and of its width. */
static int begin_lines(const OTFAUX_State *state) {
    const struct process_entry *entry = aux_table_first(&state->processes);
    for (; entry; entry = aux_table_next(&state->processes, entry))
        if (entry->process->has_thumbnail &&
            !OTFAUX_Process_enableThumbnail(entry->process, state->shared.width))
            return 0;
    return 1;
}

int OTFAUX_State_setupThumbnail(OTFAUX_State *auxState, uint64_t minTime, uint64_t maxTime, uint32_t width) {
    if (!auxState || width == 0 || maxTime < minTime || maxTime - minTime < width)
        return 0;
    auxState->shared.first_sample = (double)minTime;
    auxState->shared.sample_distance = (double)(maxTime - minTime) / width;
    auxState->shared.width = width;
    return begin_lines(auxState);
}

int OTFAUX_State_declareProcess(OTFAUX_State *auxState, uint64_t processId, int isThumbnailProcess) {
    OTFAUX_Process *process = process_of(auxState, processId);
    if (!process)
        return 0;
    if (!isThumbnailProcess || process->has_thumbnail)
        return 1;
    return OTFAUX_Process_enableThumbnail(process, auxState->shared.width);
}

/* ---- Events ---- */

int OTFAUX_State_processEnter(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId, uint32_t function,
                              uint32_t scl, void *eventData) {
    return OTFAUX_Process_enterFunction(process_of(auxState, processId), eventTime, function, scl, eventData);
}

int OTFAUX_State_processLeave(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                              uint32_t function) {
    return OTFAUX_Process_leaveFunction(process_of(auxState, processId), eventTime, function);
}

int OTFAUX_State_processFileOpen(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                 uint32_t fileId, uint64_t handleId, uint32_t scl, void *eventData) {
    return OTFAUX_Process_openFile(process_of(auxState, processId), eventTime, fileId, handleId, scl,
                                   eventData);
}

int OTFAUX_State_processFileClose(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                  uint64_t handleId) {
    return OTFAUX_Process_closeFile(process_of(auxState, processId), eventTime, handleId);
}

int OTFAUX_State_processBeginFileOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                           uint64_t matchingId, uint32_t scl, void *eventData) {
    return OTFAUX_Process_beginFileOp(process_of(auxState, processId), eventTime, matchingId, scl, eventData);
}

int OTFAUX_State_processEndFileOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                         uint64_t matchingId) {
    return OTFAUX_Process_endFileOp(process_of(auxState, processId), eventTime, matchingId);
}

int OTFAUX_State_processBeginCollectiveOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                                 uint32_t comm, uint32_t root, uint32_t collOp,
                                                 uint64_t matchingId, uint64_t bytesSent, uint64_t bytesRecv,
                                                 uint32_t scl, void *eventData) {
    return OTFAUX_Process_beginCollOp(process_of(auxState, processId), eventTime, comm, root, collOp,
                                      matchingId, bytesSent, bytesRecv, scl, eventData);
}

int OTFAUX_State_processEndCollectiveOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                               uint64_t matchingId) {
    return OTFAUX_Process_endCollOp(process_of(auxState, processId), eventTime, matchingId);
}

int OTFAUX_State_processCounter(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                uint32_t counterId, uint64_t value, void *eventData) {
    return OTFAUX_Process_updateCounter(process_of(auxState, processId), eventTime, counterId, value,
                                        eventData);
}

int OTFAUX_State_processCollectiveOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                            uint32_t comm, uint32_t root, uint32_t collOp, uint64_t bytesSent,
                                            uint64_t bytesRecv, uint32_t scl) {
    (void)eventTime, (void)root, (void)collOp, (void)bytesSent, (void)bytesRecv, (void)scl;
    return OTFAUX_Process_countCollOp(process_of(auxState, processId), comm);
}

int OTFAUX_State_enqueueRecvMsg(OTFAUX_State *auxState, uint64_t eventTime, uint64_t receiverProcessId,
                                uint64_t senderProcessId, uint32_t comm, uint32_t tag, uint32_t length,
                                uint32_t scl) {
    return aux_process_enqueue_receive(process_of(auxState, senderProcessId), eventTime, receiverProcessId,
                                       comm, tag, length, scl);
}

int OTFAUX_State_processSendMsg(OTFAUX_State *auxState, uint64_t eventTime, uint64_t senderProcessId,
                                uint64_t receiverProcessId, uint32_t comm, uint32_t tag, uint32_t length,
                                uint32_t scl, uint64_t *recvTime, uint32_t *recvLength, uint32_t *recvScl,
                                void *eventData) {
    const struct message message = {.time = eventTime,
                                    .receiver = receiverProcessId,
                                    .comm = comm,
                                    .tag = tag,
                                    .length = length,
                                    .scl = scl,
                                    .data = eventData};
    return aux_process_send(process_of(auxState, senderProcessId), message, recvTime, recvLength, recvScl);
}

/* ---- Results ---- */

int OTFAUX_State_writeSnapshot(OTFAUX_State *auxState, uint64_t snapshotTime, void *userData) {
    static int (*const writers[])(OTFAUX_Process *, uint64_t, void *) = {
        OTFAUX_Process_writeStack,   OTFAUX_Process_writeSends,   OTFAUX_Process_writeOpenFiles,
        OTFAUX_Process_writeCollOps, OTFAUX_Process_writeFileOps, OTFAUX_Process_writeCounters,
    };
    if (!auxState)
        return 0;
    const struct aux_table *processes = &auxState->processes;
    const struct process_entry *entry = aux_table_first(processes);
    for (; entry; entry = aux_table_next(processes, entry))
        for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
            if (!writers[i](entry->process, snapshotTime, userData))
                return 0;
    return 1;
}

/* Writes the lines of a thumbnail, after a header when it is new. */
static int write_lines(const OTFAUX_State *state, FILE *file, const uint32_t *process_count) {
    if (process_count)
        fprintf(file, "0:%" PRIx32 ",%" PRIx32 "\n", state->shared.width, *process_count);
    const struct process_entry *entry = aux_table_first(&state->processes);
    for (; entry; entry = aux_table_next(&state->processes, entry))
        OTFAUX_Process_writeThumbnail(entry->process, state->shared.width, file);
    const int failed = ferror(file);
    return fclose(file) == 0 && !failed;
}

int aux_write_thumbnail(const OTFAUX_State *state, const char *namestub, const uint32_t *process_count) {
    if (!state || state->shared.width == 0)
        return 0;
    char *name = OTFAUX_Thumbnail_getFilename(namestub);
    const char *mode = process_count ? "w" : "a";
    FILE *file = name ? fopen(name, mode) : NULL;
    free(name);
    return file ? write_lines(state, file, process_count) : 0;
}

int OTFAUX_State_writeThumbnail(OTFAUX_State *auxState, const char *namestub, int create, ...) {
    va_list arguments;
    va_start(arguments, create);
    const uint32_t process_count = create ? va_arg(arguments, uint32_t) : 0;
    va_end(arguments);
    return aux_write_thumbnail(auxState, namestub, create ? &process_count : NULL);
}
