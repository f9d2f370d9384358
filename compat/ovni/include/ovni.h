/* ovni.h: Quipu's libovni, source compatible with ovni 1.14: instruments programs, whose threads write a stream of events each.
 *
 *     ovni_version_check();
 *     ovni_proc_init(1, "node1.0", getpid());              once per process
 *     ovni_thread_init(gettid());                          in each thread that emits
 *     ovni_add_cpu(0, 0);
 *     struct ovni_ev ev = {0};
 *     ovni_ev_set_mcv(&ev, "OHx");                         what happens: model, category, value
 *     ovni_ev_set_clock(&ev, ovni_clock_now());
 *     ovni_payload_add(&ev, (uint8_t *)payload, 16);
 *     ovni_ev_emit(&ev);
 *     ...
 *     ovni_flush();
 *     ovni_thread_free();
 *     ovni_proc_fini();
 *
 * A program that uses a function wrongly goes on: the first such call is reported on standard error, and recording stops.
 * With QUIPU_STRICT=1 in the environment the program is aborted there instead. What was emitted before a program is
 * killed can be read. Link with -lovni.
 *
 * Environment: OVNI_TRACEDIR, the folder of the trace instead of "ovni"; OVNI_TMPDIR, where streams are written until their thread
 * is done; QUIPU_CLOCK=system, to read the system's clock instead of the processor's counter; QUIPU_STRICT.
 */
#ifndef OVNI_H
#define OVNI_H

#include <limits.h>
#include <linux/limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constants ---- */

#define OVNI_METADATA_VERSION 3
#define OVNI_TRACEDIR "ovni"
#define OVNI_MAX_HOSTNAME 512
#define OVNI_MAX_EV_BUF (2 * 1024LL * 1024LL) /* bytes of a thread's buffer */

#define OVNI_STREAM_MAGIC "ovni"
#define OVNI_STREAM_VERSION 1
#define OVNI_STREAM_EXT ".obs"

#define OVNI_MODEL_VERSION "1.1.0"
#define OVNI_LIB_VERSION "1.14.0"
#define OVNI_GIT_COMMIT "unknown"

enum ovni_ev_flags { OVNI_EV_JUMBO = 0x10 };
enum ovni_mark_flags { OVNI_MARK_STACK = 1 };

/* ---- Events, as they are in a stream ---- */

#define QUIPU_OVNI_PACKED __attribute__((__packed__))

struct QUIPU_OVNI_PACKED ovni_ev_header {
    uint8_t flags; /* in the lower half: 0, or bytes of the payload minus one */
    uint8_t model;
    uint8_t category;
    uint8_t value;
    uint64_t clock; /* ns */
};

struct QUIPU_OVNI_PACKED ovni_jumbo_payload {
    uint32_t size;
    uint8_t data[1]; /* size of them in the stream */
};

union QUIPU_OVNI_PACKED ovni_ev_payload {
    int8_t i8[16];
    int16_t i16[8];
    int32_t i32[4];
    int64_t i64[2];
    uint8_t u8[16];
    uint16_t u16[8];
    uint32_t u32[4];
    uint64_t u64[2];
    struct ovni_jumbo_payload jumbo;
};

struct QUIPU_OVNI_PACKED ovni_ev {
    struct ovni_ev_header header;
    union ovni_ev_payload payload;
};

struct QUIPU_OVNI_PACKED ovni_stream_header {
    char magic[4];
    uint32_t version;
};

#undef QUIPU_OVNI_PACKED

/* ---- Versions ---- */

/* Compares the version of this header with that of the library that was loaded. */
#define ovni_version_check() ovni_version_check_str(OVNI_LIB_VERSION)
void ovni_version_check_str(const char *version);
void ovni_version_get(const char **version, const char **commit);

/* ---- Processes ---- */

/* Begins recording: application (from 1), loom (the CPUs that processes share, usually "HOST.SUFFIX") and number of the
 * process. Once per process, before its threads are initialised. */
void ovni_proc_init(int app, const char *loom, int pid);

/* Number among the processes of an MPI program; by a thread that was initialised. */
void ovni_proc_set_rank(int rank, int nranks);

/* After the last thread was freed. */
void ovni_proc_fini(void);

/* ---- Threads ---- */

void ovni_thread_init(pid_t tid);

/* Completes the stream of the calling thread, which cannot be initialised again. */
void ovni_thread_free(void);
int ovni_thread_isready(void);

/* Says that the thread emits events of a model, such as "nosv", of at most this version. */
void ovni_thread_require(const char *model, const char *version);

/* A CPU of the loom: its index there, and the operating system's number. */
void ovni_add_cpu(int index, int phyid);

/* ---- Emitting ---- */

uint64_t ovni_clock_now(void);

void ovni_ev_set_clock(struct ovni_ev *ev, uint64_t clock);
uint64_t ovni_ev_get_clock(const struct ovni_ev *ev);
void ovni_ev_set_mcv(struct ovni_ev *ev, const char *mcv);

/* Appends 2 to 16 bytes, 16 in all. */
void ovni_payload_add(struct ovni_ev *ev, const uint8_t *buf, int size);
int ovni_payload_size(const struct ovni_ev *ev);
int ovni_ev_size(const struct ovni_ev *ev);

/* Records the event, which stays as it is. */
void ovni_ev_emit(struct ovni_ev *ev);

/* Records an event without payload, followed by up to 2097135 bytes of data. The event becomes a jumbo event. */
void ovni_ev_jumbo_emit(struct ovni_ev *ev, const uint8_t *buf, uint32_t bufsize);

/* Writes the buffer of the thread to its stream. */
void ovni_flush(void);

/* ---- Marks: values and intervals of the user ---- */

/* Types are 0 to 99; flags is 0 or OVNI_MARK_STACK. */
void ovni_mark_type(int32_t type, long flags, const char *title);
void ovni_mark_label(int32_t type, int64_t value, const char *label);
void ovni_mark_push(int32_t type, int64_t value);
void ovni_mark_pop(int32_t type, int64_t value);
void ovni_mark_set(int32_t type, int64_t value);

/* ---- Attributes: metadata of the thread's stream; keys are paths such as "app.input.name" ---- */

int ovni_attr_has(const char *key);
void ovni_attr_set_double(const char *key, double num);
void ovni_attr_set_boolean(const char *key, int value);
void ovni_attr_set_str(const char *key, const char *value);
void ovni_attr_set_json(const char *key, const char *json);
double ovni_attr_get_double(const char *key);
int ovni_attr_get_boolean(const char *key);
const char *ovni_attr_get_str(const char *key); /* the library's */
char *ovni_attr_get_json(const char *key);      /* the caller's, to free() */
void ovni_attr_flush(void);

#ifdef __cplusplus
}
#endif

#endif
