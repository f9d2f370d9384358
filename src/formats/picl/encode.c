/* encode.c: records as text, in the canonical spelling: one line, single blanks, timestamps with a fixed number of decimals and
 * more only where digits would be lost, predefined descriptors by their numbers, control strings of structures in quotes. */
#include "formats/picl/writer.h"

/* ---- Timestamps ---- */

static void put_zeros(struct quipu__buffer *text, uint32_t count) {
    while (count-- > 0)
        quipu__put_u8(text, '0');
}

/* Digits with the point before the last so many; there may be fewer digits. */
static void put_with_point(struct quipu__buffer *text, const char *digits, uint32_t len, uint32_t behind) {
    const uint32_t whole = len > behind ? len - behind : 0;
    if (whole > 0)
        quipu__put(text, digits, whole);
    else
        quipu__put_u8(text, '0');
    if (behind == 0)
        return;
    quipu__put_u8(text, '.');
    put_zeros(text, behind > len ? behind - len : 0);
    quipu__put(text, digits + whole, len - whole);
}

/* A number as text with at least that many decimals, exactly: its digits do not change. */
static void put_decimal(struct quipu__buffer *text, const struct quipu__picl_decimal *decimal,
                        uint32_t decimals) {
    char digits[24];
    uint32_t len = 0, behind = quipu__picl_decimals_of(decimal);
    uint64_t mantissa = decimal->mantissa;
    for (; behind > decimals && mantissa % 10 == 0 && mantissa > 0; behind--)
        mantissa /= 10;
    for (uint64_t rest = mantissa; rest > 0 || len == 0; rest /= 10)
        len++;
    for (uint32_t i = len; i-- > 0; mantissa /= 10)
        digits[i] = (char)('0' + mantissa % 10);
    if (decimal->mantissa == 0)
        behind = 0;
    if (decimal->is_negative && decimal->mantissa > 0)
        quipu__put_u8(text, '-');
    if (behind > 0) {
        put_with_point(text, digits, len, behind);
    } else {
        quipu__put(text, digits, len);
        put_zeros(text, decimal->mantissa && decimal->exponent > 0 ? (uint32_t)decimal->exponent : 0);
        if (decimals > 0)
            quipu__put_u8(text, '.');
    }
    put_zeros(text, decimals > behind ? decimals - behind : 0);
}

static void put_time(struct quipu__picl_output *out, const char *time) {
    struct quipu__picl_decimal decimal;
    const uint32_t len = quipu_sized_count(time);
    const uint8_t *at = (const uint8_t *)time;
    const bool is_number = len > 0 && quipu__picl_read_decimal(at, at + len, &decimal) == len;
    if (is_number && !decimal.is_cut && decimal.exponent < 400 && decimal.exponent > -400)
        put_decimal(&out->text, &decimal, out->decimals);
    else
        quipu__put(&out->text, time, len); /* more digits than the number keeps */
}

/* ---- Values ---- */

static void put_clean(struct quipu__buffer *text, const char *data, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        quipu__put_u8(text, (uint8_t)data[i] < ' ' || data[i] == 0x7f ? ' ' : (uint8_t)data[i]);
}

