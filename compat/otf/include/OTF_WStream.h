/* OTF_WStream.h: writing the files of one stream.
 *
 * Record writers return 1 when otf_errno is 0 at their end, else 0: after any error, 0 for ever, although the
 * record is written. Those of timed records return 0 without writing when time goes back. Times must not go
 * back within a stream; the process of a timed record is the sender of a send and the receiver of a receive.
 * Functions with KV write the pairs of the list before the record and empty the list, which may be NULL. */
#ifndef OTF_WSTREAM_H
#define OTF_WSTREAM_H

#include <stdlib.h>

#include "OTF_Definitions.h"
#include "OTF_FileManager.h"
#include "OTF_Filenames.h"
#include "OTF_WBuffer.h"
#include "OTF_inttypes.h"

struct struct_OTF_WStream {
    char *namestub;
    uint32_t id;
    uint32_t format;
    OTF_WBuffer *defBuffer; /* each made at its first use */
    OTF_WBuffer *eventBuffer;
    OTF_WBuffer *snapsBuffer;
    OTF_WBuffer *statsBuffer;
    OTF_WBuffer *markerBuffer;
    OTF_FileCompression compression;
    uint32_t buffersizes;
    uint32_t zbuffersizes;
    OTF_FileManager *manager;
};
typedef struct struct_OTF_WStream OTF_WStream;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Closes all files and free. Returns 1; 0 for NULL or on failure. */
int OTF_WStream_close(OTF_WStream *wstream);

/* Flushs all buffers. Returns 1; 0 on failure. */
int OTF_WStream_flush(OTF_WStream *wstream);

/* Size of the buffers in bytes, 1048576 unless set. */
uint32_t OTF_WStream_getBufferSizes(OTF_WStream *wstream);

/* Level of compression. */
OTF_FileCompression OTF_WStream_getCompression(OTF_WStream *wstream);

/* The write buffer of the .def file, made at first use (a file will then exist, even empty). Returns the
 * buffer; NULL and error on failure. */
OTF_WBuffer *OTF_WStream_getDefBuffer(OTF_WStream *wstream);

/* The write buffer of the .events file, made at first use (a file will then exist, even empty). Returns the
 * buffer; NULL and error on failure. */
OTF_WBuffer *OTF_WStream_getEventBuffer(OTF_WStream *wstream);

/* Format of writing. */
uint32_t OTF_WStream_getFormat(OTF_WStream *wstream);

/* The write buffer of the .marker file, made at first use (a file will then exist, even empty). Returns the
 * buffer; NULL and error on failure. */
OTF_WBuffer *OTF_WStream_getMarkerBuffer(OTF_WStream *wstream);

/* The write buffer of the .snaps (or .events with inline snapshots) file, made at first use (a file will then
 * exist, even empty). Returns the buffer; NULL and error on failure. */
OTF_WBuffer *OTF_WStream_getSnapshotBuffer(OTF_WStream *wstream);

/* The write buffer of the .stats file, made at first use (a file will then exist, even empty). Returns the
 * buffer; NULL and error on failure. */
OTF_WBuffer *OTF_WStream_getStatsBuffer(OTF_WStream *wstream);

/* Size of the compressed-side buffers in bytes, 1048576 unless set. */
uint32_t OTF_WStream_getZBufferSizes(OTF_WStream *wstream);

/* Object for one stream's files (nothing is created yet). Returns the stream; NULL and error for a NULL
 * manager. */
OTF_WStream *OTF_WStream_open(const char *namestub, uint32_t id, OTF_FileManager *manager);

/* Buffer size for buffers made from now on; below 50 refused with error. */
void OTF_WStream_setBufferSizes(OTF_WStream *wstream, uint32_t size);

/* Zlib level 0..9 for buffers made from now on; 0 = plain files. Returns 1; 0 and error above 9. */
int OTF_WStream_setCompression(OTF_WStream *wstream, OTF_FileCompression compression);

