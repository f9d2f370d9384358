/* harness.c: see harness.h. Where the sources and the build are comes from the environment that ctest sets; a
 * program that is started by hand takes what CMake compiled in. */
#include "harness.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is given back at the end: a block, and the folder that it names when it names one. */
struct owned {
    struct owned *next;
    char *text;
    bool is_folder;
};

static struct owned *owned_list;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *level) {
    (void)status, (void)type, (void)level;
    return remove(path);
}

static void give_back_all(void) {
    while (owned_list) {
        struct owned *owned = owned_list;
        owned_list = owned->next;
        if (owned->is_folder)
            nftw(owned->text, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        free(owned->text);
        free(owned);
    }
}

static void *need(void *block) {
    if (block)
        return block;
    fputs("harness: out of memory\n", stderr);
    abort();
}

/* Any thread may ask for texts. */
static char *own(char *text, bool is_folder) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct owned *owned = need(malloc(sizeof *owned));
    pthread_mutex_lock(&lock);
    if (!owned_list)
        atexit(give_back_all);
    *owned = (struct owned){owned_list, text, is_folder};
    owned_list = owned;
    pthread_mutex_unlock(&lock);
    return text;
}

static char *format_text(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = need(malloc(size));
    vsnprintf(text, size, format, arguments);
    return own(text, false);
}

void harness_choose(int argc, char **argv, const struct CMUnitTest *tests, size_t count) {
    if (argc < 2)
        return;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            cmocka_set_test_filter(argv[1]);
            return;
        }
    }
    fprintf(stderr, "%s: no test %s in QUIPU_TESTS\n", argv[0], argv[1]);
    exit(2);
}

char *harness_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    return text;
}

const char *harness_folder(void) {
    const char *parent = getenv("TMPDIR");
    char *path = harness_text("%s/quipu-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(path))
        fail_msg("cannot make the folder %s", path);
    return own(need(strdup(path)), true);
}

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value ? value : otherwise;
}

const char *harness_data(const char *name) {
    return harness_text("%s/tests/data/%s", setting("QUIPU_SOURCE", HARNESS_SOURCE), name);
}

static const char *path_or_skip(const char *path) {
    if (!harness_exists(path)) {
        print_message("skipped: there is no %s\n", path);
        skip();
    }
    return path;
}

const char *harness_shared(const char *name) {
    return path_or_skip(harness_text("%s/../shared/%s", setting("QUIPU_SOURCE", HARNESS_SOURCE), name));
}

const char *harness_built(const char *name) {
    return path_or_skip(harness_text("%s/%s", setting("QUIPU_BUILD", HARNESS_BUILD), name));
}

char *harness_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    size_t used = 0, capacity = 4096;
    char *data = need(malloc(capacity));
    for (size_t got = 1; got > 0; used += got) {
        if (used + 1 >= capacity)
            data = need(realloc(data, capacity *= 2));
        got = fread(data + used, 1, capacity - used - 1, file);
    }
    fclose(file);
    data[used] = '\0';
    if (size)
        *size = used;
    return own(data, false);
}

void harness_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file)
        fail_msg("cannot make %s", path);
    const bool complete = fwrite(data, 1, size, file) == size;
    if (fclose(file) != 0 || !complete)
        fail_msg("cannot write %s", path);
}

bool harness_exists(const char *path) {
    return access(path, F_OK) == 0;
}

void harness_visit(const char *path, void (*visit)(const char *path)) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    if (!folder) {
        visit(path);
        return;
    }
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            harness_visit(harness_text("%s/%s", path, entry->d_name), visit);
    closedir(folder);
}

struct harness_run harness_run(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *command = format_text(format, arguments);
    va_end(arguments);

    const char *folder = harness_folder();
    const char *out = harness_text("%s/out", folder), *err = harness_text("%s/err", folder);
    const int status = system(harness_text("( %s\n) </dev/null >%s 2>%s", command, out, err));
    struct harness_run run = {.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
    run.out = harness_read(out, &run.out_size);
    run.err = harness_read(err, &run.err_size);
    return run;
}
