/* search.c: reading only what a time window needs.
 *
 * Files with state lines should be sorted by time. The search reads a file through its own small window: first at evenly
 * spread places, then by bisection. What it looks for are pairs of a time line and a process line, nothing but digits in
 * both: there reading can start. It starts at a pair before the first record of the window, so records of equal times, and
 * key-values, are never cut apart.
 *
 * Correctness comes before speed. Everything is read when the file is small or packed, when times at the places looked at are
 * not in order, and, up to the end of the window, when whole operations are met and events are wanted: those announce events
 * for later. Nothing is remembered from one pass to the next, so a pass that is repeated does the same again.
 */
#include "formats/otf/format.h"

#include "core/error.h"

/* Smaller files are simply read. */
#define SEARCHED_LEAST ((uint64_t)64 << 10)

#define LOOK_WINDOW ((size_t)4 << 10)
#define LOOK_EVERY ((uint64_t)256 << 10) /* one place per so many bytes at first, but */
#define LOOKS_LEAST 4                    /* as many */
#define LOOKS_MOST 64                    /* and no more */
#define NEAR ((uint64_t)8 << 10)         /* bisection ends when the place is known this exactly */

/* The same for compressed files, in which the next flush point may be far. */
#define COMPRESSED_EVERY ((uint64_t)4 << 20)

/* The end of a flush point: 00 00 ff ff. */
#define MARKER_BYTES 4

/* The longest pair of state lines, with room to notice a longer number. */
#define PAIR_MOST (17 + 10 + 2)

struct search {
    const struct quipu__keyed_scanner *scanner;
    struct quipu__input *input;
    uint64_t size;
    uint64_t bytes; /* read from the disk */
    bool is_compressed;
    bool minds_operations; /* records need not be announced */
    bool is_unsorted, has_whole_operations;
};

/* ---- Looking at a place ---- */

/* Digits and the newline after them. */
static bool take_number_line(const uint8_t **at, const uint8_t *end, unsigned most, uint64_t *out) {
    const uint8_t *p = *at;
    uint64_t value = 0;
    for (; p < end && p - *at <= (ptrdiff_t)most; p++) {
        const bool is_letter = *p >= 'a' && *p <= 'f';
        if (!is_letter && (*p < '0' || *p > '9'))
            break;
        value = value << 4 | (uint64_t)(is_letter ? *p - 'a' + 10 : *p - '0');
    }
    if (p == end || *p != '\n' || p == *at || p - *at > (ptrdiff_t)most)
        return false;
    *at = p + 1;
    *out = value;
    return true;
}

static bool take_pair(const uint8_t *at, const uint8_t *end, uint64_t *time) {
    uint64_t process;
    if (!take_number_line(&at, end, 16, time) || at == end || *at != QUIPU__OTF_PROCESS_MARK)
        return false;
    at++;
    return take_number_line(&at, end, 8, &process) && *time != QUIPU__KEYED_NO_TIME &&
           process != QUIPU__KEYED_NO_PROCESS;
}

/* A record that announces its end for later. */
static bool is_whole_operation(const struct quipu__keyed_scanner *scanner, const uint8_t *at,
                               const uint8_t *end) {
    uint8_t text[8] = {0};
    unsigned len;
    memcpy(text, at, end - at < 8 ? (size_t)(end - at) : sizeof text);
    const uint64_t word = quipu__keyed_word(text, &len);
    const struct quipu__keyed_slot *slot = word ? quipu__keyed_find(scanner, word) : NULL;
    return slot &&
           (slot->form->type == QUIPU__OTF_CollectiveOperation || slot->form->type == QUIPU__OTF_FileOperation);
}

/* Examines the current line. last is the time of the previous pair. */
static void look_at_line(struct search *search, struct quipu__otf_start *start, uint64_t *last) {
    const struct quipu__input *input = search->input;
    uint64_t time;
    search->has_whole_operations |=
        search->minds_operations && is_whole_operation(search->scanner, input->at, input->end);
    if (!take_pair(input->at, input->end, &time))
        return;
    if (!start->found) {
        start->found = true;
        start->time = time;
        start->skip = quipu__input_offset(input) - start->offset;
    } else
        search->is_unsorted |= time < *last;
    *last = time;
}