/* Bit 0: long form, bit 1: inline snapshots; at once; above 3 stored but error set. */
void OTF_WStream_setFormat(OTF_WStream *wstream, uint32_t format);

/* Compressed-side buffer for buffers made from now on; below 32 refused with error. */
void OTF_WStream_setZBufferSizes(OTF_WStream *wstream, uint32_t size);

/* Appends a DefVersion record with the library's own version 1.12.5 "salmon" to this stream's .def file.
 * Returns 1 if otf_errno is 0 at the end, else 0 (so 0 for ever once any error was recorded, though the
 * record is written). */
int OTF_WStream_writeOtfVersion(OTF_WStream *wstream);

/* Appends a DefUniqueId record with a fresh pseudo-random id to this stream's .def file. Returns 1 if
 * otf_errno is 0 at the end, else 0 (so 0 for ever once any error was recorded, though the record is
 * written). */
int OTF_WStream_writeUniqueId(OTF_WStream *wstream);

/* ---- Definitions: records of the .def file ---- */

int OTF_WStream_writeDefinitionComment(OTF_WStream *wstream, const char *comment);
int OTF_WStream_writeDefinitionCommentKV(OTF_WStream *wstream, const char *comment, OTF_KeyValueList *list);
int OTF_WStream_writeDefTimerResolution(OTF_WStream *wstream, uint64_t ticksPerSecond);
int OTF_WStream_writeDefTimerResolutionKV(OTF_WStream *wstream, uint64_t ticksPerSecond,
                                          OTF_KeyValueList *list);
int OTF_WStream_writeDefProcess(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t parent);
int OTF_WStream_writeDefProcessKV(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t parent,
                                  OTF_KeyValueList *list);
int OTF_WStream_writeDefProcessGroup(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t n,
                                     const uint32_t *array);
int OTF_WStream_writeDefProcessGroupKV(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t n,
                                       const uint32_t *array, OTF_KeyValueList *list);
int OTF_WStream_writeDefAttributeList(OTF_WStream *wstream, uint32_t attr_token, uint32_t num,
                                      OTF_ATTR_TYPE *array);
int OTF_WStream_writeDefAttributeListKV(OTF_WStream *wstream, uint32_t attr_token, uint32_t num,
                                        OTF_ATTR_TYPE *array, OTF_KeyValueList *list);
int OTF_WStream_writeDefProcessOrGroupAttributes(OTF_WStream *wstream, uint32_t proc_token,
                                                 uint32_t attr_token);
int OTF_WStream_writeDefProcessOrGroupAttributesKV(OTF_WStream *wstream, uint32_t proc_token,
                                                   uint32_t attr_token, OTF_KeyValueList *list);
int OTF_WStream_writeDefProcessSubstitutes(OTF_WStream *wstream, uint32_t representative,
                                           uint32_t numberOfProcs, const uint32_t *procs,
                                           OTF_KeyValueList *list);
int OTF_WStream_writeDefFunction(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t group,
                                 uint32_t scltoken);
