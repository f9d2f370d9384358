/* calls.c: the write functions of all record types, for streams and for writers. calls.def has a row for each type;
 * its functions pack their arguments into the record's struct, find the write buffer and write the line. */
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

static int write_record(OTF_WStream *wstream, OTF_WBuffer *buffer, enum quipu__otf_type type,
                        const void *fields, uint32_t list_count, OTF_KeyValueList *list) {
    const bool long_form = wstream->format & OTF_WSTREAM_FORMAT_LONG;
    if (list && list->count > 0) {
        if (long_form)
            OTF_WBuffer_writeKeyValueList_long(buffer, list);
        else
            OTF_WBuffer_writeKeyValueList_short(buffer, list);
    }
    compat_write_line(buffer, type, fields, list_count, long_form);
    return result();
}

/* Where a record goes: the buffer, or NULL. */
static OTF_WBuffer *buffer_of(OTF_WStream *wstream, enum quipu__otf_type type) {
    return wstream ? compat_wstream_buffer(wstream, (enum quipu__otf_file)quipu__otf_schema.types[type].group)
                   : NULL;
}

static int write_untimed(OTF_WStream *wstream, enum quipu__otf_type type, const void *fields,
                         uint32_t list_count, OTF_KeyValueList *list) {
    OTF_WBuffer *buffer = buffer_of(wstream, type);
    return buffer ? write_record(wstream, buffer, type, fields, list_count, list) : 0;
}

static int write_timed(OTF_WStream *wstream, enum quipu__otf_type type, const void *fields,
                       OTF_KeyValueList *list, uint64_t time, uint32_t process) {
    OTF_WBuffer *buffer = buffer_of(wstream, type);
    if (!buffer || !OTF_WBuffer_setTimeAndProcess(buffer, time, process))
        return 0;
    return write_record(wstream, buffer, type, fields, 0, list);
}

/* ---- put_<record>: from arguments to the file ---- */

#define PACK(record)                                                                                           \
    struct quipu__otf_##record fields;                                                                         \
    memset(&fields, 0, sizeof fields);                                                                         \
    CALL_##record(ASSIGN)

#define PUT_DEFINITION(record)                                                                                 \
    static int put_##record(OTF_WStream *wstream CALL_##record(PARAMETER), OTF_KeyValueList *list) {           \
        PACK(record)                                                                                           \
        return write_untimed(wstream, QUIPU__OTF_##record, &fields, 0 CALL_##record(COUNT), list);             \
    }
#define PUT_DEFINITION_EARLY(record) PUT_DEFINITION(record)
#define PUT_DEFINITION_MARKER(record) PUT_DEFINITION(record)
#define PUT_MARKER(record) PUT_DEFINITION(record)
#define PUT_TIMED(record)                                                                                      \
    static int put_##record(OTF_WStream *wstream CALL_##record(PARAMETER), OTF_KeyValueList *list) {           \
        PACK(record)                                                                                           \
        return write_timed(wstream, QUIPU__OTF_##record, &fields, list, time, process);                        \
    }

#define OTF_CALL(record, kind, names) PUT_##kind(record)
#include "calls.def"
#undef OTF_CALL

/* ---- OTF_WStream_write... ---- */

#define STREAM_PLAIN(record)                                                                                   \
    int OTF_WStream_write##record(OTF_WStream *wstream CALL_##record(PARAMETER)) {                             \
        return put_##record(wstream CALL_##record(ARGUMENT), NULL);                                            \
    }
#define STREAM_LISTED(record, name)                                                                            \
    int OTF_WStream_write##name(OTF_WStream *wstream CALL_##record(PARAMETER), OTF_KeyValueList *list) {       \
        return put_##record(wstream CALL_##record(ARGUMENT), list);                                            \
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
        return put_##record(STREAM_OF_##kind CALL_##record(ARGUMENT), NULL);                                   \
    }
#define WRITER_LISTED(record, kind, name)                                                                      \
    int OTF_Writer_write##name(OTF_Writer *writer WHERE_##kind CALL_##record(PARAMETER),                       \
                               OTF_KeyValueList *list) {                                                       \
        return put_##record(STREAM_OF_##kind CALL_##record(ARGUMENT), list);                                   \
    }
#define WRITER_BOTH(record, kind) WRITER_PLAIN(record, kind) WRITER_LISTED(record, kind, record##KV)
#define WRITER_ONE(record, kind) WRITER_LISTED(record, kind, record)
#define WRITER_KV(record, kind) WRITER_LISTED(record, kind, record##KV)

#define OTF_CALL(record, kind, names) WRITER_##names(record, kind)
#include "calls.def"
#undef OTF_CALL

/* ---- Version and unique id ---- */

int OTF_WStream_writeDefVersion(OTF_WStream *wstream CALL_DefVersion(PARAMETER)) {
    PACK(DefVersion)
    return write_untimed(wstream, QUIPU__OTF_DefVersion, &fields, 0, NULL);
}

int OTF_WStream_writeDefUniqueId(OTF_WStream *wstream CALL_DefUniqueId(PARAMETER)) {
    PACK(DefUniqueId)
    return write_untimed(wstream, QUIPU__OTF_DefUniqueId, &fields, 0, NULL);
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
