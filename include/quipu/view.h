/* view.h: looking at a trace over time: the questions of a page that draws it, answered in JSON.
 *
 *     struct quipu_view *view;
 *     status = quipu_view_new(reader, &view, &err);
 *     if (status == QUIPU_OK)
 *         status = quipu_view_answer(view, "tile?by=location&level=0&index=0&rows=0-31", sink, &err);
 *     quipu_view_free(view);
 *
 * A question is a word, then parameters as in the address of a page. Times are nanoseconds since the first event of the trace,
 * locations the numbers of their definitions. A row is a location, a process or a host; the latter two go by the number of
 * their first location. An answer has at most 200 kB, however large the trace is: it says what it adds up or leaves out.
 */
#ifndef QUIPU_VIEW_H
#define QUIPU_VIEW_H

#include <quipu/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct quipu_view;

/* The reader is borrowed until the view is freed, and is used for nothing else meanwhile. A view is for one thread at a time. */
QUIPU_API enum quipu_status quipu_view_new(struct quipu_reader *reader, struct quipu_view **out,
                                           struct quipu_error *err);
QUIPU_API void quipu_view_free(struct quipu_view *view);

/* A question that there is. Static. */
struct quipu_view_question {
    const char *name;
    const char *parameters; /* their names, separated by blanks */
    const char *doc;
    bool reads_all; /* the answer may need all of the trace, whatever part is asked for */
};

/* A question by index; NULL after the last. */
QUIPU_API const struct quipu_view_question *quipu_view_question_at(size_t index);

/* Whether the answer may need all of the trace even where it has an index. Such questions are best given to a second view with a reader of
 * its own, so that others need not wait. */
QUIPU_API bool quipu_view_reads_all(const char *question);

/* Answers a question. QUIPU_NOT_FOUND when there is no such question, QUIPU_MISUSE when its parameters are wrong. */
QUIPU_API enum quipu_status quipu_view_answer(struct quipu_view *view, const char *question,
                                              struct quipu_sink sink, struct quipu_error *err);

/* A file of the page that asks: bytes that end with a NUL, which size does not count, and their type, such as "text/css". Static. */
struct quipu_view_file {
    const char *name, *type;
    const char *bytes;
    size_t size;
};

/* A file by its name: "" is the page itself. False when there is none. */
QUIPU_API bool quipu_view_file_find(const char *name, struct quipu_view_file *out);

#ifdef __cplusplus
}
#endif
#endif
