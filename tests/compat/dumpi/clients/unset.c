/* unset.c: uses variables of callbacks of collective operations that it has not set, as dumpi-cortex does, after other callbacks
 * have used the stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dumpi/libundumpi/bindings.h>
#include <dumpi/libundumpi/libundumpi.h>

static int calls, unclean;

static void fill(int *numbers, size_t count) {
    memset(numbers, 0xff, count * sizeof *numbers);
}

static void look(int *numbers, size_t count) {
    calls++;
    for (size_t i = 0; i < count; i++)
        unclean += numbers[i] != 0;
}

/* Compilers do not see what happens to the numbers. */
static void (*volatile use)(int *numbers, size_t count);

static int collective(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                      const dumpi_perfinfo *perf, void *userarg) {
    int numbers[4];
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf, (void)userarg;
    use = look;
    use(numbers, sizeof numbers / sizeof *numbers);
    return 1;
}

static int other(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                 const dumpi_perfinfo *perf, void *userarg) {
    int numbers[256];
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf, (void)userarg;
    use = fill;
    use(numbers, sizeof numbers / sizeof *numbers);
    return 1;
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    libundumpi_cbpair bindings[DUMPI_END_OF_STREAM];
    int finalized = 0;
    dumpi_profile *profile = argc == 2 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 1;
    libundumpi_clear_callbacks(&callbacks);
    libundumpi_set_callbacks(&callbacks, other);
    libundumpi_populate_callbacks(&callbacks, bindings);
    bindings[DUMPI_Barrier].callout = bindings[DUMPI_Bcast].callout = bindings[DUMPI_Allreduce].callout =
        collective;
    if (!dumpi_start_stream_read(profile))
        return 1;
    while (undumpi_read_single_call(profile, bindings, NULL, &finalized))
        ;
    printf("%d calls, %d numbers\n", calls, unclean);
    undumpi_close(profile);
    free(profile);
    return 0;
}
