/* swap.c: what buffered sends allow. The first argument says what is done:
 *
 *     swap      every node sends 1 MB to every node, itself included, changes the buffer, and then receives as many
 *     lost      every node sends 1 MB that is not received
 *     bound     node 0 sends 200 MB to node 1, which begins to receive a second later; what node 0 has had in memory at most, in kB
 *     room      node 0 sends itself more than there is room for */
#include <picl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1 << 20, TYPE = 7, NODES_MOST = 16, LARGE = 200 };

static int nodes, me, host;
static char out[BYTES], in[BYTES];

static void receive(int *seen) {
    int bytes, type, node;
    recv0(in, BYTES, TYPE);
    recvinfo0(&bytes, &type, &node);
    if (bytes != BYTES || in[0] != node || memcmp(in, in + 1, BYTES - 1) != 0 || seen[node]++ > 0)
        exit(1);
}

static void swap(void) {
    int seen[NODES_MOST] = {0};
    memset(out, me, BYTES);
    for (int node = 0; node < nodes; node++)
        send0(out, BYTES, TYPE, node);
    memset(out, 99, BYTES);
    for (int i = 0; i < nodes; i++)
        receive(seen);
}

static long most_memory(void) {
    char line[256];
    long kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes;
}

static void fill_bound(void) {
    const struct timespec pause = {1, 0};
    if (me == 1)
        nanosleep(&pause, NULL);
    for (int i = 0; i < LARGE && me == 0; i++)
        send0(out, BYTES, TYPE, 1);
    for (int i = 0; i < LARGE && me == 1; i++)
        recv0(in, BYTES, TYPE);
    if (me == 0)
        printf("most memory %ld\n", most_memory());
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    open0(&nodes, &me, &host);
    if (strcmp(mode, "swap") == 0)
        swap();
    if (strcmp(mode, "lost") == 0)
        send0(out, BYTES, TYPE, (me + 1) % nodes);
    if (strcmp(mode, "bound") == 0)
        fill_bound();
    for (int i = 0; i < LARGE && strcmp(mode, "room") == 0 && me == 0; i++)
        send0(out, BYTES, TYPE, 0);
    close0();
    if (me == 0)
        printf("%s is done by %d nodes\n", mode, nodes);
    return 0;
}
