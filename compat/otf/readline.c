/* readline.c: one line: the format's decoder says what it is, a handler gets it.
 *
 * A record whose handler is not set is skipped behind its keyword, so that its fields may be malformed.
 * Key-value lines gather in the buffer's list, which is emptied after the record that they precede, known or not. A
 * failure leaves them to the record that is read next.
 */
#include "deliver.h"
#include "items.h"

#include <string.h>

/* ---- Between the read buffer and the decoder ---- */

/* OTF sees no further than the buffer reaches: a text that goes on behind it is malformed, and all of the buffer is
 * used up by looking for its end. So the decoder shall tell such texts from other malformed fields. */
static struct quipu__keyed_lines lines_of(OTF_RBuffer *rbuffer, enum quipu__otf_file file) {
    const uint8_t *data = (const uint8_t *)rbuffer->buffer;
    return (struct quipu__keyed_lines){.grammar = &quipu__otf_grammar,
                                       .scanner = compat_scanner(file),
                                       .kind = (uint8_t)file,
                                       .p = data + rbuffer->pos,
                                       .end = data + rbuffer->end,
                                       .state = {rbuffer->time, rbuffer->process}};
}

static void take_position(OTF_RBuffer *rbuffer, const struct quipu__keyed_lines *lines) {
    rbuffer->pos = (uint32_t)((const char *)lines->p - rbuffer->buffer);
}

static enum compat_line malformed(OTF_RBuffer *rbuffer) {
    OTF_Error("a line of '%s' is malformed", rbuffer->file->filename ? rbuffer->file->filename : "memory");
    return COMPAT_LINE_FAILED;
}

/* ---- Key-values ---- */

static void set_value(OTF_Value *value, const struct quipu__otf_value_line *line) {
    switch ((OTF_Type)line->type) {
    case OTF_CHAR:
        value->otf_char = (char)line->u;
        break;
    case OTF_INT8:
        value->otf_int8 = (int8_t)line->i;
        break;
    case OTF_UINT8:
        value->otf_uint8 = (uint8_t)line->u;
        break;
    case OTF_INT16:
        value->otf_int16 = (int16_t)line->i;
        break;
    case OTF_UINT16:
        value->otf_uint16 = (uint16_t)line->u;
        break;
    case OTF_INT32:
        value->otf_int32 = (int32_t)line->i;
        break;
    case OTF_UINT32:
        value->otf_uint32 = (uint32_t)line->u;
        break;
    case OTF_FLOAT:
        value->otf_float = OTF_Int32ToFloat(quipu__otf_bits_from_float(line->f));
        break;
    case OTF_BYTE_ARRAY:
        memcpy(value->otf_byte_array.array, line->bytes, sizeof line->bytes);
        value->otf_byte_array.len = line->left;
        break;
    default: /* 64 bits of any kind */
        value->otf_uint64 = line->u;
    }
}

/* The first value of a key stays; the pieces of an array have the same key. */
static bool read_value(OTF_RBuffer *rbuffer, struct quipu__keyed_lines *lines) {
    struct quipu__otf_value_line line;
    const enum quipu__keyed_result result = quipu__otf_decode_value(lines, &line);
    take_position(rbuffer, lines);
    if (result != QUIPU__KEYED_DECODED)
        return false;
    OTF_KeyValuePair pair = {line.key, (OTF_Type)line.type, {0}};
    set_value(&pair.value, &line);
    OTF_KeyValueList_appendPair(rbuffer->list, pair);
    return true;
}

uint32_t OTF_RBuffer_readKeyValueList(OTF_RBuffer *buffer) {
    struct quipu__keyed_lines lines = lines_of(buffer, QUIPU__OTF_EVENTS);
    return read_value(buffer, &lines);
}

/* ---- Records ---- */

