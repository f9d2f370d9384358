/* library.h: what the files of libovni share: the process, the calling thread, and what happens when a program uses a
 * function wrongly. */
#ifndef QUIPU_COMPAT_OVNI_LIBRARY_H
#define QUIPU_COMPAT_OVNI_LIBRARY_H

#include "json.h"
#include "record/ring.h"

#include <ovni.h>
#include <stdatomic.h>

/* A process is initialised once. STOPPED: no stream gets anything any more. */
enum process_state { PROCESS_NEW, PROCESS_INITIALISING, PROCESS_READY, PROCESS_GONE };

struct process {
    _Atomic enum process_state state;
    atomic_bool is_stopped;
    int app, pid;
    char loom[OVNI_MAX_HOSTNAME];
    char *final_folder; /* of the process, absolute */
    char *folder;       /* where its threads write: the same, or one below OVNI_TMPDIR */
};
extern struct process process;

enum thread_state { THREAD_NEW, THREAD_READY, THREAD_FREED, THREAD_STOPPED, THREAD_FORKED };

struct cpu {
    int index, phyid;
};

struct thread {
    struct quipu__ring ring;
    enum thread_state state;
    pid_t tid;
    struct json *metadata;
    bool metadata_changed; /* written before the next event is recorded */
    bool has_rank;
    int rank, nranks;
    struct cpu *cpus;
    size_t cpu_count, cpu_room;
    bool was_flushed; /* the pair of events about that is recorded with the next event */
    uint64_t flush_begin, flush_end;
    char *folder, *final_folder;
};
extern _Thread_local struct thread thread;

/* A function was used wrongly: reports it once, with the function's name, and stops recording; aborts when QUIPU_STRICT
 * is 1. */
void misuse(const char *function, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A call of the system failed: errno says why. Reported and stopped in the same way, but never aborted. */
void system_failed(const char *function, const char *path);

/* Something that does no harm. */
void warn(const char *function, const char *text);

/* Whether the process, or the calling thread, may use the function; if not, that is a misuse. Always false once recording has
 * stopped. */
bool needs_process(const char *function);
bool needs_thread(const char *function);

/* Lets the next event of the calling thread look at what else is due first. */
void ask_for_attention(void);

/* Ends the stream of the calling thread where it is, unfinished, and says why in its metadata. */
void thread_stop(const char *reason);

/* Writes stream.json: of a thread that is finished, or goes on. False with errno. */
bool metadata_write(bool is_finished);

/* Sets a value in the metadata of the calling thread. */
bool metadata_put(const char *path, struct json *value);

/* Paths: in memory of malloc. NULL when there is none. */
char *path_join(const char *folder, const char *name);
bool path_make(const char *folder); /* with its parents; errno */
bool path_copy(const char *from, const char *to);

/* X.Y.Z, with anything behind a hyphen. */
bool version_parse(const char *version, int numbers[3]);

/* Records what is in the buffer of the calling thread before it is freed. */
void events_finish(void);

#endif
