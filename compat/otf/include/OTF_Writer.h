/* OTF_Writer.h: writing a whole trace: processes are mapped to streams at their first timed record.
 *
 * Record writers return 1 when otf_errno is 0 at their end, else 0: after any error, 0 for ever, although the
 * record is written. Those of timed records return 0 without writing when time goes back. Times must not go
 * back within a stream; the process of a timed record is the sender of a send and the receiver of a receive.
 * Functions with KV write the pairs of the list before the record and empty the list, which may be NULL. The
 * first definition writes the version and the unique id of the trace to stream 0. Markers go to stream 0. */
#ifndef OTF_WRITER_H
#define OTF_WRITER_H

#include "OTF_FileManager.h"
#include "OTF_MasterControl.h"
#include "OTF_WBuffer.h"
#include "OTF_WStream.h"

typedef struct struct_OTF_Writer OTF_Writer;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Maps a process to a stream explicitly. Returns 1; 0 and error for stream 0 or a process mapped already. */
uint32_t OTF_Writer_assignProcess(OTF_Writer *writer, uint32_t process, uint32_t stream);

/* Writes the master file, then close the streams in ascending order, free. Returns 1; 0 for NULL or on
 * failure. */
int OTF_Writer_close(OTF_Writer *writer);

/* Closes the streams (later writes make new ones, overwriting). Returns 1; 0 on failure. */
int OTF_Writer_closeAllStreams(OTF_Writer *writer);

/* Size of the buffers in bytes, 1048576 unless set. */
uint32_t OTF_Writer_getBufferSizes(OTF_Writer *writer);

/* Level of compression. */
OTF_FileCompression OTF_Writer_getCompression(OTF_Writer *writer);

/* Format of writing. */
uint32_t OTF_Writer_getFormat(OTF_Writer *writer);

/* The map of processes to streams. Owned by the object. */
OTF_MasterControl *OTF_Writer_getMasterControl(OTF_Writer *writer);

/* The WStream with this id, made at first use with the writer's settings. Returns the stream; NULL without
 * memory. */
OTF_WStream *OTF_Writer_getStream(OTF_Writer *writer, uint32_t stream);

/* Size of the compressed-side buffers in bytes, 1048576 unless set. */
uint32_t OTF_Writer_getZBufferSizes(OTF_Writer *writer);

/* Stream of a process; an unmapped process gets a new stream while there are fewer than the limit, else the
 * stream with the fewest processes (lowest id first). Returns stream id. */
uint32_t OTF_Writer_mapProcess(OTF_Writer *writer, uint32_t processId);

/* Writer for a whole trace with at most numberOfStreams automatic streams (0: no limit). Returns the writer;
 * NULL and error for a NULL manager. */
OTF_Writer *OTF_Writer_open(const char *fileNamePrefix, uint32_t numberOfStreams, OTF_FileManager *fileManager);

/* Buffer size for streams made from now on; below 50 refused with error. */
void OTF_Writer_setBufferSizes(OTF_Writer *writer, uint32_t size);

/* Zlib level 0..9 for streams made from now on; 0 = plain files. Returns 1; 0 and error above 9. */
int OTF_Writer_setCompression(OTF_Writer *writer, OTF_FileCompression compression);

/* Bit 0: long form, bit 1: inline snapshots; for streams made from now on; above 3 stored but error set. */
void OTF_Writer_setFormat(OTF_Writer *writer, uint32_t format);

/* Replaces the map, freeing the old one; the writer frees the new one on close. */
void OTF_Writer_setMasterControl(OTF_Writer *writer, OTF_MasterControl *mc);

/* Compressed-side buffer for streams made from now on; below 32 refused with error. */
void OTF_Writer_setZBufferSizes(OTF_Writer *writer, uint32_t size);

/* Does nothing (the header is written automatically). Returns 1. */
int OTF_Writer_writeOtfVersion(OTF_Writer *writer, uint32_t stream);

/* ---- Definitions: records of the .def file ---- */

int OTF_Writer_writeDefinitionComment(OTF_Writer *writer, uint32_t stream, const char *comment);
int OTF_Writer_writeDefinitionCommentKV(OTF_Writer *writer, uint32_t stream, const char *comment,
                                        OTF_KeyValueList *list);
