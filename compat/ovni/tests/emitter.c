/* emitter.c FILE: four threads that emit until the program is killed. Each counts the events that it has emitted in FILE, which
 * is mapped; the payload of an event is its number. */
#include "common.h"

#include <fcntl.h>
#include <sys/mman.h>

static volatile uint64_t *emitted;

static void *work(void *argument) {
    const int index = *(int *)argument;
    ovni_thread_init(70 + index);
    for (int cpu = 0; cpu < 4; cpu++) /* each says all, since any may be killed before it has begun */
        ovni_add_cpu(cpu, cpu);
    execute(index, -1, 0);
    for (uint64_t number = 0;; number++) {
        emit_bytes("OB.", &number, sizeof number);
        emitted[index] = number + 1;
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[4];
    int indices[4] = {0, 1, 2, 3};
    const int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 2;
    emitted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ovni_proc_init(1, "killed.0", 70);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, &indices[i]);
    pthread_join(threads[0], NULL);
    return 0;
}
