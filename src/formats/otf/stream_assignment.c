/* stream_assignment.c: see stream_assignment.h. */
#include "formats/otf/stream_assignment.h"

#include <stdlib.h>

void quipu__otf_deal_init(struct quipu__otf_deal *deal, struct quipu__memory *memory) {
    *deal = (struct quipu__otf_deal){.memory = memory};
    quipu__tokens_init(&deal->streams, memory);
}

void quipu__otf_deal_release(struct quipu__otf_deal *deal) {
    QUIPU__VEC_RELEASE(deal->memory, &deal->pairs);
    quipu__tokens_release(&deal->streams);
}

static bool add_pair(struct quipu__otf_deal *deal, uint32_t stream, uint32_t process) {
    uint64_t *pair = QUIPU__VEC_ADD(deal->memory, &deal->pairs);
    if (pair)
        *pair = (uint64_t)stream << 32 | process;
    return pair != NULL;
}

bool quipu__otf_deal_add(struct quipu__otf_deal *deal, const struct quipu__otf_MasterStream *line) {
    bool done = true;
    if (line->stream == QUIPU__OTF_GLOBAL_STREAM || line->stream > QUIPU__OTF_LAST_STREAM)
        return true;
    for (uint32_t i = 0; i < quipu_sized_count(line->processes) && done; i++) {
        if (quipu__tokens_get(&deal->streams, line->processes[i]) != QUIPU_NONE)
            continue; /* the first line that names a process counts */
        done = add_pair(deal, line->stream, line->processes[i]) &&
               quipu__tokens_put(&deal->streams, line->processes[i], line->stream);
    }
    return done;
}

static int compare_pairs(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

void quipu__otf_sort_mapping(uint64_t *pairs, size_t count) {
    if (count > 0)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
}

static bool add_defined(struct quipu__otf_deal *deal, const struct quipu_definitions *definitions) {
    bool done = true;
    for (uint32_t i = 0; definitions && i < definitions->locations.count && done; i++)
        if (definitions->locations.items[i].native_id < QUIPU__KEYED_NO_PROCESS)
            done = add_pair(deal, 1, (uint32_t)definitions->locations.items[i].native_id);
    return done;
}

bool quipu__otf_deal_out(struct quipu__otf_deal *deal, uint32_t streams,
                         const struct quipu_definitions *definitions) {
    if (deal->pairs.count == 0 && !add_defined(deal, definitions))
        return false;
    const size_t total = deal->pairs.count;
    const uint32_t most = total > 0 ? (uint32_t)total : 1;
    bool done = true;
    deal->stream_count = streams < most ? streams : most;
    quipu__otf_sort_mapping(deal->pairs.items, total);
    const size_t least = total / deal->stream_count, larger = total % deal->stream_count;
    const size_t in_larger = larger * (least + 1);
    for (size_t i = 0; i < total && done; i++) {
        const size_t block = i < in_larger ? i / (least + 1) : larger + (i - in_larger) / least;
        const uint32_t process = (uint32_t)deal->pairs.items[i];
        deal->pairs.items[i] = (uint64_t)(block + 1) << 32 | process;
        done = quipu__tokens_put(&deal->streams, process, (uint32_t)block + 1);
    }
    return done;
}

uint32_t quipu__otf_deal_unknown(struct quipu__otf_deal *deal, uint32_t process) {
    const bool is_process = process != QUIPU__KEYED_NO_PROCESS;
    const uint32_t stream = is_process ? deal->stream_count : 1;
    const bool done =
        !is_process || (add_pair(deal, stream, process) && quipu__tokens_put(&deal->streams, process, stream));
    return done ? stream : 0;
}

void quipu__otf_put_mapping(struct quipu__buffer *out, const uint64_t *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool is_first = i == 0 || pairs[i - 1] >> 32 != pairs[i] >> 32;
        if (is_first && i > 0)
            quipu__put_u8(out, '\n');
        if (is_first)
            quipu__put_hex(out, pairs[i] >> 32);
        quipu__put_u8(out, is_first ? ':' : ',');
        quipu__put_hex(out, pairs[i] & UINT32_MAX);
    }
    if (count > 0)
        quipu__put_u8(out, '\n');
}
