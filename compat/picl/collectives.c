/* collectives.c: operations of all nodes, made of the sends and receives that their records show. Messages go along a binomial tree
 * whose root is the operation's. */
#include "library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void synchronise(const char *call) {
    picl_check_buffer(call, NULL, 0);
    picl_entry(EVENT_SYNC, picl_now(), PICL_NO_DATA, -1);
    picl_session.transport->barrier();
    picl_exit(EVENT_SYNC, picl_now(), PICL_NO_DATA, -1);
}

void sync0(void) {
    synchronise("sync0");
}

void barrier0(void) {
    synchronise("barrier0");
}

/* ---- The tree ---- */

/* Numbers from the root on; a node's parent has the same bits but for the lowest that is set. */
static int relative(int root) {
    return (picl_session.me - root + picl_session.nodes) % picl_session.nodes;
}

static int node_of(int relative, int root) {
    return (relative + root) % picl_session.nodes;
}

/* Distances to the children of a node: powers of two below its lowest bit. */
static int first_distance(int relative) {
    int distance = 1;
    while (distance < picl_session.nodes && (relative & distance) == 0)
        distance *= 2;
    return distance;
}

static void hand_on(void *buf, int bytes, int type, int root) {
    const int own = relative(root);
    for (int distance = first_distance(own) / 2; distance > 0; distance /= 2)
        if (own + distance < picl_session.nodes)
            send0(buf, bytes, type, node_of(own + distance, root));
}

static void check(const char *call, void *buf, int bytes, int type, int root) {
    picl_check_buffer(call, buf, bytes);
    picl_check_type(call, type);
    picl_check_node(call, root);
}

void bcast0(void *buf, int bytes, int type, int root) {
    check("bcast0", buf, bytes, type, root);
    if (picl_session.me != root)
        recv0(buf, bytes, type);
    hand_on(buf, bytes, type, root);
}

void bcast1(void *buf, int bytes, int type, int root) {
    check("bcast1", buf, bytes, type, root);
    hand_on(buf, bytes, type, root);
}

/* ---- Combining ---- */

typedef void combine(void *into, void *from, int items, int datatype);

/* Children's vectors are combined into the own one, which then goes to the parent. */
static void combine_at(const char *call, void *buf, int items, int datatype, int bytes, int type, int root,
                       combine *comb) {
    check(call, buf, bytes, type, root);
    const int own = relative(root), distances = first_distance(own);
    void *other = malloc(bytes > 0 ? (size_t)bytes : 1);
    if (!other)
        picl_fail("%s: no memory for %d bytes", call, bytes);
    for (int distance = 1; distance < distances; distance *= 2) {
        if (own + distance >= picl_session.nodes)
            continue;
        recv0(other, bytes, type);
        comb(buf, other, items, datatype);
    }
    free(other);
    if (own != 0)
        send0(buf, bytes, type, node_of(own - distances, root));
}

static void fill(void *into, void *from, int items, int datatype) {
    float *own = into;
    const float *other = from;
    (void)datatype;
    for (int i = 0; i < items; i++)
        if (own[i] == 0)
            own[i] = other[i];
}

void gather0(float *vec, int n, int type, int root) {
    combine_at("gather0", vec, n, PICL_FLOAT, n * (int)sizeof *vec, type, root, fill);
}

static int bytes_of(const char *call, int items, int datatype, int last_datatype) {
    if (datatype < 0 || datatype > last_datatype)
        picl_fail("%s: data of type %d, expected 0 to %d", call, datatype, last_datatype);
    if (items > INT_MAX / datasize0(datatype))
        picl_fail("%s: %d items of type %d are more than a message holds", call, items, datatype);
    return items * datasize0(datatype);
}

void gcomb0(void *buf, int items, int datatype, int msgtype, int root, void (*comb)(void *, void *, int, int)) {
    combine_at("gcomb0", buf, items, datatype, bytes_of("gcomb0", items, datatype, PICL_DOUBLE), msgtype, root,
               comb);
}

/* One loop for each type of data. */
#define COMBINE_AS(type, expression)                                                                           \
    do {                                                                                                       \
        type *into_items = into;                                                                               \
        const type *from_items = from;                                                                         \
        for (int i = 0; i < items; i++) {                                                                      \
            const type a = into_items[i], b = from_items[i];                                                   \
            into_items[i] = (type)(expression);                                                                \
        }                                                                                                      \
    } while (0)
#define COMBINE_INTEGERS(expression)                                                                           \
    case PICL_CHAR:                                                                                            \
        COMBINE_AS(char, expression);                                                                          \
        break;                                                                                                 \
    case PICL_SHORT:                                                                                           \
        COMBINE_AS(short, expression);                                                                         \
        break;                                                                                                 \
    case PICL_INT:                                                                                             \
        COMBINE_AS(int, expression);                                                                           \
        break;                                                                                                 \
    case PICL_LONG:                                                                                            \
        COMBINE_AS(long, expression);                                                                          \
        break;
#define COMBINE_NUMBERS(expression)                                                                            \
    COMBINE_INTEGERS(expression)                                                                               \
    case PICL_FLOAT:                                                                                           \
        COMBINE_AS(float, expression);                                                                         \
        break;                                                                                                 \
    case PICL_DOUBLE:                                                                                          \
        COMBINE_AS(double, expression);                                                                        \
        break;

#define REDUCTION(name, rows, last_datatype)                                                                   \
    static void name##_items(void *into, void *from, int items, int datatype) {                                \
        switch (datatype) { rows }                                                                             \
    }                                                                                                          \
    void name(void *buf, int items, int datatype, int msgtype, int root) {                                     \
        const int bytes = bytes_of(#name, items, datatype, last_datatype);                                     \
        combine_at(#name, buf, items, datatype, bytes, msgtype, root, name##_items);                           \
    }

/* clang-format off */
REDUCTION(gsum0, COMBINE_NUMBERS(a + b), PICL_DOUBLE)
REDUCTION(gprod0, COMBINE_NUMBERS(a *b), PICL_DOUBLE)
REDUCTION(gmax0, COMBINE_NUMBERS(a > b ? a : b), PICL_DOUBLE)
REDUCTION(gmin0, COMBINE_NUMBERS(a < b ? a : b), PICL_DOUBLE)
REDUCTION(gand0, COMBINE_INTEGERS(a & b), PICL_LONG)
REDUCTION(gor0, COMBINE_INTEGERS(a | b), PICL_LONG)
REDUCTION(gxor0, COMBINE_INTEGERS(a ^ b), PICL_LONG)
/* clang-format on */

/* ---- Numbers ---- */

int gray0(int i) {
    return i ^ (i >> 1);
}

int ginv0(int code) {
    int number = 0;
    for (; code > 0; code >>= 1)
        number ^= code;
    return number;
}

int neighbor0(int i, int node) {
    return node ^ (1 << i);
}

int antipode0(int root) {
    int last = 1;
    while (last < picl_session.nodes)
        last *= 2;
    return root ^ (last - 1);
}

int datasize0(int datatype) {
    static const size_t sizes[] = {sizeof(char), sizeof(short), sizeof(int),
                                   sizeof(long), sizeof(float), sizeof(double)};
    return datatype < PICL_CHAR || datatype > PICL_DOUBLE ? 0 : (int)sizes[datatype];
}

void *malloc0(int bytes) {
    const size_t size = bytes > 0 ? (size_t)bytes : 1;
    void *block = bytes < 0 ? NULL : malloc(size);
    if (!block)
        picl_start(), picl_fail("malloc0: no memory for %d bytes", bytes);
    return block;
}
