/* scan.c: looking over a file before libotf2 reads it, which trusts what it reads: it hangs or ends the program where a file breaks off.
 *
 *     chunk: 3, byte order ('B' or '#'), two 64-bit numbers, records, zeros up to the chunk's size
 *     record: type, length in bytes (255: a 64-bit number follows that says it), content
 *     the last chunk ends behind its records in 2 and 1
 *
 * In files of events type 5 is a time of 8 bytes without a length, 6 are attributes of the event that follows, and some types that have one
 * number have no length but that number's own. All that is known from looking at files that libotf2 wrote. */
#include "formats/otf2/format.h"

#include <string.h>

enum {
    HEADER = QUIPU__OTF2_HEADER_BYTES,
    CHUNK_BEGINS = QUIPU__OTF2_CHUNK_BEGINS,
    CHUNK_ENDS = QUIPU__OTF2_CHUNK_ENDS,
    FILE_ENDS = QUIPU__OTF2_FILE_ENDS,
    PADDING = 0,
    TIME = QUIPU__OTF2_TIME,
    ATTRIBUTES = QUIPU__OTF2_ATTRIBUTES,
    FIRST = 5, /* type of records */
    LONG = QUIPU__OTF2_LONG,
    HEAD = 1 + 1 + 8 /* most bytes before a record's content */
};

#define BIT(type) (UINT64_C(1) << (type))
static const uint64_t narrow = BIT(12) | BIT(13) | BIT(24); /* singles of 32 bits */

struct scanner {
    const char *forms[256]; /* by type; NULL: not known */
    struct quipu__input *input;
    struct quipu__otf2_scan *scan;
    uint64_t chunk_end; /* offset */
    bool is_events, is_big;
    bool is_last; /* the chunk ends in the mark of the last one */
};

static bool is_single(const struct scanner *scanner, uint8_t type) {
    return scanner->is_events && quipu__otf2_is_single(type);
}

/* ---- What records hold ---- */

/* A number of up to so many bytes. */
static uint64_t take_number(struct quipu__slice *slice, bool is_big, unsigned most) {
    const uint8_t size = quipu__take_u8(slice);
    uint64_t value = 0;
    if (size == LONG)
        return UINT64_MAX;
    const uint8_t *bytes = size <= most ? quipu__take_bytes(slice, size) : NULL;
    slice->failed |= !bytes;
    for (unsigned i = 0; bytes && i < size; i++)
        value = value << 8 | bytes[is_big ? i : size - 1 - i];
    return value;
}

static void take_text(struct quipu__slice *slice) {
    const uint8_t *zero = slice->failed ? NULL : memchr(slice->at, 0, quipu__slice_left(slice));
    slice->failed |= !zero;
    slice->at = zero ? zero + 1 : slice->at;
}

/* A value by its type. */
static void take_value(struct quipu__slice *slice, bool is_big) {
    switch (quipu__take_u8(slice)) {
    case QUIPU__OTF2_U8:
    case QUIPU__OTF2_I8:
        quipu__take_u8(slice);
        break;
    case QUIPU__OTF2_U16:
    case QUIPU__OTF2_I16:
        quipu__take_bytes(slice, 2);
        break;
    case 0:
        slice->at = slice->end;
        break;
    case QUIPU__OTF2_F32:
        quipu__take_bytes(slice, 4);
        break;
    case QUIPU__OTF2_F64:
        quipu__take_bytes(slice, 8);
        break;
    case QUIPU__OTF2_U64:
    case QUIPU__OTF2_I64:
    case QUIPU__OTF2_LOCATION_REF:
        take_number(slice, is_big, 8);
        break;
    default:
        take_number(slice, is_big, 4);
        break;
    }
}

static void take_numbers(struct quipu__slice *slice, bool is_big) {
    const uint64_t count = take_number(slice, is_big, 4);
    const uint64_t each = quipu__take_u8(slice) ? 2 : 1;
    for (uint64_t i = 0; i < count && i < UINT32_MAX && !slice->failed; i++)
        for (uint64_t k = 0; k < each; k++)
            take_number(slice, is_big, 8);
}

/* What stands for one character of a form (records.def). */
static void take_item(struct quipu__slice *slice, bool is_big, char item) {
    switch (item) {
    case 'b':
    case 'o':
        quipu__take_u8(slice);
        break;
    case 'c':
    case 'O':
        take_number(slice, is_big, 4);
        break;
    case 'C':
        take_number(slice, is_big, 8);
        break;
    case 'r':
        quipu__take_bytes(slice, 8);
        break;
    case 's':
        take_text(slice);
        break;
    case 'v':
        take_value(slice, is_big);
        break;
    case 'M':
        take_numbers(slice, is_big);
        break;
    default:
        slice->failed = true;
        break;
    }
}

