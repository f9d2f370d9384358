/* writer.c: copying records of the format itself, line by line, and the names beside them as they are. */
#include "core/error.h"
#include "core/text.h"
#include "formats/paraver/format.h"

#include <string.h>

/* So much text is collected before it is handed on. */
enum { FLUSH_BYTES = 64 << 10 };

enum quipu_status quipu__paraver_add_file(struct quipu__output_trace *output, const char *suffix,
                                          struct quipu__file **out, struct quipu_error *err) {
    const size_t len = strlen(output->path) - (quipu__ends_with(output->path, ".prv") ? strlen(".prv") : 0);
    char *path = quipu__alloc(output->memory, len + strlen(suffix) + 1);
    if (!path)
        return quipu__no_memory(err, len);
    memcpy(path, output->path, len);
    memcpy(path + len, suffix, strlen(suffix) + 1);
    const enum quipu_status status = quipu__outputs_add(output->outputs, path, 0, out, err);
    quipu__release(output->memory, path, len + strlen(suffix) + 1);
    return status;
}

static enum quipu_status flush(struct quipu__paraver_output *own, struct quipu_error *err) {
    const size_t len = own->lines.len;
    own->lines.len = 0;
    return own->lines.failed ? (enum quipu_status)quipu__no_memory(err, len)
                             : quipu__file_write(own->prv, own->lines.data, len, err);
}

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    struct quipu__paraver_output *own = output->own;
    (void)stream;
    (void)err;
    own->has_records = true;
    return QUIPU_OK;
}

static enum quipu_status put_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__paraver_output *own = output->own;
    quipu__paraver_encode(&own->lines, record);
    return own->lines.failed || own->lines.len >= FLUSH_BYTES ? flush(own, err) : QUIPU_OK;
}

/* Copies a file of names; NULL: there is none. */
static enum quipu_status copy_file(struct quipu__output_trace *output, const char *from, const char *suffix,
                                   struct quipu_error *err) {
    struct quipu__file *file;
    struct quipu__input *input = NULL;
    if (!from)
        return QUIPU_OK;
    enum quipu_status status = quipu__paraver_add_file(output, suffix, &file, err);
    if (status == QUIPU_OK)
        status = quipu__input_open(output->source->files, from, QUIPU__CODEC_DETECT, FLUSH_BYTES, &input, err);
    while (status == QUIPU_OK && (!input->ended || input->at < input->end)) {
        status = quipu__file_write(file, input->at, (size_t)(input->end - input->at), err);
        input->at = input->end;
        if (status == QUIPU_OK)
            status = quipu__input_more(input, 1, err);
    }
    quipu__input_close(input);
    return status;
}

enum quipu_status quipu__paraver_end_copy(struct quipu__output_trace *output, struct quipu_error *err) {
    const struct quipu__paraver_trace *source = output->source ? output->source->own : NULL;
    enum quipu_status status = flush(output->own, err);
    if (status == QUIPU_OK && source)
        status = copy_file(output, source->labels.pcf, ".pcf", err);
    return status == QUIPU_OK && source ? copy_file(output, source->labels.row, ".row", err) : status;
}

const struct quipu__copying quipu__paraver_copying = {.begin_stream = begin_stream, .put_record = put_record};
