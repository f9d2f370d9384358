/* merge.c: reading one kind of file of all streams: collecting and positioning them, the heap, the loop. */
#include "merge.h"

#include <stdlib.h>

/* ---- The heap: children of v are 2v+1 and 2v+2 ---- */

/* A right child that is not there has the greatest time: it is never before its sibling. Times and buffers lie
 * in arrays of their own, because times are what is compared. */
COMPAT_INLINE void sink(OTF_Heap *heap, size_t v) {
    uint64_t *const times = heap->times;
    OTF_RBuffer **const sources = heap->sources;
    const size_t count = heap->count;
    const uint64_t time = times[v];
    OTF_RBuffer *const source = sources[v];
    for (size_t w = 2 * v + 1; w < count; w = 2 * v + 1) {
        const uint64_t left = times[w], right = times[w + 1];
        const uint64_t least = right < left ? right : left;
        w += right < left;
        if (time < least)
            break;
        times[v] = least;
        sources[v] = sources[w];
        v = w;
    }
    times[v] = time;
    sources[v] = source;
}

/* Replaces a source by the last one. */
static void replace(OTF_Heap *heap, uint32_t index) {
    heap->count--;
    heap->times[index] = heap->times[heap->count];
    heap->sources[index] = heap->sources[heap->count];
    heap->times[heap->count] = UINT64_MAX;
}

int OTF_Heap_sort(OTF_Heap *heap) {
    for (uint32_t v = heap->count / 2; v-- > 0;)
        sink(heap, v);
    return 1;
}

int OTF_Heap_resort(OTF_Heap *heap) {
    if (heap->count > 1)
        sink(heap, 0);
    return 1;
}

int OTF_Heap_checksorted(OTF_Heap *heap) {
    for (uint32_t v = 1; v < heap->count; v++) {
        if (heap->times[v] < heap->times[(v - 1) / 2])
            return 0;
    }
    return 1;
}

void OTF_Heap_finalize(OTF_Heap *heap) {
    free(heap->times);
    free(heap->sources);
    free(heap->buffers);
    *heap = (OTF_Heap){.file = heap->file};
}

void compat_merge_reset(OTF_Heap *heap) {
    OTF_Heap_finalize(heap);
}

/* ---- Beginning ---- */

bool compat_is_wanted(const OTF_MapEntry *entry, OTF_ProcessList *processes) {
    for (uint32_t i = 0; i < entry->n; i++) {
        if (OTF_ProcessList_getStatus(processes, entry->values[i]))
            return true;
    }
    return false;
}

static bool no_memory(void) {
    OTF_Error("no memory for reading the streams together");
    return false;
}

/* Adds the file of a stream. Only events must be there. */
static bool add_stream(OTF_Heap *heap, OTF_Reader *reader, uint32_t stream) {
    OTF_RStream *rstream = compat_reader_stream(reader, stream);
    if (!rstream)
        return no_memory();
    OTF_RBuffer *buffer = compat_rstream_buffer(rstream, heap->file);
    if (buffer)
        heap->buffers[heap->all++] = buffer;
    else if (heap->file == QUIPU__OTF_EVENTS)
        OTF_Error("stream %x of '%s' has no file of events", stream, rstream->namestub);
    return buffer || heap->file != QUIPU__OTF_EVENTS;
}

static bool collect(OTF_Heap *heap, OTF_Reader *reader, const struct compat_selection *selection) {
    OTF_MasterControl *mc = OTF_Reader_getMasterControl(reader);
    const uint32_t count = OTF_MasterControl_getCount(mc);
    heap->buffers = calloc(count, sizeof(OTF_RBuffer *));
    heap->times = calloc((size_t)count + 1, sizeof *heap->times);
    heap->sources = calloc(count, sizeof(OTF_RBuffer *));
    if (!heap->buffers || !heap->times || !heap->sources)
        return no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const OTF_MapEntry *entry = OTF_MasterControl_getEntryByIndex(mc, i);
        if (compat_is_wanted(entry, selection->processes) && !add_stream(heap, reader, entry->argument))
            return false;
    }
    return true;
}

/* Whether the last time of a file can wait: all of it is read, and the caller does not see the buffer. A small buffer may have to grow
 * on the way to the last time, which reports of progress show. */
static bool end_can_wait(const OTF_RBuffer *buffer, const struct compat_selection *selection) {
    return selection->min == 0 && selection->max == UINT64_MAX && !selection->streams_are_known &&
           buffer->size >= COMPAT_BUFFER_SIZE && !buffer->file->iofsl;
}

/* Finds the end and then the beginning of the interval in one file. */
static bool find_interval(OTF_RBuffer *buffer, const struct compat_selection *selection) {
    if (selection->max < buffer->lastTime) {
        if (!OTF_RBuffer_searchTime(buffer, selection->max))
            return false;
        compat_rbuffer_of(buffer)->finish = OTF_RBuffer_getFilePos(buffer);
    }
    return OTF_RBuffer_searchTime(buffer, selection->min);
}

