/* exchange.c: many messages with a small buffer that is written out. usage: exchange TRACE */
#include <picl.h>

int main(int argc, char **argv) {
    int nodes, me, host, data[64] = {0};
    open0(&nodes, &me, &host);
    tracefiles("temporary", argc > 1 ? argv[1] : "", 0);
    tracelevel(3, 3, 3);
    tracenode(3000, 1, 0);
    for (int i = 0; i < 200; i++) {
        send0(data, 4, i, (me + 1) % nodes);
        recv0(data, 4, i);
    }
    traceexit();
    close0();
    return 0;
}
