/* views.h: the files that an emulation writes for Paraver: for each view, lines, names of types and values, and names of rows; and
 * configurations of windows. */
#ifndef QUIPU_OVNI_VIEWS_H
#define QUIPU_OVNI_VIEWS_H

#include "formats/ovni/emulation.h"
#include "formats/prv.h"

/* "thread", "cpu", "nosv-breakdown" … */
extern const char *const quipu__ovni_view_names[QUIPU__OVNI_VIEWS];

/* Whether an emulation has a view. */
bool quipu__ovni_has_view(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view);
uint32_t quipu__ovni_view_rows(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view);

void quipu__ovni_put_row(const struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view,
                         struct quipu__buffer *out);

/* is_whole: the emulation reached the end; else the labels of nOS-V's types are left out. False, with a finding, when two labels of
 * marks have the same number here. */
bool quipu__ovni_put_pcf(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, bool is_whole,
                         struct quipu__buffer *out);

/* Calls put with the path, below the folder of configurations, and the text of each one. */
enum quipu_status quipu__ovni_each_window(const struct quipu__ovni_emulation *emulation,
                                          enum quipu_status (*put)(void *context, const char *name,
                                                                   const struct quipu__buffer *text,
                                                                   struct quipu_error *err),
                                          void *context, struct quipu_error *err);

#endif
