/* OTF_RStream.h: reading the files of one stream, each from its beginning to its end. */
#ifndef OTF_RSTREAM_H
#define OTF_RSTREAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "OTF_FileManager.h"
#include "OTF_Filenames.h"
#include "OTF_HandlerArray.h"
#include "OTF_RBuffer.h"
#include "OTF_inttypes.h"

struct struct_OTF_RStream {
    char *namestub;
    uint32_t id;
    OTF_RBuffer *defBuffer; /* each made at its first use */
    OTF_RBuffer *eventBuffer;
    OTF_RBuffer *snapsBuffer;
    OTF_RBuffer *statsBuffer;
    OTF_RBuffer *markerBuffer;
    uint32_t buffersizes;
    uint32_t zbuffersizes;
    OTF_FileManager *manager;
    uint64_t recordLimit;
};
typedef struct struct_OTF_RStream OTF_RStream;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Closes everything and free. Returns 1; 0 for NULL (error) or failure. */
int OTF_RStream_close(OTF_RStream *rstream);

/* Closes the .def buffer; the next use opens it again from the beginning. Returns 1; 0 on failure. */
int OTF_RStream_closeDefBuffer(OTF_RStream *rstream);

/* Closes the .events buffer; the next use opens it again from the beginning. Returns 1; 0 on failure. */
int OTF_RStream_closeEventBuffer(OTF_RStream *rstream);

/* Closes the .marker buffer; the next use opens it again from the beginning. Returns 1; 0 on failure. */
int OTF_RStream_closeMarkerBuffer(OTF_RStream *rstream);

/* Closes the .snaps buffer; the next use opens it again from the beginning. Returns 1; 0 on failure. */
int OTF_RStream_closeSnapsBuffer(OTF_RStream *rstream);

/* Closes the .stats buffer; the next use opens it again from the beginning. Returns 1; 0 on failure. */
int OTF_RStream_closeStatsBuffer(OTF_RStream *rstream);

/* 0, bytes read ahead, file size. Returns 1 (0 when the buffer was never opened). */
uint8_t OTF_RStream_eventBytesProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                       uint64_t *maximum);

/* Same as OTF_RStream_eventTimeProgress. */
uint8_t OTF_RStream_eventProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                  uint64_t *maximum);

/* First, current and last time stamp. Returns 1; 0 when nothing was opened yet or the current time lies
 * outside. */
uint8_t OTF_RStream_eventTimeProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                      uint64_t *maximum);

/* Size of the buffers in bytes, 1048576 unless set. */
uint32_t OTF_RStream_getBufferSizes(OTF_RStream *rstream);

/* The buffer over the .def file, opened at first use. Returns the buffer; NULL when the file is absent. */
OTF_RBuffer *OTF_RStream_getDefBuffer(OTF_RStream *rstream);

/* The buffer over the .events file, opened at first use. Returns the buffer; NULL when the file is absent. */
OTF_RBuffer *OTF_RStream_getEventBuffer(OTF_RStream *rstream);

/* The buffer over the .marker file, opened at first use. Returns the buffer; NULL when the file is absent. */
OTF_RBuffer *OTF_RStream_getMarkerBuffer(OTF_RStream *rstream);

/* Records that one call delivers at most, 2^64-2 unless set. */
uint64_t OTF_RStream_getRecordLimit(OTF_RStream *rstream);

/* The buffer over the .snaps file, opened at first use. Returns the buffer; NULL when the file is absent. */
OTF_RBuffer *OTF_RStream_getSnapsBuffer(OTF_RStream *rstream);

/* The buffer over the .stats file, opened at first use. Returns the buffer; NULL when the file is absent. */
OTF_RBuffer *OTF_RStream_getStatsBuffer(OTF_RStream *rstream);

/* Size of the compressed-side buffers in bytes, 1048576 unless set. */
uint32_t OTF_RStream_getZBufferSizes(OTF_RStream *rstream);

