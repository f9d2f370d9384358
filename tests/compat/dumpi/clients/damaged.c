/* damaged.c: what a program sees of files that are damaged, no DUMPI files, or not there. Prints what it got. */
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/libundumpi/libundumpi.h>

static int count(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                 const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf;
    ++*(unsigned *)userarg;
    return 1;
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    libundumpi_set_callbacks(&callbacks, count);
    for (int i = 1; i < argc; i++) {
        unsigned calls = 0;
        dumpi_profile *profile = undumpi_open(argv[i]);
        if (!profile) {
            printf("not opened\n");
            continue;
        }
        undumpi_read_stream(profile, &callbacks, &calls, false);
        printf("%u calls, %s\n", calls, undumpi_fault(profile)[0] ? "damaged" : "sound");
        dumpi_footer *footer = undumpi_read_footer(profile);
        printf("%u sends\n", footer->call_count[DUMPI_Send]);
        free(footer);
        undumpi_close(profile);
        free(profile);
    }
    return 0;
}
