/* questions.c: what DUMPI stores with a call and the call's arguments do not say. All are local calls of MPI that neither communicate nor
 * change anything; they are made when the call has succeeded, so that no question can fail. */
#include "record/mpi/capture.h"

#define UNDEFINED (-32766) /* the rank of a process that is in none of the lists of a root */

static int64_t smaller(int64_t asked, int64_t most) {
    return most < asked ? most : asked;
}

static word handle_word(const struct quipu__mpi_frame *frame, int number) {
    return (word)quipu__mpi_scalar(frame, &frame->call->tokens[number]);
}

/* The argument of that name, or a number that is larger than any. */
static int64_t limit(const struct quipu__mpi_frame *frame, const char *field, size_t length) {
    const int number = quipu__mpi_token_of(frame->call, field, length);
    return number >= 0 ? quipu__mpi_scalar(frame, &frame->call->tokens[number]) : INT32_MAX;
}
#define LIMIT(frame, field) limit((frame), (field), sizeof(field) - 1)

static int asked(enum quipu__mpi_row row, word handle) {
    int answer = 0;
    return quipu__mpi_ask(row, handle, (word)&answer, 0) == 0 ? answer : 0;
}

/* The words of MPI_Graph_create and MPI_Graph_map: communicator, nodes, index, edges. */
static int64_t edge_count(const struct quipu__mpi_frame *frame) {
    const int64_t nodes = LIMIT(frame, "nodes");
    const int32_t *index = (const int32_t *)frame->words[2];
    return nodes > 0 && nodes < INT32_MAX && index ? index[nodes - 1] : 0;
}

static int64_t graph(word communicator, bool is_edges) {
    int nodes = 0, edges = 0;
    quipu__mpi_ask(QUIPU__MPI_Graphdims_get, communicator, (word)&nodes, (word)&edges);
    return is_edges ? edges : nodes;
}

static int64_t neighbors(const struct quipu__mpi_frame *frame, word communicator) {
    int count = 0;
    quipu__mpi_ask(QUIPU__MPI_Graph_neighbors_count, communicator, (word)LIMIT(frame, "rank"), (word)&count);
    return count;
}

/* Never more than a type has: one of the libraries reads behind the end of its own lists otherwise. */
static int64_t contents(const struct quipu__mpi_frame *frame, unsigned question) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    typedef int envelope(word, word, word, word, word);
    envelope *get = (envelope *)quipu__mpi_real.c[QUIPU__MPI_Type_get_envelope];
    const int number = quipu__mpi_token_of(frame->call, "datatype", 8);
    get(handle_word(frame, number), (word)&integers, (word)&addresses, (word)&types, (word)&combiner);
    switch (question) {
    case QUIPU__MPI_INTEGERS:
        return smaller(integers, LIMIT(frame, "maxintegers"));
    case QUIPU__MPI_ADDRESSES:
        return smaller(addresses, LIMIT(frame, "maxaddresses"));
    default:
        return smaller(types, LIMIT(frame, "maxdatatypes"));
    }
}

/* Processes that a root spawns; the lists of others mean nothing. */
static int64_t total(const struct quipu__mpi_frame *frame) {
    const struct quipu__mpi_call *call = frame->call;
    if (frame->is_remote || quipu__mpi_scalar(frame, &call->tokens[call->root]) != frame->answers[call->rank])
        return 0;
    const int64_t count = LIMIT(frame, "count");
    const int number = quipu__mpi_token_of(call, "maxprocs", 8);
    const int32_t *most = (const int32_t *)frame->words[call->tokens[number].word];
    int64_t processes = 0;
    for (int64_t i = 0; i < count && most; i++)
        processes += most[i];
    return processes;
}

static uint64_t group_of(word communicator) {
    uint64_t group = 0;
    quipu__mpi_ask(QUIPU__MPI_Comm_group, communicator, (word)&group, 0);
    return group;
}

/* The rank in a communicator of what is rank 0 in another one that has been made of it. */
static int64_t leader(word communicator, word made) {
    typedef int translate(word, word, word, word, word);
    translate *ask = (translate *)quipu__mpi_real.c[QUIPU__MPI_Group_translate_ranks];
    uint64_t all = group_of(communicator), some = group_of(made);
    const int first = 0;
    int rank = 0;
    ask(quipu__mpi_handle(QUIPU__MPI_GROUP, some), 1, (word)&first, quipu__mpi_handle(QUIPU__MPI_GROUP, all),
        (word)&rank);
    quipu__mpi_ask(QUIPU__MPI_Group_free, (word)&all, 0, 0);
    quipu__mpi_ask(QUIPU__MPI_Group_free, (word)&some, 0, 0);
    return rank;
}

/* A communicator that a call has made, as if MPI_Comm_split had: its first member stands for the color, the rank in it is the key. */
static int64_t split(const struct quipu__mpi_frame *frame, bool is_color, word communicator) {
    const word made = handle_word(frame, quipu__mpi_token_of(frame->call, "newcomm", 7));
    if (made == quipu__mpi_real.null_comm)
        return is_color ? quipu__mpi_real.library->undefined : 0;
    return is_color ? leader(communicator, made) : asked(QUIPU__MPI_Comm_rank, made);
}

static int64_t answer(const struct quipu__mpi_frame *frame, unsigned question, word communicator) {
    switch (question) {
    case QUIPU__MPI_RANK:
        return frame->is_remote ? UNDEFINED : asked(QUIPU__MPI_Comm_rank, communicator);
    case QUIPU__MPI_SIZE:
        return asked(frame->is_remote ? QUIPU__MPI_Comm_remote_size : QUIPU__MPI_Comm_size, communicator);
    case QUIPU__MPI_LOCAL:
        return asked(QUIPU__MPI_Comm_size, communicator);
    case QUIPU__MPI_TOTAL:
        return total(frame);
    case QUIPU__MPI_EDGES:
        return edge_count(frame);
    case QUIPU__MPI_CARTDIM:
        return smaller(asked(QUIPU__MPI_Cartdim_get, communicator), LIMIT(frame, "maxdims"));
    case QUIPU__MPI_GRAPHNODES:
        return smaller(graph(communicator, false), LIMIT(frame, "maxindex"));
    case QUIPU__MPI_GRAPHEDGES:
        return smaller(graph(communicator, true), LIMIT(frame, "maxedges"));
    case QUIPU__MPI_LEADER:
    case QUIPU__MPI_SLOT:
        return split(frame, question == QUIPU__MPI_LEADER, communicator);
    case QUIPU__MPI_NEIGHBORS:
        return smaller(neighbors(frame, communicator), LIMIT(frame, "maxneighbors"));
    default:
        return contents(frame, question);
    }
}

void quipu__mpi_answer(struct quipu__mpi_frame *frame) {
    const struct quipu__mpi_call *call = frame->call;
    word communicator = 0;
    for (unsigned i = 0; i < call->token_count && call->tokens[i].question; i++) {
        if (i == 0 && call->communicator >= 0) {
            communicator = handle_word(frame, call->communicator);
            frame->is_remote = asked(QUIPU__MPI_Comm_test_inter, communicator) != 0;
        }
        frame->answers[i] = answer(frame, call->tokens[i].question, communicator);
    }
}
