/* profile.c: the built-in machine profiles, and files of others: parsing their text, key by key. */
#include "formats/charisma/profile.h"

#include "core/error.h"
#include "core/files/input.h"
#include "core/real.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Built-in profiles ---- */

enum { ORDER_LITTLE, ORDER_BIG };

#define MACHINE(name, text) static const char machine_##name[] = text;
#define PROFILE(name, machine, order, tail)
#include "formats/charisma/profiles.def"
#undef MACHINE
#undef PROFILE

static const struct {
    const char *name, *machine;
    uint8_t is_big_endian, tail;
} built_in[] = {
#define MACHINE(name, text)
#define PROFILE(name, machine, order, tail) {name, machine_##machine, ORDER_##order, QUIPU__TAIL_##tail},
#include "formats/charisma/profiles.def"
#undef MACHINE
#undef PROFILE
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

/* What a text that does not say it gets. */
static const struct quipu__charisma_profile common = {
    .lengths = {[QUIPU__CHARISMA_RELEASE_LENGTH] = QUIPU__CHARISMA_RELEASE_BYTES},
    .no_app = -1,
    .no_client = -1,
    .md_version = 1,
    .timestamp_unit = 1e-9,
    .tail = QUIPU__TAIL_SIZEOF,
    .comp_rw = 16,
    .comp_word = 4,
    .comp_order = {QUIPU__CHARISMA_SIZE, QUIPU__CHARISMA_STRIDE, QUIPU__CHARISMA_MEMSTRIDE}};

bool quipu__charisma_profile_at(size_t index, struct quipu__charisma_profile *out) {
    if (index >= BUILT_IN)
        return false;
    const char *text = built_in[index].machine;
    const bool is_sound = quipu__charisma_profile_parse(text, strlen(text), "", out, NULL) == QUIPU_OK;
    snprintf(out->name, sizeof out->name, "%s", built_in[index].name);
    out->is_big_endian = built_in[index].is_big_endian;
    out->tail = built_in[index].tail;
    return is_sound;
}

bool quipu__charisma_profile_find(const char *name, struct quipu__charisma_profile *out) {
    for (size_t i = 0; i < BUILT_IN; i++)
        if (strcmp(built_in[i].name, name) == 0)
            return quipu__charisma_profile_at(i, out);
    return false;
}

struct quipu__machine quipu__charisma_machine(const struct quipu__charisma_profile *profile) {
    return (struct quipu__machine){.is_big_endian = profile->is_big_endian != 0,
                                   .types = profile->types,
                                   .type_count = QUIPU__CHARISMA_WIRE_COUNT,
                                   .count_type = QUIPU__CHARISMA_WIRE_u_short,
                                   .lengths = profile->lengths,
                                   .tail = (enum quipu__binary_tail)profile->tail};
}

/* ---- Keys ---- */

enum form { FORM_NAME, FORM_WORD, FORM_LENGTH, FORM_INTEGER, FORM_REAL, FORM_ORDER };

/* Lists of words; the index of a word is the value. */
enum { LIST_STATUS, LIST_BYTE_ORDER, LIST_TAIL, LIST_BITFIELDS, LIST_SCOPE, LIST_REPLACE, LIST_COUNT };
enum { WORDS_MOST = 4 };
static const char *const words[LIST_COUNT][WORDS_MOST] = {
    [LIST_STATUS] = {"reconstruction", "ours", "public"},
    [LIST_BYTE_ORDER] = {"little", "big"},
    [LIST_TAIL] =
        {[QUIPU__TAIL_EXACT] = "exact", [QUIPU__TAIL_SIZEOF] = "sizeof", [QUIPU__TAIL_ALIGN] = "align"},
    [LIST_BITFIELDS] = {"auto", "lsb", "msb"},
    [LIST_SCOPE] = {"client_file", "client", "global"},
    [LIST_REPLACE] = {"fifo"},
};

static const char *const values[] = {"size", "stride", "memstride"};

static const char *const wires[QUIPU__CHARISMA_WIRE_COUNT] = {
#define WIRE(name) [QUIPU__CHARISMA_WIRE_##name] = #name,
#include "formats/charisma/wires.def"
#undef WIRE
};

struct key {
    const char *name;
    enum form form;
    size_t offset;
    int64_t least, most;
};

#define LEAST_NAME(least) 0
#define LEAST_REAL(least) 0
#define LEAST_ORDER(least) 0
#define LEAST_WORD(least) LIST_##least
#define LEAST_LENGTH(least) least
#define LEAST_INTEGER(least) least
static const struct key keys[] = {
#define KEY(key, form, member, least, most)                                                                    \
    {key, FORM_##form, offsetof(struct quipu__charisma_profile, member), LEAST_##form(least), most},
#include "formats/charisma/profile_keys.def"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

/* ---- Parsing ---- */

struct text {
    const char *at;
    size_t len;
};

struct parser {
    struct quipu__charisma_profile *profile;
    const char *file;
    unsigned line;
    unsigned seen_keys; /* bit per key */
    unsigned seen_types;
    struct quipu_error *err;
};

static int refuse(const struct parser *parser, const char *what, struct text text, const char *expected) {
    quipu__fail(parser->err, QUIPU_CORRUPT, "%s: found \"%.*s\", expected %s", what,
                (int)(text.len < 60 ? text.len : 60), text.at, expected);
    quipu__at(parser->err, parser->file, QUIPU_UNKNOWN);
    if (parser->err)
        parser->err->line = parser->line;
    return QUIPU_CORRUPT;
}

static struct text trim(struct text text) {
    while (text.len > 0 && strchr(" \t\r", text.at[0]))
        text.at++, text.len--;
    while (text.len > 0 && strchr(" \t\r", text.at[text.len - 1]))
        text.len--;
    return text;
}

/* Removes what precedes a separator from a text; all of it when there is none. */
static struct text cut(struct text *text, char separator) {
    const char *found = memchr(text->at, separator, text->len);
    const struct text before = {text->at, found ? (size_t)(found - text->at) : text->len};
    const size_t past = before.len + (found != NULL);
    text->at += past;
    text->len -= past;
    return trim(before);
}

static bool is(struct text text, const char *word) {
    return word && text.len == strlen(word) && memcmp(text.at, word, text.len) == 0;
}

static int find_word(struct text text, const char *const *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (is(text, list[i]))
            return (int)i;
    return -1;
}

static enum quipu_status parse_name(const struct parser *parser, struct text value) {
    if (value.len == 0 || value.len >= QUIPU__CHARISMA_PROFILE_NAME)
        return (enum quipu_status)refuse(parser, "the name", value, "a word of less than 64 characters");
    memcpy(parser->profile->name, value.at, value.len);
    parser->profile->name[value.len] = 0;
    return QUIPU_OK;
}

static enum quipu_status parse_word(const struct parser *parser, const struct key *key, struct text value,
                                    uint8_t *out) {
    const int found = find_word(value, words[key->least], WORDS_MOST);
    char expected[60] = "";
    for (unsigned i = 0; found < 0 && i < WORDS_MOST && words[key->least][i]; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s", i ? " or " : "",
                 words[key->least][i]);
    if (found < 0)
        return (enum quipu_status)refuse(parser, key->name, value, expected);
    *out = (uint8_t)found;
    return QUIPU_OK;
}

static enum quipu_status parse_integer(const struct parser *parser, const struct key *key, struct text value,
                                       int64_t *out) {
    char expected[60];
    if (quipu__parse_i64(value.at, value.len, out) && *out >= key->least && *out <= key->most)
        return QUIPU_OK;
    snprintf(expected, sizeof expected, "a number from %lld to %lld", (long long)key->least,
             (long long)key->most);
    return (enum quipu_status)refuse(parser, key->name, value, expected);
}

static enum quipu_status parse_length(const struct parser *parser, const struct key *key, struct text value,
                                      uint16_t *out) {
    int64_t length = 0;
    const enum quipu_status status = parse_integer(parser, key, value, &length);
    *out = (uint16_t)length;
    return status;
}

static enum quipu_status parse_real(const struct parser *parser, const struct key *key, struct text value,
                                    double *out) {
    char text[60], *end;
    snprintf(text, sizeof text, "%.*s", (int)value.len, value.at);
    *out = quipu__read_real(text, &end);
    if (value.len < sizeof text && *end == '\0' && *out > 0 && *out <= 1000)
        return QUIPU_OK;
    return (enum quipu_status)refuse(parser, key->name, value, "seconds, above 0 and up to 1000");
}

static enum quipu_status parse_order(const struct parser *parser, const struct key *key, struct text value,
                                     uint8_t *out) {
    struct text rest = value;
    unsigned seen = 0;
    for (unsigned i = 0; i < QUIPU__CHARISMA_VALUE_COUNT; i++) {
        const int found = find_word(cut(&rest, ','), values, QUIPU__CHARISMA_VALUE_COUNT);
        seen |= found < 0 ? 0 : 1u << found;
        out[i] = (uint8_t)found;
    }
    if (seen != (1u << QUIPU__CHARISMA_VALUE_COUNT) - 1 || rest.len > 0)
        return (enum quipu_status)refuse(parser, key->name, value, "size, stride and memstride in any order");
    return QUIPU_OK;
}

/* A type of two bytes distinguishes records, and only time stamps and doubles may have fractions. */
static bool fits_wire(unsigned wire, const struct quipu__number_type *type) {
    if (wire == QUIPU__CHARISMA_WIRE_u_short)
        return type->bytes == 2 && type->kind == QUIPU__NUMBER_UNSIGNED;
    if (wire == QUIPU__CHARISMA_WIRE_byte)
        return type->bytes == 1 && type->kind == QUIPU__NUMBER_UNSIGNED;
    if (wire == QUIPU__CHARISMA_WIRE_double)
        return type->kind == QUIPU__NUMBER_FLOAT;
    return type->kind != QUIPU__NUMBER_FLOAT || wire == QUIPU__CHARISMA_WIRE_TimestampType;
}

static bool is_power(int64_t value) {
    return value == 1 || value == 2 || value == 4 || value == 8;
}

static bool parse_number_type(struct text value, struct quipu__number_type *out) {
    static const char *const kinds[] = {
        [QUIPU__NUMBER_UNSIGNED] = "u", [QUIPU__NUMBER_SIGNED] = "s", [QUIPU__NUMBER_FLOAT] = "f"};
    int64_t bytes, alignment;
    const struct text first = cut(&value, '/'), second = cut(&value, '/');
    const int kind = find_word(trim(value), kinds, 3);
    if (!quipu__parse_i64(first.at, first.len, &bytes) ||
        !quipu__parse_i64(second.at, second.len, &alignment) || !is_power(bytes) || !is_power(alignment) ||
        kind < 0 || (kind == QUIPU__NUMBER_FLOAT && bytes < 4))
        return false;
    *out = (struct quipu__number_type){(uint8_t)bytes, (uint8_t)alignment, (uint8_t)kind};
    return true;
}

static enum quipu_status parse_type(struct parser *parser, struct text name, struct text value) {
    const int wire = find_word(name, wires, QUIPU__CHARISMA_WIRE_COUNT);
    if (wire < 0)
        return (enum quipu_status)refuse(parser, "type", name, "a type of the records, such as BigInt");
    struct quipu__number_type *type = &parser->profile->types[wire];
    if (!parse_number_type(value, type) || !fits_wire((unsigned)wire, type))
        return (enum quipu_status)refuse(
            parser, wires[wire], value,
            wire == QUIPU__CHARISMA_WIRE_u_short || wire == QUIPU__CHARISMA_WIRE_byte
                ? "bytes/alignment/kind with the bytes of the type, such as 2/2/u or 1/1/u"
                : "bytes/alignment/kind, such as 8/4/s; f for doubles and time stamps only");
    if (parser->seen_types >> wire & 1)
        return (enum quipu_status)refuse(parser, "type", name, "each type once");
    parser->seen_types |= 1u << wire;
    return QUIPU_OK;
}

static enum quipu_status parse_value(const struct parser *parser, const struct key *key, struct text value) {
    void *member = (uint8_t *)parser->profile + key->offset;
    switch (key->form) {
    case FORM_NAME:
        return parse_name(parser, value);
    case FORM_WORD:
        return parse_word(parser, key, value, member);
    case FORM_LENGTH:
        return parse_length(parser, key, value, member);
    case FORM_INTEGER:
        return parse_integer(parser, key, value, member);
    case FORM_REAL:
        return parse_real(parser, key, value, member);
    case FORM_ORDER:
        return parse_order(parser, key, value, member);
    }
    return QUIPU_OK;
}

static enum quipu_status parse_key(struct parser *parser, struct text name, struct text value) {
    static const char prefix[] = "type.";
    const size_t len = sizeof prefix - 1;
    if (name.len > len && memcmp(name.at, prefix, len) == 0)
        return parse_type(parser, (struct text){name.at + len, name.len - len}, value);
    for (unsigned i = 0; i < KEYS; i++) {
        if (!is(name, keys[i].name))
            continue;
        if (parser->seen_keys >> i & 1)
            return (enum quipu_status)refuse(parser, "key", name, "each key once");
        parser->seen_keys |= 1u << i;
        return parse_value(parser, &keys[i], value);
    }
    return (enum quipu_status)refuse(parser, "key", name, "a key of a machine profile");
}

static enum quipu_status parse_line(struct parser *parser, struct text line) {
    struct text rest = line;
    rest = cut(&rest, '#');
    if (rest.len == 0)
        return QUIPU_OK;
    if (!memchr(rest.at, '=', rest.len))
        return (enum quipu_status)refuse(parser, "the line", rest, "key = value");
    const struct text name = cut(&rest, '=');
    return parse_key(parser, name, trim(rest));
}

/* What a profile cannot do without. */
static enum quipu_status require_all(const struct parser *parser) {
    const struct quipu__charisma_profile *profile = parser->profile;
    const char *missing = NULL;
    for (unsigned i = 0; i < KEYS && !missing; i++)
        if ((keys[i].form == FORM_NAME || keys[i].form == FORM_LENGTH ||
             strcmp(keys[i].name, "byte_order") == 0) &&
            !(parser->seen_keys >> i & 1))
            missing = keys[i].name;
    for (unsigned i = QUIPU__CHARISMA_WIRE_FIRST; i < QUIPU__CHARISMA_WIRE_COUNT && !missing; i++)
        if (!(parser->seen_types >> i & 1))
            missing = wires[i];
    if (!missing && profile->comp_rw > 0 && profile->comp_rw < 16)
        missing = "comp_rw of 16 to 255, or 0";
    if (!missing && profile->comp_word != 4 && profile->comp_word != 8)
        missing = "comp_word of 4 or 8";
    if (!missing)
        return QUIPU_OK;
    quipu__fail(parser->err, QUIPU_CORRUPT, "the machine profile lacks %s", missing);
    quipu__at(parser->err, parser->file, QUIPU_UNKNOWN);
    return QUIPU_CORRUPT;
}

enum quipu_status quipu__charisma_profile_parse(const char *text, size_t len, const char *name,
                                                struct quipu__charisma_profile *out, struct quipu_error *err) {
    struct parser parser = {.profile = out, .file = name, .err = err};
    struct text rest = {text, len};
    *out = common;
    while (rest.len > 0) {
        parser.line++;
        const enum quipu_status status = parse_line(&parser, cut(&rest, '\n'));
        if (status != QUIPU_OK)
            return status;
    }
    return require_all(&parser);
}

/* ---- Files ---- */

#define FILE_BYTES_MOST 65536

static enum quipu_status no_such_profile(const char *name, struct quipu_error *err) {
    char list[400] = "";
    for (size_t i = 0; i < BUILT_IN; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", built_in[i].name);
    quipu__fail(err, QUIPU_NOT_FOUND, "no machine profile \"%s\"", name);
    quipu__advise(err, "use %s or the path of a profile file", list);
    return QUIPU_NOT_FOUND;
}

static enum quipu_status read_profile(struct quipu__input *input, const char *path,
                                      struct quipu__charisma_profile *out, struct quipu_error *err) {
    const enum quipu_status status = quipu__input_more(input, FILE_BYTES_MOST, err);
    if (status != QUIPU_OK)
        return status;
    if (!input->ended) {
        quipu__fail(err, QUIPU_CORRUPT, "no machine profile: the file is larger than %d bytes",
                    FILE_BYTES_MOST);
        quipu__at(err, path, QUIPU_UNKNOWN);
        return QUIPU_CORRUPT;
    }
    return quipu__charisma_profile_parse((const char *)input->at, (size_t)(input->end - input->at), path, out,
                                         err);
}

enum quipu_status quipu__charisma_profile_load(struct quipu__memory *memory, const char *name_or_path,
                                               struct quipu__charisma_profile *out, struct quipu_error *err) {
    struct quipu__files files; /* of its own: the user named the file, wherever it lies */
    struct quipu__input *input;
    if (quipu__charisma_profile_find(name_or_path, out))
        return QUIPU_OK;
    quipu__files_init(&files, memory, 1);
    enum quipu_status status = quipu__input_open(&files, name_or_path, QUIPU__CODEC_NONE, 4096, &input, err);
    if (status == QUIPU_OK)
        status = read_profile(input, name_or_path, out, err);
    quipu__input_close(input);
    quipu__files_release(&files);
    return status == QUIPU_NOT_FOUND ? no_such_profile(name_or_path, err) : status;
}