/* Examines lines until there is a pair, the part up to limit ends or, after the pair, the window ends. */
static enum quipu_status look_at_lines(struct search *search, bool is_line, uint64_t limit,
                                       struct quipu__otf_start *start) {
    struct quipu__input *input = search->input;
    uint64_t last = 0;
    for (;;) {
        if (input->end - input->at < PAIR_MOST && !input->ended) {
            if (start->found || quipu__input_consumed(input) >= limit)
                return QUIPU_OK;
            const enum quipu_status status = quipu__input_more(input, PAIR_MOST, NULL);
            if (status != QUIPU_OK)
                return status;
            continue;
        }
        if (input->at == input->end)
            return QUIPU_OK;
        if (is_line)
            look_at_line(search, start, &last);
        const uint8_t *newline = memchr(input->at, '\n', (size_t)(input->end - input->at));
        is_line = newline != NULL;
        input->at = newline ? newline + 1 : input->end;
    }
}

/* Finds the first pair after an offset on disk and before limit. */
static enum quipu_status look(struct search *search, uint64_t offset, uint64_t limit,
                              struct quipu__otf_start *start) {
    struct quipu__input *input = search->input;
    const bool resumes = search->is_compressed && offset > 0;
    *start = (struct quipu__otf_start){.found = false};
    enum quipu_status status =
        resumes ? quipu__input_resume(input, offset, limit, NULL) : quipu__input_seek(input, offset, NULL);
    start->offset = quipu__input_offset(input);
    if (status == QUIPU_OK)
        status = look_at_lines(search, offset == 0, limit, start);
    const uint64_t end = search->is_compressed ? quipu__input_consumed(input) : input->end_offset;
    search->bytes += end > offset ? end - offset : 0;
    if (!search->is_compressed) {
        start->offset += start->skip;
        start->skip = 0;
    }
    start->found &= start->offset < limit;
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* Goes to where reading can start. */
static enum quipu_status go_to_start(struct quipu__input *input, const struct search *search,
                                     const struct quipu__otf_start *start, struct quipu_error *err) {
    enum quipu_status status =
        search->is_compressed && start->offset > 0
            ? quipu__input_resume(input, start->offset - MARKER_BYTES, start->offset, err)
            : quipu__input_seek(input, start->offset, err);
    for (uint64_t left = start->skip; status == QUIPU_OK && left > 0;) {
        const size_t there = (size_t)(input->end - input->at), size = left < there ? (size_t)left : there;
        input->at += size;
        left -= size;
        if (left > 0)
            status = input->ended ? QUIPU_END : quipu__input_more(input, 1, err);
    }
    return status;
}

/* ---- Searching ---- */

/* What is known: a pair before from, and an offset after which no pair is before from. */
struct bounds {
    struct quipu__otf_start lower;
    uint64_t upper, upper_time;
};

static void narrow(struct search *search, struct bounds *bounds, uint64_t from, uint64_t offset,
                   const struct quipu__otf_start *start) {
    if (bounds->lower.found && start->time < bounds->lower.time)
        search->is_unsorted = true;
    if (start->time < from)
        bounds->lower = *start;
    else {
        bounds->upper = offset;
        bounds->upper_time = start->time;
    }
}

static uint64_t look_count(const struct search *search) {
    const uint64_t wanted = search->size / (search->is_compressed ? COMPRESSED_EVERY : LOOK_EVERY);
    if (wanted < LOOKS_LEAST)
        return LOOKS_LEAST;
    return wanted > LOOKS_MOST ? LOOKS_MOST : wanted;
}

/* Examines places all over the file; the last is near its end. */
static enum quipu_status look_around(struct search *search, uint64_t from, struct bounds *bounds) {
    const uint64_t count = look_count(search);
    enum quipu_status status = QUIPU_OK;
    uint64_t last = 0;
    for (uint64_t i = 0; i <= count && status == QUIPU_OK && !search->is_unsorted; i++) {
        const uint64_t offset = i < count ? search->size / count * i : search->size - LOOK_WINDOW;
        struct quipu__otf_start start;
        status = look(search, offset, i < count ? search->size / count * (i + 1) : search->size, &start);
        if (!start.found)
            continue;
        search->is_unsorted |= start.time < last;
        last = start.time;
        if (start.time < from || bounds->upper == search->size)
            narrow(search, bounds, from, offset, &start);
    }
    return status;
}

static enum quipu_status halve(struct search *search, uint64_t from, struct bounds *bounds) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && !search->is_unsorted && bounds->lower.offset + NEAR < bounds->upper) {
        const uint64_t middle = bounds->lower.offset + (bounds->upper - bounds->lower.offset) / 2;
        struct quipu__otf_start start;
        status = look(search, middle, bounds->upper, &start);
        if (!start.found) {
            bounds->upper = middle;
            continue;
        }
        search->is_unsorted |= start.time > bounds->upper_time;
        narrow(search, bounds, from, middle, &start);
    }
    return status;
}

