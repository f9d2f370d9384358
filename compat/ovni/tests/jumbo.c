/* jumbo.c: jumbo events of all sizes that are special to a buffer of 2 MiB. The data of each are the lower bytes of their
 * offsets. */
#include "common.h"

int main(void) {
    static const uint32_t sizes[] = {0,       1,       15,      16,      1000,    65536,   1000000,
                                     1000000, 1000000, 2097111, 2097112, 2097123, 2097124, 2097135};
    static uint8_t data[2097152];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    ovni_proc_init(1, "jumbo.0", 30);
    ovni_thread_init(30);
    ovni_add_cpu(0, 0);
    execute(0, -1, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ovni_ev ev = {0};
        ovni_ev_set_clock(&ev, ovni_clock_now());
        ovni_ev_set_mcv(&ev, "OUj");
        ovni_ev_jumbo_emit(&ev, sizes[i] ? data : NULL, sizes[i]);
    }
    leave();
    ovni_proc_fini();
    return 0;
}
