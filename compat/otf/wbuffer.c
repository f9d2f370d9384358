/* wbuffer.c: the write buffer of one file. Lines are put together from pieces; a piece that does not fit
 * flushes the buffer first, so that flushes, and with them the pieces of a compressed file, fall where OTF
 * 1.12.5 has them. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ---- */

int OTF_WBuffer_init(OTF_WBuffer *wbuffer) {
    *wbuffer = (OTF_WBuffer){.process = COMPAT_NO_PROCESS, .zbuffersize = OTF_ZBUFFER_DEFAULTSIZE};
    return 1;
}

int OTF_WBuffer_finish(OTF_WBuffer *wbuffer) {
    const int flushed = OTF_WBuffer_flush(wbuffer);
    const int closed = OTF_File_close(wbuffer->file);
    free(wbuffer->buffer);
    OTF_WBuffer_init(wbuffer);
    return flushed && closed;
}

OTF_WBuffer *OTF_WBuffer_open(const char *filename, OTF_FileManager *manager) {
    return OTF_WBuffer_open_zlevel(filename, manager, OTF_FILECOMPRESSION_COMPRESSED);
}

OTF_WBuffer *OTF_WBuffer_open_zlevel(const char *filename, OTF_FileManager *manager,
                                     OTF_FileCompression compression) {
    OTF_WBuffer *wbuffer = malloc(sizeof *wbuffer);
    if (!wbuffer) {
        OTF_Error("no memory for a write buffer");
        return NULL;
    }
    OTF_WBuffer_init(wbuffer);
    wbuffer->file = OTF_File_open_zlevel(filename, manager, OTF_FILEMODE_WRITE, compression);
    if (!wbuffer->file) {
        free(wbuffer);
        return NULL;
    }
    return wbuffer;
}

int OTF_WBuffer_close(OTF_WBuffer *wbuffer) {
    if (!wbuffer) {
        OTF_Error("no write buffer to close");
        return 0;
    }
    /* A search from the end of the file then finds a time soon. */
    if (wbuffer->process != COMPAT_NO_PROCESS)
        compat_put_state(wbuffer, wbuffer->time, wbuffer->process);
    const int fine = OTF_WBuffer_finish(wbuffer);
    free(wbuffer);
    return fine;
}

int OTF_WBuffer_setSize(OTF_WBuffer *wbuffer, size_t size) {
    if (size < wbuffer->size || size > UINT32_MAX) {
        OTF_Error("a write buffer of %u bytes cannot become one of %zu", wbuffer->size, size);
        return 0;
    }
    char *buffer = realloc(wbuffer->buffer, size);
    if (!buffer) {
        OTF_Error("no memory for a write buffer of %zu bytes", size);
        return 0;
    }
    wbuffer->buffer = buffer;
    wbuffer->size = (uint32_t)size;
    return 1;
}

void OTF_WBuffer_setZBufferSize(OTF_WBuffer *wbuffer, uint32_t size) {
    if (size < COMPAT_ZBUFFER_SIZE_LEAST) {
        OTF_Error("%u bytes are too few for a buffer", size);
        return;
    }
    wbuffer->zbuffersize = size;
    OTF_File_setZBufferSize(wbuffer->file, size);
}

/* ---- Room ---- */

int OTF_WBuffer_flush(OTF_WBuffer *wbuffer) {
    const size_t size = wbuffer->pos;
    wbuffer->pos = 0;
    if (OTF_File_write(wbuffer->file, wbuffer->buffer, size) == size)
        return 1;
    OTF_Error("cannot write to '%s'", wbuffer->file->filename);
    return 0;
}

int OTF_WBuffer_guarantee(OTF_WBuffer *wbuffer, size_t space) {
    if (space <= wbuffer->size - wbuffer->pos)
        return 1;
    if (space > wbuffer->size) {
        OTF_Error("%zu bytes do not fit into a write buffer of %u", space, wbuffer->size);
        return 0;
    }
    return OTF_WBuffer_flush(wbuffer);
}

/* ---- Pieces ---- */

uint32_t OTF_WBuffer_writeKeyword(OTF_WBuffer *wbuffer, const char *keyword) {
    const size_t length = strlen(keyword);
    if (!OTF_WBuffer_guarantee(wbuffer, length))
        return 0;
    memcpy(wbuffer->buffer + wbuffer->pos, keyword, length);
    wbuffer->pos += (uint32_t)length;
    return (uint32_t)length;
}

uint32_t OTF_WBuffer_writeChar(OTF_WBuffer *wbuffer, const char character) {
    if (!OTF_WBuffer_guarantee(wbuffer, 1))
        return 0;
    wbuffer->buffer[wbuffer->pos++] = character;
    return 1;
}