static enum quipu_status open_search(const struct quipu__otf_pass *pass, struct search *search) {
    const enum quipu__codec codec = pass->stream_file->compressed ? QUIPU__CODEC_ZLIB : QUIPU__CODEC_SEEK;
    const enum quipu_status status =
        quipu__input_open(pass->own->trace->files, pass->path, codec, LOOK_WINDOW, &search->input, NULL);
    search->is_compressed = pass->stream_file->compressed;
    search->size = status == QUIPU_OK ? search->input->size : 0;
    return status;
}

/* Whether searching may save anything. */
static bool wants_search(const struct quipu__otf_pass *pass) {
    const struct quipu__filter *filter = pass->pass.filter;
    const bool has_window = filter && (filter->from > 0 || filter->to < INT64_MAX);
    const uint64_t size = pass->input->size;
    return has_window && quipu__otf_has_state_lines(pass->stream_file->file) && !pass->stream_file->packed &&
           size != QUIPU_UNKNOWN && size >= SEARCHED_LEAST;
}

enum quipu_status quipu__otf_search(struct quipu__otf_pass *pass, struct quipu_error *err) {
    if (!wants_search(pass))
        return QUIPU_OK;
    struct search search = {.scanner = pass->lines.scanner,
                            .minds_operations = pass->pass.substream != QUIPU__RECORDS};
    const int64_t wanted = pass->pass.filter->from;
    const uint64_t from = wanted > 0 ? (uint64_t)wanted : 0;
    enum quipu_status status = open_search(pass, &search);
    struct bounds bounds = {.upper = search.size, .upper_time = UINT64_MAX};
    if (status == QUIPU_OK)
        status = look_around(&search, from, &bounds);
    if (status == QUIPU_OK && bounds.lower.found && !search.has_whole_operations)
        status = halve(&search, from, &bounds);
    quipu__input_close(search.input);
    pass->searched = search.bytes;
    if (status != QUIPU_OK || search.is_unsorted)
        return QUIPU_OK; /* then everything is read, which reports the problem */
    pass->ends_early = true;
    if (!bounds.lower.found || bounds.lower.offset == 0 || search.has_whole_operations)
        return QUIPU_OK;
    pass->start = pass->looked_back = bounds.lower.offset;
    pass->start_time = bounds.lower.time;
    return go_to_start(pass->input, &search, &bounds.lower, err);
}

/* ---- Starts of other passes ---- */

enum quipu_status quipu__otf_find_start(struct quipu__otf_pass *pass, uint64_t offset, uint64_t limit,
                                        struct quipu__otf_start *out) {
    struct search search = {.scanner = pass->lines.scanner};
    *out = (struct quipu__otf_start){.found = offset == 0};
    if (offset == 0)
        return QUIPU_OK;
    enum quipu_status status = open_search(pass, &search);
    if (status == QUIPU_OK)
        status = look(&search, offset, limit, out);
    quipu__input_close(search.input);
    pass->searched += search.bytes;
    return status;
}

enum quipu_status quipu__otf_start_at(struct quipu__otf_pass *pass, const struct quipu__otf_start *start,
                                      struct quipu_error *err) {
    const struct search search = {.is_compressed = pass->stream_file->compressed};
    pass->start = start->offset;
    return go_to_start(pass->input, &search, start, err);
}
