/* thread.c: the life of a thread: its stream, its metadata, and where its files go. */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define STREAM_NAME "stream" OVNI_STREAM_EXT
#define METADATA_NAME "stream.json"
#define METADATA_NEW_NAME "stream.json.new" /* what METADATA_NAME becomes when it is complete */

_Thread_local struct thread thread = {.ring = QUIPU__RING_NONE};

void ask_for_attention(void) {
    thread.ring.limit = 0;
}

/* ---- Metadata ---- */

bool metadata_put(const char *path, struct json *value) {
    const bool is_put = json_put(thread.metadata, path, value);
    thread.metadata_changed = true;
    ask_for_attention();
    return is_put;
}

static bool put_number(const char *path, double number) {
    return json_put(thread.metadata, path, json_new_number(number));
}

static struct json *cpu_list(void) {
    struct json *list = json_new(JSON_ARRAY);
    for (size_t i = 0; list && i < thread.cpu_count; i++) {
        struct json *cpu = json_new(JSON_OBJECT);
        if (!cpu)
            continue;
        json_put(cpu, "index", json_new_number(thread.cpus[i].index));
        json_put(cpu, "phyid", json_new_number(thread.cpus[i].phyid));
        json_append(list, cpu);
    }
    return list;
}

/* What the original adds in the end only. It is removed again while the thread goes on, so that the order of members in the
 * finished file is the original's. */
static void put_final_members(bool is_finished) {
    if (thread.has_rank) {
        put_number("ovni.rank", thread.rank);
        put_number("ovni.nranks", thread.nranks);
    }
    if (thread.cpu_count)
        json_put(thread.metadata, "ovni.loom_cpus", cpu_list());
    if (is_finished)
        put_number("ovni.finished", 1);
}

