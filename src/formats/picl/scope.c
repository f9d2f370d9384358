/* scope.c: see scope.h. Definitions are few and are searched from the last one; their number has a limit. Reading data follows scanf:
 * numbers take the longest prefix that matches, %s takes what is not blank, and conversions other than %c and %[ skip white space
 * first. */
#include "formats/picl/scope.h"

#include "formats/picl/events.h"
#include "formats/picl/numbers.h"

#include <string.h>

/* ---- Compiling ---- */

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* The characters behind "%[": a bracket that comes first belongs to them. Returns the place after the closing one, or NULL. */
static const char *take_set(const char *at, const char *end, struct quipu__picl_item *item) {
    item->is_negated = at < end && *at == '^';
    at += item->is_negated;
    const char *close = at < end ? memchr(at + 1, ']', (size_t)(end - at - 1)) : NULL;
    if (!close)
        return NULL;
    item->set = at;
    item->set_len = (uint32_t)(close - at);
    return close + 1;
}

static const char *take_width(const char *at, const char *end, uint32_t *out) {
    uint32_t width = 0;
    for (; at < end && is_digit((uint8_t)*at); at++)
        width = width < 100000000 ? width * 10 + (uint32_t)(*at - '0') : width;
    *out = width;
    return at;
}

static bool kind_of_letter(char letter, enum quipu__picl_item_kind *out) {
    static const struct {
        char letter;
        enum quipu__picl_item_kind kind;
    } letters[] = {
        {'d', QUIPU__PICL_ITEM_INTEGER}, {'i', QUIPU__PICL_ITEM_ANY_BASE},   {'u', QUIPU__PICL_ITEM_UNSIGNED},
        {'o', QUIPU__PICL_ITEM_OCTAL},   {'x', QUIPU__PICL_ITEM_HEX},        {'X', QUIPU__PICL_ITEM_HEX},
        {'f', QUIPU__PICL_ITEM_REAL},    {'e', QUIPU__PICL_ITEM_REAL},       {'E', QUIPU__PICL_ITEM_REAL},
        {'g', QUIPU__PICL_ITEM_REAL},    {'G', QUIPU__PICL_ITEM_REAL},       {'s', QUIPU__PICL_ITEM_STRING},
        {'[', QUIPU__PICL_ITEM_SET},     {'c', QUIPU__PICL_ITEM_CHARACTERS},
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (letters[i].letter != letter)
            continue;
        *out = letters[i].kind;
        return true;
    }
    return false;
}

/* The conversion after a percent sign. Returns the place after it, NULL when it is not supported. */
static const char *take_conversion(const char *at, const char *end, struct quipu__picl_item *item) {
    item->is_stored = !(at < end && *at == '*');
    at = take_width(at + !item->is_stored, end, &item->width);
    while (at < end && strchr("hlLq", *at) && *at)
        at++;
    if (at == end || !kind_of_letter(*at, &item->kind))
        return NULL;
    return item->kind == QUIPU__PICL_ITEM_SET ? take_set(at + 1, end, item) : at + 1;
}

static const char *take_item(const char *at, const char *end, struct quipu__picl_item *item) {
    if (quipu__picl_is_space((uint8_t)*at)) {
        item->kind = QUIPU__PICL_ITEM_SPACE;
        return at + 1;
    }
    if (*at == '%' && !(end - at > 1 && at[1] == '%'))
        return take_conversion(at + 1, end, item);
    item->kind = QUIPU__PICL_ITEM_LITERAL;
    item->literal = (uint8_t)*at;
    return at + 1 + (*at == '%');
}

bool quipu__picl_compile(const char *text, size_t len, struct quipu__picl_control *out) {
    const char *const end = text + len;
    bool is_first = true;
    out->count = out->stored = 0;
    out->begins_with_char = false;
    while (text < end) {
        struct quipu__picl_item item = {QUIPU__PICL_ITEM_SPACE, false, false, 0, 0, NULL, 0};
        text = take_item(text, end, &item);
        if (!text || out->count == QUIPU__PICL_CONVERSIONS_MOST)
            return false;
        if (item.kind < QUIPU__PICL_ITEM_LITERAL && is_first) {
            out->begins_with_char = item.kind == QUIPU__PICL_ITEM_CHARACTERS;
            is_first = false;
        }
        out->stored += item.is_stored;
        out->items[out->count++] = item;
    }
    const struct quipu__picl_item *only = &out->items[0];
    out->is_characters =
        out->count == 1 && only->kind == QUIPU__PICL_ITEM_CHARACTERS && only->is_stored && only->width == 0;
    return out->stored > 0;
}

/* ---- Reading ---- */

/* What one conversion read: len bytes of which the value is made; 0 when it does not match. */
struct reading {
    size_t len;
    bool is_too_large;
    struct quipu_value value;
};

static struct quipu_value text_value(const uint8_t *at, size_t len) {
    return (struct quipu_value){.type = QUIPU_VALUE_STRING, .size = (uint32_t)len, .data = (const char *)at};
}

