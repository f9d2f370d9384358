/* processes.c: two looms with two processes of two threads each, all at the same time. */
#include "common.h"

static int process_number;

static void *work(void *argument) {
    const int index = *(int *)argument;
    ovni_thread_init(1000 * process_number + index + 1);
    ovni_proc_set_rank(process_number - 1, 4);
    if (index == 0)
        for (int cpu = 0; cpu < 2; cpu++)
            ovni_add_cpu(2 * ((process_number - 1) % 2) + cpu, cpu + 2 * ((process_number - 1) % 2));
    execute(2 * ((process_number - 1) % 2) + index, -1, 0);
    for (int i = 0; i < 1000; i++)
        emit("OB.");
    leave();
    return NULL;
}

static int be_process(int number) {
    pthread_t threads[2];
    int indices[2] = {0, 1};
    process_number = number;
    ovni_proc_init(1, number <= 2 ? "node1.0" : "node2.0", 100 * number);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &indices[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ovni_proc_fini();
    return 0;
}

int main(void) {
    int worst = 0, status;
    for (int number = 1; number <= 4; number++)
        if (fork() == 0)
            _exit(be_process(number));
    while (wait(&status) > 0)
        worst |= status;
    return worst != 0;
}
