/* transport.h: what libpicl asks of MPI. Each MPI has a library of its own with these functions, since the types of mpi.h differ:
 * libpicl-openmpi.so and libpicl-mpich.so, made of transport.c. libpicl loads the one whose MPI the program has. */
#ifndef PICL_TRANSPORT_H
#define PICL_TRANSPORT_H

#include <stdbool.h>

/* Messages that a node has sent with send0 and that have not been taken yet have so many bytes at most. */
#define PICL_BUFFER_BYTES (64 << 20)

/* A message that has come: bytes, type and node it is from. */
struct picl_message {
    int bytes, type, node;
};

struct picl_request; /* of a message under way; complete() and wait() free it */

struct picl_transport {
    /* Starts MPI where that has not been done. largest_type: of messages. */
    bool (*start)(int *nodes, int *me, int *largest_type);
    void (*stop)(void);

    /* Types of messages: -1 is any. send returns before the message is taken, unless PICL_BUFFER_BYTES of messages are under way. False: it is
     * one to the node itself, and there is no room for it. */
    bool (*send)(const void *data, int bytes, int type, int node);
    void (*receive)(void *data, int bytes, int type, struct picl_message *out);
    bool (*probe)(int type, struct picl_message *out);
    void (*wait_for)(int type, struct picl_message *out);
    struct picl_request *(*begin_send)(const void *data, int bytes, int type, int node);
    struct picl_request *(*begin_receive)(void *data, int bytes, int type);
    bool (*complete)(struct picl_request *request, struct picl_message *out);
    void (*wait)(struct picl_request *request, struct picl_message *out);

    /* Among the libraries themselves, apart from messages of the program. */
    void (*barrier)(void);
    void (*broadcast)(void *data, int bytes, int root);
    void (*send_to)(const void *data, int bytes, int node);
    void (*receive_from)(void *data, int bytes, int node);
    void (*abort)(void);
};

/* What the library of an MPI exports. */
extern const struct picl_transport picl_transport;

#endif