/* Whether the content of a record is of a form. It may end early, or go on behind it. */
static bool has_form(const uint8_t *at, size_t size, const char *form, bool is_big) {
    struct quipu__slice slice = quipu__slice_of(at, size);
    for (; *form && !slice.failed && quipu__slice_left(&slice) > 0; form++) {
        if (*form != 'n' && *form != 'm') {
            take_item(&slice, is_big, *form);
            continue;
        }
        uint64_t count = *form == 'n' ? quipu__take_u8(&slice) : take_number(&slice, is_big, 4);
        const char *first = form + 2;
        for (form = first; *form != ')'; form++)
            ;
        for (; count > 0 && !slice.failed; count--)
            for (const char *item = first; item < form; item++)
                take_item(&slice, is_big, *item);
    }
    return !slice.failed;
}

/* Of a record that the window holds. */
static bool is_formed(const struct scanner *scanner, const uint8_t *at, size_t bytes) {
    const size_t head = at[1] == LONG ? HEAD : 2;
    const char *form = scanner->forms[at[0]];
    if (is_single(scanner, at[0]))
        return at[1] == LONG || at[1] <= (narrow >> at[0] & 1 ? 4 : 8);
    return !form || has_form(at + head, bytes - head, form, scanner->is_big);
}

static void set_forms(struct scanner *scanner, enum quipu__otf2_group group) {
    for (size_t i = 0; i < QUIPU__OTF2_TYPE_COUNT; i++)
        if (quipu__otf2_types[i].group == group)
            scanner->forms[quipu__otf2_types[i].id] = quipu__otf2_types[i].key;
    if (scanner->is_events)
        scanner->forms[ATTRIBUTES] = "m(cv)";
}

/* ---- Records and chunks ---- */

static enum quipu_status end(struct scanner *scanner, const char *fault) {
    scanner->scan->fault = fault;
    return QUIPU_END;
}

static size_t window_left(const struct scanner *scanner) {
    return (size_t)(scanner->input->end - scanner->input->at);
}

/* Skips so many bytes of the file, across windows; QUIPU_END with a fault when there are fewer. */
static enum quipu_status skip(struct scanner *scanner, uint64_t bytes, struct quipu_error *err) {
    while (bytes > window_left(scanner)) {
        bytes -= window_left(scanner);
        scanner->input->at = scanner->input->end;
        const enum quipu_status status = quipu__input_more(scanner->input, 1, err);
        if (status != QUIPU_OK || window_left(scanner) == 0)
            return status != QUIPU_OK ? status : end(scanner, "the file breaks off");
    }
    scanner->input->at += bytes;
    return QUIPU_OK;
}

/* Bytes of a record, its type included, of which the window holds the head; 0 when it has no length that can be right. */
static uint64_t record_bytes(const struct scanner *scanner) {
    const uint8_t *at = scanner->input->at;
    if (scanner->is_events && at[0] == TIME)
        return 1 + 8;
    if (is_single(scanner, at[0]) && at[1] == LONG)
        return 2;
    if (is_single(scanner, at[0]) && at[1] > 8)
        return 0;
    if (at[1] != LONG)
        return 2u + at[1];
    const uint64_t len = scanner->is_big ? quipu__load_be64(at + 2) : quipu__load_le64(at + 2);
    return len <= UINT32_MAX ? HEAD + len : 0;
}

/* One record, time or mark; QUIPU_END at the end of the chunk, with a fault where it is damaged. */
static enum quipu_status scan_record(struct scanner *scanner, struct quipu_error *err) {
    struct quipu__input *input = scanner->input;
    if (quipu__input_offset(input) == scanner->chunk_end)
        return QUIPU_END;
    if (window_left(scanner) < HEAD) {
        const enum quipu_status status = quipu__input_more(input, HEAD, err);
        if (status != QUIPU_OK)
            return status;
        if (window_left(scanner) == 0)
            return end(scanner, "the file breaks off");
    }
    const uint8_t type = input->at[0];
    scanner->is_last = type == CHUNK_ENDS;
    if (type == CHUNK_ENDS)
        input->at++;
    if (type == CHUNK_ENDS || type == PADDING)
        return QUIPU_END;
    if (type < FIRST)
        return end(scanner, "no record");
    if (window_left(scanner) < 2 || (window_left(scanner) < HEAD && input->at[1] == LONG))
        return end(scanner, "the file breaks off");
    const uint64_t bytes = record_bytes(scanner);
    if (bytes == 0 || quipu__input_offset(input) + bytes > scanner->chunk_end)
        return end(scanner, "a record is longer than its chunk");
    enum quipu_status status = quipu__input_more(input, bytes, err);
    if (status != QUIPU_OK)
        return status;
    if (window_left(scanner) < bytes)
        return end(scanner, "the file breaks off");
    if (!(scanner->is_events && type == TIME) && !is_formed(scanner, input->at, bytes))
        return end(scanner, "a record is not what its type asks for");
    status = skip(scanner, bytes, err);
    if (status == QUIPU_OK && !(scanner->is_events && (type == TIME || type == ATTRIBUTES))) {
        scanner->scan->records++;
        scanner->scan->offset = quipu__input_offset(input);
    }
    return status;
}

