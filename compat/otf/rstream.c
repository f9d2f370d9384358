/* rstream.c: reading the files of one stream, each on its own: no merging, no interval, no status of processes.
 */
#include "rstream.h"

#include <stdlib.h>

/* ---- Life ---- */

int OTF_RStream_init(OTF_RStream *rstream) {
    *rstream = (OTF_RStream){.id = UINT32_MAX,
                             .buffersizes = COMPAT_BUFFER_SIZE,
                             .zbuffersizes = OTF_ZBUFFER_DEFAULTSIZE,
                             .recordLimit = OTF_READ_MAXRECORDS};
    return 1;
}

OTF_RStream *OTF_RStream_open(const char *nameStub, uint32_t id, OTF_FileManager *manager) {
    if (!manager) {
        OTF_Error("a stream needs a file manager");
        return NULL;
    }
    OTF_RStream *rstream = malloc(sizeof *rstream);
    if (!rstream) {
        OTF_Error("no memory for a stream");
        return NULL;
    }
    OTF_RStream_init(rstream);
    rstream->id = id;
    rstream->manager = manager;
    rstream->namestub = OTF_strdup(nameStub);
    if (rstream->namestub)
        return rstream;
    free(rstream);
    return NULL;
}

static int close_buffer(OTF_RBuffer **buffer) {
    const int fine = *buffer ? OTF_RBuffer_close(*buffer) : 1;
    *buffer = NULL;
    return fine;
}

int OTF_RStream_finish(OTF_RStream *rstream) {
    int fine = 1;
    for (enum quipu__otf_file file = QUIPU__OTF_DEFINITIONS; file <= QUIPU__OTF_MARKERS; file++)
        fine &= close_buffer(compat_rstream_slot(rstream, file));
    free(rstream->namestub);
    rstream->namestub = NULL;
    return fine;
}

int OTF_RStream_close(OTF_RStream *rstream) {
    if (!rstream) {
        OTF_Error("no stream to close");
        return 0;
    }
    const int fine = OTF_RStream_finish(rstream);
    free(rstream);
    return fine;
}

/* ---- Settings ---- */

void OTF_RStream_setBufferSizes(OTF_RStream *rstream, uint32_t size) {
    if (compat_check_buffer_size(size))
        rstream->buffersizes = size;
}

uint32_t OTF_RStream_getBufferSizes(OTF_RStream *rstream) {
    return rstream->buffersizes;
}

void OTF_RStream_setZBufferSizes(OTF_RStream *rstream, uint32_t size) {
    if (compat_check_zbuffer_size(size))
        rstream->zbuffersizes = size;
}

uint32_t OTF_RStream_getZBufferSizes(OTF_RStream *rstream) {
    return rstream->zbuffersizes;
}

uint64_t compat_check_limit(uint64_t limit) {
    if (limit != OTF_READ_ERROR)
        return limit;
    OTF_Error("the limit of records is too large");
    return OTF_READ_MAXRECORDS;
}

void OTF_RStream_setRecordLimit(OTF_RStream *rstream, uint64_t limit) {
    rstream->recordLimit = compat_check_limit(limit);
}

uint64_t OTF_RStream_getRecordLimit(OTF_RStream *rstream) {
    return rstream->recordLimit;
}

/* ---- Buffers ---- */

OTF_RBuffer **compat_rstream_slot(OTF_RStream *rstream, enum quipu__otf_file file) {
    switch (file) {
    case QUIPU__OTF_DEFINITIONS:
        return &rstream->defBuffer;
    case QUIPU__OTF_EVENTS:
        return &rstream->eventBuffer;
    case QUIPU__OTF_SNAPSHOTS:
        return &rstream->snapsBuffer;
    case QUIPU__OTF_STATISTICS:
        return &rstream->statsBuffer;
    default:
        return &rstream->markerBuffer;
    }
}

static OTF_FileType type_of(enum quipu__otf_file file) {
    static const OTF_FileType types[] = {[QUIPU__OTF_DEFINITIONS] = OTF_FILETYPE_DEF,
                                         [QUIPU__OTF_EVENTS] = OTF_FILETYPE_EVENT,
                                         [QUIPU__OTF_SNAPSHOTS] = OTF_FILETYPE_SNAPS,
                                         [QUIPU__OTF_STATISTICS] = OTF_FILETYPE_STATS,
                                         [QUIPU__OTF_MARKERS] = OTF_FILETYPE_MARKER};
    return types[file];
}

/* A read buffer must hold 100 bytes; sizes from 50 on can be asked for. */
static void set_sizes(OTF_RBuffer *buffer, const OTF_RStream *rstream) {
    OTF_RBuffer_setSize(buffer, rstream->buffersizes < 100 ? 100 : rstream->buffersizes);
    OTF_RBuffer_setZBufferSize(buffer, rstream->zbuffersizes);
}

OTF_RBuffer *compat_rstream_buffer(OTF_RStream *rstream, enum quipu__otf_file file) {
    OTF_RBuffer **slot = compat_rstream_slot(rstream, file);
    if (*slot)
        return *slot;
    char *name = OTF_getFilename(rstream->namestub, rstream->id, type_of(file), 0, NULL);
    *slot = name ? OTF_RBuffer_open(name, rstream->manager) : NULL;
    free(name);
    if (*slot)
        set_sizes(*slot, rstream);
    return *slot;
}

OTF_RBuffer *OTF_RStream_getDefBuffer(OTF_RStream *rstream) {
    return compat_rstream_buffer(rstream, QUIPU__OTF_DEFINITIONS);
}

