/* sentence.h: what an event says, in words. */
#ifndef QUIPU_OVNI_SENTENCE_H
#define QUIPU_OVNI_SENTENCE_H

#include "core/digits.h" /* for what is printed beside sentences, too */
#include "formats/ovni/models.h"
#include "formats/ovni/walk.h"

/* Writes the sentence, cut to size; returns its length, 0 when the payload is too short. */
size_t quipu__ovni_sentence(const struct quipu__ovni_event_row *row, const struct quipu__ovni_event *event,
                            bool is_big, char *out, size_t size);

#endif
