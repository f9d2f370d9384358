/* topics.c: see topics.h. */
#include "topics.h"

#include "layout.h"
#include "roff.h"

#include <string.h>

const struct topic topics[] = {
#define TOPIC(name, doc, visit) {#name, doc, visit},
#include "topics.def"
#undef TOPIC
};
const size_t topic_count = sizeof topics / sizeof *topics;

const struct topic *topic_find(const char *name) {
    for (size_t i = 0; i < topic_count; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

/* ---- On the terminal ---- */

static void put_lines(FILE *out, const char *text) {
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        fprintf(out, "  %.*s\n", (int)len, text);
    }
}

static void put_text(void *context, const struct topic_section *section) {
    FILE *out = context;
    switch (section->type) {
    case TOPIC_PARAGRAPH:
        layout_paragraphs(out, section->text);
        fputc('\n', out);
        break;
    case TOPIC_HEADING:
        fprintf(out, "\n%s:\n", section->text);
        break;
    case TOPIC_LINES:
        put_lines(out, section->text);
        fputc('\n', out);
        break;
    case TOPIC_ENTRY:
        layout_entry(out, section->head, section->text, 14);
        break;
    }
}

void topic_write(const struct topic *topic, FILE *out) {
    fprintf(out, "%s: %s\n\n", topic->name, topic->doc);
    topic->visit(put_text, out);
}

/* ---- As a manual page ---- */

static void put_roff(void *context, const struct topic_section *section) {
    FILE *out = context;
    switch (section->type) {
    case TOPIC_PARAGRAPH:
        fputs(".PP\n", out);
        roff_text(out, section->text);
        fputc('\n', out);
        break;
    case TOPIC_HEADING:
        fputs(".SS ", out);
        roff_text(out, section->text);
        fputc('\n', out);
        break;
    case TOPIC_LINES:
        fputs(".PP\n.nf\n.RS\n", out);
        for (const char *line = section->text; *line;
             line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
            fputs("\\&", out);
            roff_text_len(out, line, strcspn(line, "\n"));
            fputc('\n', out);
        }
        fputs(".RE\n.fi\n", out);
        break;
    case TOPIC_ENTRY:
        fputs(".TP\n.B ", out);
        roff_text(out, section->head);
        fputc('\n', out);
        roff_sentence(out, section->text);
        break;
    }
}

void topic_write_page(FILE *out, const char *page, const void *subject) {
    const struct topic *topic = subject;
    roff_head(out, page, 1, topic->doc);
    fputs(".SH DESCRIPTION\n", out);
    topic->visit(put_roff, out);
    fputs(".SH SEE ALSO\n.BR quipu (1)\n", out);
}