static struct reading read_signed(const uint8_t *at, const uint8_t *end) {
    struct reading reading = {.value = {.type = QUIPU_VALUE_I64}};
    reading.len = quipu__picl_read_integer(at, end, &reading.value.i, &reading.is_too_large);
    return reading;
}

static struct reading read_unsigned(const uint8_t *at, const uint8_t *end, unsigned base) {
    struct reading reading = {.value = {.type = QUIPU_VALUE_I64}};
    const bool has_sign = at < end && (*at == '-' || *at == '+');
    const bool is_negative = has_sign && *at == '-';
    uint64_t value;
    reading.len = quipu__picl_read_unsigned(at + has_sign, end, base, &value, &reading.is_too_large);
    reading.len += reading.len ? has_sign : 0;
    reading.is_too_large |= is_negative && value > (uint64_t)INT64_MAX + 1;
    reading.value.u = is_negative ? 0 - value : value;
    if (!is_negative && value > INT64_MAX)
        reading.value.type = QUIPU_VALUE_U64;
    return reading;
}

static struct reading read_any_base(const uint8_t *at, const uint8_t *end) {
    const uint8_t *digits = at + (at < end && (*at == '-' || *at == '+'));
    if (end - digits < 2 || digits[0] != '0')
        return read_signed(at, end);
    return read_unsigned(at, end, (digits[1] | 0x20) == 'x' ? 16 : 8);
}

static struct reading read_real(const uint8_t *at, const uint8_t *end) {
    struct reading reading = {.value = {.type = QUIPU_VALUE_F64}};
    struct quipu__picl_decimal decimal;
    reading.len = quipu__picl_read_decimal(at, end, &decimal);
    if (reading.len && !quipu__picl_to_double(at, reading.len, &reading.value.f))
        reading.len = 0;
    return reading;
}

static struct reading read_string(const uint8_t *at, const uint8_t *end) {
    const uint8_t *p = at;
    while (p < end && !quipu__picl_is_space(*p))
        p++;
    return (struct reading){.len = (size_t)(p - at), .value = text_value(at, (size_t)(p - at))};
}

static bool is_in_set(const struct quipu__picl_item *item, uint8_t c) {
    for (uint32_t i = 0; i < item->set_len; i++) {
        const uint8_t from = (uint8_t)item->set[i];
        const bool is_range = i + 2 < item->set_len && item->set[i + 1] == '-';
        const uint8_t to = is_range ? (uint8_t)item->set[i + 2] : from;
        if (c >= from && c <= to)
            return !item->is_negated;
        i += is_range ? 2 : 0;
    }
    return item->is_negated;
}

static struct reading read_set(const struct quipu__picl_item *item, const uint8_t *at, const uint8_t *end) {
    const uint8_t *p = at;
    while (p < end && is_in_set(item, *p))
        p++;
    return (struct reading){.len = (size_t)(p - at), .value = text_value(at, (size_t)(p - at))};
}

static struct reading read_item(const struct quipu__picl_item *item, const uint8_t *at, const uint8_t *end) {
    switch (item->kind) {
    case QUIPU__PICL_ITEM_INTEGER:
        return read_signed(at, end);
    case QUIPU__PICL_ITEM_ANY_BASE:
        return read_any_base(at, end);
    case QUIPU__PICL_ITEM_UNSIGNED:
        return read_unsigned(at, end, 10);
    case QUIPU__PICL_ITEM_OCTAL:
        return read_unsigned(at, end, 8);
    case QUIPU__PICL_ITEM_HEX:
        return read_unsigned(at, end, 16);
    case QUIPU__PICL_ITEM_REAL:
        return read_real(at, end);
    case QUIPU__PICL_ITEM_STRING:
        return read_string(at, end);
    case QUIPU__PICL_ITEM_SET:
        return read_set(item, at, end);
    default:
        break;
    }
    const size_t wanted = item->width ? item->width : 1; /* characters */
    const size_t len = (size_t)(end - at) < wanted ? 0 : wanted;
    return (struct reading){.len = len, .value = text_value(at, len)};
}

/* Applies an item that is not a conversion. */
static enum quipu__picl_match match_text(const struct quipu__picl_item *item, const uint8_t **at,
                                         const uint8_t *end) {
    if (item->kind == QUIPU__PICL_ITEM_SPACE)
        *at = quipu__picl_skip_space(*at, end);
    else if (*at == end)
        return QUIPU__PICL_ENDED;
    else if (**at != item->literal)
        return QUIPU__PICL_MISMATCH;
    else
        ++*at;
    return QUIPU__PICL_MATCHED;
}

static enum quipu__picl_match convert(const struct quipu__picl_item *item, const uint8_t **at,
                                      const uint8_t *end, struct quipu_value **values) {
    if (item->kind != QUIPU__PICL_ITEM_CHARACTERS && item->kind != QUIPU__PICL_ITEM_SET)
        *at = quipu__picl_skip_space(*at, end);
    if (*at == end)
        return QUIPU__PICL_ENDED;
    const bool is_limited = item->width > 0 && (size_t)(end - *at) > item->width;
    const struct reading reading = read_item(item, *at, is_limited ? *at + item->width : end);
    if (reading.is_too_large)
        return QUIPU__PICL_TOO_LARGE;
    if (reading.len == 0)
        return item->kind == QUIPU__PICL_ITEM_CHARACTERS ? QUIPU__PICL_ENDED : QUIPU__PICL_MISMATCH;
    *at += reading.len;
    if (item->is_stored)
        *(*values)++ = reading.value;
    return QUIPU__PICL_MATCHED;
}

