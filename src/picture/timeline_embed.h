/* timeline_embed.h: the timeline as a section of a report, with its answers in it. */
#ifndef QUIPU_PICTURE_TIMELINE_EMBED_H
#define QUIPU_PICTURE_TIMELINE_EMBED_H

#include "picture/markup.h"

#include <quipu/view.h>

/* A part of the time whose single calls and messages are to be in the section; ns since the first event. */
struct quipu__picture_window {
    int64_t from, to;
    const char *title;
};

/* Writes <div class="timeline"> with the whole run at levels of detail, for the first rows of locations, processes and hosts, and with calls,
 * messages, waits and critical path of the windows and of the longest waits. Style and script (QUIPU__ASSET_timeline_style, _timeline_script, a
 * module) are the page's. Names in hidden, which may be NULL, are replaced, and the trace is called TRACE. Reads the trace; answers for which
 * QUIPU__PICTURE_TIMELINE_BYTES have no room are left out. path: the segments of the critical path, when the report has them; else NULL. */
enum { QUIPU__PICTURE_TIMELINE_BYTES = 1000 * 1000 };
enum quipu_status quipu__picture_timeline(struct quipu_reader *reader,
                                          const struct quipu__picture_window *windows, size_t count,
                                          const struct quipu__hidden_names *hidden,
                                          const struct quipu_table *path, struct quipu_sink sink,
                                          struct quipu_error *err);

#endif
