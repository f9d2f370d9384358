/* otf_library.c: the same for OTF's own library, which must be installed: all streams merged, a handler that does
 * nothing for every kind of record.
 *
 *     otf_library TRACE [merged|unsorted]
 */
#include <otf.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The caller passes more; the calling convention of C lets a function ignore what it does not name. */
static int do_nothing(void *context) {
    (void)context;
    return OTF_RETURN_OK;
}

static OTF_HandlerArray *handlers_for_all(void) {
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    for (uint32_t type = 0; type < OTF_NRECORDS; type++)
        if (type != OTF_UNKNOWN_RECORD)
            OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)do_nothing, type);
    return handlers;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: otf_library TRACE [merged|unsorted]\n", stderr);
        return 2;
    }
    OTF_FileManager *files = OTF_FileManager_open(256);
    OTF_Reader *reader = OTF_Reader_open(argv[1], files);
    if (!reader)
        return 4;
    OTF_HandlerArray *handlers = handlers_for_all();
    const int unsorted = argc > 2 && strcmp(argv[2], "unsorted") == 0;
    const double start = cpu_seconds();
    OTF_Reader_readDefinitions(reader, handlers);
    const uint64_t records =
        unsorted ? OTF_Reader_readEventsUnsorted(reader, handlers) : OTF_Reader_readEvents(reader, handlers);
    const double seconds = cpu_seconds() - start;
    uint64_t first, current, bytes;
    struct rusage usage;
    OTF_Reader_eventBytesProgress(reader, &first, &current, &bytes);
    getrusage(RUSAGE_SELF, &usage);
    if (records == OTF_READ_ERROR)
        return 4;
    printf("%" PRIu64 " records, %" PRIu64 " delivered, %.3f s, %.2f M records/s, %.1f MB/s, %ld KiB\n",
           records, records, seconds, (double)records / seconds / 1e6, (double)bytes / seconds / 1e6,
           usage.ru_maxrss);
    OTF_HandlerArray_close(handlers);
    OTF_Reader_close(reader);
    OTF_FileManager_close(files);
    return 0;
}