/* Parses the fields behind the keyword of lines->form. */
static enum compat_line read_fields(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, uint32_t stream,
                                    struct quipu__keyed_lines *lines) {
    const enum quipu__otf_type type = (enum quipu__otf_type)lines->form->type;
    if (!handlers->pointer[quipu__otf_schema.types[type].id]) {
        quipu__keyed_skip_line(lines);
        take_position(rbuffer, lines);
        return COMPAT_LINE_COUNTS;
    }
    union quipu__otf_any fields;
    struct quipu__scratch *scratch = &compat_rbuffer_of(rbuffer)->scratch;
    quipu__scratch_reset(scratch);
    const enum quipu__keyed_result result = quipu__keyed_decode(lines, lines->form, scratch, &fields, NULL);
    if (result == QUIPU__KEYED_CUT)
        lines->p = lines->end;
    take_position(rbuffer, lines);
    if (result != QUIPU__KEYED_DECODED)
        return malformed(rbuffer);
    compat_narrow_handle(type, &fields);
    return compat_deliver(rbuffer, handlers, stream, type, &fields) == OTF_RETURN_OK ? COMPAT_LINE_COUNTS
                                                                                     : COMPAT_LINE_FAILED;
}

static enum compat_line read_unknown(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, uint32_t stream,
                                     struct quipu__keyed_lines *lines) {
    const char *text = (const char *)lines->p;
    quipu__keyed_skip_line(lines);
    take_position(rbuffer, lines);
    char *newline = rbuffer->buffer + rbuffer->pos - 1;
    return compat_deliver_unknown(rbuffer, handlers, (enum quipu__otf_file)lines->kind, stream, text,
                                  newline) == OTF_RETURN_OK
               ? COMPAT_LINE_COUNTS
               : COMPAT_LINE_FAILED;
}

static enum compat_line read_recognised(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, uint32_t stream,
                                        struct quipu__keyed_lines *lines) {
    switch (quipu__keyed_recognise(lines)) {
    case QUIPU__KEYED_RECORD:
        return read_fields(rbuffer, handlers, stream, lines);
    case QUIPU__KEYED_VALUE:
        return read_value(rbuffer, lines) ? COMPAT_LINE_COUNTS : malformed(rbuffer);
    case QUIPU__KEYED_OTHER:
        return read_unknown(rbuffer, handlers, stream, lines);
    default: /* empty; state lines have been applied before */
        take_position(rbuffer, lines);
        return COMPAT_LINE_COUNTS;
    }
}

/* OTF tells key-value lines by the first character of the line, before it skips blanks. */
enum compat_line compat_read_line(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                                  uint32_t stream) {
    const bool belongs =
        rbuffer->buffer[rbuffer->pos] == quipu__otf_value_keys[QUIPU__OTF_VALUE_FIELD_key].key[0];
    struct quipu__keyed_lines lines = lines_of(rbuffer, file);
    const enum compat_line line = read_recognised(rbuffer, handlers, stream, &lines);
    if (belongs && line == COMPAT_LINE_COUNTS)
        return COMPAT_LINE_BELONGS;
    if (!belongs && line == COMPAT_LINE_COUNTS && rbuffer->list->count > 0)
        OTF_KeyValueList_reset(rbuffer->list);
    return line;
}

/* ---- Parts of a line ---- */

bool compat_read_fields(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_type type,
                        bool is_older, uint32_t stream) {
    struct quipu__keyed_lines lines =
        lines_of(rbuffer, (enum quipu__otf_file)quipu__otf_schema.types[type].group);
    lines.form = is_older ? quipu__otf_older_form(type) : quipu__otf_current_form(type);
    return lines.form && read_fields(rbuffer, handlers, stream, &lines) == COMPAT_LINE_COUNTS;
}

bool compat_read_unknown(OTF_RBuffer *rbuffer, OTF_HandlerArray *handlers, enum quipu__otf_file file,
                         uint32_t stream) {
    struct quipu__keyed_lines lines = lines_of(rbuffer, file);
    return read_unknown(rbuffer, handlers, stream, &lines) == COMPAT_LINE_COUNTS;
}
