/* footer_index.c: the index record at the end of a file, in all its forms.
 *
 *     8 words   magic, sizes, addresses, counters, header, body, footer, keyvals    since May 2010
 *     7 words   magic,        addresses, counters, header, body, footer, keyvals
 *     6 words   magic,                   counters, header, body, footer, keyvals
 *     5 words   magic,                             header, body, footer, keyvals
 *
 * The last four words never change; older forms lack words at the front. */
#include "formats/dumpi/format.h"

#define SECTION(name)                                                                                          \
    { QUIPU__DUMPI_TYPE_##name, offsetof(struct quipu__dumpi_index, name) }
#define BODY                                                                                                   \
    { QUIPU__DUMPI_TYPE_begin, offsetof(struct quipu__dumpi_index, body) }

const struct quipu__dumpi_section quipu__dumpi_sections[QUIPU__DUMPI_SECTION_COUNT] = {
    SECTION(sizes), SECTION(addresses), SECTION(counters), SECTION(header),
    BODY,           SECTION(footer),    SECTION(keyvals),
};

/* tail is the end of a file. When the newest form is cut it looks like an older one, but then another offset is in
 * place of the stream's. */
bool quipu__dumpi_index_decode(const uint8_t *tail, size_t size, struct quipu__dumpi_index *out) {
    for (uint32_t words = QUIPU__DUMPI_INDEX_WORDS; words >= QUIPU__DUMPI_INDEX_WORDS_LEAST; words--) {
        const size_t bytes = (size_t)words * 8;
        if (size < bytes || quipu__load_be64(tail + size - bytes) != QUIPU__DUMPI_MAGIC)
            continue;
        const uint8_t *at = tail + size - bytes + 8;
        *out = (struct quipu__dumpi_index){.words = words, .magic = QUIPU__DUMPI_MAGIC};
        for (size_t i = QUIPU__DUMPI_INDEX_WORDS - words; i < QUIPU__DUMPI_SECTION_COUNT; i++, at += 8)
            quipu__dumpi_set_word(out, i, quipu__load_be64(at));
        if (words == QUIPU__DUMPI_INDEX_WORDS || out->body == QUIPU__DUMPI_BODY)
            return true;
    }
    *out = (struct quipu__dumpi_index){.words = 0};
    return false;
}

void quipu__dumpi_index_encode(const struct quipu__dumpi_index *index, struct quipu__buffer *out) {
    const uint32_t least = QUIPU__DUMPI_INDEX_WORDS_LEAST, most = QUIPU__DUMPI_INDEX_WORDS;
    const uint32_t words = index->words < least || index->words > most ? most : index->words;
    quipu__put_be64(out, QUIPU__DUMPI_MAGIC);
    for (size_t i = most - words; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        quipu__put_be64(out, quipu__dumpi_word(index, i));
}