int OTF_Writer_writeDefTimerResolution(OTF_Writer *writer, uint32_t stream, uint64_t ticksPerSecond);
int OTF_Writer_writeDefTimerResolutionKV(OTF_Writer *writer, uint32_t stream, uint64_t ticksPerSecond,
                                         OTF_KeyValueList *list);
int OTF_Writer_writeDefProcess(OTF_Writer *writer, uint32_t stream, uint32_t process, const char *name,
                               uint32_t parent);
int OTF_Writer_writeDefProcessKV(OTF_Writer *writer, uint32_t stream, uint32_t process, const char *name,
                                 uint32_t parent, OTF_KeyValueList *list);
int OTF_Writer_writeDefProcessGroup(OTF_Writer *writer, uint32_t stream, uint32_t procGroup, const char *name,
                                    uint32_t numberOfProcs, const uint32_t *procs);
int OTF_Writer_writeDefProcessGroupKV(OTF_Writer *writer, uint32_t stream, uint32_t procGroup, const char *name,
                                      uint32_t numberOfProcs, const uint32_t *procs, OTF_KeyValueList *list);
int OTF_Writer_writeDefAttributeList(OTF_Writer *writer, uint32_t stream, uint32_t attr_token, uint32_t num,
                                     OTF_ATTR_TYPE *array);
int OTF_Writer_writeDefAttributeListKV(OTF_Writer *writer, uint32_t stream, uint32_t attr_token, uint32_t num,
                                       OTF_ATTR_TYPE *array, OTF_KeyValueList *list);
int OTF_Writer_writeDefProcessOrGroupAttributes(OTF_Writer *writer, uint32_t stream, uint32_t proc_token,
                                                uint32_t attr_token);
int OTF_Writer_writeDefProcessOrGroupAttributesKV(OTF_Writer *writer, uint32_t stream, uint32_t proc_token,
                                                  uint32_t attr_token, OTF_KeyValueList *list);
int OTF_Writer_writeDefProcessSubstitutes(OTF_Writer *writer, uint32_t streamid, uint32_t representative,
                                          uint32_t numberOfProcs, const uint32_t *procs,
                                          OTF_KeyValueList *list);
int OTF_Writer_writeDefFunction(OTF_Writer *writer, uint32_t stream, uint32_t func, const char *name,
                                uint32_t funcGroup, uint32_t source);
int OTF_Writer_writeDefFunctionKV(OTF_Writer *writer, uint32_t stream, uint32_t func, const char *name,
                                  uint32_t funcGroup, uint32_t source, OTF_KeyValueList *list);
int OTF_Writer_writeDefFunctionGroup(OTF_Writer *writer, uint32_t stream, uint32_t funcGroup, const char *name);
int OTF_Writer_writeDefFunctionGroupKV(OTF_Writer *writer, uint32_t stream, uint32_t funcGroup,
                                       const char *name, OTF_KeyValueList *list);
int OTF_Writer_writeDefCollectiveOperation(OTF_Writer *writer, uint32_t stream, uint32_t collOp,
                                           const char *name, uint32_t type);
int OTF_Writer_writeDefCollectiveOperationKV(OTF_Writer *writer, uint32_t stream, uint32_t collOp,
                                             const char *name, uint32_t type, OTF_KeyValueList *list);
int OTF_Writer_writeDefCounter(OTF_Writer *writer, uint32_t stream, uint32_t counter, const char *name,
                               uint32_t properties, uint32_t counterGroup, const char *unit);
int OTF_Writer_writeDefCounterKV(OTF_Writer *writer, uint32_t stream, uint32_t counter, const char *name,
                                 uint32_t properties, uint32_t counterGroup, const char *unit,
                                 OTF_KeyValueList *list);
int OTF_Writer_writeDefCounterGroup(OTF_Writer *writer, uint32_t stream, uint32_t counterGroup,
                                    const char *name);
int OTF_Writer_writeDefCounterGroupKV(OTF_Writer *writer, uint32_t stream, uint32_t counterGroup,
                                      const char *name, OTF_KeyValueList *list);
int OTF_Writer_writeDefScl(OTF_Writer *writer, uint32_t stream, uint32_t source, uint32_t sourceFile,
                           uint32_t line);
