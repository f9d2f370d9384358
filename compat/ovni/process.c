/* process.c: the life of a process, and versions. */
#include "library.h"

#include "record/clock.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

struct process process;

/* ---- Versions ---- */

bool version_parse(const char *version, int numbers[3]) {
    for (int i = 0; i < 3; i++) {
        char *end;
        if (*version < '0' || *version > '9')
            return false;
        const long number = strtol(version, &end, 10);
        if (number > INT_MAX || (i < 2 && *end != '.'))
            return false;
        numbers[i] = (int)number;
        version = end + (i < 2);
    }
    return *version == '\0' || *version == '-';
}

void ovni_version_get(const char **version, const char **commit) {
    *version = OVNI_LIB_VERSION;
    *commit = OVNI_GIT_COMMIT;
}

void ovni_version_check_str(const char *version) {
    int wanted[3], ours[3];
    if (!version || !version_parse(version, wanted))
        misuse(__func__, "version \"%s\" is not of the form X.Y.Z", version ? version : "NULL");
    else if (version_parse(OVNI_LIB_VERSION, ours) && (wanted[0] != ours[0] || wanted[1] > ours[1]))
        misuse(__func__, "incompatible library version: the program needs %s, this is %s", version,
               OVNI_LIB_VERSION);
}

/* ---- Initialising ---- */

/* The buffers of the parent are none of the child's business: its events would mix with the parent's. */
static void forget_in_child(void) {
    if (thread.state != THREAD_READY)
        return;
    quipu__ring_abandon(&thread.ring);
    thread.state = THREAD_FORKED;
}

/* FOLDER/loom.LOOM/proc.PID, absolute and made. */
static char *make_process_folder(const char *top) {
    char below[OVNI_MAX_HOSTNAME + 32];
    snprintf(below, sizeof below, "loom.%s/proc.%d", process.loom, process.pid);
    char *folder = path_join(top, below);
    char *absolute = folder && path_make(folder) ? realpath(folder, NULL) : NULL;
    if (!absolute)
        system_failed("ovni_proc_init", folder);
    free(folder);
    return absolute;
}

static const char *environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static bool make_folders(void) {
    const char *temporary = environment("OVNI_TMPDIR", NULL);
    process.final_folder = make_process_folder(environment("OVNI_TRACEDIR", OVNI_TRACEDIR));
    process.folder = temporary ? make_process_folder(temporary) : process.final_folder;
    return process.final_folder && process.folder;
}

void ovni_proc_init(int app, const char *loom, int pid) {
    enum process_state expected = PROCESS_NEW;
    if (atomic_load(&process.is_stopped))
        return;
    if (!atomic_compare_exchange_strong(&process.state, &expected, PROCESS_INITIALISING)) {
        misuse(__func__, "the process was initialised before%s",
               thread.state == THREAD_FORKED ? ", by the one that it was forked from" : "");
        return;
    }
    if (!loom || strlen(loom) >= OVNI_MAX_HOSTNAME) {
        misuse(__func__, "the name of the loom is missing or has %d bytes or more", OVNI_MAX_HOSTNAME);
        return;
    }
    memcpy(process.loom, loom, strlen(loom) + 1);
    process.app = app;
    process.pid = pid;
    quipu_recorder_clock_begin();
    pthread_atfork(NULL, NULL, forget_in_child);
    if (make_folders())
        atomic_store(&process.state, PROCESS_READY);
}

/* ---- Finishing ---- */

/* Removes a folder and the three above it, up to OVNI_TMPDIR itself, as far as they are empty. */
static void remove_empty_folders(char *folder) {
    for (int level = 0; level < 3 && rmdir(folder) == 0; level++)
        *strrchr(folder, '/') = '\0';
}

void ovni_proc_fini(void) {
    enum process_state expected = PROCESS_READY;
    if (!needs_process(__func__))
        return;
    if (!atomic_compare_exchange_strong(&process.state, &expected, PROCESS_GONE)) {
        misuse(__func__, "another thread finishes the process");
        return;
    }
    if (process.folder != process.final_folder)
        remove_empty_folders(process.folder);
}

void ovni_proc_set_rank(int rank, int nranks) {
    if (!needs_process(__func__) || !needs_thread(__func__))
        return;
    thread.has_rank = true;
    thread.rank = rank;
    thread.nranks = nranks;
    thread.metadata_changed = true;
    ask_for_attention();
}
