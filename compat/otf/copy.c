/* copy.c: the copy handlers: each passes its record on to the write function of the same record, of a writer or
 * of a stream. Version and unique id are new in a copy: a writer makes its own header, a stream gets them at
 * this place. */
#include "calls.h"
#include "internal.h"

#include "formats/otf/records.h"

/* Handlers of definitions have the stream as their first parameter; streams know it themselves. */
#define THERE_DEFINITION , stream
#define THERE_DEFINITION_EARLY THERE_DEFINITION
#define THERE_DEFINITION_MARKER THERE_DEFINITION
#define THERE_MARKER
#define THERE_TIMED
#define IGNORE_DEFINITION (void)stream;
#define IGNORE_DEFINITION_EARLY IGNORE_DEFINITION
#define IGNORE_DEFINITION_MARKER IGNORE_DEFINITION
#define IGNORE_MARKER
#define IGNORE_TIMED

/* The write function with key-values. */
#define LISTED_BOTH(record) record##KV
#define LISTED_ONE(record) record
#define LISTED_KV(record) record##KV
#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)

static int result(int written) {
    return written ? OTF_RETURN_OK : OTF_RETURN_ABORT;
}

#define OTF_CALL(record, kind, names)                                                                          \
    int OTF_CopyHandler_##record(void *userData WHERE_##kind CALL_##record(PARAMETER),                         \
                                 OTF_KeyValueList *list) {                                                     \
        return result(JOIN(OTF_Writer_write, LISTED_##names(record))(                                          \
            (OTF_Writer *)userData THERE_##kind CALL_##record(ARGUMENT), list));                               \
    }                                                                                                          \
    int OTF_CopyHandler_stream_##record(void *userData WHERE_##kind CALL_##record(PARAMETER),                  \
                                        OTF_KeyValueList *list) {                                              \
        IGNORE_##kind return result(JOIN(OTF_WStream_write, LISTED_##names(record))(                           \
            (OTF_WStream *)userData CALL_##record(ARGUMENT), list));                                           \
    }
#include "calls.def"
#undef OTF_CALL

int OTF_CopyHandler_DefVersion(void *userData, uint32_t stream, uint8_t major, uint8_t minor, uint8_t sub,
                               const char *string) {
    (void)userData, (void)stream, (void)major, (void)minor, (void)sub, (void)string;
    return OTF_RETURN_OK;
}

int OTF_CopyHandler_DefUniqueId(void *userData, uint32_t stream, uint64_t uid) {
    (void)userData, (void)stream, (void)uid;
    return OTF_RETURN_OK;
}

int OTF_CopyHandler_stream_DefVersion(void *userData, uint32_t stream, uint8_t major, uint8_t minor,
                                      uint8_t sub, const char *string) {
    (void)stream, (void)major, (void)minor, (void)sub, (void)string;
    return result(OTF_WStream_writeOtfVersion(userData));
}

int OTF_CopyHandler_stream_DefUniqueId(void *userData, uint32_t stream, uint64_t uid) {
    (void)stream, (void)uid;
    return result(OTF_WStream_writeUniqueId(userData));
}

/* ---- Setting them all ---- */

/* A function of any type, as a station between two casts. */
typedef void(any_function)(void);

static void set(OTF_HandlerArray *handlers, enum quipu__otf_type type, any_function *function, void *target) {
    const uint32_t id = quipu__otf_schema.types[type].id;
    handlers->pointer[id] = (OTF_FunctionPointer *)function;
    handlers->firsthandlerarg[id] = target;
}

int OTF_HandlerArray_getCopyHandler(OTF_HandlerArray *handlers, OTF_Writer *writer) {
#define OTF_CALL(record, kind, names)                                                                          \
    set(handlers, QUIPU__OTF_##record, (any_function *)OTF_CopyHandler_##record, writer);
#include "calls.def"
#undef OTF_CALL
    return 1;
}

int OTF_HandlerArray_getCopyHandler_stream(OTF_HandlerArray *handlers, OTF_WStream *writer) {
#define OTF_CALL(record, kind, names)                                                                          \
    set(handlers, QUIPU__OTF_##record, (any_function *)OTF_CopyHandler_stream_##record, writer);
#include "calls.def"
#undef OTF_CALL
    set(handlers, QUIPU__OTF_DefVersion, (any_function *)OTF_CopyHandler_stream_DefVersion, writer);
    set(handlers, QUIPU__OTF_DefUniqueId, (any_function *)OTF_CopyHandler_stream_DefUniqueId, writer);
    return 1;
}
