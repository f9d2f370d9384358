/* common.h: what the test programs share. They use ovni.h alone, as any instrumented program. */
#ifndef QUIPU_OVNI_TESTS_COMMON_H
#define QUIPU_OVNI_TESTS_COMMON_H

#include <ovni.h>

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void emit_bytes(const char *mcv, const void *payload, int size) {
    struct ovni_ev ev = {0};
    ovni_ev_set_clock(&ev, ovni_clock_now());
    ovni_ev_set_mcv(&ev, mcv);
    if (size)
        ovni_payload_add(&ev, payload, size);
    ovni_ev_emit(&ev);
}

static inline void emit(const char *mcv) {
    emit_bytes(mcv, NULL, 0);
}

/* The thread begins on a CPU. */
static inline void execute(int32_t cpu, int32_t creator, uint64_t tag) {
    struct {
        int32_t cpu, creator;
        uint64_t tag;
    } payload = {cpu, creator, tag};
    emit_bytes("OHx", &payload, sizeof payload);
}

static inline void leave(void) {
    emit("OHe");
    ovni_flush();
    ovni_thread_free();
}

#endif
