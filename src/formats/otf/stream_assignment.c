/* stream_assignment.c: see writer.h. */
#include "formats/otf/writer.h"

#include <stdlib.h>

void quipu__otf_assignment_init(struct quipu__otf_assignment *assignment, struct quipu__memory *memory) {
    *assignment = (struct quipu__otf_assignment){.memory = memory};
    quipu__tokens_init(&assignment->streams, memory);
}

void quipu__otf_assignment_release(struct quipu__otf_assignment *assignment) {
    QUIPU__VEC_RELEASE(assignment->memory, &assignment->mapping);
    quipu__tokens_release(&assignment->streams);
}

static bool add_pair(struct quipu__otf_assignment *assignment, uint32_t stream, uint32_t process) {
    return QUIPU__VEC_PUT(assignment->memory, &assignment->mapping, (uint64_t)stream << 32 | process);
}

bool quipu__otf_assignment_add(struct quipu__otf_assignment *assignment,
                               const struct quipu__otf_MasterStream *line) {
    bool done = true;
    if (line->stream == QUIPU__OTF_GLOBAL_STREAM || line->stream > QUIPU__OTF_LAST_STREAM)
        return true;
    for (uint32_t i = 0; i < quipu_sized_count(line->processes) && done; i++) {
        if (quipu__tokens_get(&assignment->streams, line->processes[i]) != QUIPU_NONE)
            continue; /* the first line that names a process counts */
        done = add_pair(assignment, line->stream, line->processes[i]) &&
               quipu__tokens_put(&assignment->streams, line->processes[i], line->stream);
    }
    return done;
}

static int compare_mapping(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

void quipu__otf_sort_mapping(uint64_t *mapping, size_t count) {
    if (count > 0)
        qsort(mapping, count, sizeof *mapping, compare_mapping);
}

static bool add_defined(struct quipu__otf_assignment *assignment, const struct quipu_definitions *definitions) {
    bool done = true;
    for (uint32_t i = 0; definitions && i < definitions->locations.count && done; i++)
        if (definitions->locations.items[i].native_id < QUIPU__KEYED_NO_PROCESS)
            done = add_pair(assignment, 1, (uint32_t)definitions->locations.items[i].native_id);
    return done;
}

bool quipu__otf_distribute(struct quipu__otf_assignment *assignment, uint32_t streams,
                           const struct quipu_definitions *definitions) {
    if (assignment->mapping.count == 0 && !add_defined(assignment, definitions))
        return false;
    const size_t total = assignment->mapping.count;
    const uint32_t most = total > 0 ? (uint32_t)total : 1;
    bool done = true;
    assignment->stream_count = streams < most ? streams : most;
    quipu__otf_sort_mapping(assignment->mapping.items, total);
    const size_t least = total / assignment->stream_count, larger = total % assignment->stream_count;
    const size_t in_larger = larger * (least + 1);
    for (size_t i = 0; i < total && done; i++) {
        const size_t block = i < in_larger ? i / (least + 1) : larger + (i - in_larger) / least;
        const uint32_t process = (uint32_t)assignment->mapping.items[i];
        assignment->mapping.items[i] = (uint64_t)(block + 1) << 32 | process;
        done = quipu__tokens_put(&assignment->streams, process, (uint32_t)block + 1);
    }
    return done;
}

uint32_t quipu__otf_assign_unknown(struct quipu__otf_assignment *assignment, uint32_t process) {
    const bool is_process = process != QUIPU__KEYED_NO_PROCESS;
    const uint32_t stream = is_process ? assignment->stream_count : 1;
    const bool done = !is_process || (add_pair(assignment, stream, process) &&
                                      quipu__tokens_put(&assignment->streams, process, stream));
    return done ? stream : 0;
}

void quipu__otf_put_mapping(struct quipu__buffer *out, const uint64_t *mapping, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool is_first = i == 0 || mapping[i - 1] >> 32 != mapping[i] >> 32;
        if (is_first && i > 0)
            quipu__put_u8(out, '\n');
        if (is_first)
            quipu__put_hex(out, mapping[i] >> 32);
        quipu__put_u8(out, is_first ? ':' : ',');
        quipu__put_hex(out, mapping[i] & UINT32_MAX);
    }
    if (count > 0)
        quipu__put_u8(out, '\n');
}
