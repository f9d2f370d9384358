/* topics.h: pages of help that are not about one command: their sections, which help.c and man.c lay out. */
#ifndef QUIPU_CLI_TOPICS_H
#define QUIPU_CLI_TOPICS_H

#include <stddef.h>

/* A section of a page. */
struct topic_section {
    enum { TOPIC_PARAGRAPH, TOPIC_HEADING, TOPIC_LINES, TOPIC_ENTRY } type;
    const char *head; /* of an ENTRY: what is explained */
    const char *text; /* LINES are shown as they are */
};
typedef void topic_put(void *context, const struct topic_section *section);

struct topic {
    const char *name, *doc;
    void (*visit)(topic_put *put, void *context);
};

extern const struct topic topics[];
extern const size_t topic_count;

/* NULL when there is none of that name. */
const struct topic *topic_find(const char *name);

#endif
