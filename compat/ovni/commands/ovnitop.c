/* ovnitop.c: how often each event occurs, the most frequent first. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct count {
    uint32_t code; /* model, category, value */
    uint64_t events;
};

struct top {
    struct command command;
    struct quipu__map positions;
    uint32_t recent
        [256]; /* positions by a hash of the code, which is tried before the map: a third of its instructions */
    QUIPU__VEC(struct count) counts;
    bool is_damaged;
};

static bool count_event(struct top *top, const struct quipu__ovni_event *event) {
    const uint32_t code = (uint32_t)event->model << 16 | (uint32_t)event->category << 8 | event->value;
    uint32_t *const recent = &top->recent[code * UINT32_C(0x9e3779b1) >> 24];
    if (*recent < top->counts.count && top->counts.items[*recent].code == code) {
        top->counts.items[*recent].events++;
        return true;
    }
    uint32_t position = quipu__map_get(&top->positions, code);
    if (position == QUIPU_NONE) {
        struct count *added = QUIPU__VEC_ADD(&top->command.memory, &top->counts);
        position = (uint32_t)(top->counts.count - 1);
        if (!added || !quipu__map_put(&top->positions, code, position))
            return false;
        added->code = code;
    }
    top->counts.items[position].events++;
    *recent = position;
    return true;
}

static enum quipu_status count_stream(struct top *top, const struct quipu__ovni_stream *stream,
                                      struct quipu_error *err) {
    struct quipu__ovni_walk walk;
    struct quipu__ovni_event event;
    enum quipu_status status =
        quipu__ovni_walk_open(&walk, &top->command.pool, stream->path, stream->has_header, 0, err);
    while (status == QUIPU_OK && (status = quipu__ovni_walk_next(&walk, &event, err)) == QUIPU_OK)
        if (!count_event(top, &event))
            status = QUIPU_NO_MEMORY;
    if (walk.damage != QUIPU__OVNI_RULE_COUNT) {
        command_say(&top->command, "ERROR", "%s: %s: %s", stream->path, quipu__ovni_rules[walk.damage].text,
                    walk.found);
        top->is_damaged = true;
    }
    quipu__ovni_walk_close(&walk);
    return status == QUIPU_END ? QUIPU_OK : status;
}

static int compare(const void *left, const void *right) {
    const struct count *a = left, *b = right;
    if (a->events != b->events)
        return a->events > b->events ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

static int count_streams(struct top *top) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < top->command.files.streams.count && status == QUIPU_OK; i++)
        status = count_stream(top, &top->command.files.streams.items[i], &err);
    if (status != QUIPU_OK)
        return command_fail(&top->command, &err);
    if (top->counts.count > 1)
        qsort(top->counts.items, top->counts.count, sizeof *top->counts.items, compare);
    for (size_t i = 0; i < top->counts.count; i++)
        printf("%c%c%c %10" PRIu64 "\n", (char)(top->counts.items[i].code >> 16),
               (char)(top->counts.items[i].code >> 8), (char)top->counts.items[i].code,
               top->counts.items[i].events);
    return fflush(stdout) == 0 && !top->is_damaged ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    static struct top top;
    if (getopt(argc, argv, "h") != -1 || optind >= argc)
        return command_usage("ovnitop", "DIR");
    if (!command_open(&top.command, "ovnitop", argv[optind]))
        return EXIT_FAILURE;
    quipu__map_init(&top.positions, &top.command.memory);
    const int code = command_is_sound(&top.command) ? count_streams(&top) : EXIT_FAILURE;
    QUIPU__VEC_RELEASE(&top.command.memory, &top.counts);
    quipu__map_release(&top.positions);
    command_close(&top.command);
    return code;
}
