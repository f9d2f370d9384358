/* run_corpus.c: runs a fuzz target over files and folders, without a fuzzer. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long input_count;

static void run_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size + 1);
    if (file && data && fread(data, 1, size, file) == size) {
        LLVMFuzzerTestOneInput(data, size);
        input_count++;
    }
    if (file)
        fclose(file);
    free(data);
}

static void run_path(const char *path, int depth) {
    struct stat found;
    if (stat(path, &found) != 0 || depth > 8)
        return;
    if (!S_ISDIR(found.st_mode)) {
        run_file(path, (size_t)found.st_size);
        return;
    }
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < (int)sizeof inner)
            run_path(inner, depth + 1);
    }
    if (folder)
        closedir(folder);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        run_path(argv[i], 0);
    printf("%lu inputs\n", input_count);
    return input_count == 0;
}
