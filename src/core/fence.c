/* fence.c: see fence.h. A file whose path begins with that of the folder is inside unless it is a link; only then, and for other
 * paths, the system is asked where they lead. */
#include "core/fence.h"

#include "core/os.h"
#include "core/text.h"

#include <errno.h>
#include <string.h>

/* Length of the folder's path in that of the trace, 0 for the current folder. */
static size_t folder_len(const struct quipu__fence *fence) {
    return fence->is_folder ? strlen(fence->trace) : (size_t)(quipu__base_name(fence->trace) - fence->trace);
}

static bool lies_in_folder(const struct quipu__fence *fence, const char *path) {
    const size_t len = folder_len(fence);
    if (strncmp(path, fence->trace, len) != 0)
        return false;
    const char *rest = path + len;
    rest += rest[0] == '/' && fence->is_folder;
    return quipu__base_name(rest) == rest;
}

static bool is_named(const struct quipu__fence *fence, const char *path) {
    return strcmp(path, fence->trace) == 0 || (fence->index && strcmp(path, fence->index) == 0) ||
           (fence->folder_index && strcmp(path, fence->folder_index) == 0) ||
           (fence->variant && strcmp(path, fence->variant) == 0);
}

int quipu__fence_open(const struct quipu__fence *fence, const char *path) {
    if (!fence || is_named(fence, path))
        return quipu__os_open_read(path, true);
    const int fd = lies_in_folder(fence, path) ? quipu__os_open_read(path, false) : -1;
    if (fd >= 0 || (lies_in_folder(fence, path) && errno != ELOOP))
        return fd;
    return quipu__path_is_inside(path, fence->trace, folder_len(fence)) ? quipu__os_open_read(path, true) : -1;
}
