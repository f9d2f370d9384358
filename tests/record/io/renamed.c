/* renamed.c: "text.lock" is written and becomes "text", in place of what was there; "a" and "b" exchange their names while "a" is open;
 * "unopened" becomes "moved"; "draft"
 * becomes "final" by a link; "folder/../gone.tmp" becomes "gone", which is removed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int write_file(const char *name, const char *text, size_t size) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return write(fd, text, size) == (ssize_t)size && close(fd) == 0;
}

static int exchange(void) {
    const int fd = open("a", O_WRONLY);
    return renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE) == 0 && write(fd, "12345", 5) == 5 &&
           close(fd) == 0;
}

int main(void) {
    return !(write_file("text.lock", "1234567", 7) && rename("text.lock", "text") == 0 && exchange() &&
             rename("unopened", "moved") == 0 && write_file("draft", "12", 2) && link("draft", "final") == 0 &&
             unlink("draft") == 0 && write_file("folder/../gone.tmp", "123", 3) &&
             renameat(AT_FDCWD, "folder/../gone.tmp", AT_FDCWD, "folder/../gone") == 0 && unlink("gone") == 0);
}
