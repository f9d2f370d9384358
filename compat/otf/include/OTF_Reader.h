/* OTF_Reader.h: reading a whole trace: definitions and markers stream by stream, the rest merged by time, for
 * chosen processes and a chosen interval of time. */
#ifndef OTF_READER_H
#define OTF_READER_H

#include "OTF_FileManager.h"
#include "OTF_HandlerArray.h"
#include "OTF_MasterControl.h"
#include "OTF_RStream.h"
#include "OTF_inttypes.h"

typedef struct struct_OTF_Reader OTF_Reader;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Closes all streams and free. Returns 1; 0 for NULL (error) or failure. */
int OTF_Reader_close(OTF_Reader *reader);

/* Closes all streams; heaps that still point to them are not reset (reset first). Returns 1; 0 on failure. */
int OTF_Reader_closeAllStreams(OTF_Reader *reader);

/* Switchs a process off; its records are skipped at once, its stream stays open. Returns 1; 0 when it is not
 * in the map. */
int OTF_Reader_disableProcess(OTF_Reader *reader, uint32_t processId);

/* Switchs a process on, for reads not yet begun. Returns 1; 0 when it is not in the map. */
int OTF_Reader_enableProcess(OTF_Reader *reader, uint32_t processId);

/* Sums over the streams of start offset, bytes read ahead, end offset. Returns 1 (0 when
 * no reading was begun). */
uint8_t OTF_Reader_eventBytesProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                      uint64_t *maximum);

/* Same as OTF_Reader_eventTimeProgress. */
uint8_t OTF_Reader_eventProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current, uint64_t *maximum);

/* First, current and last time of the reading in progress, cut to the interval. Returns 1; 0 when no reading
 * was begun or the current time lies outside (values untouched). */
uint8_t OTF_Reader_eventTimeProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                     uint64_t *maximum);

/* Size of the buffers in bytes, 1048576 unless set. */
uint32_t OTF_Reader_getBufferSizes(OTF_Reader *reader);

/* The map of processes to streams. Owned by the object. */
OTF_MasterControl *OTF_Reader_getMasterControl(OTF_Reader *reader);

/* Status of a process. Returns the stored value; 0 when it is not in the map. */
uint8_t OTF_Reader_getProcessStatus(OTF_Reader *reader, uint32_t processId);

/* Records that one call delivers at most, 2^64-2 unless set. */
uint64_t OTF_Reader_getRecordLimit(OTF_Reader *reader);

/* The RStream with this id, made at first use (also for ids not in the master). Returns the stream; NULL
 * without memory. */
OTF_RStream *OTF_Reader_getStream(OTF_Reader *reader, uint32_t id);

/* Upper bound of the interval, 2^64-1 unless set. */
uint64_t OTF_Reader_getTimeIntervalMax(OTF_Reader *reader);

/* Lower bound of the interval, 0 unless set. */
uint64_t OTF_Reader_getTimeIntervalMin(OTF_Reader *reader);

/* Size of the compressed-side buffers in bytes, 1048576 unless set. */
uint32_t OTF_Reader_getZBufferSizes(OTF_Reader *reader);

/* Reads the master file (a trailing ".otf" of the name is dropped). Returns the reader; NULL and error when
 * it is absent, maps no process, or manager is NULL. */
OTF_Reader *OTF_Reader_open(const char *namestub, OTF_FileManager *manager);

/* Calls handlers for all definitions: stream 0, then the streams in ascending order. Returns number of
 * records (key-value lines not counted); OTF_READ_ERROR on a bad line, a missing event file, or when a
 * handler returned non-zero. */