/* The records of the window that need no closer look, at a quarter of the cost. */
static void scan_window(struct scanner *scanner) {
    struct quipu__input *input = scanner->input;
    const uint64_t offset = quipu__input_offset(input), left = scanner->chunk_end - offset;
    const uint8_t *const end = left < window_left(scanner) ? input->at + left : input->end;
    const uint8_t *at = input->at, *sound = NULL;
    uint64_t records = 0;
    while (end - at >= HEAD) {
        const bool is_time = at[0] == TIME && scanner->is_events;
        const size_t bytes = is_time ? 1 + 8 : 2u + at[1];
        if (at[0] < FIRST || (!is_time && (at[1] == LONG || (size_t)(end - at) < bytes)) ||
            (!is_time && !is_formed(scanner, at, bytes)))
            break;
        at += bytes;
        if (is_time || (at[-(ptrdiff_t)bytes] == ATTRIBUTES && scanner->is_events))
            continue;
        records++;
        sound = at;
    }
    scanner->scan->records += records;
    if (sound)
        scanner->scan->offset = offset + (uint64_t)(sound - input->at);
    input->at = at;
}

/* One chunk. QUIPU_END behind the last one. */
static enum quipu_status scan_chunk(struct scanner *scanner, uint64_t chunk, struct quipu_error *err) {
    struct quipu__input *input = scanner->input;
    scanner->chunk_end = quipu__input_offset(input) + chunk;
    enum quipu_status status = quipu__input_more(input, HEADER, err);
    if (status != QUIPU_OK)
        return status;
    if (window_left(scanner) < HEADER)
        return end(scanner, "the file breaks off");
    if (input->at[0] != CHUNK_BEGINS || (input->at[1] != 'B' && input->at[1] != '#'))
        return end(scanner, "no chunk begins here");
    scanner->is_big = input->at[1] == '#';
    input->at += HEADER;
    do
        scan_window(scanner);
    while ((status = scan_record(scanner, err)) == QUIPU_OK);
    if (status != QUIPU_END || scanner->scan->fault)
        return status;
    status = scanner->is_last ? quipu__input_more(input, 1, err) : QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    if (scanner->is_last && window_left(scanner) == 0)
        return end(scanner, "the file breaks off");
    if (scanner->is_last)
        return end(scanner, input->at[0] == FILE_ENDS ? NULL : "the mark of the end is missing");
    return skip(scanner, scanner->chunk_end - quipu__input_offset(input), err);
}

/* ---- The anchor file ---- */

/* Behind a text that ends in a zero; NULL where there is none. */
static const uint8_t *behind_text(const uint8_t *at, const uint8_t *end) {
    const uint8_t *zero = at ? memchr(at, 0, (size_t)(end - at)) : NULL;
    return zero ? zero + 1 : NULL;
}

bool quipu__otf2_anchor_is_sound(const uint8_t *bytes, size_t size) {
    enum { FIXED = QUIPU__OTF2_ANCHOR_FIXED, TEXTS = 3, TAIL = QUIPU__OTF2_ANCHOR_TAIL };
    const uint8_t *at = size > FIXED ? bytes + FIXED : NULL, *const end = bytes + size;
    for (int i = 0; i < TEXTS; i++)
        at = behind_text(at, end);
    if (!at || end - at < 4 + TAIL)
        return false;
    const bool is_big = bytes[1] == '#';
    const uint32_t properties = is_big ? quipu__load_be32(at) : quipu__load_le32(at);
    at += 4;
    for (uint32_t i = 0; at && i < properties && i < size; i++) /* key and value */
        at = behind_text(behind_text(at, end), end);
    return at && properties < size && end - at == TAIL && memcmp(end - 3, "\2\1", 3) == 0;
}

/* ---- Files ---- */

enum quipu_status quipu__otf2_scan(struct quipu__files *files, const char *path, enum quipu__otf2_group group,
                                   uint64_t chunk, struct quipu__otf2_scan *out, struct quipu_error *err) {
    enum { WINDOW = 1 << 18 };
    struct scanner scanner = {.scan = out, .is_events = group == QUIPU__OTF2_GROUP_EVENT};
    *out = (struct quipu__otf2_scan){0};
    set_forms(&scanner, group);
    enum quipu_status status = quipu__input_open(files, path, QUIPU__CODEC_NONE, WINDOW, &scanner.input, err);
    if (status != QUIPU_OK)
        return status;
    while ((status = scan_chunk(&scanner, chunk, err)) == QUIPU_OK)
        ;
    out->size = scanner.input->size;
    quipu__input_close(scanner.input);
    return status == QUIPU_END ? QUIPU_OK : status;
}
