/* together.c: see together.h. To the reading all of them are one fold. */
#include "analysis/together.h"

#include "core/error.h"
#include "trace/reader.h"

enum quipu_status quipu__together_add(struct quipu__together *together, const char *name,
                                      const struct quipu_setting *settings, size_t count,
                                      struct quipu__together_question **question, struct quipu_error *err) {
    struct quipu__together_question *added = *question = &together->questions[together->count];
    *added =
        (struct quipu__together_question){.fold = quipu__fold_find(name),
                                          .start = {.definitions = quipu_reader_definitions(together->reader),
                                                    .memory = quipu__reader_trace(together->reader)->memory},
                                          .reads = true};
    const enum quipu_status status =
        quipu__fold_settings(added->fold, settings, count, &added->start.settings, err);
    if (status != QUIPU_OK)
        return status;
    together->count++;
    added->selection =
        quipu__fold_selection(NULL, added->fold, &added->start.settings, added->start.definitions);
    added->start.selection = &added->selection;
    return added->fold->begin(&added->start, &added->state, err);
}

/* ---- Reading ---- */

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__together *together = state;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < together->count && status == QUIPU_OK; i++)
        if (together->questions[i].reads)
            status = together->questions[i].fold->consume(together->questions[i].state, batch, err);
    return status;
}

static const struct quipu__fold all_questions = {.consume = consume};

static struct quipu_selection select_all(const struct quipu__together *together) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.without_attributes = true;
    for (size_t i = 0; i < together->count; i++) {
        const struct quipu__together_question *question = &together->questions[i];
        if (question->reads && question->selection.order != QUIPU_ORDER_STREAM)
            selection.order = QUIPU_ORDER_TIME;
        selection.without_attributes &= !question->reads || question->selection.without_attributes;
    }
    return selection;
}

/* Those that have read nothing so far forget what they have been told. */
static enum quipu_status begin_again(struct quipu__together *together, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < together->count && status == QUIPU_OK; i++) {
        struct quipu__together_question *question = &together->questions[i];
        question->fold->release(question->state);
        question->state = NULL;
        status = question->fold->begin(&question->start, &question->state, err);
    }
    return status;
}

/* Definitions that turn out to be missing do so in the first reading. */
static enum quipu_status read_again(struct quipu__together *together, bool is_first, struct quipu_error *err) {
    if (!is_first)
        return quipu__fail(err, QUIPU_CORRUPT, "the trace has changed while it was read");
    quipu_reader_rewind(together->reader);
    const enum quipu_status status = begin_again(together, err);
    return status == QUIPU_OK ? quipu__fold_read(&all_questions, together->reader, together, err) : status;
}

enum quipu_status quipu__together_read(struct quipu__together *together, struct quipu_error *err) {
    const struct quipu_selection selection = select_all(together);
    bool must_repeat = false;
    enum quipu_status status = quipu_reader_select(together->reader, &selection, err);
    if (status == QUIPU_OK)
        status = quipu__fold_read_ahead(&all_questions, together->reader, together, &must_repeat, err);
    if (must_repeat)
        status = read_again(together, !together->has_read, err);
    together->has_read = true;
    for (size_t i = 0; i < together->count && status == QUIPU_OK; i++) {
        struct quipu__together_question *question = &together->questions[i];
        question->reads = question->reads && question->fold->next_pass &&
                          question->fold->next_pass(question->state, &question->selection);
    }
    return status;
}

bool quipu__together_reads(const struct quipu__together *together) {
    for (size_t i = 0; i < together->count; i++)
        if (together->questions[i].reads)
            return true;
    return false;
}

/* ---- Answers ---- */

enum quipu_status quipu__together_answer(const struct quipu__together_question *question,
                                         struct quipu_tables **out, struct quipu_error *err) {
    return quipu__fold_tables(question->fold, question->state, question->start.memory, NULL, out, err);
}

void quipu__together_release(struct quipu__together *together) {
    for (size_t i = 0; i < together->count; i++)
        if (together->questions[i].state)
            together->questions[i].fold->release(together->questions[i].state);
    together->count = 0;
}
