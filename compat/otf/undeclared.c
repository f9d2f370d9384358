/* undeclared.c: functions that OTF 1.12.5 exports though no header declares them: reading one line, or the rest of
 * one, and collecting the streams of a reader. No known program calls them. */
#include "merge.h"

#include <stdlib.h>

#pragma GCC visibility push(default)

/* ---- One line ---- */

#define WHERE_DEFINITION , uint32_t streamid
#define WHERE_TIMED
#define STREAM_DEFINITION streamid
#define STREAM_TIMED 0

#define PARSE_LINE(name, file, where)                                                                          \
    int OTF_Reader_parse##name##Record(OTF_RBuffer *buffer, OTF_HandlerArray *handlers WHERE_##where);         \
    int OTF_Reader_parse##name##Record(OTF_RBuffer *buffer, OTF_HandlerArray *handlers WHERE_##where) {        \
        return compat_read_line(buffer, handlers, QUIPU__OTF_##file, STREAM_##where) != COMPAT_LINE_FAILED;    \
    }
PARSE_LINE(Def, DEFINITIONS, DEFINITION)
PARSE_LINE(Event, EVENTS, TIMED)
PARSE_LINE(Snapshots, SNAPSHOTS, TIMED)
PARSE_LINE(Statistics, STATISTICS, TIMED)
PARSE_LINE(Marker, MARKERS, DEFINITION)

/* ---- The rest of a line, behind its keyword ---- */

#define WHERE_DEFINITION_EARLY WHERE_DEFINITION
#define WHERE_DEFINITION_MARKER WHERE_DEFINITION
#define STREAM_DEFINITION_EARLY STREAM_DEFINITION
#define STREAM_DEFINITION_MARKER STREAM_DEFINITION

#define READ_REST(name, record, is_older, where)                                                               \
    int OTF_Reader_read##name(OTF_RBuffer *buffer, OTF_HandlerArray *handlers WHERE_##where);                  \
    int OTF_Reader_read##name(OTF_RBuffer *buffer, OTF_HandlerArray *handlers WHERE_##where) {                 \
        return compat_read_fields(buffer, handlers, QUIPU__OTF_##record, is_older, STREAM_##where);            \
    }
#define REST_DEFINITION(record) READ_REST(record, record, false, DEFINITION)
#define REST_DEFINITION_EARLY(record) READ_REST(record, record, false, DEFINITION)
#define REST_DEFINITION_MARKER(record) READ_REST(record, record, false, DEFINITION)
#define REST_TIMED(record) READ_REST(record, record, false, TIMED)
#define REST_MARKER(record) READ_REST(MarkerSpot, record, false, TIMED)

#define OTF_CALL(record, kind, names) REST_##kind(record)
#include "calls.def"
#undef OTF_CALL
READ_REST(DefVersion, DefVersion, false, DEFINITION)
READ_REST(DefUniqueId, DefUniqueId, false, DEFINITION)
READ_REST(EndFileOperation_old, EndFileOperation, true, TIMED)

#define READ_UNKNOWN(name, file, where)                                                                        \
    int OTF_Reader_readUnknown##name##Record(OTF_RBuffer *buffer, OTF_HandlerArray *handlers WHERE_##where);   \
    int OTF_Reader_readUnknown##name##Record(OTF_RBuffer *buffer, OTF_HandlerArray *handlers WHERE_##where) {  \
        return compat_read_unknown(buffer, handlers, QUIPU__OTF_##file, STREAM_##where);                       \
    }
READ_UNKNOWN(, EVENTS, TIMED)
READ_UNKNOWN(Def, DEFINITIONS, DEFINITION)
READ_UNKNOWN(Marker, MARKERS, DEFINITION)

/* ---- What all of this takes for granted ---- */

void otf_compile_time_assert(void);
void otf_compile_time_assert(void) {
    _Static_assert(sizeof(OTF_Type) == 4 && sizeof(OTF_ATTR_TYPE) == 4, "enums have 32 bits");
    _Static_assert(sizeof(void *) == 8 && sizeof(long) == OTF_SIZEOF_LONG,
                   "the interface is that of 64-bit systems");
}