static void remove_final_members(void) {
    static const char *const paths[] = {"ovni.rank", "ovni.nranks", "ovni.loom_cpus"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        json_remove(thread.metadata, paths[i]);
}

/* Puts the new file in the place of the one before. Exchanging both is as safe as rename(), for which some file systems write the
 * file to the disk first. */
static bool replace_metadata(const char *new_path, const char *path) {
#if defined(RENAME_EXCHANGE)
    if (renameat2(AT_FDCWD, new_path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return unlink(new_path) == 0;
#endif
    return rename(new_path, path) == 0;
}

/* Whoever reads the file meanwhile, and whenever the program is killed, it is complete. */
static bool write_text(const char *text) {
    char *path = path_join(thread.folder, METADATA_NAME),
         *new_path = path_join(thread.folder, METADATA_NEW_NAME);
    FILE *file = path && new_path ? fopen(new_path, "we") : NULL;
    bool is_written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        is_written = false;
    if (is_written)
        is_written = replace_metadata(new_path, path);
    free(path);
    free(new_path);
    return is_written;
}

bool metadata_write(bool is_finished) {
    put_final_members(is_finished);
    char *text = json_text(thread.metadata, true);
    const bool is_written = text && write_text(text);
    const int reason = errno;
    free(text);
    if (!is_finished)
        remove_final_members();
    thread.metadata_changed = false;
    errno = reason;
    return is_written;
}

static bool begin_metadata(void) {
    thread.metadata = json_new(JSON_OBJECT);
    return thread.metadata && put_number("version", OVNI_METADATA_VERSION) &&
           json_put(thread.metadata, "ovni.lib.version", json_new_string(OVNI_LIB_VERSION)) &&
           json_put(thread.metadata, "ovni.lib.commit", json_new_string(OVNI_GIT_COMMIT)) &&
           json_put(thread.metadata, "ovni.part", json_new_string("thread")) &&
           put_number("ovni.tid", thread.tid) && put_number("ovni.pid", process.pid) &&
           json_put(thread.metadata, "ovni.loom", json_new_string(process.loom)) &&
           put_number("ovni.app_id", process.app) && metadata_write(false);
}

/* ---- Beginning ---- */

/* PROCESS/thread.TID, made. */
static char *make_thread_folder(const char *process_folder) {
    char name[32];
    snprintf(name, sizeof name, "thread.%d", (int)thread.tid);
    char *folder = path_join(process_folder, name);
    if (folder && path_make(folder))
        return folder;
    free(folder);
    return NULL;
}

static bool open_stream(void) {
    const struct ovni_stream_header header = {OVNI_STREAM_MAGIC, OVNI_STREAM_VERSION};
    char *path = path_join(thread.folder, STREAM_NAME);
    const bool is_open = path && quipu__ring_open(&thread.ring, path, &header, sizeof header, OVNI_MAX_EV_BUF);
    const int reason = errno;
    free(path);
    errno = reason;
    return is_open;
}

static bool make_files(void) {
    thread.final_folder = make_thread_folder(process.final_folder);
    thread.folder =
        process.folder == process.final_folder ? thread.final_folder : make_thread_folder(process.folder);
    return thread.final_folder && thread.folder && open_stream() && begin_metadata();
}

void ovni_thread_init(pid_t tid) {
    if (!needs_process(__func__))
        return;
    if (thread.state == THREAD_READY) {
        warn(__func__, "the thread was initialised before; this call is ignored");
        return;
    }
    if (thread.state == THREAD_FREED || thread.state == THREAD_FORKED || tid == 0) {
        misuse(__func__, tid == 0 ? "0 is no number of a thread" : "the thread cannot be initialised again");
        return;
    }
    thread.tid = tid;
    if (!make_files()) {
        system_failed(__func__, process.folder);
        return;
    }
    thread.state = THREAD_READY;
    ovni_thread_require("ovni", OVNI_MODEL_VERSION);
}

int ovni_thread_isready(void) {
    return thread.state == THREAD_READY;
}

/* ---- Requirements and CPUs ---- */

static bool model_is_sound(const char *model) {
    const size_t len = strlen(model);
    return len >= 2 && len < 115 && strcspn(model, " .") == len;
}

void ovni_thread_require(const char *model, const char *version) {
    int numbers[3];
    char path[140];
    if (!needs_thread(__func__))
        return;
    if (!model || !version || !model_is_sound(model)) {
        misuse(__func__, "\"%s\" is no name of a model", model ? model : "NULL");
        return;
    }
    if (!version_parse(version, numbers)) {
        misuse(__func__, "version \"%s\" of model %s is not of the form X.Y.Z", version, model);
        return;
    }
    snprintf(path, sizeof path, "ovni.require.%s", model);
    metadata_put(path, json_new_string(version));
}

void ovni_add_cpu(int index, int phyid) {
    if (!needs_process(__func__) || !needs_thread(__func__))
        return;
    if (index < 0 || phyid < 0) {
        misuse(__func__, "CPU index %d, physical number %d: neither may be negative", index, phyid);
        return;
    }
    if (thread.cpu_count == thread.cpu_room) {
        const size_t room = thread.cpu_room ? 2 * thread.cpu_room : 16;
        struct cpu *cpus = realloc(thread.cpus, room * sizeof *cpus);
        if (!cpus) {
            system_failed(__func__, NULL);
            return;
        }
        thread.cpus = cpus;
        thread.cpu_room = room;
    }
    thread.cpus[thread.cpu_count++] = (struct cpu){index, phyid};
    thread.metadata_changed = true;
    ask_for_attention();
}

/* ---- Ending ---- */

static void release_thread(enum thread_state state) {
    if (thread.folder != thread.final_folder)
        free(thread.folder);
    free(thread.final_folder);
    free(thread.cpus);
    json_free(thread.metadata);
    thread = (struct thread){.ring = QUIPU__RING_NONE, .state = state};
}

void thread_stop(const char *reason) {
    if (thread.state != THREAD_READY)
        return;
    thread.state = THREAD_STOPPED;
    json_put(thread.metadata, "quipu.stopped", json_new_string(reason));
    metadata_write(false);
    if (!quipu__ring_write_out(&thread.ring))
        quipu__ring_abandon(&thread.ring);
    else
        quipu__ring_close(&thread.ring);
    release_thread(THREAD_STOPPED);
}

static void move_file(const char *name) {
    char *from = path_join(thread.folder, name), *to = path_join(thread.final_folder, name);
    if (!from || !to || !path_copy(from, to))
        warn("ovni_thread_free", "a file of OVNI_TMPDIR cannot be copied to the trace, it stays where it is");
    else
        unlink(from);
    free(from);
    free(to);
}

void ovni_thread_free(void) {
    if (!needs_thread(__func__))
        return;
    events_finish();
    if (!quipu__ring_close(&thread.ring) || !metadata_write(true)) {
        system_failed(__func__, thread.folder);
        return;
    }
    if (thread.folder != thread.final_folder) {
        move_file(METADATA_NAME);
        move_file(STREAM_NAME);
        rmdir(thread.folder);
    }
    release_thread(THREAD_FREED);
}
