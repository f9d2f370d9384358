/* descriptors.c: which descriptors are regular files, and the records of calls on them. */
#include "record/io/recorder.h"

#include "record/shield.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum descriptor_state { DESCRIPTOR_UNKNOWN, DESCRIPTOR_OTHER, DESCRIPTOR_FILE };

static _Atomic uint8_t states[DESCRIPTORS];
static atomic_int highest;

static bool is_in_range(int fd) {
    return fd >= 0 && fd < DESCRIPTORS;
}

static void set_state(int fd, enum descriptor_state state) {
    if (fd > atomic_load_explicit(&highest, memory_order_relaxed))
        atomic_store(&highest, fd);
    atomic_store(&states[fd], (uint8_t)state);
}

/* ---- What a file is ---- */

/* Where no time of birth is known, it is 0. */
static uint64_t id_of(uint64_t device, uint64_t inode, uint64_t birth) {
    return device << 40 ^ inode ^ birth * UINT64_C(0x9e3779b97f4a7c15);
}

/* Systems that refuse statx do not tell when a file was born. */
static bool look_without_birth(int folder, const char *path, int link_flags, struct file_facts *out) {
    struct stat found;
    if (fstatat(folder, path, &found, link_flags) != 0)
        return false;
    *out = (struct file_facts){.id = id_of(found.st_dev, found.st_ino, 0),
                               .links = found.st_nlink,
                               .size = found.st_size,
                               .changed = found.st_ctime,
                               .is_regular = S_ISREG(found.st_mode)};
    return true;
}

/* By the number of the call, since C libraries of programs may lack its name. */
static bool look(int folder, const char *path, int link_flags, struct file_facts *out) {
    struct statx found;
    if (syscall(SYS_statx, folder, path, link_flags, STATX_BASIC_STATS | STATX_BTIME, &found) != 0)
        return look_without_birth(folder, path, link_flags, out);
    const uint64_t device = (uint64_t)found.stx_dev_major << 20 | found.stx_dev_minor;
    const uint64_t birth = (uint64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;
    *out = (struct file_facts){.id = id_of(device, found.stx_ino, birth),
                               .links = found.stx_nlink,
                               .size = (int64_t)found.stx_size,
                               .changed = found.stx_ctime.tv_sec,
                               .is_regular = S_ISREG(found.stx_mode)};
    return true;
}

bool file_look(int folder, const char *path, int link_flags, struct file_facts *out) {
    const int shield = quipu__shield_begin();
    const bool is_there = look(folder, path, link_flags, out);
    quipu__shield_end(shield);
    return is_there;
}

bool file_look_at(int fd, struct file_facts *out) {
    return file_look(fd, "", AT_EMPTY_PATH, out);
}

/* ---- Opening ---- */

static uint8_t open_flags(int flags) {
    static const uint8_t access_modes[] = {
        [O_RDONLY] = QUIPU__CHARISMA_OPEN_READ,
        [O_WRONLY] = QUIPU__CHARISMA_OPEN_WRITE,
        [O_RDWR] = QUIPU__CHARISMA_OPEN_READ_WRITE,
    };
    const int access_mode = flags & O_ACCMODE;
    uint8_t made = access_mode <= O_RDWR ? access_modes[access_mode] : QUIPU__CHARISMA_OPEN_READ_WRITE;
    if (flags & O_CREAT)
        made |= QUIPU__CHARISMA_OPEN_CREATE;
    if (flags & O_TRUNC)
        made |= QUIPU__CHARISMA_OPEN_TRUNCATE;
    if (flags & O_APPEND)
        made |= QUIPU__CHARISMA_OPEN_APPEND;
    return made;
}

/* What the system says of files that have no name any more; those that never had one are called so. */
static void cut_remark(char *path, ssize_t *len) {
    static const char remark[] = " (deleted)";
    const ssize_t remark_len = sizeof remark - 1;
    if (*len > remark_len && strncmp(path, "/memfd:", 7) != 0 &&
        memcmp(path + *len - remark_len, remark, (size_t)remark_len) == 0)
        *len -= remark_len;
}

/* The path of an open file: folder and name, cut to what the record holds. */
static void find_path(int fd, const struct file_facts *file, struct app_open *record) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const int shield = quipu__shield_begin();
    ssize_t len = readlink(link, path, sizeof path - 1);
    quipu__shield_end(shield);
    if (len <= 0)
        return;
    if (file->links == 0)
        cut_remark(path, &len);
    path[len] = '\0';
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t folder_len = slash ? (size_t)(slash - path) : 0, name_len = strlen(name);
    memcpy(record->name, name, name_len < NAME_BYTES ? name_len : NAME_BYTES - 1);
    memcpy(record->path, path, folder_len < PATH_BYTES ? folder_len : PATH_BYTES - 1);
}

