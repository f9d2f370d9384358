/* marks.c: marks of both kinds, with labels, from two threads. */
#include "common.h"

static void *work(void *argument) {
    (void)argument;
    ovni_thread_init(12);
    execute(1, 11, 0);
    ovni_mark_set(1, -7);
    ovni_mark_push(2, INT64_MAX);
    ovni_mark_pop(2, INT64_MAX);
    leave();
    return NULL;
}

int main(void) {
    pthread_t other;
    ovni_proc_init(3, "marks.0", 10);
    ovni_thread_init(11);
    ovni_add_cpu(0, 0);
    ovni_add_cpu(1, 1);
    ovni_mark_type(1, 0, "Iteration");
    ovni_mark_label(1, 5, "the fifth");
    ovni_mark_type(2, OVNI_MARK_STACK, "Phase \"x\"");
    ovni_mark_label(2, 1, "outer/inner");
    execute(0, -1, 0);
    ovni_mark_push(2, 1);
    for (int64_t i = 1; i <= 10; i++)
        ovni_mark_set(1, i);
    ovni_mark_push(2, 2);
    ovni_mark_pop(2, 2);
    ovni_mark_pop(2, 1);
    pthread_create(&other, NULL, work, NULL);
    pthread_join(other, NULL);
    leave();
    ovni_proc_fini();
    return 0;
}
