/* otf_library.c: a program of OTF's own library: reads all streams merged (or one after another) with a handler that
 * does nothing for every kind of record, or writes ten million calls. Built twice: otf_library with the original, which
 * must be installed, and otf_dropin with ours in its place.
 *
 *     otf_library TRACE [merged|unsorted|write]
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

static void report(uint64_t records, double seconds, uint64_t bytes) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " records, %" PRIu64 " delivered, %.3f s, %.2f M records/s, %.1f MB/s, %ld KiB\n",
           records, records, seconds, (double)records / seconds / 1e6, (double)bytes / seconds / 1e6,
           usage.ru_maxrss);
}

static int read_trace(const char *name, int unsorted) {
    OTF_FileManager *files = OTF_FileManager_open(256);
    OTF_Reader *reader = OTF_Reader_open(name, files);
    if (!reader)
        return 4;
    OTF_HandlerArray *handlers = handlers_for_all();
    const double start = cpu_seconds();
    OTF_Reader_readDefinitions(reader, handlers);
    const uint64_t records =
        unsorted ? OTF_Reader_readEventsUnsorted(reader, handlers) : OTF_Reader_readEvents(reader, handlers);
    const double seconds = cpu_seconds() - start;
    uint64_t first, current, bytes;
    OTF_Reader_eventBytesProgress(reader, &first, &current, &bytes);
    if (records == OTF_READ_ERROR)
        return 4;
    report(records, seconds, bytes);
    OTF_HandlerArray_close(handlers);
    OTF_Reader_close(reader);
    OTF_FileManager_close(files);
    return 0;
}

/* Writes pairs of enter and leave of one process. */
static int write_trace(const char *name, uint64_t records) {
    OTF_FileManager *files = OTF_FileManager_open(256);
    OTF_Writer *writer = OTF_Writer_open(name, 1, files);
    int good = 1;
    OTF_Writer_writeDefTimerResolution(writer, 0, 1000000000);
    OTF_Writer_writeDefProcess(writer, 0, 1, "process", 0);
    OTF_Writer_writeDefFunctionGroup(writer, 0, 1, "group");
    OTF_Writer_writeDefFunction(writer, 0, 21, "function", 1, 0);
    const double start = cpu_seconds();
    for (uint64_t i = 0; i < records; i += 2) {
        good &= OTF_Writer_writeEnter(writer, 1000000 + i * 700, 21, 1, 0);
        good &= OTF_Writer_writeLeave(writer, 1000350 + i * 700, 21, 1, 0);
    }
    good &= OTF_Writer_close(writer);
    const double seconds = cpu_seconds() - start;
    OTF_FileManager_close(files);
    if (!good)
        return 5;
    report(records, seconds, 0);
    return 0;
}

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[2] : "merged";
    if (argc < 2) {
        fputs("usage: otf_library TRACE [merged|unsorted|write]\n", stderr);
        return 2;
    }
    return strcmp(mode, "write") == 0 ? write_trace(argv[1], 10000000)
                                      : read_trace(argv[1], strcmp(mode, "unsorted") == 0);
}