enum quipu__picl_match quipu__picl_read_structure(const struct quipu__picl_control *control, const uint8_t **at,
                                                  const uint8_t *end, struct quipu_value *values) {
    enum quipu__picl_match match = QUIPU__PICL_MATCHED;
    for (uint32_t i = 0; i < control->count && match == QUIPU__PICL_MATCHED; i++) {
        const struct quipu__picl_item *item = &control->items[i];
        match = item->kind >= QUIPU__PICL_ITEM_LITERAL ? match_text(item, at, end)
                                                       : convert(item, at, end, &values);
    }
    return match;
}

/* ---- Definitions ---- */

void quipu__picl_scope_init(struct quipu__picl_scope *scope, struct quipu__memory *memory) {
    *scope = (struct quipu__picl_scope){.memory = memory};
    quipu__arena_init(&scope->arena, memory);
}

void quipu__picl_scope_release(struct quipu__picl_scope *scope) {
    QUIPU__VEC_RELEASE(scope->memory, &scope->aliases);
    QUIPU__VEC_RELEASE(scope->memory, &scope->subsets);
    quipu__arena_release(&scope->arena);
}

bool quipu__picl_add_alias(struct quipu__picl_scope *scope, const struct quipu__picl_alias *alias) {
    if (scope->aliases.count == QUIPU__PICL_DEFINITIONS_MOST) {
        scope->is_full = true;
        return true;
    }
    struct quipu__picl_alias copy = *alias;
    copy.control = quipu__arena_text(&scope->arena, alias->control, alias->len);
    scope->redefines_integers |= alias->number == QUIPU__PICL_INTEGERS;
    return copy.control && QUIPU__VEC_PUT(scope->memory, &scope->aliases, copy);
}

bool quipu__picl_add_subset(struct quipu__picl_scope *scope, const struct quipu__picl_subset *subset) {
    if (scope->subsets.count == QUIPU__PICL_DEFINITIONS_MOST) {
        scope->is_full = true;
        return true;
    }
    int64_t *members = quipu__arena_alloc(&scope->arena, (subset->member_count + 1) * sizeof *members);
    struct quipu__picl_subset copy = *subset;
    if (!members)
        return false;
    memcpy(members, subset->members, subset->member_count * sizeof *members);
    copy.members = members;
    return QUIPU__VEC_PUT(scope->memory, &scope->subsets, copy);
}

const struct quipu__picl_subset *quipu__picl_find_subset(const struct quipu__picl_scope *scope,
                                                         int64_t record_type, int64_t identifier,
                                                         uint64_t byte) {
    for (size_t i = scope->subsets.count; i-- > 0;) {
        const struct quipu__picl_subset *subset = &scope->subsets.items[i];
        if (subset->identifier == identifier && subset->record_type == record_type && subset->byte < byte)
            return subset;
    }
    return NULL;
}

bool quipu__picl_fits(const struct quipu__picl_scope *scope, int64_t record_type, int64_t value,
                      int64_t pattern, uint64_t byte) {
    if (pattern == QUIPU__PICL_ALL || pattern == value)
        return true;
    if (record_type == QUIPU__PICL_EVENT_SUBSET && quipu__picl_subset_contains(pattern, value))
        return true;
    const struct quipu__picl_subset *subset =
        pattern < QUIPU__PICL_ALL ? quipu__picl_find_subset(scope, record_type, pattern, byte) : NULL;
    for (size_t i = 0; subset && i < subset->member_count; i++)
        if (subset->members[i] == value)
            return true;
    return false;
}

const char *quipu__picl_find_control(const struct quipu__picl_scope *scope, int64_t number, int64_t event,
                                     int64_t processor, int64_t process, uint64_t byte, size_t *len) {
    for (size_t i = scope->aliases.count; i-- > 0;) {
        const struct quipu__picl_alias *alias = &scope->aliases.items[i];
        if (alias->number == number && alias->byte < byte &&
            quipu__picl_fits(scope, QUIPU__PICL_EVENT_SUBSET, event, alias->event, byte) &&
            quipu__picl_fits(scope, QUIPU__PICL_PROCESSOR_SUBSET, processor, alias->processor, byte) &&
            quipu__picl_fits(scope, QUIPU__PICL_PROCESS_SUBSET, process, alias->process, byte)) {
            *len = alias->len;
            return alias->control;
        }
    }
    const char *control = quipu__picl_predefined(number);
    *len = control ? strlen(control) : 0;
    return control;
}

const char *quipu__picl_predefined(int64_t number) {
    static const char *const controls[QUIPU__PICL_PREDEFINED] = {"%c", "%s", "%d", "%ld", "%f", "%lf"};
    return number >= 0 && number < QUIPU__PICL_PREDEFINED ? controls[number] : NULL;
}
