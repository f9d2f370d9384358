/* calls.c: every call of communication, with what must come of it. Each operation has a type of its own: receiving selects by nothing
 * else. */
#include <picl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, nodes, host;

static void expect(int is_right, const char *what) {
    if (is_right)
        return;
    printf("node %d: wrong: %s\n", me, what);
    exit(1);
}

static void messages(void) {
    int value = me, other = -1, bytes, type, node;
    const int next = (me + 1) % nodes, previous = (me + nodes - 1) % nodes;
    recvbegin0(&other, sizeof other, 7);
    sendbegin0(&value, sizeof value, 7, next);
    while (!recvstatus0(7))
        ;
    sendend0(7);
    recvinfo0(&bytes, &type, &node);
    expect(other == previous && bytes == sizeof other && type == 7 && node == previous, "recvstatus0");
    send0(&value, sizeof value, 8, next);
    wait0(8);
    recvinfo0(&bytes, &type, &node);
    expect(type == 8 && node == previous && probe0(8) == 1, "wait0, probe0");
    recv0(&other, sizeof other, -1);
    expect(other == previous && probe0(8) == 0, "recv0 of any type");
    recvbegin0(&other, sizeof other, 9);
    sync0();
    sendbegin0(&value, sizeof value, 9, next);
    recvend0(9);
    while (!sendstatus0(9))
        ;
    expect(other == previous, "recvend0");
    barrier0();
}

static void add(void *into, void *from, int items, int datatype) {
    for (int i = 0; i < items; i++)
        ((int *)into)[i] += ((int *)from)[i];
    expect(datatype == PICL_INT, "gcomb0's type of data");
}

static void collectives(void) {
    const int root = nodes - 1;
    char text[16] = "";
    if (me == 1)
        strcpy(text, "hello");
    bcast0(text, sizeof text, 1, 1);
    expect(strcmp(text, "hello") == 0, "bcast0");
    if (me == 0)
        strcpy(text, "again");
    else
        recv0(text, sizeof text, 2);
    bcast1(text, sizeof text, 2, 0);
    expect(strcmp(text, "again") == 0, "bcast1");
    float vector[8] = {0};
    vector[me] = (float)(me + 1);
    gather0(vector, nodes, 20, root);
    for (int i = 0; me == root && i < nodes; i++)
        expect(vector[i] == (float)(i + 1), "gather0");
    int totals[2] = {me, 1};
    gcomb0(totals, 2, PICL_INT, 21, 0, add);
    expect(me != 0 || (totals[0] == nodes * (nodes - 1) / 2 && totals[1] == nodes), "gcomb0");
    double largest = me * 1.5;
    gmax0(&largest, 1, PICL_DOUBLE, 22, root);
    expect(me != root || largest == (nodes - 1) * 1.5, "gmax0");
    short smallest = (short)(10 - me);
    gmin0(&smallest, 1, PICL_SHORT, 23, root);
    expect(me != root || smallest == 10 - (nodes - 1), "gmin0");
    long product = me + 1, factorial = 1;
    for (int i = 1; i <= nodes; i++)
        factorial *= i;
    gprod0(&product, 1, PICL_LONG, 24, 0);
    expect(me != 0 || product == factorial, "gprod0");
    float total = 0.5F;
    gsum0(&total, 1, PICL_FLOAT, 25, 2);
    expect(me != 2 || total == 0.5F * (float)nodes, "gsum0");
    int bits[3] = {~(1 << me), 1 << me, 1};
    gand0(&bits[0], 1, PICL_INT, 26, 0);
    gor0(&bits[1], 1, PICL_INT, 27, 0);
    gxor0(&bits[2], 1, PICL_INT, 28, 0);
    expect(me != 0 || bits[0] == ~((1 << nodes) - 1), "gand0");
    expect(me != 0 || (bits[1] == (1 << nodes) - 1 && bits[2] == nodes % 2), "gor0, gxor0");
}

static void numbers(void) {
    int n, top, ord, dir;
    for (int i = 0; i < 64; i++)
        expect(ginv0(gray0(i)) == i, "gray0");
    expect(gray0(5) == 7 && neighbor0(2, 1) == 5 && antipode0(0) == 7, "neighbor0, antipode0");
    expect(datasize0(PICL_DOUBLE) == 8 && datasize0(6) == 0, "datasize0");
    getarc0(&n, &top, &ord, &dir);
    expect(n == nodes && top == 2 && ord == 0 && dir == 1, "getarc0");
    top = 4;
    setarc0(&n, &top, &ord, &dir);
    getarc0(&n, &top, &ord, &dir);
    expect(top == 4, "setarc0");
    free(malloc0(100));
}

int main(void) {
    int n, own, other;
    open0(&nodes, &me, &host);
    who0(&n, &own, &other);
    expect(n == nodes && own == me && other == PICL_HOST && host0() == 0, "who0");
    check0(1);
    messages();
    collectives();
    numbers();
    const double before = clock0();
    clocksync0();
    expect(clock0() >= 0 && clock0() < 10 && before >= 0, "clock0");
    message0("done");
    sync0();
    if (me == 0)
        printf("all calls are right on %d nodes\n", nodes);
    close0();
    return 0;
}
