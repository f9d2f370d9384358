/* output_files.c: the files of a trace being written: made when first needed, and written in large blocks. */
#include "formats/otf/writer.h"

#include "core/error.h"
#include "core/files/output.h"
#include "formats/otf/file_names.h"

#include <inttypes.h>
#include <stdio.h>

enum quipu_status quipu__otf_flush(struct quipu__otf_writer *writer, bool always, struct quipu_error *err) {
    struct quipu__buffer *text = &writer->text;
    if (text->failed)
        return quipu__no_memory(err, text->len);
    if (text->len == 0 || (!always && text->len < QUIPU__OTF_TEXT_BYTES))
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__file_write(quipu__otf_current(writer)->sink, text->data, text->len, err);
    text->len = 0;
    return status;
}

static enum quipu_status add_output(struct quipu__otf_writer *writer, enum quipu__otf_file file, uint32_t id,
                                    struct quipu_error *err) {
    const int compression = writer->writing->options->compression;
    const size_t size = strlen(writer->stub) + 32;
    struct quipu__otf_output output = {.file = file, .id = id, .clock = QUIPU__OTF_NOTHING_WRITTEN};
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (!path)
        return quipu__no_memory(err, size);
    snprintf(path, size, "%s.%" PRIx32 ".%s%s", writer->stub, id, quipu__otf_kind_name(file),
             compression ? QUIPU__OTF_COMPRESSED_SUFFIX : "");
    const enum quipu_status status =
        quipu__outputs_add(writer->writing->outputs, path, compression, &output.sink, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__otf_output *added = QUIPU__VEC_ADD(writer->writing->memory, &writer->outputs);
    if (!added ||
        !quipu__map_put(&writer->numbers, (uint64_t)file << 32 | id, (uint32_t)writer->outputs.count - 1))
        return quipu__no_memory(err, sizeof *added);
    *added = output;
    writer->current = (uint32_t)writer->outputs.count - 1;
    return QUIPU_OK;
}

enum quipu_status quipu__otf_use_output(struct quipu__otf_writer *writer, enum quipu__otf_file file,
                                        uint32_t id, struct quipu_error *err) {
    const struct quipu__otf_output *current = writer->current == QUIPU_NONE ? NULL : quipu__otf_current(writer);
    if (current && current->file == file && current->id == id)
        return QUIPU_OK;
    const enum quipu_status status = current ? quipu__otf_flush(writer, true, err) : QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    const uint32_t number = quipu__map_get(&writer->numbers, (uint64_t)file << 32 | id);
    if (number == QUIPU_NONE)
        return add_output(writer, file, id, err);
    writer->current = number;
    return QUIPU_OK;
}
