/* loading.c: see loading.h. */
#include "record/io/loading.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LIBRARY "libquipu-record-io"
#define SCRIPT_BYTES 256 /* of its first line that the system looks at */
#define NOTES_BYTES 1024
#define SCRIPTS_MOST 4 /* whose interpreters are scripts */

/* ---- Files ---- */

/* Programs of Go make system calls by themselves, also those that are linked dynamically because some of them is C. */
static bool is_of_go(int fd, const Elf64_Phdr *segment) {
    enum { GO_BUILD_ID = 4 };
    char notes[NOTES_BYTES];
    const size_t wanted = segment->p_filesz < sizeof notes ? (size_t)segment->p_filesz : sizeof notes;
    const ssize_t got = pread(fd, notes, wanted, (off_t)segment->p_offset);
    Elf64_Nhdr note;
    for (size_t i = 0; got > 0 && i + sizeof note + 4 <= (size_t)got;) {
        memcpy(&note, notes + i, sizeof note);
        if (note.n_type == GO_BUILD_ID && note.n_namesz == 4 && memcmp(notes + i + sizeof note, "Go\0", 4) == 0)
            return true;
        i += sizeof note + ((size_t)note.n_namesz + 3) / 4 * 4 + ((size_t)note.n_descsz + 3) / 4 * 4;
    }
    return false;
}

static bool has_interpreter(int fd, const Elf64_Ehdr *head, bool *is_blind) {
    bool is_found = false;
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr segment;
        const off_t offset = (off_t)(head->e_phoff + (uint64_t)i * sizeof segment);
        if (head->e_phentsize != sizeof segment ||
            pread(fd, &segment, sizeof segment, offset) != (ssize_t)sizeof segment)
            return true; /* the system executes no such file */
        is_found = is_found || segment.p_type == PT_INTERP;
        *is_blind = *is_blind || (segment.p_type == PT_NOTE && is_of_go(fd, &segment));
    }
    return is_found;
}

static bool is_of_this_machine(const Elf64_Ehdr *head) {
    Elf64_Ehdr own = {.e_machine = head->e_machine};
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool is_known = fd >= 0 && pread(fd, &own, sizeof own, 0) == (ssize_t)sizeof own;
    if (fd >= 0)
        close(fd);
    return !is_known || (head->e_machine == own.e_machine && head->e_ident[EI_CLASS] == own.e_ident[EI_CLASS]);
}

/* The dynamic linker has no interpreter, and loads the recorder when it is executed itself. */
static bool is_dynamic_linker(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    return name &&
           (strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0 || strncmp(name, "ld64", 4) == 0);
}

/* Then the system tells the dynamic linker to load nothing that the environment names. */
static bool gets_rights(int fd) {
    struct stat found;
    if (fstat(fd, &found) != 0)
        return false;
    return (found.st_mode & S_ISUID && found.st_uid != geteuid()) ||
           (found.st_mode & S_ISGID && found.st_mode & S_IXGRP && found.st_gid != getegid()) ||
           (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

/* The interpreter that the first line of a script names. False: it is none. */
static bool find_interpreter(int fd, char path[SCRIPT_BYTES]) {
    char line[SCRIPT_BYTES] = "";
    if (pread(fd, line, sizeof line - 1, 0) < 3 || memcmp(line, "#!", 2) != 0)
        return false;
    const char *begin = line + 2 + strspn(line + 2, " \t");
    const size_t len = strcspn(begin, " \t\n");
    memcpy(path, begin, len);
    path[len] = '\0';
    return len > 0;
}

static bool loads(int fd, const char *path) {
    Elf64_Ehdr head;
    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return true;
    if (gets_rights(fd) || !is_of_this_machine(&head))
        return false;
    bool is_blind = false;
    const bool is_dynamic = has_interpreter(fd, &head, &is_blind) || is_dynamic_linker(path);
    return is_dynamic && !is_blind;
}

bool loading_by_descriptor(int fd) {
    char path[SCRIPT_BYTES];
    return find_interpreter(fd, path) ? loading_by_file(path) : loads(fd, NULL);
}

bool loading_by_file(const char *path) {
    char interpreter[SCRIPT_BYTES];
    bool is_loaded = true;
    for (int i = 0; i < SCRIPTS_MOST; i++) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return true;
        const bool is_script = find_interpreter(fd, interpreter);
        is_loaded = is_script || loads(fd, path);
        close(fd);
        if (!is_script)
            return is_loaded;
        path = interpreter;
    }
    return is_loaded;
}

/* ---- Environments ---- */

static const char *value_of(char *const environment[], const char *name) {
    const size_t len = strlen(name);
    for (size_t i = 0; environment && environment[i]; i++)
        if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=')
            return environment[i] + len + 1;
    return "";
}

bool loading_by_environment(char *const environment[]) {
    return strstr(value_of(environment, "LD_PRELOAD"), LIBRARY) != NULL &&
           *value_of(environment, "QUIPU_RECORD_FOLDER") != '\0';
}