int OTF_WStream_writeDefFunctionKV(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t group,
                                   uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeDefFunctionGroup(OTF_WStream *wstream, uint32_t deftoken, const char *name);
int OTF_WStream_writeDefFunctionGroupKV(OTF_WStream *wstream, uint32_t deftoken, const char *name,
                                        OTF_KeyValueList *list);
int OTF_WStream_writeDefCollectiveOperation(OTF_WStream *wstream, uint32_t collOp, const char *name,
                                            uint32_t type);
int OTF_WStream_writeDefCollectiveOperationKV(OTF_WStream *wstream, uint32_t collOp, const char *name,
                                              uint32_t type, OTF_KeyValueList *list);
int OTF_WStream_writeDefCounter(OTF_WStream *wstream, uint32_t deftoken, const char *name, uint32_t properties,
                                uint32_t countergroup, const char *unit);
int OTF_WStream_writeDefCounterKV(OTF_WStream *wstream, uint32_t deftoken, const char *name,
                                  uint32_t properties, uint32_t countergroup, const char *unit,
                                  OTF_KeyValueList *list);
int OTF_WStream_writeDefCounterGroup(OTF_WStream *wstream, uint32_t deftoken, const char *name);
int OTF_WStream_writeDefCounterGroupKV(OTF_WStream *wstream, uint32_t deftoken, const char *name,
                                       OTF_KeyValueList *list);
int OTF_WStream_writeDefScl(OTF_WStream *wstream, uint32_t deftoken, uint32_t sclfile, uint32_t sclline);
int OTF_WStream_writeDefSclKV(OTF_WStream *wstream, uint32_t deftoken, uint32_t sclfile, uint32_t sclline,
                              OTF_KeyValueList *list);
int OTF_WStream_writeDefSclFile(OTF_WStream *wstream, uint32_t deftoken, const char *filename);
int OTF_WStream_writeDefSclFileKV(OTF_WStream *wstream, uint32_t deftoken, const char *filename,
                                  OTF_KeyValueList *list);
int OTF_WStream_writeDefCreator(OTF_WStream *wstream, const char *creator);
int OTF_WStream_writeDefCreatorKV(OTF_WStream *wstream, const char *creator, OTF_KeyValueList *list);
int OTF_WStream_writeDefFile(OTF_WStream *wstream, uint32_t token, const char *name, uint32_t group);
int OTF_WStream_writeDefFileKV(OTF_WStream *wstream, uint32_t token, const char *name, uint32_t group,
                               OTF_KeyValueList *list);
int OTF_WStream_writeDefFileGroup(OTF_WStream *wstream, uint32_t token, const char *name);
int OTF_WStream_writeDefFileGroupKV(OTF_WStream *wstream, uint32_t token, const char *name,
                                    OTF_KeyValueList *list);
int OTF_WStream_writeDefKeyValue(OTF_WStream *wstream, uint32_t key, OTF_Type type, const char *name,
                                 const char *description);
int OTF_WStream_writeDefKeyValueKV(OTF_WStream *wstream, uint32_t key, OTF_Type type, const char *name,
                                   const char *description, OTF_KeyValueList *list);
int OTF_WStream_writeDefTimeRange(OTF_WStream *wstream, uint64_t minTime, uint64_t maxTime,
                                  OTF_KeyValueList *list);
int OTF_WStream_writeDefCounterAssignments(OTF_WStream *wstream, uint32_t counter_token,
                                           uint32_t number_of_members, const uint32_t *procs_or_groups,
                                           OTF_KeyValueList *list);
int OTF_WStream_writeDefAuxSamplePoint(OTF_WStream *wstream, uint64_t time, OTF_AuxSamplePointType type,
                                       OTF_KeyValueList *list);

/* ---- Events: records of the .events file ---- */

int OTF_WStream_writeNoOpKV(OTF_WStream *wstream, uint64_t time, uint32_t process, OTF_KeyValueList *list);
int OTF_WStream_writeEnter(OTF_WStream *wstream, uint64_t time, uint32_t statetoken, uint32_t cpuid,
                           uint32_t scltoken);
int OTF_WStream_writeEnterKV(OTF_WStream *wstream, uint64_t time, uint32_t statetoken, uint32_t cpuid,
                             uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeLeave(OTF_WStream *wstream, uint64_t time, uint32_t statetoken, uint32_t cpuid,
                           uint32_t scltoken);
int OTF_WStream_writeLeaveKV(OTF_WStream *wstream, uint64_t time, uint32_t statetoken, uint32_t cpuid,
                             uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeSendMsg(OTF_WStream *wstream, uint64_t time, uint32_t sender, uint32_t receiver,
                             uint32_t communicator, uint32_t msgtype, uint32_t msglength, uint32_t scltoken);
int OTF_WStream_writeSendMsgKV(OTF_WStream *wstream, uint64_t time, uint32_t sender, uint32_t receiver,
                               uint32_t communicator, uint32_t msgtype, uint32_t msglength, uint32_t scltoken,
                               OTF_KeyValueList *list);
int OTF_WStream_writeRecvMsg(OTF_WStream *wstream, uint64_t time, uint32_t receiver, uint32_t sender,
                             uint32_t communicator, uint32_t msgtype, uint32_t msglength, uint32_t scltoken);
int OTF_WStream_writeRecvMsgKV(OTF_WStream *wstream, uint64_t time, uint32_t receiver, uint32_t sender,
                               uint32_t communicator, uint32_t msgtype, uint32_t msglength, uint32_t scltoken,
                               OTF_KeyValueList *list);
int OTF_WStream_writeCounter(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t counter_token,
                             uint64_t value);
int OTF_WStream_writeCounterKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t counter_token,
                               uint64_t value, OTF_KeyValueList *list);
int OTF_WStream_writeCollectiveOperation(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                         uint32_t functionToken, uint32_t communicator, uint32_t rootprocess,
                                         uint32_t sent, uint32_t received, uint64_t duration,
                                         uint32_t scltoken);
int OTF_WStream_writeCollectiveOperationKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                           uint32_t functionToken, uint32_t communicator, uint32_t rootprocess,
                                           uint32_t sent, uint32_t received, uint64_t duration,
                                           uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeBeginCollectiveOperation(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                              uint32_t collOp, uint64_t matchingId, uint32_t procGroup,
                                              uint32_t rootProc, uint64_t sent, uint64_t received,
                                              uint32_t scltoken);
int OTF_WStream_writeBeginCollectiveOperationKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                                uint32_t collOp, uint64_t matchingId, uint32_t procGroup,
                                                uint32_t rootProc, uint64_t sent, uint64_t received,
                                                uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeEndCollectiveOperation(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                            uint64_t matchingId);
int OTF_WStream_writeEndCollectiveOperationKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                              uint64_t matchingId, OTF_KeyValueList *list);
int OTF_WStream_writeEventComment(OTF_WStream *wstream, uint64_t time, uint32_t process, const char *comment);
int OTF_WStream_writeEventCommentKV(OTF_WStream *wstream, uint64_t time, uint32_t process, const char *comment,
                                    OTF_KeyValueList *list);
int OTF_WStream_writeBeginProcess(OTF_WStream *wstream, uint64_t time, uint32_t process);
int OTF_WStream_writeBeginProcessKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                    OTF_KeyValueList *list);
int OTF_WStream_writeEndProcess(OTF_WStream *wstream, uint64_t time, uint32_t process);
int OTF_WStream_writeEndProcessKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                  OTF_KeyValueList *list);
int OTF_WStream_writeFileOperation(OTF_WStream *wstream, uint64_t time, uint32_t fileid, uint32_t process,
                                   uint64_t handleid, uint32_t operation, uint64_t bytes, uint64_t duration,
                                   uint32_t source);
