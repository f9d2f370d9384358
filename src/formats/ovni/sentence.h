/* sentence.h: what an event says, in words, and its arguments by name. */
#ifndef QUIPU_OVNI_SENTENCE_H
#define QUIPU_OVNI_SENTENCE_H

#include "formats/ovni/walk.h"
#include "formats/ovni/models.h"

/* One argument of an event. */
struct quipu__ovni_argument {
    char name[24];
    char type; /* 'i' signed, 'u' unsigned, 's' text */
    uint32_t bytes;
    int64_t number;
    const char *text; /* not terminated */
    size_t text_len;
};
#define QUIPU__OVNI_ARGUMENTS_MOST 4

/* Writes the sentence, cut to size; returns its length, 0 when the payload is too short. */
size_t quipu__ovni_sentence(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                            bool is_big, char *out, size_t size);

#endif