/* Object for one stream's files (nothing is opened yet). Returns the stream; NULL and error for a NULL
 * manager. */
OTF_RStream *OTF_RStream_open(const char *nameStub, uint32_t id, OTF_FileManager *manager);

/* Calls handlers for the records of the .def file from the current position, up to the record limit; a
 * following call goes on. Returns number of records; OTF_READ_ERROR when the file is absent, a line is bad,
 * or a handler returned non-zero. */
uint64_t OTF_RStream_readDefinitions(OTF_RStream *rstream, OTF_HandlerArray *handlers);

/* Calls handlers for the records of the .events file from the current position, up to the record limit; a
 * following call goes on. Returns number of records; OTF_READ_ERROR when the file is absent, a line is bad,
 * or a handler returned non-zero. */
uint64_t OTF_RStream_readEvents(OTF_RStream *rstream, OTF_HandlerArray *handlers);

/* Calls handlers for the records of the .marker file from the current position, up to the record limit; a
 * following call goes on. Returns number of records; OTF_READ_ERROR when the file is absent, a line is bad,
 * or a handler returned non-zero. */
uint64_t OTF_RStream_readMarker(OTF_RStream *rstream, OTF_HandlerArray *handlers);

/* Calls handlers for the records of the .snaps file from the current position, up to the record limit; a
 * following call goes on. Returns number of records; OTF_READ_ERROR when the file is absent, a line is bad,
 * or a handler returned non-zero. */
uint64_t OTF_RStream_readSnapshots(OTF_RStream *rstream, OTF_HandlerArray *handlers);

/* Calls handlers for the records of the .stats file from the current position, up to the record limit; a
 * following call goes on. Returns number of records; OTF_READ_ERROR when the file is absent, a line is bad,
 * or a handler returned non-zero. */
uint64_t OTF_RStream_readStatistics(OTF_RStream *rstream, OTF_HandlerArray *handlers);

/* Sets the size of the read buffers opened from now on; below 50 is refused with an error.
 * Returns 1; 0 when refused. */
void OTF_RStream_setBufferSizes(OTF_RStream *rstream, uint32_t size);

/* Replaces the .def buffer (e.g. by one over memory), sizes are applied to it. Returns the old buffer or
 * NULL. */
OTF_RBuffer *OTF_RStream_setDefBuffer(OTF_RStream *rstream, OTF_RBuffer *rbuffer);

/* Records per read call; OTF_READ_ERROR is replaced by OTF_READ_MAXRECORDS (error set). */
void OTF_RStream_setRecordLimit(OTF_RStream *rstream, uint64_t limit);

/* Compressed-side buffer size for buffers opened from now on; below 32 refused with error. */
void OTF_RStream_setZBufferSizes(OTF_RStream *rstream, uint32_t size);

/* 0, bytes read ahead, file size. Returns 1 (0 when the buffer was never opened). */
uint8_t OTF_RStream_snapshotBytesProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                          uint64_t *maximum);

/* Same as OTF_RStream_snapshotTimeProgress. */
uint8_t OTF_RStream_snapshotProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                     uint64_t *maximum);

/* First, current and last time stamp. Returns 1; 0 when nothing was opened yet or the current time lies
 * outside. */
uint8_t OTF_RStream_snapshotTimeProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                         uint64_t *maximum);

/* 0, bytes read ahead, file size. Returns 1 (0 when the buffer was never opened). */
uint8_t OTF_RStream_statisticBytesProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                           uint64_t *maximum);

/* Same as OTF_RStream_statisticTimeProgress. */
uint8_t OTF_RStream_statisticProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                      uint64_t *maximum);

/* First, current and last time stamp. Returns 1; 0 when nothing was opened yet or the current time lies
 * outside. */
uint8_t OTF_RStream_statisticTimeProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,
                                          uint64_t *maximum);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_RSTREAM_H */
