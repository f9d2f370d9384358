/* texts.h: OTF traces of two processes that tests write down as text. */
#ifndef QUIPU_TESTS_OTF_TEXTS_H
#define QUIPU_TESTS_OTF_TEXTS_H

#include "formats/model_text.h"

static inline void text_file(const char *folder, const char *name, const char *text) {
    harness_write(harness_text("%s/%s", folder, name), text, strlen(text));
}

/* Definitions behind those of the processes 1 and 2, and the events of stream 1, which both are in. */
static inline const char *text_trace(const char *definitions, const char *events) {
    const char *folder = harness_folder();
    text_file(folder, "made.otf", "1:1,2\n");
    text_file(folder, "made.0.def", harness_text("DTR3b9aca00\nDP1NM\"a\"\nDP2NM\"b\"\n%s", definitions));
    text_file(folder, "made.1.events", events);
    return harness_text("%s/made.otf", folder);
}

#endif
