/* buffers.c: calls into a buffer that is too small; node 0 writes. Arguments: what is done when it is full, and the file. */
#include <picl.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int nodes, me, host;
    if (argc < 3)
        return 2;
    open0(&nodes, &me, &host);
    tracefiles("", me == 0 ? argv[2] : "", 0);
    tracelevel(1, 1, 1);
    tracenode(600, atoi(argv[1]), 0);
    for (int i = 0; i < 100; i++) {
        traceblockbegin(3, i, 0);
        traceblockend(3, i, 0);
    }
    close0();
    return 0;
}
