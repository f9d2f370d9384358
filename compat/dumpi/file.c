/* file.c: opening a file by its index, its sections, and the calls between them. */
#include "file.h"

#include "writer.h"

#include "formats/dumpi/format.h"

#include <stdio.h>
#include <string.h>

#define WINDOW ((size_t)256 << 10)
#define NS_PER_SECOND INT64_C(1000000000)

static enum quipu_status fail(struct quipu__undumpi_file *file, enum quipu_status status, const char *message) {
    struct quipu_error *error = &file->error;
    error->status = status;
    error->byte = file->input ? quipu__input_offset(file->input) : QUIPU_UNKNOWN;
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* Moves the window to an offset and makes it hold up to need bytes. */
static enum quipu_status look_at(struct quipu__undumpi_file *file, uint64_t offset, size_t need) {
    const enum quipu_status status = quipu__input_seek(file->input, offset, &file->error);
    return status == QUIPU_OK ? quipu__input_more(file->input, need, &file->error) : status;
}

static size_t window_size(const struct quipu__undumpi_file *file) {
    return (size_t)(file->input->end - file->input->at);
}

/* ---- Opening ---- */

static enum quipu_status check_magic(struct quipu__undumpi_file *file) {
    const enum quipu_status status = quipu__input_more(file->input, 8, &file->error);
    if (status != QUIPU_OK)
        return status;
    if (window_size(file) < 8 || quipu__load_be64(file->input->at) != QUIPU__DUMPI_MAGIC)
        return fail(file, QUIPU_UNKNOWN_FORMAT, "this is not a DUMPI file: it begins otherwise");
    return QUIPU_OK;
}

static enum quipu_status read_index(struct quipu__undumpi_file *file) {
    file->size = file->input->size;
    const uint64_t bytes = file->size < QUIPU__UNDUMPI_TAIL_BYTES ? file->size : QUIPU__UNDUMPI_TAIL_BYTES;
    const enum quipu_status status = look_at(file, file->size - bytes, (size_t)bytes);
    if (status != QUIPU_OK)
        return status;
    if (!quipu__undumpi_index_of(file->input->at, window_size(file), file->size, &file->index))
        return fail(file, QUIPU_CORRUPT,
                    "the file has no index at its end: it was cut, or its program was killed");
    return QUIPU_OK;
}

/* The form of everything depends on the version, which the header begins with. */
static enum quipu_status read_version(struct quipu__undumpi_file *file) {
    file->version = QUIPU__DUMPI_NEWEST;
    if (file->index.header == 0)
        return QUIPU_OK;
    const enum quipu_status status = look_at(file, file->index.header, 3);
    const uint8_t *at = file->input->at;
    if (status == QUIPU_OK && window_size(file) >= 3)
        file->version = QUIPU__DUMPI_VERSION(at[0], at[1], at[2]);
    return status;
}

/* The calls end where the next section begins. */
static void bound_calls(struct quipu__undumpi_file *file) {
    file->calls_end = file->size - (uint64_t)file->index.words * 8;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++) {
        const uint64_t offset = quipu__dumpi_word(&file->index, i);
        if (offset > file->index.body && offset < file->calls_end)
            file->calls_end = offset;
    }
}

static enum quipu_status open_input(struct quipu__undumpi_file *file, const char *path, bool raw_counts) {
    enum quipu_status status =
        quipu__input_open(&file->files, path, QUIPU__CODEC_NONE, WINDOW, &file->input, &file->error);
    if (status != QUIPU_OK)
        return status;
    status = check_magic(file);
    if (status != QUIPU_OK)
        return status;
    status = read_index(file);
    if (status != QUIPU_OK)
        return status;
    status = read_version(file);
    if (status != QUIPU_OK)
        return status;
    return quipu__dumpi_codec_new(&file->memory, file->version,
                                  !raw_counts || file->version < QUIPU__UNDUMPI_STEADY_VERSION, &file->codec,
                                  &file->error);
}

enum quipu_status quipu__undumpi_open(struct quipu__undumpi_file *file, const char *path, bool raw_counts) {
    *file = (struct quipu__undumpi_file){.error = QUIPU_ERROR_INIT};
    quipu__memory_init(&file->memory, NULL, 0);
    quipu__files_init(&file->files, &file->memory, 1);
    const enum quipu_status status = open_input(file, path, raw_counts);
    if (status != QUIPU_OK) {
        quipu__undumpi_close(file);
        return status;
    }
    quipu__dumpi_decoder_init(&file->decoder, &file->memory, file->codec);
    bound_calls(file);
    return QUIPU_OK;
}