int OTF_Writer_writeDefSclKV(OTF_Writer *writer, uint32_t stream, uint32_t source, uint32_t sourceFile,
                             uint32_t line, OTF_KeyValueList *list);
int OTF_Writer_writeDefSclFile(OTF_Writer *writer, uint32_t stream, uint32_t sourceFile, const char *name);
int OTF_Writer_writeDefSclFileKV(OTF_Writer *writer, uint32_t stream, uint32_t sourceFile, const char *name,
                                 OTF_KeyValueList *list);
int OTF_Writer_writeDefCreator(OTF_Writer *writer, uint32_t stream, const char *creator);
int OTF_Writer_writeDefCreatorKV(OTF_Writer *writer, uint32_t stream, const char *creator,
                                 OTF_KeyValueList *list);
int OTF_Writer_writeDefFile(OTF_Writer *writer, uint32_t stream, uint32_t token, const char *name,
                            uint32_t group);
int OTF_Writer_writeDefFileKV(OTF_Writer *writer, uint32_t stream, uint32_t token, const char *name,
                              uint32_t group, OTF_KeyValueList *list);
int OTF_Writer_writeDefFileGroup(OTF_Writer *writer, uint32_t stream, uint32_t token, const char *name);
int OTF_Writer_writeDefFileGroupKV(OTF_Writer *writer, uint32_t stream, uint32_t token, const char *name,
                                   OTF_KeyValueList *list);
int OTF_Writer_writeDefKeyValue(OTF_Writer *writer, uint32_t stream, uint32_t key, OTF_Type type,
                                const char *name, const char *description);
int OTF_Writer_writeDefKeyValueKV(OTF_Writer *writer, uint32_t stream, uint32_t key, OTF_Type type,
                                  const char *name, const char *description, OTF_KeyValueList *list);
int OTF_Writer_writeDefTimeRange(OTF_Writer *writer, uint32_t streamid, uint64_t minTime, uint64_t maxTime,
                                 OTF_KeyValueList *list);
int OTF_Writer_writeDefCounterAssignments(OTF_Writer *writer, uint32_t streamid, uint32_t counter_token,
                                          uint32_t number_of_members, const uint32_t *procs_or_groups,
                                          OTF_KeyValueList *list);
int OTF_Writer_writeDefAuxSamplePoint(OTF_Writer *writer, uint32_t streamid, uint64_t time,
                                      OTF_AuxSamplePointType type, OTF_KeyValueList *list);

/* ---- Events: records of the .events file ---- */

int OTF_Writer_writeNoOpKV(OTF_Writer *writer, uint64_t time, uint32_t process, OTF_KeyValueList *list);
int OTF_Writer_writeEnter(OTF_Writer *writer, uint64_t time, uint32_t function, uint32_t process,
                          uint32_t source);
int OTF_Writer_writeEnterKV(OTF_Writer *writer, uint64_t time, uint32_t function, uint32_t process,
                            uint32_t source, OTF_KeyValueList *list);
int OTF_Writer_writeLeave(OTF_Writer *writer, uint64_t time, uint32_t function, uint32_t process,
                          uint32_t source);
int OTF_Writer_writeLeaveKV(OTF_Writer *writer, uint64_t time, uint32_t function, uint32_t process,
                            uint32_t source, OTF_KeyValueList *list);
int OTF_Writer_writeSendMsg(OTF_Writer *writer, uint64_t time, uint32_t sender, uint32_t receiver,
                            uint32_t procGroup, uint32_t tag, uint32_t length, uint32_t source);
int OTF_Writer_writeSendMsgKV(OTF_Writer *writer, uint64_t time, uint32_t sender, uint32_t receiver,
                              uint32_t procGroup, uint32_t tag, uint32_t length, uint32_t source,
                              OTF_KeyValueList *list);
int OTF_Writer_writeRecvMsg(OTF_Writer *writer, uint64_t time, uint32_t receiver, uint32_t sender,
                            uint32_t procGroup, uint32_t tag, uint32_t length, uint32_t source);
