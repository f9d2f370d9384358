/* generate_picl.c: the program as a PICL trace of the new format: one file, process behind process, each with tracing as its
 * outermost event. Kernels are blocks of the user with two parameters, as PICL's own library writes them. A unit of the program's
 * time is a microsecond here, so that six decimals say it all. */
#include "generate.h"
#include "program.h"

#include <inttypes.h>
#include <string.h>

enum { ENTRY = -3, EXIT = -4, SAMPLE = 0 };
enum { TRACING = -901, SYNC = -401, RECV = -52, SENDING = -21 };

static int event_of(uint32_t region) {
    static const int of_region[] = {
        [REGION_SEND] = SENDING, [REGION_RECEIVE] = RECV, [REGION_ALLREDUCE] = SYNC};
    return region > REGION_SOLVE && region < REGION_KERNELS ? of_region[region] : (int)region;
}

/* An event and what it knows of the call that it is in. */
struct line {
    FILE *file;
    const struct program *program;
    uint64_t time;
};

static void put_head(const struct line *line, int type, int event) {
    fprintf(line->file, "%d %d %" PRIu64 ".%06u %" PRIu32 " 0 ", type, event, line->time / 1000000,
            (unsigned)(line->time % 1000000), line->program->rank);
}

static void put_call(const struct line *line, int type, uint32_t region) {
    const int event = event_of(region);
    put_head(line, type, event);
    if (event < 0)
        fputs("0\n", line->file);
    else
        fprintf(line->file, "2 2 %" PRIu64 " %" PRIu32 "\n", line->program->step - 1, region);
}

static void put_message(const struct line *line, int type, const struct program_event *event) {
    put_head(line, type, event->act == SEND ? SENDING : RECV);
    fprintf(line->file, "3 2 %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", event->bytes, event->tag, event->peer);
}

/* A send says what it sends at its entry, a receive asks for a tag there and says at its exit what has come. So the program's entry
 * of a send and its exit of a receive are left out. */
static void put_event(const struct line *line, const struct program_event *events, uint32_t i) {
    const struct program_event *event = &events[i];
    switch (event->act) {
    case ENTER:
        if (event->region == REGION_RECEIVE) {
            put_head(line, ENTRY, RECV);
            fprintf(line->file, "1 2 %" PRIu32 "\n", events[i + 1].tag);
        } else if (event->region != REGION_SEND) {
            put_call(line, ENTRY, event->region);
        }
        break;
    case LEAVE:
        if (event->region != REGION_RECEIVE)
            put_call(line, EXIT, event->region);
        break;
    case SEND:
        put_message(line, ENTRY, event);
        break;
    case RECEIVE:
        put_message(line, EXIT, event);
        break;
    case COUNTER:
        put_head(line, SAMPLE, 0);
        fprintf(line->file, "1 2 %" PRIu64 "\n", event->bytes);
        break;
    case COLLECTIVE_BEGIN:
    case COLLECTIVE_END:
        break;
    }
}

static void put_process(FILE *file, const struct order *order, uint32_t rank) {
    const uint64_t steps = program_steps(order->events, order->streams);
    struct program program;
    struct program_event events[STEP_EVENTS_MOST];
    struct line line = {file, &program, 0};
    program_start(&program, rank, order->streams, order->seed);
    put_head(&line, ENTRY, TRACING);
    fputs("0\n", file);
    while (program.step < steps) {
        const uint32_t count = program_step(&program, events);
        for (uint32_t i = 0; i < count; i++) {
            line.time = events[i].time;
            put_event(&line, events, i);
        }
    }
    put_head(&line, EXIT, TRACING);
    fputs("0\n", file);
}

void generate_picl(const struct order *order) {
    FILE *file = create("%s.picl", order->path);
    for (uint32_t rank = 0; rank < order->streams; rank++)
        put_process(file, order, rank);
    complete(file);
}
