/* generate_otf.c: the program as an OTF trace: a master file, definitions, and a file of events per rank, plain or as
 * zlib streams flushed chunk by chunk and never finished, which is how OTF's own library writes them. */
#include "generate.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FUNCTIONS = 1, COUNTERS = 200, COMMUNICATOR = 2000, REDUCE = 300 }; /* first tokens */
enum { CHUNK = 1 << 20, LINES_MOST = 128 };

struct out {
    FILE *file;
    int level;
    z_stream zlib;
    char chunk[CHUNK];
    unsigned char packed[CHUNK + CHUNK / 8];
    size_t len;
};

static void open_out(struct out *out, const char *path, const char *suffix, int level) {
    out->file = create("%s.%s%s", path, suffix, level ? ".z" : "");
    out->level = level;
    out->len = 0;
    memset(&out->zlib, 0, sizeof out->zlib);
    if (level && deflateInit(&out->zlib, level) != Z_OK)
        abort();
}

static void flush_out(struct out *out) {
    if (!out->level) {
        fwrite(out->chunk, 1, out->len, out->file);
    } else if (out->len > 0) {
        out->zlib.next_in = (unsigned char *)out->chunk;
        out->zlib.avail_in = (uInt)out->len;
        out->zlib.next_out = out->packed;
        out->zlib.avail_out = sizeof out->packed;
        deflate(&out->zlib, Z_FULL_FLUSH);
        fwrite(out->packed, 1, sizeof out->packed - out->zlib.avail_out, out->file);
    }
    out->len = 0;
}

static void close_out(struct out *out) {
    flush_out(out);
    if (out->level)
        deflateEnd(&out->zlib);
    complete(out->file);
}

/* Room for the lines of one event. */
static char *lines_of(struct out *out) {
    if (out->len + LINES_MOST > sizeof out->chunk)
        flush_out(out);
    return out->chunk + out->len;
}

/* ---- Lines ---- */

static char *put_word(char *at, const char *word) {
    while (*word)
        *at++ = *word++;
    return at;
}

static char *put_hex(char *at, uint64_t value) {
    char digits[16];
    int count = 0;
    do
        digits[count++] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

/* A keyword and its number. */
static char *put_field(char *at, const char *word, uint64_t value) {
    return put_hex(put_word(at, word), value);
}

static char *put_message(char *at, const char *word, const struct program_event *event) {
    at = put_field(at, word, (uint64_t)event->peer + 1);
    at = put_field(at, "L", event->bytes);
    at = put_field(at, "T", event->tag);
    return put_field(at, "C", COMMUNICATOR);
}

static char *put_act(char *at, const struct program_event *event) {
    switch (event->act) {
    case ENTER:
        return put_field(at, "E", FUNCTIONS + event->region);
    case LEAVE:
        return put_field(at, "L", FUNCTIONS + event->region);
    case SEND:
        return put_message(at, "S", event);
    case RECEIVE:
        return put_message(at, "R", event);
    case COLLECTIVE_BEGIN:
        at = put_field(put_field(at, "COPB", REDUCE), "H", event->bytes);
        return put_word(put_field(at, "C", COMMUNICATOR), "RT0S8R8");
    case COLLECTIVE_END:
        return put_field(at, "COPE", event->bytes);
    case COUNTER:
        return put_field(put_field(at, "CNT", COUNTERS), "V", event->bytes);
    }
    return at;
}

static void put_event(struct out *out, const struct program_event *event, uint32_t process) {
    char *at = lines_of(out);
    at = put_hex(at, event->time);
    at = put_field(at, "\n*", process);
    *at++ = '\n';
    at = put_act(at, event);
    *at++ = '\n';
    out->len = (size_t)(at - out->chunk);
}

/* ---- Files ---- */

static void write_master(const struct order *order) {
    FILE *file = create("%s.otf", order->path);
    for (uint32_t i = 1; i <= order->streams; i++)
        fprintf(file, "%x:%x\n", i, i);
    complete(file);
}

static void write_definitions(const struct order *order) {
    FILE *file = create("%s.0.def", order->path);
    fprintf(file, "DV1.c.5\"salmon\"\nDTR%x\n", 1000000000);
    for (uint32_t i = 1; i <= order->streams; i++)
        fprintf(file, "DP%xNM\"rank %u\"\n", i, i - 1);
    fprintf(file, "DPG%xM", COMMUNICATOR);
    for (uint32_t i = 1; i <= order->streams; i++)
        fprintf(file, "%x,", i);
    fprintf(file, "NM\"MPI_COMM_WORLD\"\nDFG%xNM\"program\"\nDFG%xNM\"MPI\"\n", 1, 2);
    for (uint32_t i = 0; i < REGION_COUNT; i++)
        fprintf(file, "DF%xG%xNM\"%s\"\n", FUNCTIONS + i, i > REGION_SOLVE && i < REGION_KERNELS ? 2 : 1,
                program_region_name(i));
    fprintf(file, "DCO%xNM\"MPI_Allreduce\"Y4\n", REDUCE);
    fprintf(file, "DCG%xNM\"hardware\"\nDCNT%xG%xNM\"instructions\"P0U\"#\"\n", 1, COUNTERS, 1);
    complete(file);
}

static void write_events(const struct order *order, uint32_t rank, struct out *out) {
    const uint64_t steps = program_steps(order->events, order->streams);
    struct program program;
    struct program_event events[STEP_EVENTS_MOST];
    char suffix[32];
    snprintf(suffix, sizeof suffix, "%x.events", rank + 1);
    open_out(out, order->path, suffix, order->compression);
    program_start(&program, rank, order->streams, order->seed);
    while (program.step < steps) {
        const uint32_t count = program_step(&program, events);
        for (uint32_t i = 0; i < count; i++)
            put_event(out, &events[i], rank + 1);
    }
    close_out(out);
}

void generate_otf(const struct order *order) {
    struct out *out = malloc(sizeof *out);
    if (!out)
        abort();
    write_master(order);
    write_definitions(order);
    for (uint32_t rank = 0; rank < order->streams; rank++)
        write_events(order, rank, out);
    free(out);
}
