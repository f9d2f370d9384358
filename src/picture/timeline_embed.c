/* timeline_embed.c: see timeline_embed.h. The section holds questions of the page with their answers; the page asks the section in member of a server.
 *
 *     {"answers": {QUESTION: ANSWER ...}, "level": the finest, "windows": [{"from", "to", "title", "calls": QUESTION, "messages": QUESTION ...}]}
 */
#include "picture/timeline_embed.h"

#include "core/bounded.h"
#include "core/error.h"
#include "picture/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EMBEDDED_ROWS = 32,  /* of a question */
    EMBEDDED_MOST = 64,  /* rows of each kind */
    EMBEDDED_LEVEL = 1,  /* the finest */
    EMBEDDED_BINS = 200, /* of a tile */
    LONGEST_WAITS = 3    /* that have windows */
};

struct section {
    struct quipu_view *view;
    struct quipu__buffer out;
    bool has_answers;
    struct quipu__picture_window waits[LONGEST_WAITS];
    char titles[LONGEST_WAITS][96];
    size_t wait_count;
};

/* "</script>" must not come in a script, and names may hold it. */
static enum quipu_status put_escaped(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct quipu__buffer *out = context;
    const char *text = data;
    for (size_t i = 0, begin = 0; i <= size; i++) {
        if (i < size && text[i] != '<')
            continue;
        quipu__put(out, text + begin, i - begin);
        if (i < size)
            quipu__put_text(out, "\\u003c");
        begin = i + 1;
    }
    return out->failed ? quipu__no_memory(err, size) : QUIPU_OK;
}

/* An answer, unless the trace has none or it is too large for what is left of the room. */
static enum quipu_status put_answer(struct section *section, const char *question, struct quipu_error *err) {
    const size_t before = section->out.len;
    quipu__put_text(&section->out, section->has_answers ? ",\n" : "\n");
    quipu__put_json(&section->out, question, strlen(question));
    quipu__put_text(&section->out, ": ");
    const enum quipu_status status =
        quipu_view_answer(section->view, question, (struct quipu_sink){put_escaped, &section->out}, err);
    if (status == QUIPU_OK && section->out.len <= QUIPU__PICTURE_TIMELINE_BYTES) {
        section->has_answers = true;
        return QUIPU_OK;
    }
    section->out.len = before;
    if (status != QUIPU_UNSUPPORTED && status != QUIPU_NOT_FOUND)
        return status;
    quipu_error_clear(err);
    return QUIPU_OK;
}

/* ---- Rows ---- */

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The first rows of a kind, ascending. */
static uint32_t first_rows(const struct quipu_view *view, enum quipu__view_by by, uint32_t *rows) {
    uint32_t count = 0;
    for (size_t i = 0; i < view->members.count && count < EMBEDDED_MOST; i++) {
        const uint32_t row = quipu__view_row_of(view, by, &view->members.items[i]);
        uint32_t known = 0;
        while (known < count && rows[known] != row)
            known++;
        rows[known] = row;
        count += known == count;
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, ascending);
    return count;
}

/* As the page writes them: 0-3,7. */
static void put_ranges(struct quipu__buffer *text, const uint32_t *rows, uint32_t count) {
    for (uint32_t i = 0, end; i < count; i = end + 1) {
        for (end = i; end + 1 < count && rows[end + 1] == rows[end] + 1;)
            end++;
        quipu__put_format(text, "%s%" PRIu32, i > 0 ? "," : "", rows[i]);
        if (end > i)
            quipu__put_format(text, "-%" PRIu32, rows[end]);
    }
}

/* ---- Tiles ---- */

static enum quipu_status put_tiles_of(struct section *section, enum quipu__view_by by, uint32_t level,
                                      uint32_t index, struct quipu_error *err) {
    uint32_t rows[EMBEDDED_MOST];
    const uint32_t count = first_rows(section->view, by, rows);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t first = 0; first < count && status == QUIPU_OK; first += EMBEDDED_ROWS) {
        struct quipu__buffer question;
        quipu__buffer_init(&question, &section->view->memory, 0);
        quipu__put_format(&question,
                          "tile?by=%s&level=%" PRIu32 "&index=%" PRIu32 "&rows=", quipu__view_by_names[by],
                          level, index);
        put_ranges(&question, rows + first, count - first < EMBEDDED_ROWS ? count - first : EMBEDDED_ROWS);
        quipu__put_u8(&question, '\0');
        status = question.failed ? quipu__no_memory(err, question.len)
                                 : put_answer(section, (const char *)question.data, err);
        quipu__buffer_release(&question);
    }
    return status;
}

static enum quipu_status put_tiles(struct section *section, uint32_t level, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (enum quipu__view_by by = 0; by < QUIPU__VIEW_BYS; by++) {
        const uint32_t bins = quipu__view_level_bins(section->view, by, level);
        for (uint32_t index = 0; index * EMBEDDED_BINS < bins && status == QUIPU_OK; index++)
            status = put_tiles_of(section, by, level, index, err);
    }
    return status;
}

