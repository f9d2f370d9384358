/* writer.c: a whole trace: streams by their numbers, and processes that are distributed over them. */
#include "wstream.h"

#include <stdlib.h>
#include <string.h>

struct struct_OTF_Writer {
    char *namestub;
    uint32_t most_streams; /* that are made automatically, 0: no limit */
    OTF_FileManager *manager;
    OTF_MasterControl *mc;
    OTF_WStream **streams; /* ascending ids */
    uint32_t count, room;
    uint32_t format;
    OTF_FileCompression compression;
    uint32_t buffersizes, zbuffersizes;
    bool has_header;
    uint32_t last_process; /* and its stream, NULL when not known */
    OTF_WStream *last_stream;
};

/* ---- Life ---- */

int OTF_Writer_init(OTF_Writer *writer) {
    *writer = (OTF_Writer){.buffersizes = COMPAT_BUFFER_SIZE, .zbuffersizes = OTF_ZBUFFER_DEFAULTSIZE};
    return 1;
}

OTF_Writer *OTF_Writer_open(const char *fileNamePrefix, uint32_t numberOfStreams,
                            OTF_FileManager *fileManager) {
    if (!fileManager) {
        OTF_Error("a writer needs a file manager");
        return NULL;
    }
    OTF_Writer *writer = malloc(sizeof *writer);
    if (!writer) {
        OTF_Error("no memory for a writer");
        return NULL;
    }
    OTF_Writer_init(writer);
    writer->most_streams = numberOfStreams;
    writer->manager = fileManager;
    writer->namestub = OTF_stripFilename(fileNamePrefix);
    writer->mc = OTF_MasterControl_new(fileManager);
    if (writer->namestub && writer->mc)
        return writer;
    OTF_Writer_finish(writer);
    free(writer);
    return NULL;
}

int OTF_Writer_finish(OTF_Writer *writer) {
    const int fine = OTF_Writer_closeAllStreams(writer);
    if (writer->mc)
        OTF_MasterControl_close(writer->mc);
    free(writer->streams);
    free(writer->namestub);
    OTF_Writer_init(writer);
    return fine;
}

int OTF_Writer_close(OTF_Writer *writer) {
    if (!writer) {
        OTF_Error("no writer to close");
        return 0;
    }
    const int written = OTF_MasterControl_write(writer->mc, writer->namestub);
    const int fine = OTF_Writer_finish(writer);
    free(writer);
    return written && fine;
}

int OTF_Writer_closeAllStreams(OTF_Writer *writer) {
    int fine = 1;
    for (uint32_t i = 0; i < writer->count; i++)
        fine &= OTF_WStream_close(writer->streams[i]);
    writer->count = 0;
    writer->last_stream = NULL;
    return fine;
}

/* ---- Settings: copied into a stream when it is made ---- */

void OTF_Writer_setBufferSizes(OTF_Writer *writer, uint32_t size) {
    if (compat_check_buffer_size(size))
        writer->buffersizes = size;
}

uint32_t OTF_Writer_getBufferSizes(OTF_Writer *writer) {
    return writer->buffersizes;
}

void OTF_Writer_setZBufferSizes(OTF_Writer *writer, uint32_t size) {
    if (compat_check_zbuffer_size(size))
        writer->zbuffersizes = size;
}

uint32_t OTF_Writer_getZBufferSizes(OTF_Writer *writer) {
    return writer->zbuffersizes;
}

int OTF_Writer_setCompression(OTF_Writer *writer, OTF_FileCompression compression) {
    if (!compat_check_compression(compression))
        return 0;
    writer->compression = compression;
    return 1;
}

OTF_FileCompression OTF_Writer_getCompression(OTF_Writer *writer) {
    return writer->compression;
}

void OTF_Writer_setFormat(OTF_Writer *writer, uint32_t format) {
    compat_check_format(format);
    writer->format = format;
}

uint32_t OTF_Writer_getFormat(OTF_Writer *writer) {
    return writer->format;
}

void OTF_Writer_setMasterControl(OTF_Writer *writer, OTF_MasterControl *mc) {
    OTF_MasterControl_close(writer->mc);
    writer->mc = mc;
    writer->last_stream = NULL;
}

