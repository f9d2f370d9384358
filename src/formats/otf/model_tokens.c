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
    const uint64_t key = quipu__hash(name, strlen(name), names->number_of.seed);
    const uint32_t known = quipu__map_get(&names->number_of, key);
    if (known != QUIPU_NONE && strcmp(names->at.items[known], name) == 0)
        return known + 1;
    const char *copy = quipu__arena_text(&model->writer->arena, name, strlen(name));
    const char **slot = copy ? QUIPU__VEC_ADD(model->writer->writing->memory, &names->at) : NULL;
    if (!slot)
        return 0;
    *slot = copy;
    const uint32_t number = (uint32_t)names->at.count - 1;
    return quipu__map_put(&names->number_of, key, number) ? number + 1 : 0;
}

static struct quipu__otf_names *names_at(struct quipu__otf_model_writer *model, unsigned index) {
    struct quipu__otf_names *const names[] = {&model->function_groups, &model->counter_groups,
                                              &model->file_groups, &model->source_files};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

void quipu__otf_init_tokens(struct quipu__otf_model_writer *model) {
#define INIT(tokens, plural, singular) quipu__otf_tokens_init(&model->tokens, model->writer->writing->memory);
    TOKEN_CLASSES(INIT)
    INIT(collops, regions, region)
    for (unsigned i = 0; names_at(model, i); i++)
        quipu__map_init(&names_at(model, i)->number_of, model->writer->writing->memory);
}

void quipu__otf_release_tokens(struct quipu__otf_model_writer *model) {
#define RELEASE(tokens, plural, singular) quipu__otf_tokens_release(&model->tokens);
    TOKEN_CLASSES(RELEASE)
    RELEASE(collops, regions, region)
    for (unsigned i = 0; names_at(model, i); i++) {
        quipu__map_release(&names_at(model, i)->number_of);
        QUIPU__VEC_RELEASE(model->writer->writing->memory, &names_at(model, i)->at);
    }
}
