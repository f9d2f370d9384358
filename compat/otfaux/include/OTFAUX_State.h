/* OTFAUX_State.h: the state of all processes of a trace while its events are replayed: stacks of functions, messages on
 * their way, open files, collective and file operations, counters. A snapshot tells what is open at a time.
 *
 * Two passes over the events: the first gives all receives to OTFAUX_State_enqueueRecvMsg, the second gives everything to
 * the process functions and asks for snapshots in between:
 *
 *     OTFAUX_State *state = OTFAUX_State_create();
 *     OTFAUX_State_setWriteEnterSnapshotCallback(state, write_enter);
 *     OTFAUX_State_processEnter(state, time, process, function, scl, NULL);
 *     OTFAUX_State_writeSnapshot(state, time, user_data);
 *     OTFAUX_State_destroy(state);
 *
 * A process that is not known yet is added by its first event. Events of a process are given in the order of their times.
 * eventData is the caller's: an event that returns 1 keeps it as long as it is part of the state, hands it to the
 * callbacks, and gives it to the release callback when the state has no more use for it. NULL is no data.
 *
 * Functions return 1 when they succeed and 0 when the state is NULL or memory is out, if nothing else is said. The header
 * expects the integer types of stdint.h to be declared, as OTF_inttypes.h does. */
#ifndef OTFAUX_STATE_H
#define OTFAUX_STATE_H

typedef struct OTFAUX_State OTFAUX_State;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* ---- Callbacks: they return 1 to go on, 0 to end the snapshot ---- */

/* Takes back data of an event. */
typedef void (*OTFAUX_ReleaseEventData)(void *userData, void *eventData);

/* A function that was entered at eventTime and not left. */
typedef int (*OTFAUX_WriteEnterSnapshotCallback)(void *userData, uint64_t snapshotTime, uint64_t eventTime,
                                                 uint64_t processId, uint32_t function, uint32_t scl,
                                                 void *eventData);

/* A message that was sent at eventTime and not received before the snapshot. */
typedef int (*OTFAUX_WriteSendSnapshotCallback)(void *userData, uint64_t snapshotTime, uint64_t eventTime,
                                                uint64_t senderProcessId, uint64_t receiverProcessId,
                                                uint32_t comm, uint32_t tag, uint32_t length, uint32_t scl,
                                                uint64_t recvTime, uint32_t recvLength, uint32_t recvScl,
                                                void *eventData);

/* A file that was opened at eventTime and not closed. */
typedef int (*OTFAUX_WriteOpenFileSnapshotCallback)(void *userData, uint64_t snapshotTime, uint64_t eventTime,
                                                    uint64_t processId, uint32_t fileId, uint64_t handleId,
                                                    uint32_t scl, void *eventData);

/* A collective operation that began at eventTime and has not ended. */
typedef int (*OTFAUX_WriteBeginCollopSnapshotCallback)(void *userData, uint64_t snapshotTime,
                                                       uint64_t eventTime, uint64_t processId, uint32_t collOp,
                                                       uint64_t matchingId, uint32_t comm, uint32_t root,
                                                       uint64_t sent, uint64_t received, uint32_t scl,
                                                       void *eventData);

/* A file operation that began at eventTime and has not ended. */
typedef int (*OTFAUX_WriteBeginFileOpSnapshotCallback)(void *userData, uint64_t snapshotTime,
                                                       uint64_t eventTime, uint64_t processId,
                                                       uint64_t matchingId, uint32_t scl, void *eventData);

/* Collective operations of a communicator that have ended. */
typedef int (*OTFAUX_WriteCollopCountSnapshotCallback)(void *userData, uint64_t snapshotTime,
                                                       uint64_t processId, uint32_t comm, uint64_t count);

/* The latest value of a counter. */
typedef int (*OTFAUX_WriteCounterSnapshotCallback)(void *userData, uint64_t snapshotTime, uint64_t eventTime,
                                                   uint64_t processId, uint32_t counter, uint64_t value,
                                                   void *eventData);

/* ---- Life ---- */

/* A new empty state; NULL when memory is out. */
OTFAUX_State *OTFAUX_State_create(void);

/* Frees the state; the release callback gets all event data that is still held. */
void OTFAUX_State_destroy(OTFAUX_State *auxState);

/* ---- Preparations ---- */

/* Sets who takes back event data; userData is handed to it. */
int OTFAUX_State_setReleaseEventDataCallback(OTFAUX_State *auxState,
                                             OTFAUX_ReleaseEventData releaseEventDataCallback, void *userData);

/* Set what OTFAUX_State_writeSnapshot calls for each thing of a kind; kinds without a callback are left out. Messages on
 * their way are kept only while there is a callback for them. */
int OTFAUX_State_setWriteEnterSnapshotCallback(OTFAUX_State *auxState,
                                               OTFAUX_WriteEnterSnapshotCallback writeEnterSnapshotCallback);
int OTFAUX_State_setWriteSendSnapshotCallback(OTFAUX_State *auxState,
                                              OTFAUX_WriteSendSnapshotCallback writeSendSnapshotCallback);
int OTFAUX_State_setWriteOpenFileSnapshotCallback(
    OTFAUX_State *auxState, OTFAUX_WriteOpenFileSnapshotCallback writeOpenFileSnapshotCallback);
