/* deliver.h: from a line in a read buffer to the call of its handler. */
#ifndef COMPAT_OTF_DELIVER_H
#define COMPAT_OTF_DELIVER_H

#include "rbuffer.h"

/* Calls the handler of a record's type, which must be set. fields is the struct that the decoder filled; time
 * and process are the buffer's. Returns what the handler returns. */
int compat_deliver(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, uint32_t stream, enum quipu__otf_type type,
                   const void *fields);

/* Delivers a ready item; the buffer's time and process are its own. Records without a handler are skipped.
 * Empties the buffer's list, unless the handler breaks off. */
int compat_deliver_ready(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, const struct compat_item *item);

/* Enter and Leave, which most records are, have the same members and handlers of the same type: they are
 * delivered without a branch between them and without a detour. */
COMPAT_INLINE bool compat_is_call(const struct compat_item *item) {
    return ((UINT64_C(1) << OTF_ENTER_RECORD | UINT64_C(1) << OTF_LEAVE_RECORD) >> item->id & 1) != 0;
}

COMPAT_INLINE int compat_deliver_call(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers,
                                      const struct compat_item *item) {
    typedef int handler_type(void *userData, uint64_t time, uint32_t function, uint32_t process,
                             uint32_t source, OTF_KeyValueList *list);
    const struct quipu__otf_Enter *record = &item->fields.Enter;
    OTF_FunctionPointer *handler = handlers->pointer[item->id];
    int result = OTF_RETURN_OK;
    if (COMPAT_LIKELY(handler != NULL))
        result = ((handler_type *)(void (*)(void))handler)(handlers->firsthandlerarg[item->id], item->time,
                                                           record->function, item->process, record->source,
                                                           rbuffer->list);
    if (COMPAT_UNLIKELY(rbuffer->list->count > 0) && result == OTF_RETURN_OK)
        OTF_KeyValueList_reset(rbuffer->list);
    return result;
}

/* Calls the handler of unknown records, if there is one, with the text up to end, which is a place in the
 * buffer. */
int compat_deliver_unknown(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                           uint32_t stream, const char *text, char *end);

/* At the end of a file: what is left behind its last whole line, up to a newline, is shown as unknown, but it
 * does not count. Returns what the handler returns; without one a line that has no newline is an error. */
int compat_show_rest(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                     uint32_t stream);

/* What became of a line. */
enum compat_line {
    COMPAT_LINE_COUNTS,  /* a record, known or not, or an empty line */
    COMPAT_LINE_BELONGS, /* a key-value line: belongs to the next record */
    COMPAT_LINE_FAILED   /* malformed, with an error, or the handler broke off */
};

/* Reads the line at the position, which is complete and no state line, and calls its handler. The position is
 * behind the line afterwards, and in a malformed line at the place where a field was missing. */
enum compat_line compat_read_line(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                                  uint32_t stream);

/* The rest of a line, behind its keyword, as a record of this type (its current line or its older one) or as unknown
 * text. False after a failure. */
bool compat_read_fields(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_type type,
                        bool is_older, uint32_t stream);
bool compat_read_unknown(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                         uint32_t stream);

#endif
