/* picl.h: the Portable Instrumented Communication Library on MPI: communication by message types, and tracing in PICL's new
 * format, which "quipu" and ParaGraph read.
 *
 * A program calls open0 first and close0 last; MPI is started and ended by them unless the program has started it. Nodes are the
 * processes of MPI_COMM_WORLD, numbered from 0. There is no host program: its number, 32767, belongs to no node. Functions are for one
 * thread at a time. Message types are 0 and above; a negative type stands for any when receiving. An error prints one line and
 * ends the program, as PICL does.
 *
 * Fortran calls have the same names and arguments, or the same with an f behind it (send0f).
 *
 * Tracing costs nothing until tracenode is called. Times are seconds with six decimals; zero is the first clocksync0, or the first
 * call of this library where there is none.
 */
#ifndef PICL_H
#define PICL_H

#ifdef __cplusplus
extern "C" {
#endif

#define PICL_HOST 32767 /* number of the host */

/* Types of data of the reductions; 0 to 3 for logical ones. */
enum picl_datatype { PICL_CHAR, PICL_SHORT, PICL_INT, PICL_LONG, PICL_FLOAT, PICL_DOUBLE };

/* ---- Communication ---- */

/* Once: the number of nodes, the own number, and the host's. */
void open0(int *nproc, int *me, int *host);

/* Ends tracing and communication. Every node's trace is written: sorted by time into the file that node 0 has chosen, and one node
 * after another into others. */
void close0(void);
void who0(int *nproc, int *me, int *host);

/* Whether the program was started by a host program: 0. */
int host0(void);

/* Node -1: all others; a node may send to itself. Returns when buf may be changed: messages wait in buffers of 64 MiB in each node until they are
 * received. When those are full, send0 waits until earlier messages have been received, and a message to the node itself that has no room ends
 * the program. What has not been received when all nodes have called close0 is lost. */
void send0(void *buf, int bytes, int type, int node);
void recv0(void *buf, int bytes, int type);

/* 1 when a message of the type waits, which recvinfo0 then tells of. */
int probe0(int type);

/* Waits for a message without receiving it. */
void wait0(int type);

/* About the message that was received or probed last; arguments may be NULL. */
void recvinfo0(int *bytes, int *type, int *node);

/* Begin and end of communication that goes on meanwhile: the earliest of the type that has begun is ended. Status: 1 when that
 * one is complete, which ends it. */
void sendbegin0(void *buf, int bytes, int type, int node);
void sendend0(int type);
int sendstatus0(int type);
void recvbegin0(void *buf, int bytes, int type);
void recvend0(int type);
int recvstatus0(int type);

/* All nodes wait for each other. */
void sync0(void);
void barrier0(void);

/* Seconds; of one clock for all nodes after clocksync0, which all of them call. */
double clock0(void);
void clocksync0(void);

/* Whether arguments are looked at: 1, as at the beginning, or 0. */
void check0(int on);

/* A text of under 80 characters to standard output, with node and time. */
void message0(char *text);

/* What setarc0 says is kept for getarc0: number of nodes, topology (1 hypercube, 2 full, 3 one-way ring, 4 two-way ring), order
 * (0 natural, 1 Gray code) and direction (1 or -1). neighbor0, and the tree of messages of a collective operation, go by the numbers
 * of nodes. */
void setarc0(int *nproc, int *top, int *ord, int *dir);
void getarc0(int *nproc, int *top, int *ord, int *dir);

/* From root to all others. bcast1 hands on only: every node but root has received already. */
void bcast0(void *buf, int bytes, int type, int root);
void bcast1(void *buf, int bytes, int type, int root);

/* Elements of the other nodes' vectors that are not zero fill those that are, at root; vec is overwritten everywhere. */
void gather0(float *vec, int n, int type, int root);

/* comb(into, from, items, datatype) combines the others' vectors into root's; buf is overwritten everywhere. */
void gcomb0(void *buf, int items, int datatype, int msgtype, int root, void (*comb)(void *, void *, int, int));
void gsum0(void *buf, int items, int datatype, int msgtype, int root);
void gprod0(void *buf, int items, int datatype, int msgtype, int root);
void gmax0(void *buf, int items, int datatype, int msgtype, int root);
void gmin0(void *buf, int items, int datatype, int msgtype, int root);
void gand0(void *buf, int items, int datatype, int msgtype, int root);
void gor0(void *buf, int items, int datatype, int msgtype, int root);
void gxor0(void *buf, int items, int datatype, int msgtype, int root);

/* The i-th Gray code and its inverse; the i-th neighbour in a hypercube; the node farthest from root there. */
int gray0(int i);
int ginv0(int code);
int neighbor0(int i, int node);
int antipode0(int root);

/* Bytes of a type of data, 0 of none; memory, which free() releases. */
int datasize0(int datatype);
void *malloc0(int bytes);

/* ---- Tracing ---- */

/* Begins tracing in a buffer of so many bytes, at least 240. flush: what is done when it is full: 0, recording of details ends (event
 * -913); 1, it is written out (-912); 2, the oldest records give way (-914 stands first at the end). sync 1: clocksync0 first. A second
 * call begins again. */
void tracenode(int bytes, int flush, int sync);

/* The same at the host, which there is none of: it does nothing. */
void tracehost(int bytes, int flush, int sync);

/* Ends tracing; statistics of events are recorded. close0 writes them. */
void traceexit(void);

/* Which categories are recorded in detail: events of PICL, of the user, and of tracing; 0 and below: statistics only. All are 0
 * at first. */
void tracelevel(int picl, int user, int trace);

/* How many records still fit, -1 while nothing is traced, and the levels. Arguments may be NULL. */
void traceinfo(int *remaining, int *picl, int *user, int *trace);

/* Statistics are kept inside of users' events 0 to nevents-1 too. The switches say which statistics are written: times, counts
 * and volumes of PICL's events, times and counts of users' events. */
void traceevents(int nevents, int times, int counts, int volumes, int user_times, int user_counts);

/* Where the trace is written: temp, with a number of the node behind it, takes what flush 1 writes out on the way and is removed in
 * the end; what there is goes to perm, behind what is there. "" or NULL: nowhere. What a node without perm has recorded is not
 * written. verbose asks for the old format's long spelling; the new format has one spelling only. */
void tracefiles(char *temp, char *perm, int verbose);
void traceflush(void);

/* An event of the user without duration; an array as a record of type 0; data of one type ("char", "string", "int", "long",
 * "float", "double") as a record of the user's; a text of under 80 characters. Data of "string" are pointers to strings, char *[].
 * Strings that are empty or have blanks, and numbers that are not finite, have no form in the trace: their record is left out, and the
 * first time that is said on standard output and in the trace. */
void tracemark(int event);
void tracemarks(int *array, int size);
void tracedata(int event, int recordtype, char *type, int count, void *data);
void tracemsg(char *text);

/* An event of the user begins and ends. */
void traceblockbegin(int event, int location, int parameter);
void traceblockend(int event, int location, int parameter);

/* Whether blocks are recorded: 1, as at the beginning, or 0. */
void traceblock(int on);

#ifdef __cplusplus
}
#endif
#endif
