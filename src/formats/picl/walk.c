/* walk.c: going over the file record by record: input, decoder and the two formats behind one step. */
#include "formats/picl/format.h"

#include "core/error.h"
#include "formats/picl/fast_line.h"

enum quipu_status quipu__picl_walk_open(struct quipu__picl_walk *walk, struct quipu__picl_trace *own,
                                        size_t window, struct quipu_error *err) {
    walk->own = own;
    quipu__picl_decoder_init(&walk->decoder, own->trace->memory, &own->scope);
    return quipu__input_open(own->trace->files, own->trace->path, QUIPU__CODEC_DETECT, window, &walk->input,
                             err);
}

void quipu__picl_walk_close(struct quipu__picl_walk *walk) {
    quipu__input_close(walk->input);
    if (walk->own) {
        quipu__picl_decoder_release(&walk->decoder);
        quipu__picl_old_release(&walk->old, walk->own->trace->memory);
    }
    walk->input = NULL;
    walk->own = NULL;
}

/* Shows the decoder what the input shows. */
static void show_window(struct quipu__picl_walk *walk) {
    walk->decoder.at = walk->input->at;
    walk->decoder.end = walk->input->end;
    walk->decoder.ended = walk->input->ended;
    walk->decoder.offset = walk->input->end_offset;
}

/* Compressed files cannot be sought: they are read again from the beginning, up to the place. */
static enum quipu_status skip_to(struct quipu__picl_walk *walk, uint64_t byte, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (quipu__input_offset(walk->input) > byte)
        status = quipu__input_seek(walk->input, 0, err);
    while (status == QUIPU_OK && walk->input->end_offset < byte && !walk->input->ended) {
        walk->input->at = walk->input->end;
        status = quipu__input_more(walk->input, 1, err);
    }
    if (status == QUIPU_OK && walk->input->end_offset >= byte)
        walk->input->at = walk->input->end - (walk->input->end_offset - byte);
    return status;
}

enum quipu_status quipu__picl_walk_seek(struct quipu__picl_walk *walk, uint64_t byte, uint64_t line,
                                        struct quipu_error *err) {
    walk->decoder.next = NULL;
    walk->decoder.line = line;
    walk->old.converted_next = walk->old.converted_count = 0;
    if (walk->decoder.end)
        walk->input->at = walk->decoder.at;
    enum quipu_status status =
        quipu__input_more(walk->input, 1, err); /* so that it is known what can be sought */
    if (status == QUIPU_OK && quipu__input_offset(walk->input) != byte)
        status = quipu__input_can_seek(walk->input) ? quipu__input_seek(walk->input, byte, err)
                                                    : skip_to(walk, byte, err);
    show_window(walk);
    return status;
}

/* A line that is longer than a window can be: what of it is there is left out. */
static enum quipu_status skip_window(struct quipu__picl_walk *walk) {
    const struct quipu__picl_decoder *decoder = &walk->decoder;
    if (decoder->report)
        decoder->report(decoder->context, QUIPU__PICL_RULE_LONG_LINE, decoder->line,
                        quipu__picl_walk_offset(walk), "");
    walk->input->at = walk->input->end;
    show_window(walk);
    return QUIPU_OK;
}

/* The decoder needs more than the window has. QUIPU_END at the end of the file. */
static enum quipu_status read_on(struct quipu__picl_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    if (walk->decoder.end)
        input->at = walk->decoder.at;
    if (input->ended && (input->at == input->end || walk->decoder.ended))
        return QUIPU_END;
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const size_t left = (size_t)(input->end - input->at);
    const enum quipu_status status = left < QUIPU__PICL_FAST_BYTES
                                         ? quipu__input_more(input, QUIPU__PICL_FAST_BYTES, &trouble)
                                         : quipu__input_widen(input, &trouble);
    show_window(walk);
    if (status == QUIPU_LIMIT)
        return skip_window(walk);
    if (status != QUIPU_OK && err)
        *err = trouble;
    return status;
}

static enum quipu__picl_decoded decode_old(struct quipu__picl_walk *walk, struct quipu__picl_record *record) {
    struct quipu__picl_old_decoder *old = &walk->old;
    struct quipu__picl_old_record from;
    if (old->converted_next == old->converted_count) {
        const enum quipu__picl_decoded decoded = quipu__picl_old_decode(&walk->decoder, old, &from);
        if (decoded != QUIPU__PICL_RECORD)
            return decoded;
        quipu__picl_old_to_new(old, &from);
        if (old->converted_count == 0)
            return QUIPU__PICL_NOTHING;
    }
    *record = old->converted[old->converted_next++];
    return QUIPU__PICL_RECORD;
}

/* Whether a record was cut by the end of the window and more has been read since, so that it is to be decoded again. */
static bool is_cut(struct quipu__picl_walk *walk, enum quipu__picl_decoded decoded, enum quipu_status *status,
                   struct quipu_error *err) {
    *status = QUIPU_OK;
    if (decoded == QUIPU__PICL_NO_MEMORY)
        *status = quipu__no_memory(err, sizeof(struct quipu__picl_record));
    if (decoded == QUIPU__PICL_CUT)
        *status = read_on(walk, err);
    return decoded == QUIPU__PICL_CUT && *status == QUIPU_OK;
}

enum quipu_status quipu__picl_walk_step(struct quipu__picl_walk *walk, struct quipu__picl_record *record,
                                        bool *is_record, struct quipu_error *err) {
    enum quipu__picl_decoded decoded;
    enum quipu_status status;
    do {
        decoded = walk->own->variant == QUIPU__PICL_NEW_FORMAT ? quipu__picl_decode(&walk->decoder, record)
                                                               : decode_old(walk, record);
    } while (is_cut(walk, decoded, &status, err));
    *is_record = decoded == QUIPU__PICL_RECORD;
    return status;
}

enum quipu_status quipu__picl_walk_old_step(struct quipu__picl_walk *walk,
                                            struct quipu__picl_old_record *record, bool *is_record,
                                            struct quipu_error *err) {
    enum quipu__picl_decoded decoded;
    enum quipu_status status;
    do {
        decoded = quipu__picl_old_decode(&walk->decoder, &walk->old, record);
    } while (is_cut(walk, decoded, &status, err));
    *is_record = decoded == QUIPU__PICL_RECORD;
    return status;
}
