/* generate_dumpi.c: the program's MPI calls as a DUMPI trace: a metafile and a file per rank, as the recorder of
 * version 13 writes them, with both clocks and statuses. */
#include "generate.h"
#include "program.h"

#include <string.h>

enum {
    ID_ISEND = 8,
    ID_IRECV = 12,
    ID_WAIT = 13,
    ID_ALLREDUCE = 65,
    ID_INIT = 124,
    ID_FINALIZE = 125,
    ID_END = 293,
    ID_SLOTS = 291
};
enum { MASK = 0x4f, DOUBLE = 14, OP_SUM = 3, WORLD = 2, FIRST_REQUEST = 4, REQUESTS = 16, PREDEFINED = 28 };
static const uint64_t MAGIC = UINT64_C(0xffaadd44554d5049);
static const uint64_t FOOTER_MAGIC = UINT64_C(0x00000000f007fee7);

struct out {
    FILE *file;
    uint64_t offset;
    uint32_t calls[ID_SLOTS];
    uint64_t total;
    uint64_t cpu;
    int32_t request; /* number of the last request */
};

/* ---- Numbers ---- */

static void put(struct out *out, uint64_t value, unsigned bytes) {
    unsigned char data[8];
    for (unsigned i = 0; i < bytes; i++)
        data[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
    fwrite(data, 1, bytes, out->file);
    out->offset += bytes;
}

static void put_text(struct out *out, const char *text) {
    put(out, strlen(text), 2);
    fwrite(text, 1, strlen(text), out->file);
    out->offset += strlen(text);
}

static void put_clock(struct out *out, uint64_t ns) {
    put(out, ns / 1000000000 & 0xffff, 2);
    put(out, ns % 1000000000, 4);
}

/* ---- Calls ---- */

static void begin_call(struct out *out, unsigned id, uint64_t entry, uint64_t exit) {
    put(out, id, 2);
    put(out, MASK, 1);
    put(out, 0, 2);
    put_clock(out, out->cpu);
    out->cpu += (exit - entry) / 2;
    put_clock(out, out->cpu);
    put_clock(out, entry);
    put_clock(out, exit);
    out->calls[id]++;
    out->total++;
}

static void put_transfer(struct out *out, unsigned id, const struct program_event *event, int32_t request) {
    begin_call(out, id, event->time, event->time + 700);
    put(out, event->bytes / 8, 4);
    put(out, DOUBLE, 2);
    put(out, event->peer, 4);
    put(out, event->tag, 4);
    put(out, WORLD, 2);
    put(out, (uint32_t)request, 4);
}

static void put_wait(struct out *out, const struct program_event *event, int32_t request, uint64_t after) {
    begin_call(out, ID_WAIT, event->time + after, event->time + after + 2000);
    put(out, (uint32_t)request, 4);
    put(out, 1, 4);
    put(out, event->bytes, 4);
    put(out, event->peer, 4);
    put(out, 0, 2);
    put(out, event->tag, 4);
}

static void put_allreduce(struct out *out, uint64_t time) {
    begin_call(out, ID_ALLREDUCE, time, time + 1500);
    put(out, 1, 4);
    put(out, DOUBLE, 2);
    put(out, OP_SUM, 1);
    put(out, WORLD, 2);
}

/* A call and its wait for each message. MPI uses the handles of requests again, and so their numbers. A wait begins
 * before the next point of the step. */
static void put_event(struct out *out, const struct program_event *event) {
    switch (event->act) {
    case SEND:
    case RECEIVE:
        out->request = FIRST_REQUEST + (out->request + 1) % REQUESTS;
        put_transfer(out, event->act == SEND ? ID_ISEND : ID_IRECV, event, out->request);
        put_wait(out, event, out->request, 1000);
        break;
    case COLLECTIVE_BEGIN:
        put_allreduce(out, event->time);
        break;
    default:
        break;
    }
}

/* ---- Sections ---- */

static void put_header(struct out *out) {
    put(out, 13, 1);
    put(out, 0, 1);
    put(out, 0, 1);
    put(out, 1600000000, 8);
    put_text(out, "node");
    put_text(out, "user");
    put(out, 0, 4);
    put(out, 0, 4);
}

static void put_footer(struct out *out) {
    put(out, FOOTER_MAGIC, 8);
    out->calls[ID_SLOTS - 1] = (uint32_t)out->total;
    for (unsigned i = 0; i < ID_SLOTS; i++)
        put(out, out->calls[i], 4);
    for (unsigned i = 0; i < ID_SLOTS; i++)
        put(out, 0, 4);
}

static void put_sizes(struct out *out) {
    static const uint8_t sizes[PREDEFINED] = {[1] = 1, [DOUBLE] = 8};
    put(out, PREDEFINED, 4);
    for (unsigned i = 0; i < PREDEFINED; i++)
        put(out, sizes[i], 4);
}

static void put_sections(struct out *out) {
    uint64_t at[7]; /* in the order of the index: sizes, addresses, counters, header, body, footer, keyvals */
    put(out, ID_END, 2);
    at[3] = out->offset;
    put_header(out);
    at[5] = out->offset;
    put_footer(out);
    put(out, 0, 4); /* keyvals, which the recorder leaves out of the index */
    at[6] = 0;
    at[2] = out->offset;
    put(out, 0, 4);
    at[0] = out->offset;
    put_sizes(out);
    at[1] = out->offset;
    put(out, 0, 4);
    at[4] = 8;
    put(out, MAGIC, 8);
    for (int i = 0; i < 7; i++)
        put(out, at[i], 8);
}

/* ---- Files ---- */

static void write_metafile(const struct order *order) {
    const char *slash = strrchr(order->path, '/');
    FILE *file = create("%s.meta", order->path);
    fprintf(file,
            "hostname=node\nnumprocs=%u\nusername=user\nstartime=1600000000\nfileprefix=%s\n"
            "version=13\nsubversion=0\nsubsubversion=0\n",
            order->streams, slash ? slash + 1 : order->path);
    complete(file);
}

static void write_rank(const struct order *order, uint32_t rank) {
    const uint64_t steps = order->events * 8 / 33 / order->streams; /* 4 calls, and one in every eighth step */
    struct out out = {.file = create("%s-%04u.bin", order->path, rank), .request = FIRST_REQUEST};
    struct program program;
    struct program_event events[STEP_EVENTS_MOST];
    program_start(&program, rank, order->streams, order->seed);
    put(&out, MAGIC, 8);
    put(&out, 0, 8);
    begin_call(&out, ID_INIT, 0, 50);
    put(&out, 0, 4);
    while (program.step < steps) {
        const uint32_t count = program_step(&program, events);
        for (uint32_t i = 0; i < count; i++)
            put_event(&out, &events[i]);
    }
    begin_call(&out, ID_FINALIZE, program.time + 5000, program.time + 6000);
    put_sections(&out);
    complete(out.file);
}

void generate_dumpi(const struct order *order) {
    write_metafile(order);
    for (uint32_t rank = 0; rank < order->streams; rank++)
        write_rank(order, rank);
}
