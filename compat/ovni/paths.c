/* paths.c: folders and files of a trace. */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_join(const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool make_one(const char *path) {
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

bool path_make(const char *folder) {
    char *path = strdup(folder);
    bool is_made = path != NULL;
    for (char *slash = path; is_made && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        is_made = make_one(path);
        *slash = '/';
    }
    is_made = is_made && make_one(path);
    const int reason = errno;
    free(path);
    errno = reason;
    return is_made;
}

static bool copy_bytes(int from, int to) {
    char buffer[65536];
    ssize_t count;
    while ((count = read(from, buffer, sizeof buffer)) > 0)
        for (ssize_t done = 0; done < count;) {
            const ssize_t written = write(to, buffer + done, (size_t)(count - done));
            if (written < 0)
                return false;
            done += written;
        }
    return count == 0;
}

bool path_copy(const char *from, const char *to) {
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return false;
    const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool is_copied = out >= 0 && copy_bytes(in, out);
    if (out >= 0 && close(out) != 0)
        is_copied = false;
    close(in);
    return is_copied;
}