/* Goes to the beginning of what is wanted of a file. */
static bool position(OTF_Heap *heap, OTF_RBuffer *buffer, const struct compat_selection *selection) {
    struct compat_rbuffer *whole = compat_rbuffer_of(buffer);
    const bool waits = end_can_wait(buffer, selection);
    if (!(waits ? compat_enter(buffer) : OTF_RBuffer_getFileProperties(buffer))) {
        OTF_Error("no time and process are found in '%s'", buffer->file->filename);
        return false;
    }
    whole->finish = buffer->filesize;
    if (!waits && !find_interval(buffer, selection))
        return false;
    whole->begin = OTF_RBuffer_getFilePos(buffer);
    whole->status_process = COMPAT_NO_PROCESS;
    if (buffer->firstTime < heap->first)
        heap->first = buffer->firstTime;
    return true;
}

void compat_merge_find_ends(OTF_Heap *heap) {
    for (uint32_t i = 0; i < heap->all && !heap->ends_are_known; i++) {
        OTF_RBuffer *buffer = heap->buffers[i];
        if (compat_find_end(buffer) && buffer->lastTime > heap->last)
            heap->last = buffer->lastTime;
    }
    heap->ends_are_known = true;
}

/* A stream with nothing left is replaced by the last, and that one is looked at. */
static void drop_empty(OTF_Heap *heap) {
    for (uint32_t i = 0; i < heap->count;) {
        OTF_RBuffer *buffer = heap->sources[i];
        if (compat_more_items(buffer, heap->file))
            heap->times[i++] = compat_rbuffer_of(buffer)->items.items->time;
        else
            replace(heap, i);
    }
}

bool compat_merge_begin(OTF_Heap *heap, OTF_Reader *reader, const struct compat_selection *selection) {
    if (heap->is_collected)
        return true;
    *heap = (OTF_Heap){.file = heap->file, .first = UINT64_MAX, .current = UINT64_MAX};
    bool fine = collect(heap, reader, selection);
    for (uint32_t i = 0; fine && i < heap->all; i++) {
        fine = position(heap, heap->buffers[i], selection);
        heap->sources[i] = heap->buffers[i];
    }
    if (!fine) {
        compat_merge_reset(heap);
        return false;
    }
    heap->count = heap->all;
    heap->times[heap->count] = UINT64_MAX;
    drop_empty(heap);
    heap->is_collected = true;
    return true;
}

/* ---- Reading ---- */

static const uint8_t *find_status(OTF_ProcessList *processes, uint32_t process) {
    static const uint8_t off = 0;
    const uint32_t index = OTF_ProcessList_getIndex(processes, process);
    return index == UINT32_MAX ? &off : &processes->statuses[index];
}

/* Whether the records of a process are wanted. The place of the status is kept, since it may change at any
 * time. */
COMPAT_INLINE bool is_on(struct compat_rbuffer *whole, uint32_t process, OTF_ProcessList *processes) {
    if (COMPAT_UNLIKELY(whole->status_process != process || !whole->status)) {
        whole->status = find_status(processes, process);
        whole->status_process = process;
    }
    return *whole->status != 0;
}

/* Delivers a line that was not decoded ahead. Adds to count; false after a failure. */
static bool deliver_line(OTF_RBuffer *buffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                         bool wanted, uint64_t *count) {
    if (!wanted) {
        compat_skip_line(buffer);
        return true;
    }
    const enum compat_line line = compat_read_line(buffer, handlers, file, 0);
    *count += line == COMPAT_LINE_COUNTS;
    return line != COMPAT_LINE_FAILED;
}

/* What the buffer tells about itself is that of the item delivered last. */
static void take_state(OTF_RBuffer *buffer, const struct compat_item *item) {
    buffer->time = item->time;
    buffer->process = item->process;
    buffer->pos = item->pos;
}

static bool deliver_other(OTF_RBuffer *buffer, const struct compat_item *item, OTF_HandlerArray *handlers,
                          enum quipu__otf_file file, bool wanted, uint64_t *count) {
    take_state(buffer, item);
    if (item->type == QUIPU__OTF_TYPE_COUNT)
        return deliver_line(buffer, handlers, file, wanted, count);
    *count += wanted;
    return !wanted || compat_deliver_ready(buffer, handlers, item) == OTF_RETURN_OK;
}

/* Delivers the next item of a buffer. Adds to count; false after a failure. */
COMPAT_INLINE bool deliver_item(struct compat_rbuffer *whole, OTF_HandlerArray *handlers,
                                enum quipu__otf_file file, OTF_ProcessList *processes, uint64_t *count) {
    const struct compat_item *item = whole->items.next++;
    const bool wanted = is_on(whole, item->process, processes);
    if (COMPAT_UNLIKELY(!compat_is_call(item)))
        return deliver_other(&whole->head, item, handlers, file, wanted, count);
    *count += wanted;
    return !wanted || compat_deliver_call(&whole->head, handlers, item) == OTF_RETURN_OK;
}

