/* generate_charisma.c: the file accesses of a made-up job as a CHARISMA trace of the lp64 profile: every client reads and writes
 * a file of its own and one that all share, and now and then all read together. Files have 64 MiB, over which the job goes again and
 * again. Clients are as many as the order has streams. */
#include "generate.h"

#include <string.h>

enum { HEADER, APP_LOAD, APP_EXIT, APP_OPEN = 5, CLIENT_OPEN, APP_CLOSE, CLIENT_CLOSE, RW, ASYNCH_END = 14 };
enum { ASYNCHRONOUS = 1, WRITE = 2, OF_CLIENT = 4 };
enum {
    APPLICATION = 7,
    OWN = 3,
    SHARED = 4,
    NAME = 64,
    PATH = 256,
    RELEASE = 80,
    TICKS = 1000,
    TOGETHER = 64,
    BLOCKS = 1 << 17
};

/* Little-endian structs, laid out as a compiler does. */
struct out {
    FILE *file;
    unsigned offset; /* in the record */
};

static void put(struct out *out, uint64_t value, unsigned bytes) {
    for (; out->offset % bytes; out->offset++)
        fputc(0, out->file);
    for (unsigned i = 0; i < bytes; i++, out->offset++)
        fputc((int)(value >> 8 * i & 0xff), out->file);
}

static void put_text(struct out *out, const char *text, unsigned length) {
    for (unsigned i = 0; i < length; i++, out->offset++)
        fputc(i < strlen(text) ? text[i] : 0, out->file);
}

static void begin(struct out *out, unsigned type) {
    out->offset = 0;
    put(out, type, 2);
}

static void end(struct out *out) {
    for (; out->offset % 8; out->offset++)
        fputc(0, out->file);
}

static void put_header(struct out *out, uint32_t clients) {
    const double unit = 1e-9;
    uint64_t bits;
    memcpy(&bits, &unit, sizeof bits);
    begin(out, HEADER);
    put(out, 760000000, 8);
    put(out, 0, 8);
    put(out, 0, 8);
    put(out, 0, 8);
    put(out, 100, 1);
    put(out, 1, 4);
    put_text(out, "generated", RELEASE);
    put(out, clients, 4);
    for (unsigned i = 0; i < 4; i++)
        put(out, 4, 4);
    put(out, bits, 8);
    end(out);
}

/* The struct has room for one client and 4 bytes behind it, which stand behind the last one. */
static void put_load(struct out *out, uint32_t clients) {
    begin(out, APP_LOAD);
    put(out, TICKS, 8);
    put_text(out, "solver", NAME);
    put_text(out, "/bin", PATH);
    put(out, 1000, 4);
    put(out, 1 << 20, 8);
    put(out, APPLICATION, 4);
    put(out, clients, 2);
    for (uint32_t i = 0; i < clients; i++)
        put(out, i + 1, 4);
    put(out, 0, 4);
}

static void put_open(struct out *out, unsigned type, uint32_t owner, uint64_t file, unsigned descriptor) {
    char name[20];
    snprintf(name, sizeof name, "data%u", (unsigned)file);
    begin(out, type);
    put(out, 2 * TICKS, 8);
    put(out, owner, 4);
    put_text(out, name, NAME);
    put_text(out, "/scratch", PATH);
    put(out, file, 8);
    put(out, descriptor, 4);
    put(out, 0, 8);
    put(out, 750000000, 8);
    put(out, 0x02, 1);
    end(out);
}

static void put_close(struct out *out, unsigned type, uint64_t time, uint32_t owner, unsigned descriptor) {
    begin(out, type);
    put(out, time, 8);
    put(out, owner, 4);
    put(out, descriptor, 4);
    put(out, 1 << 20, 8);
    end(out);
}

/* Requests of count clients from first on. */
static void put_requests(struct out *out, uint64_t time, unsigned operation, unsigned descriptor,
                         uint64_t number, uint32_t first, uint32_t count) {
    begin(out, RW);
    put(out, time, 8);
    put(out, time + TICKS / 2, 8);
    put(out, descriptor, 4);
    put(out, operation, 1);
    put(out, operation & ASYNCHRONOUS ? number : 0, 8);
    put(out, operation & OF_CLIENT ? UINT32_MAX : APPLICATION, 4);
    put(out, count, 2);
    for (uint32_t i = 0; i < count; i++) {
        put(out, (number * count + i) % BLOCKS * 512, 8);
        put(out, 4096, 8);
        put(out, number % 5 ? 512 : 4096, 8);
        put(out, first + i, 4);
        end(out);
    }
}

static void put_asynch_end(struct out *out, uint64_t time, uint64_t number, uint32_t client) {
    begin(out, ASYNCH_END);
    put(out, time + TICKS * 3 / 4, 8);
    put(out, time + TICKS * 7 / 8, 8);
    put(out, number, 8);
    put(out, client, 4);
    put(out, UINT32_MAX, 4);
    end(out);
}

static void put_step(struct out *out, uint64_t number, uint32_t clients) {
    const uint32_t client = (uint32_t)(number % clients) + 1;
    const uint64_t time = (number + 3) * TICKS;
    if (number % TOGETHER == TOGETHER - 1) {
        put_requests(out, time, 0, SHARED, number, 1, clients);
    } else if (number % 16 == 5) {
        put_requests(out, time, ASYNCHRONOUS | OF_CLIENT, OWN, number, client, 1);
        put_asynch_end(out, time, number, client);
    } else {
        put_requests(out, time, OF_CLIENT | (number % 3 ? 0 : WRITE), number % 4 ? OWN : SHARED, number, client,
                     1);
    }
}

void generate_charisma(const struct order *order) {
    const uint32_t clients = order->streams < UINT16_MAX ? order->streams : UINT16_MAX;
    const uint64_t last = (order->events + 4) * TICKS;
    struct out out = {create("%s.ctrace", order->path), 0};
    fwrite("\x67\x45\x23\x01\1\0\0\0", 1, 8, out.file);
    put_header(&out, clients);
    put_load(&out, clients);
    put_open(&out, APP_OPEN, APPLICATION, 1, SHARED);
    for (uint32_t i = 0; i < clients; i++)
        put_open(&out, CLIENT_OPEN, i + 1, i + 2, OWN);
    for (uint64_t i = 0; i < order->events; i++)
        put_step(&out, i, clients);
    for (uint32_t i = 0; i < clients; i++)
        put_close(&out, CLIENT_CLOSE, last, i + 1, OWN);
    put_close(&out, APP_CLOSE, last, APPLICATION, SHARED);
    begin(&out, APP_EXIT);
    put(&out, last, 8);
    put(&out, APPLICATION, 4);
    end(&out);
    complete(out.file);
}
