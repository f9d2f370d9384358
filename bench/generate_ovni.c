/* generate_ovni.c: the work of a made-up runtime of tasks as an ovni trace of layout 3: every stream is a thread on a CPU of its
 * own, which runs tasks one after the other, with calls of MPI in between. Where the order says so, every so many events there is
 * a region whose events were learned of late: they belong before those that precede it. */
#include "generate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PID = 1, TYPE = 7, TICK = 100, EVENTS_OF_A_TASK = 7, TASKS_BEFORE_A_REGION = 16 };

struct out {
    FILE *file;
    uint64_t clock;
};

static void put(struct out *out, const void *data, size_t size) {
    fwrite(data, 1, size, out->file);
}

static void put_head(struct out *out, unsigned flags, const char *mcv, uint64_t clock) {
    fputc((int)flags, out->file);
    put(out, mcv, 3);
    put(out, &clock, sizeof clock);
}

static void put_event(struct out *out, const char *mcv, const uint32_t *arguments, unsigned count) {
    out->clock += TICK;
    put_head(out, count * 4 - 1, mcv, out->clock);
    put(out, arguments, count * sizeof *arguments);
}

static void put_plain(struct out *out, const char *mcv) {
    out->clock += TICK;
    put_head(out, 0, mcv, out->clock);
}

static void put_type(struct out *out) {
    static const char label[] = "work";
    const uint32_t type = TYPE, size = sizeof type + sizeof label;
    out->clock += TICK;
    put_head(out, 0x10, "VYc", out->clock);
    put(out, &size, sizeof size);
    put(out, &type, sizeof type);
    put(out, label, sizeof label);
}

static void put_task(struct out *out, uint32_t task) {
    const uint32_t created[] = {task, TYPE}, body[] = {task, 0};
    put_event(out, "VTc", created, 2);
    put_event(out, "VTx", body, 2);
    put_plain(out, "VSh");
    put_plain(out, "MS[");
    put_plain(out, "MS]");
    put_plain(out, "VSf");
    put_event(out, "VTe", body, 2);
}

/* What the kernel did meanwhile, before the last event: it took the CPU for a while. */
static void put_region(struct out *out) {
    const uint64_t left = out->clock - TICK - TICK / 4;
    put_plain(out, "OU[");
    put_head(out, 0, "KCO", left);
    put_head(out, 0, "KCI", left + TICK / 8);
    put_plain(out, "OU]");
}

static void make_folder(const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        complete(create("%s", path)); /* fails as well and says why */
}

/* The loom's CPUs are told by its first thread. */
static void write_metadata(const char *folder, uint32_t index, uint32_t count) {
    FILE *file = create("%s/stream.json", folder);
    fprintf(
        file,
        "{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1.14.0\", \"commit\": \"generated\"}, \"part\": "
        "\"thread\", \"tid\": %u, \"pid\": %d, \"loom\": \"generated.0\", \"app_id\": 1, \"require\": "
        "{\"ovni\": \"1.1.0\", \"nosv\": \"2.7.0\", \"mpi\": \"1.0.0\", \"kernel\": \"1.0.0\"}, \"finished\": "
        "1",
        index + 1, PID);
    for (uint32_t cpu = 0; index == 0 && cpu < count; cpu++)
        fprintf(file, "%s{\"index\": %u, \"phyid\": %u}", cpu ? ", " : ", \"loom_cpus\": [", cpu, cpu);
    fputs(index == 0 ? "]}" : "}", file);
    fputs(", \"nosv\": {\"can_breakdown\": true}}\n", file);
    complete(file);
}

static void write_stream(const struct order *order, const char *folder, uint32_t index) {
    const uint64_t tasks = order->events / order->streams / EVENTS_OF_A_TASK;
    const uint32_t execute[] = {index, UINT32_MAX, 0, 0};
    const uint32_t version = 1;
    struct out out = {create("%s/stream.obs", folder), index};
    put(&out, "ovni", 4);
    put(&out, &version, sizeof version);
    put_event(&out, "OHx", execute, 4);
    if (index == 0)
        put_type(&out);
    else
        out.clock += TICK;
    for (uint64_t i = 0; i < tasks; i++) {
        put_task(&out, (uint32_t)(i * order->streams + index + 1));
        if (order->late && i % TASKS_BEFORE_A_REGION == 0)
            put_region(&out);
    }
    put_plain(&out, "OHe");
    complete(out.file);
}

void generate_ovni(const struct order *order) {
    char folder[4096];
    make_folder(order->path);
    snprintf(folder, sizeof folder, "%s/loom.generated.0", order->path);
    make_folder(folder);
    snprintf(folder, sizeof folder, "%s/loom.generated.0/proc.%d", order->path, PID);
    make_folder(folder);
    for (uint32_t i = 0; i < order->streams; i++) {
        snprintf(folder, sizeof folder, "%s/loom.generated.0/proc.%d/thread.%u", order->path, PID, i + 1);
        make_folder(folder);
        write_metadata(folder, i, order->streams);
        write_stream(order, folder, i);
    }
}
