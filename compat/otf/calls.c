/* calls.c: the write functions of all record types, for streams and for writers. calls.def has a row for each
 * type; its functions pack their arguments into the record's struct, find the write buffer and write the line.
 */
#include "calls.h"
#include "line.h"
#include "wstream.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Families of macros for CALL_<record>(...), besides those of calls.h ---- */

#define ASSIGN_TIME
#define ASSIGN_PROCESS
#define ASSIGN_U8(f) fields.f = f;
#define ASSIGN_U32(f) fields.f = f;
#define ASSIGN_U64(f) fields.f = f;
#define ASSIGN_ENUM(type, f) fields.f = (uint32_t)f;
#define ASSIGN_TEXT(f) fields.f = f;
#define ASSIGN_LIST(type, count, f) fields.f = (const uint32_t *)(const void *)f;

#define COUNT_TIME
#define COUNT_PROCESS
#define COUNT_U8(f)
#define COUNT_U32(f)
#define COUNT_U64(f)
#define COUNT_ENUM(type, f)
#define COUNT_TEXT(f)
#define COUNT_LIST(type, count, f) +count

/* ---- One record ---- */

static int result(void) {
    return otf_errno == OTF_NO_ERROR;
}

/* Where a record goes: the buffer, or NULL. */
COMPAT_INLINE OTF_WBuffer *buffer_of(OTF_WStream *wstream, enum quipu__otf_file file) {
    if (!wstream)
        return NULL;
    if (file == QUIPU__OTF_EVENTS && COMPAT_LIKELY(wstream->eventBuffer != NULL))
        return wstream->eventBuffer;
    return compat_wstream_buffer(wstream, file);
}

static void write_list(OTF_WStream *wstream, OTF_WBuffer *buffer, OTF_KeyValueList *list) {
    if (wstream->format & OTF_WSTREAM_FORMAT_LONG)
        OTF_WBuffer_writeKeyValueList_long(buffer, list);
    else
        OTF_WBuffer_writeKeyValueList_short(buffer, list);
}

static void write_line(OTF_WStream *wstream, OTF_WBuffer *buffer, enum quipu__otf_type type, const void *fields,
                       uint32_t list_count) {
    compat_write_line(buffer, type, fields, list_count, wstream->format & OTF_WSTREAM_FORMAT_LONG);
}

/* ---- write_<record>: from arguments to the file ---- */

/* FILE_OF_Enter and so on. */
enum {
#define RECORD_ROW(name, id, title, file, ...) FILE_OF_##name = (int)QUIPU__OTF_##file,
#include "formats/otf/records.def"
};

#define PACK(record)                                                                                           \
    struct quipu__otf_##record fields;                                                                         \
    memset(&fields, 0, sizeof fields);                                                                         \
    CALL_##record(ASSIGN)

/* The line itself: at once when there is room for the longest, else in chunks. */
#define WRITE_LINE(record)                                                                                     \
    if (NUMBERS_##record && COMPAT_LIKELY(compat_has_room(buffer, MOST_##record))) {                           \
        const bool is_long = wstream->format & OTF_WSTREAM_FORMAT_LONG;                                        \
        compat_wbuffer_advance(buffer, put_##record(compat_wbuffer_end(buffer), &fields, is_long));            \
    } else {                                                                                                   \
        write_line(wstream, buffer, QUIPU__OTF_##record, &fields, 0 CALL_##record(COUNT));                     \
    }

#define WRITE_DEFINITION(record)                                                                               \
    static int write_##record(OTF_WStream *wstream CALL_##record(PARAMETER), OTF_KeyValueList *list) {         \
        OTF_WBuffer *buffer = buffer_of(wstream, (enum quipu__otf_file)FILE_OF_##record);                      \
        if (!buffer)                                                                                           \
            return 0;                                                                                          \
        PACK(record)                                                                                           \
        if (list && list->count > 0)                                                                           \
            write_list(wstream, buffer, list);                                                                 \
        WRITE_LINE(record)                                                                                     \
        return result();                                                                                       \
    }
#define WRITE_DEFINITION_EARLY(record) WRITE_DEFINITION(record)
#define WRITE_DEFINITION_MARKER(record) WRITE_DEFINITION(record)
#define WRITE_MARKER(record) WRITE_DEFINITION(record)
#define WRITE_TIMED(record)                                                                                    \
    static int write_##record(OTF_WStream *wstream CALL_##record(PARAMETER), OTF_KeyValueList *list) {         \
        OTF_WBuffer *buffer = buffer_of(wstream, (enum quipu__otf_file)FILE_OF_##record);                      \
        if (!buffer || !OTF_WBuffer_setTimeAndProcess(buffer, time, process))                                  \
            return 0;                                                                                          \
        PACK(record)                                                                                           \
        if (list && list->count > 0)                                                                           \
            write_list(wstream, buffer, list);                                                                 \
        WRITE_LINE(record)                                                                                     \
        return result();                                                                                       \
    }

#define OTF_CALL(record, kind, names) WRITE_##kind(record)
#include "calls.def"
#undef OTF_CALL

/* ---- OTF_WStream_write... ---- */

#define STREAM_PLAIN(record)                                                                                   \
    int OTF_WStream_write##record(OTF_WStream *wstream CALL_##record(PARAMETER)) {                             \
        return write_##record(wstream CALL_##record(ARGUMENT), NULL);                                          \
    }
#define STREAM_LISTED(record, name)                                                                            \
    int OTF_WStream_write##name(OTF_WStream *wstream CALL_##record(PARAMETER), OTF_KeyValueList *list) {       \
        return write_##record(wstream CALL_##record(ARGUMENT), list);                                          \
    }