void descriptor_opened(int fd, int flags, uint64_t time) {
    struct file_facts found;
    if (!is_in_range(fd))
        return;
    const bool is_file = file_look_at(fd, &found) && found.is_regular;
    set_state(fd, is_file ? DESCRIPTOR_FILE : DESCRIPTOR_OTHER);
    if (!is_file)
        return;
    characters_reopened(fd, flags);
    struct app_open record = {.type = RECORD_APP_OPEN,
                              .time = time,
                              .app = recorder_app(),
                              .file = found.id,
                              .descriptor = fd,
                              .size = found.size,
                              .created = found.changed,
                              .flags = open_flags(flags)};
    find_path(fd, &found, &record);
    recorder_put(&record, sizeof record);
}

/* By a descriptor of its own, which opens nothing: the system knows the path from there, whatever leads to it. */
void record_name(int folder, const char *path, const struct file_facts *file, uint64_t time) {
    struct app_open opened = {.type = RECORD_APP_OPEN,
                              .time = time,
                              .app = recorder_app(),
                              .file = file->id,
                              .descriptor = QUIPU__CHARISMA_NO_DESCRIPTOR,
                              .size = file->size,
                              .created = file->changed,
                              .flags = QUIPU__CHARISMA_OPEN_READ};
    const struct app_close closed = {.type = RECORD_APP_CLOSE,
                                     .time = time,
                                     .app = recorder_app(),
                                     .descriptor = QUIPU__CHARISMA_NO_DESCRIPTOR,
                                     .size = file->size};
    struct file_facts found;
    const int shield = quipu__shield_begin();
    const int fd = file->is_regular ? openat(folder, path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
    const bool is_there = fd >= 0 && file_look_at(fd, &found) && found.id == file->id;
    if (is_there)
        find_path(fd, &found, &opened);
    if (fd >= 0)
        close(fd);
    quipu__shield_end(shield);
    if (!is_there || opened.name[0] == '\0')
        return;
    recorder_put(&opened, sizeof opened);
    recorder_put(&closed, sizeof closed);
}

bool descriptor_is_other(int fd) {
    return !is_in_range(fd) || atomic_load_explicit(&states[fd], memory_order_relaxed) == DESCRIPTOR_OTHER;
}

void descriptor_found(int fd) {
    const int shield = quipu__shield_begin();
    const int flags = recorder_is_own_process() ? fcntl(fd, F_GETFL) : -1;
    quipu__shield_end(shield);
    if (flags >= 0)
        descriptor_opened(fd, flags & ~(O_CREAT | O_TRUNC), recorder_now());
}

bool descriptor_is_file(int fd) {
    if (descriptor_is_other(fd))
        return false;
    if (atomic_load(&states[fd]) == DESCRIPTOR_UNKNOWN)
        descriptor_found(fd);
    return atomic_load(&states[fd]) == DESCRIPTOR_FILE;
}

/* ---- Appending ---- */

bool descriptor_appends(int fd, int flags) {
    const int of_descriptor = fcntl(fd, F_GETFL);
    return flags & RWF_APPEND || (of_descriptor >= 0 && of_descriptor & O_APPEND && !(flags & RWF_NOAPPEND));
}

int64_t descriptor_end(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 ? found.st_size : -1;
}

/* Behind what moves the descriptor's position lies the position. */
int64_t descriptor_written_at(int fd, int64_t named, ssize_t count, int flags) {
    if (count < 0 || named == CURRENT_OFFSET || !descriptor_appends(fd, flags))
        return named;
    return descriptor_end(fd) - count;
}

/* ---- Closing ---- */

struct closing descriptor_closing(int fd) {
    struct file_facts found;
    characters_closing(fd);
    if (is_in_range(fd) && atomic_load(&states[fd]) == DESCRIPTOR_UNKNOWN)
        rings_look_at(fd); /* what was used before was found then */
    struct closing closing = {.is_file = is_in_range(fd) && atomic_load(&states[fd]) == DESCRIPTOR_FILE,
                              .time = recorder_now()};
    if (closing.is_file && file_look_at(fd, &found))
        closing.size = found.size;
    if (is_in_range(fd))
        atomic_store(&states[fd], DESCRIPTOR_UNKNOWN);
    return closing;
}

void descriptor_closed(int fd, const struct closing *closing) {
    if (!closing->is_file)
        return;
    const struct app_close record = {.type = RECORD_APP_CLOSE,
                                     .time = closing->time,
                                     .app = recorder_app(),
                                     .descriptor = fd,
                                     .size = closing->size};
    recorder_put(&record, sizeof record);
}

void descriptors_closed(unsigned first, unsigned last) {
    const unsigned end = (unsigned)atomic_load(&highest);
    for (unsigned fd = first; fd <= last && fd <= end; fd++) {
        const struct closing closing = descriptor_closing((int)fd);
        descriptor_closed((int)fd, &closing);
    }
}

void descriptors_forget(void) {
    const int end = atomic_load(&highest);
    for (int fd = 0; fd <= end; fd++)
        atomic_store_explicit(&states[fd], DESCRIPTOR_UNKNOWN, memory_order_relaxed);
}

/* ---- Requests ---- */

static struct request request_of(int fd, uint8_t operation, uint64_t begin, int64_t offset, const void *memory,
                                 int64_t size) {
    return (struct request){.type = RECORD_RW,
                            .begin = begin,
                            .end = recorder_now(),
                            .descriptor = fd,
                            .operation = operation | QUIPU__CHARISMA_OF_CLIENT,
                            .app = recorder_app(),
                            .client_count = 1,
                            .offset = offset,
                            .memory = (uintptr_t)memory,
                            .size = size,
                            .client = recorder_client()};
}

/* Where the bytes that were moved last begin. False: the number is that of something else by now, of which no call has told. A file that
 * refuses to say has moved them all the same. lseek is a point of cancellation in no C library, and on the path of each request. */
static bool find_offset(int fd, ssize_t count, int64_t *offset) {
    const off_t behind = lseek(fd, 0, SEEK_CUR);
    *offset = behind - count;
    return behind < 0 ? errno != ESPIPE && errno != EBADF : *offset >= 0;
}

void record_request(int fd, uint8_t operation, uint64_t begin, int64_t offset, const void *memory,
                    ssize_t count) {
    if (count < 0)
        return;
    struct request request = request_of(fd, operation, begin, offset, memory, count);
    const bool is_known = offset == CURRENT_OFFSET ? find_offset(fd, count, &request.offset) : offset >= 0;
    if (!is_known)
        return;
    if (offset == CURRENT_OFFSET)
        characters_passed_by(fd, count);
    recorder_put(&request, sizeof request);
}

void record_async_request(int fd, uint8_t operation, uint64_t begin, int64_t offset, const void *memory,
                          size_t size, int64_t async) {
    struct request request =
        request_of(fd, operation | QUIPU__CHARISMA_ASYNCHRONOUS, begin, offset, memory, (int64_t)size);
    request.async = async;
    recorder_put(&request, sizeof request);
}

void record_async_end(int64_t async, int32_t client, uint64_t call) {
    const struct async_end end = {.type = RECORD_ASYNCH_END,
                                  .call = call,
                                  .end = recorder_now(),
                                  .async = async,
                                  .client = client,
                                  .app = recorder_app()};
    recorder_put(&end, sizeof end);
}

void record_control(int fd, int request, int argument, uint64_t time) {
    const struct control control = {.type = RECORD_FCNTL,
                                    .time = time,
                                    .client = recorder_client(),
                                    .descriptor = (uint64_t)fd,
                                    .request = request,
                                    .argument = argument};
    recorder_put(&control, sizeof control);
}

void record_size_change(const struct file_facts *before, int64_t size, uint64_t time) {
    if (size == before->size || !before->is_regular)
        return;
    const struct size_change change = {.type = size > before->size ? RECORD_EXTEND : RECORD_TRUNCATE,
                                       .time = time,
                                       .client = recorder_client(),
                                       .file = before->id,
                                       .before = before->size,
                                       .after = size};
    recorder_put(&change, sizeof change);
}

void record_link_change(enum record_type type, const struct file_facts *found, uint64_t count, uint64_t time) {
    if (!found->is_regular)
        return;
    const struct link_change change = {.type = (uint16_t)type,
                                       .time = time,
                                       .client = recorder_client(),
                                       .file = found->id,
                                       .count = (uint16_t)count};
    recorder_put(&change, sizeof change);
}
