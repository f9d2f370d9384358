/* merge.h: one kind of file of all streams, read together: by time, or one after the other.
 *
 * OTF's order among equal times is what its heap does, and tools show it: the root of a binary heap is
 * delivered, moved to its next line and sunk below its children unless it is smaller than both. Every line
 * counts, key-value lines too.
 */
#ifndef COMPAT_OTF_MERGE_H
#define COMPAT_OTF_MERGE_H

#include "processes.h"
#include "rstream.h"

typedef struct struct_OTF_Heap {
    enum quipu__otf_file file;
    bool is_collected;      /* the streams have been collected */
    uint32_t count;         /* streams left */
    uint32_t all;           /* streams at the beginning */
    uint64_t *times;        /* of the next line of each; one more behind the last */
    OTF_RBuffer **sources;  /* to which the times belong */
    OTF_RBuffer **buffers;  /* of all streams, for progress */
    uint64_t first, last;   /* times of all streams */
    bool ends_are_known;    /* last is right */
    uint64_t current;       /* time looked at last */
    uint32_t current_count; /* streams that were left then */
    uint64_t finished;      /* bytes of the streams that were read to their end */
    bool looked;            /* it has been read from */
    bool sorted;            /* how it was read last */
} OTF_Heap;

#pragma GCC visibility push(default)

int OTF_Heap_sort(OTF_Heap *heap);
int OTF_Heap_resort(OTF_Heap *heap);
int OTF_Heap_checksorted(OTF_Heap *heap);
int OTF_Heap_initDefHeap(OTF_Heap *heap, OTF_Reader *reader);
int OTF_Heap_initEventHeap(OTF_Heap *heap, OTF_Reader *reader);
int OTF_Heap_initSnapshotsHeap(OTF_Heap *heap, OTF_Reader *reader);
int OTF_Heap_initStatisticsHeap(OTF_Heap *heap, OTF_Reader *reader);
int OTF_Heap_initMarkerHeap(OTF_Heap *heap, OTF_Reader *reader);
void OTF_Heap_finalize(OTF_Heap *heap);

#pragma GCC visibility pop

/* What to read. */
struct compat_selection {
    uint64_t min, max; /* times in [min, max) */
    OTF_ProcessList *processes;
    uint64_t limit;
    bool streams_are_known; /* callers hold streams: what the buffers in them tell must be complete */
};

/* Collects the streams with a process that is on and finds the beginning in each. False, with an error, when
 * one of them cannot be read, or is missing in the case of events. */
bool compat_merge_begin(OTF_Heap *heap, OTF_Reader *reader, const struct compat_selection *selection);

/* Finds the last time of all streams: only reports of progress need it when everything is read. */
void compat_merge_find_ends(OTF_Heap *heap);

/* Forgets all: the next reading starts from the beginning. */
void compat_merge_reset(OTF_Heap *heap);

/* Whether a stream of the map has a process that is on. */
bool compat_is_wanted(const OTF_MapEntry *entry, OTF_ProcessList *processes);

/* As OTF_Reader_getStream, for the library itself: the stream does not become known. */
OTF_RStream *compat_reader_stream(OTF_Reader *reader, uint32_t id);

/* Delivers records up to the limit: their number, or OTF_READ_ERROR. */
uint64_t compat_merge_read(OTF_Heap *heap, OTF_HandlerArray *handlers, const struct compat_selection *selection,
                           bool sorted);

uint8_t compat_merge_time_progress(OTF_Heap *heap, const struct compat_selection *selection, uint64_t *minimum,
                                   uint64_t *current, uint64_t *maximum);
uint8_t compat_merge_bytes_progress(const OTF_Heap *heap, uint64_t *minimum, uint64_t *current,
                                    uint64_t *maximum);

#endif
