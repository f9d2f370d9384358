/* ring.c: the program of the specification's worked example: a number goes from node 0 to all others, and another one along the ring. Node
 * n-2 writes its trace, or all nodes do. A sender is late on purpose, so that receiving is waiting. */
#include <picl.h>
#include <stdio.h>
#include <time.h>

static void pause_ms(long ms) {
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv) {
    const char *trace = argc > 1 ? argv[1] : "trace";
    int n, me, host;
    double start, x = 0;
    tracenode(10000, 0, 0);
    tracelevel(1, 1, 1);
    traceevents(2, 1, 1, 1, 1, 1);
    open0(&n, &me, &host);
    if (me == n - 2 || argc > 2)
        tracefiles("", (char *)trace, 0);
    clocksync0();
    traceblockbegin(0, 0, 0);
    if (me == 0) {
        pause_ms(300);
        send0(&x, 8, 0, -1);
    } else {
        recv0(&x, 8, 0);
    }
    traceblockend(0, 0, 0);
    start = clock0();
    tracedata(0, 0, "double", 1, &start);
    traceblockbegin(1, 0, 0);
    if (me > 0)
        recv0(&x, 8, 1);
    pause_ms(100);
    if (me < n - 1)
        send0(&x, 8, 1, me + 1);
    traceblockend(1, 0, 0);
    x = clock0() - start;
    tracedata(1, 0, "double", 1, &x);
    close0();
    return 0;
}
