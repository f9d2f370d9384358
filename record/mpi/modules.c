/* modules.c: the program and its libraries in memory. */
#include "record/mpi/modules.h"

#include "record/shield.h"

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MOST 1024

/* Those that are described. Each one is added, and then counted, so that others may look meanwhile. */
static struct {
    pthread_mutex_t mutex;
    atomic_uint count;
    uint64_t first[MODULES_MOST], end[MODULES_MOST];
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void quipu__mpi_forget_modules(void) {
    const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
    known.mutex = unlocked; /* the thread that may have held it is the parent's */
    atomic_store(&known.count, 0);
}

static void set_module(struct quipu__mpi_thread *thread, uint64_t first, uint64_t end) {
    thread->module_first = first;
    thread->module_bytes = end - first;
}

static bool is_known(struct quipu__mpi_thread *thread, uint64_t address) {
    const unsigned count = atomic_load_explicit(&known.count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (address >= known.first[i] && address < known.end[i]) {
            set_module(thread, known.first[i], known.end[i]);
            return true;
        }
    return count == MODULES_MOST;
}

/* ---- The one that an address lies in ---- */

struct found {
    uint64_t address;
    struct quipu__mpi_module module;
    char path[PATH_MAX];
};

/* Notes are lists of: bytes of the name, bytes of the contents, type; name and contents, filled up to 4 bytes each. */
static void find_build_id(const uint8_t *at, size_t size, struct quipu__mpi_module *module) {
    static const char name[] = "GNU";
    ElfW(Nhdr) head;
    while (size >= sizeof head && module->build_id_bytes == 0) {
        memcpy(&head, at, sizeof head);
        const size_t names = ((size_t)head.n_namesz + 3) & ~(size_t)3,
                     bytes = ((size_t)head.n_descsz + 3) & ~(size_t)3;
        if (size - sizeof head < names || size - sizeof head - names < bytes)
            return;
        const uint8_t *contents = at + sizeof head + names;
        const size_t used = head.n_descsz < QUIPU__MPI_BUILD_ID ? head.n_descsz : QUIPU__MPI_BUILD_ID;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof name &&
            memcmp(at + sizeof head, name, sizeof name) == 0) {
            memcpy(module->build_id, contents, used);
            module->build_id_bytes = (uint32_t)used;
        }
        at = contents + bytes;
        size -= sizeof head + names + bytes;
    }
}

static bool measure(const struct dl_phdr_info *info, struct found *found) {
    struct quipu__mpi_module *module = &found->module;
    bool has_address = false;
    *module = (struct quipu__mpi_module){.bias = info->dlpi_addr, .first = UINT64_MAX};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uint64_t first = info->dlpi_addr + segment->p_vaddr, end = first + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        has_address |= found->address >= first && found->address < end;
        module->first = first < module->first ? first : module->first;
        module->end = end > module->end ? end : module->end;
    }
    return has_address;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    struct found *found = context;
    (void)size;
    if (!measure(info, found))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            find_build_id((const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                          info->dlpi_phdr[i].p_memsz, &found->module);
    snprintf(found->path, sizeof found->path, "%s", info->dlpi_name);
    return 1;
}

/* The program itself has no name there, and libraries may have one relative to the directory at hand. */
static void name_fully(struct found *found) {
    char path[PATH_MAX];
    const char *name = found->path[0] ? found->path : "/proc/self/exe";
    if (!realpath(name, path))
        return;
    memcpy(found->path, path, strlen(path) + 1);
}

static void describe(struct quipu__mpi_thread *thread, const struct found *found) {
    uint8_t data[sizeof found->module + PATH_MAX];
    const size_t path = strlen(found->path) + 1;
    memcpy(data, &found->module, sizeof found->module);
    memcpy(data + sizeof found->module, found->path, path);
    quipu__mpi_put(thread, QUIPU__MPI_MODULE, 0, data, sizeof found->module + path);
}

static void add(struct quipu__mpi_thread *thread, const struct found *found) {
    const unsigned count = atomic_load(&known.count);
    if (count == MODULES_MOST)
        return;
    describe(thread, found);
    known.first[count] = found->module.first;
    known.end[count] = found->module.end;
    atomic_store_explicit(&known.count, count + 1, memory_order_release);
    set_module(thread, found->module.first, found->module.end);
}

void quipu__mpi_find_module(struct quipu__mpi_thread *thread, uint64_t address) {
    struct found found = {.address = address};
    if (is_known(thread, address))
        return;
    const int shield = quipu__shield_begin();
    if (dl_iterate_phdr(look_at, &found)) {
        name_fully(&found);
        pthread_mutex_lock(&known.mutex);
        if (!is_known(thread, address))
            add(thread, &found);
        pthread_mutex_unlock(&known.mutex);
    } else {
        set_module(thread, address, address + 1); /* of no module, such as what a program has made as it runs */
    }
    quipu__shield_end(shield);
}
