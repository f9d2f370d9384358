/* messages.c: every node writes three messages, the first two before clocks are synchronised, between which messages are exchanged. The second
 * argument says what happens then: "own" gives each node a file of its own, "killed" ends all nodes without a trace. */
#include <picl.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[2] : "";
    int nodes, me, host, value = 0;
    char text[80], path[200];
    open0(&nodes, &me, &host);
    snprintf(path, sizeof path, strcmp(mode, "own") == 0 ? "%s%d" : "%s", argv[1], me);
    tracefiles("", path, 0);
    tracenode(100000, 0, 0);
    tracelevel(1, 1, 1);
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "message %d of node %d", i, me);
        tracemsg(text);
        if (i == 1)
            clocksync0();
        send0(&value, sizeof value, i, (me + 1) % nodes);
        recv0(&value, sizeof value, i);
    }
    if (strcmp(mode, "killed") == 0) {
        sync0();
        sleep(1); /* until all have come here */
        raise(SIGKILL);
    }
    close0();
    return 0;
}
