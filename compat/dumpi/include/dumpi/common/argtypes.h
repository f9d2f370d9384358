/* argtypes.h: the arguments of each call, as callbacks get them and writers take them.
 *
 * Members are in the order in which the text tools print them. Arrays and strings are pointers, NULL when the call
 * had none: a status that was ignored, or what only the root of a collective knows. argv of MPI_Comm_spawn and each
 * of argvs of MPI_Comm_spawn_multiple end with a NULL.
 *
 * Made by tools/dumpi-headers from the record tables: change those. */
#ifndef DUMPI_COMMON_ARGTYPES_H
#define DUMPI_COMMON_ARGTYPES_H

/* clang-format off */
#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MPI_Send: a blocking send in standard mode. */
typedef struct dumpi_send {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
} dumpi_send;

/* MPI_Recv: a blocking receive. */
typedef struct dumpi_recv {
    int count;
    dumpi_datatype datatype;
    dumpi_source source;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_status *status;
} dumpi_recv;

/* MPI_Get_count: asks a status for the number of elements received. */
typedef struct dumpi_get_count {
    dumpi_status *status;
    dumpi_datatype datatype;
    int count;
} dumpi_get_count;

/* MPI_Bsend: a blocking send in buffered mode. */
typedef struct dumpi_bsend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
} dumpi_bsend;

/* MPI_Ssend: a blocking send in synchronous mode. */
typedef struct dumpi_ssend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
} dumpi_ssend;

/* MPI_Rsend: a blocking send in ready mode. */
typedef struct dumpi_rsend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
} dumpi_rsend;

/* MPI_Buffer_attach: gives the library a buffer for buffered sends. */
typedef struct dumpi_buffer_attach {
    int size;
} dumpi_buffer_attach;

/* MPI_Buffer_detach: takes back the buffer for buffered sends. */
typedef struct dumpi_buffer_detach {
    int size;
} dumpi_buffer_detach;

/* MPI_Isend: starts a send in standard mode. */
typedef struct dumpi_isend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    int tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_isend;

/* MPI_Ibsend: starts a send in buffered mode. */
typedef struct dumpi_ibsend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_ibsend;

/* MPI_Issend: starts a send in synchronous mode. */
typedef struct dumpi_issend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_issend;