int OTF_WStream_writeFileOperationKV(OTF_WStream *wstream, uint64_t time, uint32_t fileid, uint32_t process,
                                     uint64_t handleid, uint32_t operation, uint64_t bytes, uint64_t duration,
                                     uint32_t source, OTF_KeyValueList *list);
int OTF_WStream_writeBeginFileOperation(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                        uint64_t matchingId, uint32_t scltoken);
int OTF_WStream_writeBeginFileOperationKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                          uint64_t matchingId, uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeEndFileOperation(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t fileid,
                                      uint64_t matchingId, uint64_t handleId, uint32_t operation,
                                      uint64_t bytes, uint32_t scltoken);
int OTF_WStream_writeEndFileOperationKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t fileid,
                                        uint64_t matchingId, uint64_t handleId, uint32_t operation,
                                        uint64_t bytes, uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeRMAPut(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t origin,
                            uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                            uint32_t scltoken);
int OTF_WStream_writeRMAPutKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t origin,
                              uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                              uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeRMAPutRemoteEnd(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t origin,
                                     uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                     uint32_t scltoken);
int OTF_WStream_writeRMAPutRemoteEndKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t origin,
                                       uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                       uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeRMAGet(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t origin,
                            uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                            uint32_t scltoken);
int OTF_WStream_writeRMAGetKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t origin,
                              uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                              uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeRMAEnd(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t remote,
                            uint32_t communicator, uint32_t tag, uint32_t scltoken);
