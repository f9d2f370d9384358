/* bursts.c: 300,000 events, which fill the buffer once, behind three bursts of a hundred. */
#include "common.h"

int main(void) {
    ovni_proc_init(1, "bursts.0", 20);
    ovni_thread_init(20);
    ovni_add_cpu(0, 0);
    execute(0, -1, 0);
    for (int i = 0; i < 300; i++)
        emit("OB.");
    for (int i = 0; i < 299700; i++)
        emit("OB.");
    leave();
    ovni_proc_fini();
    return 0;
}
