/* ovni_emit.c: what it costs a program to emit an event with our libovni, beside a bare loop that reads the clock and stores as
 * many bytes. Prints lines "NAME NANOSECONDS", of many short rounds the fastest, since machines do other work too. The disk is
 * left out: large writes are dropped by the function below, which is found before the C library's. The argument is the folder
 * of the trace. */
#include <ovni.h>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 300
#define EVENTS 50000L
#define LARGE 100000

long syscall(long number, ...);

__attribute__((visibility("default"))) ssize_t write(int fd, const void *data, size_t size) {
    return size > LARGE ? (ssize_t)size : (ssize_t)syscall(SYS_write, fd, data, size);
}

static uint64_t system_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* ---- The bare loop ---- */

static uint8_t buffer[2 << 20];
static size_t used;

static __attribute__((noinline)) void store(uint64_t clock, const void *payload, size_t size) {
    const uint32_t head = 0x2e424f00;
    if (used + 12 + size > sizeof buffer)
        used = 0;
    memcpy(buffer + used, &head, sizeof head);
    memcpy(buffer + used + 4, &clock, sizeof clock);
    if (size)
        memcpy(buffer + used + 12, payload, size);
    used += 12 + size;
}

static void bare_12(uint64_t i) {
    (void)i;
    store(system_clock(), NULL, 0);
}

static void counter_12(uint64_t i) {
    (void)i;
    store(ovni_clock_now(), NULL, 0);
}

/* ---- Events ---- */

static inline void emit(const char *mcv, const void *payload, int size) {
    struct ovni_ev ev = {0};
    ovni_ev_set_clock(&ev, ovni_clock_now());
    ovni_ev_set_mcv(&ev, mcv);
    if (size)
        ovni_payload_add(&ev, payload, size);
    ovni_ev_emit(&ev);
}

static void emit_none(uint64_t i) {
    (void)i;
    emit("OB.", NULL, 0);
}

static void emit_16(uint64_t i) {
    const uint64_t payload[2] = {i, i};
    emit("OHx", payload, sizeof payload);
}

static void mark_set(uint64_t i) {
    ovni_mark_set(1, (int64_t)i + 1);
}

static double best_of(void (*act)(uint64_t i)) {
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t begin = system_clock();
        for (uint64_t i = 0; i < EVENTS; i++)
            act(i);
        const double each = (double)(system_clock() - begin) / (double)EVENTS;
        best = each < best ? each : best;
    }
    return best;
}

static const struct {
    const char *name;
    void (*act)(uint64_t i);
} measurements[] = {
    {"bare", bare_12}, {"counter", counter_12}, {"none", emit_none}, {"sixteen", emit_16}, {"mark", mark_set}};

int main(int argc, char **argv) {
    if (argc != 2 || setenv("OVNI_TRACEDIR", argv[1], 1) != 0)
        return 2;
    ovni_proc_init(1, "bench.0", 1);
    ovni_thread_init(1);
    ovni_add_cpu(0, 0);
    ovni_mark_type(1, 0, "mark");
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++)
        printf("%s %.2f\n", measurements[i].name, best_of(measurements[i].act));
    return 0;
}