/* MPI_Irsend: starts a send in ready mode. */
typedef struct dumpi_irsend {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_irsend;

/* MPI_Irecv: posts a receive. */
typedef struct dumpi_irecv {
    int count;
    dumpi_datatype datatype;
    dumpi_source source;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_irecv;

/* MPI_Wait: waits for one request. */
typedef struct dumpi_wait {
    dumpi_request request;
    dumpi_status *status;
} dumpi_wait;

/* MPI_Test: asks whether one request is complete. */
typedef struct dumpi_test {
    dumpi_request request;
    int flag;
    dumpi_status *status;
} dumpi_test;

/* MPI_Request_free: frees a request without waiting. */
typedef struct dumpi_request_free {
    dumpi_request request;
} dumpi_request_free;

/* MPI_Waitany: waits for any one of several requests. */
typedef struct dumpi_waitany {
    int count;
    dumpi_request *requests;
    int index;
    dumpi_status *status;
} dumpi_waitany;

/* MPI_Testany: asks whether any one of several requests is complete. */
typedef struct dumpi_testany {
    int count;
    dumpi_request *requests;
    int index;
    int flag;
    dumpi_status *status;
} dumpi_testany;

/* MPI_Waitall: waits for all of several requests. */
typedef struct dumpi_waitall {
    int count;
    dumpi_request *requests;
    dumpi_status *statuses;
} dumpi_waitall;

/* MPI_Testall: asks whether all of several requests are complete. */
typedef struct dumpi_testall {
    int count;
    dumpi_request *requests;
    int flag;
    dumpi_status *statuses;
} dumpi_testall;

/* MPI_Waitsome: waits until at least one of several requests is complete. */
typedef struct dumpi_waitsome {
    int count;
    dumpi_request *requests;
    int outcount;
    int *indices;
    dumpi_status *statuses;
} dumpi_waitsome;

/* MPI_Testsome: asks which of several requests are complete. */
typedef struct dumpi_testsome {
    int count;
    dumpi_request *requests;
    int outcount;
    int *indices;
    dumpi_status *statuses;
} dumpi_testsome;

/* MPI_Iprobe: asks whether a message is there. */
typedef struct dumpi_iprobe {
    dumpi_source source;
    dumpi_tag tag;
    dumpi_comm comm;
    int flag;
    dumpi_status *status;
} dumpi_iprobe;

/* MPI_Probe: waits until a message is there. */
typedef struct dumpi_probe {
    dumpi_source source;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_status *status;
} dumpi_probe;

/* MPI_Cancel: asks to cancel a pending operation. */
typedef struct dumpi_cancel {
    dumpi_request request;
} dumpi_cancel;

/* MPI_Test_cancelled: asks a status whether its operation was cancelled. */
typedef struct dumpi_test_cancelled {
    dumpi_status *status;
    int cancelled;
} dumpi_test_cancelled;

/* MPI_Send_init: prepares a persistent send in standard mode. */
typedef struct dumpi_send_init {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_send_init;

/* MPI_Bsend_init: prepares a persistent send in buffered mode. */
typedef struct dumpi_bsend_init {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_bsend_init;

/* MPI_Ssend_init: prepares a persistent send in synchronous mode. */
typedef struct dumpi_ssend_init {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_ssend_init;

/* MPI_Rsend_init: prepares a persistent send in ready mode. */
typedef struct dumpi_rsend_init {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_rsend_init;

/* MPI_Recv_init: prepares a persistent receive. */
typedef struct dumpi_recv_init {
    int count;
    dumpi_datatype datatype;
    dumpi_source source;
    dumpi_tag tag;
    dumpi_comm comm;
    dumpi_request request;
} dumpi_recv_init;

/* MPI_Start: starts a persistent request. */
typedef struct dumpi_start {
    dumpi_request request;
} dumpi_start;

/* MPI_Startall: starts several persistent requests. */
typedef struct dumpi_startall {
    int count;
    dumpi_request *requests;
} dumpi_startall;

/* MPI_Sendrecv: sends and receives at the same time. */
typedef struct dumpi_sendrecv {
    int sendcount;
    dumpi_datatype sendtype;
    dumpi_dest dest;
    dumpi_tag sendtag;
    int recvcount;
    dumpi_datatype recvtype;
    dumpi_source source;
    dumpi_tag recvtag;
    dumpi_comm comm;
    dumpi_status *status;
} dumpi_sendrecv;

/* MPI_Sendrecv_replace: sends and receives in the same buffer. */
typedef struct dumpi_sendrecv_replace {
    int count;
    dumpi_datatype datatype;
    dumpi_dest dest;
    dumpi_tag sendtag;
    dumpi_source source;
    dumpi_tag recvtag;
    dumpi_comm comm;
    dumpi_status *status;
} dumpi_sendrecv_replace;

/* MPI_Type_contiguous: makes a datatype of consecutive elements. */
typedef struct dumpi_type_contiguous {
    int count;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_contiguous;

/* MPI_Type_vector: makes a datatype of equally spaced blocks. */
typedef struct dumpi_type_vector {
    int count;
    int blocklength;
    int stride;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_vector;

/* MPI_Type_hvector: makes a datatype of equally spaced blocks, spacing in bytes. */
typedef struct dumpi_type_hvector {
    int count;
    int blocklength;
    int stride;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_hvector;

/* MPI_Type_indexed: makes a datatype of blocks at given places. */
typedef struct dumpi_type_indexed {
    int count;
    int *lengths;
    int *indices;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_indexed;

/* MPI_Type_hindexed: makes a datatype of blocks at given places, places in bytes. */
typedef struct dumpi_type_hindexed {
    int count;
    int *lengths;
    int *indices;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_hindexed;

/* MPI_Type_struct: makes a datatype of blocks of different datatypes. */
typedef struct dumpi_type_struct {
    int count;
    int *lengths;
    int *indices;
    dumpi_datatype *oldtypes;
    dumpi_datatype newtype;
} dumpi_type_struct;

/* MPI_Address: asks for the address of a location in memory. */
typedef struct dumpi_address {
    int address;
} dumpi_address;

/* MPI_Type_extent: asks for the extent of a datatype. */
typedef struct dumpi_type_extent {
    dumpi_datatype datatype;
    int extent;
} dumpi_type_extent;

/* MPI_Type_size: asks for the size of a datatype. */
typedef struct dumpi_type_size {
    dumpi_datatype datatype;
    int size;
} dumpi_type_size;

/* MPI_Type_lb: asks for the lower bound of a datatype. */
typedef struct dumpi_type_lb {
    dumpi_datatype datatype;
    int lb;
} dumpi_type_lb;

/* MPI_Type_ub: asks for the upper bound of a datatype. */
typedef struct dumpi_type_ub {
    dumpi_datatype datatype;
    int ub;
} dumpi_type_ub;

/* MPI_Type_commit: makes a datatype ready for communication. */
typedef struct dumpi_type_commit {
    dumpi_datatype datatype;
} dumpi_type_commit;

/* MPI_Type_free: gives a datatype up. */
typedef struct dumpi_type_free {
    dumpi_datatype datatype;
} dumpi_type_free;

/* MPI_Get_elements: asks a status for the number of basic elements received. */
typedef struct dumpi_get_elements {
    dumpi_status *status;
    dumpi_datatype datatype;
    int elements;
} dumpi_get_elements;

/* MPI_Pack: packs data into a buffer. */
typedef struct dumpi_pack {
    int incount;
    dumpi_datatype datatype;
    int outcount;
    struct {
        int in;
        int out;
    } position;
    dumpi_comm comm;
} dumpi_pack;

/* MPI_Unpack: unpacks data from a buffer. */
typedef struct dumpi_unpack {
    int incount;
    struct {
        int in;
        int out;
    } position;
    int outcount;
    dumpi_datatype datatype;
    dumpi_comm comm;
} dumpi_unpack;

/* MPI_Pack_size: asks how much room packed data needs. */
typedef struct dumpi_pack_size {
    int incount;
    dumpi_datatype datatype;
    dumpi_comm comm;
    int size;
} dumpi_pack_size;

/* MPI_Barrier: waits until all members of a communicator are there. */
typedef struct dumpi_barrier {
    dumpi_comm comm;
} dumpi_barrier;

/* MPI_Bcast: sends from the root to all members. */
typedef struct dumpi_bcast {
    int count;
    dumpi_datatype datatype;
    int root;
    dumpi_comm comm;
} dumpi_bcast;

/* MPI_Gather: collects blocks of equal length at the root. */
typedef struct dumpi_gather {
    int commrank;
    int sendcount;
    dumpi_datatype sendtype;
    int recvcount;
    dumpi_datatype recvtype;
    int root;
    dumpi_comm comm;
} dumpi_gather;

/* MPI_Gatherv: collects blocks of different length at the root. */
typedef struct dumpi_gatherv {
    int commrank;
    int commsize;
    int sendcount;
    dumpi_datatype sendtype;
    int *recvcounts;
    int *displs;
    dumpi_datatype recvtype;
    int root;
    dumpi_comm comm;
} dumpi_gatherv;

/* MPI_Scatter: distributes blocks of equal length from the root. */
typedef struct dumpi_scatter {
    int commrank;
    int sendcount;
    dumpi_datatype sendtype;
    int recvcount;
    dumpi_datatype recvtype;
    int root;
    dumpi_comm comm;
} dumpi_scatter;

/* MPI_Scatterv: distributes blocks of different length from the root. */
typedef struct dumpi_scatterv {
    int commrank;
    int commsize;
    int *sendcounts;
    int *displs;
    dumpi_datatype sendtype;
    int recvcount;
    dumpi_datatype recvtype;
    int root;
    dumpi_comm comm;
} dumpi_scatterv;

/* MPI_Allgather: collects blocks of equal length everywhere. */
typedef struct dumpi_allgather {
    int sendcount;
    dumpi_datatype sendtype;
    int recvcount;
    dumpi_datatype recvtype;
    dumpi_comm comm;
} dumpi_allgather;

/* MPI_Allgatherv: collects blocks of different length everywhere. */
typedef struct dumpi_allgatherv {
    int commsize;
    int sendcount;
    dumpi_datatype sendtype;
    int *recvcounts;
    int *displs;
    dumpi_datatype recvtype;
    dumpi_comm comm;
} dumpi_allgatherv;

/* MPI_Alltoall: exchanges blocks of equal length between all members. */
typedef struct dumpi_alltoall {
    int sendcount;
    dumpi_datatype sendtype;
    int recvcount;
    dumpi_datatype recvtype;
    dumpi_comm comm;
} dumpi_alltoall;

/* MPI_Alltoallv: exchanges blocks of different length between all members. */
typedef struct dumpi_alltoallv {
    int commsize;
    int *sendcounts;
    int *senddispls;
    dumpi_datatype sendtype;
    int *recvcounts;
    int *recvdispls;
    dumpi_datatype recvtype;
    dumpi_comm comm;
} dumpi_alltoallv;

/* MPI_Reduce: combines elements of all members at the root. */
typedef struct dumpi_reduce {
    int count;
    dumpi_datatype datatype;
    dumpi_op op;
    int root;
    dumpi_comm comm;
} dumpi_reduce;

/* MPI_Op_create: makes an operator for reductions. */
typedef struct dumpi_op_create {
    int commute;
    dumpi_op op;
} dumpi_op_create;

/* MPI_Op_free: gives an operator up. */
typedef struct dumpi_op_free {
    dumpi_op op;
} dumpi_op_free;

/* MPI_Allreduce: combines elements of all members everywhere. */
typedef struct dumpi_allreduce {
    int count;
    dumpi_datatype datatype;
    dumpi_op op;
    dumpi_comm comm;
} dumpi_allreduce;

/* MPI_Reduce_scatter: combines elements and distributes the result. */
typedef struct dumpi_reduce_scatter {
    int commsize;
    int *recvcounts;
    dumpi_datatype datatype;
    dumpi_op op;
    dumpi_comm comm;
} dumpi_reduce_scatter;

/* MPI_Scan: combines elements of all members up to the caller. */
typedef struct dumpi_scan {
    int count;
    dumpi_datatype datatype;
    dumpi_op op;
    dumpi_comm comm;
} dumpi_scan;

/* MPI_Group_size: asks for the size of a group. */
typedef struct dumpi_group_size {
    dumpi_group group;
    int size;
} dumpi_group_size;

/* MPI_Group_rank: asks for the caller's rank in a group. */
typedef struct dumpi_group_rank {
    dumpi_group group;
    int rank;
} dumpi_group_rank;

/* MPI_Group_translate_ranks: translates ranks of one group into ranks of another. */
typedef struct dumpi_group_translate_ranks {
    dumpi_group group1;
    int count;
    int *ranks1;
    dumpi_group group2;
    int *ranks2;
} dumpi_group_translate_ranks;

/* MPI_Group_compare: compares two groups. */
typedef struct dumpi_group_compare {
    dumpi_group group1;
    dumpi_group group2;
    dumpi_comparison result;
} dumpi_group_compare;

/* MPI_Comm_group: asks for the group of a communicator. */
typedef struct dumpi_comm_group {
    dumpi_comm comm;
    dumpi_group group;
} dumpi_comm_group;

/* MPI_Group_union: makes a group of all members of two groups. */
typedef struct dumpi_group_union {
    dumpi_group group1;
    dumpi_group group2;
    dumpi_group newgroup;
} dumpi_group_union;

/* MPI_Group_intersection: makes a group of the common members of two groups. */
typedef struct dumpi_group_intersection {
    dumpi_group group1;
    dumpi_group group2;
    dumpi_group newgroup;
} dumpi_group_intersection;

/* MPI_Group_difference: makes a group of the members of one group that are not in another. */
typedef struct dumpi_group_difference {
    dumpi_group group1;
    dumpi_group group2;
    dumpi_group newgroup;
} dumpi_group_difference;

/* MPI_Group_incl: makes a group of listed members. */
typedef struct dumpi_group_incl {
    dumpi_group group;
    int count;
    int *ranks;
    dumpi_group newgroup;
} dumpi_group_incl;

/* MPI_Group_excl: makes a group without listed members. */
typedef struct dumpi_group_excl {
    dumpi_group group;
    int count;
    int *ranks;
    dumpi_group newgroup;
} dumpi_group_excl;

/* MPI_Group_range_incl: makes a group of ranges of members. */
typedef struct dumpi_group_range_incl {
    dumpi_group group;
    int count;
    int **ranges;
    dumpi_group newgroup;
} dumpi_group_range_incl;

/* MPI_Group_range_excl: makes a group without ranges of members. */
typedef struct dumpi_group_range_excl {
    dumpi_group group;
    int count;
    int **ranges;
    dumpi_group newgroup;
} dumpi_group_range_excl;

/* MPI_Group_free: gives a group up. */
typedef struct dumpi_group_free {
    dumpi_group group;
} dumpi_group_free;

/* MPI_Comm_size: asks for the size of a communicator. */
typedef struct dumpi_comm_size {
    dumpi_comm comm;
    int size;
} dumpi_comm_size;

/* MPI_Comm_rank: asks for the caller's rank in a communicator. */
typedef struct dumpi_comm_rank {
    dumpi_comm comm;
    int rank;
} dumpi_comm_rank;

/* MPI_Comm_compare: compares two communicators. */
typedef struct dumpi_comm_compare {
    dumpi_comm comm1;
    dumpi_comm comm2;
    dumpi_comparison result;
} dumpi_comm_compare;

/* MPI_Comm_dup: makes a copy of a communicator. */
typedef struct dumpi_comm_dup {
    dumpi_comm oldcomm;
    dumpi_comm newcomm;
} dumpi_comm_dup;

/* MPI_Comm_create: makes a communicator of a group. */
typedef struct dumpi_comm_create {
    dumpi_comm oldcomm;
    dumpi_group group;
    dumpi_comm newcomm;
} dumpi_comm_create;

/* MPI_Comm_split: splits a communicator by colour. */
typedef struct dumpi_comm_split {
    dumpi_comm oldcomm;
    int color;
    int key;
    dumpi_comm newcomm;
} dumpi_comm_split;

/* MPI_Comm_free: frees a communicator. */
typedef struct dumpi_comm_free {
    dumpi_comm comm;
} dumpi_comm_free;

/* MPI_Comm_test_inter: asks whether a communicator is an intercommunicator. */
typedef struct dumpi_comm_test_inter {
    dumpi_comm comm;
    int inter;
} dumpi_comm_test_inter;

/* MPI_Comm_remote_size: asks for the size of the remote group. */
typedef struct dumpi_comm_remote_size {
    dumpi_comm comm;
    int size;
} dumpi_comm_remote_size;

/* MPI_Comm_remote_group: asks for the remote group. */
typedef struct dumpi_comm_remote_group {
    dumpi_comm comm;
    dumpi_group group;
} dumpi_comm_remote_group;

/* MPI_Intercomm_create: joins two communicators into an intercommunicator. */
typedef struct dumpi_intercomm_create {
    dumpi_comm localcomm;
    int localleader;
    dumpi_comm remotecomm;
    int remoteleader;
    dumpi_tag tag;
    dumpi_comm newcomm;
} dumpi_intercomm_create;

/* MPI_Intercomm_merge: makes one communicator of both sides of an intercommunicator. */
typedef struct dumpi_intercomm_merge {
    dumpi_comm comm;
    int high;
    dumpi_comm newcomm;
} dumpi_intercomm_merge;

/* MPI_Keyval_create: makes an attribute key of communicators. */
typedef struct dumpi_keyval_create {
    dumpi_keyval key;
} dumpi_keyval_create;

/* MPI_Keyval_free: frees an attribute key of communicators. */
typedef struct dumpi_keyval_free {
    dumpi_keyval key;
} dumpi_keyval_free;

/* MPI_Attr_put: sets an attribute of a communicator. */
typedef struct dumpi_attr_put {
    dumpi_comm comm;
    int key;
} dumpi_attr_put;

/* MPI_Attr_get: asks for an attribute of a communicator. */
typedef struct dumpi_attr_get {
    dumpi_comm comm;
    int key;
    int flag;
} dumpi_attr_get;

/* MPI_Attr_delete: removes an attribute of a communicator. */
typedef struct dumpi_attr_delete {
    dumpi_comm comm;
    int key;
} dumpi_attr_delete;

/* MPI_Topo_test: asks for the kind of topology of a communicator. */
typedef struct dumpi_topo_test {
    dumpi_comm comm;
    dumpi_topology topo;
} dumpi_topo_test;

/* MPI_Cart_create: makes a communicator with a Cartesian topology. */
typedef struct dumpi_cart_create {
    dumpi_comm oldcomm;
    int ndim;
    int *dims;
    int *periods;
    int reorder;
    dumpi_comm newcomm;
} dumpi_cart_create;

/* MPI_Dims_create: divides processes into a Cartesian grid. */
typedef struct dumpi_dims_create {
    int nodes;
    int ndim;
    struct {
        int *in;
        int *out;
    } dims;
} dumpi_dims_create;

/* MPI_Graph_create: makes a communicator with a graph topology. */
typedef struct dumpi_graph_create {
    int numedges;
    dumpi_comm oldcomm;
    int nodes;
    int *index;
    int *edges;
    int reorder;
    dumpi_comm newcomm;
} dumpi_graph_create;

/* MPI_Graphdims_get: asks for the size of a graph topology. */
typedef struct dumpi_graphdims_get {
    dumpi_comm comm;
    int nodes;
    int edges;
} dumpi_graphdims_get;

/* MPI_Graph_get: asks for a graph topology. */
typedef struct dumpi_graph_get {
    int totedges;
    int totnodes;
    dumpi_comm comm;
    int maxindex;
    int maxedges;
    int *index;
    int *edges;
} dumpi_graph_get;

/* MPI_Cartdim_get: asks for the number of dimensions of a Cartesian topology. */
typedef struct dumpi_cartdim_get {
    dumpi_comm comm;
    int ndim;
} dumpi_cartdim_get;

/* MPI_Cart_get: asks for a Cartesian topology. */
typedef struct dumpi_cart_get {
    int ndim;
    dumpi_comm comm;
    int maxdims;
    int *dims;
    int *periods;
    int *coords;
} dumpi_cart_get;

/* MPI_Cart_rank: asks for the rank at Cartesian coordinates. */
typedef struct dumpi_cart_rank {
    int ndim;
    dumpi_comm comm;
    int *coords;
    int rank;
} dumpi_cart_rank;

/* MPI_Cart_coords: asks for the Cartesian coordinates of a rank. */
typedef struct dumpi_cart_coords {
    int ndim;
    dumpi_comm comm;
    int rank;
    int maxdims;
    int *coords;
} dumpi_cart_coords;

/* MPI_Graph_neighbors_count: asks for the number of neighbours in a graph. */
typedef struct dumpi_graph_neighbors_count {
    dumpi_comm comm;
    int rank;
    int nneigh;
} dumpi_graph_neighbors_count;

/* MPI_Graph_neighbors: asks for the neighbours in a graph. */
typedef struct dumpi_graph_neighbors {
    int nneigh;
    dumpi_comm comm;
    int rank;
    int maxneighbors;
    int *neighbors;
} dumpi_graph_neighbors;

/* MPI_Cart_shift: asks for the partners of a shift along a dimension. */
typedef struct dumpi_cart_shift {
    dumpi_comm comm;
    int direction;
    int displ;
    dumpi_source source;
    dumpi_dest dest;
} dumpi_cart_shift;

/* MPI_Cart_sub: splits a Cartesian communicator into lower dimensions. */
typedef struct dumpi_cart_sub {
    int ndim;
    dumpi_comm oldcomm;
    int *remain_dims;
    dumpi_comm newcomm;
} dumpi_cart_sub;

/* MPI_Cart_map: asks for a good placement on a Cartesian grid. */
typedef struct dumpi_cart_map {
    dumpi_comm comm;
    int ndim;
    int *dims;
    int *period;
    int newrank;
} dumpi_cart_map;

/* MPI_Graph_map: asks for a good placement on a graph. */
typedef struct dumpi_graph_map {
    int numedges;
    dumpi_comm comm;
    int nodes;
    int *index;
    int *edges;
    int newrank;
} dumpi_graph_map;

/* MPI_Get_processor_name: asks for the name of the processor. */
typedef struct dumpi_get_processor_name {
    char *name;
    int resultlen;
} dumpi_get_processor_name;

/* MPI_Get_version: asks for the version of the MPI standard. */
typedef struct dumpi_get_version {
    int version;
    int subversion;
} dumpi_get_version;

/* MPI_Errhandler_create: makes an error handler. */
typedef struct dumpi_errhandler_create {
    dumpi_errhandler errhandler;
} dumpi_errhandler_create;

/* MPI_Errhandler_set: sets the error handler of a communicator. */
typedef struct dumpi_errhandler_set {
    dumpi_comm comm;
    dumpi_errhandler errhandler;
} dumpi_errhandler_set;

/* MPI_Errhandler_get: asks for the error handler of a communicator. */
typedef struct dumpi_errhandler_get {
    dumpi_comm comm;
    dumpi_errhandler errhandler;
} dumpi_errhandler_get;

/* MPI_Errhandler_free: frees an error handler. */
typedef struct dumpi_errhandler_free {
    dumpi_errhandler errhandler;
} dumpi_errhandler_free;

/* MPI_Error_string: asks for the text of an error code. */
typedef struct dumpi_error_string {
    int errorcode;
    char *errorstring;
    int resultlen;
} dumpi_error_string;

/* MPI_Error_class: asks for the class of an error code. */
typedef struct dumpi_error_class {
    int errorcode;
    int errorclass;
} dumpi_error_class;

/* MPI_Wtime: asks for the time. */
typedef struct dumpi_wtime {
    uint64_t psec;
} dumpi_wtime;

/* MPI_Wtick: asks for the resolution of the time. */
typedef struct dumpi_wtick {
    uint64_t psec;
} dumpi_wtick;

/* MPI_Init: initialises MPI. */
typedef struct dumpi_init {
    int argc;
    char **argv;
} dumpi_init;

/* MPI_Finalize: ends the use of MPI. */
typedef struct dumpi_finalize {
    int dummy;
} dumpi_finalize;

/* MPI_Initialized: asks whether MPI is initialised. */
typedef struct dumpi_initialized {
    int result;
} dumpi_initialized;

/* MPI_Abort: ends all processes of a communicator. */
typedef struct dumpi_abort {
    dumpi_comm comm;
    int errorcode;
} dumpi_abort;

/* MPI_Close_port: closes a port. */
typedef struct dumpi_close_port {
    char *portname;
} dumpi_close_port;

/* MPI_Comm_accept: accepts a connection at a port. */
typedef struct dumpi_comm_accept {
    char *portname;
    dumpi_info info;
    int root;
    dumpi_comm oldcomm;
    dumpi_comm newcomm;
} dumpi_comm_accept;

/* MPI_Comm_connect: connects to a port. */
typedef struct dumpi_comm_connect {
    char *portname;
    dumpi_info info;
    int root;
    dumpi_comm oldcomm;
    dumpi_comm newcomm;
} dumpi_comm_connect;

/* MPI_Comm_disconnect: ends a connection. */
typedef struct dumpi_comm_disconnect {
    dumpi_comm comm;
} dumpi_comm_disconnect;

/* MPI_Comm_get_parent: asks for the communicator of the parents. */
typedef struct dumpi_comm_get_parent {
    dumpi_comm parent;
} dumpi_comm_get_parent;

/* MPI_Comm_join: makes a communicator over a socket. */
typedef struct dumpi_comm_join {
    int fd;
    dumpi_comm comm;
} dumpi_comm_join;

/* MPI_Comm_spawn: starts processes of one program. */
typedef struct dumpi_comm_spawn {
    int oldcommrank;
    char *command;
    char **argv;
    int maxprocs;
    dumpi_info info;
    int root;
    dumpi_comm oldcomm;
    dumpi_comm newcomm;
    int *errcodes;
} dumpi_comm_spawn;

/* MPI_Comm_spawn_multiple: starts processes of several programs. */
typedef struct dumpi_comm_spawn_multiple {
    int totprocs;
    int oldcommrank;
    int count;
    char **commands;
    char ***argvs;
    int *maxprocs;
    dumpi_info *info;
    int root;
    dumpi_comm oldcomm;
    dumpi_comm newcomm;
    int *errcodes;
} dumpi_comm_spawn_multiple;

/* MPI_Lookup_name: looks up the port of a service. */
typedef struct dumpi_lookup_name {
    char *servicename;
    dumpi_info info;
    char *portname;
} dumpi_lookup_name;

/* MPI_Open_port: opens a port. */
typedef struct dumpi_open_port {
    dumpi_info info;
    char *portname;
} dumpi_open_port;

/* MPI_Publish_name: publishes the port of a service. */
typedef struct dumpi_publish_name {
    char *servicename;
    dumpi_info info;
    char *portname;
} dumpi_publish_name;

/* MPI_Unpublish_name: withdraws the name of a service. */
typedef struct dumpi_unpublish_name {
    char *servicename;
    dumpi_info info;
    char *portname;
} dumpi_unpublish_name;

/* MPI_Accumulate: combines data into the memory of another process. */
typedef struct dumpi_accumulate {
    int origincount;
    dumpi_datatype origintype;
    int targetrank;
    int targetdisp;
    int targetcount;
    dumpi_datatype targettype;
    dumpi_op op;
    dumpi_win win;
} dumpi_accumulate;

/* MPI_Get: fetches data from the memory of another process. */
typedef struct dumpi_get {
    int origincount;
    dumpi_datatype origintype;
    int targetrank;
    int targetdisp;
    int targetcount;
    dumpi_datatype targettype;
    dumpi_win win;
} dumpi_get;

/* MPI_Put: stores data in the memory of another process. */
typedef struct dumpi_put {
    int origincount;
    dumpi_datatype origintype;
    int targetrank;
    int targetdisp;
    int targetcount;
    dumpi_datatype targettype;
    dumpi_win win;
} dumpi_put;

/* MPI_Win_complete: ends an access epoch. */
typedef struct dumpi_win_complete {
    dumpi_win win;
} dumpi_win_complete;

/* MPI_Win_create: opens memory for one-sided communication. */
typedef struct dumpi_win_create {
    int size;
    int dispunit;
    dumpi_info info;
    dumpi_comm comm;
    dumpi_win win;
} dumpi_win_create;

/* MPI_Win_fence: separates epochs of one-sided communication. */
typedef struct dumpi_win_fence {
    dumpi_win_assert assertion;
    dumpi_win win;
} dumpi_win_fence;

/* MPI_Win_free: closes memory for one-sided communication. */
typedef struct dumpi_win_free {
    dumpi_win win;
} dumpi_win_free;

/* MPI_Win_get_group: asks for the group of a window. */
typedef struct dumpi_win_get_group {
    dumpi_win win;
    dumpi_group group;
} dumpi_win_get_group;

/* MPI_Win_lock: starts an access epoch at one target. */
typedef struct dumpi_win_lock {
    dumpi_locktype locktype;
    int winrank;
    dumpi_win_assert assertion;
    dumpi_win win;
} dumpi_win_lock;

/* MPI_Win_post: starts an exposure epoch. */
typedef struct dumpi_win_post {
    dumpi_group group;
    dumpi_win_assert assertion;
    dumpi_win win;
} dumpi_win_post;

/* MPI_Win_start: starts an access epoch. */
typedef struct dumpi_win_start {
    dumpi_group group;
    dumpi_win_assert assertion;
    dumpi_win win;
} dumpi_win_start;

/* MPI_Win_test: asks whether an exposure epoch can end. */
typedef struct dumpi_win_test {
    dumpi_win win;
    int flag;
} dumpi_win_test;

/* MPI_Win_unlock: ends an access epoch at one target. */
typedef struct dumpi_win_unlock {
    int winrank;
    dumpi_win win;
} dumpi_win_unlock;

/* MPI_Win_wait: ends an exposure epoch. */
typedef struct dumpi_win_wait {
    dumpi_win win;
} dumpi_win_wait;

/* MPI_Alltoallw: exchanges blocks of different length and datatype between all members. */
typedef struct dumpi_alltoallw {
    int commsize;
    int *sendcounts;
    int *senddispls;
    dumpi_datatype *sendtypes;
    int *recvcounts;
    int *recvdispls;
    dumpi_datatype *recvtypes;
    dumpi_comm comm;
} dumpi_alltoallw;

/* MPI_Exscan: combines elements of all members before the caller. */
typedef struct dumpi_exscan {
    int count;
    dumpi_datatype datatype;
    dumpi_op op;
    dumpi_comm comm;
} dumpi_exscan;

/* MPI_Add_error_class: makes an error class. */
typedef struct dumpi_add_error_class {
    int errorclass;
} dumpi_add_error_class;

/* MPI_Add_error_code: makes an error code. */
typedef struct dumpi_add_error_code {
    int errorclass;
    int errorcode;
} dumpi_add_error_code;

/* MPI_Add_error_string: sets the text of an error code. */
typedef struct dumpi_add_error_string {
    int errorcode;
    char *errorstring;
} dumpi_add_error_string;

/* MPI_Comm_call_errhandler: calls the error handler of a communicator. */
typedef struct dumpi_comm_call_errhandler {
    dumpi_comm comm;
    int errorcode;
} dumpi_comm_call_errhandler;

/* MPI_Comm_create_keyval: makes an attribute key of communicators. */
typedef struct dumpi_comm_create_keyval {
    dumpi_keyval keyval;
} dumpi_comm_create_keyval;

/* MPI_Comm_delete_attr: removes an attribute of a communicator. */
typedef struct dumpi_comm_delete_attr {
    dumpi_comm comm;
    dumpi_keyval keyval;
} dumpi_comm_delete_attr;

/* MPI_Comm_free_keyval: frees an attribute key of communicators. */
typedef struct dumpi_comm_free_keyval {
    dumpi_keyval keyval;
} dumpi_comm_free_keyval;

/* MPI_Comm_get_attr: asks for an attribute of a communicator. */
typedef struct dumpi_comm_get_attr {
    dumpi_comm comm;
    dumpi_keyval keyval;
    int flag;
} dumpi_comm_get_attr;

/* MPI_Comm_get_name: asks for the name of a communicator. */
typedef struct dumpi_comm_get_name {
    dumpi_comm comm;
    char *name;
    int resultlen;
} dumpi_comm_get_name;

/* MPI_Comm_set_attr: sets an attribute of a communicator. */
typedef struct dumpi_comm_set_attr {
    dumpi_comm comm;
    dumpi_keyval keyval;
} dumpi_comm_set_attr;

/* MPI_Comm_set_name: names a communicator. */
typedef struct dumpi_comm_set_name {
    dumpi_comm comm;
    char *name;
} dumpi_comm_set_name;

/* MPI_File_call_errhandler: calls the error handler of a file. */
typedef struct dumpi_file_call_errhandler {
    dumpi_file file;
    int errorcode;
} dumpi_file_call_errhandler;

/* MPI_Grequest_complete: completes a generalised request. */
typedef struct dumpi_grequest_complete {
    dumpi_request request;
} dumpi_grequest_complete;

/* MPI_Grequest_start: starts a generalised request. */
typedef struct dumpi_grequest_start {
    dumpi_request request;
} dumpi_grequest_start;

/* MPI_Init_thread: initialises MPI for threads. */
typedef struct dumpi_init_thread {
    int argc;
    char **argv;
    dumpi_threadlevel required;
    dumpi_threadlevel provided;
} dumpi_init_thread;

/* MPI_Is_thread_main: asks whether this thread initialised MPI. */
typedef struct dumpi_is_thread_main {
    int flag;
} dumpi_is_thread_main;

/* MPI_Query_thread: asks for the level of thread support. */
typedef struct dumpi_query_thread {
    dumpi_threadlevel supported;
} dumpi_query_thread;

/* MPI_Status_set_cancelled: marks a status as cancelled. */
typedef struct dumpi_status_set_cancelled {
    dumpi_status *status;
    int flag;
} dumpi_status_set_cancelled;

/* MPI_Status_set_elements: sets the number of elements of a status. */
typedef struct dumpi_status_set_elements {
    dumpi_status *status;
    dumpi_datatype datatype;
    int count;
} dumpi_status_set_elements;

/* MPI_Type_create_keyval: makes an attribute key of datatypes. */
typedef struct dumpi_type_create_keyval {
    dumpi_keyval keyval;
} dumpi_type_create_keyval;

/* MPI_Type_delete_attr: removes an attribute of a datatype. */
typedef struct dumpi_type_delete_attr {
    dumpi_datatype datatype;
    dumpi_keyval keyval;
} dumpi_type_delete_attr;

/* MPI_Type_dup: makes a copy of a datatype. */
typedef struct dumpi_type_dup {
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_dup;

/* MPI_Type_free_keyval: frees an attribute key of datatypes. */
typedef struct dumpi_type_free_keyval {
    dumpi_keyval keyval;
} dumpi_type_free_keyval;

/* MPI_Type_get_attr: asks for an attribute of a datatype. */
typedef struct dumpi_type_get_attr {
    dumpi_datatype datatype;
    dumpi_keyval keyval;
    int flag;
} dumpi_type_get_attr;

/* MPI_Type_get_contents: asks for the arguments that made a datatype. */
typedef struct dumpi_type_get_contents {
    int numdatatypes;
    int numaddresses;
    int numintegers;
    dumpi_datatype datatype;
    int maxintegers;
    int maxaddresses;
    int maxdatatypes;
    int *arrintegers;
    int *arraddresses;
    dumpi_datatype *arrdatatypes;
} dumpi_type_get_contents;

/* MPI_Type_get_envelope: asks how a datatype was made. */
typedef struct dumpi_type_get_envelope {
    dumpi_datatype datatype;
    int numintegers;
    int numaddresses;
    int numdatatypes;
    dumpi_combiner combiner;
} dumpi_type_get_envelope;

/* MPI_Type_get_name: asks for the name of a datatype. */
typedef struct dumpi_type_get_name {
    dumpi_datatype datatype;
    char *name;
    int resultlen;
} dumpi_type_get_name;

/* MPI_Type_set_attr: sets an attribute of a datatype. */
typedef struct dumpi_type_set_attr {
    dumpi_datatype datatype;
    dumpi_keyval keyval;
} dumpi_type_set_attr;

/* MPI_Type_set_name: names a datatype. */
typedef struct dumpi_type_set_name {
    dumpi_datatype datatype;
    char *name;
} dumpi_type_set_name;

/* MPI_Type_match_size: asks for a datatype by class and size. */
typedef struct dumpi_type_match_size {
    dumpi_typeclass typeclass;
    int size;
    dumpi_datatype datatype;
} dumpi_type_match_size;

/* MPI_Win_call_errhandler: calls the error handler of a window. */
typedef struct dumpi_win_call_errhandler {
    dumpi_win win;
    int errorcode;
} dumpi_win_call_errhandler;

/* MPI_Win_create_keyval: makes an attribute key of windows. */
typedef struct dumpi_win_create_keyval {
    dumpi_keyval keyval;
} dumpi_win_create_keyval;

/* MPI_Win_delete_attr: removes an attribute of a window. */
typedef struct dumpi_win_delete_attr {
    dumpi_win win;
    dumpi_keyval keyval;
} dumpi_win_delete_attr;

/* MPI_Win_free_keyval: frees an attribute key of windows. */
typedef struct dumpi_win_free_keyval {
    dumpi_keyval keyval;
} dumpi_win_free_keyval;

/* MPI_Win_get_attr: asks for an attribute of a window. */
typedef struct dumpi_win_get_attr {
    dumpi_win win;
    dumpi_keyval keyval;
    int flag;
} dumpi_win_get_attr;

/* MPI_Win_get_name: asks for the name of a window. */
typedef struct dumpi_win_get_name {
    dumpi_win win;
    char *name;
    int resultlen;
} dumpi_win_get_name;

/* MPI_Win_set_attr: sets an attribute of a window. */
typedef struct dumpi_win_set_attr {
    dumpi_win win;
    dumpi_keyval keyval;
} dumpi_win_set_attr;

/* MPI_Win_set_name: names a window. */
typedef struct dumpi_win_set_name {
    dumpi_win win;
    char *name;
} dumpi_win_set_name;

/* MPI_Alloc_mem: allocates memory. */
typedef struct dumpi_alloc_mem {
    int size;
    dumpi_info info;
} dumpi_alloc_mem;

/* MPI_Comm_create_errhandler: makes an error handler of communicators. */
typedef struct dumpi_comm_create_errhandler {
    dumpi_errhandler errhandler;
} dumpi_comm_create_errhandler;

/* MPI_Comm_get_errhandler: asks for the error handler of a communicator. */
typedef struct dumpi_comm_get_errhandler {
    dumpi_comm comm;
    dumpi_errhandler errhandler;
} dumpi_comm_get_errhandler;

/* MPI_Comm_set_errhandler: sets the error handler of a communicator. */
typedef struct dumpi_comm_set_errhandler {
    dumpi_comm comm;
    dumpi_errhandler errhandler;
} dumpi_comm_set_errhandler;

/* MPI_File_create_errhandler: makes an error handler of files. */
typedef struct dumpi_file_create_errhandler {
    dumpi_errhandler errhandler;
} dumpi_file_create_errhandler;

/* MPI_File_get_errhandler: asks for the error handler of a file. */
typedef struct dumpi_file_get_errhandler {
    dumpi_file file;
    dumpi_errhandler errhandler;
} dumpi_file_get_errhandler;

/* MPI_File_set_errhandler: sets the error handler of a file. */
typedef struct dumpi_file_set_errhandler {
    dumpi_file file;
    dumpi_errhandler errhandler;
} dumpi_file_set_errhandler;

/* MPI_Finalized: asks whether MPI is finalised. */
typedef struct dumpi_finalized {
    int flag;
} dumpi_finalized;

/* MPI_Free_mem: gives memory back. */
typedef struct dumpi_free_mem {
    int dummy;
} dumpi_free_mem;

/* MPI_Get_address: asks for the address of a location in memory. */
typedef struct dumpi_get_address {
    int address;
} dumpi_get_address;

/* MPI_Info_create: makes an info object. */
typedef struct dumpi_info_create {
    dumpi_info info;
} dumpi_info_create;

/* MPI_Info_delete: removes a key from an info object. */
typedef struct dumpi_info_delete {
    dumpi_info info;
    char *key;
} dumpi_info_delete;

/* MPI_Info_dup: makes a copy of an info object. */
typedef struct dumpi_info_dup {
    dumpi_info oldinfo;
    dumpi_info newinfo;
} dumpi_info_dup;

/* MPI_Info_free: frees an info object. */
typedef struct dumpi_info_free {
    dumpi_info info;
} dumpi_info_free;

/* MPI_Info_get: asks for the value of a key of an info object. */
typedef struct dumpi_info_get {
    dumpi_info info;
    char *key;
    int valuelength;
    char *value;
    int flag;
} dumpi_info_get;

/* MPI_Info_get_nkeys: asks for the number of keys of an info object. */
typedef struct dumpi_info_get_nkeys {
    dumpi_info info;
    int nkeys;
} dumpi_info_get_nkeys;

/* MPI_Info_get_nthkey: asks for the n-th key of an info object. */
typedef struct dumpi_info_get_nthkey {
    dumpi_info info;
    int n;
    char *key;
} dumpi_info_get_nthkey;

/* MPI_Info_get_valuelen: asks for the length of a value of an info object. */
typedef struct dumpi_info_get_valuelen {
    dumpi_info info;
    char *key;
    int valuelen;
    int flag;
} dumpi_info_get_valuelen;

/* MPI_Info_set: sets a key of an info object. */
typedef struct dumpi_info_set {
    dumpi_info info;
    char *key;
    char *value;
} dumpi_info_set;

/* MPI_Pack_external: packs data in an external form. */
typedef struct dumpi_pack_external {
    char *datarep;
    int incount;
    dumpi_datatype intype;
    int outcount;
    struct {
        int in;
        int out;
    } position;
} dumpi_pack_external;

/* MPI_Pack_external_size: asks how much room packed external data needs. */
typedef struct dumpi_pack_external_size {
    char *datarep;
    int incount;
    dumpi_datatype datatype;
    int size;
} dumpi_pack_external_size;

/* MPI_Request_get_status: asks whether a request is complete without freeing it. */
typedef struct dumpi_request_get_status {
    dumpi_request request;
    int flag;
    dumpi_status *status;
} dumpi_request_get_status;

/* MPI_Type_create_darray: makes a datatype of a distributed array. */
typedef struct dumpi_type_create_darray {
    int size;
    int rank;
    int ndims;
    int *gsizes;
    dumpi_distribution *distribs;
    int *dargs;
    int *psizes;
    dumpi_ordering order;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_create_darray;

/* MPI_Type_create_hindexed: makes a datatype of blocks at given places, places in bytes. */
typedef struct dumpi_type_create_hindexed {
    int count;
    int *blocklengths;
    int *displacements;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_create_hindexed;

/* MPI_Type_create_hvector: makes a datatype of equally spaced blocks, spacing in bytes. */
typedef struct dumpi_type_create_hvector {
    int count;
    int blocklength;
    int stride;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_create_hvector;

/* MPI_Type_create_indexed_block: makes a datatype of blocks of equal length at given places. */
typedef struct dumpi_type_create_indexed_block {
    int count;
    int blocklength;
    int *displacments;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_create_indexed_block;

/* MPI_Type_create_resized: makes a datatype with other bounds. */
typedef struct dumpi_type_create_resized {
    dumpi_datatype oldtype;
    int lb;
    int extent;
    dumpi_datatype newtype;
} dumpi_type_create_resized;

/* MPI_Type_create_struct: makes a datatype of blocks of different datatypes. */
typedef struct dumpi_type_create_struct {
    int count;
    int *blocklengths;
    int *displacements;
    dumpi_datatype *oldtypes;
    dumpi_datatype newtype;
} dumpi_type_create_struct;

/* MPI_Type_create_subarray: makes a datatype of a part of an array. */
typedef struct dumpi_type_create_subarray {
    int ndims;
    int *sizes;
    int *subsizes;
    int *starts;
    dumpi_ordering order;
    dumpi_datatype oldtype;
    dumpi_datatype newtype;
} dumpi_type_create_subarray;

/* MPI_Type_get_extent: asks for lower bound and extent of a datatype. */
typedef struct dumpi_type_get_extent {
    dumpi_datatype datatype;
    int lb;
    int extent;
} dumpi_type_get_extent;

/* MPI_Type_get_true_extent: asks for the bounds of a datatype without gaps. */
typedef struct dumpi_type_get_true_extent {
    dumpi_datatype datatype;
    int lb;
    int extent;
} dumpi_type_get_true_extent;

/* MPI_Unpack_external: unpacks data in an external form. */
typedef struct dumpi_unpack_external {
    char *datarep;
    int insize;
    struct {
        int in;
        int out;
    } position;
    int outcount;
    dumpi_datatype datatype;
} dumpi_unpack_external;

/* MPI_Win_create_errhandler: makes an error handler of windows. */
typedef struct dumpi_win_create_errhandler {
    dumpi_errhandler errhandler;
} dumpi_win_create_errhandler;

/* MPI_Win_get_errhandler: asks for the error handler of a window. */
typedef struct dumpi_win_get_errhandler {
    dumpi_win win;
    dumpi_errhandler errhandler;
} dumpi_win_get_errhandler;

/* MPI_Win_set_errhandler: sets the error handler of a window. */
typedef struct dumpi_win_set_errhandler {
    dumpi_win win;
    dumpi_errhandler errhandler;
} dumpi_win_set_errhandler;

/* MPI_File_open: opens a file. */
typedef struct dumpi_file_open {
    dumpi_comm comm;
    char *filename;
    dumpi_filemode amode;
    dumpi_info info;
    dumpi_file file;
} dumpi_file_open;

/* MPI_File_close: closes a file. */
typedef struct dumpi_file_close {
    dumpi_file file;
} dumpi_file_close;

/* MPI_File_delete: deletes a file. */
typedef struct dumpi_file_delete {
    char *filename;
    dumpi_info info;
} dumpi_file_delete;

/* MPI_File_set_size: sets the size of a file. */
typedef struct dumpi_file_set_size {
    dumpi_file file;
    int64_t size;
} dumpi_file_set_size;

/* MPI_File_preallocate: reserves room for a file. */
typedef struct dumpi_file_preallocate {
    dumpi_file file;
    int64_t size;
} dumpi_file_preallocate;

/* MPI_File_get_size: asks for the size of a file. */
typedef struct dumpi_file_get_size {
    dumpi_file file;
    int64_t size;
} dumpi_file_get_size;

/* MPI_File_get_group: asks for the group that opened a file. */
typedef struct dumpi_file_get_group {
    dumpi_file file;
    dumpi_group group;
} dumpi_file_get_group;

/* MPI_File_get_amode: asks for the access mode of a file. */
typedef struct dumpi_file_get_amode {
    dumpi_file file;
    dumpi_filemode amode;
} dumpi_file_get_amode;

/* MPI_File_set_info: sets hints of a file. */
typedef struct dumpi_file_set_info {
    dumpi_file file;
    dumpi_info info;
} dumpi_file_set_info;

/* MPI_File_get_info: asks for the hints of a file. */
typedef struct dumpi_file_get_info {
    dumpi_file file;
    dumpi_info info;
} dumpi_file_get_info;

/* MPI_File_set_view: sets the view of a file. */
typedef struct dumpi_file_set_view {
    dumpi_file file;
    int64_t offset;
    dumpi_datatype hosttype;
    dumpi_datatype filetype;
    char *datarep;
    dumpi_info info;
} dumpi_file_set_view;

/* MPI_File_get_view: asks for the view of a file. */
typedef struct dumpi_file_get_view {
    dumpi_file file;
    int64_t offset;
    dumpi_datatype hosttype;
    dumpi_datatype filetype;
    char *datarep;
} dumpi_file_get_view;

/* MPI_File_read_at: reads at an offset. */
typedef struct dumpi_file_read_at {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_read_at;

/* MPI_File_read_at_all: reads at an offset, collectively. */
typedef struct dumpi_file_read_at_all {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_read_at_all;

/* MPI_File_write_at: writes at an offset. */
typedef struct dumpi_file_write_at {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_write_at;

/* MPI_File_write_at_all: writes at an offset, collectively. */
typedef struct dumpi_file_write_at_all {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_write_at_all;

/* MPI_File_iread_at: starts to read at an offset. */
typedef struct dumpi_file_iread_at {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
    dumpio_request request;
} dumpi_file_iread_at;

/* MPI_File_iwrite_at: starts to write at an offset. */
typedef struct dumpi_file_iwrite_at {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
    dumpio_request request;
} dumpi_file_iwrite_at;

/* MPI_File_read: reads at the individual pointer. */
typedef struct dumpi_file_read {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_read;

/* MPI_File_read_all: reads at the individual pointer, collectively. */
typedef struct dumpi_file_read_all {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_read_all;

/* MPI_File_write: writes at the individual pointer. */
typedef struct dumpi_file_write {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_write;

/* MPI_File_write_all: writes at the individual pointer, collectively. */
typedef struct dumpi_file_write_all {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_write_all;

/* MPI_File_iread: starts to read at the individual pointer. */
typedef struct dumpi_file_iread {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpio_request request;
} dumpi_file_iread;

/* MPI_File_iwrite: starts to write at the individual pointer. */
typedef struct dumpi_file_iwrite {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpio_request request;
} dumpi_file_iwrite;

/* MPI_File_seek: moves the individual pointer. */
typedef struct dumpi_file_seek {
    dumpi_file file;
    int64_t offset;
    dumpi_whence whence;
} dumpi_file_seek;

/* MPI_File_get_position: asks for the individual pointer. */
typedef struct dumpi_file_get_position {
    dumpi_file file;
    int64_t offset;
} dumpi_file_get_position;

/* MPI_File_get_byte_offset: turns an offset of the view into bytes. */
typedef struct dumpi_file_get_byte_offset {
    dumpi_file file;
    int64_t offset;
    int64_t bytes;
} dumpi_file_get_byte_offset;

/* MPI_File_read_shared: reads at the shared pointer. */
typedef struct dumpi_file_read_shared {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_read_shared;

/* MPI_File_write_shared: writes at the shared pointer. */
typedef struct dumpi_file_write_shared {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_write_shared;

/* MPI_File_iread_shared: starts to read at the shared pointer. */
typedef struct dumpi_file_iread_shared {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpio_request request;
} dumpi_file_iread_shared;

/* MPI_File_iwrite_shared: starts to write at the shared pointer. */
typedef struct dumpi_file_iwrite_shared {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpio_request request;
} dumpi_file_iwrite_shared;

/* MPI_File_read_ordered: reads at the shared pointer in the order of ranks. */
typedef struct dumpi_file_read_ordered {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_read_ordered;

/* MPI_File_write_ordered: writes at the shared pointer in the order of ranks. */
typedef struct dumpi_file_write_ordered {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
    dumpi_status *status;
} dumpi_file_write_ordered;

/* MPI_File_seek_shared: moves the shared pointer. */
typedef struct dumpi_file_seek_shared {
    dumpi_file file;
    int64_t offset;
    dumpi_whence whence;
} dumpi_file_seek_shared;

/* MPI_File_get_position_shared: asks for the shared pointer. */
typedef struct dumpi_file_get_position_shared {
    dumpi_file file;
    int64_t offset;
} dumpi_file_get_position_shared;

/* MPI_File_read_at_all_begin: begins to read at an offset, collectively. */
typedef struct dumpi_file_read_at_all_begin {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
} dumpi_file_read_at_all_begin;

/* MPI_File_read_at_all_end: ends reading at an offset, collectively. */
typedef struct dumpi_file_read_at_all_end {
    dumpi_file file;
    dumpi_status *status;
} dumpi_file_read_at_all_end;

/* MPI_File_write_at_all_begin: begins to write at an offset, collectively. */
typedef struct dumpi_file_write_at_all_begin {
    dumpi_file file;
    int64_t offset;
    int count;
    dumpi_datatype datatype;
} dumpi_file_write_at_all_begin;

/* MPI_File_write_at_all_end: ends writing at an offset, collectively. */
typedef struct dumpi_file_write_at_all_end {
    dumpi_file file;
    dumpi_status *status;
} dumpi_file_write_at_all_end;

/* MPI_File_read_all_begin: begins to read at the individual pointer, collectively. */
typedef struct dumpi_file_read_all_begin {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
} dumpi_file_read_all_begin;

/* MPI_File_read_all_end: ends reading at the individual pointer, collectively. */
typedef struct dumpi_file_read_all_end {
    dumpi_file file;
    dumpi_status *status;
} dumpi_file_read_all_end;

/* MPI_File_write_all_begin: begins to write at the individual pointer, collectively. */
typedef struct dumpi_file_write_all_begin {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
} dumpi_file_write_all_begin;

/* MPI_File_write_all_end: ends writing at the individual pointer, collectively. */
typedef struct dumpi_file_write_all_end {
    dumpi_file file;
    dumpi_status *status;
} dumpi_file_write_all_end;

/* MPI_File_read_ordered_begin: begins to read at the shared pointer in the order of ranks. */
typedef struct dumpi_file_read_ordered_begin {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
} dumpi_file_read_ordered_begin;

/* MPI_File_read_ordered_end: ends reading at the shared pointer in the order of ranks. */
typedef struct dumpi_file_read_ordered_end {
    dumpi_file file;
    dumpi_status *status;
} dumpi_file_read_ordered_end;

/* MPI_File_write_ordered_begin: begins to write at the shared pointer in the order of ranks. */
typedef struct dumpi_file_write_ordered_begin {
    dumpi_file file;
    int count;
    dumpi_datatype datatype;
} dumpi_file_write_ordered_begin;

/* MPI_File_write_ordered_end: ends writing at the shared pointer in the order of ranks. */
typedef struct dumpi_file_write_ordered_end {
    dumpi_file file;
    dumpi_status *status;
} dumpi_file_write_ordered_end;

/* MPI_File_get_type_extent: asks for the extent of a datatype in a file. */
typedef struct dumpi_file_get_type_extent {
    dumpi_file file;
    dumpi_datatype datatype;
    int extent;
} dumpi_file_get_type_extent;

/* MPI_Register_datarep: registers a representation of data in files. */
typedef struct dumpi_register_datarep {
    char *name;
} dumpi_register_datarep;

/* MPI_File_set_atomicity: switches atomic access on or off. */
typedef struct dumpi_file_set_atomicity {
    dumpi_file file;
    int flag;
} dumpi_file_set_atomicity;

/* MPI_File_get_atomicity: asks whether access is atomic. */
typedef struct dumpi_file_get_atomicity {
    dumpi_file file;
    int flag;
} dumpi_file_get_atomicity;

/* MPI_File_sync: brings a file's data to storage. */
typedef struct dumpi_file_sync {
    dumpi_file file;
} dumpi_file_sync;

/* MPIO_Test: asks whether one I/O request is complete. */
typedef struct dumpio_test {
    dumpio_request request;
    int flag;
    dumpi_status *status;
} dumpio_test;

/* MPIO_Wait: waits for one I/O request. */
typedef struct dumpio_wait {
    dumpio_request request;
    dumpi_status *status;
} dumpio_wait;

/* MPIO_Testall: asks whether all of several I/O requests are complete. */
typedef struct dumpio_testall {
    int count;
    dumpio_request *requests;
    int flag;
    dumpi_status *statuses;
} dumpio_testall;

/* MPIO_Waitall: waits for all of several I/O requests. */
typedef struct dumpio_waitall {
    int count;
    dumpio_request *requests;
    dumpi_status *statuses;
} dumpio_waitall;

/* MPIO_Testany: asks whether any one of several I/O requests is complete. */
typedef struct dumpio_testany {
    int count;
    dumpio_request *requests;
    int index;
    int flag;
    dumpi_status *statuses;
} dumpio_testany;

/* MPIO_Waitany: waits for any one of several I/O requests. */
typedef struct dumpio_waitany {
    int count;
    dumpio_request *requests;
    int index;
    dumpi_status *statuses;
} dumpio_waitany;

/* MPIO_Waitsome: waits until at least one of several I/O requests is complete. */
typedef struct dumpio_waitsome {
    int count;
    dumpio_request *requests;
    int outcount;
    int *indices;
    dumpi_status *statuses;
} dumpio_waitsome;

/* MPIO_Testsome: asks which of several I/O requests are complete. */
typedef struct dumpio_testsome {
    int count;
    dumpio_request *requests;
    int outcount;
    int *indices;
    dumpi_status *statuses;
} dumpio_testsome;

/* Function_enter: a function is entered, or an annotation begins. */
typedef struct dumpi_func_call {
    uint64_t fn;
} dumpi_func_call;

#ifdef __cplusplus
}
#endif
#endif