uint64_t OTF_Reader_readDefinitions(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* Calls handlers for the records of all .events files of enabled processes merged by time. Returns number of
 * records (key-value lines not counted); OTF_READ_ERROR on a bad line, a missing event file, or when a
 * handler returned non-zero. */
uint64_t OTF_Reader_readEvents(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* The same, one stream after the other. Returns number of records (key-value lines not counted);
 * OTF_READ_ERROR on a bad line, a missing event file, or when a handler returned non-zero. */
uint64_t OTF_Reader_readEventsUnsorted(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* Calls handlers for all markers: stream 0, then the streams in ascending order. Returns number of records
 * (key-value lines not counted); OTF_READ_ERROR on a bad line, a missing event file, or when a handler
 * returned non-zero. */
uint64_t OTF_Reader_readMarkers(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* Calls handlers for the records of all .snaps files of enabled processes merged by time. Returns number of
 * records (key-value lines not counted); OTF_READ_ERROR on a bad line, a missing event file, or when a
 * handler returned non-zero. */
uint64_t OTF_Reader_readSnapshots(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* The same, one stream after the other. Returns number of records (key-value lines not counted);
 * OTF_READ_ERROR on a bad line, a missing event file, or when a handler returned non-zero. */
uint64_t OTF_Reader_readSnapshotsUnsorted(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* Calls handlers for the records of all .stats files of enabled processes merged by time. Returns number of
 * records (key-value lines not counted); OTF_READ_ERROR on a bad line, a missing event file, or when a
 * handler returned non-zero. */
uint64_t OTF_Reader_readStatistics(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* The same, one stream after the other. Returns number of records (key-value lines not counted);
 * OTF_READ_ERROR on a bad line, a missing event file, or when a handler returned non-zero. */
uint64_t OTF_Reader_readStatisticsUnsorted(OTF_Reader *reader, OTF_HandlerArray *handlers);

/* Restarts all reading, whole time range, all processes on, no limit (definitions and markers already read
 * are not read again). */
void OTF_Reader_reset(OTF_Reader *reader);

/* Sets the size of the read buffers of streams opened from now on; below 50 is refused with an error.
 * Returns 1; 0 when refused. */
int OTF_Reader_setBufferSizes(OTF_Reader *reader, uint32_t size);

/* As enable / disable, and restart all reading. Returns 1; 0 when it is not in the map. */
int OTF_Reader_setProcessStatus(OTF_Reader *reader, uint32_t processId, uint8_t status);

/* The same for all processes. Returns 1. */
int OTF_Reader_setProcessStatusAll(OTF_Reader *reader, uint8_t status);

/* Records per read call; OTF_READ_ERROR is replaced by OTF_READ_MAXRECORDS (error set). */
void OTF_Reader_setRecordLimit(OTF_Reader *reader, uint64_t limit);

/* Reads only times in [min,max) from now on, and restart all reading. */
void OTF_Reader_setTimeInterval(OTF_Reader *reader, uint64_t minTime, uint64_t maxTime);

/* Compressed-side buffer size for streams opened from now on; below 32 refused with error. */
void OTF_Reader_setZBufferSizes(OTF_Reader *reader, uint32_t size);

/* Sums over the streams of start offset, bytes read ahead, end offset. Returns 1 (0 when
 * no reading was begun). */
uint8_t OTF_Reader_snapshotBytesProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                         uint64_t *maximum);

/* Same as OTF_Reader_snapshotTimeProgress. */
uint8_t OTF_Reader_snapshotProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                    uint64_t *maximum);

/* First, current and last time of the reading in progress, cut to the interval. Returns 1; 0 when no reading
 * was begun or the current time lies outside (values untouched). */
uint8_t OTF_Reader_snapshotTimeProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                        uint64_t *maximum);

/* Sums over the streams of start offset, bytes read ahead, end offset. Returns 1 (0 when
 * no reading was begun). */
uint8_t OTF_Reader_statisticBytesProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                          uint64_t *maximum);

/* Same as OTF_Reader_statisticTimeProgress. */
uint8_t OTF_Reader_statisticProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                     uint64_t *maximum);

/* First, current and last time of the reading in progress, cut to the interval. Returns 1; 0 when no reading
 * was begun or the current time lies outside (values untouched). */
uint8_t OTF_Reader_statisticTimeProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,
                                         uint64_t *maximum);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_READER_H */