uint32_t OTF_WBuffer_writeNewline(OTF_WBuffer *wbuffer) {
    return OTF_WBuffer_writeChar(wbuffer, '\n');
}

uint32_t OTF_WBuffer_writeString(OTF_WBuffer *wbuffer, const char *string) {
    const size_t length = string ? strlen(string) : 0;
    if (!OTF_WBuffer_guarantee(wbuffer, length + 2))
        return 0;
    char *at = wbuffer->buffer + wbuffer->pos;
    *at++ = '"';
    for (size_t i = 0; i < length; i++)
        *at++ = string[i] == '"' || string[i] == '\n' ? ' ' : string[i];
    *at = '"';
    wbuffer->pos += (uint32_t)length + 2;
    return (uint32_t)length;
}

/* A number whose type has so many digits at most. */
static uint32_t write_number(OTF_WBuffer *wbuffer, uint64_t value, uint32_t most_digits) {
    if (!OTF_WBuffer_guarantee(wbuffer, most_digits))
        return 0;
    uint8_t digits[16];
    const uint32_t count = (uint32_t)(quipu__hex_write(digits, value) - digits);
    memcpy(wbuffer->buffer + wbuffer->pos, digits, count);
    wbuffer->pos += count;
    return count;
}

uint32_t OTF_WBuffer_writeUint8(OTF_WBuffer *wbuffer, uint8_t value) {
    return write_number(wbuffer, value, 2);
}

uint32_t OTF_WBuffer_writeUint16(OTF_WBuffer *wbuffer, uint16_t value) {
    return write_number(wbuffer, value, 4);
}

uint32_t OTF_WBuffer_writeUint32(OTF_WBuffer *wbuffer, uint32_t value) {
    return write_number(wbuffer, value, 8);
}

uint32_t OTF_WBuffer_writeUint64(OTF_WBuffer *wbuffer, uint64_t value) {
    return write_number(wbuffer, value, 16);
}

uint32_t OTF_WBuffer_writeBytes(OTF_WBuffer *wbuffer, const uint8_t *value, uint32_t len) {
    static const char digits[] = "0123456789abcdef";
    if (!OTF_WBuffer_guarantee(wbuffer, 2 * (size_t)len))
        return 0;
    char *at = wbuffer->buffer + wbuffer->pos;
    for (uint32_t i = 0; i < len; i++) {
        *at++ = digits[value[i] >> 4];
        *at++ = digits[value[i] & 15];
    }
    wbuffer->pos += 2 * len;
    return 2 * len;
}

/* ---- State lines ---- */

void compat_put_state(OTF_WBuffer *wbuffer, uint64_t time, uint32_t process) {
    OTF_WBuffer_writeUint64(wbuffer, time);
    OTF_WBuffer_writeNewline(wbuffer);
    compat_put_process(wbuffer, process);
}

void compat_put_process(OTF_WBuffer *wbuffer, uint32_t process) {
    OTF_WBuffer_writeChar(wbuffer, QUIPU__OTF_PROCESS_MARK);
    OTF_WBuffer_writeUint32(wbuffer, process);
    OTF_WBuffer_writeNewline(wbuffer);
}

/* Time must not go back. The first time that it does leaves a comment in the file; then the buffer takes
 * nothing but time 0 or the greatest time. */
static int refuse_time(OTF_WBuffer *wbuffer, uint64_t t) {
    if (wbuffer->time == COMPAT_NO_TIME)
        return 0;
    OTF_WBuffer_writeKeyword(wbuffer, quipu__otf_schema.types[QUIPU__OTF_EventComment].key);
    OTF_WBuffer_writeString(wbuffer, "error due to unsorted time stamp, aborted");
    OTF_WBuffer_writeNewline(wbuffer);
    OTF_Error("time goes back from %llu to %llu", (unsigned long long)wbuffer->time, (unsigned long long)t);
    wbuffer->time = COMPAT_NO_TIME;
    return 0;
}

/* The same bytes as compat_put_state, at once. */
static void put_state_at_once(OTF_WBuffer *wbuffer, uint64_t time, uint32_t process) {
    uint8_t *p = quipu__hex_write(compat_wbuffer_end(wbuffer), time);
    *p++ = '\n';
    *p++ = QUIPU__OTF_PROCESS_MARK;
    p = quipu__hex_write(p, process);
    *p++ = '\n';
    compat_wbuffer_advance(wbuffer, p);
}

