/* plain.c: state lines and records of numbers, spelled as a writer spells them.
 *
 * These are nearly all lines of the files of events, snapshots and statistics. A record's fields follow the table as in
 * decode.c, but each is tried in one spelling only: its keyword, in the long form between blanks, and a number, which is
 * read by the word (hex.h). Whatever is not exactly so is left to decode.c from the beginning of its line: texts, lists,
 * older spellings, more blanks, keywords that were not met before, all that is damaged, and the end of the window.
 */
#include "formats/otf/keyword.h"

/* The longest line: a keyword, nine numbers of 16 digits with theirs, and what reading a number looks at. */
#define LINE_MOST (24 + 9 * (16 + 24) + QUIPU__OTF_HEX_BYTES)

/* Returns the place behind the keyword of a field, NULL when it is not there. */
QUIPU__INLINE const uint8_t *skip_key(const uint8_t *p, const struct quipu_field *field) {
    const bool long_form = *p == ' ';
    const char *key = long_form ? field->key_long : field->key;
    p += long_form;
    if (*key == '\0')
        return p;
    for (; *key; key++, p++)
        if (*p != (uint8_t)*key)
            return NULL;
    if (!long_form)
        return p;
    return *p == ' ' ? p + 1 : NULL;
}

/* Returns the place behind a field, NULL when it is not plain. At the end of the line a number without digits is 0, and so
 * is a part that may be absent. */
QUIPU__INLINE const uint8_t *take_field(const uint8_t *p, const struct quipu_field *field, void *data) {
    uint64_t value = 0;
    if (*p != '\n' || field->wire == QUIPU__OTF_ALWAYS) {
        p = skip_key(p, field);
        if (!p)
            return NULL;
        const unsigned len = quipu__otf_read_hex_until(p, true, &value);
        if (QUIPU__UNLIKELY(!len && *p != '\n'))
            return NULL;
        p += len;
    }
    if (field->storage == QUIPU_STORE_U32)
        *(uint32_t *)quipu__member(field, data) = (uint32_t)value;
    else
        *(uint64_t *)quipu__member(field, data) = value;
    return p;
}

/* Returns the place behind a record's line, whose fields begin at p; NULL when it is not plain. */
QUIPU__INLINE const uint8_t *take_record(const uint8_t *p, const struct quipu__otf_form *form, void *data) {
    for (const struct quipu_field *field = form->fields; field < form->fields + form->field_count; field++) {
        p = take_field(p, field, data);
        if (!p)
            return NULL;
    }
    return *p == '\n' ? p + 1 : NULL;
}

/* Takes a time line; NULL when it is none, or says that there is none. */
QUIPU__INLINE const uint8_t *take_time(const uint8_t *p, struct quipu__otf_state *state) {
    uint64_t time;
    const unsigned len = quipu__otf_read_hex(p, &time);
    if (!len || p[len] != '\n' || time == QUIPU__OTF_NO_TIME)
        return NULL;
    state->time = time;
    return p + len + 1;
}

/* The same for a process line. Most repeat the one before. */
QUIPU__INLINE const uint8_t *take_process(const uint8_t *p, struct quipu__otf_lines *lines) {
    struct quipu__otf_star *star = &lines->memo->star;
    const uint64_t text = quipu__load_le64(p);
    if (QUIPU__LIKELY((text ^ star->text) << star->shift == 0)) {
        lines->state.process = star->process;
        return p + 8 - star->shift / 8;
    }
    uint64_t process;
    const unsigned len = quipu__otf_read_hex(p + 1, &process);
    if (!len || p[len + 1] != '\n' || process >= QUIPU__OTF_NO_PROCESS)
        return NULL;
    lines->state.process = (uint32_t)process;
    if (len <= 6)
        *star = (struct quipu__otf_star){text, 64 - 8 * (len + 2), (uint32_t)process};
    return p + len + 2;
}

/* Goes on to the next line that begins with a capital, or is not plain. */
QUIPU__INLINE const uint8_t *take_states(struct quipu__otf_lines *lines, uint64_t *count) {
    const uint8_t *p = lines->at;
    while (p && lines->end - p >= LINE_MOST && !(*p >= 'A' && *p <= 'Z')) {
        lines->at = p;
        p = *p == '*' ? take_process(p, lines) : take_time(p, &lines->state);
        *count += p != NULL;
    }
    lines->at = p ? p : lines->at;
    return p && lines->end - p >= LINE_MOST ? p : NULL;
}

const struct quipu__otf_form *quipu__otf_take_plain(struct quipu__otf_lines *lines, void *data,
                                                    const uint8_t **first, uint64_t *count) {
    unsigned len;
    *first = lines->memo ? take_states(lines, count) : NULL;
    const uint64_t keyword = *first ? quipu__otf_keyword_at(*first, &len) : 0;
    const struct quipu__otf_known *known = keyword ? quipu__otf_known_of(lines->memo, keyword) : NULL;
    const uint8_t *behind = known && known->is_plain ? take_record(*first + len, known->form, data) : NULL;
    if (!behind)
        return NULL;
    lines->at = behind;
    ++*count;
    return known->form;
}
