/* regions.c: regions of the program's own, and what is set from outside. */
#include "record/mpi/control.h"
#include "record/mpi/process.h"
#include "record/mpi/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define NAME_MOST ((size_t)200)

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

void quipu__mpi_region_enter(uint64_t key, const char *name) {
    const int reason = errno;
    struct quipu__mpi_thread *thread = recording_thread();
    if (thread) {
        introduce(thread, key, name);
        quipu__mpi_put(thread, QUIPU__MPI_REGION_ENTER, 0, &key, sizeof key);
    }
    errno = reason;
}

void quipu__mpi_region_leave(uint64_t key) {
    const int reason = errno;
    struct quipu__mpi_thread *thread = recording_thread();
    if (thread)
        quipu__mpi_put(thread, QUIPU__MPI_REGION_LEAVE, 0, &key, sizeof key);
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

void quipu__mpi_set_statuses(bool are_recorded) {
    quipu__mpi_process.has_statuses = are_recorded;
}

void quipu__mpi_set_clocks(bool has_wall, bool has_cpu) {
    quipu__mpi_process.clocks = (has_wall ? QUIPU__MPI_WALL : 0u) | (has_cpu ? QUIPU__MPI_CPU : 0u);
}

const uint32_t *quipu__mpi_call_counts(void) {
    quipu__mpi_process.is_counting = true;
    return quipu__mpi_process.called;
}
