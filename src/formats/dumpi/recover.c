/* recover.c: where the sections are in a file that has lost its index.
 *
 * Only the recorder's order is recognised: the end mark, a header, and a footer, which has a magic number; then
 * sections follow as long as they can be decoded. A file that is truncated before its end mark has no sections. */
#include "formats/dumpi/format.h"

#include "core/error.h"

#include <string.h>

/* Sections lie within this many bytes of the end of a file, unless it names very many functions. */
#define TAIL_BYTES ((uint64_t)1 << 20)
#define OLD_HEADER_VERSION QUIPU__DUMPI_VERSION(0, 5, 0) /* earlier headers have another form */

static bool is_printable(const char *text) {
    for (uint32_t i = 0; i < quipu_sized_count(text); i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}

bool quipu__dumpi_is_header(const struct quipu__dumpi_header *header) {
    return QUIPU__DUMPI_VERSION(header->version, header->subversion, header->subsubversion) <
               QUIPU__DUMPI_UNBELIEVABLE &&
           is_printable(header->hostname) && is_printable(header->username);
}

/* The tail of a file while sections are looked for. */
struct tail {
    const uint8_t *at, *end;
    uint64_t end_offset;
    struct quipu__dumpi_decoder decoder;
    const struct quipu__binary_codec *newest, *oldest;
};

static const uint8_t *decode(struct tail *tail, uint32_t type, const uint8_t *at) {
    const uint8_t *next = NULL;
    return quipu__dumpi_decode_section(&tail->decoder, type, at, tail->end, &next) == QUIPU__DUMPI_OK ? next
                                                                                                      : NULL;
}

/* Whether a footer, or a truncated one, begins here. */
static bool is_footer(const struct tail *tail, const uint8_t *at) {
    const uint64_t magic = QUIPU__DUMPI_FOOTER_MAGIC;
    const size_t left = (size_t)(tail->end - at);
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(magic >> (56 - 8 * i));
    return memcmp(at, bytes, left < sizeof bytes ? left : sizeof bytes) == 0;
}

/* The byte after a header that begins here; NULL when none does. */
static const uint8_t *take_header(struct tail *tail, const uint8_t *at) {
    if (tail->end - at < 3 || QUIPU__DUMPI_VERSION(at[0], at[1], at[2]) >= QUIPU__DUMPI_UNBELIEVABLE)
        return NULL;
    tail->decoder.engine.codec =
        QUIPU__DUMPI_VERSION(at[0], at[1], at[2]) < OLD_HEADER_VERSION ? tail->oldest : tail->newest;
    const uint8_t *next = decode(tail, QUIPU__DUMPI_TYPE_header, at);
    return next && quipu__dumpi_is_header(&tail->decoder.data.header) && is_footer(tail, next) ? next : NULL;
}

static const uint8_t *find_header(struct tail *tail, const uint8_t **next) {
    for (const uint8_t *at = tail->at; tail->end - at > 2; at++) {
        at = memchr(at, QUIPU__DUMPI_END >> 8, (size_t)(tail->end - at) - 2);
        if (!at)
            return NULL;
        const uint16_t mark = quipu__load_be16(at);
        *next = mark == QUIPU__DUMPI_END || mark == QUIPU__DUMPI_OLD_END ? take_header(tail, at + 2) : NULL;
        if (*next)
            return at + 2;
    }
    return NULL;
}

static void set_offset(const struct tail *tail, struct quipu__dumpi_index *index, uint32_t type,
                       const uint8_t *at) {
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        if (quipu__dumpi_sections[i].type == type)
            quipu__dumpi_set_word(index, i, tail->end_offset - (uint64_t)(tail->end - at));
}

static void find_all(struct tail *tail, struct quipu__dumpi_index *index) {
    static const uint32_t order[] = {QUIPU__DUMPI_TYPE_footer, QUIPU__DUMPI_TYPE_keyvals,
                                     QUIPU__DUMPI_TYPE_counters, QUIPU__DUMPI_TYPE_sizes,
                                     QUIPU__DUMPI_TYPE_addresses};
    const uint8_t *at;
    const uint8_t *header = find_header(tail, &at);
    if (!header)
        return;
    set_offset(tail, index, QUIPU__DUMPI_TYPE_header, header);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const uint8_t *next = decode(tail, order[i], at);
        if (!next)
            return;
        set_offset(tail, index, order[i], at);
        at = next;
    }
}

enum quipu_status quipu__dumpi_find_sections(struct quipu__dumpi_trace *own, struct quipu__input *input,
                                             struct quipu__dumpi_file *file, struct quipu_error *err) {
    struct tail tail;
    const uint64_t begin = QUIPU__DUMPI_BODY + QUIPU__DUMPI_BEGIN_BYTES;
    const uint64_t after = file->size > begin ? file->size - begin : 0;
    const uint64_t bytes = after < TAIL_BYTES ? after : TAIL_BYTES;
    enum quipu_status status = quipu__dumpi_codecs_get(&own->codecs, QUIPU__DUMPI_NEWEST, &tail.newest, err);
    if (status == QUIPU_OK)
        status = quipu__dumpi_codecs_get(&own->codecs, QUIPU__DUMPI_VERSION(0, 0, 1), &tail.oldest, err);
    if (status == QUIPU_OK)
        status = quipu__input_seek(input, file->size - bytes, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, (size_t)bytes, err);
    if (status != QUIPU_OK)
        return status;
    tail.at = input->at;
    tail.end = input->end;
    tail.end_offset = input->end_offset;
    quipu__dumpi_decoder_init(&tail.decoder, own->memory, tail.newest);
    find_all(&tail, &file->index);
    quipu__dumpi_decoder_release(&tail.decoder);
    return QUIPU_OK;
}
