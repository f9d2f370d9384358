/* model_tokens.c: tokens of the model's definitions in the files, and of names that only OTF has definitions for. */
#include "formats/otf/from_model.h"

#define TOKEN_CLASSES(X)                                                                                       \
    X(locations, locations, location)                                                                          \
    X(regions, regions, region)                                                                                \
    X(sources, sources, source)                                                                                \
    X(groups, groups, group)                                                                                   \
    X(files, files, file)                                                                                      \
    X(metrics, metrics, metric)                                                                                \
    X(markers, markers, marker)                                                                                \
    X(keys, attribute_keys, attribute_key)

#define NATIVE(tokens, plural, singular)                                                                       \
    static uint64_t native_##singular(const void *definitions, uint32_t number) {                              \
        return ((const struct quipu_definitions *)definitions)->plural.items[number].native_id;                \
    }
TOKEN_CLASSES(NATIVE)

bool quipu__otf_extend_tokens(struct quipu__otf_model_writer *model) {
    const struct quipu_definitions *definitions = model->definitions;
    const size_t location_streams = model->location_streams.count;
    bool done = true;
    if (location_streams < definitions->locations.count) {
        done = QUIPU__VEC_RESERVE(model->writer->writing->memory, &model->location_streams,
                                  definitions->locations.count - location_streams);
        model->location_streams.count = done ? definitions->locations.count : location_streams;
    }
#define EXTEND(tokens, plural, singular)                                                                       \
    done = done && quipu__otf_tokens_extend(&model->tokens, definitions, definitions->plural.count,            \
                                            native_##singular);
    TOKEN_CLASSES(EXTEND)
    return done;
}

uint32_t quipu__otf_name_token(struct quipu__otf_model_writer *model, struct quipu__otf_names *names,
                               const char *name) {
    for (size_t i = names->at.count; i-- > 0;)
        if (strcmp(names->at.items[i], name) == 0)
            return (uint32_t)i + 1;
    const char *copy = quipu__arena_text(&model->writer->arena, name, strlen(name));
    const char **slot = copy ? QUIPU__VEC_ADD(model->writer->writing->memory, &names->at) : NULL;
    if (!slot)
        return 0;
    *slot = copy;
    return (uint32_t)names->at.count;
}

void quipu__otf_init_tokens(struct quipu__otf_model_writer *model) {
#define INIT(tokens, plural, singular) quipu__otf_tokens_init(&model->tokens, model->writer->writing->memory);
    TOKEN_CLASSES(INIT)
    INIT(collops, regions, region)
}

void quipu__otf_release_tokens(struct quipu__otf_model_writer *model) {
#define RELEASE(tokens, plural, singular) quipu__otf_tokens_release(&model->tokens);
    TOKEN_CLASSES(RELEASE)
    RELEASE(collops, regions, region)
}
