/* format.c: recognising OTF2 traces, and the descriptor. */
#include "formats/otf2/format.h"

#include "core/text.h"

#include <string.h>

const struct quipu_rule quipu__otf2_rules[QUIPU__OTF2_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/otf2/rules.def"
#undef RULE
};

/* An anchor file begins with the type of a buffer, the order of bytes, and a name. */
enum quipu_score quipu__otf2_probe(const struct quipu__probe *probe) {
    enum { NAME_AT = 2, NAME_BYTES = 4 };
    enum quipu_score score = QUIPU_SCORE_NO;
    for (size_t i = 0; probe->is_directory && i < probe->name_count; i++)
        if (quipu__ends_with(probe->names[i], ".otf2"))
            score = QUIPU_SCORE_LIKELY;
    if (probe->is_directory)
        return score;
    if (probe->head_len >= NAME_AT + NAME_BYTES && probe->head[0] == 3 &&
        memcmp(probe->head + NAME_AT, "OTF2", NAME_BYTES) == 0)
        return QUIPU_SCORE_CERTAIN;
    return quipu__ends_with(probe->path, ".otf2") ? QUIPU_SCORE_NAME_ONLY : QUIPU_SCORE_NO;
}

const struct quipu__format quipu__otf2_format = {
    .info = {.name = "otf2",
             .title = "Open Trace Format 2",
             .suffixes = ".otf2",
             .abilities = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS | QUIPU_CAN_CHECK |
                          QUIPU_CAN_REPAIR | QUIPU_READS_VARIANTS,
             .schema = &quipu__otf2_schema,
             .rules = quipu__otf2_rules,
             .rule_count = QUIPU__OTF2_RULE_COUNT},
    .reading = &quipu__otf2_reading,
    .copying = &quipu__otf2_copying,
    .writing = &quipu__otf2_writing,
};