int OTF_WStream_writeRMAEndKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t remote,
                              uint32_t communicator, uint32_t tag, uint32_t scltoken, OTF_KeyValueList *list);

/* ---- Snapshots: records of the .snaps, with inline snapshots .events file ---- */

int OTF_WStream_writeSnapshotComment(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                     const char *comment);
int OTF_WStream_writeSnapshotCommentKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                       const char *comment, OTF_KeyValueList *list);
int OTF_WStream_writeEnterSnapshot(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                   uint32_t statetoken, uint32_t cpuid, uint32_t scltoken);
int OTF_WStream_writeEnterSnapshotKV(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                     uint32_t statetoken, uint32_t cpuid, uint32_t scltoken,
                                     OTF_KeyValueList *list);
int OTF_WStream_writeSendSnapshot(OTF_WStream *wstream, uint64_t time, uint64_t originaltime, uint32_t sender,
                                  uint32_t receiver, uint32_t procGroup, uint32_t type, uint32_t length,
                                  uint32_t source);
int OTF_WStream_writeSendSnapshotKV(OTF_WStream *wstream, uint64_t time, uint64_t originaltime, uint32_t sender,
                                    uint32_t receiver, uint32_t procGroup, uint32_t type, uint32_t length,
                                    uint32_t source, OTF_KeyValueList *list);
int OTF_WStream_writeOpenFileSnapshot(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                      uint32_t fileid, uint32_t process, uint64_t handleid, uint32_t source);
int OTF_WStream_writeOpenFileSnapshotKV(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                        uint32_t fileid, uint32_t process, uint64_t handleid, uint32_t source,
                                        OTF_KeyValueList *list);
int OTF_WStream_writeBeginCollopSnapshot(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                         uint32_t process, uint32_t collOp, uint64_t matchingId,
                                         uint32_t procGroup, uint32_t rootProc, uint64_t sent,
                                         uint64_t received, uint32_t scltoken);
int OTF_WStream_writeBeginCollopSnapshotKV(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                           uint32_t process, uint32_t collOp, uint64_t matchingId,
                                           uint32_t procGroup, uint32_t rootProc, uint64_t sent,
                                           uint64_t received, uint32_t scltoken, OTF_KeyValueList *list);
int OTF_WStream_writeBeginFileOpSnapshot(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                         uint32_t process, uint64_t matchingId, uint32_t scltoken);
int OTF_WStream_writeBeginFileOpSnapshotKV(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                           uint32_t process, uint64_t matchingId, uint32_t scltoken,
                                           OTF_KeyValueList *list);
int OTF_WStream_writeCollopCountSnapshot(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                         uint32_t communicator, uint64_t count, OTF_KeyValueList *list);
int OTF_WStream_writeCounterSnapshot(OTF_WStream *wstream, uint64_t time, uint64_t originaltime,
                                     uint32_t process, uint32_t counter, uint64_t value,
                                     OTF_KeyValueList *list);

/* ---- Statistics: records of the .stats file ---- */

int OTF_WStream_writeSummaryComment(OTF_WStream *wstream, uint64_t time, uint32_t process, const char *comment);
int OTF_WStream_writeSummaryCommentKV(OTF_WStream *wstream, uint64_t time, uint32_t process,
                                      const char *comment, OTF_KeyValueList *list);
int OTF_WStream_writeFunctionSummary(OTF_WStream *wstream, uint64_t time, uint32_t function, uint32_t process,
                                     uint64_t count, uint64_t excltime, uint64_t incltime);