int OTF_Writer_writeRecvMsgKV(OTF_Writer *writer, uint64_t time, uint32_t receiver, uint32_t sender,
                              uint32_t procGroup, uint32_t tag, uint32_t length, uint32_t source,
                              OTF_KeyValueList *list);
int OTF_Writer_writeCounter(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t counter,
                            uint64_t value);
int OTF_Writer_writeCounterKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t counter,
                              uint64_t value, OTF_KeyValueList *list);
int OTF_Writer_writeCollectiveOperation(OTF_Writer *writer, uint64_t time, uint32_t process,
                                        uint32_t collective, uint32_t procGroup, uint32_t rootProc,
                                        uint32_t sent, uint32_t received, uint64_t duration, uint32_t source);
int OTF_Writer_writeCollectiveOperationKV(OTF_Writer *writer, uint64_t time, uint32_t process,
                                          uint32_t collective, uint32_t procGroup, uint32_t rootProc,
                                          uint32_t sent, uint32_t received, uint64_t duration, uint32_t source,
                                          OTF_KeyValueList *list);
int OTF_Writer_writeBeginCollectiveOperation(OTF_Writer *writer, uint64_t time, uint32_t process,
                                             uint32_t collOp, uint64_t matchingId, uint32_t procGroup,
                                             uint32_t rootProc, uint64_t sent, uint64_t received,
                                             uint32_t scltoken);
