/* model_events.c: see model_events.h. */
#include "formats/ovni/model_events.h"

#include "model/event.h"

char quipu__ovni_character_of(uint32_t kind) {
    static const char characters[QUIPU_KIND_COUNT] = {
#define MODEL_EVENT(character, kind) [QUIPU_KIND_##kind] = character,
#include "formats/ovni/model_events.def"
    };
    return kind < QUIPU_KIND_COUNT ? characters[kind] : 0;
}

enum quipu_kind quipu__ovni_kind_of(uint8_t character) {
    static const uint8_t kinds[256] = {
#define MODEL_EVENT(character, kind) [character] = QUIPU_KIND_##kind + 1,
#include "formats/ovni/model_events.def"
    };
    return kinds[character] ? (enum quipu_kind)(kinds[character] - 1) : QUIPU_KIND_COUNT;
}

enum quipu__ovni_class quipu__ovni_class_of(enum quipu_refers refers) {
    switch (refers) {
    case QUIPU_REFERS_LOCATION:
        return QUIPU__OVNI_CLASS_locations;
    case QUIPU_REFERS_REGION:
        return QUIPU__OVNI_CLASS_regions;
    case QUIPU_REFERS_GROUP:
        return QUIPU__OVNI_CLASS_groups;
    case QUIPU_REFERS_FILE:
        return QUIPU__OVNI_CLASS_files;
    case QUIPU_REFERS_METRIC:
        return QUIPU__OVNI_CLASS_metrics;
    default:
        return QUIPU__OVNI_CLASSES;
    }
}

/* ---- Numbers ---- */

static bool is_signed(const struct quipu_kind_field *field) {
    return quipu__is_signed(field->refers) || field->column == QUIPU_COLUMN_tag;
}

static uint64_t code_of(const struct quipu_kind_field *field, int64_t value) {
    const uint64_t bits = (uint64_t)value;
    if (is_signed(field))
        return bits << 1 ^ (value < 0 ? UINT64_MAX : 0);
    return quipu__is_unknown(field->column, bits) ? 0 : bits + 1;
}

static uint64_t value_of(const struct quipu_kind_field *field, uint64_t code) {
    if (is_signed(field))
        return code >> 1 ^ (code & 1 ? UINT64_MAX : 0);
    return code == 0 ? QUIPU_UNKNOWN : code - 1;
}

static uint32_t put_number(uint8_t *out, uint64_t number) {
    uint32_t len = 0;
    for (; number >= 0x80; number >>= 7)
        out[len++] = (uint8_t)(number | 0x80);
    out[len++] = (uint8_t)number;
    return len;
}

/* 0 after the end of the payload; bits beyond 64 are dropped. */
static uint64_t take_number(const uint8_t *payload, uint32_t len, uint32_t *offset) {
    uint64_t number = 0;
    for (unsigned shift = 0; *offset < len; shift += 7) {
        const uint8_t byte = payload[(*offset)++];
        if (shift < 64)
            number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return number;
}

/* ---- Fields ---- */

uint32_t quipu__ovni_encode_fields(const struct quipu_event *event, uint8_t out[QUIPU__OVNI_FIELDS_BYTES]) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    uint32_t len = 0;
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct quipu_kind_field *field = &kind->fields[i];
        len += put_number(out + len, code_of(field, quipu_event_get(event, field->column)));
    }
    if (len == 1)
        out[len++] = 0;
    return len;
}

void quipu__ovni_decode_fields(enum quipu_kind kind, const uint8_t *payload, uint32_t len,
                               uint64_t out[QUIPU__OVNI_FIELDS_MOST]) {
    const struct quipu_kind_info *info = quipu_kind_at(kind);
    uint32_t offset = 0;
    for (size_t i = 0; i < info->field_count; i++)
        out[i] = value_of(&info->fields[i], take_number(payload, len, &offset));
}
