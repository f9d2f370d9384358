/* handlers.c: the array of handlers. The copy handlers are set in copy.c. */
#include "internal.h"

#include <stdlib.h>

int OTF_HandlerArray_init(OTF_HandlerArray *handlers) {
    handlers->pointer = calloc(OTF_NRECORDS, sizeof *handlers->pointer);
    handlers->firsthandlerarg = calloc(OTF_NRECORDS, sizeof *handlers->firsthandlerarg);
    if (handlers->pointer && handlers->firsthandlerarg)
        return 1;
    OTF_HandlerArray_finish(handlers);
    return 0;
}

int OTF_HandlerArray_finish(OTF_HandlerArray *handlers) {
    free(handlers->pointer);
    free(handlers->firsthandlerarg);
    handlers->pointer = NULL;
    handlers->firsthandlerarg = NULL;
    return 1;
}

OTF_HandlerArray *OTF_HandlerArray_open(void) {
    OTF_HandlerArray *handlers = malloc(sizeof *handlers);
    if (handlers && OTF_HandlerArray_init(handlers))
        return handlers;
    free(handlers);
    OTF_Error("no memory for an array of handlers");
    return NULL;
}

int OTF_HandlerArray_close(OTF_HandlerArray *handlers) {
    if (!handlers) {
        OTF_Error("no array of handlers to close");
        return 0;
    }
    OTF_HandlerArray_finish(handlers);
    free(handlers);
    return 1;
}

static int known_record_type(uint32_t recordtype) {
    if (recordtype < OTF_NRECORDS)
        return 1;
    OTF_Error("there is no record type %u", recordtype);
    return 0;
}

int OTF_HandlerArray_setHandler(OTF_HandlerArray *handlers, OTF_FunctionPointer *pointer, uint32_t recordtype) {
    if (!known_record_type(recordtype))
        return 0;
    handlers->pointer[recordtype] = pointer;
    return 1;
}

int OTF_HandlerArray_setFirstHandlerArg(OTF_HandlerArray *handlers, void *firsthandlerarg,
                                        uint32_t recordtype) {
    if (!known_record_type(recordtype))
        return 0;
    handlers->firsthandlerarg[recordtype] = firsthandlerarg;
    return 1;
}