void quipu__undumpi_close(struct quipu__undumpi_file *file) {
    if (file->codec)
        quipu__dumpi_decoder_release(&file->decoder);
    quipu__binary_codec_free(file->codec);
    quipu__input_close(file->input);
    quipu__files_release(&file->files);
    file->codec = NULL;
    file->input = NULL;
}

/* ---- Sections ---- */

static uint64_t section_offset(const struct quipu__undumpi_file *file, uint32_t type) {
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        if (quipu__dumpi_sections[i].type == type)
            return quipu__dumpi_word(&file->index, i);
    return 0;
}

static enum quipu_status decode_section(struct quipu__undumpi_file *file, uint32_t type) {
    for (;;) {
        const uint8_t *next;
        switch (quipu__dumpi_decode_section(&file->decoder, type, file->input->at, file->input->end, &next)) {
        case QUIPU__DUMPI_OK:
            return QUIPU_OK;
        case QUIPU__DUMPI_NO_MEMORY:
            return fail(file, QUIPU_NO_MEMORY, "a section is too large");
        case QUIPU__DUMPI_MORE:
            break;
        default:
            return fail(file, QUIPU_CORRUPT,
                        file->decoder.engine.fault ? file->decoder.engine.fault : "a section is damaged");
        }
        if (file->input->ended)
            return fail(file, QUIPU_CORRUPT, "a section goes beyond the end of the file");
        const enum quipu_status status =
            quipu__input_more(file->input, file->decoder.engine.need, &file->error);
        if (status != QUIPU_OK)
            return status;
    }
}

enum quipu_status quipu__undumpi_section(struct quipu__undumpi_file *file, uint32_t type) {
    const uint64_t offset = section_offset(file, type);
    if (offset == 0)
        return QUIPU_END;
    enum quipu_status status = look_at(file, offset, 1);
    if (status == QUIPU_OK)
        status = decode_section(file, type);
    if (status == QUIPU_OK && type == QUIPU__DUMPI_TYPE_footer &&
        file->decoder.data.footer.magic != QUIPU__DUMPI_FOOTER_MAGIC)
        return fail(file, QUIPU_CORRUPT, "there is no footer where the index says");
    return status;
}

/* ---- Calls ---- */

static void bound_window(struct quipu__undumpi_file *file) {
    const uint64_t offset = quipu__undumpi_offset(file);
    const uint64_t left = file->calls_end > offset ? file->calls_end - offset : 0;
    file->end = left < window_size(file) ? file->input->at + left : file->input->end;
    file->decoder.engine.limit = left < QUIPU__DUMPI_RECORD_LIMIT ? left : QUIPU__DUMPI_RECORD_LIMIT;
}

enum quipu_status quipu__undumpi_rewind(struct quipu__undumpi_file *file) {
    if (file->index.body == 0)
        return fail(file, QUIPU_CORRUPT, "the index names no calls");
    const enum quipu_status status = quipu__undumpi_section(file, QUIPU__DUMPI_TYPE_begin);
    if (status != QUIPU_OK)
        return status;
    file->cpu_bias = file->decoder.data.begin.cpu_bias;
    file->wall_bias = file->decoder.data.begin.wall_bias;
    file->decoder.cpu_bias_ns = file->cpu_bias * NS_PER_SECOND;
    file->decoder.wall_bias_ns = file->wall_bias * NS_PER_SECOND;
    file->input->at += QUIPU__DUMPI_BEGIN_BYTES;
    bound_window(file);
    return QUIPU_OK;
}

enum quipu_status quipu__undumpi_further(struct quipu__undumpi_file *file, enum quipu__dumpi_outcome outcome) {
    const bool at_bound = quipu__undumpi_offset(file) >= file->calls_end;
    if (outcome == QUIPU__DUMPI_ENDS || at_bound)
        return QUIPU_END;
    if (outcome == QUIPU__DUMPI_NO_MEMORY)
        return fail(file, QUIPU_NO_MEMORY, "a call is too large");
    if (outcome == QUIPU__DUMPI_BAD)
        return fail(file, QUIPU_CORRUPT, file->decoder.engine.fault);
    if (file->input->ended || file->end < file->input->end)
        return fail(file, QUIPU_CORRUPT, "the calls break off");
    const enum quipu_status status = quipu__input_more(file->input, file->decoder.engine.need, &file->error);
    bound_window(file);
    return status;
}