int OTF_Writer_writeBeginCollectiveOperationKV(OTF_Writer *writer, uint64_t time, uint32_t process,
                                               uint32_t collOp, uint64_t matchingId, uint32_t procGroup,
                                               uint32_t rootProc, uint64_t sent, uint64_t received,
                                               uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeEndCollectiveOperation(OTF_Writer *writer, uint64_t time, uint32_t process,
                                           uint64_t matchingId);
int OTF_Writer_writeEndCollectiveOperationKV(OTF_Writer *writer, uint64_t time, uint32_t process,
                                             uint64_t matchingId, OTF_KeyValueList *list);
int OTF_Writer_writeEventComment(OTF_Writer *writer, uint64_t time, uint32_t process, const char *comment);
int OTF_Writer_writeEventCommentKV(OTF_Writer *writer, uint64_t time, uint32_t process, const char *comment,
                                   OTF_KeyValueList *list);
int OTF_Writer_writeBeginProcess(OTF_Writer *writer, uint64_t time, uint32_t process);
int OTF_Writer_writeBeginProcessKV(OTF_Writer *writer, uint64_t time, uint32_t process, OTF_KeyValueList *list);
int OTF_Writer_writeEndProcess(OTF_Writer *writer, uint64_t time, uint32_t process);
int OTF_Writer_writeEndProcessKV(OTF_Writer *writer, uint64_t time, uint32_t process, OTF_KeyValueList *list);
int OTF_Writer_writeFileOperation(OTF_Writer *writer, uint64_t time, uint32_t fileid, uint32_t process,
                                  uint64_t handleid, uint32_t operation, uint64_t bytes, uint64_t duration,
                                  uint32_t source);
int OTF_Writer_writeFileOperationKV(OTF_Writer *writer, uint64_t time, uint32_t fileid, uint32_t process,
                                    uint64_t handleid, uint32_t operation, uint64_t bytes, uint64_t duration,
                                    uint32_t source, OTF_KeyValueList *list);
int OTF_Writer_writeBeginFileOperation(OTF_Writer *writer, uint64_t time, uint32_t process, uint64_t matchingId,
                                       uint32_t scltoken);
int OTF_Writer_writeBeginFileOperationKV(OTF_Writer *writer, uint64_t time, uint32_t process,
                                         uint64_t matchingId, uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeEndFileOperation(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t fileid,
                                     uint64_t matchingId, uint64_t handleId, uint32_t operation, uint64_t bytes,
                                     uint32_t scltoken);
int OTF_Writer_writeEndFileOperationKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t fileid,
                                       uint64_t matchingId, uint64_t handleId, uint32_t operation,
                                       uint64_t bytes, uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeRMAPut(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t origin,
                           uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                           uint32_t scltoken);
int OTF_Writer_writeRMAPutKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t origin,
                             uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                             uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeRMAPutRemoteEnd(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t origin,
                                    uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                    uint32_t scltoken);
int OTF_Writer_writeRMAPutRemoteEndKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t origin,
                                      uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                      uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeRMAGet(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t origin,
                           uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                           uint32_t scltoken);
int OTF_Writer_writeRMAGetKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t origin,
                             uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                             uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeRMAEnd(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t remote,
                           uint32_t communicator, uint32_t tag, uint32_t scltoken);
int OTF_Writer_writeRMAEndKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t remote,
                             uint32_t communicator, uint32_t tag, uint32_t scltoken, OTF_KeyValueList *list);

/* ---- Snapshots: records of the .snaps, with inline snapshots .events file ---- */

int OTF_Writer_writeSnapshotComment(OTF_Writer *writer, uint64_t time, uint32_t process, const char *comment);
int OTF_Writer_writeSnapshotCommentKV(OTF_Writer *writer, uint64_t time, uint32_t process, const char *comment,
                                      OTF_KeyValueList *list);
int OTF_Writer_writeEnterSnapshot(OTF_Writer *writer, uint64_t time, uint64_t originaltime, uint32_t function,
                                  uint32_t process, uint32_t source);
int OTF_Writer_writeEnterSnapshotKV(OTF_Writer *writer, uint64_t time, uint64_t originaltime, uint32_t function,
                                    uint32_t process, uint32_t source, OTF_KeyValueList *list);
int OTF_Writer_writeSendSnapshot(OTF_Writer *writer, uint64_t time, uint64_t originaltime, uint32_t sender,
                                 uint32_t receiver, uint32_t procGroup, uint32_t tag, uint32_t length,
                                 uint32_t source);
int OTF_Writer_writeSendSnapshotKV(OTF_Writer *writer, uint64_t time, uint64_t originaltime, uint32_t sender,
                                   uint32_t receiver, uint32_t procGroup, uint32_t tag, uint32_t length,
                                   uint32_t source, OTF_KeyValueList *list);
int OTF_Writer_writeOpenFileSnapshot(OTF_Writer *writer, uint64_t time, uint64_t originaltime, uint32_t fileid,
                                     uint32_t process, uint64_t handleid, uint32_t source);
int OTF_Writer_writeOpenFileSnapshotKV(OTF_Writer *writer, uint64_t time, uint64_t originaltime,
                                       uint32_t fileid, uint32_t process, uint64_t handleid, uint32_t source,
                                       OTF_KeyValueList *list);
int OTF_Writer_writeBeginCollopSnapshot(OTF_Writer *writer, uint64_t time, uint64_t originaltime,
                                        uint32_t process, uint32_t collOp, uint64_t matchingId,
                                        uint32_t procGroup, uint32_t rootProc, uint64_t sent, uint64_t received,
                                        uint32_t scltoken);
int OTF_Writer_writeBeginCollopSnapshotKV(OTF_Writer *writer, uint64_t time, uint64_t originaltime,
                                          uint32_t process, uint32_t collOp, uint64_t matchingId,
                                          uint32_t procGroup, uint32_t rootProc, uint64_t sent,
                                          uint64_t received, uint32_t scltoken, OTF_KeyValueList *list);
int OTF_Writer_writeBeginFileOpSnapshot(OTF_Writer *writer, uint64_t time, uint64_t originaltime,
                                        uint32_t process, uint64_t matchingId, uint32_t scltoken);
int OTF_Writer_writeBeginFileOpSnapshotKV(OTF_Writer *writer, uint64_t time, uint64_t originaltime,
                                          uint32_t process, uint64_t matchingId, uint32_t scltoken,
                                          OTF_KeyValueList *list);
int OTF_Writer_writeCollopCountSnapshot(OTF_Writer *writer, uint64_t time, uint32_t process,
                                        uint32_t communicator, uint64_t count, OTF_KeyValueList *list);
int OTF_Writer_writeCounterSnapshot(OTF_Writer *writer, uint64_t time, uint64_t originaltime, uint32_t process,
                                    uint32_t counter, uint64_t value, OTF_KeyValueList *list);

/* ---- Statistics: records of the .stats file ---- */

int OTF_Writer_writeSummaryComment(OTF_Writer *writer, uint64_t time, uint32_t process, const char *comment);
int OTF_Writer_writeSummaryCommentKV(OTF_Writer *writer, uint64_t time, uint32_t process, const char *comment,
                                     OTF_KeyValueList *list);
int OTF_Writer_writeFunctionSummary(OTF_Writer *writer, uint64_t time, uint32_t function, uint32_t process,
                                    uint64_t count, uint64_t excltime, uint64_t incltime);
int OTF_Writer_writeFunctionSummaryKV(OTF_Writer *writer, uint64_t time, uint32_t function, uint32_t process,
                                      uint64_t count, uint64_t excltime, uint64_t incltime,
                                      OTF_KeyValueList *list);
int OTF_Writer_writeFunctionGroupSummary(OTF_Writer *writer, uint64_t time, uint32_t functiongroup,
                                         uint32_t process, uint64_t count, uint64_t excltime,
                                         uint64_t incltime);
int OTF_Writer_writeFunctionGroupSummaryKV(OTF_Writer *writer, uint64_t time, uint32_t functiongroup,
                                           uint32_t process, uint64_t count, uint64_t excltime,
                                           uint64_t incltime, OTF_KeyValueList *list);
int OTF_Writer_writeMessageSummary(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t peer,
                                   uint32_t comm, uint32_t tag, uint64_t number_sent, uint64_t number_recved,
                                   uint64_t bytes_sent, uint64_t bytes_recved);
int OTF_Writer_writeMessageSummaryKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t peer,
                                     uint32_t comm, uint32_t tag, uint64_t number_sent, uint64_t number_recved,
                                     uint64_t bytes_sent, uint64_t bytes_recved, OTF_KeyValueList *list);