OTF_RBuffer *OTF_RStream_setDefBuffer(OTF_RStream *rstream, OTF_RBuffer *rbuffer) {
    OTF_RBuffer *old = rstream->defBuffer;
    rstream->defBuffer = rbuffer;
    if (rbuffer)
        set_sizes(rbuffer, rstream);
    return old;
}

OTF_RBuffer *OTF_RStream_getEventBuffer(OTF_RStream *rstream) {
    return compat_rstream_buffer(rstream, QUIPU__OTF_EVENTS);
}

OTF_RBuffer *OTF_RStream_getSnapsBuffer(OTF_RStream *rstream) {
    return compat_rstream_buffer(rstream, QUIPU__OTF_SNAPSHOTS);
}

OTF_RBuffer *OTF_RStream_getStatsBuffer(OTF_RStream *rstream) {
    return compat_rstream_buffer(rstream, QUIPU__OTF_STATISTICS);
}

OTF_RBuffer *OTF_RStream_getMarkerBuffer(OTF_RStream *rstream) {
    return compat_rstream_buffer(rstream, QUIPU__OTF_MARKERS);
}

int OTF_RStream_closeDefBuffer(OTF_RStream *rstream) {
    return close_buffer(&rstream->defBuffer);
}

int OTF_RStream_closeEventBuffer(OTF_RStream *rstream) {
    return close_buffer(&rstream->eventBuffer);
}

int OTF_RStream_closeSnapsBuffer(OTF_RStream *rstream) {
    return close_buffer(&rstream->snapsBuffer);
}

int OTF_RStream_closeStatsBuffer(OTF_RStream *rstream) {
    return close_buffer(&rstream->statsBuffer);
}

int OTF_RStream_closeMarkerBuffer(OTF_RStream *rstream) {
    return close_buffer(&rstream->markerBuffer);
}

/* ---- Reading ---- */

static uint64_t read_records(OTF_RStream *rstream, OTF_HandlerArray *handlers, OTF_RBuffer *buffer,
                             enum quipu__otf_file file) {
    uint64_t count = 0;
    compat_drop_items(buffer);
    while (count < rstream->recordLimit && compat_next_line(buffer)) {
        const enum compat_line line = compat_read_line(buffer, handlers, file, rstream->id);
        if (line == COMPAT_LINE_FAILED)
            return OTF_READ_ERROR;
        count += line == COMPAT_LINE_COUNTS;
    }
    return count;
}

/* Files with state lines are entered by a search when they are opened here; it may fail. */
static uint64_t read_file(OTF_RStream *rstream, OTF_HandlerArray *handlers, enum quipu__otf_file file) {
    const bool opens = !*compat_rstream_slot(rstream, file);
    OTF_RBuffer *buffer = compat_rstream_buffer(rstream, file);
    if (!buffer) {
        OTF_Error("stream %x of '%s' has no such file", rstream->id, rstream->namestub);
        return OTF_READ_ERROR;
    }
    if (opens && file != QUIPU__OTF_DEFINITIONS && file != QUIPU__OTF_MARKERS)
        OTF_RBuffer_searchTime(buffer, 0);
    return read_records(rstream, handlers, buffer, file);
}

uint64_t OTF_RStream_readDefinitions(OTF_RStream *rstream, OTF_HandlerArray *handlers) {
    return read_file(rstream, handlers, QUIPU__OTF_DEFINITIONS);
}

uint64_t OTF_RStream_readEvents(OTF_RStream *rstream, OTF_HandlerArray *handlers) {
    return read_file(rstream, handlers, QUIPU__OTF_EVENTS);
}

uint64_t OTF_RStream_readSnapshots(OTF_RStream *rstream, OTF_HandlerArray *handlers) {
    return read_file(rstream, handlers, QUIPU__OTF_SNAPSHOTS);
}

uint64_t OTF_RStream_readStatistics(OTF_RStream *rstream, OTF_HandlerArray *handlers) {
    return read_file(rstream, handlers, QUIPU__OTF_STATISTICS);
}

uint64_t OTF_RStream_readMarker(OTF_RStream *rstream, OTF_HandlerArray *handlers) {
    return read_file(rstream, handlers, QUIPU__OTF_MARKERS);
}

/* ---- Progress ---- */

static uint8_t time_progress(OTF_RBuffer *buffer, uint64_t *minimum, uint64_t *current, uint64_t *maximum) {
    if (!buffer || buffer->time < buffer->firstTime || buffer->time > buffer->lastTime)
        return 0;
    *minimum = buffer->firstTime;
    *current = buffer->time;
    *maximum = buffer->lastTime;
    return 1;
}

static uint8_t bytes_progress(OTF_RBuffer *buffer, uint64_t *minimum, uint64_t *current, uint64_t *maximum) {
    if (!buffer)
        return 0;
    *minimum = 0;
    *current = OTF_RBuffer_getFilePos(buffer);
    *maximum = OTF_RBuffer_getFileSize(buffer);
    return 1;
}

#define PROGRESS(what, buffer)                                                                                 \
    uint8_t OTF_RStream_##what##Progress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,           \
                                         uint64_t *maximum) {                                                  \
        return time_progress(rstream->buffer, minimum, current, maximum);                                      \
    }                                                                                                          \
    uint8_t OTF_RStream_##what##TimeProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,       \
                                             uint64_t *maximum) {                                              \
        return time_progress(rstream->buffer, minimum, current, maximum);                                      \
    }                                                                                                          \
    uint8_t OTF_RStream_##what##BytesProgress(OTF_RStream *rstream, uint64_t *minimum, uint64_t *current,      \
                                              uint64_t *maximum) {                                             \
        return bytes_progress(rstream->buffer, minimum, current, maximum);                                     \
    }

PROGRESS(event, eventBuffer)
PROGRESS(snapshot, snapsBuffer)
PROGRESS(statistic, statsBuffer)
