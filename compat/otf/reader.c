/* reader.c: reading a whole trace. Definitions and markers are read stream by stream, events, snapshots and
 * statistics are merged (merge.c). */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

/* Files that are read one after the other. */
struct sequence {
    enum quipu__otf_file file;
    bool is_collected;
    uint32_t count, current;
    struct {
        OTF_RBuffer *buffer; /* NULL when the file is absent */
        uint32_t stream;     /* that handlers are told */
    } * items;
};

struct struct_OTF_Reader {
    char *namestub;
    OTF_FileManager *manager;
    OTF_MasterControl *mc;
    OTF_RStream **streams; /* ascending ids */
    uint32_t count, room;
    uint32_t buffersizes, zbuffersizes;
    OTF_ProcessList processes;
    struct compat_selection selection;
    struct sequence definitions, markers;
    OTF_Heap events, snapshots, statistics;
};

/* ---- Life ---- */

int OTF_Reader_init(OTF_Reader *reader) {
    *reader = (OTF_Reader){.buffersizes = COMPAT_BUFFER_SIZE,
                           .zbuffersizes = OTF_ZBUFFER_DEFAULTSIZE,
                           .selection = {.max = UINT64_MAX, .limit = OTF_READ_MAXRECORDS},
                           .definitions = {.file = QUIPU__OTF_DEFINITIONS},
                           .markers = {.file = QUIPU__OTF_MARKERS},
                           .events = {.file = QUIPU__OTF_EVENTS},
                           .snapshots = {.file = QUIPU__OTF_SNAPSHOTS},
                           .statistics = {.file = QUIPU__OTF_STATISTICS}};
    return 1;
}

static bool read_master(OTF_Reader *reader, const char *name) {
    reader->namestub = OTF_stripFilename(name);
    reader->mc = OTF_MasterControl_new(reader->manager);
    if (!reader->namestub || !reader->mc || !OTF_MasterControl_read(reader->mc, reader->namestub))
        return false;
    if (OTF_ProcessList_init(&reader->processes, reader->mc))
        return true;
    OTF_Error("the master file of '%s' names no process", reader->namestub);
    return false;
}

OTF_Reader *OTF_Reader_open(const char *namestub, OTF_FileManager *manager) {
    if (!manager) {
        OTF_Error("a reader needs a file manager");
        return NULL;
    }
    OTF_Reader *reader = malloc(sizeof *reader);
    if (!reader) {
        OTF_Error("no memory for a reader");
        return NULL;
    }
    OTF_Reader_init(reader);
    reader->manager = manager;
    reader->selection.processes = &reader->processes;
    if (read_master(reader, namestub))
        return reader;
    OTF_Reader_finish(reader);
    free(reader);
    return NULL;
}

int OTF_Reader_finish(OTF_Reader *reader) {
    const int fine = OTF_Reader_closeAllStreams(reader);
    if (reader->mc)
        OTF_MasterControl_close(reader->mc);
    OTF_ProcessList_finalize(&reader->processes);
    free(reader->streams);
    free(reader->namestub);
    OTF_Reader_init(reader);
    return fine;
}

int OTF_Reader_close(OTF_Reader *reader) {
    if (!reader) {
        OTF_Error("no reader to close");
        return 0;
    }
    const int fine = OTF_Reader_finish(reader);
    free(reader);
    return fine;
}

static void forget_sequence(struct sequence *sequence) {
    free(sequence->items);
    *sequence = (struct sequence){.file = sequence->file};
}

int OTF_Reader_resetHeaps(OTF_Reader *reader) {
    forget_sequence(&reader->definitions);
    forget_sequence(&reader->markers);
    compat_merge_reset(&reader->events);
    compat_merge_reset(&reader->snapshots);
    compat_merge_reset(&reader->statistics);
    return 1;
}

int OTF_Reader_closeAllStreams(OTF_Reader *reader) {
    int fine = OTF_Reader_resetHeaps(reader);
    for (uint32_t i = 0; i < reader->count; i++)
        fine &= OTF_RStream_close(reader->streams[i]);
    reader->count = 0;
    return fine;
}

