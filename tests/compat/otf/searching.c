/* searching.c: reads five events, moves the buffers of streams 1 and 2 to a time, and reads on.
 * usage: searching TRACE TIME */
#include <otf.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int on_enter(void *data, uint64_t time, uint32_t function, uint32_t process, uint32_t source,
                    OTF_KeyValueList *list) {
    ++*(uint64_t *)data;
    return OTF_RETURN_OK;
}

int main(int argc, char **argv) {
    OTF_FileManager *manager = OTF_FileManager_open(10);
    OTF_Reader *reader = argc == 3 ? OTF_Reader_open(argv[1], manager) : NULL;
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    uint64_t enters = 0;
    if (!reader)
        return 1;
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)on_enter, OTF_ENTER_RECORD);
    OTF_HandlerArray_setFirstHandlerArg(handlers, &enters, OTF_ENTER_RECORD);
    OTF_Reader_setRecordLimit(reader, 5);
    const uint64_t before = OTF_Reader_readEvents(reader, handlers);
    for (uint32_t stream = 1; stream <= 2; stream++)
        OTF_RBuffer_searchTime(OTF_RStream_getEventBuffer(OTF_Reader_getStream(reader, stream)),
                               strtoull(argv[2], NULL, 10));
    OTF_Reader_setRecordLimit(reader, 1000000);
    const uint64_t after = OTF_Reader_readEvents(reader, handlers);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", before, after, enters);
    OTF_Reader_close(reader);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
    return 0;
}
