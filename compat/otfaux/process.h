/* process.h: the state of one process. OTF 1.12.5 exports these functions without declaring them in a header. Events
 * of a process that is NULL return 0. */
#ifndef COMPAT_OTFAUX_PROCESS_H
#define COMPAT_OTFAUX_PROCESS_H

#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

#include "otfaux.h"

/* What all processes of a state have in common. */
typedef struct OTFAUX_SharedState {
    OTFAUX_ReleaseEventData release_event_data;
    void *release_user_data;
    OTFAUX_WriteEnterSnapshotCallback write_enter;
    OTFAUX_WriteSendSnapshotCallback write_send;
    OTFAUX_WriteOpenFileSnapshotCallback write_open_file;
    OTFAUX_WriteBeginCollopSnapshotCallback write_begin_collop;
    OTFAUX_WriteBeginFileOpSnapshotCallback write_begin_file_op;
    OTFAUX_WriteCollopCountSnapshotCallback write_collop_count;
    OTFAUX_WriteCounterSnapshotCallback write_counter;
    /* Thumbnail: sample i shows the time first_sample + i * sample_distance; width is 0 before it is set up. */
    double first_sample, sample_distance;
    uint32_t width;
} OTFAUX_SharedState;

typedef struct OTFAUX_Process OTFAUX_Process;

OTFAUX_Process *OTFAUX_Process_create(uint64_t processId, OTFAUX_SharedState *sharedState);
void OTFAUX_Process_destroy(OTFAUX_Process *process);

/* ---- Events ---- */

int OTFAUX_Process_enterFunction(OTFAUX_Process *process, uint64_t eventTime, uint32_t function, uint32_t scl,
                                 void *eventData);
int OTFAUX_Process_leaveFunction(OTFAUX_Process *process, uint64_t eventTime, uint32_t function);
int OTFAUX_Process_enqueueRecv(OTFAUX_Process *process, uint64_t eventTime, uint32_t receiverProcessId,
                               uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl);
int OTFAUX_Process_sendMessage(OTFAUX_Process *process, uint64_t eventTime, uint32_t receiverProcessId,
                               uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl, uint64_t *recvTime,
                               uint32_t *recvLength, uint32_t *recvScl, void *eventData);
int OTFAUX_Process_openFile(OTFAUX_Process *process, uint64_t eventTime, uint32_t fileId, uint64_t handleId,
                            uint32_t scl, void *eventData);
int OTFAUX_Process_closeFile(OTFAUX_Process *process, uint64_t eventTime, uint64_t handleId);
int OTFAUX_Process_countCollOp(OTFAUX_Process *process, uint32_t comm);
int OTFAUX_Process_beginCollOp(OTFAUX_Process *process, uint64_t eventTime, uint32_t comm, uint32_t root,
                               uint32_t collOp, uint64_t matchingId, uint64_t bytesSent, uint64_t bytesRecv,
                               uint32_t scl, void *eventData);
int OTFAUX_Process_endCollOp(OTFAUX_Process *process, uint64_t eventTime, uint64_t matchingId);
int OTFAUX_Process_beginFileOp(OTFAUX_Process *process, uint64_t eventTime, uint64_t matchingId, uint32_t scl,
                               void *eventData);
int OTFAUX_Process_endFileOp(OTFAUX_Process *process, uint64_t eventTime, uint64_t matchingId);
int OTFAUX_Process_updateCounter(OTFAUX_Process *process, uint64_t eventTime, uint32_t counterId,
                                 uint64_t value, void *eventData);

/* ---- Snapshot ---- */

int OTFAUX_Process_writeStack(OTFAUX_Process *process, uint64_t snapshotTime, void *userData);
int OTFAUX_Process_writeSends(OTFAUX_Process *process, uint64_t snapshotTime, void *userData);
int OTFAUX_Process_writeOpenFiles(OTFAUX_Process *process, uint64_t snapshotTime, void *userData);
int OTFAUX_Process_writeCollOps(OTFAUX_Process *process, uint64_t snapshotTime, void *userData);
int OTFAUX_Process_writeFileOps(OTFAUX_Process *process, uint64_t snapshotTime, void *userData);
int OTFAUX_Process_writeCounters(OTFAUX_Process *process, uint64_t snapshotTime, void *userData);

/* ---- Thumbnail ---- */

/* Gives the process thumbnailSize samples of 0, in place of those that it has. */
int OTFAUX_Process_enableThumbnail(OTFAUX_Process *process, uint32_t thumbnailSize);

/* The function on top of the stack becomes the sample at a position. */
void OTFAUX_Process_updateThumbnail(OTFAUX_Process *process, uint32_t timestampsPosition);

/* Writes the line of the process with all samples up to the end; nothing for a process without thumbnail. */
void OTFAUX_Process_writeThumbnail(OTFAUX_Process *process, uint32_t timestampsSize, FILE *out);

#pragma GCC visibility pop

#endif