/* ---- Settings ---- */

int OTF_Reader_setBufferSizes(OTF_Reader *reader, uint32_t size) {
    if (!compat_check_buffer_size(size))
        return 0;
    reader->buffersizes = size;
    return 1;
}

uint32_t OTF_Reader_getBufferSizes(OTF_Reader *reader) {
    return reader->buffersizes;
}

void OTF_Reader_setZBufferSizes(OTF_Reader *reader, uint32_t size) {
    if (compat_check_zbuffer_size(size))
        reader->zbuffersizes = size;
}

uint32_t OTF_Reader_getZBufferSizes(OTF_Reader *reader) {
    return reader->zbuffersizes;
}

OTF_MasterControl *OTF_Reader_getMasterControl(OTF_Reader *reader) {
    return reader->mc;
}

/* ---- Streams ---- */

static OTF_RStream *new_stream(const OTF_Reader *reader, uint32_t id) {
    OTF_RStream *stream = OTF_RStream_open(reader->namestub, id, reader->manager);
    if (!stream)
        return NULL;
    stream->buffersizes = reader->buffersizes;
    stream->zbuffersizes = reader->zbuffersizes;
    return stream;
}

static bool grow(OTF_Reader *reader) {
    if (reader->count < reader->room)
        return true;
    const uint32_t room = reader->room ? reader->room * 2 : 10;
    OTF_RStream **streams = realloc(reader->streams, room * sizeof *streams);
    if (!streams)
        return false;
    reader->streams = streams;
    reader->room = room;
    return true;
}

