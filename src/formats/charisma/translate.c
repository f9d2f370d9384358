/* translate.c: records of one machine as records of another. What is wider there stays as it is; what is narrower is cut, and
 * counted. Numbers that stand for none, and the header's numbers of system and version, are those of the new machine. Time stamps
 * keep their ticks and their unit, but for those with fractions where the new machine has none: they are counted again in its
 * unit. Where only the new machine has fractions, its stamps are the same numbers as reals. */
#include "formats/charisma/writer.h"

#include <string.h>

/* ---- Time stamps ---- */

static bool is_real(const struct quipu__charisma_profile *profile) {
    return profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_FLOAT;
}

static bool recounts_time(const struct quipu__charisma_writer *writer) {
    return is_real(writer->source) && !is_real(&writer->codec.profile);
}

/* A stamp with a fraction as whole ticks of the new machine. False when they are not the same time, to a thousandth of a tick. */
static bool recount(const struct quipu__charisma_writer *writer, struct quipu_number *stamp) {
    const bool is_signed =
        writer->codec.profile.types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_SIGNED;
    const double ticks = stamp->f * (writer->source_unit / writer->codec.profile.timestamp_unit);
    const bool fits = ticks > -9e18 && ticks < 9e18 && (is_signed || ticks > -0.5);
    const double half = ticks < 0 ? -0.5 : 0.5;
    const int64_t whole = fits ? (int64_t)(ticks + half) : 0;
    const double off = ticks - (double)whole;
    *stamp = (struct quipu_number){.i = whole, .is_signed = is_signed};
    return fits && off < 1e-3 && off > -1e-3;
}

/* Whole ticks as a stamp that may have a fraction. False when that is not the same number. */
static bool make_real(struct quipu_number *stamp) {
    const struct quipu_number whole = *stamp;
    const double most = 9007199254740992.0; /* 2^53: some integers beyond are no doubles */
    *stamp = (struct quipu_number){.f = whole.is_signed ? (double)whole.i : (double)(uint64_t)whole.i,
                                   .is_real = true};
    return stamp->f <= most && stamp->f >= -most;
}

static bool translate_time(const struct quipu__charisma_writer *writer, struct quipu_number *stamp) {
    if (is_real(writer->source) == is_real(&writer->codec.profile))
        return true;
    return is_real(writer->source) ? recount(writer, stamp) : make_real(stamp);
}

/* ---- Texts ---- */

/* New names have room for a NUL; one that fills its field exactly stays. */
static bool cut_text(const char **text, uint16_t length, char *room, struct quipu_sized *head) {
    const uint32_t len = quipu_sized_count(*text);
    if (len <= length)
        return true;
    memcpy(room, *text, length - 1u);
    room[length - 1] = '\0';
    *head = (struct quipu_sized){length - 1u, 0};
    *text = room;
    return false;
}

/* ---- Fields ---- */

static bool translate_field(const struct quipu__charisma_writer *writer, const struct quipu_field *field,
                            void *data, struct quipu__charisma_texts *texts, unsigned *text_count) {
    const struct quipu__charisma_profile *to = &writer->codec.profile, *from = writer->source;
    void *member = quipu__member(field, data);
    if (field->domain->role == QUIPU_ROLE_TIME)
        return translate_time(writer, member);
    if (field->wire == QUIPU__FORM_CHARACTERS) {
        const uint16_t length = to->lengths[field->domain->wire];
        const unsigned i = (*text_count)++ % 2;
        return cut_text(member, length < sizeof texts->items[i].text ? length : sizeof texts->items[i].text,
                        texts->items[i].text, &texts->items[i].head);
    }
    if (field->wire == QUIPU__CHARISMA_WIRE_TraceAppId && *(int64_t *)member == from->no_app)
        *(int64_t *)member = to->no_app;
    else if (field->wire == QUIPU__CHARISMA_WIRE_TraceClientId && field->shape == QUIPU_ONE &&
             *(int64_t *)member == from->no_client)
        *(int64_t *)member = to->no_client;
    return true;
}

static void translate_header(const struct quipu__charisma_writer *writer,
                             struct quipu__charisma_header *header) {
    header->system_type = (uint8_t)writer->codec.profile.system_type;
    header->md_version = writer->codec.profile.md_version;
    if (recounts_time(writer))
        header->timestamp_unit = writer->codec.profile.timestamp_unit;
}

void quipu__charisma_translate(struct quipu__charisma_writer *writer, uint32_t type,
                               union quipu__charisma_any *data, struct quipu__charisma_texts *texts) {
    const struct quipu_record_type *row = &quipu__charisma_types[type];
    unsigned text_count = 0;
    if (type == QUIPU__CHARISMA_TYPE_header) {
        const double said = data->header.timestamp_unit;
        writer->source_unit = said > 1e-12 && said <= 1000 ? said : writer->source->timestamp_unit;
    }
    for (uint16_t i = 0; i < row->field_count; i++)
        if (!translate_field(writer, &row->fields[i], data, texts, &text_count))
            quipu__output_approximates(writer->output, row, i, "the machine cannot hold the value");
    if (type == QUIPU__CHARISMA_TYPE_header)
        translate_header(writer, &data->header);
}