int OTFAUX_State_setWriteBeginCollopSnapshotCallback(
    OTFAUX_State *auxState, OTFAUX_WriteBeginCollopSnapshotCallback writeBeginCollopSnapshotCallback);
int OTFAUX_State_setWriteBeginFileOpSnapshotCallback(
    OTFAUX_State *auxState, OTFAUX_WriteBeginFileOpSnapshotCallback writeBeginFileOpSnapshotCallback);
int OTFAUX_State_setWriteCollopCountSnapshotCallback(
    OTFAUX_State *auxState, OTFAUX_WriteCollopCountSnapshotCallback writeCollopCountSnapshotCallback);
int OTFAUX_State_setWriteCounterSnapshotCallback(
    OTFAUX_State *auxState, OTFAUX_WriteCounterSnapshotCallback writeCounterSnapshotCallback);

/* Thumbnail of width samples for the times from minTime to maxTime: sample i shows the function that is on top of the
 * stack at minTime + i * (maxTime - minTime) / width. Returns 0 also for a width of 0 and for less than one tick a
 * sample. */
int OTFAUX_State_setupThumbnail(OTFAUX_State *auxState, uint64_t minTime, uint64_t maxTime, uint32_t width);

/* Adds a process unless it is there. With isThumbnailProcess, and after OTFAUX_State_setupThumbnail, it gets a line in
 * the thumbnail. */
int OTFAUX_State_declareProcess(OTFAUX_State *auxState, uint64_t processId, int isThumbnailProcess);

/* ---- First pass ---- */

/* Keeps a receive until the matching send takes it: first in, first out for each sender, receiver, communicator, tag. */
int OTFAUX_State_enqueueRecvMsg(OTFAUX_State *auxState, uint64_t eventTime, uint64_t receiverProcessId,
                                uint64_t senderProcessId, uint32_t comm, uint32_t tag, uint32_t length,
                                uint32_t scl);

/* ---- Second pass ---- */

/* Pushes a function on the stack of the process. */
int OTFAUX_State_processEnter(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId, uint32_t function,
                              uint32_t scl, void *eventData);

/* Pops the stack, whatever the function. Returns 0 also for an empty stack. */
int OTFAUX_State_processLeave(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                              uint32_t function);

/* Sends a message: takes the oldest receive that matches and sets recvTime, recvLength and recvScl from it. Returns 1 when
 * there was one, 2 when there was none, 0 on failure. */
int OTFAUX_State_processSendMsg(OTFAUX_State *auxState, uint64_t eventTime, uint64_t senderProcessId,
                                uint64_t receiverProcessId, uint32_t comm, uint32_t tag, uint32_t length,
                                uint32_t scl, uint64_t *recvTime, uint32_t *recvLength, uint32_t *recvScl,
                                void *eventData);

/* Opens a file; one with the same handle is replaced. */
int OTFAUX_State_processFileOpen(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                 uint32_t fileId, uint64_t handleId, uint32_t scl, void *eventData);

/* Closes a file. Returns 0 also when no file with that handle is open. */
int OTFAUX_State_processFileClose(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                  uint64_t handleId);

/* Counts a collective operation for its communicator. */
int OTFAUX_State_processCollectiveOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                            uint32_t comm, uint32_t root, uint32_t collOp, uint64_t bytesSent,
                                            uint64_t bytesRecv, uint32_t scl);

/* Begins a collective operation; an open one with the same matching id is replaced. */
int OTFAUX_State_processBeginCollectiveOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                                 uint32_t comm, uint32_t root, uint32_t collOp,
                                                 uint64_t matchingId, uint64_t bytesSent, uint64_t bytesRecv,
                                                 uint32_t scl, void *eventData);

/* Ends a collective operation and counts it for its communicator. Returns 0 also when none with that id is open. */
int OTFAUX_State_processEndCollectiveOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                               uint64_t matchingId);

/* Begins a file operation; an open one with the same matching id is replaced. */
int OTFAUX_State_processBeginFileOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                           uint64_t matchingId, uint32_t scl, void *eventData);

/* Ends a file operation. Returns 0 also when none with that id is open. */
int OTFAUX_State_processEndFileOperation(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                         uint64_t matchingId);

/* Keeps the latest time and value of a counter. */
int OTFAUX_State_processCounter(OTFAUX_State *auxState, uint64_t eventTime, uint64_t processId,
                                uint32_t counterId, uint64_t value, void *eventData);

/* ---- Results ---- */

/* Gives the state of all processes to the callbacks. Within a process: functions, outermost first; messages in the order
 * of sending, without those received before snapshotTime; open files; collective operations and their counts; file
 * operations; counters. Returns 0 as soon as a callback returns 0. */
int OTFAUX_State_writeSnapshot(OTFAUX_State *auxState, uint64_t snapshotTime, void *userData);

/* Writes the thumbnail to the file <namestub>.thumb. With create the file is made and begins with a header for the number
 * of processes that follows as a uint32_t; without, lines are added to it. Returns 0 when the file cannot be written. */
int OTFAUX_State_writeThumbnail(OTFAUX_State *auxState, const char *namestub, int create, ...);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTFAUX_STATE_H */