int OTF_Writer_writeCollopSummary(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t comm,
                                  uint32_t collective, uint64_t number_sent, uint64_t number_recved,
                                  uint64_t bytes_sent, uint64_t bytes_recved);
int OTF_Writer_writeCollopSummaryKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t comm,
                                    uint32_t collective, uint64_t number_sent, uint64_t number_recved,
                                    uint64_t bytes_sent, uint64_t bytes_recved, OTF_KeyValueList *list);
int OTF_Writer_writeFileOperationSummary(OTF_Writer *writer, uint64_t time, uint32_t fileid, uint32_t process,
                                         uint64_t nopen, uint64_t nclose, uint64_t nread, uint64_t nwrite,
                                         uint64_t nseek, uint64_t bytesread, uint64_t byteswrite);
int OTF_Writer_writeFileOperationSummaryKV(OTF_Writer *writer, uint64_t time, uint32_t fileid, uint32_t process,
                                           uint64_t nopen, uint64_t nclose, uint64_t nread, uint64_t nwrite,
                                           uint64_t nseek, uint64_t bytesread, uint64_t byteswrite,
                                           OTF_KeyValueList *list);
int OTF_Writer_writeFileGroupOperationSummary(OTF_Writer *writer, uint64_t time, uint32_t groupid,
                                              uint32_t process, uint64_t nopen, uint64_t nclose, uint64_t nread,
                                              uint64_t nwrite, uint64_t nseek, uint64_t bytesread,
                                              uint64_t byteswrite);
int OTF_Writer_writeFileGroupOperationSummaryKV(OTF_Writer *writer, uint64_t time, uint32_t groupid,
                                                uint32_t process, uint64_t nopen, uint64_t nclose,
                                                uint64_t nread, uint64_t nwrite, uint64_t nseek,
                                                uint64_t bytesread, uint64_t byteswrite,
                                                OTF_KeyValueList *list);

/* ---- Markers: records of the .marker file ---- */

int OTF_Writer_writeDefMarker(OTF_Writer *writer, uint32_t streamID, uint32_t token, const char *name,
                              uint32_t type);
int OTF_Writer_writeDefMarkerKV(OTF_Writer *writer, uint32_t streamID, uint32_t token, const char *name,
                                uint32_t type, OTF_KeyValueList *list);
int OTF_Writer_writeMarker(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t token,
                           const char *text);
int OTF_Writer_writeMarkerKV(OTF_Writer *writer, uint64_t time, uint32_t process, uint32_t token,
                             const char *text, OTF_KeyValueList *list);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_WRITER_H */
