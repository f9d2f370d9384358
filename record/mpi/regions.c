/* regions.c: regions of the program's own, and what is set from outside. */
#include "record/mpi/process.h"
#include "record/mpi/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define NAME_MOST ((size_t)1000)

/* ---- Regions ---- */

static void put_name(struct quipu__mpi_thread *thread, uint64_t key, const char *name) {
    struct {
        uint64_t key;
        char name[NAME_MOST + 1];
    } label = {.key = key};
    const size_t length = strnlen(name, NAME_MOST);
    memcpy(label.name, name, length);
    quipu__mpi_put(thread, QUIPU__MPI_LABEL, 0, &label, sizeof label.key + length + 1);
}

/* Functions that the program does not export have no name. */
static const char *name_at(uint64_t key) {
    Dl_info info;
    void *const address = (void *)(uintptr_t)key;
    return dladdr(address, &info) && info.dli_saddr == address ? info.dli_sname : NULL;
}

/* A name is recorded when its region is first seen, or not lately. */
static void introduce(struct quipu__mpi_thread *thread, uint64_t key, const char *name) {
    uint64_t *const slot = &thread->named[(key >> 4 ^ key) % QUIPU__MPI_NAMED];
    if (*slot == key)
        return;
    *slot = key;
    const char *known = name ? name : name_at(key);
    if (known)
        put_name(thread, key, known);
}

static struct quipu__mpi_thread *recording_thread(void) {
    quipu__mpi_find();
    return quipu__mpi_process.is_recording ? quipu__mpi_thread() : NULL;
}

static void put_region(struct quipu__mpi_thread *thread, enum quipu__mpi_record record, uint64_t key) {
    const bool has_cpu = quipu__mpi_process.clocks & QUIPU__MPI_CPU;
    const struct quipu__mpi_region region = {key, has_cpu ? quipu__mpi_cpu_now() : 0};
    quipu__mpi_put(thread, record, 0, &region, has_cpu ? sizeof region : sizeof region.key);
}

void quipu__mpi_region_enter(uint64_t key, const char *name) {
    const int reason = errno;
    struct quipu__mpi_thread *thread = recording_thread();
    if (thread) {
        introduce(thread, key, name);
        if (quipu__mpi_process.has_enters)
            put_region(thread, QUIPU__MPI_REGION_ENTER, key);
    }
    errno = reason;
}

void quipu__mpi_region_leave(uint64_t key) {
    const int reason = errno;
    struct quipu__mpi_thread *thread = recording_thread();
    if (thread && quipu__mpi_process.has_leaves)
        put_region(thread, QUIPU__MPI_REGION_LEAVE, key);
    errno = reason;
}

/* ---- Settings ---- */

void quipu__mpi_set_recording(bool is_recording) {
    quipu__mpi_process.is_recording = is_recording;
}

void quipu__mpi_set_function(uint32_t number, bool is_recorded) {
    for (size_t i = 0; i < QUIPU__MPI_ROWS; i++)
        if (quipu__mpi_calls[i].number == number)
            quipu__mpi_process.is_recorded[i] = is_recorded;
}

void quipu__mpi_set_regions(bool has_enters, bool has_leaves) {
    quipu__mpi_process.has_enters = has_enters;
    quipu__mpi_process.has_leaves = has_leaves;
}

/* Streams that are open are told; others say it in their heads. */
void quipu__mpi_set_statuses(unsigned bits) {
    struct quipu__mpi_thread *thread = quipu__mpi_real.library ? quipu__mpi_thread() : NULL;
    quipu__mpi_process.statuses = bits;
    if (thread)
        quipu__mpi_put(thread, QUIPU__MPI_STATUSES, (uint16_t)bits, NULL, 0);
}

void quipu__mpi_leave_statuses(void) {
    quipu__mpi_process.leaves_statuses = true;
}

void quipu__mpi_observe(const struct quipu__mpi_observer *observer) {
    quipu__mpi_process.observer = *observer;
}

void quipu__mpi_set_clocks(bool has_wall, bool has_cpu) {
    quipu__mpi_process.clocks = (has_wall ? QUIPU__MPI_WALL : 0u) | (has_cpu ? QUIPU__MPI_CPU : 0u);
}

const uint32_t *quipu__mpi_call_counts(void) {
    quipu__mpi_process.is_counting = true;
    return quipu__mpi_process.called;
}