#define STREAM_BOTH(record) STREAM_PLAIN(record) STREAM_LISTED(record, record##KV)
#define STREAM_ONE(record) STREAM_LISTED(record, record)
#define STREAM_KV(record) STREAM_LISTED(record, record##KV)

#define OTF_CALL(record, kind, names) STREAM_##names(record)
#include "calls.def"
#undef OTF_CALL

/* ---- OTF_Writer_write... ---- */

/* The stream that a record of a kind goes to. */
#define STREAM_OF_DEFINITION compat_writer_definition_stream(writer, stream)
#define STREAM_OF_DEFINITION_EARLY OTF_Writer_getStream(writer, stream)
#define STREAM_OF_DEFINITION_MARKER ((void)stream, OTF_Writer_getStream(writer, 0))
#define STREAM_OF_MARKER OTF_Writer_getStream(writer, 0)
#define STREAM_OF_TIMED compat_writer_process_stream(writer, process)

#define WRITER_PLAIN(record, kind)                                                                             \
    int OTF_Writer_write##record(OTF_Writer *writer WHERE_##kind CALL_##record(PARAMETER)) {                   \
        return write_##record(STREAM_OF_##kind CALL_##record(ARGUMENT), NULL);                                 \
    }
#define WRITER_LISTED(record, kind, name)                                                                      \
    int OTF_Writer_write##name(OTF_Writer *writer WHERE_##kind CALL_##record(PARAMETER),                       \
                               OTF_KeyValueList *list) {                                                       \
        return write_##record(STREAM_OF_##kind CALL_##record(ARGUMENT), list);                                 \
    }
#define WRITER_BOTH(record, kind) WRITER_PLAIN(record, kind) WRITER_LISTED(record, kind, record##KV)
#define WRITER_ONE(record, kind) WRITER_LISTED(record, kind, record)
#define WRITER_KV(record, kind) WRITER_LISTED(record, kind, record##KV)

#define OTF_CALL(record, kind, names) WRITER_##names(record, kind)
#include "calls.def"
#undef OTF_CALL

/* ---- Version and unique id ---- */

int OTF_WStream_writeDefVersion(OTF_WStream *wstream CALL_DefVersion(PARAMETER)) {
    OTF_WBuffer *buffer = buffer_of(wstream, QUIPU__OTF_DEFINITIONS);
    if (!buffer)
        return 0;
    PACK(DefVersion)
    write_line(wstream, buffer, QUIPU__OTF_DefVersion, &fields, 0);
    return result();
}

int OTF_WStream_writeDefUniqueId(OTF_WStream *wstream CALL_DefUniqueId(PARAMETER)) {
    OTF_WBuffer *buffer = buffer_of(wstream, QUIPU__OTF_DEFINITIONS);
    if (!buffer)
        return 0;
    PACK(DefUniqueId)
    write_line(wstream, buffer, QUIPU__OTF_DefUniqueId, &fields, 0);
    return result();
}

int OTF_WStream_writeOtfVersion(OTF_WStream *wstream) {
    return OTF_WStream_writeDefVersion(wstream, OTF_VERSION_MAJOR, OTF_VERSION_MINOR, OTF_VERSION_SUB,
                                       OTF_VERSION_STRING);
}

/* A number that no other trace has: time and process, well mixed. */
static uint64_t unique_id(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t id = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    id ^= (uint64_t)getpid() << 48;
    id = (id ^ id >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    id = (id ^ id >> 27) * UINT64_C(0x94d049bb133111eb);
    return id ^ id >> 31;
}

int OTF_WStream_writeUniqueId(OTF_WStream *wstream) {
    return OTF_WStream_writeDefUniqueId(wstream, unique_id());
}
