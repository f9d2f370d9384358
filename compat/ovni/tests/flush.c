/* flush.c: flushes beside each other, at the beginning and at the end, and events behind the last one. */
#include "common.h"

int main(void) {
    ovni_proc_init(1, "flush.0", 40);
    ovni_thread_init(40);
    ovni_add_cpu(0, 0);
    ovni_flush();
    execute(0, -1, 0);
    emit("OB.");
    ovni_flush();
    ovni_flush();
    emit("OB.");
    ovni_flush();
    emit("OHe");
    ovni_thread_free();
    ovni_proc_fini();
    return 0;
}