static void put_base(struct quipu__buffer *text, uint64_t value, unsigned base) {
    char digits[24];
    unsigned len = 0;
    do {
        digits[len++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    while (len-- > 0)
        quipu__put_u8(text, (uint8_t)digits[len]);
}

static void put_value(struct quipu__buffer *text, enum quipu__picl_item_kind kind,
                      const struct quipu_value *value) {
    if (value->type == QUIPU_VALUE_STRING)
        put_clean(text, value->data, value->size);
    else if (kind == QUIPU__PICL_ITEM_HEX || kind == QUIPU__PICL_ITEM_OCTAL)
        put_base(text, value->u, kind == QUIPU__PICL_ITEM_HEX ? 16 : 8);
    else if (value->type == QUIPU_VALUE_F64)
        quipu__picl_put_double(text, value->f);
    else if (value->type == QUIPU_VALUE_U64)
        quipu__put_u64(text, value->u);
    else
        quipu__put_i64(text, value->i);
}

/* Text that a conversion without a value reads. */
static void put_filler(struct quipu__buffer *text, enum quipu__picl_item_kind kind) {
    quipu__put_u8(text, kind == QUIPU__PICL_ITEM_STRING || kind == QUIPU__PICL_ITEM_CHARACTERS ? 'x' : '0');
}

/* One structure, with a blank between values that nothing else keeps apart. */
static const struct quipu_value *put_structure(struct quipu__buffer *text,
                                               const struct quipu__picl_control *control,
                                               const struct quipu_value *value) {
    bool needs_blank = false;
    for (uint32_t i = 0; i < control->count; i++) {
        const struct quipu__picl_item *item = &control->items[i];
        const bool is_conversion = item->kind < QUIPU__PICL_ITEM_LITERAL;
        const bool skips_blanks =
            item->kind != QUIPU__PICL_ITEM_CHARACTERS && item->kind != QUIPU__PICL_ITEM_SET;
        if (is_conversion && needs_blank && skips_blanks)
            quipu__put_u8(text, ' ');
        needs_blank = is_conversion;
        if (item->kind == QUIPU__PICL_ITEM_LITERAL)
            quipu__put_u8(text, item->literal);
        else if (item->kind == QUIPU__PICL_ITEM_SPACE)
            quipu__put_u8(text, ' ');
        else if (item->is_stored)
            put_value(text, item->kind, value++);
        else
            put_filler(text, item->kind);
    }
    return value;
}

/* ---- Descriptors ---- */

static bool is_quoted(const struct quipu_value *descriptor) {
    return descriptor->type == QUIPU_VALUE_STRING && descriptor->data && descriptor->size >= 2;
}

/* Number of the predefined descriptor that is equal to a control string in quotes; -1 when there is none, or it has been
 * redefined. */
static int64_t number_of(const struct quipu__picl_output *out, const struct quipu_value *descriptor) {
    for (int64_t number = 0; number < QUIPU__PICL_PREDEFINED; number++) {
        const char *control = quipu__picl_predefined(number);
        bool is_redefined = false;
        for (size_t i = 0; i < out->scope.aliases.count; i++)
            is_redefined |= out->scope.aliases.items[i].number == number;
        if (!is_redefined && strlen(control) == descriptor->size - 2 &&
            memcmp(control, descriptor->data + 1, descriptor->size - 2) == 0)
            return number;
    }
    return -1;
}

static void put_descriptor(struct quipu__picl_output *out, const struct quipu_value *descriptor) {
    const int64_t number = is_quoted(descriptor) ? number_of(out, descriptor) : descriptor->i;
    if (is_quoted(descriptor) && number < 0)
        quipu__put(&out->text, descriptor->data, descriptor->size);
    else
        quipu__put_i64(&out->text, number);
}

/* The control string of a record without quotes; NULL when its number is not defined. */
static const char *control_text(const struct quipu__picl_output *out, const struct quipu__picl_new *record,
                                size_t *len) {
    const struct quipu_value *descriptor = &record->descriptor;
    if (is_quoted(descriptor)) {
        *len = descriptor->size - 2;
        return descriptor->data + 1;
    }
    return quipu__picl_find_control(&out->scope, descriptor->i, record->event_type, record->processor,
                                    record->process, UINT64_MAX, len);
}

/* ---- Records ---- */

/* Values of any type, a blank in front of each. */
static void put_values(struct quipu__buffer *text, const struct quipu_value *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        quipu__put_u8(text, ' ');
        put_value(text, QUIPU__PICL_ITEM_INTEGER, &values[i]);
    }
}

static void put_structures(struct quipu__picl_output *out, const struct quipu__picl_new *record) {
    struct quipu__picl_control control;
    size_t len;
    const char *text = control_text(out, record, &len);
    const uint32_t count = quipu_sized_count(record->values);
    const struct quipu_value *value = record->values, *end = value + count;
    const bool is_known = text && quipu__picl_compile(text, len, &control) && count % control.stored == 0;
    if (!is_known) {
        put_values(&out->text, record->values, count);
        return;
    }
    while (value < end) {
        quipu__put_u8(&out->text, ' ');
        value = put_structure(&out->text, &control, value);
    }
}

/* A definition of a descriptor keeps its control string in quotes. */
static void put_alias(struct quipu__picl_output *out, const struct quipu__picl_new *record) {
    quipu__put_u8(&out->text, ' ');
    quipu__put_i64(&out->text, record->values[0].i);
    quipu__put_text(&out->text, " \"");
    quipu__put(&out->text, record->values[1].data, record->values[1].size);
    quipu__put_u8(&out->text, '"');
}

/* Number of structures that the values make. */
static int64_t count_of(const struct quipu__picl_output *out, const struct quipu__picl_new *record) {
    struct quipu__picl_control control;
    size_t len;
    const char *text = control_text(out, record, &len);
    const uint32_t count = quipu_sized_count(record->values);
    if (record->record_type == QUIPU__PICL_ALIAS || !text || !quipu__picl_compile(text, len, &control))
        return record->count;
    if (control.is_characters)
        return count > 0 ? record->values[0].size : 0;
    return count / control.stored;
}

static bool is_alias(const struct quipu__picl_new *record) {
    return record->record_type == QUIPU__PICL_ALIAS && quipu_sized_count(record->values) == 2 &&
           record->values[1].type == QUIPU_VALUE_STRING;
}

static void put_field(struct quipu__buffer *text, int64_t value) {
    quipu__put_i64(text, value);
    quipu__put_u8(text, ' ');
}

/* What follows the six fields in front of the values, as it is spelled; of lines that are joined by backslashes nothing. */
static const uint8_t *spelled_values(const struct quipu__picl_spelling *spelling, size_t *len) {
    enum { FIELDS = 6 };
    const uint8_t *at = spelling->text, *const end = at ? at + spelling->len : NULL;
    if (!at || memchr(at, '\\', spelling->len))
        return NULL;
    for (int i = 0; i < FIELDS; i++) {
        while (at < end && quipu__picl_is_space(*at))
            at++;
        while (at < end && !quipu__picl_is_space(*at))
            at++;
    }
    *len = (size_t)(end - at);
    return at;
}

void quipu__picl_encode(struct quipu__picl_output *out, const struct quipu__picl_new *record) {
    size_t len = 0;
    const uint8_t *const spelled = out->is_canonical ? NULL : spelled_values(&record->spelling, &len);
    struct quipu__buffer *text = &out->text;
    const int64_t made = quipu_sized_count(record->values) > 0 ? count_of(out, record) : 0;
    const int64_t count = spelled ? record->count : made;
    put_field(text, record->record_type);
    put_field(text, record->event_type);
    put_time(out, record->timestamp);
    quipu__put_u8(text, ' ');
    put_field(text, record->processor);
    put_field(text, record->process);
    quipu__put_i64(text, count);
    if (spelled) {
        quipu__put(text, spelled, len);
    } else if (count > 0) {
        quipu__put_u8(text, ' ');
        put_descriptor(out, &record->descriptor);
        if (is_alias(record))
            put_alias(out, record);
        else
            put_structures(out, record);
    }
    quipu__picl_end_line(text);
}

/* ---- Records that were made, not read ---- */

static void put_made_values(struct quipu__picl_output *out, const struct quipu__picl_record *record) {
    const bool is_paired = record->is_fast && record->count != record->value_count;
    struct quipu__buffer *text = &out->text;
    quipu__put_u8(text, ' ');
    if (is_paired)
        quipu__put_text(text, "\"%d%d\"");
    else if (record->is_fast)
        quipu__put_i64(text, QUIPU__PICL_INTEGERS);
    else
        put_descriptor(out, &record->descriptor);
    if (!record->is_fast)
        put_values(text, record->values, record->value_count);
    for (uint32_t i = 0; record->is_fast && i < record->value_count; i++) {
        quipu__put_u8(text, ' ');
        quipu__put_i64(text, record->integers[i]);
    }
}

void quipu__picl_encode_record(struct quipu__picl_output *out, const struct quipu__picl_record *record) {
    struct quipu__buffer *text = &out->text;
    put_field(text, record->record_type);
    put_field(text, record->event_type);
    put_decimal(text, &record->time, out->decimals);
    quipu__put_u8(text, ' ');
    put_field(text, record->processor);
    put_field(text, record->process);
    quipu__put_i64(text, record->count);
    if (record->count > 0)
        put_made_values(out, record);
    quipu__picl_end_line(text);
}

/* ---- Old format ---- */

/* Both halves carry the sign. */
static void put_halves(struct quipu__buffer *text, int64_t microseconds) {
    quipu__put_u8(text, ' ');
    quipu__put_i64(text, microseconds / 1000000);
    quipu__put_u8(text, ' ');
    quipu__put_i64(text, microseconds % 1000000);
}

/* The time that a node was busy: since tracing began there, without the time that it was idle. */
static int64_t busy_of(struct quipu__picl_output *out, const struct quipu__picl_old *record) {
    const uint32_t index = quipu__map_get(&out->starts, (uint64_t)record->node);
    const int64_t start = index == QUIPU_NONE ? 0 : out->starts_us.items[index];
    const struct quipu_value *idle = record->values;
    return quipu_sized_count(idle) < 2 ? 0 : record->time_us - start - (idle[0].i * 1000000 + idle[1].i);
}

static void put_labelled(struct quipu__picl_output *out, const struct quipu__picl_old *record) {
    const char *labels = quipu__picl_old_rows[record->key].labels;
    const uint32_t count = quipu_sized_count(record->values);
    struct quipu__picl_old_label label;
    uint32_t next = 0;
    while ((labels = quipu__picl_next_label(labels, &label)) != NULL) {
        quipu__put_u8(&out->text, ' ');
        quipu__put(&out->text, label.text, label.len);
        if (!label.is_stored)
            put_halves(&out->text, busy_of(out, record));
        for (uint32_t i = 0; label.is_stored && i < label.values && next < count; i++) {
            quipu__put_u8(&out->text, ' ');
            quipu__put_i64(&out->text, record->values[next++].i);
        }
    }
}

static void put_old_fields(struct quipu__picl_output *out, const struct quipu__picl_old *record,
                           bool is_verbose) {
    const uint32_t count = quipu_sized_count(record->values);
    if (record->key == QUIPU__PICL_OLD_MARKS) {
        quipu__put_text(&out->text, is_verbose ? " size " : " ");
        quipu__put_i64(&out->text, count);
        quipu__put_text(&out->text, is_verbose ? " array" : "");
        put_values(&out->text, record->values, count);
    } else if (is_verbose && record->key == QUIPU__PICL_OLD_LOAD) {
        quipu__put_text(&out->text, " loaded node");
        put_values(&out->text, record->values, count);
    } else if (is_verbose && record->key == QUIPU__PICL_OLD_STOP) {
        quipu__put_text(&out->text, " : ran out of memory");
    } else if (is_verbose && quipu__picl_old_rows[record->key].labels[0]) {
        put_labelled(out, record);
    } else {
        put_values(&out->text, record->values, count);
    }
}

void quipu__picl_encode_old(struct quipu__picl_output *out, const struct quipu__picl_old *record,
                            bool is_verbose) {
    struct quipu__buffer *text = &out->text;
    if (is_verbose) {
        quipu__put_text(text, quipu__picl_old_rows[record->key].keyword);
        quipu__put_text(text, record->key == QUIPU__PICL_OLD_MESSAGE ? " clock" : "  clock");
    } else {
        quipu__put_i64(text, record->key);
    }
    put_halves(text, record->time_us);
    quipu__put_text(text, is_verbose ? " node " : " ");
    quipu__put_i64(text, record->node);
    put_old_fields(out, record, is_verbose);
    quipu__put_u8(text, '\n');
}