/* ---- Rows of the page ---- */

static enum quipu_status put_rows_of(struct section *section, const char *of, struct quipu_error *err) {
    char question[96];
    snprintf(question, sizeof question, "rows?of=%s&first=0&count=1000", of);
    return put_answer(section, question, err);
}

static enum quipu_status put_rows(struct section *section, struct quipu_error *err) {
    const struct quipu_view *view = section->view;
    enum quipu_status status = put_rows_of(section, "", err);
    uint32_t rows[EMBEDDED_MOST];
    for (enum quipu__view_by by = QUIPU__VIEW_PROCESSES; by <= QUIPU__VIEW_HOSTS; by++) {
        const uint32_t count = first_rows(view, by, rows);
        for (uint32_t i = 0; i < count && status == QUIPU_OK; i++) {
            char of[48];
            snprintf(of, sizeof of, "%s%%3A%" PRIu32, quipu__view_by_names[by], rows[i]);
            status = put_rows_of(section, of, err);
        }
    }
    return status;
}

/* ---- Windows ---- */

static const char *const window_questions[] = {"calls", "messages", "waits", "path"};
enum { WINDOW_QUESTIONS = sizeof window_questions / sizeof *window_questions };

static void window_question(const struct section *section, const struct quipu__picture_window *window,
                            size_t number, struct quipu__buffer *question) {
    uint32_t rows[EMBEDDED_MOST];
    const uint32_t count = first_rows(section->view, QUIPU__VIEW_LOCATIONS, rows);
    quipu__put_format(question, "%s?from=%" PRId64 "&to=%" PRId64 "&rows=", window_questions[number],
                      window->from, window->to);
    put_ranges(question, rows, count);
    quipu__put_u8(question, '\0');
}

static enum quipu_status put_window_answers(struct section *section, const struct quipu__picture_window *window,
                                            struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < WINDOW_QUESTIONS && status == QUIPU_OK; i++) {
        struct quipu__buffer question;
        quipu__buffer_init(&question, &section->view->memory, 0);
        window_question(section, window, i, &question);
        status = question.failed ? quipu__no_memory(err, question.len)
                                 : put_answer(section, (const char *)question.data, err);
        quipu__buffer_release(&question);
    }
    return status;
}

static void put_title(struct section *section, const char *title) {
    struct quipu__buffer text;
    quipu__buffer_init(&text, &section->view->memory, 0);
    quipu__put_json(&text, title, strlen(title));
    quipu__gate_knows(!text.failed && put_escaped(&section->out, text.data, text.len, NULL) == QUIPU_OK);
    quipu__buffer_release(&text);
}

static void put_window(struct section *section, const struct quipu__picture_window *window) {
    struct quipu__buffer *out = &section->out;
    quipu__put_format(out, "{\"from\": %" PRId64 ", \"to\": %" PRId64 ", \"title\": ", window->from,
                      window->to);
    put_title(section, window->title);
    for (size_t i = 0; i < WINDOW_QUESTIONS; i++) {
        struct quipu__buffer question;
        quipu__buffer_init(&question, &section->view->memory, 0);
        window_question(section, window, i, &question);
        quipu__put_format(out, ", \"%s\": \"%s\"", window_questions[i],
                          question.failed ? "" : (const char *)question.data);
        quipu__buffer_release(&question);
    }
    quipu__put_text(out, "}");
}

static enum quipu_status put_windows_answers(struct section *section,
                                             const struct quipu__picture_window *windows, size_t count,
                                             struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_window_answers(section, &windows[i], err);
    return status;
}

static void put_windows(struct section *section, const struct quipu__picture_window *windows, size_t count,
                        bool has_others) {
    for (size_t i = 0; i < count; i++) {
        quipu__put_text(&section->out, i > 0 || has_others ? ",\n" : "\n");
        put_window(section, &windows[i]);
    }
}

/* ---- The longest waits ---- */

static enum quipu_status leave_out(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)context, (void)data, (void)size, (void)err;
    return QUIPU_OK;
}

/* Whether a wait lies in a window that another one has. */
static bool is_seen(const struct section *section, const struct quipu__view_stretch *wait) {
    for (size_t i = 0; i < section->wait_count; i++)
        if (wait->from - section->view->begin < section->waits[i].to &&
            wait->to - section->view->begin > section->waits[i].from)
            return true;
    return false;
}

static const struct quipu__view_stretch *next_longest(const struct section *section,
                                                      const struct quipu__view_layer *layer) {
    const struct quipu__view_stretch *longest = NULL;
    for (size_t i = 0; i < layer->stretches.count; i++) {
        const struct quipu__view_stretch *wait = &layer->stretches.items[i];
        if ((!longest || wait->to - wait->from > longest->to - longest->from) && !is_seen(section, wait))
            longest = wait;
    }
    return longest;
}