int OTF_WBuffer_setTimeAndProcess(OTF_WBuffer *wbuffer, uint64_t t, uint32_t p) {
    if (t > wbuffer->time || t == 0) {
        wbuffer->time = t;
        wbuffer->process = p;
        if (compat_has_room(wbuffer, COMPAT_MOST_STATE))
            put_state_at_once(wbuffer, t, p);
        else
            compat_put_state(wbuffer, t, p);
        return 1;
    }
    if (t < wbuffer->time)
        return refuse_time(wbuffer, t);
    if (p != wbuffer->process) {
        wbuffer->process = p;
        compat_put_process(wbuffer, p);
    }
    return 1;
}

/* ---- Key-values ---- */

/* The length of a byte array has no blanks around its keyword. */
static uint32_t write_key(OTF_WBuffer *buffer, enum quipu__otf_value_field field, bool long_form) {
    const struct quipu__keyed_spelling *keyword = &quipu__otf_value_keys[field];
    if (!long_form || field == QUIPU__OTF_VALUE_FIELD_length)
        return OTF_WBuffer_writeKeyword(buffer, long_form ? keyword->key_long : keyword->key);
    return compat_write_word(buffer, keyword->key_long, field != QUIPU__OTF_VALUE_FIELD_key);
}

static uint32_t write_value(OTF_WBuffer *buffer, const OTF_KeyValuePair *pair, bool long_form) {
    const OTF_Value *value = &pair->value;
    switch (pair->type) {
    case OTF_CHAR:
    case OTF_INT8:
    case OTF_UINT8:
        return OTF_WBuffer_writeUint8(buffer, value->otf_uint8);
    case OTF_INT16:
    case OTF_UINT16:
        return OTF_WBuffer_writeUint16(buffer, value->otf_uint16);
    case OTF_INT32:
    case OTF_UINT32:
        return OTF_WBuffer_writeUint32(buffer, value->otf_uint32);
    case OTF_INT64:
    case OTF_UINT64:
        return OTF_WBuffer_writeUint64(buffer, value->otf_uint64);
    case OTF_FLOAT:
        return OTF_WBuffer_writeUint32(buffer, OTF_FloatToInt32(value->otf_float));
    case OTF_DOUBLE:
        return OTF_WBuffer_writeUint64(buffer, OTF_DoubleToInt64(value->otf_double));
    case OTF_BYTE_ARRAY: {
        const uint32_t len = value->otf_byte_array.len;
        const uint32_t here = len < OTF_KEYVALUE_MAX_ARRAY_LEN ? len : OTF_KEYVALUE_MAX_ARRAY_LEN;
        return OTF_WBuffer_writeBytes(buffer, value->otf_byte_array.array, here) +
               write_key(buffer, QUIPU__OTF_VALUE_FIELD_length, long_form) +
               OTF_WBuffer_writeUint32(buffer, len);
    }
    default:
        return 0;
    }
}

static uint32_t write_pair(OTF_WBuffer *buffer, const OTF_KeyValuePair *pair, bool long_form) {
    uint32_t written = write_key(buffer, QUIPU__OTF_VALUE_FIELD_key, long_form);
    written += OTF_WBuffer_writeUint32(buffer, pair->key);
    written += write_key(buffer, QUIPU__OTF_VALUE_FIELD_type, long_form);
    written += OTF_WBuffer_writeUint32(buffer, (uint32_t)pair->type);
    written += write_key(buffer, QUIPU__OTF_VALUE_FIELD_value, long_form);
    written += write_value(buffer, pair, long_form);
    return written + OTF_WBuffer_writeNewline(buffer);
}

static uint32_t write_list(OTF_WBuffer *buffer, OTF_KeyValueList *list, bool long_form) {
    uint32_t written = 0;
    if (!list)
        return 0;
    for (const OTF_KeyValuePairList *node = list->kvBegin; node != list->kvCurrent; node = node->kvNext)
        written += write_pair(buffer, &node->kvPair, long_form);
    OTF_KeyValueList_reset(list);
    return written;
}

uint32_t OTF_WBuffer_writeKeyValuePair_short(OTF_WBuffer *buffer, OTF_KeyValuePair *pair) {
    return write_pair(buffer, pair, false);
}

uint32_t OTF_WBuffer_writeKeyValuePair_long(OTF_WBuffer *buffer, OTF_KeyValuePair *pair) {
    return write_pair(buffer, pair, true);
}

uint32_t OTF_WBuffer_writeKeyValueList_short(OTF_WBuffer *buffer, OTF_KeyValueList *list) {
    return write_list(buffer, list, false);
}

uint32_t OTF_WBuffer_writeKeyValueList_long(OTF_WBuffer *buffer, OTF_KeyValueList *list) {
    return write_list(buffer, list, true);
}