OTF_MasterControl *OTF_Writer_getMasterControl(OTF_Writer *writer) {
    return writer->mc;
}

/* ---- Streams ---- */

static OTF_WStream *new_stream(const OTF_Writer *writer, uint32_t id) {
    OTF_WStream *stream = OTF_WStream_open(writer->namestub, id, writer->manager);
    if (!stream)
        return NULL;
    stream->format = writer->format;
    stream->compression = writer->compression;
    stream->buffersizes = writer->buffersizes;
    stream->zbuffersizes = writer->zbuffersizes;
    return stream;
}

static bool grow(OTF_Writer *writer) {
    if (writer->count < writer->room)
        return true;
    const uint32_t room = writer->room ? writer->room * 2 : 10;
    OTF_WStream **streams = realloc(writer->streams, room * sizeof *streams);
    if (!streams) {
        OTF_Error("no memory for the table of streams");
        return false;
    }
    writer->streams = streams;
    writer->room = room;
    return true;
}

/* The index of a stream in the table, or where it would be. */
static uint32_t find_index(const OTF_Writer *writer, uint32_t id) {
    uint32_t low = 0, high = writer->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (writer->streams[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

OTF_WStream *OTF_Writer_getStream(OTF_Writer *writer, uint32_t stream) {
    const uint32_t index = find_index(writer, stream);
    if (index < writer->count && writer->streams[index]->id == stream)
        return writer->streams[index];
    OTF_WStream *made = grow(writer) ? new_stream(writer, stream) : NULL;
    if (!made)
        return NULL;
    memmove(&writer->streams[index + 1], &writer->streams[index],
            (writer->count - index) * sizeof *writer->streams);
    writer->streams[index] = made;
    writer->count++;
    return made;
}

/* ---- Processes ---- */

/* The stream with the fewest processes, the first among equals. */
static uint32_t least_stream(OTF_MasterControl *mc) {
    const OTF_MapEntry *least = OTF_MasterControl_getEntryByIndex(mc, 0);
    for (uint32_t i = 1; i < OTF_MasterControl_getCount(mc); i++) {
        const OTF_MapEntry *entry = OTF_MasterControl_getEntryByIndex(mc, i);
        if (entry->n < least->n)
            least = entry;
    }
    return least->argument;
}

uint32_t OTF_Writer_mapProcess(OTF_Writer *writer, uint32_t processId) {
    const uint32_t known = OTF_MasterControl_mapReverse(writer->mc, processId);
    if (known != 0)
        return known;
    const bool may_add =
        writer->most_streams == 0 || OTF_MasterControl_getCount(writer->mc) < writer->most_streams;
    const uint32_t stream = may_add ? OTF_MasterControl_getNewStreamId(writer->mc) : least_stream(writer->mc);
    OTF_MasterControl_append(writer->mc, stream, processId);
    return stream;
}

uint32_t OTF_Writer_assignProcess(OTF_Writer *writer, uint32_t process, uint32_t stream) {
    return (uint32_t)OTF_MasterControl_append(writer->mc, stream, process);
}

OTF_WStream *compat_writer_process_stream(OTF_Writer *writer, uint32_t process) {
    if (writer->last_stream && writer->last_process == process)
        return writer->last_stream;
    writer->last_process = process;
    writer->last_stream = OTF_Writer_getStream(writer, OTF_Writer_mapProcess(writer, process));
    return writer->last_stream;
}

/* ---- Header ---- */

int OTF_Writer_writeOtfVersion(OTF_Writer *writer, uint32_t stream) {
    (void)writer;
    (void)stream;
    return 1;
}

int OTF_Writer_writeDefinitionHeader(OTF_Writer *writer) {
    OTF_WStream *global = OTF_Writer_getStream(writer, 0);
    if (!global)
        return 0;
    return OTF_WStream_writeOtfVersion(global) && OTF_WStream_writeUniqueId(global);
}

OTF_WStream *compat_writer_definition_stream(OTF_Writer *writer, uint32_t stream) {
    if (!writer->has_header) {
        writer->has_header = true;
        OTF_Writer_writeDefinitionHeader(writer);
    }
    return OTF_Writer_getStream(writer, stream);
}