/* The first source has nothing more to give. */
static void finish(OTF_Heap *heap) {
    heap->finished += OTF_RBuffer_getFilePos(heap->sources[0]);
    replace(heap, 0);
}

/* Goes to the next item of the first source; at its end the last source takes its place. There are none before it where the caller has read
 * or searched in the buffer itself: then it goes on from there. False after a failure. */
static bool next_batch(OTF_Heap *heap, OTF_HandlerArray *handlers) {
    OTF_RBuffer *buffer = heap->sources[0];
    const struct compat_items *items = &compat_rbuffer_of(buffer)->items;
    if (items->end > items->items && compat_is_call(items->end - 1))
        take_state(buffer, items->end - 1);
    if (compat_more_items(buffer, heap->file)) {
        heap->times[0] = items->next->time;
        return true;
    }
    finish(heap);
    return compat_show_rest(buffer, handlers, heap->file, 0) == OTF_RETURN_OK;
}

static uint64_t failed(const OTF_RBuffer *buffer) {
    OTF_Error("reading stops in '%s'", buffer->file->filename);
    return OTF_READ_ERROR;
}

/* Only a list that is made for reading by time is sorted, and its progress begins with the first record, although a
 * limit of 0 may keep that from being read. */
static void look(OTF_Heap *heap, bool sorted, uint64_t limit) {
    if (sorted && !heap->looked && heap->count > 0) {
        OTF_Heap_sort(heap);
        heap->current = heap->times[0];
    }
    if (!heap->looked || (heap->count > 0 && limit > 0))
        heap->sorted = sorted;
    heap->looked = true;
}

uint64_t compat_merge_read(OTF_Heap *heap, OTF_HandlerArray *handlers, const struct compat_selection *selection,
                           bool sorted) {
    uint64_t count = 0;
    look(heap, sorted, selection->limit);
    while (heap->count > 0 && count < selection->limit) {
        struct compat_rbuffer *whole = compat_rbuffer_of(heap->sources[0]);
        heap->current = heap->times[0];
        heap->current_count = heap->count;
        if (COMPAT_UNLIKELY(heap->current >= selection->max))
            finish(heap);
        else if (COMPAT_UNLIKELY(whole->items.next != whole->items.end &&
                                 !deliver_item(whole, handlers, heap->file, selection->processes, &count)))
            return failed(&whole->head);
        else if (whole->items.next < whole->items.end)
            heap->times[0] = whole->items.next->time;
        else if (!next_batch(heap, handlers))
            return failed(&whole->head);
        if (sorted)
            sink(heap, 0);
    }
    return count;
}

/* ---- Progress ---- */

/* Reading one stream after the other, each of them is an equal share of the progress. Rounding shows: the order of the
 * operations is OTF's. A time before the first one gives no progress. */
static uint64_t unsorted_time(const OTF_Heap *heap, uint64_t minimum, uint64_t maximum) {
    if (heap->current == UINT64_MAX || heap->current < minimum)
        return UINT64_MAX;
    const double share = 1.0 / heap->all;
    const double now = (double)minimum +
                       (double)(maximum - minimum) * share * (heap->all - heap->current_count) +
                       (double)(heap->current - minimum) * share;
    return now < (double)UINT64_MAX ? (uint64_t)now : UINT64_MAX;
}

uint8_t compat_merge_time_progress(OTF_Heap *heap, const struct compat_selection *selection, uint64_t *minimum,
                                   uint64_t *current, uint64_t *maximum) {
    if (!heap->is_collected)
        return 0;
    compat_merge_find_ends(heap);
    const uint64_t first = heap->first > selection->min ? heap->first : selection->min;
    const uint64_t last = heap->last < selection->max ? heap->last : selection->max;
    const uint64_t now = heap->sorted ? heap->current : unsorted_time(heap, first, last);
    if (now < first || now > last)
        return 0;
    *minimum = first;
    *maximum = last;
    *current = now;
    return 1;
}

uint8_t compat_merge_bytes_progress(const OTF_Heap *heap, uint64_t *minimum, uint64_t *current,
                                    uint64_t *maximum) {
    if (!heap->is_collected)
        return 0;
    *minimum = *maximum = 0;
    for (uint32_t i = 0; i < heap->all; i++) {
        *minimum += compat_rbuffer_of(heap->buffers[i])->begin;
        *maximum += compat_rbuffer_of(heap->buffers[i])->finish;
    }
    *current = heap->finished;
    for (uint32_t i = 0; i < heap->count; i++)
        *current += OTF_RBuffer_getFilePos(heap->sources[i]);
    if (*current > *maximum)
        *current = *maximum;
    return 1;
}
