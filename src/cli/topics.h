/* topics.h: pages of help that are not about one command, for the terminal and as manual pages. */
#ifndef QUIPU_CLI_TOPICS_H
#define QUIPU_CLI_TOPICS_H

#include "command.h"

/* A section of a page. */
struct topic_section {
    enum { TOPIC_PARAGRAPH, TOPIC_HEADING, TOPIC_LINES, TOPIC_ENTRY } type;
    const char *head; /* of an ENTRY: what is explained */
    const char *text; /* LINES are shown as they are */
};

struct topic {
    const char *name, *doc;
    void (*visit)(void (*put)(void *context, const struct topic_section *section), void *context);
};

extern const struct topic topics[];
extern const size_t topic_count;

/* NULL when there is none of that name. */
const struct topic *topic_find(const char *name);

void topic_write(const struct topic *topic, FILE *out);

/* The manual page quipu-TOPIC(1); subject is the topic. */
void topic_write_page(FILE *out, const char *page, const void *subject);

/* ---- The topics ---- */

void topic_where(void (*put)(void *context, const struct topic_section *section), void *context);
void topic_kinds(void (*put)(void *context, const struct topic_section *section), void *context);
void topic_columns(void (*put)(void *context, const struct topic_section *section), void *context);
void topic_rules(void (*put)(void *context, const struct topic_section *section), void *context);

#endif
