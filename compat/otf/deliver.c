/* deliver.c: the calls of handlers: one function per record type spreads the members of the decoder's struct
 * over the arguments, in the order of calls.h. */
#include "calls.h"
#include "deliver.h"

#include <string.h>

#define MEMBER_TIME , rbuffer->time
#define MEMBER_PROCESS , rbuffer->process
#define MEMBER_U8(f) , record->f
#define MEMBER_U32(f) , record->f
#define MEMBER_U64(f) , record->f
#define MEMBER_ENUM(type, f) , (type)record->f
#define MEMBER_TEXT(f) , record->f
#define MEMBER_LIST(type, count, f) , quipu_sized_count(record->f), (type *)(uintptr_t)record->f

/* The stream comes first in definitions. */
#define THERE_DEFINITION , stream
#define THERE_DEFINITION_EARLY , stream
#define THERE_DEFINITION_MARKER , stream
#define THERE_MARKER
#define THERE_TIMED

/* A function of any type, as a station between two casts. */
typedef void any_function(void);

typedef int deliver_function(const OTF_RBuffer *rbuffer, any_function *handler, void *argument, uint32_t stream,
                             const void *fields);

#define DELIVER(record_type, kind)                                                                             \
    static int deliver_##record_type(const OTF_RBuffer *rbuffer, any_function *handler, void *argument,        \
                                     uint32_t stream, const void *fields) {                                    \
        typedef int handler_type(void *userData WHERE_##kind CALL_##record_type(PARAMETER),                    \
                                 OTF_KeyValueList *list);                                                      \
        const struct quipu__otf_##record_type *record = fields;                                                \
        (void)record, (void)stream;                                                                            \
        return ((handler_type *)handler)(argument THERE_##kind CALL_##record_type(MEMBER), rbuffer->list);     \
    }

#define OTF_CALL(record, kind, names) DELIVER(record, kind)
#include "calls.def"
#undef OTF_CALL
DELIVER(DefVersion, DEFINITION)
DELIVER(DefUniqueId, DEFINITION)

static deliver_function *const deliver_functions[QUIPU__OTF_TYPE_COUNT] = {
#define OTF_CALL(record, kind, names) [QUIPU__OTF_##record] = deliver_##record,
#include "calls.def"
#undef OTF_CALL
    [QUIPU__OTF_DefVersion] = deliver_DefVersion,
    [QUIPU__OTF_DefUniqueId] = deliver_DefUniqueId,
};

int compat_deliver(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, uint32_t stream, enum quipu__otf_type type,
                   const void *fields) {
    const uint32_t id = quipu__otf_schema.types[type].id;
    return deliver_functions[type](rbuffer, (any_function *)handlers->pointer[id],
                                   handlers->firsthandlerarg[id], stream, fields);
}

/* The time that an unknown record is delivered with. */
static uint64_t time_of_unknown(const OTF_RBuffer *rbuffer, enum quipu__otf_file file) {
    if (file == QUIPU__OTF_DEFINITIONS)
        return COMPAT_NO_TIME;
    return file == QUIPU__OTF_MARKERS ? 0 : rbuffer->time;
}

int compat_deliver_unknown(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                           uint32_t stream, const char *text, char *end) {
    typedef int handler_type(void *userData, uint64_t time, uint32_t process, const char *record);
    any_function *handler = (any_function *)handlers->pointer[OTF_UNKNOWN_RECORD];
    if (!handler)
        return OTF_RETURN_OK;
    const bool timed = file != QUIPU__OTF_DEFINITIONS && file != QUIPU__OTF_MARKERS;
    const uint64_t time = time_of_unknown(rbuffer, file);
    const char saved = *end;
    *end = '\0';
    const int result = ((handler_type *)handler)(handlers->firsthandlerarg[OTF_UNKNOWN_RECORD], time,
                                                 timed ? rbuffer->process : stream, text);
    *end = saved;
    return result;
}

int compat_show_rest(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                     uint32_t stream) {
    if (rbuffer->pos == rbuffer->end)
        return OTF_RETURN_OK;
    char *rest = rbuffer->buffer + rbuffer->pos;
    char *newline = memchr(rest, '\n', rbuffer->end - rbuffer->pos);
    if (!handlers->pointer[OTF_UNKNOWN_RECORD])
        return newline ? OTF_RETURN_OK : OTF_RETURN_ABORT;
    return compat_deliver_unknown(rbuffer, handlers, file, stream, rest,
                                  newline ? newline : rbuffer->buffer + rbuffer->end);
}

int compat_deliver_ready(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, const struct compat_item *item) {
    int result = OTF_RETURN_OK;
    if (handlers->pointer[item->id])
        result = compat_deliver(rbuffer, handlers, 0, (enum quipu__otf_type)item->type, &item->fields);
    if (result == OTF_RETURN_OK && rbuffer->list->count > 0)
        OTF_KeyValueList_reset(rbuffer->list);
    return result;
}