/* A wait, and half as much before and behind it. */
static void add_wait(struct section *section, const struct quipu__view_layer *layer,
                     const struct quipu__view_stretch *wait) {
    const struct quipu_view *view = section->view;
    const size_t number = section->wait_count++;
    const int64_t length = wait->to - wait->from, margin = length / 2 + 1;
    const int64_t from = wait->from - view->begin - margin,
                  to = quipu__bounded_sum(wait->to - view->begin, margin);
    char amount[QUIPU__AMOUNT_BYTES];
    snprintf(section->titles[number], sizeof section->titles[number], "wait of %s%s%.30s",
             quipu__amount_text((double)length, "ns", amount), wait->why == QUIPU_NONE ? "" : ", ",
             wait->why == QUIPU_NONE ? "" : layer->labels.items[wait->why]);
    section->waits[number] = (struct quipu__picture_window){from > 0 ? from : 0, to, section->titles[number]};
}

static enum quipu_status find_waits(struct section *section, struct quipu_error *err) {
    const struct quipu__view_layer *layer = &section->view->layers[QUIPU__VIEW_WAITS];
    const struct quipu__view_stretch *wait;
    const enum quipu_status status =
        quipu_view_answer(section->view, "waits?rows=0", (struct quipu_sink){leave_out, NULL}, err);
    if (status == QUIPU_UNSUPPORTED || status == QUIPU_NOT_FOUND) {
        quipu_error_clear(err);
        return QUIPU_OK;
    }
    while (status == QUIPU_OK && section->wait_count < LONGEST_WAITS &&
           (wait = next_longest(section, layer)) != NULL)
        add_wait(section, layer, wait);
    return status;
}

/* ---- The section ---- */

static enum quipu_status put_answers(struct section *section, const struct quipu__picture_window *windows,
                                     size_t count, struct quipu_error *err) {
    enum quipu_status status = quipu__view_find_levels(section->view, EMBEDDED_LEVEL + 1, err);
    if (status == QUIPU_OK)
        status = put_answer(section, "trace", err);
    if (status == QUIPU_OK)
        status = put_rows(section, err);
    if (status == QUIPU_OK)
        status = put_tiles(section, 0, err);
    if (status == QUIPU_OK && section->view->members.count > 0)
        status = find_waits(section, err);
    if (status == QUIPU_OK && section->view->members.count > 0)
        status = put_windows_answers(section, windows, count, err);
    if (status == QUIPU_OK)
        status = put_windows_answers(section, section->waits, section->wait_count, err);
    for (uint32_t level = 1; level <= EMBEDDED_LEVEL && status == QUIPU_OK; level++)
        status = put_tiles(section, level, err);
    return status;
}

static enum quipu_status put_section(struct section *section, const struct quipu__picture_window *windows,
                                     size_t count, struct quipu_error *err) {
    struct quipu__buffer *out = &section->out;
    quipu__put_text(out,
                    "<div class=\"timeline\" role=\"region\" aria-label=\"Timeline\">\n"
                    "<noscript><p class=\"timeline-note\">The timeline is drawn by JavaScript. Without it, "
                    "<code>quipu timeline</code> prints the same figures.</p></noscript>\n"
                    "<script type=\"application/json\">{\"answers\": {");
    enum quipu_status status = put_answers(section, windows, count, err);
    quipu__put_format(out, "},\n\"level\": %d, \"windows\": [", EMBEDDED_LEVEL);
    if (section->view->members.count > 0)
        put_windows(section, windows, count, false);
    put_windows(section, section->waits, section->wait_count, count > 0);
    quipu__put_text(out, "]}</script>\n</div>\n");
    if (status == QUIPU_OK && out->failed)
        status = quipu__no_memory(err, out->len);
    return status == QUIPU_OK ? quipu__memory_status(&section->view->memory, err) : status;
}

enum quipu_status quipu__picture_timeline(struct quipu_reader *reader,
                                          const struct quipu__picture_window *windows, size_t count,
                                          const struct quipu__hidden_names *hidden,
                                          const struct quipu_table *path, struct quipu_sink sink,
                                          struct quipu_error *err) {
    struct section section = {0};
    enum quipu_status status = quipu_view_new(reader, &section.view, err);
    if (status != QUIPU_OK)
        return status;
    section.view->hidden = hidden;
    section.view->path = path;
    quipu__buffer_init(&section.out, &section.view->memory, 0);
    status = put_section(&section, windows, count, err);
    if (status == QUIPU_OK)
        status = quipu__buffer_flush(&section.out, sink, err);
    quipu__buffer_release(&section.out);
    quipu_view_free(section.view);
    return status;
}
