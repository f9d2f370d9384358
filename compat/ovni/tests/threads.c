/* threads.c: four threads, each on a CPU of its own, that pause, cool and warm, and change CPUs by themselves and from
 * elsewhere; the main thread creates them. Thread 100 is the main one. */
#include "common.h"

static void *work(void *argument) {
    const int32_t index = *(int32_t *)argument;
    ovni_thread_init(101 + index);
    execute(index + 1, 100, (uint64_t)index);
    emit("OHp");
    emit("OHr");
    emit("OHc");
    emit("OHp");
    emit("OHw");
    emit("OHr");
    const int32_t own = 0;
    emit_bytes("OAs", &own, sizeof own);
    const int32_t back = index + 1;
    emit_bytes("OAs", &back, sizeof back);
    leave();
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int32_t indices[4] = {0, 1, 2, 3};
    ovni_version_check();
    ovni_proc_init(1, "node.0", 100);
    ovni_thread_init(100);
    for (int cpu = 0; cpu < 5; cpu++)
        ovni_add_cpu(cpu, 10 + cpu);
    execute(0, -1, 0);
    emit("OHp");
    for (int i = 0; i < 4; i++) {
        struct {
            int32_t cpu;
            uint64_t tag;
        } __attribute__((packed)) created = {indices[i] + 1, (uint64_t)i};
        emit_bytes("OHC", &created, sizeof created);
        pthread_create(&threads[i], NULL, work, &indices[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    emit("OHr");
    leave();
    ovni_proc_fini();
    return 0;
}