int OTF_WStream_writeFunctionSummaryKV(OTF_WStream *wstream, uint64_t time, uint32_t function, uint32_t process,
                                       uint64_t count, uint64_t excltime, uint64_t incltime,
                                       OTF_KeyValueList *list);
int OTF_WStream_writeFunctionGroupSummary(OTF_WStream *wstream, uint64_t time, uint32_t functiongroup,
                                          uint32_t process, uint64_t count, uint64_t excltime,
                                          uint64_t incltime);
int OTF_WStream_writeFunctionGroupSummaryKV(OTF_WStream *wstream, uint64_t time, uint32_t functiongroup,
                                            uint32_t process, uint64_t count, uint64_t excltime,
                                            uint64_t incltime, OTF_KeyValueList *list);
int OTF_WStream_writeMessageSummary(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t peer,
                                    uint32_t comm, uint32_t tag, uint64_t number_sent, uint64_t number_recved,
                                    uint64_t bytes_sent, uint64_t bytes_recved);
int OTF_WStream_writeMessageSummaryKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t peer,
                                      uint32_t comm, uint32_t tag, uint64_t number_sent, uint64_t number_recved,
                                      uint64_t bytes_sent, uint64_t bytes_recved, OTF_KeyValueList *list);
int OTF_WStream_writeCollopSummary(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t comm,
                                   uint32_t collective, uint64_t number_sent, uint64_t number_recved,
                                   uint64_t bytes_sent, uint64_t bytes_recved);
int OTF_WStream_writeCollopSummaryKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t comm,
                                     uint32_t collective, uint64_t number_sent, uint64_t number_recved,
                                     uint64_t bytes_sent, uint64_t bytes_recved, OTF_KeyValueList *list);
int OTF_WStream_writeFileOperationSummary(OTF_WStream *wstream, uint64_t time, uint32_t fileid,
                                          uint32_t process, uint64_t nopen, uint64_t nclose, uint64_t nread,
                                          uint64_t nwrite, uint64_t nseek, uint64_t bytesread,
                                          uint64_t byteswrite);
int OTF_WStream_writeFileOperationSummaryKV(OTF_WStream *wstream, uint64_t time, uint32_t fileid,
                                            uint32_t process, uint64_t nopen, uint64_t nclose, uint64_t nread,
                                            uint64_t nwrite, uint64_t nseek, uint64_t bytesread,
                                            uint64_t byteswrite, OTF_KeyValueList *list);
int OTF_WStream_writeFileGroupOperationSummary(OTF_WStream *wstream, uint64_t time, uint32_t groupid,
                                               uint32_t process, uint64_t nopen, uint64_t nclose,
                                               uint64_t nread, uint64_t nwrite, uint64_t nseek,
                                               uint64_t bytesread, uint64_t byteswrite);
int OTF_WStream_writeFileGroupOperationSummaryKV(OTF_WStream *wstream, uint64_t time, uint32_t groupid,
                                                 uint32_t process, uint64_t nopen, uint64_t nclose,
                                                 uint64_t nread, uint64_t nwrite, uint64_t nseek,
                                                 uint64_t bytesread, uint64_t byteswrite,
                                                 OTF_KeyValueList *list);

/* ---- Markers: records of the .marker file ---- */

int OTF_WStream_writeDefMarker(OTF_WStream *wstream, uint32_t token, const char *name, uint32_t type);
int OTF_WStream_writeDefMarkerKV(OTF_WStream *wstream, uint32_t token, const char *name, uint32_t type,
                                 OTF_KeyValueList *list);
int OTF_WStream_writeMarker(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t token,
                            const char *text);
int OTF_WStream_writeMarkerKV(OTF_WStream *wstream, uint64_t time, uint32_t process, uint32_t token,
                              const char *text, OTF_KeyValueList *list);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_WSTREAM_H */