OTF_RStream *compat_reader_stream(OTF_Reader *reader, uint32_t id) {
    uint32_t low = 0, high = reader->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (reader->streams[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < reader->count && reader->streams[low]->id == id)
        return reader->streams[low];
    OTF_RStream *made = grow(reader) ? new_stream(reader, id) : NULL;
    if (!made)
        return NULL;
    memmove(&reader->streams[low + 1], &reader->streams[low], (reader->count - low) * sizeof *reader->streams);
    reader->streams[low] = made;
    reader->count++;
    return made;
}

/* Whoever has a stream can look into its buffers. */
OTF_RStream *OTF_Reader_getStream(OTF_Reader *reader, uint32_t id) {
    reader->selection.streams_are_known = true;
    compat_merge_find_ends(&reader->events);
    compat_merge_find_ends(&reader->snapshots);
    compat_merge_find_ends(&reader->statistics);
    return compat_reader_stream(reader, id);
}

/* ---- What to read ---- */

int OTF_Reader_enableProcess(OTF_Reader *reader, uint32_t processId) {
    return OTF_ProcessList_setStatus(&reader->processes, processId, 1);
}

int OTF_Reader_disableProcess(OTF_Reader *reader, uint32_t processId) {
    return OTF_ProcessList_setStatus(&reader->processes, processId, 0);
}

uint8_t OTF_Reader_getProcessStatus(OTF_Reader *reader, uint32_t processId) {
    return OTF_ProcessList_getStatus(&reader->processes, processId);
}

int OTF_Reader_setProcessStatus(OTF_Reader *reader, uint32_t processId, uint8_t status) {
    OTF_Reader_resetHeaps(reader);
    return OTF_ProcessList_setStatus(&reader->processes, processId, status);
}

int OTF_Reader_setProcessStatusAll(OTF_Reader *reader, uint8_t status) {
    OTF_Reader_resetHeaps(reader);
    return OTF_ProcessList_setStatusAll(&reader->processes, status);
}

void OTF_Reader_setTimeInterval(OTF_Reader *reader, uint64_t minTime, uint64_t maxTime) {
    OTF_Reader_resetHeaps(reader);
    reader->selection.min = minTime;
    reader->selection.max = maxTime;
}

uint64_t OTF_Reader_getTimeIntervalMin(OTF_Reader *reader) {
    return reader->selection.min;
}

uint64_t OTF_Reader_getTimeIntervalMax(OTF_Reader *reader) {
    return reader->selection.max;
}

void OTF_Reader_setRecordLimit(OTF_Reader *reader, uint64_t limit) {
    reader->selection.limit = compat_check_limit(limit);
}

uint64_t OTF_Reader_getRecordLimit(OTF_Reader *reader) {
    return reader->selection.limit;
}

void OTF_Reader_reset(OTF_Reader *reader) {
    OTF_Reader_setTimeInterval(reader, 0, UINT64_MAX);
    OTF_ProcessList_setStatusAll(&reader->processes, 1);
    reader->selection.limit = OTF_READ_MAXRECORDS;
}

/* ---- Definitions and markers ---- */

/* Adds the file of a stream, though it may be absent. OTF tells handlers a stream that it finds by the index in
 * this list, which is right only when the first is stream 0 and no stream was left out. */
static bool add_item(OTF_Reader *reader, struct sequence *sequence, uint32_t stream, bool even_if_absent) {
    OTF_RStream *rstream = compat_reader_stream(reader, stream);
    if (!rstream)
        return false;
    OTF_RBuffer *buffer = compat_rstream_buffer(rstream, sequence->file);
    if (!buffer && !even_if_absent)
        return true;
    const uint32_t index = sequence->count++;
    sequence->items[index].buffer = buffer;
    sequence->items[index].stream =
        index == 0 ? 0 : OTF_MasterControl_getEntryByIndex(reader->mc, index - 1)->argument;
    return true;
}

static bool begin_sequence(OTF_Reader *reader, struct sequence *sequence) {
    if (sequence->is_collected)
        return true;
    const uint32_t streams = OTF_MasterControl_getCount(reader->mc);
    forget_sequence(sequence);
    sequence->items = calloc((size_t)streams + 1, sizeof *sequence->items);
    bool fine = sequence->items && add_item(reader, sequence, 0, false);
    for (uint32_t i = 0; fine && i < streams; i++) {
        const OTF_MapEntry *entry = OTF_MasterControl_getEntryByIndex(reader->mc, i);
        if (compat_is_wanted(entry, &reader->processes))
            fine = add_item(reader, sequence, entry->argument, true);
    }
    sequence->is_collected = fine;
    return fine;
}

/* Reads the current file of a sequence to its end or up to the limit; false after a failure. What is left behind its
 * last line is shown at once, by the call that read that line. */
static bool read_item(const OTF_Reader *reader, struct sequence *sequence, OTF_HandlerArray *handlers,
                      uint64_t *count) {
    OTF_RBuffer *buffer = sequence->items[sequence->current].buffer;
    const uint32_t stream = sequence->items[sequence->current].stream;
    bool has_line = buffer && compat_next_line(buffer);
    bool fine = true;
    if (!has_line)
        sequence->current++;
    if (!has_line && buffer && buffer->pos < buffer->end)
        OTF_Error("'%s' has no whole line", buffer->file->filename);
    while (has_line && fine && *count < reader->selection.limit) {
        const enum compat_line line = compat_read_line(buffer, handlers, sequence->file, stream);
        *count += line == COMPAT_LINE_COUNTS;
        fine = line != COMPAT_LINE_FAILED;
        if (fine && !(has_line = compat_next_line(buffer))) {
            sequence->current++;
            fine = compat_show_rest(buffer, handlers, sequence->file, stream) == OTF_RETURN_OK;
        }
    }
    if (!fine)
        OTF_Error("reading stops in '%s'", buffer->file->filename);
    return fine;
}

static uint64_t read_sequence(OTF_Reader *reader, struct sequence *sequence, OTF_HandlerArray *handlers) {
    uint64_t count = 0;
    if (!begin_sequence(reader, sequence)) {
        OTF_Error("no memory for reading the streams in a row");
        return OTF_READ_ERROR;
    }
    while (sequence->current < sequence->count && count < reader->selection.limit) {
        if (!read_item(reader, sequence, handlers, &count))
            return OTF_READ_ERROR;
    }
    return count;
}

uint64_t OTF_Reader_readDefinitions(OTF_Reader *reader, OTF_HandlerArray *handlers) {
    return read_sequence(reader, &reader->definitions, handlers);
}

uint64_t OTF_Reader_readMarkers(OTF_Reader *reader, OTF_HandlerArray *handlers) {
    return read_sequence(reader, &reader->markers, handlers);
}

/* ---- Events, snapshots, statistics ---- */

static uint64_t read_merged(OTF_Reader *reader, OTF_Heap *heap, OTF_HandlerArray *handlers, bool sorted) {
    if (!compat_merge_begin(heap, reader, &reader->selection))
        return OTF_READ_ERROR;
    const uint64_t count = compat_merge_read(heap, handlers, &reader->selection, sorted);
    if (count == OTF_READ_ERROR)
        compat_merge_reset(heap);
    return count;
}

#define READ(What, one, heap)                                                                                  \
    uint64_t OTF_Reader_read##What(OTF_Reader *reader, OTF_HandlerArray *handlers) {                           \
        return read_merged(reader, &reader->heap, handlers, true);                                             \
    }                                                                                                          \
    uint64_t OTF_Reader_read##What##Unsorted(OTF_Reader *reader, OTF_HandlerArray *handlers) {                 \
        return read_merged(reader, &reader->heap, handlers, false);                                            \
    }                                                                                                          \
    uint8_t OTF_Reader_##one##TimeProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,           \
                                           uint64_t *maximum) {                                                \
        return compat_merge_time_progress(&reader->heap, &reader->selection, minimum, current, maximum);       \
    }                                                                                                          \
    uint8_t OTF_Reader_##one##Progress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,               \
                                       uint64_t *maximum) {                                                    \
        return OTF_Reader_##one##TimeProgress(reader, minimum, current, maximum);                              \
    }                                                                                                          \
    uint8_t OTF_Reader_##one##BytesProgress(OTF_Reader *reader, uint64_t *minimum, uint64_t *current,          \
                                            uint64_t *maximum) {                                               \
        return compat_merge_bytes_progress(&reader->heap, minimum, current, maximum);                          \
    }

