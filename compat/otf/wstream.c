/* wstream.c: the files of one stream. Each has a write buffer that is made when it is first asked for. */
#include "wstream.h"

#include <stdlib.h>

#define ALL_FORMATS (OTF_WSTREAM_FORMAT_LONG | OTF_WSTREAM_FORMAT_INLINE_SNAPSHOTS)

/* ---- Life ---- */

int OTF_WStream_init(OTF_WStream *wstream) {
    *wstream = (OTF_WStream){
        .id = UINT32_MAX, .buffersizes = COMPAT_BUFFER_SIZE, .zbuffersizes = OTF_ZBUFFER_DEFAULTSIZE};
    return 1;
}

OTF_WStream *OTF_WStream_open(const char *namestub, uint32_t id, OTF_FileManager *manager) {
    if (!manager) {
        OTF_Error("a stream needs a file manager");
        return NULL;
    }
    OTF_WStream *wstream = malloc(sizeof *wstream);
    if (!wstream) {
        OTF_Error("no memory for a stream");
        return NULL;
    }
    OTF_WStream_init(wstream);
    wstream->id = id;
    wstream->manager = manager;
    wstream->namestub = OTF_strdup(namestub);
    if (!wstream->namestub) {
        free(wstream);
        return NULL;
    }
    return wstream;
}

static int close_buffer(OTF_WBuffer **buffer) {
    const int fine = *buffer ? OTF_WBuffer_close(*buffer) : 1;
    *buffer = NULL;
    return fine;
}

int OTF_WStream_finish(OTF_WStream *wstream) {
    int fine = close_buffer(&wstream->defBuffer);
    fine &= close_buffer(&wstream->eventBuffer);
    fine &= close_buffer(&wstream->snapsBuffer);
    fine &= close_buffer(&wstream->statsBuffer);
    fine &= close_buffer(&wstream->markerBuffer);
    free(wstream->namestub);
    wstream->namestub = NULL;
    return fine;
}

int OTF_WStream_close(OTF_WStream *wstream) {
    if (!wstream)
        return 0;
    const int fine = OTF_WStream_finish(wstream);
    free(wstream);
    return fine;
}

static int flush_buffer(OTF_WBuffer *buffer) {
    return buffer ? OTF_WBuffer_flush(buffer) : 1;
}

int OTF_WStream_flush(OTF_WStream *wstream) {
    int fine = flush_buffer(wstream->defBuffer);
    fine &= flush_buffer(wstream->eventBuffer);
    fine &= flush_buffer(wstream->snapsBuffer);
    fine &= flush_buffer(wstream->statsBuffer);
    fine &= flush_buffer(wstream->markerBuffer);
    return fine;
}

/* ---- Settings ---- */

int compat_check_buffer_size(uint32_t size) {
    if (size >= COMPAT_BUFFER_SIZE_LEAST)
        return 1;
    OTF_Error("%u bytes are too few for a buffer", size);
    return 0;
}

int compat_check_zbuffer_size(uint32_t size) {
    if (size >= COMPAT_ZBUFFER_SIZE_LEAST)
        return 1;
    OTF_Error("%u bytes are too few for a buffer of compressed data", size);
    return 0;
}

int compat_check_compression(OTF_FileCompression compression) {
    if (compression <= 9)
        return 1;
    OTF_Error("there is no level of compression %u", compression);
    return 0;
}

void compat_check_format(uint32_t format) {
    if (format > ALL_FORMATS)
        OTF_Error("there is no format %u", format);
}

void OTF_WStream_setBufferSizes(OTF_WStream *wstream, uint32_t size) {
    if (compat_check_buffer_size(size))
        wstream->buffersizes = size;
}

uint32_t OTF_WStream_getBufferSizes(OTF_WStream *wstream) {
    return wstream->buffersizes;
}

void OTF_WStream_setZBufferSizes(OTF_WStream *wstream, uint32_t size) {
    if (compat_check_zbuffer_size(size))
        wstream->zbuffersizes = size;
}

uint32_t OTF_WStream_getZBufferSizes(OTF_WStream *wstream) {
    return wstream->zbuffersizes;
}

int OTF_WStream_setCompression(OTF_WStream *wstream, OTF_FileCompression compression) {
    if (!compat_check_compression(compression))
        return 0;
    wstream->compression = compression;
    return 1;
}

OTF_FileCompression OTF_WStream_getCompression(OTF_WStream *wstream) {
    return wstream->compression;
}

void OTF_WStream_setFormat(OTF_WStream *wstream, uint32_t format) {
    compat_check_format(format);
    wstream->format = format;
}

uint32_t OTF_WStream_getFormat(OTF_WStream *wstream) {
    return wstream->format;
}

/* ---- Buffers ---- */

static OTF_WBuffer *open_buffer(const OTF_WStream *wstream, OTF_FileType type) {
    char *name = OTF_getFilename(wstream->namestub, wstream->id, type | wstream->compression, 0, NULL);
    if (!name)
        return NULL;
    OTF_WBuffer *buffer = OTF_WBuffer_open_zlevel(name, wstream->manager, wstream->compression);
    free(name);
    if (!buffer)
        return NULL;
    if (OTF_WBuffer_setSize(buffer, wstream->buffersizes)) {
        OTF_WBuffer_setZBufferSize(buffer, wstream->zbuffersizes);
        return buffer;
    }
    OTF_WBuffer_close(buffer);
    return NULL;
}

static OTF_WBuffer *get_buffer(OTF_WStream *wstream, OTF_WBuffer **buffer, OTF_FileType type) {
    if (!*buffer)
        *buffer = open_buffer(wstream, type);
    return *buffer;
}

OTF_WBuffer *OTF_WStream_getDefBuffer(OTF_WStream *wstream) {
    return get_buffer(wstream, &wstream->defBuffer, OTF_FILETYPE_DEF);
}

OTF_WBuffer *OTF_WStream_getEventBuffer(OTF_WStream *wstream) {
    return get_buffer(wstream, &wstream->eventBuffer, OTF_FILETYPE_EVENT);
}

OTF_WBuffer *OTF_WStream_getSnapshotBuffer(OTF_WStream *wstream) {
    if (wstream->format & OTF_WSTREAM_FORMAT_INLINE_SNAPSHOTS)
        return OTF_WStream_getEventBuffer(wstream);
    return get_buffer(wstream, &wstream->snapsBuffer, OTF_FILETYPE_SNAPS);
}

OTF_WBuffer *OTF_WStream_getStatsBuffer(OTF_WStream *wstream) {
    return get_buffer(wstream, &wstream->statsBuffer, OTF_FILETYPE_STATS);
}

OTF_WBuffer *OTF_WStream_getMarkerBuffer(OTF_WStream *wstream) {
    return get_buffer(wstream, &wstream->markerBuffer, OTF_FILETYPE_MARKER);
}

OTF_WBuffer *compat_wstream_buffer(OTF_WStream *wstream, enum quipu__otf_file file) {
    switch (file) {
    case QUIPU__OTF_DEFINITIONS:
        return OTF_WStream_getDefBuffer(wstream);
    case QUIPU__OTF_EVENTS:
        return OTF_WStream_getEventBuffer(wstream);
    case QUIPU__OTF_SNAPSHOTS:
        return OTF_WStream_getSnapshotBuffer(wstream);
    case QUIPU__OTF_STATISTICS:
        return OTF_WStream_getStatsBuffer(wstream);
    default:
        return OTF_WStream_getMarkerBuffer(wstream);
    }
}
