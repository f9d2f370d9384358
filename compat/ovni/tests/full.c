/* full.c BYTES: emits a million events while files may not have more than BYTES; its exit code is 7 in any case. */
#include "common.h"

#include <sys/resource.h>

int main(int argc, char **argv) {
    const struct rlimit limit = {argc > 1 ? strtoul(argv[1], NULL, 10) : RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    ovni_proc_init(1, "full.0", 80);
    ovni_thread_init(80);
    ovni_add_cpu(0, 0);
    execute(0, -1, 0);
    for (int i = 0; i < 1000000; i++)
        emit("OB.");
    leave();
    ovni_proc_fini();
    return 7;
}
