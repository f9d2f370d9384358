/* sweep.c: reads a file cut at every byte, and with every byte turned over. Prints which cut files could be
 * opened, whether most turned ones could, how many of these lacked calls although their calls and index are sound (which
 * must be none), and how many calls the whole file has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dumpi/libundumpi/libundumpi.h>

struct seen {
    unsigned calls;
    uint64_t last; /* offset after the last call */
    dumpi_profile *profile;
};

static int see(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
               const dumpi_perfinfo *perf, void *userarg) {
    struct seen *seen = userarg;
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf;
    seen->calls++;
    seen->last = seen->profile->pos;
    return 1;
}

static int read_file(const char *path, struct seen *seen) {
    libundumpi_callbacks callbacks;
    memset(seen, 0, sizeof *seen);
    seen->profile = undumpi_open(path);
    if (!seen->profile)
        return 0;
    libundumpi_set_callbacks(&callbacks, see);
    undumpi_read_stream(seen->profile, &callbacks, seen, false);
    dumpi_free_header(undumpi_read_header(seen->profile));
    dumpi_free_footer(undumpi_read_footer(seen->profile));
    dumpi_free_keyval_record(undumpi_read_keyval_record(seen->profile));
    free(undumpi_read_datatype_sizes(seen->profile).size);
    undumpi_close(seen->profile);
    free(seen->profile);
    return 1;
}

static void write_file(const char *path, const unsigned char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        exit(3);
}

int main(int argc, char **argv) {
    static unsigned char data[1 << 20];
    struct seen whole, seen;
    unsigned opened = 0, lost = 0;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || !read_file(argv[1], &whole))
        return 1;
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(argv[2], data, cut);
        if (read_file(argv[2], &seen))
            printf("opened without its last %u bytes\n", (unsigned)(size - cut));
    }
    opened = 0;
    for (size_t position = 0; position < size; position++) {
        data[position] ^= 0xff;
        write_file(argv[2], data, size);
        data[position] ^= 0xff;
        if (!read_file(argv[2], &seen))
            continue;
        opened++;
        /* What lies behind the calls does no harm to them, if the index still says where they are. */
        if (position >= whole.last + 2 && position < size - 64 && seen.calls != whole.calls)
            lost++;
    }
    printf("%s, %u lost, %u calls\n", opened > size / 2 ? "most turned files opened" : "few opened", lost,
           whole.calls);
    return 0;
}