READ(Events, event, events)
READ(Snapshots, snapshot, snapshots)
READ(Statistics, statistic, statistics)

/* ---- Collecting streams, for callers that look into heaps ---- */

int OTF_Heap_initEventHeap(OTF_Heap *heap, OTF_Reader *reader) {
    *heap = (OTF_Heap){.file = QUIPU__OTF_EVENTS};
    return compat_merge_begin(heap, reader, &reader->selection);
}

int OTF_Heap_initSnapshotsHeap(OTF_Heap *heap, OTF_Reader *reader) {
    *heap = (OTF_Heap){.file = QUIPU__OTF_SNAPSHOTS};
    return compat_merge_begin(heap, reader, &reader->selection);
}

int OTF_Heap_initStatisticsHeap(OTF_Heap *heap, OTF_Reader *reader) {
    *heap = (OTF_Heap){.file = QUIPU__OTF_STATISTICS};
    return compat_merge_begin(heap, reader, &reader->selection);
}

/* Files that are read in a row have no times: the heap holds them in their order. */
static int list_sequence(OTF_Heap *heap, OTF_Reader *reader, struct sequence *sequence) {
    *heap = (OTF_Heap){.file = sequence->file};
    if (!begin_sequence(reader, sequence))
        return 0;
    heap->sources = calloc((size_t)sequence->count + 1, sizeof(OTF_RBuffer *));
    for (uint32_t i = 0; heap->sources && i < sequence->count; i++) {
        if (sequence->items[i].buffer)
            heap->sources[heap->count++] = sequence->items[i].buffer;
    }
    return heap->sources != NULL;
}

int OTF_Heap_initDefHeap(OTF_Heap *heap, OTF_Reader *reader) {
    return list_sequence(heap, reader, &reader->definitions);
}

int OTF_Heap_initMarkerHeap(OTF_Heap *heap, OTF_Reader *reader) {
    return list_sequence(heap, reader, &reader->markers);
}
