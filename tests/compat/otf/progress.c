/* progress.c: reads the events of a trace in steps of some records and prints the progress in bytes after each.
 * usage: progress TRACE BUFFER-SIZE RECORDS */
#include <otf.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int on_comment(void *data, uint64_t time, uint32_t process, const char *comment,
                      OTF_KeyValueList *list) {
    return OTF_RETURN_OK;
}

static int on_enter(void *data, uint64_t time, uint32_t function, uint32_t process, uint32_t source,
                    OTF_KeyValueList *list) {
    return OTF_RETURN_OK;
}

int main(int argc, char **argv) {
    OTF_FileManager *manager = OTF_FileManager_open(10);
    OTF_Reader *reader = argc == 4 ? OTF_Reader_open(argv[1], manager) : NULL;
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    uint64_t count = 0;
    if (!reader)
        return 1;
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)on_comment, OTF_EVENTCOMMENT_RECORD);
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)on_enter, OTF_ENTER_RECORD);
    OTF_Reader_setBufferSizes(reader, (uint32_t)atoi(argv[2]));
    OTF_Reader_setRecordLimit(reader, 0);
    OTF_Reader_readEvents(reader, handlers);
    OTF_Reader_setRecordLimit(reader, (uint64_t)atoi(argv[3]));
    do {
        uint64_t first, current, last;
        count = OTF_Reader_readEvents(reader, handlers);
        OTF_Reader_eventBytesProgress(reader, &first, &current, &last);
        printf("%" PRIu64 ": %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count, first, current, last);
    } while (count > 0 && count != OTF_READ_ERROR);
    OTF_Reader_close(reader);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
    return 0;
}
